//! What a run's log says beside the estimate of its question, and the press that has all estimates follow it.

use super::super::words::{name, words_of};
use super::{list, word, word_at};
use crate::protocol::blocks::{Row, words};
use crate::sheets::prelude::*;
use crate::text::your_run;
use crate::words::asked;

/// The sheet of a log: `run` is what `shardwise calibrate` prints of it.
pub(super) fn sheet(run: &Value, lang: Lang) -> Vec<Block> {
    let sheet = lang.sheets();
    let log = &run["log"];
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let steps = format::grouped(log["steps"].as_u64().unwrap_or_default());
    let line = fill(sheet.log_steps, &[&steps, &format::seconds(number(&log["step_time_s"]))]);
    let mut blocks = vec![prose(Kind::Summary, vec![strong(word(log, "framework")), words(" "), words(line)])];
    let question = question_from_value(run["question"].clone()).ok();
    let job = question.as_ref().and_then(|own| shardwise_core::job::resolve(own).ok());
    blocks.extend(job.map(|job| said(Kind::Asked, asked(&job, lang))));
    let Some(question) = question else {
        let [field, why] = [0, 1].map(|at| word_at(&run["refused"], at));
        let why = words_of(why, lang);
        let why = if field.is_empty() { why } else { format!("{}{}{why}", name(field, lang), lang.colon()) };
        // On other GPUs than those that it ran on, nothing is wrong with the log.
        blocks.push(match super::row::untold(run) {
            true => said(Kind::Request, lang.said(&your_run::UNTOLD)),
            false => said(Kind::Refusal, format!("{why} {}", sheet.log_question)),
        });
        blocks.extend(super::row::fold(run, lang));
        return blocks;
    };
    let times = |measured: f64, estimated: f64| {
        let times =
            if estimated > 0.0 { format!("×\u{a0}{}", format::fixed(measured / estimated, 2)) } else { String::new() };
        [format::seconds(measured), format::seconds(estimated), times].map(cell)
    };
    let line = |name: &str, own: &Value, stands| {
        let figures = times(number(&own["measured_s"]), number(&own["estimated_s"]));
        row(stands, std::iter::once(cell(name)).chain(figures).collect::<Vec<_>>())
    };
    let phases = list(run, "phases").iter();
    let mut rows: Vec<Row> = phases
        .map(|phase| line(lang.word(word(phase, "name")), phase, Stands::Plain))
        .collect();
    let step = &run["calibrated"]["step"];
    rows.push(line(lang.text().cal_step, step, Stands::Best));
    let heads = [sheet.log_measured, sheet.log_estimated, sheet.log_factor];
    let heads = heads.map(|name| column(name, Holds::Numbers));
    let columns = std::iter::once(column(lang.text().phase, Holds::Names)).chain(heads);
    blocks.push(Block::Table(Table::new(sheet.log_table, Tabled::Seconds, columns.collect(), rows)));
    let gaps = list(run, "gaps");
    if !gaps.is_empty() {
        let gap = |own: &Value| {
            let name = lang.word(word(own, "phase"));
            let why = words_of(word(own, "text"), lang);
            let line = vec![strong(name), words(" "), words(why), words(" "), link(word(own, "source"), sheet.source)];
            Entry { tone: Tone::Info, ..Entry::new([line]) }
        };
        blocks.push(said(Kind::Hint, sheet.log_gaps));
        blocks.push(entries(Listed::Findings, gaps.iter().map(gap)));
    }
    let all = Button {
        actions: vec![Action::ask(&question), Action::Close],
        ..Button::new(Look::First, sheet.log_apply, Action::Close)
    };
    blocks.push(prose(Kind::Actions, vec![all.called("log-apply").into()]));
    blocks.extend(super::row::fold(run, lang));
    blocks
}
