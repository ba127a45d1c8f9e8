//! The figures of the verdict: throughput, cost, the run, MFU.

use super::super::expression::Expression;
use super::super::number::Unit;
use super::super::sheet::{Explanation, Sheet};
use super::{Source, sums};
use shardwise_catalog::units::fixed;
use shardwise_engine::flops;
use shardwise_engine::possible::peak;
use shardwise_engine::step::recomputed_share;
use shardwise_question::wire::Answer;

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
        let prompts = sheet.term(
            "prompts_per_step",
            rl.prompts_per_step as f64,
            Unit::One,
            ("prompts of a step", "每步的提示词数"),
        );
        let responses =
            sheet.term("n", rl.responses_per_prompt as f64, Unit::One, ("responses per prompt", "每个提示词的回答数"));
        let prompt = sheet.term(
            "prompt_length",
            rl.mean_prompt_length,
            Unit::Tokens,
            ("mean tokens of a prompt", "提示词的平均 token 数"),
        );
        return prompts * responses * (prompt + response(sheet, rl.mean_response_length));
    }
    if let Some(own) = &workload.generation {
        return requests(sheet, own.requests) * response(sheet, own.mean_response_length);
    }
    let batch =
        sheet.term("global_batch", workload.global_batch as f64, Unit::One, ("sequences of a step", "每步的序列数"));
    let length = sheet.term(
        "seq_length",
        workload.mean_sequence_length,
        Unit::Tokens,
        ("mean tokens of a sequence, padding not counted", "序列的平均 token 数，不含填充"),
    );
    batch * length
}

fn requests(sheet: &mut Sheet, count: u64) -> Expression {
    let meaning = ("requests", "请求数");
    sheet.term("requests", count as f64, Unit::One, meaning)
}

fn response(sheet: &mut Sheet, length: f64) -> Expression {
    let meaning = ("mean tokens of a response", "回答的平均 token 数");
    sheet.term("response_length", length, Unit::Tokens, meaning)
}

/// Seconds of a step.
pub(super) fn step_seconds(source: &Source<'_>, sheet: &mut Sheet) -> Expression {
    let meaning = sheet.language.pick("seconds of a step", "每步的时间");
    let seconds = source.answer().step_time_s;
    sheet.part("t", seconds, Unit::Seconds, meaning, "step_time")
}

fn all_gpus(source: &Source<'_>, sheet: &mut Sheet) -> Expression {
    let gpus = source.found.job.hardware.gpus;
    sheet.term("GPUs", gpus.into(), Unit::Gpus, ("all GPUs", "全部 GPU"))
}

fn throughput(source: &Source<'_>, figure: &str, per_gpu: bool) -> Explanation {
    let mut sheet = Sheet::new(source.language);
    let tokens = tokens(source, &mut sheet);
    let time = step_seconds(source, &mut sheet);
    let (below, title) = if per_gpu {
        let gpus = all_gpus(source, &mut sheet);
        (time * gpus, ("Throughput, tokens/s/GPU", "吞吐量，token/s/GPU"))
    } else {
        (time, ("Throughput, tokens/s", "吞吐量，token/s"))
    };
    calibrated(source, &mut sheet);
    let expression = tokens / below;
    let title = source.language.word(title).to_owned();
    sheet.finish(figure, "throughput", title, "throughput", expression, Unit::TokensPerS)
}

/// Says that a question's own run changes times.
pub(super) fn calibrated(source: &Source<'_>, sheet: &mut Sheet) {
    let factor = source.found.job.time_factor();
    if factor != 1.0 {
        let factor = fixed(factor, 2);
        sheet.note(
            format!("Times are calibrated with a run of your own: × {factor}."),
            format!("时间已用你自己的训练校准：× {factor}。"),
        );
    }
}

fn total_throughput(source: &Source<'_>, sheet: &mut Sheet) -> Expression {
    let meaning = sheet
        .language
        .pick("tokens per second over all GPUs", "全部 GPU 每秒的 token 数");
    let rate = source.answer().tokens_per_s;
    sheet.part("throughput", rate, Unit::TokensPerS, meaning, "tokens_per_s")
}

fn per_hour(source: &Source<'_>, figure: &str) -> Explanation {
    let mut sheet = Sheet::new(source.language);
    let expression = total_throughput(source, &mut sheet) * 3600.0 / 1e6;
    let title = ("Million tokens per hour", "每小时百万 token 数");
    let title = source.language.word(title).to_owned();
    sheet.finish(figure, "throughput", title, "MT/h", expression, Unit::MtokPerHour)
}

fn gpu_price(source: &Source<'_>, sheet: &mut Sheet) -> Option<Expression> {
    let usd = source.answer().usd_per_gpu_hour?;
    let language = sheet.language;
    let stated = match source.found.job.hardware.price_source {
        Some(from) => {
            let date = from.date;
            sheet.note(
                format!("The catalog's price, of {date}: the median over providers of what each asks on demand."),
                format!("目录价格，日期 {date}：各供应商按需标价的中位数。"),
            );
            let name = language.pick("Price list", "价格表");
            sheet.source(&format!("{name}, {date}"), from.url);
            ("the catalog's price of a GPU hour", "目录中每 GPU 小时的价格")
        }
        None => ("your price of a GPU hour", "你填写的每 GPU 小时价格"),
    };
    let meaning = language.word(stated);
    Some(sheet.part("price", usd, Unit::UsdPerHour, meaning, "usd_per_gpu_hour"))
}

fn price(source: &Source<'_>, figure: &str) -> Option<Explanation> {
    let mut sheet = Sheet::new(source.language);
    let expression = gpu_price(source, &mut sheet)?;
    let title = ("Price per GPU and hour", "每 GPU 小时价格");
    let title = source.language.word(title).to_owned();
    Some(sheet.finish(figure, "price", title, "$/h", expression, Unit::UsdPerHour))
}

fn per_mtok(source: &Source<'_>, figure: &str) -> Option<Explanation> {
    let mut sheet = Sheet::new(source.language);
    let price = gpu_price(source, &mut sheet)?;
    let gpus = all_gpus(source, &mut sheet);
    let meaning = sheet.language.pick("million tokens per hour", "每小时百万 token 数");
    let rate = source.answer().mtok_per_hour;
    let rate = sheet.part("MT/h", rate, Unit::MtokPerHour, meaning, "mtok_per_hour");
    sheet.note(
        "Startup, storage and checkpoints are not in it.".to_owned(),
        "不含启动、存储和检查点的费用。".to_owned(),
    );
    let title = ("Cost per million tokens", "每百万 token 成本");
    let title = source.language.word(title).to_owned();
    let expression = price * gpus / rate;
    Some(sheet.finish(figure, "cost", title, "$/MT", expression, Unit::Usd))
}

fn per_step(source: &Source<'_>, figure: &str) -> Option<Explanation> {
    let mut sheet = Sheet::new(source.language);
    let price = gpu_price(source, &mut sheet)?;
    let gpus = all_gpus(source, &mut sheet);
    let expression = price * gpus * step_seconds(source, &mut sheet) / 3600.0;
    let title = source.language.pick("Cost of a step", "每步成本");
    Some(sheet.finish(figure, "cost", title.to_owned(), "$", expression, Unit::Usd))
}

fn run_hours(source: &Source<'_>, figure: &str) -> Option<Explanation> {
    let mut sheet = Sheet::new(source.language);
    let tokens = sheet.term(
        "tokens",
        source.found.job.workload.tokens?,
        Unit::Tokens,
        ("tokens of the run", "整个任务的 token 数"),
    );
    let expression = tokens / (total_throughput(source, &mut sheet) * 3600.0);
    let title = source.language.pick("Hours of the run", "任务小时数");
    Some(sheet.finish(figure, "run", title.to_owned(), "hours", expression, Unit::Hours))
}

fn run_usd(source: &Source<'_>, figure: &str) -> Option<Explanation> {
    let hours = source.answer().run?.hours;
    let mut sheet = Sheet::new(source.language);
    let price = gpu_price(source, &mut sheet)?;
    let gpus = all_gpus(source, &mut sheet);
    let meaning = sheet.language.pick("hours of the run", "任务小时数");
    let hours = sheet.part("hours", hours, Unit::Hours, meaning, "run.hours");
    let title = source.language.pick("Cost of the run", "任务成本");
    let expression = price * gpus * hours;
    Some(sheet.finish(figure, "cost", title.to_owned(), "$", expression, Unit::Usd))
}

/// Operations of a step: of weights, of adapters and of attention, for every token.
fn operations(source: &Source<'_>, sheet: &mut Sheet) -> Expression {
    let job = &source.found.job;
    let (model, workload) = (&job.model, &job.workload);
    let length = workload.mean_sequence_length;
    let adapters = source.context.visited_adapters;
    // Forward pass, gradient of the input, gradient of the weight; a frozen one has none.
    let (times, passes) = match (&workload.generation, workload.full_parameter()) {
        (Some(_), _) => (2.0, 1.0),
        (None, true) => (6.0, 3.0),
        (None, false) => (4.0, 3.0),
    };
    let weights = flops::matmul_weights(model) as f64;
    let attention = flops::forward_per_token(model, length).get() - 2.0 * weights;
    let weights = sheet.term(
        "N",
        weights,
        Unit::Parameters,
        (
            "weights that multiply a token: active ones, LM head included, embedding not",
            "参与每个 token 矩阵乘的激活参数，含 LM head，不含嵌入",
        ),
    );
    let mut each = Expression::Number(times) * weights;
    if workload.generation.is_none() && !workload.full_parameter() {
        let adapters = sheet.term(
            "A",
            adapters as f64,
            Unit::Parameters,
            ("adapter weights that a token visits", "每个 token 经过的适配器参数"),
        );
        each = each + Expression::Number(6.0) * adapters;
    }
    let attention = sheet.term(
        "attention",
        attention * passes,
        Unit::Operations,
        ("attention's operations per token: scores and weighted sums", "每个 token 的注意力运算：分数与加权求和"),
    );
    let tokens = match &workload.generation {
        Some(own) => {
            let length = sheet.term(
                "length",
                length,
                Unit::Tokens,
                ("mean tokens of prompt and response", "提示词与回答的平均 token 数"),
            );
            requests(sheet, own.requests) * length
        }
        None => tokens(source, sheet),
    };
    let all = (each + attention) * tokens;
    let epochs = workload.rl.as_ref().map_or(1, |rl| rl.epochs);
    sheet.scaled(all, "epochs", epochs as f64, ("passes over the samples", "对样本的遍数"))
}

/// MFU, HFU, or model TFLOPS per GPU.
fn utilization(source: &Source<'_>, figure: &str) -> Explanation {
    let mut sheet = Sheet::new(source.language);
    let job = &source.found.job;
    let workload = &job.workload;
    let mut above = operations(source, &mut sheet);
    if figure == "hfu" && workload.generation.is_none() {
        let layout = &source.found.plan.layout;
        let share = recomputed_share(source.context, layout, workload.mean_sequence_length);
        let meaning = ("operations with recomputation over those without", "含重计算的运算量与不含之比");
        above = sheet.scaled(above, "recompute", 1.0 + share, meaning);
    }
    let below = step_seconds(source, &mut sheet) * all_gpus(source, &mut sheet);
    if figure == "model_tflops_per_gpu" {
        let title = ("Model TFLOPS per GPU", "每 GPU 的模型 TFLOPS");
        let title = source.language.word(title).to_owned();
        let expression = above / below;
        return sheet.finish(figure, "mfu", title, "TFLOPS", expression, Unit::Tflops);
    }
    let peak = sheet.term(
        "peak",
        peak(job, &source.found.plan),
        Unit::Tflops,
        ("dense peak of the card in the workload's precision", "单卡在该精度下的稠密峰值"),
    );
    let (method, title) = if figure == "hfu" { ("hfu", "HFU") } else { ("mfu", "MFU") };
    let expression = above / (below * peak);
    sheet.finish(figure, method, title.to_owned(), title, expression, Unit::Percent)
}
