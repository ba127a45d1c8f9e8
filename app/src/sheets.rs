//! Parts of the page that the worker writes: each is a function of the question and of how it is shown.

mod advice;
mod command_line;
mod compare;
mod diff;
mod document;
mod embed;
mod front;
mod how;
mod methods;
mod plans;
mod reading;
mod scaling;
mod sensitivity;
mod sure;
mod timeline;

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use serde_json::{Map, Value};
use shardwise_core::SearchResult;
use shardwise_core::context::Context;
use shardwise_core::search::sweep::{Offer, Sweep};
use shardwise_core::sensitivity::of as sensitivity_of;
use shardwise_core::wire::{Sensitivity, question_from_value};
use shardwise_core::words::{self, unbroken};
use shardwise_core::{Evaluated, InputError, Question};

use crate::form::Field;
use crate::format;
use crate::text::{Lang, fill};
use crate::texts::{Name, SheetTask};
use crate::tree::{Tree, el};

pub(crate) use document::Document;
pub(crate) use reading::sheet as reading;

/// A question as the worker holds it, with its answer.
pub(crate) struct Asked {
    /// The question as it came.
    pub(crate) document: Value,
    /// The question.
    pub(crate) question: Question,
    /// Its answer.
    pub(crate) found: Evaluated,
    /// The best plans: some, and all that are ever shown.
    plans: [OnceCell<Option<Rc<SearchResult>>>; 2],
    scaled: OnceCell<Rc<Vec<(u64, Offer)>>>,
    /// On every GPU type, as far as it was asked.
    offers: RefCell<Vec<Offer>>,
    market: OnceCell<Rc<Vec<Offer>>>,
    changes: OnceCell<Rc<Sensitivity>>,
}

impl Asked {
    /// Asks.
    pub(crate) fn new(document: Value) -> Result<Self, InputError> {
        let question = question_from_value(document.clone())?;
        let found = shardwise_core::evaluate_alone(&question)?;
        Ok(Self {
            document,
            question,
            found,
            plans: Default::default(),
            scaled: OnceCell::new(),
            offers: RefCell::default(),
            market: OnceCell::new(),
            changes: OnceCell::new(),
        })
    }

    /// The question on more GPUs and fewer.
    fn scaled(&self) -> Rc<Vec<(u64, Offer)>> {
        Rc::clone(self.scaled.get_or_init(|| Rc::new(scaling::offers(self))))
    }

    /// The question on the GPU type at a place, at the plan that a search finds.
    pub(crate) fn offer(&self, place: usize) -> Option<Offer> {
        let sweep = Sweep::every_gpu(&self.question);
        let mut offers = self.offers.borrow_mut();
        while offers.len() <= place {
            let next = sweep.at(offers.len())?;
            offers.push(next);
        }
        offers.get(place).cloned()
    }

    /// The question on every GPU type.
    fn market(&self) -> Rc<Vec<Offer>> {
        Rc::clone(self.market.get_or_init(|| Rc::new(front::offers(self))))
    }

    /// What each single change of the plan is worth.
    fn changes(&self) -> Rc<Sensitivity> {
        let of = || {
            let context = Context::new(&self.found.job);
            Rc::new(sensitivity_of(&self.question, &context, &self.found.plan))
        };
        Rc::clone(self.changes.get_or_init(of))
    }

    /// The best plans, as many as are shown at first or all that ever are.
    fn plans(&self, all: bool) -> Option<Rc<SearchResult>> {
        let place = usize::from(all);
        let found = self.plans[place].get_or_init(|| {
            let found = shardwise_core::search(&self.question, None, plans::SOUGHT[place]);
            found.ok().map(Rc::new)
        });
        found.clone()
    }
}

/// How a sheet is asked for.
pub(crate) struct Ask {
    lang: Lang,
    /// Width to draw at, in pixels; 0 where nothing is drawn.
    width: u32,
    /// What was pressed and typed in it.
    state: Map<String, Value>,
}

impl Ask {
    /// Whether a switch of its state is on.
    fn on(&self, key: &str) -> bool {
        self.state.get(key) == Some(&Value::Bool(true))
    }

    /// The words of a list in its state.
    fn words(&self, key: &str) -> Vec<&str> {
        let list = self.state.get(key).and_then(Value::as_array);
        list.map_or_else(Vec::new, |list| list.iter().filter_map(Value::as_str).collect())
    }

    /// A word of its state; empty where there is none.
    fn word(&self, key: &str) -> &str {
        let word = self.state.get(key).and_then(Value::as_str);
        word.unwrap_or_default()
    }
}

/// Writes a sheet; `None` where there is nothing to show.
pub(crate) fn write(asked: &Asked, task: SheetTask) -> Option<Tree> {
    let ask = Ask { lang: Lang::of_tag(&task.lang).unwrap_or_default(), width: task.width, state: task.state };
    match task.name {
        Name::Plans => plans::sheet(asked, &ask),
        Name::Sensitivity => sensitivity::sheet(asked, &ask),
        Name::Advice => advice::sheet(asked, &ask),
        Name::Scaling => scaling::sheet(asked, &ask),
        Name::Compare => compare::sheet(asked, &ask),
        Name::How => how::sheet(asked, &ask),
        Name::Diff => diff::sheet(asked, &ask),
        Name::Front => front::sheet(asked, &ask),
        Name::Timeline => timeline::sheet(asked, &ask),
        Name::Embed => embed::sheet(asked, &ask),
        Name::Sure => sure::sheet(asked, &ask),
        Name::Ways => sure::ways(asked, &ask),
    }
}

/// What a field of the question is called: its control, or the field's name where it has none.
fn name(field: &str, lang: Lang) -> String {
    let key = field.rsplit('.').next().unwrap_or(field);
    let role = field.strip_prefix("plan.").and_then(|rest| rest.split_once('.'));
    match (Field::of_path(field), role) {
        (Some(Field::Gpus), _) => lang.text().gpus.to_owned(),
        (Some(control), _) if control.path() == field => lang.label(control).to_owned(),
        (_, Some((role, key))) => {
            let own = format!("plan.{key}");
            format!("{} · {}", lang.word(role), name(&own, lang))
        }
        (Some(control), None) => lang.label(control).to_owned(),
        (None, None) => lang.word(key).to_owned(),
    }
}

/// A value of the calculator in the page's words.
fn value(word: &str, lang: Lang) -> String {
    let (text, sheet) = (lang.text(), lang.sheets());
    match word {
        "true" => return text.yes.to_owned(),
        "false" | "off" => return text.no.to_owned(),
        _ => {}
    }
    if let Ok(number) = word.parse() {
        return format::grouped(number);
    }
    let (first, unit) = word.split_once(' ').unwrap_or((word, ""));
    match unit {
        "token" | "tokens" => fill(sheet.batch_tokens, &[first]),
        "sequence" | "sequences" => fill(sheet.batch_sequences, &[first]),
        _ => {
            let words = word.split(", ").map(|part| match part {
                "gradients" => lang.word("g"),
                "parameters" => lang.word("p"),
                "optimizer" => lang.word("o"),
                "activations" => lang.word("a"),
                other => lang.word(other),
            });
            let words: Vec<&str> = words.collect();
            words.join(if lang == Lang::Zh { "、" } else { ", " })
        }
    }
}

/// A sentence of the core, in the page's language.
pub(crate) fn words_of(words: &str, lang: Lang) -> String {
    let said = words::of(lang.core()).and_then(|own| own.say(words));
    said.map_or_else(|| words.to_owned(), |said| unbroken(&said))
}

/// A sentence of the core, in the page's language, as a paragraph.
fn said(words: &str, lang: Lang) -> Tree {
    el("P").child(words_of(words, lang))
}

#[cfg(test)]
mod tests {
    use super::{Asked, write};
    use crate::texts::{Name, SheetTask};
    use serde_json::{Value, json};
    use shardwise_core::presets;
    use shardwise_core::wire::to_value;

    const NAMES: [Name; 6] = [Name::Front, Name::Plans, Name::Sensitivity, Name::Advice, Name::Scaling, Name::Compare];

    fn sheet(asked: &Asked, name: Name, lang: &str, state: Value) -> Value {
        let Value::Object(state) = state else {
            return Value::Null;
        };
        let task = SheetTask { name, question: Value::Null, lang: lang.to_owned(), width: 480, state };
        write(asked, task).map_or(Value::Null, Value::from)
    }

    /// Some presets of one node: an RL step, training, adapters.
    fn asked() -> Vec<Asked> {
        let small = |own: &&presets::Preset| {
            ["grpo", "llmforge-llama-2-7b", "qlora"]
                .iter()
                .any(|word| own.id.contains(word))
        };
        let questions = presets::presets()
            .iter()
            .filter(small)
            .filter_map(presets::Preset::question)
            .filter(|question| question.hardware.gpus.is_none_or(|gpus| gpus <= 8));
        let asked: Vec<Asked> = questions.filter_map(|question| Asked::new(to_value(&question)).ok()).collect();
        assert!(asked.len() > 2);
        asked
    }

    /// The texts and the named attribute's values of a tree.
    fn find(tree: &Value, attribute: &str, found: &mut Vec<String>) {
        let Value::Array(parts) = tree else { return };
        for part in parts.iter().skip(1) {
            match part {
                Value::Object(attributes) => {
                    let own = attributes.get(attribute).and_then(Value::as_str);
                    found.extend(own.map(str::to_owned));
                }
                other => find(other, attribute, found),
            }
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
                    for bad in ["NaN", "inf ", "undefined", "null"] {
                        assert!(!text.contains(bad), "{name:?} {lang}: {bad} in {text}");
                    }
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

    #[test]
    fn plans_are_sorted_filtered_and_compared() {
        let all = asked();
        let Some(asked) = all.first() else {
            panic!("there are presets");
        };
        let speeds = |state: Value| {
            let tree = sheet(asked, Name::Plans, "en", state).to_string();
            let cells = tree.split("\"TD.n key\"").skip(1);
            let figures = cells.filter_map(|cell| cell.split('"').nth(5).map(str::to_owned));
            let numbers: Vec<f64> = figures.filter_map(|figure| figure.replace(',', "").parse().ok()).collect();
            numbers
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
        find(&tree, "data-pair", &mut pins);
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
            let (first, apart) = text.split_once("DETAILS.more").unwrap_or((&text, ""));
            for own in &advice {
                let helps = shardwise_core::advice::helps(own);
                let place = if helps { first } else { apart };
                assert!(place.contains(&format!("\"id\":\"{}\"", own.id)), "{}", own.id);
                departures += usize::from(!helps);
                let Some(gain) = own.gain else { continue };
                let each = gain.tokens_per_s_per_gpu;
                assert!(!helps || each > 0.0 || gain.gib < 0.0, "{}: {each}", own.id);
                let figure = crate::tree::parts::signed(crate::format::figure(each));
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
        assert!(other.contains("tab-cmp"), "{other}");
        for nothing in [json!({}), json!({ "a": "" }), json!({ "a": "model=?" })] {
            assert_eq!(sheet(first, Name::Compare, "en", nothing), Value::Null);
        }
    }

    #[test]
    fn the_flags_are_laid_beside_the_script_of_their_framework() {
        let all = asked();
        let Some(asked) = all.first() else {
            panic!("there are presets");
        };
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
        assert_eq!(diff("chatlearn", "1.2.0", script), Value::Null);
    }
}
