//! An RL step as a timeline: a lane for each role, and what the schedule makes of them.

use shardwise_core::Evaluated;
use shardwise_core::wire::{Schedule, TimePhase};

use crate::charts::backend::{Drawing, Ink};
use crate::charts::stack::{Row, SEPARATOR, Stack};
use crate::charts::timeline::{Bar, LANES, WAITING, bars};
use crate::protocol::blocks::{Figure, Switch, targets};
use crate::sheets::prelude::*;
use crate::view::time::{legends, parts};

/// A step with its bars, lane by lane.
struct Step<'a> {
    found: &'a Evaluated,
    schedule: Schedule,
    bars: Vec<Bar>,
    lang: Lang,
}

/// Its address in the page.
const ID: &str = "timeline";

impl Step<'_> {
    /// The phase of a bar; `None` for a wait.
    fn phase(&self, bar: &Bar) -> Option<&TimePhase> {
        let mut phases = self.found.answer.time.phases.iter();
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
            _ if self.phase(bar).is_some_and(|phase| phase.parts.compute == 0.0) => (Ink::Framework, "overhead"),
            _ => (Ink::Forward, "forward"),
        }
    }

    fn share(&self, seconds: f64) -> String {
        format::percent(seconds / self.found.answer.step_time_s, 0)
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
                fill(self.lang.sheets().waits, &[&seconds])
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
        let (sheet, answer) = (self.lang.sheets(), &self.found.answer);
        let Some(split) = answer.split else {
            return String::new();
        };
        let all = self.found.job.gpus();
        let [train, all, rollout] =
            [split.train_gpus, all, split.rollout_gpus].map(|gpus| format::grouped(gpus.into()));
        let hidden = answer.time.hidden_s;
        let sentence = if hidden > 0.0 { sheet.take_sides_hide } else { sheet.take_sides };
        fill(sentence, &[&train, &all, &rollout, &self.seconds(hidden)])
    }

    fn pace(&self) -> String {
        let sheet = self.lang.sheets();
        let generating = self.sum(|bar| bar.name == "rollout");
        let after = self.sum(|bar| matches!(bar.lane, "weight_sync" | "driver"));
        let step = self.found.answer.step_time_s;
        let sentence = match self.schedule {
            Schedule::Colocated => sheet.take_colocated,
            Schedule::Split => sheet.take_split,
            Schedule::OneStepOff | Schedule::FullyAsync => {
                let waiting = |lane| self.sum(|bar| bar.lane == lane && bar.name == WAITING);
                let (engine, actor) = (waiting("engine"), waiting("actor"));
                let (sentence, waits) =
                    if actor > engine { (sheet.take_training_waits, actor) } else { (sheet.take_engine_waits, engine) };
                return fill(sentence, &[&self.seconds(waits), &self.seconds(step)]);
            }
        };
        let training = step - generating - after;
        fill(sentence, &[&self.share(generating), &self.share(training)])
    }

    /// All about a bar, line by line.
    fn about(&self, bar: &Bar) -> Vec<String> {
        let (word, seconds) = (self.lang.word(bar.name), self.seconds(bar.seconds));
        let ends =
            [bar.start, bar.start + bar.seconds].map(|s| if s > 0.0 { format::seconds(s) } else { "0".to_owned() });
        let mut lines = vec![
            format!("{word}{SEPARATOR}{seconds}{SEPARATOR}{}", self.share(bar.seconds)),
            fill(self.lang.sheets().from_to, &[&ends[0], &ends[1]]),
        ];
        if let Some(phase) = self.phase(bar) {
            let parts: Vec<_> = parts(phase).collect();
            // A phase of one part says no more by it.
            if parts.len() > 1 {
                lines.extend(
                    parts
                        .into_iter()
                        .map(|(_, part, s)| format!("{}{SEPARATOR}{}", self.lang.word(part), self.seconds(s))),
                );
            }
        }
        lines
    }

    fn table(&self) -> Table {
        let (text, sheet) = (self.lang.text(), self.lang.sheets());
        let rows = self.bars.iter().map(|bar| {
            let cells = [
                cell(self.lang.word(bar.lane)),
                cell(self.lang.word(bar.name)),
                cell(format::seconds(bar.start)),
                cell(format::seconds(bar.seconds)),
            ];
            row(Stands::Plain, cells)
        });
        let columns = vec![
            column(sheet.role, Holds::Names),
            column(text.phase, Holds::Words),
            column(sheet.starts_s, Holds::Numbers),
            column(sheet.takes_s, Holds::Numbers),
        ];
        Table::new(sheet.timeline, Tabled::Numbers, columns, rows.collect())
    }

    /// The schedules to choose from.
    fn switch(&self) -> Switch {
        let lang = self.lang;
        let places = Schedule::ALL.into_iter().map(|schedule| {
            let word = schedule.as_str();
            let button = Button::new(Look::Place, lang.word(word), Action::put(Field::Schedule, word));
            button.called(format!("schedule-{word}")).pressed(schedule == self.schedule)
        });
        Switch { name: lang.label(Field::Schedule).to_owned(), places: places.collect() }
    }
}

/// Left and top, width and height of each bar, wide enough for a finger however short: none stands beside another.
fn places(drawing: &Drawing) -> Vec<((i32, i32), (i32, i32))> {
    let wide = drawing.bars().into_iter().map(|((x, y), (width, height))| {
        let thin = (20 - width).max(0) / 2;
        ((x - thin, y), (width + 2 * thin, height))
    });
    wide.collect()
}

/// The sheet: nothing for a question without phases that a schedule orders.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Block> {
    let schedule = asked.question.workload.rl.as_ref()?.schedule;
    let schedule = schedule.unwrap_or_default();
    let phases = &asked.found.answer.time.phases;
    let phases: Vec<_> = phases.iter().map(|phase| (phase.name, phase.s)).collect();
    let served = asked.found.job.workload.teachers_pool().is_some();
    let placed = bars(&phases, schedule, served);
    let of = |lane: &'static str| placed.iter().filter(move |bar| bar.lane == lane);
    let step =
        Step { bars: LANES.into_iter().flat_map(of).copied().collect(), found: &asked.found, schedule, lang: ask.lang };
    let sheet = ask.lang.sheets();
    let drawing = step.chart().drawn(ask.width);
    let about = step.bars.iter().map(|bar| step.about(bar)).collect();
    let kinds = step.bars.iter().map(|bar| step.kind(bar)).collect();
    let targets = targets(places(&drawing), about);
    Some(Block::Figure(Figure {
        id: ID.to_owned(),
        title: sheet.timeline.to_owned(),
        how: String::new(),
        switch: Some(step.switch()),
        take: step.takeaway(),
        note: sheet.timeline_note.to_owned(),
        plot: Some((drawing, targets)),
        legend: legends(kinds, ask.lang),
        table: step.table(),
    }))
}
