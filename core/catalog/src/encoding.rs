//! What a file's encoding leaves at the beginning of its text: PowerShell writes a byte-order mark, and older ones UTF-16.

/// What is said of a text that is UTF-16.
pub const UTF_16: &str =
    "This text is UTF-16. Save it as UTF-8 and take it anew, in PowerShell with Set-Content -Encoding utf8.";

/// The mark in front of a text.
pub const MARK: char = '\u{feff}';

/// Whether a file's bytes begin as a text in UTF-16 does that has a mark.
///
/// ```
/// use shardwise_catalog::encoding::begins_utf_16;
/// assert!(begins_utf_16(b"\xff\xfe{\0}\0") && begins_utf_16(b"\xfe\xff\0{\0}"));
/// assert!(!begins_utf_16(b"\xef\xbb\xbf{}") && !begins_utf_16(b"{}"));
/// ```
#[must_use]
pub fn begins_utf_16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff")
}

/// A text without its mark; `None` where it is UTF-16 that was taken for UTF-8: a mark that is none, or half of a letter of
/// ASCII in front.
///
/// ```
/// use shardwise_catalog::encoding::unmarked;
/// assert_eq!(unmarked("\u{feff}{}"), Some("{}"));
/// assert_eq!(unmarked(&String::from_utf8_lossy(b"\xff\xfe{\0}\0")), None);
/// assert_eq!(unmarked("{\0}\0"), None);
/// ```
#[must_use]
pub fn unmarked(text: &str) -> Option<&str> {
    let mut first = text.chars();
    let utf_16 = match (first.next(), first.next()) {
        (Some(a), Some(b)) => [a, b] == ['\u{fffd}'; 2] || (a == '\0') != (b == '\0'),
        _ => false,
    };
    (!utf_16).then(|| text.trim_start_matches(MARK))
}
