//! Why not a textbook's layout: up to three that guides, a recipe and the framework's default would have, each with its own best
//! settings, beside the plan; and where the seconds go.

use shardwise_core::advice::textbook::{self, Book, Entry};
use shardwise_core::framework::Named;
use shardwise_core::ordered;
use shardwise_core::wire::{Fit, PlanSpec, plan_to_value};
use shardwise_core::{Answer, Evaluated, Question, defaults, evaluate_alone};

use super::parts::{signed, signed_usd};
use super::sure::dollars;
use crate::form::{Field, Form};
use crate::parts;
use crate::protocol::blocks::Row;
use crate::sheets::prelude::*;

/// How many layouts stand beside the plan.
const MOST: usize = 3;

/// How many differences are named.
const NAMED: usize = 3;

/// Shares of the step below which a difference is not named, and two plans take as long.
const NOTICEABLE: f64 = 0.005;

/// What the layout in short says already.
const SHORT: [Field; 7] = [
    Field::Backend,
    Field::TensorParallel,
    Field::PipelineParallel,
    Field::ContextParallel,
    Field::UlyssesParallel,
    Field::ExpertParallel,
    Field::ExpertTensorParallel,
];

/// A layout beside the plan, with its answer.
struct Rival {
    /// `veRL guide`.
    from: String,
    /// What it says.
    rule: &'static str,
    source: String,
    question: Question,
    found: Evaluated,
}

/// What an entry of the textbook says.
fn rule(id: &str, lang: Lang) -> &'static str {
    let words = lang.sheets();
    match id {
        "verl-fsdp" => words.wn_verl_fsdp,
        "verl-megatron" => words.wn_verl_megatron,
        "llmforge" => words.wn_llmforge,
        "megatron-dense" => words.wn_megatron_dense,
        "megatron-moe" => words.wn_megatron_moe,
        "parameters-per-gpu" => words.wn_parameters,
        "context-parallel-from-8192" => words.wn_long,
        _ => words.wn_recipe_sizes,
    }
}

/// What a run costs, else a step.
fn cost(answer: &Answer) -> String {
    match answer.run.and_then(|run| run.all_usd()) {
        Some(usd) => format::dollars(usd),
        None => answer.usd_per_step.map_or_else(|| "–".to_owned(), format::usd),
    }
}

/// What looks for layouts beside the plan.
struct Scene<'a> {
    asked: &'a Asked,
    lang: Lang,
    rivals: Vec<Rival>,
}

impl<'a> Scene<'a> {
    /// The framework that runs the plan.
    fn runner(&self) -> Option<&'static Named> {
        Named::of(self.asked.found.answer.framework?.id).ok()
    }

    /// Whether the plan is laid out as a question states.
    fn stands(&self, question: &Question) -> bool {
        let own = plan_to_value(&self.asked.found.answer.plan);
        let stated = question.plan.as_ref().map(plan_to_value).unwrap_or_default();
        let within = |(key, value): (&String, &serde_json::Value)| match value.as_object() {
            Some(inner) if key == "rollout" => inner.iter().all(|(key, value)| own["rollout"][key] == *value),
            _ => own[key] == *value,
        };
        stated.as_object().is_none_or(|stated| stated.iter().all(within))
    }

    /// Puts a layout beside the plan, where it is another and the question's model, machine and framework allow it.
    fn put(&mut self, from: String, rule: &'static str, source: String, question: Question) {
        if self.rivals.len() == MOST || self.stands(&question) {
            return;
        }
        let Ok(found) = evaluate_alone(&question) else { return };
        let known = |plan: &PlanSpec| found.answer.plan == *plan;
        let rivals = self.rivals.iter().map(|own| &own.found.answer.plan);
        if !rivals.chain([&self.asked.found.answer.plan]).any(known) {
            self.rivals.push(Rival { from, rule, source, question, found });
        }
    }

    fn put_entry(&mut self, entry: Entry) {
        let words = self.lang.sheets();
        let from = match entry.book {
            Book::Guide => words.wn_guide,
            Book::Paper => words.wn_paper,
            Book::Recipe => words.wn_recipe,
        };
        let rule = rule(entry.id, self.lang);
        self.put(fill(from, &[entry.by]), rule, entry.source.into_owned(), entry.question);
    }

    /// A guide, a recipe and the default; where there are fewer, further guides.
    fn look(&mut self) {
        let Asked { question, found, .. } = self.asked;
        let runner = self.runner();
        let mut guides = textbook::guides(question, found, runner.map(|own| own.id));
        while self.rivals.is_empty()
            && let Some(guide) = guides.next()
        {
            self.put_entry(guide);
        }
        if let Some(recipe) = textbook::recipe(question, found) {
            self.put_entry(recipe);
        }
        if let Some((own, layout)) = runner.and_then(|own| Some((own, defaults(own.id, &found.job)?))) {
            let words = self.lang.sheets();
            let from = fill(words.wn_default, &[own.name]);
            self.put(from, words.wn_unset, own.docs_url.to_owned(), textbook::stating(question, layout));
        }
        for guide in guides {
            self.put_entry(guide);
        }
        if self.rivals.len() < MOST {
            for thumb in textbook::thumbs(question, found) {
                self.put_entry(thumb);
            }
        }
        // What fits first, then the fastest.
        let rank = |own: &Rival| (!own.found.answer.fits, own.found.answer.step_time_s);
        ordered::sort(&mut self.rivals, &|a, b| {
            let (a, b) = (rank(a), rank(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
    }

    fn of(asked: &'a Asked, lang: Lang) -> Self {
        let mut scene = Self { asked, lang, rivals: Vec::new() };
        if asked.found.job.workload.generation.is_none() {
            scene.look();
        }
        scene
    }

    /// The settings beside the sizes that some layout states and that are not alike in all plans, in the order of the plan.
    fn stated(&self) -> Vec<Field> {
        let forms: Vec<Form> = self.rivals.iter().map(|own| Form::of(&own.question)).collect();
        let now = &self.asked.found.answer;
        let differs = |field: Field| {
            let own = parts::words(field, now, self.lang);
            self.rivals
                .iter()
                .any(|rival| parts::words(field, &rival.found.answer, self.lang) != own)
        };
        let states = |field: &Field| {
            let stated = forms.iter().any(|form| !form.get(*field).is_empty());
            field.is_plan() && !SHORT.contains(field) && stated && differs(*field)
        };
        Field::ALL.iter().copied().filter(states).collect()
    }

    /// A plan in words: its layout, and its own of the settings that some layout states.
    fn told(&self, found: &Evaluated, stated: &[Field]) -> [String; 2] {
        let layout = words::plan_in_short(&found.answer.plan, training_gpus(&found.job));
        let settings = stated.iter().map(|field| {
            let words = parts::words(*field, &found.answer, self.lang);
            match field {
                Field::RolloutTensorParallel => format!("{} {words}", self.lang.text().row_rollout),
                _ => words,
            }
        });
        [layout, settings.collect::<Vec<_>>().join(" · ")]
    }

    fn named(&self, part: &'static str) -> &'static str {
        // Of memory it is something else.
        self.lang.word(if part == "optimizer" { "optimizer_step" } else { part })
    }

    /// What takes longer or shorter than in the plan, by how much, the most first.
    fn differences(&self, own: &Answer) -> String {
        let now = &self.asked.found.answer;
        let parts = own.time.parts.entries().into_iter().zip(now.time.parts.entries());
        let mut all: Vec<(&'static str, f64)> = parts.map(|((name, own), (_, now))| (name, own - now)).collect();
        all.retain(|(_, s)| s.abs() >= NOTICEABLE * now.step_time_s);
        ordered::sort(&mut all, &|a, b| b.1.abs().total_cmp(&a.1.abs()));
        let named = all.into_iter().take(NAMED).map(|(name, s)| {
            let seconds = signed(format::seconds(s));
            format!("{} {seconds}\u{a0}{}", self.named(name), self.lang.text().seconds_unit)
        });
        let named: Vec<String> = named.collect();
        if named.is_empty() { self.lang.sheets().wn_alike.to_owned() } else { named.join(" · ") }
    }

    /// How sure it is to fit; what is lacking, where it is not.
    fn fits(&self, own: &Fit) -> Cell {
        let words = self.lang.sheets();
        let mut line = vec![tag(own.state.into(), fit::short(own.state, own.probability, self.lang))];
        let of = |sentence, needed, whole| fill(sentence, &[&format::gib(needed), &format::gib(whole)]);
        let host = own.host.as_ref().and_then(|host| Some((host.needed_gib, host.capacity_gib?)));
        let lacks = match host {
            _ if own.state.fits() => None,
            _ if own.needed_gib > own.capacity_gib => Some(of(words.alt_lacks, own.needed_gib, own.capacity_gib)),
            Some((needed, whole)) if needed > whole => Some(of(words.wn_host, needed, whole)),
            _ => None,
        };
        line.extend(lacks.into_iter().flat_map(|lacks| [run(" "), quiet(lacks)]));
        runs(line)
    }

    /// A figure, with what it is more than the plan's.
    fn beside(figure: String, more: Option<String>) -> Cell {
        let mut line = vec![run(figure)];
        line.extend(more.into_iter().flat_map(|more| [run(" "), quiet(more)]));
        runs(line)
    }

    fn own_row(&self, stated: &[Field]) -> Row {
        let words = self.lang.sheets();
        let Asked { question, found, .. } = self.asked;
        let [layout, settings] = self.told(found, stated);
        let form = Form::of(question);
        let set = Field::ALL
            .iter()
            .any(|field| field.is_searched() && !form.get(*field).is_empty());
        let answer = &found.answer;
        row(
            Stands::Own,
            [
                runs(vec![run(layout), run(" "), quiet(settings)]),
                cell(if set { words.wn_own } else { self.lang.text().chip_found }),
                cell(format::seconds(answer.step_time_s)),
                cell(cost(answer)),
                self.fits(&answer.fit),
                cell(words.wn_chosen),
                cell(""),
            ],
        )
    }

    fn row(&self, (place, own): (usize, &Rival), stated: &[Field]) -> Row {
        let words = self.lang.sheets();
        let (now, answer) = (&self.asked.found.answer, &own.found.answer);
        let [layout, settings] = self.told(&own.found, stated);
        let seconds = answer.step_time_s - now.step_time_s;
        let (usd, of_run) = dollars(now, seconds);
        let more = usd.map(|usd| signed_usd(usd, if of_run { format::dollars } else { format::usd }));
        let button = Button::new(Look::Small, words.wn_use, Action::ask(&own.question));
        row(
            if answer.fit.state.fits() { Stands::Plain } else { Stands::Off },
            [
                runs(vec![run(layout.clone()), run(" "), quiet(settings)]),
                runs(vec![link(own.source.clone(), own.from.clone()), run(" "), quiet(own.rule)]),
                Self::beside(format::seconds(answer.step_time_s), Some(signed(format::seconds(seconds)))),
                Self::beside(cost(answer), more),
                self.fits(&answer.fit),
                cell(self.differences(answer)),
                runs(vec![button.called(format!("whynot-{place}")).about(layout).into()]),
            ],
        )
    }

    fn table(&self) -> Table {
        let words = self.lang.sheets();
        let run = self.asked.found.answer.run.is_some();
        let columns = vec![
            column(words.layout, Holds::Names),
            column(words.wn_from, Holds::Words),
            column(words.step_s, Holds::Numbers),
            column(if run { words.wn_run } else { words.wn_cost }, Holds::Numbers),
            column(self.lang.text().fits_short, Holds::Words),
            column(words.wn_where, Holds::Remarks),
            column(self.lang.text().action, Holds::Actions),
        ];
        let stated = self.stated();
        let rows = self.rivals.iter().enumerate().map(|own| self.row(own, &stated));
        let rows = std::iter::once(self.own_row(&stated)).chain(rows).collect();
        Table::new(words.wn_table, Tabled::Layouts, columns, rows)
    }

    /// Every part of the step, of all.
    fn parts(&self) -> Block {
        let words = self.lang.sheets();
        let now = &self.asked.found.answer;
        let answers = || std::iter::once(now).chain(self.rivals.iter().map(|own| &own.found.answer));
        let line = |name: &str, of: &dyn Fn(&Answer) -> f64| {
            let figure = |s: f64| if s == 0.0 { String::new() } else { format::seconds(s) };
            let figures = answers().map(|own| cell(figure(of(own))));
            row(Stands::Plain, std::iter::once(cell(name)).chain(figures).collect::<Vec<Cell>>())
        };
        let names = now.time.parts.entries().into_iter().enumerate();
        let mut rows: Vec<Row> = names
            .filter(|(place, _)| answers().any(|own| own.time.parts.entries()[*place].1 > 0.0))
            .map(|(place, (name, _))| line(self.named(name), &|own| own.time.parts.entries()[place].1))
            .collect();
        if answers().any(|own| own.time.hidden_s > 0.0) {
            rows.push(line(words.wn_at_once, &|own| -own.time.hidden_s));
        }
        rows.push(line(words.wn_sum, &|own| own.step_time_s));
        let heads = self.rivals.iter().map(|own| own.from.as_str());
        let heads = std::iter::once(words.wn_plan).chain(heads);
        let columns = std::iter::once(column("", Holds::Names)).chain(heads.map(|name| column(name, Holds::Numbers)));
        let table = Table::new(words.wn_parts, Tabled::Seconds, columns.collect(), rows);
        fold("whynot-parts", words.wn_parts, "", vec![Block::Table(table)])
    }

    /// What the best of the textbook comes to, in a sentence.
    fn takeaway(&self) -> String {
        let words = self.lang.sheets();
        let now = &self.asked.found.answer;
        let best = self.rivals.iter().find(|own| own.found.answer.fits);
        let Some(best) = best else { return words.wn_none_fits.to_owned() };
        let seconds = best.found.answer.step_time_s - now.step_time_s;
        let share = seconds / now.step_time_s;
        let told = format::seconds(seconds.abs());
        match dollars(now, seconds) {
            _ if share.abs() < NOTICEABLE => fill(words.wn_same, &[&best.from]),
            _ if share < 0.0 => fill(words.wn_faster, &[&best.from, &told]),
            (Some(usd), true) => fill(words.wn_slower_run, &[&best.from, &told, &format::dollars(usd)]),
            _ => fill(words.wn_slower, &[&best.from, &told]),
        }
    }
}

pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Block {
    let words = ask.lang.sheets();
    let scene = Scene::of(asked, ask.lang);
    let blocks = if scene.rivals.is_empty() {
        vec![said(Kind::Quiet, words.wn_textbook)]
    } else {
        vec![
            said(Kind::Take, scene.takeaway()),
            Block::Table(scene.table()),
            scene.parts(),
            said(Kind::Note, words.wn_note),
        ]
    };
    Section::block("", Purpose::Group, blocks)
}

#[cfg(test)]
mod tests;
