//! Values as hydra, `OmegaConf`, YAML and argparse write them.

/// Without the quotes around it.
pub(crate) fn unquoted(text: &str) -> &str {
    let text = text.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}

/// Whether nothing is stated: `null`, `None`, an empty text.
pub(crate) fn is_null(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || text == "~" || ["null", "none"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// A truth value.
pub(crate) fn truth(text: &str) -> Option<bool> {
    let text = unquoted(text);
    let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is(&["true", "yes", "on", "1"]) {
        Some(true)
    } else if is(&["false", "no", "off", "0"]) {
        Some(false)
    } else {
        None
    }
}

/// A number, as Python writes it: `1_000`, `5e8`.
pub(crate) fn number(text: &str) -> Option<f64> {
    let text = unquoted(text);
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    let digits = plain.bytes().any(|b| b.is_ascii_digit())
        && plain
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !digits {
        return None;
    }
    // JSON's reader of numbers is in the program already; it wants a digit before and behind the point.
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", plain.strip_prefix('+').unwrap_or(&plain)),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let trimmed = digits.trim_start_matches('0');
    let zero = if trimmed.bytes().next().is_some_and(|b| b.is_ascii_digit()) { "" } else { "0" };
    let text = format!("{sign}{zero}{trimmed}");
    let text = match text.strip_suffix('.') {
        Some(whole) => whole.to_owned(),
        None => text.replace(".e", ".0e").replace(".E", ".0E"),
    };
    serde_json::from_str::<f64>(&text).ok().filter(|value| value.is_finite())
}

/// A whole number, `5e8` included, up to 2^53.
pub(crate) fn whole(text: &str) -> Option<i64> {
    let value = number(text)?;
    let whole = value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
    whole.then_some(value as i64)
}

/// The entries of `[a, 'b', "c"]`; a word alone is one entry.
pub(crate) fn list(text: &str) -> Vec<String> {
    let text = unquoted(text);
    let inner = text
        .strip_prefix(['[', '('])
        .map(|text| text.trim_end_matches([']', ')']))
        .unwrap_or(text);
    inner
        .split([',', ' '])
        .map(unquoted)
        .filter(|entry| !entry.is_empty())
        .map(str::to_owned)
        .collect()
}

/// `attention` where every target is one of attention's projections.
pub(crate) fn lora_targets(targets: Option<&str>) -> &'static str {
    let targets = targets.map(list).unwrap_or_default();
    let attention = |name: &String| {
        let own = ["q_proj", "k_proj", "v_proj", "o_proj", "linear_qkv", "linear_proj", "qkv_proj"];
        own.contains(&name.as_str()) || name.starts_with("linear_q_") || name.starts_with("linear_kv_")
    };
    if !targets.is_empty() && targets.iter().all(attention) { "attention" } else { "all-linear" }
}

#[cfg(test)]
mod tests {
    use super::{is_null, list, number, truth, whole};

    #[test]
    fn words_of_python_and_yaml() {
        assert_eq!((whole("5e8"), whole("1_000"), whole("1.5")), (Some(500_000_000), Some(1000), None));
        assert_eq!((whole("'8'"), whole("-1"), whole("1e300")), (Some(8), Some(-1), None));
        assert_eq!((number("inf"), number("nan"), number("1e999"), number("0x10")), (None, None, None, None));
        assert_eq!(
            ["007", ".5", "5.", "1.e3", "+2", "-0.25", "0", "--1", "1e", "e5", "1.2.3"].map(number),
            [Some(7.0), Some(0.5), Some(5.0), Some(1000.0), Some(2.0), Some(-0.25), Some(0.0), None, None, None, None]
        );
        assert_eq!((truth("True"), truth("\"no\""), truth("maybe")), (Some(true), Some(false), None));
        assert!(is_null("null") && is_null("None") && is_null("") && !is_null("0"));
        assert_eq!(list("['core_attn', \"moe\",x]"), ["core_attn", "moe", "x"]);
        assert_eq!(list("all-linear"), ["all-linear"]);
        assert!(list("[]").is_empty());
    }
}
