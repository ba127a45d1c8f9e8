//! Other plans for the same question, best first, with the reason each is not chosen: sorted and filtered as a person
//! likes, two of them line by line, all of them as a file.

use serde_json::{Value, json};
use shardwise_core::Answer;
use shardwise_core::Question;
use shardwise_core::complete::training_gpus;
use shardwise_core::wire::{FitState, PlanSpec};

use super::asked::{Ask, Asked};
use crate::fit;
use crate::format;
use crate::protocol::Document;
use crate::text::{Lang, fill};
use crate::tree::parts::{icon, meter, region};
use crate::tree::{Tree, el};
use crate::words;

/// How many plans are shown before "show all", and how many are looked for then.
const SHOWN: usize = 12;
pub(super) const SOUGHT: [usize; 2] = [16, 160];

/// How many of them a narrow page shows, by its style sheet.
const FEW: usize = 6;

/// Words that a number follows.
const DIMENSIONS: [&str; 7] = ["tp", "pp", "cp", "sp", "ep", "etp", "dp"];

/// Speeds this close are the same to a person.
const SAME: f64 = 0.005;

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
    /// Whether that is other than the chosen plan's.
    other_offload: bool,
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
            other_offload: plan.offload.unwrap_or_default() != chosen.plan.offload.unwrap_or_default(),
            why: reason(answer, chosen, own, lang),
            chosen: own,
        }
    }

    /// Everything that the line shows of a plan: of plans that look the same the best stands for all.
    fn face(&self) -> String {
        format!("{} {} {} {:?} {}", self.layout, self.batch, self.recompute, self.rollout, self.offload)
    }
}

fn reason(answer: &Answer, chosen: &Answer, own: bool, lang: Lang) -> String {
    let text = lang.sheets();
    if !answer.fits {
        return fit::margin(&answer.fit, lang);
    }
    let ratio = answer.tokens_per_s_per_gpu / chosen.tokens_per_s_per_gpu - 1.0;
    if own {
        text.chosen.to_owned()
    } else if ratio < -SAME {
        fill(text.slower, &[&format::percent(-ratio, 0)])
    } else if ratio > SAME {
        fill(text.faster_tight, &[&format::percent(ratio, 0)])
    } else {
        text.same_speed.to_owned()
    }
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

/// A column to sort by: its key, and what it sorts.
type Column = (&'static str, fn(&Answer) -> Option<f64>);

/// The columns that sort.
const COLUMNS: [Column; 4] = [
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
    if let Some((_, of)) = COLUMNS.iter().find(|(key, _)| *key == shown.sort) {
        // What has no such figure stands last, whatever the direction.
        let key = |line: &Line<'_>| of(line.answer).filter(|_| line.answer.fits || shown.sort == "gib");
        lines.sort_by(|a, b| match (key(a), key(b)) {
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
fn sorting(key: &str, name: &'static str, shown: &Shown<'_>) -> Tree {
    let on = shown.sort == key;
    // The best first: the fastest is the largest, of all else the smallest.
    let falling = if on { !shown.falling } else { key == "speed" };
    let arrow = on.then(|| el("SPAN|aria-hidden=true").child(if shown.falling { " ↓" } else { " ↑" }));
    let head = el("TH.n|scope=col");
    let head = match (on, shown.falling) {
        (true, true) => head.set("aria-sort", "descending"),
        (true, false) => head.set("aria-sort", "ascending"),
        (false, _) => head,
    };
    head.child(
        el("BUTTON.sort|type=button")
            .set("id", format!("sort-{key}"))
            .sets(&json!({ "sort": key, "falling": falling }))
            .child(name)
            .child(arrow),
    )
}

fn line(line: &Line<'_>, question: &Question, shown: &Shown<'_>, index: usize, lang: Lang) -> Tree {
    let (text, sheet) = (lang.text(), lang.sheets());
    let answer = line.answer;
    let memory = &answer.memory;
    let row = match (answer.fits, line.chosen) {
        (true, true) => el("TR.p-best"),
        (true, false) => el("TR.p-ok"),
        (false, _) => el("TR.p-bad"),
    };
    let figures = if answer.fits {
        vec![
            el("TD.n")
                .set("data-l", sheet.step_s)
                .child(format::seconds(answer.step_time_s)),
            el("TD.n key")
                .set("data-l", text.per_gpu)
                .child(format::figure(answer.tokens_per_s_per_gpu)),
            el("TD.n")
                .set("data-l", text.col_usd_mt)
                .child(answer.usd_per_mtok.map(format::figure)),
        ]
    } else {
        let own = &answer.fit;
        let words = fit::short(own.state, own.probability, lang);
        vec![el("TD.n gone|colspan=3").child(el("SPAN.tag tag-bad").child(words))]
    };
    let offloaded = line.other_offload.then(|| {
        let words = match line.offload.as_str() {
            "" => text.chip_no_offload.to_owned(),
            named => fill(text.chip_offload, &[named]),
        };
        el("SPAN.muted").child(format!(" {words}"))
    });
    let tight =
        (answer.fit.state == FitState::Tight).then(|| el("SPAN.tag tag-warn").child(fit::word(FitState::Tight, lang)));
    let face = line.face();
    let pinned = shown.pins.contains(&face.as_str());
    let pin = el("BUTTON.btn btn-s pin|type=button")
        .set("id", format!("pin-{index}"))
        .set("aria-pressed", pinned.to_string())
        .set("data-pair", face.clone())
        .child(icon("i-pin"))
        .child(el("SPAN.vh").child(format!("{}: {}", sheet.compare, line.layout)));
    let used = (!line.chosen).then(|| {
        let question = Question { plan: Some(answer.plan.clone()), ..question.clone() };
        el("BUTTON.btn btn-s|type=button")
            .set("id", format!("use-{}", named(&face)))
            .asks(&question)
            .child(text.use_gpu)
            .child(el("SPAN.vh").child(format!(" {}", line.layout)))
    });
    row.child(el("TH|scope=row").child(line.layout.clone()))
        .child(el("TD.second nb").set("data-l", sheet.batch).child(line.batch.clone()))
        .child(
            el("TD.second nb")
                .set("data-l", sheet.recompute)
                .child(lang.word(line.recompute)),
        )
        .child(line.rollout.map(|degree| {
            el("TD.nb second")
                .set("data-l", sheet.rollout_tp)
                .child(format::grouped(degree))
        }))
        .child(
            el("TD.n mem|data-l=GiB")
                .child(el("SPAN").child(format::gib(memory.reserved_gib)))
                .child(meter(memory.reserved_gib / memory.capacity_gib, !answer.fits, 4)),
        )
        .child(
            el("TD.n")
                .set("data-l", text.fits_short)
                .child(fit::sure(answer.fit.probability, lang)),
        )
        .children(figures)
        .child(el("TD.why").child(tight).child(line.why.clone()).child(offloaded))
        .child(el("TD.acts").child(pin).child(used))
}

/// What stands above the table: words to look for, only what fits, and the order where the heads are folded away.
fn tools(shown: &Shown<'_>, lang: Lang) -> Tree {
    let (text, sheet) = (lang.text(), lang.sheets());
    let names =
        [("", sheet.rank), ("speed", text.per_gpu), ("usd", text.col_usd_mt), ("step", sheet.step_s), ("gib", "GiB")];
    let options = names.into_iter().map(|(key, name)| {
        let option = el("OPTION").set("value", key).child(name);
        if key == shown.sort { option.set("selected", "") } else { option }
    });
    let fitting = el("INPUT|type=checkbox|id=plans-fitting|data-key=fitting");
    let fitting = if shown.fitting { fitting.set("checked", "") } else { fitting };
    el("DIV.plans-t")
        .child(
            el("LABEL.plans-q").child(el("SPAN.vh").child(sheet.find_plans)).child(
                el("INPUT|type=text|role=searchbox|id=plans-find|data-key=find|autocomplete=off|spellcheck=false")
                    .set("placeholder", sheet.find_plans)
                    .set("value", shown.find.clone()),
            ),
        )
        .child(el("LABEL.check").child(fitting).child(el("SPAN").child(sheet.only_fitting)))
        .child(
            el("LABEL.plans-s")
                .child(el("SPAN").child(text.sort_by))
                .child(el("SELECT|id=plans-sort|data-key=sort").children(options)),
        )
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
fn files(lang: Lang) -> [Tree; 2] {
    ENDINGS.map(|ending| {
        el("BUTTON.btn btn-s btn-q|type=button")
            .set("id", format!("plans-{ending}"))
            .saves(format!("{FILE}.{ending}"))
            .child(icon("i-down"))
            .child(ending.to_ascii_uppercase())
            .child(el("SPAN.vh").child(format!(" ({})", lang.text().plans)))
    })
}

/// What a field of a plan is, in the words of the document.
fn entries(answer: &Answer, lang: Lang) -> Vec<(String, String)> {
    let text = lang.text();
    let memory = &answer.memory;
    let mut entries = vec![
        (text.per_gpu.to_owned(), format::figure(answer.tokens_per_s_per_gpu)),
        (lang.sheets().step_s.to_owned(), format::seconds(answer.step_time_s)),
        (text.col_usd_mt.to_owned(), answer.usd_per_mtok.map(format::figure).unwrap_or_default()),
        ("GiB".to_owned(), format::gib(memory.reserved_gib)),
        ("MFU".to_owned(), format::percent(answer.mfu, 1)),
    ];
    let document = json!(answer);
    for phase in document.pointer("/time/phases").and_then(Value::as_array).into_iter().flatten() {
        let name = phase["name"].as_str().unwrap_or_default();
        let seconds = phase["s"].as_f64().map(format::seconds);
        entries.push((format!("{}, s", lang.word(name)), seconds.unwrap_or_default()));
    }
    for (part, gib) in document
        .pointer("/memory/parts")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let gib = gib.as_f64().map(format::gib);
        entries.push((format!("{}, GiB", lang.word(part)), gib.unwrap_or_default()));
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
fn compared(pinned: &[&Line<'_>], lang: Lang) -> Option<Tree> {
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
        let [a, b] = values.clone();
        (a != b).then(|| {
            let cells = [&first.layout, &second.layout].into_iter().zip(values);
            el("TR")
                .child(el("TH|scope=row").child(name.clone()))
                .children(cells.map(|(label, value)| {
                    let shown = if value.is_empty() { "–".to_owned() } else { value };
                    el("TD.n").set("data-l", label.clone()).child(shown)
                }))
        })
    });
    let head = |line: &Line<'_>| el("TH.n|scope=col").child(line.layout.clone());
    let table = el("TABLE.tab cols-3 tab-cmp")
        .child(el("THEAD").child(el("TR").child(el("TD")).child(head(first)).child(head(second))))
        .child(el("TBODY").children(rows));
    Some(
        el("DIV.cmp|id=plans-compared")
            .child(
                el("DIV.cmp-h").child(el("H3").child(sheet.two_plans)).child(
                    el("BUTTON.btn btn-s btn-q|type=button|id=unpin")
                        .sets(&json!({ "pins": [] }))
                        .child(sheet.unpin),
                ),
            )
            .child(region(sheet.two_plans, table)),
    )
}

/// The sheet.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Tree> {
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
    let rows: Vec<Tree> = seen
        .take(most)
        .enumerate()
        .map(|(index, own)| line(own, &asked.question, &shown, index, lang))
        .collect();
    let none = rows.is_empty().then(|| el("P.muted").child(sheet.no_plans));
    let generates = chosen.plan.rollout.is_some();
    let heads = el("TR")
        .child(el("TH|scope=col").child(sheet.layout))
        .child(el("TH|scope=col").child(sheet.batch))
        .child(el("TH|scope=col").child(sheet.recompute))
        .child(generates.then(|| el("TH|scope=col").child(sheet.rollout_tp)))
        .child(sorting("gib", "GiB", &shown))
        .child(el("TH.n|scope=col").child(text.fits_short))
        .child(sorting("step", sheet.step_s, &shown))
        .child(sorting("speed", text.per_gpu, &shown))
        .child(sorting("usd", text.col_usd_mt, &shown))
        .child(el("TH|scope=col").child(sheet.why))
        .child(el("TH|scope=col").child(el("SPAN.vh").child(text.action)));
    let more = (known > FEW || shown.all).then(|| {
        let words = if shown.all { text.show_fewer.to_owned() } else { sheet.more_plans.to_owned() };
        el("BUTTON.btn btn-s|type=button|id=all-plans")
            .set("aria-expanded", shown.all.to_string())
            .sets(&json!({ "all": !shown.all }))
            .child(words)
    });
    let counted = fill(sheet.plans_counted, &[&format::grouped(found.considered), &format::grouped(found.evaluated)]);
    Some(
        el("DIV.plans")
            .child(
                el("P.note").child(counted).child(" ").child(
                    el("A")
                        .set("href", format!("{}#search", Document::Methods.address(lang)))
                        .child(sheet.how_searched),
                ),
            )
            .child(tools(&shown, lang))
            .child(
                el(if shown.all { "TABLE.tab tab-plans is-all" } else { "TABLE.tab tab-plans" })
                    .child(el("CAPTION.vh").child(text.plans))
                    .child(el("THEAD").child(heads))
                    .child(el("TBODY").children(rows)),
            )
            .child(none)
            .child(el("P.plans-f").child(more).children(files(lang)))
            .child(compared(&pinned, lang)),
    )
}
