//! Conditions that the text alone decides: `[ "$a" = b ]`, `[[ -z $x ]]`, comparisons of whole numbers.

use super::Word;

/// Whether a test holds; `None` where only a run could tell.
pub(super) fn evaluate(words: &[Word]) -> Option<bool> {
    let inner = match words {
        [first, inner @ .., last] if matches!((first.text.as_str(), last.text.as_str()), ("[", "]") | ("[[", "]]")) => {
            inner
        }
        [first, inner @ ..] if first.text == "test" => inner,
        _ => return None,
    };
    let (negate, inner) = match inner {
        [first, rest @ ..] if first.text == "!" => (true, rest),
        _ => (false, inner),
    };
    // A variable that the text does not set counts as empty, as it does where the script is run as it stands.
    let unset = matches!(inner, [_, value] if value.text.is_empty());
    if !unset && inner.iter().any(|word| word.open.is_some()) {
        return None;
    }
    let holds = match inner {
        [one] => !one.text.is_empty(),
        [operator, value] => match operator.text.as_str() {
            "-z" => value.text.is_empty(),
            "-n" => !value.text.is_empty(),
            _ => return None,
        },
        [left, operator, right] => compare(&left.text, &operator.text, &right.text)?,
        _ => return None,
    };
    Some(holds != negate)
}

/// What a test asks about and the text does not set.
pub(super) fn unset(words: &[Word]) -> Option<String> {
    words.iter().find_map(|word| word.open.clone())
}

fn compare(left: &str, operator: &str, right: &str) -> Option<bool> {
    let numbers = || Some((left.parse::<i64>().ok()?, right.parse::<i64>().ok()?));
    match operator {
        "=" | "==" if right.contains(['*', '?']) => None,
        "=" | "==" => Some(left == right),
        "!=" if right.contains(['*', '?']) => None,
        "!=" => Some(left != right),
        "-eq" => numbers().map(|(a, b)| a == b),
        "-ne" => numbers().map(|(a, b)| a != b),
        "-gt" => numbers().map(|(a, b)| a > b),
        "-ge" => numbers().map(|(a, b)| a >= b),
        "-lt" => numbers().map(|(a, b)| a < b),
        "-le" => numbers().map(|(a, b)| a <= b),
        _ => None,
    }
}
