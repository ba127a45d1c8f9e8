//! Parts of the page that the worker writes: each is a function of the question and of how it is shown.

mod advice;
pub(crate) mod alternatives;
pub(crate) mod asked;
mod compare;
mod diff;
mod embed;
pub(crate) mod example;
mod front;
mod how;
pub(crate) mod near;
mod offers;
mod parts;
mod plans;
mod prelude;
mod reading;
mod scaling;
mod sensitivity;
mod sure;
mod timeline;
mod why_not;
mod within;
pub(crate) mod words;

use crate::protocol::blocks::Block;
use crate::protocol::{Name, SheetTask};
use crate::text::Lang;
use asked::{Ask, Asked};

pub(crate) use reading::sheet as reading;

impl Ask {
    fn of(task: SheetTask, lang: Lang) -> Self {
        Self { lang, width: task.width, state: task.state }
    }
}

/// A sheet, which is empty where there is nothing to show; and whether there is more to come.
pub(crate) type Sheet = (Vec<Block>, bool);

/// Fetches what a sheet needs besides the question.
pub(crate) async fn fetch(task: &SheetTask) {
    if task.name == Name::Near {
        near::fetch(task).await;
    }
}

/// Writes a sheet that every visit has; `None` of any other.
pub(crate) fn first(asked: &Asked, task: SheetTask, lang: Lang) -> Option<Sheet> {
    let name = task.name;
    let ask = Ask::of(task, lang);
    let blocks = match name {
        Name::Advice => advice::sheet(asked, &ask),
        Name::Sure => one(sure::sheet(asked, &ask)),
        Name::Ways => one(sure::ways(asked, &ask)),
        Name::Near => near::sheet(asked, &ask),
        _ => return None,
    };
    Some((blocks, false))
}

/// Writes a sheet that a person opens; `None` of any other.
pub(crate) fn opened(asked: &Asked, task: SheetTask, lang: Lang) -> Option<Sheet> {
    let name = task.name;
    let ask = Ask::of(task, lang);
    let blocks = match name {
        Name::Plans => plans::sheet(asked, &ask).unwrap_or_default(),
        Name::Sensitivity => sensitivity::sheet(asked, &ask),
        Name::Scaling => vec![scaling::sheet(asked, &ask)],
        Name::Compare => one(compare::sheet(asked, &ask)),
        Name::How => one(how::sheet(asked, &ask)),
        Name::Diff => one(diff::sheet(asked, &ask)),
        Name::Front => one(front::sheet(asked, &ask)),
        Name::Offers => one(offers::sheet(asked, &ask)),
        Name::Timeline => one(timeline::sheet(asked, &ask)),
        Name::Embed => vec![embed::sheet(asked, &ask)],
        Name::Alternatives => one(alternatives::sheet(asked, &ask)),
        Name::WhyNot => vec![why_not::sheet(asked, &ask)],
        Name::Within => {
            let found = within::sheet(asked, &ask);
            return Some(found.map_or_else(Default::default, |(own, more)| (vec![own], more)));
        }
        Name::Advice | Name::Sure | Name::Ways | Name::Near => return None,
    };
    Some((blocks, false))
}

fn one(block: Option<Block>) -> Vec<Block> {
    block.into_iter().collect()
}

/// Writes a file of a sheet; `None` where it has none of that name.
pub(crate) fn file(asked: &Asked, task: SheetTask, file: &str, lang: Lang) -> Option<String> {
    match task.name {
        Name::Plans => plans::file(asked, &Ask::of(task, lang), file),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Asked, first, opened};
    use crate::parts::{self, Part};
    use crate::protocol::blocks::{Block, Holds, Run};
    use crate::protocol::{Name, SheetTask, compact};
    use crate::text::Lang;
    use serde_json::{Value, json};
    use shardwise_core::presets;
    use shardwise_core::wire::to_value;

    const NAMES: [Name; 6] = [Name::Front, Name::Plans, Name::Sensitivity, Name::Advice, Name::Scaling, Name::Compare];

    fn sheet(asked: &Asked, name: Name, lang: &str, state: Value) -> Value {
        let Value::Object(state) = state else {
            return Value::Null;
        };
        let task = SheetTask { name, question: Value::Null, width: 480, state };
        let lang = Lang::of_tag(lang).unwrap_or_default();
        let written = [first, opened].iter().find_map(|write| write(asked, task.clone(), lang));
        json!(written.unwrap_or_default().0)
    }

    /// Some presets of one node: an RL step, training, adapters.
    fn asked() -> Vec<Asked> {
        let words = ["grpo", "llmforge-llama-2-7b", "qlora"];
        let small = |own: &&presets::Preset| words.iter().any(|word| own.id.contains(word));
        let questions = presets::presets()
            .iter()
            .filter(small)
            .filter_map(presets::Preset::question)
            .filter(|question| question.hardware.gpus.is_none_or(|gpus| gpus <= 8));
        let asked: Vec<Asked> = questions.filter_map(|question| Asked::new(to_value(&question)).ok()).collect();
        assert!(asked.len() > 2);
        asked
    }

    /// The values of a field, wherever it stands.
    fn find(value: &Value, field: &str, found: &mut Vec<String>) {
        match value {
            Value::Array(all) => all.iter().for_each(|own| find(own, field, found)),
            Value::Object(all) => {
                for (name, own) in all {
                    if let Some(text) = own.as_str().filter(|text| name == field && !text.is_empty()) {
                        found.push(text.to_owned());
                    }
                    find(own, field, found);
                }
            }
            _ => {}
        }
    }

    #[test]
    fn every_sheet_is_written_in_both_languages_without_a_figure_that_is_none() {
        for asked in asked() {
            let aside = json!({ "a": shardwise_core::permalink::to_hash(&asked.question) });
            for name in NAMES {
                for lang in ["en", "zh-CN"] {
                    let tree = sheet(&asked, name, lang, aside.clone());
                    let text = tree.to_string();
                    assert!(text.len() > 50, "{name:?} {lang}: {text}");
                    for bad in ["NaN", "inf ", "undefined"] {
                        assert!(!text.contains(bad), "{name:?} {lang}: {bad} in {text}");
                    }
                    assert!(compact::read::<Vec<Block>>(tree.clone()).is_some(), "{name:?} {lang}");
                    let mut ids = Vec::new();
                    find(&tree, "id", &mut ids);
                    let all = ids.len();
                    ids.sort_unstable();
                    ids.dedup();
                    assert_eq!(ids.len(), all, "{name:?}: {ids:?}");
                }
            }
        }
    }

    /// The value that stands is checked, and says who chose it.
    #[test]
    fn what_a_part_could_be_is_told_in_both_languages() {
        for asked in asked() {
            for part in parts::of(&asked.question, &asked.found.job, &asked.found.answer, Lang::En).all() {
                let Part::Choice { field, pinned, .. } = part else { continue };
                for (lang, found, set) in
                    [("en", "found by the search", "set by you"), ("zh-CN", "由搜索得出", "由你固定")]
                {
                    let text = sheet(&asked, Name::Alternatives, lang, json!({ "part": field.path() })).to_string();
                    assert!(!text.contains("NaN") && !text.contains("inf "), "{field:?}: {text}");
                    assert_eq!(text.matches("\"now\":true").count(), 1, "{field:?}: {text}");
                    assert_eq!([text.contains(found), text.contains(set)], [!pinned, pinned], "{field:?}: {text}");
                    assert_eq!(text.contains("alt-free"), pinned, "{field:?}");
                }
            }
        }
        let nothing = json!({ "part": "plan.nonsense" });
        assert_eq!(sheet(&asked()[0], Name::Alternatives, "en", nothing), json!([]));
    }

    #[test]
    fn plans_are_sorted_filtered_and_compared() {
        let asked = &asked()[0];
        let speeds = |state: Value| {
            let tree: Vec<Block> = compact::read(sheet(asked, Name::Plans, "en", state)).unwrap_or_default();
            let table = tree.iter().find_map(|block| match block {
                Block::Table(table) => Some(table),
                _ => None,
            });
            let table = table.unwrap_or_else(|| panic!("there are plans"));
            let place = table.columns.iter().position(|own| own.holds == Holds::Key).unwrap_or_default();
            let rows = table.groups.iter().flat_map(|(_, rows)| rows);
            let cells = rows.filter_map(|row| match row.cells.get(place)?.line.first()? {
                Run::Words(words) => words.replace(',', "").parse().ok(),
                _ => None,
            });
            cells.collect::<Vec<f64>>()
        };
        let rising = speeds(json!({ "sort": "speed", "falling": false }));
        assert!(rising.len() > 3 && rising.is_sorted(), "{rising:?}");
        let falling = speeds(json!({ "sort": "speed", "falling": true }));
        assert!(falling.is_sorted_by(|a, b| a >= b), "{falling:?}");
        let some = speeds(json!({ "find": "megatron pp 2" }));
        assert!(!some.is_empty() && some.len() < rising.len());
        assert!(speeds(json!({ "find": "no such plan" })).is_empty());

        let tree = sheet(asked, Name::Plans, "en", json!({}));
        let mut pins = Vec::new();
        find(&tree, "Pair", &mut pins);
        pins.truncate(2);
        let compared = sheet(asked, Name::Plans, "en", json!({ "pins": pins }));
        assert!(compared.to_string().contains("plans-compared"));
    }

    /// What helps is listed first, by the headline's measure; what following a rule of thumb or a recipe costs stands apart.
    #[test]
    fn advice_lists_what_helps_per_gpu() {
        let mut departures = 0;
        for asked in asked() {
            let advice = shardwise_core::advise(&asked.question, &asked.found);
            let text = sheet(&asked, Name::Advice, "en", json!({})).to_string();
            let (first, apart) = text.split_once("{\"Fold\":").unwrap_or((&text, ""));
            for own in &advice {
                let helps = shardwise_core::advice::helps(own);
                let place = if helps { first } else { apart };
                assert!(place.contains(&format!("\"id\":\"{}\"", own.id)), "{}", own.id);
                departures += usize::from(!helps);
                let Some(gain) = own.gain else { continue };
                let each = gain.tokens_per_s_per_gpu;
                assert!(!helps || each > 0.0 || gain.gib < 0.0, "{}: {each}", own.id);
                let figure = super::parts::signed(crate::format::figure(each));
                let told = format!("{figure} tokens/s per GPU");
                assert!(place.contains(&told), "{}: {told} in {place}", own.id);
            }
            let changes = sheet(&asked, Name::Sensitivity, "en", json!({})).to_string();
            assert!(changes.contains("tokens/s per GPU") && !changes.contains("\"tokens/s\""));
        }
        assert!(departures > 0);
    }

    #[test]
    fn what_differs_from_the_question_put_aside_is_said() {
        let all = asked();
        let [first, second, ..] = all.as_slice() else {
            panic!("there are presets");
        };
        let a = json!({ "a": shardwise_core::permalink::to_hash(&first.question) });
        let same = sheet(first, Name::Compare, "en", a.clone()).to_string();
        assert!(same.contains("A is pinned."), "{same}");
        let other = sheet(second, Name::Compare, "en", a).to_string();
        assert!(other.contains("\"Table\""), "{other}");
        for nothing in [json!({}), json!({ "a": "" }), json!({ "a": "model=?" })] {
            assert_eq!(sheet(first, Name::Compare, "en", nothing), json!([]));
        }
    }

    #[test]
    fn what_differs_in_the_text_is_said_line_by_line() {
        let all = asked();
        let of_rl = |own: &&Asked| own.question.workload.rl.is_some();
        let first = all
            .iter()
            .find(of_rl)
            .unwrap_or_else(|| panic!("there is one of reinforcement"));
        let mut other = to_value(&first.question);
        let count = &mut other["workload"]["rl"]["prompts_per_step"];
        *count = json!(count.as_u64().map(|count| 2 * count));
        let other = Asked::of(other);
        let a = shardwise_core::permalink::to_hash(&first.question);
        let compared = |framework: &str, version: &str| {
            let state = json!({ "a": a, "framework": framework, "version": version });
            sheet(&other, Name::Compare, "en", state).to_string()
        };
        let verl = compared("verl", "0.9.1");
        assert!(verl.contains("- data.train_batch_size=") && verl.contains("+ data.train_batch_size="), "{verl}");
        // Their links and reasons differ too, and are no settings.
        assert!(!verl.contains("+ #"), "{verl}");
        assert!(!compared("deepspeed", "0.19.8").contains("compare-text"));
    }

    #[test]
    fn plans_are_written_as_files_when_they_are_asked_for() {
        let asked = &asked()[0];
        let task = || SheetTask { name: Name::Plans, question: Value::Null, width: 0, state: serde_json::Map::new() };
        let csv = super::file(asked, task(), "shardwise-plans.csv", Lang::En).unwrap_or_default();
        let json = super::file(asked, task(), "shardwise-plans.json", Lang::En).unwrap_or_default();
        let plans: Vec<Value> = serde_json::from_str(&json).unwrap_or_default();
        assert!(csv.starts_with("layout,") && plans.len() > 3);
        assert_eq!(csv.lines().count(), plans.len() + 1);
        assert_eq!(super::file(asked, task(), "x.txt", Lang::En), None);
        // The sheet itself does not carry them.
        let text = sheet(asked, Name::Plans, "en", json!({})).to_string();
        assert!(!text.contains("tokens_per_s_per_gpu"));
    }

    #[test]
    fn the_flags_are_laid_beside_the_script_of_their_framework() {
        let asked = &asked()[0];
        let diff = |framework: &str, version: &str, text: &str| {
            let state = json!({ "framework": framework, "version": version, "texts": [text] });
            sheet(asked, Name::Diff, "en", state)
        };
        let script = "python3 -m verl.trainer.main_ppo data.train_batch_size=128 trainer.logger=console";
        let found = diff("verl", "0.9.1", script).to_string();
        assert!(found.contains("data.train_batch_size") && found.contains("\"128\""));
        assert!(found.contains("trainer.logger"), "{found}");
        let own = shardwise_core::emit::framework("verl").map(|verl| {
            let texts = crate::texts::written(verl, verl.versions[0], asked);
            diff("verl", verl.versions[0], &texts[0].text).to_string()
        });
        let own = own.unwrap_or_default();
        assert!(own.contains("no setting differs"), "{own}");
        assert_eq!(diff("chatlearn", "1.2.0", script), json!([]));
    }
}
