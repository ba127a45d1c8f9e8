//! Two questions: one that was put aside as A, and the one that is asked, as B.

use shardwise_core::emit;
use shardwise_core::wire::to_value;
use shardwise_core::{Answer, Evaluated, Question};

use super::parts::{SAME, by, signed};
use crate::prices;
use crate::protocol::Text;
use crate::protocol::blocks::{Row, Sign, listing};
use crate::sheets::prelude::*;
use crate::texts::tab;
use crate::view::listing::Changes;

/// A line: its name, A and B, and the change where it is a number.
struct Line {
    name: String,
    values: [String; 2],
    change: Option<Change>,
}

/// How B differs from A.
struct Change {
    words: String,
    /// Whether more is better; `None` where neither is.
    better: Option<bool>,
}

impl Line {
    fn words(name: &str, values: [String; 2]) -> Self {
        Self { name: name.to_owned(), values, change: None }
    }

    /// A figure that is better the larger (`more`) or the smaller it is, with its change as a share.
    fn figure(name: &str, figures: [f64; 2], write: fn(f64) -> String, more: bool) -> Self {
        let [a, b] = figures;
        let share = b / a - 1.0;
        let change = share.is_finite().then(|| Change {
            words: if share.abs() < SAME { "=".to_owned() } else { signed(format::percent(share, 0)) },
            better: (share.abs() >= SAME).then_some((share > 0.0) == more),
        });
        Self { name: name.to_owned(), values: figures.map(write), change }
    }

    fn row(&self, lang: Lang) -> Row {
        let sheet = lang.sheets();
        let [a, b] = self.values.clone();
        let now = if a == b { run(b) } else { strong(b) };
        let change = match &self.change {
            None => cell(""),
            Some(Change { words, better }) => {
                let (tone, said) = match better {
                    None => (Tone::Plain, None),
                    Some(true) => (Tone::Good, Some(sheet.better)),
                    Some(false) => (Tone::Bad, Some(sheet.worse)),
                };
                let mut line = vec![run(words.clone())];
                line.extend(said.map(|said| quiet(format!(" {said}"))));
                Cell { tone, ..runs(line) }
            }
        };
        row(Stands::Plain, [cell(self.name.clone()), cell(a), runs(vec![now]), change])
    }
}

fn lines(a: &Evaluated, b: &Evaluated, lang: Lang) -> Vec<Line> {
    let (text, sheet) = (lang.text(), lang.sheets());
    let both = [a, b];
    let answers = [&a.answer, &b.answer];
    let mut lines = vec![
        Line::words(sheet.question, both.map(|found| words::asked(&found.job, lang))),
        Line::words(
            text.col_gpu,
            both.map(|found| {
                let hardware = &found.job.hardware;
                let gpus = format::grouped(hardware.gpus.into());
                format!("{gpus} × {}", words::gpu_label(&hardware.gpu))
            }),
        ),
        Line::words(
            text.col_plan,
            both.map(|found| {
                let plan = &found.answer.plan;
                let layout = words::plan_in_short(plan, training_gpus(&found.job));
                format!("{layout} · {}", words::batch(plan, lang))
            }),
        ),
        Line::words(text.fits_short, answers.map(|answer| fit::sentence(&answer.fit, lang))),
        Line::words(
            text.memory,
            answers.map(|answer| {
                let gib = [answer.fit.needed_gib, answer.fit.capacity_gib].map(format::gib);
                format!("{} / {} GiB", gib[0], gib[1])
            }),
        ),
        Line::figure(text.per_gpu, answers.map(|answer| answer.tokens_per_s_per_gpu), format::figure, true),
        Line::figure(text.col_mt_hour, answers.map(|answer| answer.mtok_per_hour), format::figure, true),
        Line::figure(sheet.step_s, answers.map(|answer| answer.step_time_s), format::seconds, false),
        Line::figure(text.mfu, answers.map(|answer| answer.mfu), |share| format::percent(share, 1), true),
    ];
    let priced = |of: fn(&Answer) -> Option<f64>| Some([of(answers[0])?, of(answers[1])?]);
    if let Some(usd) = priced(|answer| answer.usd_per_mtok) {
        lines.push(Line::figure(&money::signed(text.col_usd_mt), usd, format::cost, false));
    }
    if let Some(hours) = priced(|answer| answer.run?.all_hours()) {
        lines.push(Line::figure(sheet.run_hours, hours, format::figure, false));
    }
    if let Some(usd) = priced(|answer| answer.run?.all_usd()) {
        lines.push(Line::figure(&money::signed(sheet.run_usd), usd, format::cost, false));
    }
    lines
}

/// What the comparison comes to, in a sentence.
fn takeaway(a: &Answer, b: &Answer, lang: Lang) -> String {
    let sheet = lang.sheets();
    match (a.fits, b.fits) {
        (true, false) => return sheet.only_a_fits.to_owned(),
        (false, true) => return sheet.only_b_fits.to_owned(),
        (false, false) => return sheet.none_fits.to_owned(),
        (true, true) => {}
    }
    // All GPUs together: a machine of twice the size is twice as fast.

    let speed = by(b.mtok_per_hour / a.mtok_per_hour, [sheet.per_cent_slower, sheet.as_fast, sheet.per_cent_faster]);
    let costs = [sheet.costs_less, sheet.costs_same, sheet.costs_more];
    let cost = a.usd_per_mtok.zip(b.usd_per_mtok).map(|(a, b)| by(b / a, costs));
    match cost {
        Some(cost) => fill(sheet.b_beside_a, &[&speed, &cost]),
        None => fill(sheet.b_beside_a_alone, &[&speed]),
    }
}

/// Whether the two intervals of the speed of all GPUs meet.
fn overlap(a: &Answer, b: &Answer) -> Option<bool> {
    let range = |answer: &Answer| {
        let [low, high] = answer.interval?.tokens_per_s_per_gpu;
        let gpus = answer.tokens_per_s / answer.tokens_per_s_per_gpu;
        Some([low * gpus, high * gpus])
    };
    let ([a_low, a_high], [b_low, b_high]) = (range(a)?, range(b)?);
    Some(a_low <= b_high && b_low <= a_high)
}

/// What differs between the texts of A and of B in the framework whose tab is open: only the lines that it reads.
fn in_the_text(first: &Question, asked: &Asked, ask: &Ask) -> Option<Block> {
    let sheet = ask.lang.sheets();
    let framework = emit::framework(ask.word("framework"))?;
    let version = framework.version(ask.word("version")).ok()?;
    let a = Asked::new(to_value(first)).ok()?;
    let [before, after] = [&a, asked].map(|asked| tab(framework, version, asked, "").texts);
    let name = format!("{}\u{a0}{version}", framework.name);
    let section = |title: String, blocks| Some(Section::headed("compare-text", Purpose::Texts, title, blocks));
    let lacking = match (before.is_empty(), after.is_empty()) {
        (true, true) => return None,
        (true, false) => Some(sheet.text_of_b),
        (false, true) => Some(sheet.text_of_a),
        (false, false) => None,
    };
    if let Some(words) = lacking {
        return section(fill(words, &[&name]), Vec::new());
    }
    let empty = |own: &Text| Text { text: String::new(), reasons: Vec::new(), ..own.clone() };
    let mut files: Vec<(&str, Changes)> = Vec::new();
    for own in &after {
        let was = before.iter().find(|was| was.file == own.file);
        files.push((&own.file, Changes::between(was.unwrap_or(&empty(own)), own)));
    }
    // A file that only A has is gone.
    for was in before.iter().filter(|was| after.iter().all(|own| own.file != was.file)) {
        files.push((&was.file, Changes::between(was, &empty(was))));
    }
    files.retain(|(_, changes)| changes.count() > 0);
    let count: usize = files.iter().map(|(_, changes)| changes.count()).sum();
    let title = match count {
        0 => fill(sheet.text_same, &[&name]),
        1 => fill(sheet.text_one, &[&name]),
        count => fill(sheet.text_many, &[&name, &format::grouped(count as u64)]),
    };
    section(title, files.into_iter().flat_map(|(file, changes)| file_diff(file, changes)).collect())
}

/// The lines of a file that differ: A's and B's.
fn file_diff(file: &str, changes: Changes) -> [Block; 2] {
    let lines = changes.lines.into_iter().map(|(sign, line)| {
        let own = if sign == '+' { Sign::Comes } else { Sign::Goes };
        (own, format!("{sign} {}\n", line.trim_start()))
    });
    [prose(Kind::Text, vec![code(file)]), listing("", file, lines.collect())]
}

/// The sheet: nothing while nothing is put aside.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Block> {
    let lang = ask.lang;
    let sheet = lang.sheets();
    let (first, _): (Question, _) = permalink::open(ask.word("a")).ok()?;
    // One's own prices are in no link, and both are asked by them.
    let first = prices::beside(&first, asked.question.hardware.market.as_ref());
    let a = shardwise_core::evaluate_alone(&first).ok()?;
    let b = &asked.found;
    let now = permalink::to_hash(&asked.question);
    let same = permalink::to_hash(&first) == now;
    let mut tools = Vec::new();
    let (title, blocks) = if same {
        (sheet.compared.to_owned(), vec![said(Kind::Quiet, sheet.change_something)])
    } else {
        let mut swap = Button::new(Look::Quiet, sheet.swap, Action::set("a", now)).called("compare-swap");
        swap.actions.push(Action::ask(&first));
        tools.push(swap);
        let columns = vec![
            column("", Holds::Names),
            column(sheet.pinned_a, Holds::Numbers),
            column(sheet.now_b, Holds::Numbers),
            column(sheet.change, Holds::Numbers),
        ];
        let rows = lines(&a, b, lang).iter().map(|line| line.row(lang)).collect();
        let note = overlap(&a.answer, &b.answer).map(|meet| {
            let words = if meet { sheet.intervals_meet } else { sheet.intervals_apart };
            said(Kind::Note, words)
        });
        let table = Block::Table(Table::new(sheet.compared, Tabled::Beside, columns, rows));
        let blocks = [Some(table), note, in_the_text(&first, asked, ask)];
        (takeaway(&a.answer, &b.answer, lang), blocks.into_iter().flatten().collect())
    };
    tools.push(Button::new(Look::Quiet, sheet.unpin_a, Action::set("a", "")).called("compare-end"));
    Some(Section::titled("compare", Purpose::Comparison, vec![run(title)], tools, blocks))
}
