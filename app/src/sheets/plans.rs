//! Other plans for the same question, best first, with the reason each is not chosen: sorted and filtered as a person
//! likes, two of them line by line, all of them as a file.

use serde_json::{Value, json};
use shardwise_core::Answer;
use shardwise_core::ordered;
use shardwise_core::wire::{FitState, PlanSpec};

use super::parts::by;
use crate::parts;
use crate::protocol::blocks::{self, Column, Control, Run, Sort, Takes, wide};
use crate::protocol::{Document, state};
use crate::sheets::prelude::*;

/// How many plans are shown before "show all", and how many are looked for then.
const SHOWN: usize = 12;
pub(super) const SOUGHT: [usize; 2] = [16, 160];

/// How many of them a narrow page shows, by its style sheet.
const FEW: usize = 6;

/// Words that a number follows.
const DIMENSIONS: [&str; 7] = ["tp", "pp", "cp", "sp", "ep", "etp", "dp"];

/// The file of all plans, without its ending.
const FILE: &str = "shardwise-plans";

/// A plan with what its line says.
struct Line<'a> {
    answer: &'a Answer,
    /// `Megatron · TP 2 · DP 4`.
    layout: String,
    batch: String,
    recompute: &'static str,
    rollout: Option<u64>,
    offload: String,
    /// What no column shows and the chosen plan has otherwise.
    others: Vec<String>,
    why: String,
    chosen: bool,
}

impl<'a> Line<'a> {
    fn of(answer: &'a Answer, chosen: &Answer, gpus: u32, lang: Lang) -> Self {
        let plan = &answer.plan;
        let own = *plan == chosen.plan;
        let rollout = plan.rollout.as_ref();
        Self {
            answer,
            layout: words::plan_in_short(plan, gpus),
            batch: batch(plan, lang),
            recompute: words::recompute(plan),
            rollout: rollout.and_then(|rollout| rollout.tensor_parallel),
            offload: words::offload(plan, lang),
            others: others(answer, chosen, lang),
            why: reason(answer, chosen, own, lang),
            chosen: own,
        }
    }

    /// Everything that the line shows of a plan: of plans that look the same the best stands for all.
    fn face(&self) -> String {
        format!("{} {} {} {:?} {}", self.layout, self.batch, self.recompute, self.rollout, self.offload)
    }
}

fn others(answer: &Answer, chosen: &Answer, lang: Lang) -> Vec<String> {
    let apart = |field: &Field| parts::words(*field, answer, lang) != parts::words(*field, chosen, lang);
    let fields = [Field::FusedHead, Field::Offload, Field::MemoryShare].into_iter().filter(apart);
    fields.map(|field| parts::words(field, answer, lang)).collect()
}

fn reason(answer: &Answer, chosen: &Answer, own: bool, lang: Lang) -> String {
    let text = lang.sheets();
    if !answer.fits {
        return fit::margin(&answer.fit, lang);
    }
    if own {
        return text.chosen.to_owned();
    }
    let times = answer.tokens_per_s_per_gpu / chosen.tokens_per_s_per_gpu;
    by(times, [text.slower, text.same_speed, text.faster_tight])
}

/// What one forward pass takes, in short.
fn batch(plan: &PlanSpec, lang: Lang) -> String {
    let text = lang.sheets();
    match (plan.max_tokens_per_gpu, plan.micro_batch) {
        (Some(tokens), _) => fill(text.batch_tokens, &[&format::grouped(tokens)]),
        (None, Some(sequences)) => fill(text.batch_sequences, &[&format::grouped(sequences)]),
        (None, None) => String::new(),
    }
}

/// What to sort by: its key, and what it sorts.
type Order = (&'static str, fn(&Answer) -> Option<f64>);

/// What the plans can be sorted by.
const ORDERS: [Order; 4] = [
    ("gib", |answer| Some(answer.memory.reserved_gib)),
    ("step", |answer| Some(answer.step_time_s)),
    ("speed", |answer| Some(answer.tokens_per_s_per_gpu)),
    ("usd", |answer| answer.usd_per_mtok),
];

/// How the table is shown.
struct Shown<'a> {
    sort: &'a str,
    falling: bool,
    fitting: bool,
    find: String,
    all: bool,
    pins: Vec<&'a str>,
}

impl<'a> Shown<'a> {
    fn of(ask: &'a Ask) -> Self {
        Self {
            sort: ask.word("sort"),
            falling: ask.on("falling"),
            fitting: ask.on("fitting"),
            find: ask.word("find").to_lowercase(),
            all: ask.on("all"),
            pins: ask.words("pins"),
        }
    }

    /// Whether all that is looked for stands in a line: `PP 2` as one word, not a 2 anywhere.
    fn finds(&self, line: &Line<'_>) -> bool {
        let face = format!(" {} ", line.face().replace('\u{a0}', " ").to_lowercase());
        let mut wanted: Vec<String> = Vec::new();
        for word in self.find.split_whitespace() {
            match wanted.last_mut().filter(|last| DIMENSIONS.contains(&last.as_str())) {
                Some(last) => *last = format!(" {last} {word} "),
                None => wanted.push(word.to_owned()),
            }
        }
        (!self.fitting || line.answer.fits) && wanted.iter().all(|word| face.contains(word.as_str()))
    }
}

/// The chosen plan, even where a pinned one is not among the best, and then the others.
fn distinct<'a>(plans: &'a [Answer], chosen: &'a Answer, gpus: u32, lang: Lang) -> Vec<Line<'a>> {
    let mut lines: Vec<Line<'a>> = Vec::new();
    for answer in std::iter::once(chosen).chain(plans) {
        let line = Line::of(answer, chosen, gpus, lang);
        if lines.iter().all(|other| other.face() != line.face()) {
            lines.push(line);
        }
    }
    lines
}

fn sorted<'a>(mut lines: Vec<Line<'a>>, shown: &Shown<'_>) -> Vec<Line<'a>> {
    if let Some((_, of)) = ORDERS.iter().find(|(key, _)| *key == shown.sort) {
        // What has no such figure stands last, whatever the direction.
        let key = |line: &Line<'_>| of(line.answer).filter(|_| line.answer.fits || shown.sort == "gib");
        ordered::sort(&mut lines, &|a, b| match (key(a), key(b)) {
            (Some(a), Some(b)) if shown.falling => b.total_cmp(&a),
            (Some(a), Some(b)) => a.total_cmp(&b),
            (a, b) => a.is_none().cmp(&b.is_none()),
        });
    }
    lines
}

/// What a plan says of itself as a short name, the same as often as it is asked: FNV-1a.
fn named(face: &str) -> String {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(16_777_619);
    format!("{:08x}", face.bytes().fold(2_166_136_261, mix))
}

/// A head that sorts: pressed again, the other way round.
fn sorting(key: &str, name: &str, holds: Holds, shown: &Shown<'_>) -> Column {
    let on = shown.sort == key;
    // The best first: the fastest is the largest, of all else the smallest.
    let falling = if on { !shown.falling } else { key == "speed" };
    let keys = state([("sort".to_owned(), key.into()), ("falling".to_owned(), falling.into())]);
    let button = Button::new(Look::Head, name, Action::Set(keys)).called(format!("sort-{key}"));
    Column { sort: Some(Sort { falling: on.then_some(shown.falling), button }), ..column(name, holds) }
}

fn told(line: &Line<'_>, question: &Question, shown: &Shown<'_>, index: usize, lang: Lang) -> blocks::Row {
    let (text, sheet) = (lang.text(), lang.sheets());
    let answer = line.answer;
    let memory = &answer.memory;
    let stands = match (answer.fits, line.chosen) {
        (true, true) => Stands::Chosen,
        (true, false) => Stands::Fits,
        (false, _) => Stands::Unfit,
    };
    let share = memory.reserved_gib / memory.capacity_gib;
    let bar = Run::Bar { share, limit: None, over: !answer.fits };
    let mut cells = vec![cell(line.layout.clone()), cell(line.batch.clone()), cell(lang.word(line.recompute))];
    if answer.plan.rollout.is_some() {
        cells.push(cell(line.rollout.map(format::grouped).unwrap_or_default()));
    }
    cells.push(runs(vec![run(format::gib(memory.reserved_gib)), bar]));
    cells.push(cell(fit::sure(answer.fit.probability, lang)));
    if answer.fits {
        cells.push(cell(format::seconds(answer.step_time_s)));
        cells.push(cell(format::figure(answer.tokens_per_s_per_gpu)));
        cells.push(cell(answer.usd_per_mtok.map(format::cost).unwrap_or_default()));
    } else {
        let own = &answer.fit;
        cells.push(wide(3, tag(Tone::Bad, fit::short(own.state, own.probability, lang))));
    }
    cells.push(why(line, lang));
    let face = line.face();
    let pin = Button::new(Look::Pin, "", Action::Pair(face.clone()))
        .called(format!("pin-{index}"))
        .icon("i-pin")
        .pressed(shown.pins.contains(&face.as_str()))
        .about([sheet.compare, &line.layout].join(lang.colon()));
    let mut acts = vec![pin.into()];
    if !line.chosen {
        let question = Question { plan: Some(answer.plan.clone()), ..question.clone() };
        let button = Button::new(Look::Small, text.use_gpu, Action::ask(&question));
        acts.push(button.called(format!("use-{}", named(&face))).about(line.layout.clone()).into());
    }
    cells.push(runs(acts));
    row(stands, cells)
}

/// Why a plan is not the chosen one.
fn why(line: &Line<'_>, lang: Lang) -> Cell {
    let mut said = Vec::new();
    if line.answer.fit.state == FitState::Tight {
        said.push(tag(Tone::Warn, fit::word(FitState::Tight, lang)));
    }
    said.push(run(line.why.clone()));
    if !line.others.is_empty() {
        said.push(quiet(format!(" {}", line.others.join(lang.comma()))));
    }
    runs(said)
}

/// What stands above the table: words to look for, only what fits, and the order where the heads are folded away.
fn controls(shown: &Shown<'_>, lang: Lang) -> Vec<Control> {
    let (text, sheet) = (lang.text(), lang.sheets());
    let orders = [
        ("", sheet.rank),
        ("speed", text.per_gpu),
        ("usd", text.col_usd_mt),
        ("step", sheet.step_s),
        ("gib", text.gib_reserved),
    ];
    let orders = orders.map(|(key, name)| (key.to_owned(), money::signed(name)));
    let control = |key: &str, name: &str, takes| Control { key: key.to_owned(), name: name.to_owned(), takes };
    vec![
        control("find", sheet.find_plans, Takes::Words(shown.find.clone())),
        control("fitting", sheet.only_fitting, Takes::Tick(shown.fitting)),
        control("sort", text.sort_by, Takes::One(shown.sort.to_owned(), orders.into())),
    ]
}

/// All plans as CSV: what the table shows.
fn csv(lines: &[Line<'_>]) -> String {
    let heads = "layout,per_gpu,recompute,rollout_tp,offload,fits,probability,reserved_gib,capacity_gib,step_time_s,tokens_per_s_per_gpu,usd_per_mtok";
    let mut csv = format!("{heads}\n");
    for line in lines {
        let answer = line.answer;
        let cells = [
            format!("\"{}\"", line.layout.replace('\u{a0}', " ")),
            format!("\"{}\"", line.batch),
            line.recompute.to_owned(),
            line.rollout.map(|degree| degree.to_string()).unwrap_or_default(),
            format!("\"{}\"", line.offload),
            answer.fits.to_string(),
            answer.fit.probability.to_string(),
            answer.memory.reserved_gib.to_string(),
            answer.memory.capacity_gib.to_string(),
            answer.step_time_s.to_string(),
            answer.tokens_per_s_per_gpu.to_string(),
            answer.usd_per_mtok.map(|usd| usd.to_string()).unwrap_or_default(),
        ];
        csv.push_str(&cells.join(","));
        csv.push('\n');
    }
    csv
}

/// The kinds of file.
const ENDINGS: [&str; 2] = ["csv", "json"];

/// All plans as a file, best first: what the table shows, or the whole answers.
pub(super) fn file(asked: &Asked, ask: &Ask, file: &str) -> Option<String> {
    let found = asked.plans(ask.on("all"))?;
    let lines = distinct(&found.plans, &asked.found.answer, training_gpus(&asked.found.job), ask.lang);
    match file.rsplit('.').next() {
        Some("csv") => Some(csv(&lines)),
        Some("json") => Some(Value::from_iter(lines.iter().map(|line| json!(line.answer))).to_string()),
        _ => None,
    }
}

/// Buttons that save all plans.
fn files(lang: Lang) -> [Run; 2] {
    ENDINGS.map(|ending| {
        let save = Action::Save(format!("{FILE}.{ending}"));
        let button = Button::new(Look::Quiet, ending.to_ascii_uppercase(), save).called(format!("plans-{ending}"));
        button.icon("i-down").about(format!("({})", lang.text().plans)).into()
    })
}

/// What a field of a plan is, in the words of the document.
fn entries(answer: &Answer, lang: Lang) -> Vec<(String, String)> {
    let text = lang.text();
    let memory = &answer.memory;
    let mut entries = vec![
        (text.per_gpu.to_owned(), format::figure(answer.tokens_per_s_per_gpu)),
        (lang.sheets().step_s.to_owned(), format::seconds(answer.step_time_s)),
        (money::signed(text.col_usd_mt), answer.usd_per_mtok.map(format::cost).unwrap_or_default()),
        (text.gib_reserved.to_owned(), format::gib(memory.reserved_gib)),
        ("MFU".to_owned(), format::percent(answer.mfu, 1)),
    ];
    let document = json!(answer);
    let phases = answer.time.phases.iter();
    entries.extend(
        phases
            .map(|phase| ([lang.word(phase.name), lang.of(["s", "秒"])].join(lang.comma()), format::seconds(phase.s))),
    );
    for (part, gib) in document["memory"]["parts"].as_object().into_iter().flatten() {
        let gib = gib.as_f64().map(format::gib);
        entries.push(([lang.word(part), "GiB"].join(lang.comma()), gib.unwrap_or_default()));
    }
    let mut plan = Vec::new();
    flatten("plan", &document["plan"], &mut plan);
    entries.extend(
        plan.into_iter()
            .map(|(path, value)| (super::words::name(&path, lang), super::words::value(&value, lang))),
    );
    entries
}

/// The leaves of a document, by path.
fn flatten(path: &str, value: &Value, to: &mut Vec<(String, String)>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                flatten(&format!("{path}.{key}"), value, to);
            }
        }
        Value::String(word) => to.push((path.to_owned(), word.clone())),
        other => to.push((path.to_owned(), other.to_string())),
    }
}

/// Two plans line by line: all figures, and the settings in which they differ.
fn compared(pinned: &[&Line<'_>], lang: Lang) -> Option<Block> {
    let [first, second] = pinned else { return None };
    let sheet = lang.sheets();
    let (left, right) = (entries(first.answer, lang), entries(second.answer, lang));
    let mut names: Vec<&String> = left.iter().map(|(name, _)| name).collect();
    for (name, _) in &right {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let of = |entries: &[(String, String)], name: &str| {
        let found = entries.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let rows = names.into_iter().filter_map(|name| {
        let values = [of(&left, name), of(&right, name)];
        (values[0] != values[1]).then(|| {
            let [a, b] = values.map(|value| cell(if value.is_empty() { "–".to_owned() } else { value }));
            row(Stands::Plain, [cell(name.clone()), a, b])
        })
    });
    let columns = vec![
        column("", Holds::Names),
        column(first.layout.clone(), Holds::Numbers),
        column(second.layout.clone(), Holds::Numbers),
    ];
    let unpin = Button::new(Look::Quiet, sheet.unpin, Action::set("pins", Value::Array(Vec::new())));
    let table = Block::Table(Table::new(sheet.two_plans, Tabled::Beside, columns, rows.collect()));
    let (title, tools) = (vec![run(sheet.two_plans)], vec![unpin.called("unpin")]);
    Some(Section::titled("plans-compared", Purpose::Pair, title, tools, vec![table]))
}

pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Vec<Block>> {
    let lang = ask.lang;
    let (text, sheet) = (lang.text(), lang.sheets());
    let shown = Shown::of(ask);
    let found = asked.plans(shown.all)?;
    let chosen = &asked.found.answer;
    let gpus = training_gpus(&asked.found.job);
    let every = distinct(&found.plans, chosen, gpus, lang);
    let known = every.len();
    let lines = sorted(every, &shown);
    let pinned: Vec<&Line<'_>> = shown
        .pins
        .iter()
        .filter_map(|pin| lines.iter().find(|line| line.face() == *pin))
        .collect();
    let seen = lines.iter().filter(|line| shown.finds(line));
    let most = if shown.all { usize::MAX } else { SHOWN };
    let rows: Vec<blocks::Row> = seen
        .take(most)
        .enumerate()
        .map(|(index, own)| told(own, &asked.question, &shown, index, lang))
        .collect();
    let none = rows.is_empty().then(|| said(Kind::Quiet, sheet.no_plans));
    let mut columns = vec![
        column(sheet.layout, Holds::Names),
        column(sheet.batch, Holds::Details),
        column(sheet.recompute, Holds::Details),
    ];
    columns.extend(chosen.plan.rollout.is_some().then(|| column(sheet.rollout_tp, Holds::Details)));
    columns.extend([
        sorting("gib", "GiB", Holds::Shares, &shown),
        column(text.fits_short, Holds::Numbers),
        sorting("step", sheet.step_s, Holds::Numbers, &shown),
        sorting("speed", text.per_gpu, Holds::Key, &shown),
        sorting("usd", &money::signed(text.col_usd_mt), Holds::Numbers, &shown),
        column(sheet.why, Holds::Remarks),
        column(text.action, Holds::Actions),
    ]);
    let more = (known > FEW || shown.all).then(|| {
        let words = if shown.all { text.show_fewer } else { sheet.more_plans };
        Button::all("all-plans", words, shown.all).into()
    });
    let counted = fill(sheet.plans_counted, &[&format::grouped(found.considered), &format::grouped(found.evaluated)]);
    let method = link(format!("{}#search", Document::Methods.address(lang)), sheet.how_searched);
    let tabled = if shown.all { Tabled::AllPlans } else { Tabled::Plans };
    let blocks = [
        Some(prose(Kind::Note, vec![run(counted + " "), method])),
        Some(Block::Controls(controls(&shown, lang))),
        Some(Block::Table(Table::new(text.plans, tabled, columns, rows))),
        none,
        Some(prose(Kind::Actions, more.into_iter().chain(files(lang)).collect())),
        compared(&pinned, lang),
    ];
    Some(blocks.into_iter().flatten().collect())
}
