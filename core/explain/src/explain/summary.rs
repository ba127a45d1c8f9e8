//! The figures of the verdict: throughput, cost, the run, MFU.

use super::super::expression::Expression;
use super::super::number::Unit;
use super::super::sheet::{Explanation, Sheet};
use super::{Source, sums};
use shardwise_catalog::catalog::Offer;
use shardwise_catalog::hardware::{HOURS_OF_A_YEAR, Owned, Rentable};
use shardwise_catalog::units::fixed;
use shardwise_engine::flops;
use shardwise_engine::possible::peak;
use shardwise_engine::role::Head;
use shardwise_engine::step::recomputed_share;
use shardwise_engine::tower::Tower;
use shardwise_question::job::Timed;
use shardwise_question::operations::{NODE_FACTOR, UTILIZATION};
use shardwise_question::wire::{Answer, Calibration};
use shardwise_search::caveats::factors;

/// The figures of the verdict that an answer has.
pub(super) fn figures(answer: &Answer) -> Vec<String> {
    let mut all = vec![
        "tokens_per_s_per_gpu",
        "tokens_per_s",
        "mtok_per_hour",
        "step_time",
        "mfu",
        "hfu",
        "model_tflops_per_gpu",
    ];
    if answer.usd_per_mtok.is_some() {
        all.extend(["usd_per_gpu_hour", "usd_per_mtok", "usd_per_step"]);
    }
    if let Some(run) = answer.run {
        all.push("run.hours");
        if run.usd.is_some() {
            all.push("run.usd");
        }
    }
    all.extend(["memory", "memory.peak", "memory.capacity", "memory.spare"]);
    if answer.time.hidden_s > 0.0 {
        all.push("time.hidden");
    }
    all.into_iter().map(str::to_owned).collect()
}

/// The explanation of one of them, or of a sum over a phase.
pub(super) fn of(source: &Source<'_>, figure: &str, path: &[&str]) -> Option<Explanation> {
    match path {
        ["tokens_per_s_per_gpu"] => Some(throughput(source, figure, true)),
        ["tokens_per_s"] => Some(throughput(source, figure, false)),
        ["mtok_per_hour"] => Some(per_hour(source, figure)),
        ["usd_per_gpu_hour"] => price(source, figure),
        ["usd_per_mtok"] => per_mtok(source, figure),
        ["usd_per_step"] => per_step(source, figure),
        ["run", "hours"] => run_hours(source, figure),
        ["run", "usd"] => run_usd(source, figure),
        ["mfu" | "hfu" | "model_tflops_per_gpu"] => Some(utilization(source, figure)),
        ["step_time"] => Some(sums::step_time(source, figure)),
        ["time", "hidden"] => sums::hidden(source, figure),
        ["time", phase] => sums::phase_time(source, figure, phase),
        ["memory"] => sums::reserved(source, figure, source.answer().memory.phase),
        ["memory", "peak"] => sums::peak(source, figure),
        ["memory", "capacity"] => Some(sums::capacity(source, figure)),
        ["memory", "spare"] => Some(sums::spare(source, figure)),
        ["memory", phase] => sums::reserved(source, figure, phase),
        _ => None,
    }
}

/// Tokens of a step: sequences times their mean length.
fn tokens(source: &Source<'_>, sheet: &mut Sheet) -> Expression {
    let workload = &source.found.job.workload;
    if let Some(rl) = &workload.rl {
        let prompts = sheet.term("prompts_per_step", rl.prompts_per_step as f64, Unit::One, "prompts of a step");
        let responses = sheet.term("n", rl.responses_per_prompt as f64, Unit::One, "responses per prompt");
        let prompt = sheet.term("prompt_length", rl.mean_prompt_length, Unit::Tokens, "mean tokens of a prompt");
        return prompts * responses * (prompt + response(sheet, rl.mean_response_length));
    }
    if let Some(own) = &workload.generation {
        return requests(sheet, own.requests) * response(sheet, own.mean_response_length);
    }
    let each = workload.sequences_per_example();
    let meaning = if each > 1 { "pairs of a step" } else { "sequences of a step" };
    let batch = sheet.term("global_batch", workload.global_batch as f64, Unit::One, meaning);
    let batch = sheet.scaled(batch, "responses", each as f64, "responses of a pair");
    let length = sheet.term(
        "seq_length",
        workload.mean_sequence_length,
        Unit::Tokens,
        "mean tokens of a sequence, padding not counted",
    );
    batch * length
}

fn requests(sheet: &mut Sheet, count: u64) -> Expression {
    let meaning = "requests";
    sheet.term("requests", count as f64, Unit::One, meaning)
}

fn response(sheet: &mut Sheet, length: f64) -> Expression {
    let meaning = "mean tokens of a response";
    sheet.term("response_length", length, Unit::Tokens, meaning)
}

/// Seconds of a step.
pub(super) fn step_seconds(source: &Source<'_>, sheet: &mut Sheet) -> Expression {
    let meaning = "seconds of a step";
    let seconds = source.answer().step_time_s;
    sheet.part("t", seconds, Unit::Seconds, meaning, "step_time")
}

pub(super) fn all_gpus(source: &Source<'_>, sheet: &mut Sheet) -> Expression {
    let gpus = source.found.job.gpus();
    sheet.term("GPUs", gpus.into(), Unit::Gpus, "all GPUs")
}

fn throughput(source: &Source<'_>, figure: &str, per_gpu: bool) -> Explanation {
    let mut sheet = Sheet::new();
    let tokens = tokens(source, &mut sheet);
    let time = step_seconds(source, &mut sheet);
    let (below, title) = if per_gpu {
        let gpus = all_gpus(source, &mut sheet);
        (time * gpus, "Throughput, tokens/s/GPU")
    } else {
        (time, "Throughput, tokens/s")
    };
    calibrated(source, &mut sheet);
    let expression = tokens / below;
    sheet.finish(figure, "throughput", title, "throughput", expression, Unit::TokensPerS)
}

/// Says that a question's own run changes times.
pub(super) fn calibrated(source: &Source<'_>, sheet: &mut Sheet) {
    let job = &source.found.job;
    if let Some(own) = job.calibration.filter(Calibration::has_phases) {
        let times = factors(&Calibration { memory: None, ..own });
        sheet.note(format!("Times are calibrated with a run of your own: {times}."));
        return;
    }
    let factor = job.time_factor(Timed::Else);
    if factor != 1.0 {
        let factor = fixed(factor, 2);
        sheet.note(format!("Times are calibrated with a run of your own: × {factor}."));
    }
}

fn total_throughput(source: &Source<'_>, sheet: &mut Sheet) -> Expression {
    let meaning = "tokens per second over all GPUs";
    let rate = source.answer().tokens_per_s;
    sheet.part("throughput", rate, Unit::TokensPerS, meaning, "tokens_per_s")
}

fn per_hour(source: &Source<'_>, figure: &str) -> Explanation {
    let mut sheet = Sheet::new();
    let expression = total_throughput(source, &mut sheet) * 3600.0 / 1e6;
    let title = "Million tokens per hour";
    sheet.finish(figure, "throughput", title, "MT/h", expression, Unit::MtokPerHour)
}

/// Says whose price it is, and where that stands.
fn list_price(offer: &Offer, sheet: &mut Sheet) {
    let when = offer.dated();
    sheet.note(format!(
        "The price of {} at {} ({}), of {when}, by GPU.",
        offer.instance(),
        offer.provider(),
        offer.kind.as_str()
    ));
    sheet.source(&format!("Price list, {when}"), offer.url());
}

pub(super) fn gpu_price(source: &Source<'_>, sheet: &mut Sheet) -> Option<Expression> {
    let usd = source.answer().usd_per_gpu_hour?;
    let hardware = &source.found.job.hardware;
    let typical = hardware.price_source.filter(|_| hardware.priced_by.is_none());
    let meaning = match (hardware.owned, &hardware.offer, typical) {
        (Some(_), ..) => "what an hour of a GPU of your own costs",
        (None, Some(Rentable::Own(row)), _) => {
            let name = row.instance.as_deref().unwrap_or(row.gpu.name);
            sheet.note(format!("The price of {name} in your price sheet, by GPU."));
            "your price of a GPU hour"
        }
        (None, Some(Rentable::Listed(offer)), _) => {
            list_price(offer, sheet);
            "the offer's price of a GPU hour"
        }
        (None, None, Some(from)) => {
            let date = from.date;
            sheet.note(format!(
                "The catalog's price, of {date}: the median over providers of what each asks on demand."
            ));
            sheet.source(&format!("Price list, {date}"), from.url);
            "the catalog's price of a GPU hour"
        }
        (None, None, None) => match hardware.priced_by {
            Some(offer) => {
                list_price(offer, sheet);
                "the least price on demand for so many GPUs, by the GPU hour"
            }
            None => "your price of a GPU hour",
        },
    };
    Some(sheet.part("price", usd, Unit::UsdPerHour, meaning, "usd_per_gpu_hour"))
}

fn price(source: &Source<'_>, figure: &str) -> Option<Explanation> {
    let mut sheet = Sheet::new();
    let title = "Price per GPU and hour";
    let (method, expression) = match &source.found.job.hardware.owned {
        Some(own) => ("own-machines", owned(source, own, &mut sheet)),
        None => ("price", gpu_price(source, &mut sheet)?),
    };
    Some(sheet.finish(figure, method, title, "$/h", expression, Unit::UsdPerHour))
}

/// The price of an hour by what the machine costs its owner.
fn owned(source: &Source<'_>, own: &Owned, sheet: &mut Sheet) -> Expression {
    let cost =
        sheet.term("cost", own.usd_per_gpu, Unit::Usd, "purchase price of one GPU with its share of the machine");
    let years = sheet.term("years", own.years, Unit::One, "years over which it is written off");
    let used = sheet.term("used", own.utilization, Unit::One, "share of all hours in which it works");
    let watts = match own.rated_w {
        None => sheet.term("W", own.watts, Unit::Watts, "power of one GPU with its share of the machine"),
        Some(rated) => {
            if let Some(from) = source.found.job.hardware.board_source {
                sheet.source("Rated power", from.url);
            }
            let board = sheet.term("board", rated, Unit::Watts, "power that one GPU is rated at");
            let node = sheet.term("node", NODE_FACTOR, Unit::One, "what a node is rated at over what its GPUs are");
            board * node * sheet.term("utilization", UTILIZATION, Unit::One, "mean power over rated power")
        }
    };
    let pue = sheet.term("PUE", own.pue, Unit::One, "power of the site over that of its computers");
    let kwh = sheet.term("kWh", own.usd_per_kwh, Unit::Usd, "price of a kilowatt-hour");
    sheet.note("Space, people, interest and the power of hours without work are not in it.");
    cost / (years * HOURS_OF_A_YEAR * used) + watts * pue * kwh / 1000.0
}

fn per_mtok(source: &Source<'_>, figure: &str) -> Option<Explanation> {
    let mut sheet = Sheet::new();
    let price = gpu_price(source, &mut sheet)?;
    let gpus = all_gpus(source, &mut sheet);
    let meaning = "million tokens per hour";
    let rate = source.answer().mtok_per_hour;
    let rate = sheet.part("MT/h", rate, Unit::MtokPerHour, meaning, "mtok_per_hour");
    sheet.note("Startup, storage and checkpoints are not in it.");
    let title = "Cost per million tokens";
    let expression = price * gpus / rate;
    Some(sheet.finish(figure, "cost", title, "$/MT", expression, Unit::Usd))
}

fn per_step(source: &Source<'_>, figure: &str) -> Option<Explanation> {
    let mut sheet = Sheet::new();
    let price = gpu_price(source, &mut sheet)?;
    let gpus = all_gpus(source, &mut sheet);
    let expression = price * gpus * step_seconds(source, &mut sheet) / 3600.0;
    let title = "Cost of a step";
    Some(sheet.finish(figure, "cost", title, "$", expression, Unit::Usd))
}

fn run_hours(source: &Source<'_>, figure: &str) -> Option<Explanation> {
    let mut sheet = Sheet::new();
    let tokens = sheet.term("tokens", source.answer().run?.tokens, Unit::Tokens, "tokens of the run");
    let expression = tokens / (total_throughput(source, &mut sheet) * 3600.0);
    let title = "Hours of the run";
    Some(sheet.finish(figure, "run", title, "hours", expression, Unit::Hours))
}

fn run_usd(source: &Source<'_>, figure: &str) -> Option<Explanation> {
    let hours = source.answer().run?.hours;
    let mut sheet = Sheet::new();
    let price = gpu_price(source, &mut sheet)?;
    let gpus = all_gpus(source, &mut sheet);
    let meaning = "hours of the run";
    let hours = sheet.part("hours", hours, Unit::Hours, meaning, "run.hours");
    let title = "Cost of the run";
    let expression = price * gpus * hours;
    Some(sheet.finish(figure, "cost", title, "$", expression, Unit::UsdOfRun))
}

/// Operations of a step: of weights, of adapters and of attention, for every token.
fn operations(source: &Source<'_>, sheet: &mut Sheet) -> Expression {
    let job = &source.found.job;
    let (model, workload) = (&job.model, &job.workload);
    let length = workload.attended_length();
    let adapters = source.context.visited_adapters(source.found.plan.layout.backend);
    // Forward pass, gradient of the input, gradient of the weight; a frozen one has none.
    let (times, passes) = match (&workload.generation, workload.full_parameter()) {
        (Some(_), _) => (2.0, 1.0),
        (None, true) => (6.0, 3.0),
        (None, false) => (4.0, 3.0),
    };
    let weights = flops::matmul_weights(model) as f64;
    let attention = flops::forward_per_token(model, length).get() - 2.0 * weights;
    let weights = match source.context.actor().head {
        Head::Vocabulary => sheet.term(
            "N",
            weights,
            Unit::Parameters,
            "weights that multiply a token: active ones, LM head included, embedding not",
        ),
        Head::Scalar => sheet.term(
            "N",
            weights - (model.shape.hidden_size * model.shape.vocab_size) as f64,
            Unit::Parameters,
            "weights that multiply a token: active ones, embedding not; scores need no LM head",
        ),
    };
    let mut each = Expression::Number(times) * weights;
    if workload.generation.is_none() && !workload.full_parameter() {
        let adapters = sheet.term("A", adapters as f64, Unit::Parameters, "adapter weights that a token visits");
        each = each + Expression::Number(6.0) * adapters;
    }
    let attention = sheet.term(
        "attention",
        attention * passes,
        Unit::Operations,
        "attention's operations per token: scores and weighted sums",
    );
    let tokens = match &workload.generation {
        Some(own) => {
            let length = sheet.term("length", length, Unit::Tokens, "mean tokens of prompt and response");
            requests(sheet, own.requests) * length
        }
        None => tokens(source, sheet),
    };
    let mut per_token = each + attention;
    let images = source.context.images_per_token(Tower::training_flops).get();
    if images > 0.0 {
        let meaning = "the vision tower's operations for each token of an example: of its images, over its mean length";
        per_token = per_token + sheet.term("images", images, Unit::Operations, meaning);
    }
    let all = per_token * tokens;
    let epochs = workload.rl.as_ref().map_or(1, |rl| rl.epochs);
    sheet.scaled(all, "epochs", epochs as f64, "passes over the samples")
}

/// MFU, HFU, or model TFLOPS per GPU.
fn utilization(source: &Source<'_>, figure: &str) -> Explanation {
    let mut sheet = Sheet::new();
    let job = &source.found.job;
    let workload = &job.workload;
    let mut above = operations(source, &mut sheet);
    if figure == "hfu" && workload.generation.is_none() {
        let layout = &source.found.plan.layout;
        let share = recomputed_share(source.context, layout, workload.attended_length());
        let meaning = "operations with recomputation over those without";
        above = sheet.scaled(above, "recompute", 1.0 + share, meaning);
    }
    let below = step_seconds(source, &mut sheet) * all_gpus(source, &mut sheet);
    if figure == "model_tflops_per_gpu" {
        let title = "Model TFLOPS per GPU";
        let expression = above / below;
        return sheet.finish(figure, "mfu", title, "TFLOPS", expression, Unit::Tflops);
    }
    let peak = sheet.term(
        "peak",
        peak(job, &source.found.plan),
        Unit::Tflops,
        "dense peak of the card in the workload's precision",
    );
    let (method, title) = if figure == "hfu" { ("hfu", "HFU") } else { ("mfu", "MFU") };
    let expression = above / (below * peak);
    sheet.finish(figure, method, title, title, expression, Unit::Percent)
}
