//! A deadline and a budget held against every GPU type with several numbers of GPUs.

use shardwise_core::search::limits::{Limits, Standing};
use shardwise_core::search::measures::{Measures, slower};
use shardwise_core::search::sweep::{Found, Sweep, Tried};
use shardwise_core::search::within::{self, Held};

use super::parts::more;
use crate::charts::stack::SEPARATOR;
use crate::protocol::blocks::{self, Run};
use crate::sheets::prelude::*;

/// After so many offers, or so much work, a slice ends: the worker has other tasks, too. The first ones are shorter by
/// [`SOON`]: something is to be seen soon, and each slice writes the whole sheet anew.
const SLICE: usize = 64;
const WORK: u64 = 16_000;
const SOON: usize = 4;

/// GPU types that are shown beside the question's own, before all are asked for.
const TOP: usize = 8;

/// Bars end where a run takes so many times what it may.
const SCALE: f64 = 4.0;

/// Its address in the page.
const ID: &str = "within";

/// Tries some more GPU types and numbers, and says whether that were the last.
pub(super) fn go_on(asked: &Asked, tried: &mut Vec<Tried>) -> bool {
    let sweep = asked.every();
    let parts = if tried.len() < SLICE { SOON } else { 1 };
    let (mut more, mut work) = (SLICE / parts, 0);
    while more > 0 && work < WORK / parts as u64 {
        let Some(mut offer) = sweep.at(tried.len()) else {
            return true;
        };
        if let Ok(found) = &offer.result {
            work += found.evaluated;
            let own = &asked.found;
            let is_own = found.answer.offer == own.answer.offer && found.job.hardware.gpus == own.job.hardware.gpus;
            if is_own && (tried.is_empty() || own.answer.offer.is_some()) {
                asked.put_own(&mut offer);
            }
        }
        tried.push(offer);
        more -= 1;
    }
    tried.len() >= sweep.total()
}

/// A row: an offer that fits.
struct Row<'a> {
    held: Held,
    offer: &'a Tried,
    found: &'a Found,
    /// Hours and dollars of the run, by which it is ranked: those of the slow end where no published run is on the GPU type.
    hours: f64,
    usd: Option<f64>,
    untried: bool,
    /// How many times as much of both it takes at the slow end of its interval.
    slow: f64,
}

impl Row<'_> {
    fn hours(&self) -> String {
        format::at_most(self.untried, format::figure(self.hours))
    }
}

struct Scene<'a> {
    lang: Lang,
    asked: &'a Asked,
    sweep: &'a Sweep,
    limits: Limits,
    fastest: bool,
    /// Those that keep the limits surely first.
    rows: Vec<Row<'a>>,
}

impl<'a> Scene<'a> {
    fn of(asked: &'a Asked, ask: &Ask, tried: &'a [Tried]) -> Self {
        let limits = Limits { hours: ask.number("hours"), usd: ask.number("usd") };
        let fastest = ask.on("fastest");
        let rows = within::held(tried, limits, fastest).into_iter().filter_map(|held| {
            let offer = tried.get(held.place)?;
            let found = offer.result.as_ref().ok()?;
            let measures = Measures::of(&found.answer, &found.job);
            let ((hours, usd), slow) = (measures.run?, measures.slow);
            let untried = slower(&found.answer).is_some();
            Some(Row { held, offer, found, hours, usd, untried, slow })
        });
        let rows = rows.collect();
        Self { lang: ask.lang, asked, sweep: asked.every(), limits, fastest, rows }
    }

    fn name(&self, row: &Row) -> String {
        let id = row.offer.hardware.gpu.as_str();
        let name = id.map_or_else(|| self.lang.text().gpu_own.to_owned(), words::gpu_label);
        let name = format!("{} × {name}", format::grouped(row.found.job.hardware.gpus.into()));
        match &row.found.answer.offer {
            Some(offer) => format!("{name}{SEPARATOR}{}", words::provider(&offer.provider, self.lang)),
            None => name,
        }
    }

    fn dollars(&self, row: &Row) -> String {
        let known = row.usd.map(|usd| format::at_most(row.untried, format::dollars(usd)));
        known.unwrap_or_else(|| self.lang.text().price_missing.to_owned())
    }

    /// Both limits, or the one that there is, in words.
    fn limits(&self) -> String {
        let words = self.lang.sheets();
        let hours = self.limits.hours;
        let hours = hours.map(|hours| fill(self.lang.text().run_h, &[&format::trimmed(hours)]));
        // As it is typed, and as the page reckons.
        let typed = |usd| format!("${}", format::trimmed(usd));
        let shown = |usd| if money::sign() == "$" { String::new() } else { format!(" ({})", format::dollars(usd)) };
        let usd = self.limits.usd.map(|usd| typed(usd) + &shown(usd));
        match (hours, usd) {
            (Some(hours), Some(usd)) => fill(words.within_both, &[&hours, &usd]),
            (hours, usd) => hours.or(usd).unwrap_or_default(),
        }
    }

    fn takeaway(&self) -> String {
        let words = self.lang.sheets();
        let Some(best) = self.rows.first() else {
            return words.within_nothing.to_owned();
        };
        let sentence = match (best.held.standing, self.fastest) {
            (Standing::Beyond, _) => words.within_none,
            (Standing::Close, true) => words.within_close_fastest,
            (Standing::Close, false) => words.within_close_cheapest,
            (Standing::Keeps, true) => words.within_fastest,
            (Standing::Keeps, false) => words.within_cheapest,
        };
        let said = fill(sentence, &[&self.limits(), &self.name(best), &best.hours(), &self.dollars(best)]);
        match self.slow_end(best) {
            Some(slow) => [said, fill(words.within_slow, &[&slow])].join(self.lang.of([" ", ""])),
            None => said,
        }
    }

    /// What a run comes to at the slow end of its interval, where that is beyond a limit that it keeps.
    fn slow_end(&self, row: &Row) -> Option<String> {
        if row.held.standing != Standing::Close {
            return None;
        }
        let hours = row.hours * row.slow;
        let usd = row.usd.map(|usd| usd * row.slow);
        let late = self.limits.hours.is_some_and(|limit| hours > limit);
        let dear = self.limits.usd.is_some_and(|limit| usd.is_some_and(|usd| usd > limit));
        let late = late.then(|| fill(self.lang.text().run_h, &[&format::figure(hours)]));
        let dear = usd.filter(|_| dear).map(format::dollars);
        let both: Vec<String> = late.into_iter().chain(dear).collect();
        (!both.is_empty()).then(|| both.join(self.lang.of([", ", "、"])))
    }

    /// Whether it is the machine that answers the question.
    fn is_own(&self, row: &Row) -> bool {
        let (own, found) = (&self.asked.found, row.found);
        let alike = found.answer.offer == own.answer.offer && found.job.hardware.gpus == own.job.hardware.gpus;
        self.is_own_type(row) && alike
    }

    fn is_own_type(&self, row: &Row) -> bool {
        row.offer.hardware.gpu == self.asked.question.hardware.gpu
    }

    /// What is shown at first: the question's own type with every number of GPUs, and the best number of each of the next
    /// types.
    fn first(&self) -> Vec<&Row<'a>> {
        let mut types = Vec::new();
        let mut shown = Vec::new();
        for row in &self.rows {
            let gpu = &row.offer.hardware.gpu;
            if self.is_own_type(row) {
                shown.push(row);
            } else if types.len() < TOP && !types.contains(&gpu) {
                types.push(gpu);
                shown.push(row);
            }
        }
        shown
    }

    /// How a run stands to the limits.
    fn standing(&self, row: &Row) -> String {
        let (text, words) = (self.lang.text(), self.lang.sheets());
        if let Some(slow) = self.slow_end(row) {
            return fill(words.within_close, &[&slow]);
        }
        if row.held.standing == Standing::Keeps {
            return if row.held.sure { words.within_keeps.to_owned() } else { String::new() };
        }
        let late = self.limits.hours.is_some_and(|limit| row.hours > limit);
        let dear = self.limits.usd.is_some_and(|limit| row.usd.is_some_and(|usd| usd > limit));
        let reasons = [(late, text.misses_deadline), (dear, text.misses_budget)];
        let reasons: Vec<&str> = reasons.into_iter().filter_map(|(on, why)| on.then_some(why)).collect();
        reasons.join(" · ")
    }

    /// A bar as long as the run takes, or costs where that alone is limited, with a line at the limit.
    fn bar(&self, row: &Row, most: f64) -> Cell {
        let (value, limit) = match self.limits.hours {
            Some(limit) => (row.hours, limit),
            None => (row.usd.unwrap_or(0.0), self.limits.usd.unwrap_or(0.0)),
        };
        let most = most.min(limit * SCALE).max(limit);
        runs(vec![Run::Bar { share: value / most, limit: Some(limit / most), over: false }])
    }

    /// The plan in short, with what it keeps off the card: that is what makes a small one do.
    fn plan(&self, row: &Row) -> String {
        let plan = &row.found.answer.plan;
        let short = words::plan_in_short(plan, training_gpus(&row.found.job));
        let away = words::offload(plan, self.lang);
        if away.is_empty() {
            short
        } else {
            format!("{short}{SEPARATOR}{}", fill(self.lang.text().chip_offload, &[&away]))
        }
    }

    fn row(&self, row: &Row, most: f64) -> blocks::Row {
        let text = self.lang.text();
        let own = self.is_own(row);
        let keeps = row.held.standing != Standing::Beyond;
        let best = keeps && self.rows.first().is_some_and(|first| first.held == row.held);
        let stands = match (best, own, keeps) {
            (true, ..) => Stands::Best,
            (_, true, _) => Stands::Own,
            (.., false) => Stands::Off,
            _ => Stands::Plain,
        };
        let name = self.name(row);
        let mut head = vec![run(name.clone())];
        if !row.held.sure {
            let fit = &row.found.answer.fit;
            head.extend([run(" "), tag(Tone::Warn, fit::short(fit.state, fit.probability, self.lang))]);
        }
        let action = if own {
            strong(text.yours)
        } else {
            let question = self.sweep.asked_for(&row.offer.hardware);
            let button = Button::new(Look::Small, text.use_gpu, Action::ask(&question));
            button.called(format!("{ID}-{}", row.held.place)).about(name).into()
        };
        blocks::row(
            stands,
            [
                runs(head),
                self.bar(row, most),
                cell(row.hours()),
                cell(self.dollars(row)),
                cell(self.plan(row)),
                cell(self.standing(row)),
                runs(vec![action]),
            ],
        )
    }

    fn table(&self, all: bool) -> Table {
        let (text, words) = (self.lang.text(), self.lang.sheets());
        let shown = if all { self.rows.iter().collect() } else { self.first() };
        let value = |row: &&Row| if self.limits.hours.is_some() { row.hours } else { row.usd.unwrap_or(0.0) };
        let most = shown.iter().map(value).fold(0.0, f64::max);
        let columns = vec![
            column(text.gpus, Holds::Names),
            column("", Holds::Bars),
            column(words.run_hours, Holds::Numbers),
            column(money::signed(words.run_usd), Holds::Numbers),
            column(text.col_plan, Holds::Words),
            column(words.within_limit, Holds::Words),
            column(text.action, Holds::Actions),
        ];
        let rows = shown.iter().map(|row| self.row(row, most));
        Table::new(words.within_table, Tabled::Runs, columns, rows.collect())
    }

    fn more(&self, all: bool) -> Option<Block> {
        let count = self.rows.len();
        (count > self.first().len()).then(|| more("within-all", count, all, self.lang))
    }
}

/// The sheet, and whether there is more to come: nothing where there is no run, or nothing to hold it against.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<(Block, bool)> {
    asked.found.answer.run?;
    if ask.number("hours").is_none() && ask.number("usd").is_none() {
        return None;
    }
    let (tried, finished) = asked.tried();
    let scene = Scene::of(asked, ask, &tried);
    let words = ask.lang.sheets();
    let total = scene.sweep.total() as u64;
    let counts = within::counts(&asked.question);
    let ends = [counts.first(), counts.last()].map(|count| format::grouped(count.copied().unwrap_or(1)));
    let note = if finished {
        let unfit = format::grouped(total - scene.rows.len() as u64);
        fill(words.within_note, &[&format::grouped(total), &ends[0], &ends[1], &unfit])
    } else {
        fill(words.within_counting, &[&format::grouped(tried.len() as u64), &format::grouped(total)])
    };
    let all = ask.on("all");
    let mut blocks = vec![said(Kind::Status, scene.takeaway()), said(Kind::Note, note)];
    if !scene.rows.is_empty() {
        blocks.push(Block::Table(scene.table(all)));
    }
    blocks.extend(scene.more(all));
    Some((Section::block(ID, Purpose::Group, blocks), !finished))
}

#[cfg(test)]
mod tests {
    use super::{Ask, Asked, Block, Run, Stands, go_on, sheet};
    use crate::protocol::blocks::Row;
    use crate::text::Lang;
    use serde_json::{Value, json};

    fn asked() -> Asked {
        let question = json!({"version": 1, "model": "llama-2-7b", "hardware": {"gpu": "gh200-96g", "gpus": 8},
            "workload": {"kind": "lora", "sequence_length": 2048, "global_batch": 64, "tokens": 1e9}});
        Asked::of(question)
    }

    fn shown(asked: &Asked, lang: Lang, state: Value) -> Option<(Block, bool)> {
        let Value::Object(state) = state else { return None };
        sheet(asked, &Ask { lang, width: 0, state })
    }

    /// The sentence, the best row if there is one, and everything as text.
    fn whole(asked: &Asked, lang: Lang, state: &Value) -> (String, Option<Row>, String) {
        for _ in 0..1000 {
            let Some((Block::Section(section), more)) = shown(asked, lang, state.clone()) else {
                panic!("there is a run");
            };
            if more {
                continue;
            }
            let text = json!(section).to_string();
            let [Block::Prose(take), _, Block::Table(table), ..] = section.blocks.as_slice() else {
                panic!("{text}");
            };
            let mut rows = table.groups.iter().flat_map(|(_, rows)| rows);
            let best = rows.find(|row| row.stands == Stands::Best).cloned();
            return (json!(take.line).to_string(), best, text);
        }
        panic!("the sweep does not end");
    }

    #[test]
    fn slices_try_every_type_and_number_once() {
        let asked = asked();
        let sweep = asked.every();
        let (mut tried, mut slices) = (Vec::new(), 0);
        while !go_on(&asked, &mut tried) {
            slices += 1;
        }
        assert_eq!(tried.len(), sweep.total());
        assert!(slices > 4, "{slices}");
        assert_eq!(tried[0].hardware, asked.question.hardware);
    }

    #[test]
    fn the_sentence_names_the_best_row_and_those_beyond_say_why() {
        let asked = asked();
        let hours = asked.found.answer.run.map_or(0.0, |run| run.hours);
        for lang in [Lang::En, Lang::Zh] {
            // Half of what the question's own GPUs take: more of them, or others.
            let (take, best, text) = whole(&asked, lang, &json!({ "hours": hours / 2.0 }));
            let name = best.map(|row| row.cells[0].line[0].clone());
            assert!(matches!(&name, Some(Run::Words(name)) if take.contains(name.as_str())), "{name:?} {take:?}");
            assert!(text.contains(lang.text().misses_deadline), "{text}");
            assert!(!text.contains("NaN") && !text.contains("inf"));
            assert!(text.contains("hardware.gpus=16"));
            // What its estimate keeps and its slow end does not is no best while others keep it surely.
            let slow = asked.found.answer.against_speed(hours).map_or(hours, |[_, slow]| slow);
            let (take, best, text) = whole(&asked, lang, &json!({ "hours": hours.midpoint(slow) }));
            let close = lang.sheets().within_close.split("{0}").next().unwrap_or_default();
            assert!(!json!(best).to_string().contains(close) && text.contains(close), "{text}");
            let slow_end = lang.sheets().within_slow.split("{0}").next().unwrap_or_default();
            assert!(!take.contains(slow_end), "{take}");
            let (_, best, text) = whole(&asked, lang, &json!({ "hours": hours / 1e6, "usd": 0.01 }));
            assert!(best.is_none() && text.contains(lang.text().misses_budget), "{text}");
        }
        assert!(shown(&asked, Lang::En, json!({})).is_none());
    }
}
