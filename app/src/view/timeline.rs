//! An RL step as a timeline: a lane for each role, and what the schedule makes of them.

use std::sync::Arc;

use super::dom::{all, el, press};
use leptos::prelude::*;
use shardwise_core::wire::{Schedule, TimePhase};

use super::figure::{Block, cell, drawn_bars, folded_table, head, image, label, targets, widened};
use super::time::{legends, parts};
use crate::charts::backend::Ink;
use crate::charts::stack::{Row, SEPARATOR, Stack};
use crate::charts::timeline::{Bar, LANES, WAITING, bars};
use crate::form::Field;
use crate::format;
use crate::page::{Page, Shown};
use crate::text::{Lang, fill};

/// A step with its bars, lane by lane.
struct Step {
    shown: Arc<Shown>,
    schedule: Schedule,
    bars: Vec<Bar>,
    lang: Lang,
}

/// The schedules with their names in the form.
const SCHEDULES: [(Schedule, &str); 4] = [
    (Schedule::Colocated, "colocated"),
    (Schedule::Split, "split"),
    (Schedule::OneStepOff, "one_step_off"),
    (Schedule::FullyAsync, "fully_async"),
];

impl Step {
    /// The phase of a bar; `None` for a wait.
    fn phase(&self, bar: &Bar) -> Option<&TimePhase> {
        let mut phases = self.shown.found.answer.time.phases.iter();
        phases.find(|phase| phase.name == bar.name)
    }

    /// The colour of a bar, and what it means.
    fn kind(&self, bar: &Bar) -> (Ink, &'static str) {
        match bar.name {
            "rollout" => (Ink::KvCache, "rollout"),
            "update_actor" | "update_critic" => (Ink::Activations, "compute"),
            "weight_sync" => (Ink::Communication, "communication"),
            WAITING => (Ink::Hatched, WAITING),
            // Rewards without a model are no forward pass.
            _ if self
                .phase(bar)
                .is_some_and(|phase| phase.parts.compute == 0.0) =>
            {
                (Ink::Framework, "overhead")
            }
            _ => (Ink::Forward, "forward"),
        }
    }

    fn share(&self, seconds: f64) -> String {
        format::percent(seconds / self.shown.found.answer.step_time_s, 0)
    }

    fn seconds(&self, seconds: f64) -> String {
        let unit = self.lang.text().seconds_unit;
        format!("{}\u{a0}{unit}", format::seconds(seconds))
    }

    /// Seconds of the bars that `wanted` takes.
    fn sum(&self, wanted: impl Fn(&Bar) -> bool) -> f64 {
        let of = self.bars.iter().filter(|bar| wanted(bar));
        of.map(|bar| bar.seconds).sum()
    }

    fn row(&self, lane: &str) -> Option<Row> {
        let works = self.sum(|bar| bar.lane == lane && bar.name != WAITING);
        let mut now = 0.0;
        let mut parts = Vec::new();
        for bar in self.bars.iter().filter(|bar| bar.lane == lane) {
            let seconds = self.seconds(bar.seconds);
            let (ink, _) = self.kind(bar);
            let inside = if ink == Ink::Hatched {
                fill(self.lang.text().waits, &[&seconds])
            } else if bar.name == lane {
                seconds
            } else {
                format!("{}{SEPARATOR}{seconds}", self.lang.word(bar.name))
            };
            if bar.start > now {
                parts.push((Ink::Gap, bar.start - now, String::new()));
            }
            parts.push((ink, bar.seconds, inside));
            now = bar.start + bar.seconds;
        }
        (now > 0.0).then(|| Row {
            label: self.lang.word(lane).to_owned(),
            value: self.seconds(works),
            note: self.share(works),
            selected: false,
            parts,
        })
    }

    fn chart(&self) -> Stack {
        Stack {
            rows: LANES.iter().filter_map(|lane| self.row(lane)).collect(),
            unit: self.lang.text().seconds_unit.to_owned(),
            limit: None,
        }
    }

    /// What is to be seen: who sets the pace, and where the sides have GPUs of their own, how many each has.
    fn takeaway(&self) -> String {
        let (pace, sides) = (self.pace(), self.sides());
        match self.lang {
            Lang::En if !sides.is_empty() => format!("{pace} {sides}"),
            _ => pace + &sides,
        }
    }

    /// The GPUs of both sides, and the seconds that working at once hides; empty where all GPUs do both.
    fn sides(&self) -> String {
        let (text, answer) = (self.lang.text(), &self.shown.found.answer);
        let Some(split) = answer.split else {
            return String::new();
        };
        let all = self.shown.found.job.hardware.gpus;
        let [train, all, rollout] =
            [split.train_gpus, all, split.rollout_gpus].map(|gpus| format::grouped(gpus.into()));
        let hidden = answer.time.hidden_s;
        let sentence = if hidden > 0.0 {
            text.take_sides_hide
        } else {
            text.take_sides
        };
        fill(sentence, &[&train, &all, &rollout, &self.seconds(hidden)])
    }

    fn pace(&self) -> String {
        let text = self.lang.text();
        let generating = self.sum(|bar| bar.name == "rollout");
        let synced = self.sum(|bar| bar.lane == "weight_sync");
        let step = self.shown.found.answer.step_time_s;
        let sentence = match self.schedule {
            Schedule::Colocated => text.take_colocated,
            Schedule::Split => text.take_split,
            Schedule::OneStepOff | Schedule::FullyAsync => {
                let waiting = |lane| self.sum(|bar| bar.lane == lane && bar.name == WAITING);
                let (engine, actor) = (waiting("engine"), waiting("actor"));
                let (sentence, waits) = if actor > engine {
                    (text.take_training_waits, actor)
                } else {
                    (text.take_engine_waits, engine)
                };
                return fill(sentence, &[&self.seconds(waits), &self.seconds(step)]);
            }
        };
        let training = step - generating - synced;
        fill(sentence, &[&self.share(generating), &self.share(training)])
    }

    /// All about a bar, line by line.
    fn about(&self, bar: &Bar) -> Vec<String> {
        let (word, seconds) = (self.lang.word(bar.name), self.seconds(bar.seconds));
        let ends = [bar.start, bar.start + bar.seconds].map(|s| {
            if s > 0.0 {
                format::seconds(s)
            } else {
                "0".to_owned()
            }
        });
        let mut lines = vec![
            format!(
                "{word}{SEPARATOR}{seconds}{SEPARATOR}{}",
                self.share(bar.seconds)
            ),
            fill(self.lang.text().from_to, &[&ends[0], &ends[1]]),
        ];
        if let Some(phase) = self.phase(bar) {
            let parts: Vec<_> = parts(phase).collect();
            // A phase of one part says no more by it.
            if parts.len() > 1 {
                lines.extend(parts.into_iter().map(|(_, part, s)| {
                    format!("{}{SEPARATOR}{}", self.lang.word(part), self.seconds(s))
                }));
            }
        }
        lines
    }

    fn drawing(&self, width: u32) -> AnyView {
        let drawing = self.chart().drawn(width);
        let about = self.bars.iter().map(|bar| self.about(bar)).collect();
        let marks = widened(drawn_bars(&drawing));
        let targets = targets(&drawing, marks, about, label("timeline"));
        vec![image(drawing, label("timeline")), targets].into_any()
    }

    fn legend(&self) -> AnyView {
        let kinds = self.bars.iter().map(|bar| self.kind(bar)).collect();
        legends(kinds, self.lang)
    }

    fn table(&self, page: Page) -> AnyView {
        let text = self.lang.text();
        let lines = self.bars.iter().map(|bar| {
            el("TR")
                .child(el("TH|scope=row").child(self.lang.word(bar.lane).to_owned()))
                .child(el("TD").child(self.lang.word(bar.name).to_owned()))
                .child(cell(text.starts_s, format::seconds(bar.start)))
                .child(cell(text.takes_s, format::seconds(bar.seconds)))
        });
        let heads = vec![
            head(text.role, false),
            head(text.phase, false),
            head(text.starts_s, true),
            head(text.takes_s, true),
        ];
        let body = all(lines);
        folded_table(
            page,
            text.timeline.to_owned(),
            4,
            heads.into_any(),
            body.into_any(),
        )
    }
}

/// The step that is shown, where it has a schedule.
fn step(page: Page) -> Option<Step> {
    let shown = page.answered()?;
    let schedule = shown.question.workload.rl.as_ref()?.schedule;
    let schedule = schedule.unwrap_or_default();
    let phases = &shown.found.answer.time.phases;
    let phases: Vec<_> = phases.iter().map(|phase| (phase.name, phase.s)).collect();
    let placed = bars(&phases, schedule);
    let of = |lane: &'static str| placed.iter().filter(move |bar| bar.lane == lane);
    Some(Step {
        bars: LANES.into_iter().flat_map(of).copied().collect(),
        shown,
        schedule,
        lang: page.lang,
    })
}

pub(super) fn view(page: Page) -> AnyView {
    let text = page.text();
    let block = Block {
        id: "timeline",
        title: text.timeline,
        take: Box::new(move || step(page).map(|step| step.takeaway())),
        note: text.timeline_note,
        draw: Box::new(move |width| step(page).map(|step| step.drawing(width))),
        legend: Box::new(move || step(page).map(|step| step.legend())),
        table: Box::new(move || step(page).map(|step| step.table(page))),
    };
    let none = move || step(page).is_none().then_some("");
    let tools = el("DIV.seg tools|role=group")
        .set("aria-label", page.lang.label(Field::Schedule))
        .children(SCHEDULES.into_iter().map(|(schedule, id)| {
            el("BUTTON.seg-b|type=button")
                .live("aria-pressed", move || {
                    let now = step(page).map(|step| step.schedule);
                    (now == Some(schedule)).to_string()
                })
                .on(
                    "click",
                    press(move || page.change(|form| form.set(Field::Schedule, id))),
                )
                .child(page.lang.word(id))
        }));
    block.view(tools).live("hidden", none).into_any()
}
