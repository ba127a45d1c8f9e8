//! The worker: every task is a function of its request.

mod estimate;
mod run;

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use serde_json::{Map, Value, json};
use shardwise_core::doctor::{diagnose, says_so, scripts};
use shardwise_core::emit::{self, FRAMEWORKS, Framework};
use shardwise_core::interface::Refusal;
use shardwise_core::market::is_unsaid;
use shardwise_core::read::{Reading, improve, is_linked, migrate, read};
use shardwise_core::wire::{FitState, VERSION, WorkloadKind, question_from_value, to_value};
use shardwise_core::{InputError, Question, permalink};

use crate::browser;
use crate::languages::{self, Fetch};
use crate::money;
use crate::prices;
use crate::protocol::{Flags, ReadPrices, Reply, Request, SheetTask, Task, Written, compact};
use crate::sample;
use crate::sheets;
use crate::sheets::asked::Asked;
use crate::sheets::words::words_of;
use crate::text::Lang;
use crate::texts::{has, tab};
use crate::view;

thread_local! {
    /// The last question: it is asked again for every framework.
    static LAST: RefCell<Option<Rc<Asked>>> = const { RefCell::new(None) };
}

/// After how long a slice asks no further machine, in milliseconds: a newer question waits no longer than that and one
/// machine more.
const SLICE_MS: f64 = 8.0;

/// Answers what the page asks as a person types; an empty text for what is no such request.
#[must_use]
pub fn estimate(request: &str) -> String {
    reply(request, |task, _| match task {
        Task::Estimate(asking) => Some(json!(estimate::estimate(*asking))),
        Task::Compare { .. } => compare(task),
        Task::Closer { question, tried } => Some(json!(estimate::closer(question, tried))),
        _ => None,
    })
}

/// A slice of the comparison of GPU types; none of any other task.
fn compare(task: Task) -> Option<Value> {
    let Task::Compare { question, round, places, reached } = task else {
        return None;
    };
    let end = browser::now_ms() + SLICE_MS;
    Some(json!(estimate::compare(question, round, (&places, reached), &|| browser::now_ms() >= end)))
}

/// An answer to come: what a task needs may have to be fetched first. `None` where that does not load.
pub type Answer = Pin<Box<dyn Future<Output = Option<String>>>>;

/// Answers what every visit asks besides: texts to paste, the advice beside them, words in another language, and GPU types that
/// the engine has not come to yet; an empty text for what is none of these. In Chinese it learns from `chinese` first, and so does
/// [`answer_opened`], which comes after it.
#[must_use]
pub fn answer_first(request: String, chinese: Fetch) -> Answer {
    Box::pin(async move {
        let Some(request) = Request::read(&request) else {
            return Some(String::new());
        };
        let lang = if matches!(request.task, Task::Say { .. }) { Lang::Zh } else { request.lang };
        languages::learn(lang, chinese).await?;
        if let Task::Sheet(task) = &request.task {
            sheets::fetch(task).await;
        }
        Some(respond(request, first))
    })
}

fn first(task: Task, lang: Lang) -> Option<Value> {
    match task {
        Task::Flags { question, framework, version, link } => {
            let found = flags(question, &framework, &version, &link);
            Some(json!(found.map(|found| said(found, lang))))
        }
        Task::Say { texts } => {
            let said = texts.iter().map(|text| words_of(text, Lang::Zh));
            Some(json!(said.collect::<Vec<String>>()))
        }
        Task::Known { question, answered } => Some(json!(keep(question, answered))),
        Task::Serves { question } => Some(json!(serves(question))),
        Task::Compare { .. } => compare(task),
        Task::Sheet(task) => sheet(task, lang, sheets::first),
        _ => None,
    }
}

/// Answers what a person opens or pastes: the other sheets and their files, scripts, examples, links; an empty text for what is
/// none of these.
#[must_use]
pub fn answer_opened(request: &str) -> String {
    reply(request, |task, lang| match task {
        Task::Sheet(task) => sheet(task, lang, sheets::opened),
        Task::File { mut sheet, file } => {
            let text = asked(sheet.question.take()).and_then(|asked| sheets::file(&asked, sheet, &file, lang));
            Some(json!(text.map(|text| [file, text])))
        }
        Task::Sample { text, prompts, file, whole } => Some(json!(sample::count(&text, prompts, file, whole))),
        Task::Document { document } => {
            view::document::draw(document, lang);
            Some(json!(true))
        }
        Task::Prices { text } => Some(json!(read_prices(&text, lang))),
        Task::Read { texts, base, market, given } => {
            Some(json!(sheets::reading(&reading(&texts, base, &market, &given), lang)))
        }
        Task::Link { question } => Some(linked(question)),
        Task::Answer { hash } => Some(answered(&hash)),
        _ => None,
    })
}

/// A price sheet, with what is wrong in a language.
fn read_prices(text: &str, lang: Lang) -> ReadPrices {
    match shardwise_core::sheet::read(text) {
        Ok(rows) => ReadPrices { kept: Some(prices::write(&prices::of(rows, false))), wrong: Vec::new() },
        Err(mut wrong) => {
            for own in &mut wrong {
                own.message = words_of(&own.message, lang);
            }
            ReadPrices { kept: None, wrong }
        }
    }
}

/// The reply to a request, where its task is done by `work`.
fn reply(request: &str, work: impl FnOnce(Task, Lang) -> Option<Value>) -> String {
    Request::read(request).map_or_else(String::new, |request| respond(request, work))
}

fn respond(Request { id, task, money, lang }: Request, work: impl FnOnce(Task, Lang) -> Option<Value>) -> String {
    money::show(money);
    let reply = work(task, lang).and_then(|result| serde_json::to_string(&Reply { id, result }).ok());
    reply.unwrap_or_default()
}

/// The interface's document for a question that is refused.
fn refusal(error: InputError) -> Value {
    json!(Refusal { version: VERSION, error })
}

/// The part of a link after `#` for a question that has an answer; for any other what refuses it.
fn linked(document: Value) -> Value {
    let asked =
        question_from_value(document).and_then(|question| shardwise_core::evaluate_alone(&question).map(|_| question));
    match asked {
        Ok(question) => json!({ "hash": permalink::to_hash(&question) }),
        Err(error) => json!({ "answer": refusal(error) }),
    }
}

/// The question of a link, and its answer or what refuses it.
fn answered(hash: &str) -> Value {
    let question = match permalink::open(hash) {
        Ok((question, _)) => question,
        Err(error) => return json!({ "answer": refusal(error) }),
    };
    let answer = match shardwise_core::estimate(&question) {
        Ok(answer) => json!(answer),
        Err(error) => refusal(error),
    };
    json!({ "question": to_value(&question), "answer": answer })
}

/// The question of a document with its answer; `None` for a question that the page would have refused.
fn asked(document: Value) -> Option<Rc<Asked>> {
    answered_once(document).ok()
}

/// The question of a document, where it was the last one.
fn known(document: &Value) -> Option<Rc<Asked>> {
    LAST.with_borrow(Clone::clone).filter(|last| last.document == *document)
}

/// The question of a document with its answer, or what refuses it; the last one is not answered again.
fn answered_once(document: Value) -> Result<Rc<Asked>, InputError> {
    if let Some(known) = known(&document) {
        return Ok(known);
    }
    let asked = Rc::new(Asked::new(document)?);
    LAST.set(Some(Rc::clone(&asked)));
    Ok(asked)
}

/// Keeps a question as the last one, with the answer that another worker found; whether it is one.
fn keep(question: Value, answered: Value) -> bool {
    let answered = compact::read(answered);
    let asked = answered.and_then(|answered| Asked::answered(question, answered).ok());
    let kept = asked.is_some();
    if let Some(asked) = asked {
        LAST.set(Some(Rc::new(asked)));
    }
    kept
}

/// A sheet, where `write` has one of its name; nothing in it for a question that the page would have refused.
fn sheet(
    mut task: SheetTask,
    lang: Lang,
    write: fn(&Asked, SheetTask, Lang) -> Option<sheets::Sheet>,
) -> Option<Value> {
    let name = task.name;
    let (blocks, more) = match asked(task.question.take()) {
        Some(asked) => write(&asked, task, lang)?,
        None => sheets::Sheet::default(),
    };
    Some(json!(Written { name, blocks: json!(blocks), more }))
}

fn flags(question: Value, framework: &str, version: &str, link: &str) -> Option<Flags> {
    let framework = emit::framework(framework)?;
    let default = framework.versions.first().copied().unwrap_or_default();
    let version = framework.version(version).unwrap_or(default);
    Some(tab(framework, version, &*asked(question)?, link))
}

/// A framework's texts in the page's language: code stays, comments and reasons are said in it.
fn said(mut flags: Flags, lang: Lang) -> Flags {
    flags.why = words_of(&flags.why, lang);
    let Some(words) = languages::words(lang) else {
        return flags;
    };
    for own in &mut flags.texts {
        own.text = words.text(&own.text, own.language);
        for (_, reason) in &mut own.reasons {
            *reason = words_of(reason, lang);
        }
    }
    flags
}

fn serves(question: Value) -> Option<Vec<&'static str>> {
    let asked = asked(question)?;
    let serves = |framework: &&'static Framework| {
        let version = framework.versions.first().copied().unwrap_or_default();
        has(framework, version, &asked)
    };
    let serving = FRAMEWORKS.iter().filter(serves);
    Some(serving.map(|framework| framework.id).collect())
}

/// What texts ask. A script is read by itself: what it does not state is a default or assumed, and nothing is taken from the
/// question that the page happens to show (`base`). That one is changed by a few settings without their command, unless
/// they say what they were printed for. `market` is where the page rents what says no price. `given` is what a person says of the run
/// whose log is among them.
fn reading(texts: &[String], base: Value, market: &Value, given: &Map<String, Value>) -> Value {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    if texts.iter().any(|text| says_so(text)) {
        let found = match diagnose(&texts, None) {
            Ok(found) => found,
            Err(trouble) => return json!({ "error": trouble }),
        };
        let mends: Vec<Value> = found
            .mends
            .iter()
            .map(|own| json!([own.says(), own.settings, own.source]))
            .collect();
        let diagnosis =
            json!({ "says": found.says(), "framework": found.framework, "evidence": found.evidence, "mends": mends });
        // The script that ran, where it is there too.
        let scripts = scripts(&texts);
        let mut both = if scripts.is_empty() { json!({}) } else { script(&scripts, Value::Null, market) };
        if both.get("error").is_some() {
            both = json!({});
        }
        both["diagnosis"] = diagnosis;
        return both;
    }
    if let Some(run) = run::logged(&texts, &base, given) {
        return json!({ "run": run });
    }
    script(&texts, base, market)
}

/// A question that says nothing but where a script is rented, beside which it is read: the page that takes it over rents it there.
/// `None` where the script, or the link in its head, says what its machine is or costs.
fn rented(reading: &Reading, market: &Value) -> Option<Question> {
    let own = &reading.question.hardware;
    let open = is_unsaid(own) && own.host_ram_gib.is_none() && own.internode_gbit_per_s_per_gpu.is_none();
    let document = json!({"version": VERSION, "model": null, "hardware": {"gpu": null, "market": market},
        "workload": {"kind": WorkloadKind::Sft}});
    question_from_value(document).ok().filter(|_| open && market.is_object())
}

/// What the texts of a script ask.
fn script(texts: &[&str], base: Value, market: &Value) -> Value {
    let own = read(texts, None);
    let changes = own.as_ref().is_ok_and(|own| own.settings_alone) && !is_linked(texts);
    let base = question_from_value(base).ok().filter(|_| changes);
    let changes = base.is_some();
    let base = base.or_else(|| rented(own.as_ref().ok()?, market));
    let reading = match base.as_ref().map_or(own, |base| read(texts, Some(base))) {
        Ok(reading) => reading,
        Err(trouble) => return json!({ "error": trouble }),
    };
    let framework = [reading.name(), reading.source()];
    // The rewritten text is held against what the text itself asks.
    let migrated = migrate(texts, base.as_ref(), &reading);
    let (reading, answer) = asked_of(reading);
    let (answer, refused) = match answer {
        Ok(answer) => (Some(answer), None),
        Err(error) => (None, Some([error.field, error.message])),
    };
    let improved = improve(texts, base.as_ref(), &reading);
    // What the script comes to with its changes, if there are any.
    let last = improved.as_ref().map(|own| &own.answer).or(answer.as_ref());
    let unfit = last.is_some_and(|answer| answer.fit.state != FitState::Fits);
    // Whether what the text asks for fits is not known where the estimate is of another run.
    let own = reading.stands_in().next().is_none();
    let searched = emit::framework(reading.framework.id()).filter(|_| unfit && own);
    let searched = searched.and_then(|framework| instead(&reading.question, framework));
    json!({
        "reading": reading,
        "question": to_value(&reading.question),
        "framework": framework,
        "answer": answer,
        "refused": refused,
        "improved": improved,
        "searched": searched,
        "migrated": migrated,
        "changes": changes,
        "doubts": reading.doubts().collect::<Vec<_>>(),
        "stands_in": reading.stands_in().collect::<Vec<_>>(),
        "left_out": reading.left_out(),
    })
}

/// What a script asks, and the answer. It names the script's framework, whose plans alone are compared once the page has taken it
/// over; not where that is none of those known here, or refuses what has an answer without it.
fn asked_of(mut reading: Reading) -> (Reading, Result<shardwise_core::Answer, InputError>) {
    let answer = |reading: &Reading| Ok(shardwise_core::evaluate_alone(reading.asked()?)?.answer);
    let framework = emit::framework(reading.framework.id());
    let framework = framework.filter(|_| reading.question.framework.is_none() && !reading.trainer_alone);
    let Some(framework) = framework else {
        let answer = answer(&reading);
        return (reading, answer);
    };
    // The newest version says nothing.
    let older = framework
        .versions
        .iter()
        .skip(1)
        .find(|own| reading.release.as_deref() == Some(**own));
    let plain = reading.question.clone();
    reading.question.framework = Some(framework.id.to_owned());
    reading.question.framework_version = older.map(|own| (*own).to_owned());
    let mut own = answer(&reading);
    if own.is_err() {
        let named = std::mem::replace(&mut reading.question, plain);
        match answer(&reading) {
            Ok(plain) => own = Ok(plain),
            Err(_) => reading.question = named,
        }
    }
    (reading, own)
}

/// The question with its plan left to a framework, and the answer: where that is as sure to fit as asked.
fn instead(question: &Question, framework: &'static Framework) -> Option<Value> {
    let open = Question { plan: None, framework: Some(framework.id.to_owned()), ..question.clone() };
    let found = shardwise_core::evaluate_for(&open, framework).ok()?;
    let fits = found.answer.fit.state == FitState::Fits;
    fits.then(|| json!({ "question": to_value(&open), "answer": found.answer, "framework": framework.name }))
}

#[cfg(test)]
mod tests {
    use super::{Fetch, answer_first, answer_opened, estimate, languages, question_from_value, sheets};
    use crate::form::Form;
    use crate::text::Lang;
    use serde_json::{Map, Value, json};
    use shardwise_core::wire::Document;
    use std::task::{Context, Poll, Waker};

    /// Nothing that is asked here has to wait.
    fn with(chinese: Fetch, request: &str) -> Option<String> {
        let mut answer = answer_first(request.to_owned(), chinese);
        match answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(answer) => answer,
            Poll::Pending => panic!("{request} waits"),
        }
    }

    fn at_once(request: &str) -> String {
        with(|| Box::pin(async { languages::chinese() }), request).unwrap_or_default()
    }

    #[test]
    fn where_chinese_does_not_load_nothing_is_said_in_it() {
        let none: Fetch = || Box::pin(async { None });
        let say =
            json!({ "id": 1, "task": {"is": "say", "texts": ["This model has no experts. Give 1."]} }).to_string();
        assert_eq!(with(none, &say), None);
        let serves = json!({ "id": 1, "task": {"is": "serves", "question": question("sft", "deepspeed")} }).to_string();
        assert!(with(none, &serves).is_some_and(|reply| reply.contains("deepspeed")));
        assert!(at_once(&say).contains("此模型没有专家"));
    }

    /// What the parts answer, of which one knows a request.
    fn answer(request: &str) -> String {
        let replies = [estimate, at_once, answer_opened].map(|part| part(request));
        let known: Vec<String> = replies.into_iter().filter(|reply| !reply.is_empty()).collect();
        assert!(known.len() <= 1, "{request}: {known:?}");
        known.into_iter().next().unwrap_or_default()
    }

    fn ask(task: Value) -> Value {
        ask_in("en", task)
    }

    fn ask_in(lang: &str, task: Value) -> Value {
        let reply = answer(&json!({ "id": 7, "lang": lang, "task": task }).to_string());
        let reply: Value = serde_json::from_str(&reply).unwrap_or_default();
        assert_eq!(reply["id"], 7);
        reply["result"].clone()
    }

    fn read(texts: &[String], base: Value) -> Value {
        super::reading(texts, base, &Value::Null, &Map::new())
    }

    fn question(kind: &str, backend: &str) -> Value {
        json!({
            "version": 1, "model": "llama-3.1-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
            "workload": {"kind": kind, "sequence_length": 4096, "global_batch": 64},
            "plan": {"backend": backend},
        })
    }

    fn flags(question: &Value, framework: &str, version: &str) -> Value {
        ask(json!({"is": "flags", "question": question, "framework": framework, "version": version, "link": "here"}))
    }

    #[test]
    fn the_shown_plan_comes_first() {
        let found = flags(&question("sft", "deepspeed"), "deepspeed", "");
        assert_eq!(found["why"], "");
        assert_eq!(found["instead"], Value::Null);
        assert_eq!(found["texts"][0]["language"], "json");
        let older = flags(&question("sft", "deepspeed"), "deepspeed", "0.16.9");
        assert_eq!(older["version"], "0.16.9");
    }

    #[test]
    fn a_script_names_the_framework_that_it_is_for() {
        let factory = "model_name_or_path: Qwen/Qwen2.5-7B\nstage: sft\ndo_train: true\nfinetuning_type: lora\nlora_rank: 16\n\
            cutoff_len: 2048\nper_device_train_batch_size: 4\nbf16: true\n";
        let verl = "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-8B data.train_batch_size=256 \
            trainer.n_gpus_per_node=8 actor_rollout_ref.rollout.n=8";
        let newest = format!("{verl} actor_rollout_ref.rollout.name=vllm");
        for (text, framework, version) in
            [(factory, "llamafactory", Value::Null), (&newest, "verl", Value::Null), (verl, "verl", json!("0.5.0"))]
        {
            let found = read(&[text.to_owned()], Value::Null);
            let question = &found["question"];
            assert_eq!(
                [&question["framework"], &question["framework_version"]],
                [&json!(framework), &version],
                "{text}"
            );
            // What is shown of it is what it comes to on the page, and the changed one is for the same framework.
            let own = question_from_value(question.clone()).unwrap_or_else(|error| panic!("{error}"));
            let there = shardwise_core::evaluate_alone(&own)
                .unwrap_or_else(|error| panic!("{error}"))
                .answer;
            assert_eq!(found["answer"]["tokens_per_s"].as_f64(), Some(there.tokens_per_s));
            let changed = &found["improved"]["question"];
            assert!(changed.is_null() || changed["framework"] == framework, "{changed}");
        }
        let renamed = format!("{newest} reward_model.reward_manager=naive");
        assert_eq!(read(&[renamed], Value::Null)["migrated"]["release"], "0.9.1");
        // One that no plan is known to be for stays unnamed.
        let other = "python3 -m verl.trainer.main config=examples/config.yaml trainer.n_gpus_per_node=4 \
            worker.actor.model.model_path=Qwen/Qwen2.5-7B-Instruct";
        let found = read(&[other.to_owned()], Value::Null);
        assert!(found["answer"].is_object() && found["question"].get("framework").is_none(), "{found}");
    }

    #[test]
    fn a_script_that_no_few_changes_mend_has_another_plan_of_its_framework() {
        let script = "base_model: meta-llama/Llama-3.1-70B\nadapter: lora\nlora_r: 16\nsequence_len: 16384\nmicro_batch_size: 8\n\
            gradient_accumulation_steps: 1\ngradient_checkpointing: false\ndeepspeed: deepspeed_configs/zero2.json\n\
            datasets:\n  - path: x\n    type: alpaca\nbf16: true\nflash_attention: true\nsample_packing: true\n";
        let base = json!({});
        let found = super::reading(&[script.to_owned()], base, &Value::Null, &Map::new());
        assert_eq!(found["answer"]["fit"]["state"], "no", "{}", found["answer"]["fit"]);
        let searched = &found["searched"];
        assert_eq!(searched["answer"]["fit"]["state"], "fits", "{}", found["refused"]);
        assert_eq!(
            (&searched["question"]["framework"], &searched["question"]["plan"]),
            (&json!("axolotl"), &Value::Null)
        );
        let written = json!(crate::sheets::reading(&found, crate::text::Lang::En)).to_string();
        assert!(written.contains("Use another plan of axolotl"), "{written}");
    }

    #[test]
    fn a_script_takes_nothing_from_the_question_that_is_shown() {
        let mut shown = question("sft", "deepspeed");
        shown["hardware"] = json!({"gpu": "h200-sxm", "gpus": 64, "usd_per_gpu_hour": 9.0});
        shown["workload"]["mean_sequence_length"] = json!(1234);
        let script = "deepspeed train.py --deepspeed ds_config.json --per_device_train_batch_size 1";
        let [beside, alone] = [shown.clone(), Value::Null].map(|base| read(&[script.to_owned()], base));
        assert_eq!(beside, alone);
        assert_eq!(alone["question"]["model"], Value::Null);
        // What the text was printed for is in its head.
        let asked = question("sft", "deepspeed");
        let printed = flags(&asked, "deepspeed", "");
        let launch = printed["texts"][2]["text"].as_str().unwrap_or_default();
        let link = super::asked(asked)
            .map(|asked| shardwise_core::permalink::to_hash(&asked.question))
            .unwrap_or_default();
        let linked = format!("# https://shardwise.example/#{link}\n{launch}");
        let found = read(&[linked], shown);
        assert_eq!(found["question"]["hardware"]["gpu"], "h100-sxm", "{found}");
    }

    #[test]
    fn a_script_is_read_beside_its_message() {
        let printed = flags(&question("sft", "deepspeed"), "deepspeed", "");
        let mut texts: Vec<String> = printed["texts"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|own| own["text"].as_str().map(str::to_owned))
            .collect();
        texts.push("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.".to_owned());
        let found = read(&texts, Value::Null);
        assert!(found["diagnosis"].is_object() && found["reading"].is_object(), "{found}");
        assert_eq!(found["framework"][0], "DeepSpeed");
        let alone = read(&texts[texts.len() - 1..], Value::Null);
        assert!(alone["diagnosis"].is_object() && alone["reading"].is_null(), "{alone}");
    }

    #[test]
    fn a_few_settings_change_the_question_that_is_shown() {
        let shown = json!({
            "version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h200-sxm", "gpus": 16},
            "workload": {"kind": "grpo", "rl": {"prompts_per_step": 64, "responses_per_prompt": 8,
                "max_prompt_length": 1024, "max_response_length": 4096}},
        });
        let found = read(&["actor_rollout_ref.rollout.n=16\ndata.train_batch_size=128".to_owned()], shown);
        assert_eq!(found["changes"], true);
        assert_eq!(found["question"]["hardware"]["gpu"], "h200-sxm", "{found}");
        assert_eq!(found["question"]["workload"]["rl"]["prompts_per_step"], 128);
    }

    /// veRL's on four nodes of eight.
    const NODES: &str = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=512 \
        data.max_prompt_length=1024 data.max_response_length=4096 actor_rollout_ref.model.path=Qwen/Qwen3-8B \
        actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 actor_rollout_ref.rollout.name=vllm \
        actor_rollout_ref.rollout.n=8 trainer.n_gpus_per_node=8 trainer.nnodes=4";

    #[test]
    fn a_script_costs_in_the_box_what_it_costs_once_the_page_has_taken_it_over() {
        let mut before = Form::default();
        before.rent();
        let market = before.market().map_or(Value::Null, |market| Value::Object(market.entries()));
        assert!(market.is_object());
        let found = super::reading(&[NODES.to_owned()], Value::Null, &market, &Map::new());
        assert_eq!(found["changes"], false);
        let in_the_box = &found["answer"];
        assert!(in_the_box["offer"].is_object(), "{in_the_box}");
        let shown = sheets::reading(&found, Lang::En);
        let said = json!(shown).to_string();
        assert!(said.contains("Dollars by an offer"), "{said}");
        // As the button loads it, and as a link says that knows no seller.
        let plain = read(&[NODES.to_owned()], Value::Null);
        assert!(json!(sheets::reading(&plain, Lang::En)).to_string().contains("the list price"));
        for question in [&found["question"], &plain["question"]] {
            let mut form = before.clone();
            let question = question_from_value(question.clone()).unwrap_or_else(|error| panic!("{error}"));
            form.load(&question);
            form.rent_script_as(&before);
            let asked = form.question().unwrap_or_else(|errors| panic!("{errors:?}"));
            let answer = shardwise_core::evaluate_alone(&asked)
                .unwrap_or_else(|error| panic!("{error}"))
                .answer;
            assert_eq!(json!(answer.offer), in_the_box["offer"]);
            assert_eq!(json!(answer.usd_per_mtok), in_the_box["usd_per_mtok"]);
        }
    }

    #[test]
    fn one_plan_has_one_figure_of_memory_in_the_box() {
        let script = NODES.replace("ppo_micro_batch_size_per_gpu=4", "ppo_micro_batch_size_per_gpu=1");
        let found = read(&[script], Value::Null);
        let changes = found["improved"]["changes"].as_array().cloned().unwrap_or_default();
        let last = changes.last().unwrap_or(&Value::Null);
        assert!(last.is_object(), "{found}");
        assert_eq!(last["needed_gib"], found["improved"]["answer"]["fit"]["needed_gib"]);
        let said = json!(sheets::reading(&found, Lang::En)).to_string();
        let needs = crate::format::gib(last["needed_gib"].as_f64().unwrap_or_default());
        assert!(
            said.contains(&format!("{needs}\u{a0}GiB")) && said.contains(&format!(" {needs}\u{a0}/")),
            "{needs}: {said}"
        );
    }

    #[test]
    fn where_no_plan_helps_the_question_is_what_is_refused() {
        let question = json!({
            "version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 16},
            "workload": {"kind": "grpo", "lora": {"rank": 16}, "rl": {"prompts_per_step": 64, "responses_per_prompt": 8,
                "max_prompt_length": 512, "max_response_length": 2048}},
        });
        let found = flags(&question, "unsloth", "");
        let why = found["why"].as_str().unwrap_or_default();
        assert!(why.starts_with("“GPUs”: ") && why.contains("on one node"), "{why}");
        assert!(!why.contains("leave it to the search"), "{why}");
    }

    #[test]
    fn texts_of_what_the_search_chose_name_no_search_as_a_way() {
        let mut told = 0;
        for (lang, way) in [("en", "leave it to the search"), ("zh-CN", "交给搜索")] {
            for (framework, backend) in
                [("openrlhf", "fsdp"), ("slime", "fsdp"), ("verl", "deepspeed"), ("deepspeed", "megatron")]
            {
                let kind = if framework == "deepspeed" { "sft" } else { "grpo" };
                let mut question = question(kind, backend);
                if kind == "grpo" {
                    question["workload"] = json!({"kind": kind, "rl": {"prompts_per_step": 64,
                        "responses_per_prompt": 8, "max_prompt_length": 512, "max_response_length": 2048}});
                }
                let task =
                    json!({"is": "flags", "question": question, "framework": framework, "version": "", "link": ""});
                let found = ask_in(lang, task);
                let why = found["why"].as_str().unwrap_or_default();
                assert!(!why.contains(way) && why.ends_with(['.', '。']), "{framework}: {why}");
                told += usize::from(found["instead"].is_string() && !why.is_empty());
            }
        }
        assert_eq!(told, 8);
    }

    /// A text leaves the page, which may show yuan: whose dollars they are is said.
    #[test]
    fn a_text_names_its_currency() {
        for (lang, usd) in [("en", ", US$"), ("zh-CN", " 美元")] {
            let task = json!({"is": "flags", "question": question("sft", "fsdp"), "framework": "verl", "version": "",
                "link": ""});
            let text = ask_in(lang, task)["texts"][0]["text"].to_string();
            assert!(text.contains(usd) && !text.contains(" $"), "{text}");
        }
    }

    #[test]
    fn another_plan_is_said_and_so_is_none() {
        let found = flags(&question("sft", "megatron"), "deepspeed", "");
        assert!(!found["why"].as_str().unwrap_or_default().is_empty());
        assert_eq!(found["instead"], "deepspeed");
        assert!(found["texts"][0]["text"].as_str().is_some());
        let none = flags(&question("sft", "fsdp"), "chatlearn", "");
        assert!(!none["why"].as_str().unwrap_or_default().is_empty());
        assert_eq!(none["texts"], json!([]));
    }

    #[test]
    fn what_may_decide_stands_beside_the_verdict() {
        let script = "torchrun --nproc_per_node 8 train.py --model_name_or_path Qwen/Qwen2.5-7B --bf16 true \
            --per_device_train_batch_size 1 --model_max_length 2048";
        let alone = json!(sheets::reading(&read(&[script.to_owned()], Value::Null), Lang::En)).to_string();
        assert!(alone.contains("Hugging Face Trainer") && !alone.contains("\"Strong\":\"DeepSpeed\""), "{alone}");
        assert!(alone.contains("Transformers 5") && !alone.contains("&framework=deepspeed&plan"), "{alone}");
        let found = read(&[format!("{script} --deepspeed conf/mine.json --attn_widget 3")], Value::Null);
        for (lang, title) in [(Lang::En, "The verdict stands on this"), (Lang::Zh, "结论取决于以下各点")] {
            let sheet = json!(sheets::reading(&found, lang));
            let blocks = sheet.as_array().map_or(&[][..], Vec::as_slice);
            let beside = blocks.iter().position(|own| own["Section"]["id"] == "read-doubts");
            let beside = beside.unwrap_or_else(|| panic!("{sheet}"));
            assert!(!blocks[beside - 1]["Entries"].is_null(), "{sheet}");
            let own = blocks[beside].to_string();
            assert!([title, "conf/mine.json", "attn_widget"].iter().all(|words| own.contains(words)), "{own}");
            // Not among the notes once more.
            assert!(!json!(blocks[beside + 1..]).to_string().contains("\\\"conf/mine.json"), "{sheet}");
        }
    }

    #[test]
    fn that_the_estimate_is_of_another_run_is_said_before_it() {
        let script = format!("{NODES} actor_rollout_ref.actor.fsdp_config.offload_policy=True");
        let found = read(&[script], Value::Null);
        assert_eq!(found["stands_in"].as_array().map(Vec::len), Some(1), "{found}");
        for (lang, below) in [(Lang::En, "says nothing of whether it fits"), (Lang::Zh, "不能说明它是否放得下")]
        {
            let sheet = json!(sheets::reading(&found, lang));
            let blocks = sheet.as_array().map_or(&[][..], Vec::as_slice);
            let place = |own: fn(&Value) -> bool| blocks.iter().position(own);
            let why = place(|own| own["Section"]["id"] == "read-instead").unwrap_or_else(|| panic!("{sheet}"));
            let verdict = place(|own| !own["Entries"].is_null()).unwrap_or_else(|| panic!("{sheet}"));
            assert!(blocks[why].to_string().contains("offload_policy") && why + 1 < verdict, "{sheet}");
            assert!(blocks[why + 1].to_string().contains(below), "{sheet}");
            // Not among the notes once more, nor that no change would help what was not estimated.
            let rest = json!(blocks[verdict..]).to_string();
            assert!(!rest.contains("CPUs step") && !rest.contains(lang.sheets().changes_none), "{rest}");
        }
        let own = read(&[NODES.to_owned()], Value::Null);
        assert!(!json!(sheets::reading(&own, Lang::En)).to_string().contains("read-instead"));
    }

    #[test]
    fn what_serves_has_a_text() {
        let question = question("sft", "fsdp");
        let serves = ask(json!({"is": "serves", "question": question}));
        let serves = serves.as_array().cloned().unwrap_or_default();
        assert!(serves.contains(&json!("verl")) && !serves.contains(&json!("chatlearn")));
        for framework in serves {
            let id = framework.as_str().unwrap_or_default();
            assert_ne!(flags(&question, id, "")["texts"], json!([]), "{id}");
        }
    }

    #[test]
    fn a_script_is_read_and_a_bad_one_says_where() {
        let script = "python3 -m verl.trainer.main_ppo data.train_batch_size=512 \\\n\
            actor_rollout_ref.model.path=Qwen/Qwen3-8B trainer.n_gpus_per_node=8 \
            actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1 actor_rollout_ref.rollout.gpu_memory_utilization=0.3";
        let base = question("sft", "fsdp");
        let found = read(&[script.to_owned()], base);
        assert_eq!(found["framework"][0], "veRL");
        assert_eq!(found["question"]["hardware"]["gpu"], "h100-sxm");
        assert!(found["answer"]["tokens_per_s_per_gpu"].as_f64().is_some());
        let changes = found["improved"]["changes"].as_array().map_or(0, Vec::len);
        assert!((1..=3).contains(&changes), "{}", found["improved"]);
        let bad = read(&["{\n\"a\": }".to_owned()], Value::Null);
        assert_eq!(bad["error"]["line"], 2);
        let shown = ask(json!({"is": "read", "texts": ["{\n\"a\": }"], "base": null}));
        assert!(shown.to_string().contains("Line 2: "), "{shown}");
    }

    #[test]
    fn a_price_sheet_is_read_as_it_is_kept_or_refused_by_line() {
        let read = |lang: &str, text: &str| ask_in(lang, json!({"is": "prices", "text": text}));
        let found = read("en", "gpu,price\nh100-sxm,2\n");
        let kept = crate::prices::read(found["kept"].as_str().unwrap_or_default());
        assert_eq!(kept.map(|kept| crate::prices::len(&kept)), Some(1));
        assert_eq!(found["wrong"], json!([]));
        for (lang, says) in [("en", "without a currency"), ("zh-CN", "不带货币符号")] {
            let found = read(lang, "gpu,price\nh100-sxm,2\nh100-sxm,$2\n");
            assert_eq!((&found["kept"], &found["wrong"][0]["line"]), (&Value::Null, &json!(3)));
            assert!(found["wrong"][0]["message"].as_str().is_some_and(|text| text.contains(says)), "{found}");
        }
    }

    #[test]
    fn a_question_becomes_a_link_and_the_link_an_answer() {
        let question = question("sft", "fsdp");
        let link = ask(json!({"is": "link", "question": question}));
        let found = ask(json!({"is": "answer", "hash": link["hash"]}));
        assert_eq!(found["question"], question);
        let core = shardwise_core::wire::question_from_value(question)
            .and_then(|question| shardwise_core::estimate(&question));
        // As it travels: the reader of numbers may miss the last bit.
        let core = core.map(|answer| json!(answer).to_string());
        let core = serde_json::from_str::<Value>(&core.unwrap_or_default());
        assert_eq!(Some(&found["answer"]), core.ok().as_ref());
    }

    #[test]
    fn a_refused_question_is_answered_with_its_error() {
        let mut question = question("sft", "fsdp");
        question["workload"]["kind"] = json!("dance");
        let found = ask(json!({"is": "link", "question": question}));
        assert_eq!(found["answer"]["error"]["field"], "workload.kind");
        question["workload"]["kind"] = json!("sft");
        question["model"] = json!("no-such-model");
        let found = ask(json!({"is": "link", "question": question}));
        assert_eq!(found["answer"]["error"]["field"], "model");
        let found = ask(json!({"is": "answer", "hash": "v=1&model=qwen3-8b"}));
        assert_eq!(found["question"], Value::Null);
        assert_eq!(found["answer"]["version"], 1);
        assert!(found["answer"]["error"]["message"].as_str().is_some());
    }

    #[test]
    fn what_is_no_request_has_no_answer() {
        assert_eq!(answer("{"), "");
        assert_eq!(ask(json!({"is": "serves", "question": {}})), Value::Null);
    }
}
