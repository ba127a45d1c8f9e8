//! Which words of a text are English. `cargo xtask words` shares this file.

/// The words of ordinary English in a text: lower case, two letters or more. Names, numbers, keys, options, paths and
/// what stands in backticks are none.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let part = |c: char| c.is_ascii_alphanumeric() || "_.-/'+=$`{}<>*@".contains(c);
    text.split(move |c: char| !part(c))
        .map(|word| word.trim_matches(['.', '\'', '-', '/']))
        .map(|word| word.strip_suffix("'s").unwrap_or(word))
        .filter(|word| word.len() > 1)
        .filter(|word| word.bytes().all(|b| b.is_ascii_lowercase() || matches!(b, b'-' | b'\'')))
}
