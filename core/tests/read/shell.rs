//! What of bash is read. `cases/shell/` holds what variables, quotes and branches make of a word, and what cannot be read.

use serde::Deserialize;
use shardwise_core::read::read;

use super::reading;
use crate::cases;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    values: Vec<Word>,
    #[serde(default)]
    troubles: Vec<Trouble>,
}

/// A word of a command after lines before it, and the value of `data.train_batch_size` as the reading repeats it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Word {
    #[serde(default)]
    before: String,
    word: String,
    value: String,
}

/// A text that is not read: the line at fault, or 0, and a part of what is said.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Trouble {
    text: String,
    line: u32,
    says: String,
}

#[test]
fn bash_is_read_and_troubles_name_line_and_remedy() {
    cases::each("shell", |_, file: File, run| {
        for own in &file.values {
            run.case(&format!("{:?} {:?}", own.before, own.word), || assert_eq!(own.read(), own.value));
        }
        for own in &file.troubles {
            run.case(&format!("{:?}", own.text), || own.check());
        }
    });
}

impl Word {
    fn read(&self) -> String {
        let reading = reading(&format!("{}\npython3 -m verl.trainer.main_ppo {}\n", self.before, self.word));
        let mut understood = reading.understood.iter();
        let found = understood.find(|one| one.key == "data.train_batch_size");
        found.map_or_else(|| format!("unknown: {:?}", reading.unknown), |one| one.value.clone())
    }
}

impl Trouble {
    fn check(&self) {
        let trouble = read(&[&self.text], None).unwrap_err();
        assert_eq!(trouble.line, self.line, "{trouble}");
        assert!(trouble.message.contains(&self.says), "{trouble}");
        assert!(trouble.message.ends_with('.'), "{trouble}");
    }
}
