//! Sentences that several parts of the page share.

use shardwise_core::catalog::{self, Offer};
use shardwise_core::emit::NAMES;
use shardwise_core::hardware::OWN_SHEET;
use shardwise_core::job::Job;
use shardwise_core::task::Preference;
use shardwise_core::wire::{PlanSpec, RecomputeGranularity, RecomputeSpec, Rental, RunBy};

use crate::format;
use crate::text::{Lang, fill};

/// A GPU type as a label: its catalog id in capitals.
pub(crate) fn gpu_label(id: &str) -> String {
    id.to_ascii_uppercase()
}

/// A framework with its version: `veRL 0.9.1`.
pub(crate) fn framework_name(own: RunBy) -> String {
    let named = NAMES.iter().find(|named| named.id == own.id);
    format!("{}\u{a0}{}", named.map_or(own.id, |named| named.name), own.version)
}

/// The question of a job without its sizes, short enough for a list.
pub(crate) fn asked_in_short(job: &Job, lang: Lang) -> String {
    let (gpus, gpu) = machine(job);
    fill(lang.text().asked_short, &[job.workload.kind.name(), &job.model.name, &gpus, &gpu])
}

/// The number of GPUs, with those of a teacher beside them, and their type.
fn machine(job: &Job) -> (String, String) {
    let own = format::grouped(job.hardware.gpus.into());
    let gpus = match job.workload.teachers_pool() {
        Some(pool) => format!("{own}\u{a0}+\u{a0}{}", format::grouped(pool.gpus.into())),
        None => own,
    };
    (gpus, gpu_label(&job.hardware.gpu))
}

/// The question of a job in one sentence.
pub(crate) fn asked(job: &Job, lang: Lang) -> String {
    let text = lang.text();
    let (gpus, gpu) = machine(job);
    let first = [lang.word(job.workload.kind.name()), &job.model.name, &gpus, &gpu];
    let whole = format::grouped;
    if let Some(rl) = &job.workload.rl {
        let rest = [
            whole(rl.prompts_per_step),
            whole(rl.responses_per_prompt),
            whole(rl.max_prompt_length),
            whole(rl.max_response_length),
        ];
        sentence(text.asked_rl, first, &rest)
    } else if let Some(run) = &job.workload.generation {
        let rest =
            [whole(run.requests), format::fixed(run.mean_prompt_length, 0), format::fixed(run.mean_response_length, 0)];
        sentence(text.asked_rollout, first, &rest)
    } else {
        let rest = [whole(job.workload.global_batch), whole(job.workload.sequence_length)];
        let pairs = job.workload.kind.preference().is_some_and(Preference::has_pairs);
        sentence(if pairs { text.asked_pairs } else { text.asked_train }, first, &rest)
    }
}

fn sentence(text: &str, first: [&str; 4], rest: &[String]) -> String {
    let values: Vec<&str> = first.into_iter().chain(rest.iter().map(String::as_str)).collect();
    fill(text, &values)
}

/// Backend and layout of a plan: `FSDP · DP 8`; empty for generation alone.
pub(crate) fn plan_in_short(plan: &PlanSpec, gpus: u32) -> String {
    plan.backend
        .map(|code| format!("{} · {}", code.name(), layout(plan, gpus)))
        .unwrap_or_default()
}

/// The dimensions of a plan that split something, in short: `TP 2 · DP 4`.
pub(crate) fn layout(plan: &PlanSpec, gpus: u32) -> String {
    let of = |value: Option<u64>| value.unwrap_or(1).max(1);
    let split =
        [of(plan.tensor_parallel), of(plan.pipeline_parallel), of(plan.context_parallel), of(plan.ulysses_parallel)];
    let replicas = (u64::from(gpus) / split.iter().product::<u64>().max(1)).max(1);
    let dimensions = [
        ("TP", split[0]),
        ("PP", split[1]),
        ("CP", split[2]),
        ("SP", split[3]),
        ("EP", of(plan.expert_parallel)),
        ("ETP", of(plan.expert_tensor_parallel)),
    ];
    let mut parts: Vec<String> = dimensions
        .into_iter()
        .filter(|(_, degree)| *degree > 1)
        .map(|(name, degree)| format!("{name}\u{a0}{degree}"))
        .collect();
    parts.push(format!("DP\u{a0}{replicas}"));
    parts.join(" · ")
}

/// What one forward pass takes, as a plan states it.
pub(crate) fn batch(plan: &PlanSpec, lang: Lang) -> String {
    let text = lang.text();
    match (plan.max_tokens_per_gpu, plan.micro_batch) {
        (Some(tokens), _) => fill(text.chip_tokens, &[&format::grouped(tokens)]),
        (None, Some(sequences)) => fill(text.chip_sequences, &[&format::grouped(sequences)]),
        (None, None) => String::new(),
    }
}

/// The word of a recomputation.
pub(crate) fn recompute(plan: &PlanSpec) -> &'static str {
    let granularity = plan.recompute.as_ref().map(|recompute| match recompute {
        RecomputeSpec::Word(granularity) | RecomputeSpec::Modules { granularity, .. } => *granularity,
    });
    match granularity {
        Some(RecomputeGranularity::Selective) => "selective",
        Some(RecomputeGranularity::Full) => "full",
        Some(RecomputeGranularity::None) | None => "none",
    }
}

/// What a plan keeps in host memory, in words; empty for nothing.
pub(crate) fn offload(plan: &PlanSpec, lang: Lang) -> String {
    let offload = plan.offload.unwrap_or_default();
    let parts =
        [("p", offload.parameters), ("g", offload.gradients), ("o", offload.optimizer), ("a", offload.activations)];
    let mut named: Vec<String> = parts
        .into_iter()
        .filter(|(_, on)| *on)
        .map(|(letter, _)| lang.word(letter).to_owned())
        .collect();
    let on_cpus = lang.word("c");
    named.extend(plan.optimizer_offload_fraction.map(|share| {
        if share < 1.0 { format!("{on_cpus} ({})", format::percent(share, 0)) } else { on_cpus.to_owned() }
    }));
    let all = named.join(lang.of([", ", "、"]));
    let on_drives = plan.nvme_offload == Some(true) && !all.is_empty();
    if on_drives { format!("{all} (NVMe)") } else { all }
}

/// The day of a price, or that it is not known, with what was read where that says more than the commit of a list.
pub(crate) fn day(date: Option<&str>, listed: Option<&Offer>, lang: Lang) -> String {
    let undated = || {
        let from = listed.and_then(Offer::read_from).map(|from| lang.word(from));
        [Some(lang.text().prices_undated), from]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(lang.comma())
    };
    date.map_or_else(undated, str::to_owned)
}

/// The day of a rented machine's price.
pub(crate) fn priced_on(own: &Rental, lang: Lang) -> String {
    day(own.date.as_deref(), catalog::offer(&own.id), lang)
}

/// Who rents a machine out: by name, or the reader's own price sheet.
pub(crate) fn provider(name: &str, lang: Lang) -> &str {
    if name == OWN_SHEET { lang.text().prices_sheet } else { name }
}

/// Who rents a machine out, at what price of which day.
pub(crate) fn offer(own: &Rental, lang: Lang) -> String {
    let price = format::price(own.usd_per_gpu_hour);
    fill(
        lang.text().rent_hint,
        &[provider(&own.provider, lang), &own.instance, lang.word(own.kind.as_str()), &price, &priced_on(own, lang)],
    )
}

/// The lowest, the median and the highest of prices in their order; `None` where there are none.
pub(crate) fn spread(prices: &[f64]) -> Option<[String; 3]> {
    let ends = [prices.first()?, prices.get(prices.len() / 2)?, prices.last()?];
    Some(ends.map(|price| format::price(*price)))
}

#[cfg(test)]
mod tests {
    use super::{day, offer, priced_on};
    use crate::text::Lang;
    use shardwise_core::catalog;
    use shardwise_core::hardware::Rentable;
    use shardwise_core::wire::Rental;

    #[test]
    fn a_price_of_no_known_day_says_so_and_names_no_commit() {
        for (lang, unknown) in [(Lang::En, "date not known"), (Lang::Zh, "日期不详")] {
            for own in catalog::offers() {
                let said = day(own.date(), Some(own), lang);
                let rental = Rental::of(&Rentable::Listed(own), own.gpus.into());
                assert!(offer(&rental, lang).contains(&said) && priced_on(&rental, lang) == said, "{said}");
                match own.date() {
                    Some(date) => assert_eq!(said, date),
                    None => assert!(said.starts_with(unknown), "{said}"),
                }
                let commit = |word: &str| word.len() == 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
                assert!(!said.split([' ', ',', '，']).any(commit), "{said}");
                // What was read is a document's name, in the page's language.
                assert!(lang == Lang::En || !said.contains("document"), "{said}");
            }
            assert_eq!(day(None, None, lang), unknown);
        }
    }
}
