//! A deadline and a budget held against every GPU type with several numbers of GPUs.

use shardwise_core::complete::training_gpus;
use shardwise_core::search::sweep::{Found, Offer, Sweep};
use shardwise_core::search::within::{self, Held, Limits};

use super::asked::{Ask, Asked};
use crate::fit;
use crate::format;
use crate::text::{Lang, fill};
use crate::tree::parts::{cell, head, per_cent, region};
use crate::tree::{Tree, el};
use crate::words;

/// After so many offers, or so much work, a slice ends: the worker has other tasks, too.
const SLICE: usize = 16;
const WORK: u64 = 4_000;

/// GPU types that are shown beside the question's own, before all are asked for.
const TOP: usize = 8;

/// Bars end where a run takes so many times what it may.
const SCALE: f64 = 4.0;

/// Its address in the page.
const ID: &str = "within";

/// Tries some more GPU types and numbers, and says whether that were the last.
pub(super) fn go_on(asked: &Asked, sweep: &Sweep, tried: &mut Vec<Offer>) -> bool {
    let (mut more, mut work) = (SLICE, 0);
    while more > 0 && work < WORK {
        let Some(mut offer) = sweep.at(tried.len()) else {
            return true;
        };
        if let Ok(found) = &mut offer.result {
            work += found.evaluated;
            // The question's own as it was answered, with its plan.
            if tried.is_empty() {
                found.plan = asked.found.plan;
                found.answer = asked.found.answer.clone();
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
    offer: &'a Offer,
    found: &'a Found,
    hours: f64,
    usd: Option<f64>,
}

struct Scene<'a> {
    lang: Lang,
    asked: &'a Asked,
    sweep: Sweep,
    limits: Limits,
    fastest: bool,
    /// Those that keep the limits first.
    rows: Vec<Row<'a>>,
}

impl<'a> Scene<'a> {
    fn of(asked: &'a Asked, ask: &Ask, tried: &'a [Offer]) -> Self {
        let limits = Limits { hours: ask.number("hours"), usd: ask.number("usd") };
        let fastest = ask.on("fastest");
        let rows = within::held(tried, limits, fastest).into_iter().filter_map(|held| {
            let offer = tried.get(held.place)?;
            let found = offer.result.as_ref().ok()?;
            let run = found.answer.run?;
            Some(Row { held, offer, found, hours: run.hours, usd: run.usd })
        });
        let rows = rows.collect();
        Self { lang: ask.lang, asked, sweep: within::every(&asked.question), limits, fastest, rows }
    }

    fn name(&self, row: &Row) -> String {
        let id = row.offer.hardware.gpu.as_str();
        let name = id.map_or_else(|| self.lang.text().gpu_own.to_owned(), words::gpu_label);
        format!("{} × {name}", format::grouped(row.found.job.hardware.gpus.into()))
    }

    fn dollars(&self, usd: Option<f64>) -> String {
        usd.map_or_else(|| self.lang.text().price_missing.to_owned(), format::dollars)
    }

    /// Both limits, or the one that there is, in words.
    fn limits(&self) -> String {
        let words = self.lang.sheets();
        let hours = self
            .limits
            .hours
            .map(|hours| fill(words.within_hours, &[&format::trimmed(hours)]));
        let usd = self.limits.usd.map(|usd| format!("${}", format::trimmed(usd)));
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
        let sentence = match (best.held.keeps, self.fastest) {
            (false, _) => words.within_none,
            (true, true) => words.within_fastest,
            (true, false) => words.within_cheapest,
        };
        let values = [self.limits(), self.name(best), format::figure(best.hours), self.dollars(best.usd)];
        fill(sentence, &[&values[0], &values[1], &values[2], &values[3]])
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
        if row.held.keeps {
            return if row.held.sure { words.within_keeps.to_owned() } else { String::new() };
        }
        let late = self.limits.hours.is_some_and(|limit| row.hours > limit);
        let dear = self.limits.usd.is_some_and(|limit| row.usd.is_none_or(|usd| usd > limit));
        let reasons = [(late, text.misses_deadline), (dear, text.misses_budget)];
        let reasons: Vec<&str> = reasons.into_iter().filter_map(|(on, why)| on.then_some(why)).collect();
        reasons.join(" · ")
    }

    /// A bar as long as the run takes, or costs where that alone is limited, with a line at the limit.
    fn bar(&self, row: &Row, most: f64) -> Tree {
        let (value, limit) = match self.limits.hours {
            Some(limit) => (row.hours, limit),
            None => (row.usd.unwrap_or(0.0), self.limits.usd.unwrap_or(0.0)),
        };
        let most = most.min(limit * SCALE).max(limit);
        let share = |value: f64| per_cent((value / most).clamp(0.0, 1.0));
        let line = el("line.lim|y1=0|y2=12").set("x1", share(limit)).set("x2", share(limit));
        el("TD.bar").child(
            el("svg|width=100%|height=12|aria-hidden=true")
                .child(el("rect.b|y=1|height=10").set("width", share(value)))
                .child(line),
        )
    }

    fn row(&self, row: &Row, most: f64) -> Tree {
        let (text, words) = (self.lang.text(), self.lang.sheets());
        let own = row.held.place == 0;
        let best = row.held.keeps && self.rows.first().is_some_and(|first| first.held == row.held);
        let class = match (best, own, row.held.keeps) {
            (true, ..) => "is-best",
            (_, true, _) => "is-sel",
            (.., false) => "is-off",
            _ => "",
        };
        let name = self.name(row);
        let fit = &row.found.answer.fit;
        let tight =
            (!row.held.sure).then(|| el("SPAN.tag tag-warn").child(fit::short(fit.state, fit.probability, self.lang)));
        let action = if own {
            el("B").child(text.yours)
        } else {
            el("BUTTON.btn btn-s|type=button")
                .set("id", format!("{ID}-{}", row.held.place))
                .asks(&self.sweep.asked_for(&row.offer.hardware))
                .child(text.use_gpu)
                .child(el("SPAN.vh").child(format!(" {name}")))
        };
        let layout = words::plan_in_short(&row.found.answer.plan, training_gpus(&row.found.job));
        el("TR")
            .set("class", class)
            .child(
                el("TH|scope=row")
                    .child(name.clone())
                    .child(tight.map(|tag| el("SPAN").child(" ").child(tag))),
            )
            .child(self.bar(row, most))
            .child(cell(words.run_hours, format::figure(row.hours)))
            .child(cell(words.run_usd, self.dollars(row.usd)))
            .child(el("TD|data-p").set("data-l", text.col_plan).child(layout))
            .child(el("TD").set("data-l", words.within_limit).child(self.standing(row)))
            .child(el("TD").child(action))
    }

    fn table(&self, all: bool) -> Tree {
        let (text, words) = (self.lang.text(), self.lang.sheets());
        let shown = if all { self.rows.iter().collect() } else { self.first() };
        let value = |row: &&Row| if self.limits.hours.is_some() { row.hours } else { row.usd.unwrap_or(0.0) };
        let most = shown.iter().map(value).fold(0.0, f64::max);
        let heads = [
            head(text.gpus, false),
            el("TD"),
            head(words.run_hours, true),
            head(words.run_usd, true),
            head(text.col_plan, false),
            head(words.within_limit, false),
            el("TH|scope=col").child(el("SPAN.vh").child(text.action)),
        ];
        let table = el("TABLE.tab cols-8 sweep")
            .child(el("THEAD").child(el("TR").children(heads)))
            .child(el("TBODY").children(shown.iter().map(|row| self.row(row, most))));
        region(words.within_table, table)
    }

    fn more(&self, all: bool) -> Option<Tree> {
        let text = self.lang.text();
        let count = self.rows.len();
        let name =
            if all { text.show_fewer.to_owned() } else { fill(text.show_all, &[&format::grouped(count as u64)]) };
        (count > self.first().len()).then(|| {
            el("P.plans-f").child(
                el("BUTTON.btn btn-s|type=button|id=within-all")
                    .set("aria-expanded", all.to_string())
                    .sets(&serde_json::json!({ "all": !all }))
                    .child(name),
            )
        })
    }
}

/// The sheet: nothing where there is no run, or nothing to hold it against. One that is not finished says `data-more`.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Tree> {
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
    let table = (!scene.rows.is_empty()).then(|| scene.table(all));
    let sheet = el("DIV.within|id=within")
        .child(el("P.take|role=status").child(scene.takeaway()))
        .child(el("P.note").child(note))
        .child(table)
        .child(scene.more(all));
    Some(if finished { sheet } else { sheet.set("data-more", "").set("aria-busy", "true") })
}

#[cfg(test)]
mod tests {
    use super::{Ask, Asked, go_on, sheet, within};
    use crate::text::Lang;
    use serde_json::{Value, json};

    fn asked() -> Asked {
        let question = json!({"version": 1, "model": "llama-2-7b", "hardware": {"gpu": "gh200-96g", "gpus": 8},
            "workload": {"kind": "lora", "sequence_length": 2048, "global_batch": 64, "tokens": 1e9}});
        Asked::new(question).unwrap_or_else(|error| panic!("{error}"))
    }

    fn shown(asked: &Asked, lang: Lang, state: Value) -> Option<Value> {
        let Value::Object(state) = state else { return None };
        let ask = Ask { lang, width: 0, state };
        sheet(asked, &ask).map(Value::from)
    }

    fn whole(asked: &Asked, lang: Lang, state: &Value) -> Value {
        for _ in 0..1000 {
            let tree = shown(asked, lang, state.clone()).unwrap_or_default();
            if tree[1].get("data-more").is_none() {
                return tree;
            }
        }
        panic!("the sweep does not end");
    }

    #[test]
    fn slices_try_every_type_and_number_once() {
        let asked = asked();
        let sweep = within::every(&asked.question);
        let (mut tried, mut slices) = (Vec::new(), 0);
        while !go_on(&asked, &sweep, &mut tried) {
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
            let text = whole(&asked, lang, &json!({ "hours": hours / 2.0 })).to_string();
            let best = text.split("TR\",{\"class\":\"is-best\"").nth(1).unwrap_or_default();
            let name = best.split("TH|scope=row\",\"").nth(1).and_then(|rest| rest.split('"').next());
            let take = text
                .split("P.take|role=status\",\"")
                .nth(1)
                .and_then(|rest| rest.split('"').next());
            assert!(name.is_some_and(|name| take.is_some_and(|take| take.contains(name))), "{name:?} {take:?}");
            assert!(text.contains(lang.text().misses_deadline), "{text}");
            assert!(!text.contains("NaN") && !text.contains("inf"));
            assert!(text.contains("hardware.gpus=16"));
            let none = whole(&asked, lang, &json!({ "hours": hours / 1e6, "usd": 0.01 })).to_string();
            assert!(!none.contains("is-best") && none.contains(lang.text().misses_budget), "{none}");
        }
        assert_eq!(shown(&asked, Lang::En, json!({})), None);
    }
}
