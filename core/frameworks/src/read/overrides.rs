//! Overrides of a configuration, as hydra and `OmegaConf` take them: `key=value`, `+key=value`, `++key=value`, `~key`.

use super::draft::Draft;
use super::settings::Setting;
use super::shell::Word;

/// States every setting among the words by `state`. `option` takes what begins with two dashes, with its value, and says
/// whether the program has such an option.
pub(crate) fn take(
    draft: &mut Draft,
    words: &[Word],
    state: impl Fn(&mut Draft, Setting),
    option: impl Fn(&mut Draft, &str, &str) -> bool,
) {
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if let Some(named) = text.strip_prefix("--") {
            let (name, value) = match named.split_once('=') {
                Some((name, value)) => (name, value),
                // A setting behind it is none of its values.
                None => (
                    named,
                    words
                        .next_if(|word| !word.text.contains('='))
                        .map_or("", |word| word.text.as_str()),
                ),
            };
            if !option(draft, name, value) {
                draft.unread(text, "This is no option of its command line.", word.line);
            }
            continue;
        }
        if let Some(key) = text.strip_prefix('~') {
            draft.unread(text, format!("It takes {key} out of the configuration; the default is read."), word.line);
            continue;
        }
        let plain = text.trim_start_matches('+');
        let Some((key, value)) = plain.split_once('=') else {
            if text.trim().is_empty() {
                if word.open.is_none() && !text.is_empty() {
                    draft.refuse(
                        "\\",
                        "A space stands behind the backslash, so the command ends with this line. Take the space away.",
                        word.line,
                    );
                }
            } else if word.open.is_none() {
                draft.unread(text, "This is no setting: write key=value.", word.line);
            }
            continue;
        };
        let mark = text.len() - plain.len();
        let setting = Setting {
            key: key.to_owned(),
            written: format!("{}{key}", text.get(..mark).unwrap_or_default()),
            value: value.to_owned(),
            line: word.line,
            open: word.open.clone(),
        };
        state(draft, setting);
    }
}
