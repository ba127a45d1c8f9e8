use serde_json::json;
use shardwise_core::Question;
use shardwise_core::catalog::OfferKind;
use shardwise_core::wire::{MarketSpec, OwnedSpec, WorkloadKind};

use super::models::matching;
use super::units::NumberError;
use super::{CUSTOM_GPU, Field, Form, HOME, Problem};

#[track_caller]
fn question(value: serde_json::Value) -> Question {
    match serde_json::from_value(value) {
        Ok(question) => question,
        Err(error) => panic!("not a question: {error}"),
    }
}

fn grpo() -> Question {
    question(json!({
        "version": 1, "model": "qwen3-8b",
        "hardware": {"gpu": "h100-sxm", "gpus": 8, "usd_per_gpu_hour": 2.99},
        "workload": {"kind": "grpo", "rl": {
            "prompts_per_step": 512, "responses_per_prompt": 16, "max_prompt_length": 1024,
            "max_response_length": 3072, "mean_prompt_length": 184.5, "critic": null,
            "schedule": "one_step_off", "reference": false, "oversampling": 1.5, "reward_s": 12.5, "old_log_prob": false}},
        "plan": {"tensor_parallel": 2, "offload": {"optimizer": true}, "sequence_parallel": true,
            "rollout": {"gpu_memory_utilization": 0.65, "max_num_seqs": 256, "enforce_eager": true,
                "kv_cache_dtype": "fp8", "speculative_speedup": 1.5}}
    }))
}

/// What a form asks that can be read.
#[track_caller]
fn asked(form: &Form) -> Question {
    form.question().unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// The control that refuses a question.
fn refused(question: &Question) -> Option<Field> {
    shardwise_core::evaluate(question)
        .err()
        .and_then(|error| super::FieldError::from(error).field)
}

#[test]
fn a_question_survives_the_form() {
    for question in [
        grpo(),
        question(json!({
            "version": 1, "model": {"hidden_size": 64}, "hardware": {"gpu": {"base": "a10", "memory_gib": 30.5}},
            "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 32, "packing": false, "tokens": 1.5e9},
            "plan": {"recompute": {"granularity": "selective", "modules": ["mlp"]}}
        })),
        question(json!({
            "version": 1, "model": "x", "hardware": {"gpu": "h20"},
            "workload": {"kind": "rollout", "rollout": {"requests": 3, "mean_prompt_length": 10.5, "mean_response_length": 7}}
        })),
        question(json!({
            "version": 1, "model": "x", "hardware": {"gpu": "h20"},
            "workload": {"kind": "qlora", "sequence_length": 1, "global_batch": 1, "lora": {"rank": 8, "targets": "attention"}}
        })),
    ] {
        assert_eq!(Form::of(&question).question(), Ok(question));
    }
}

#[test]
fn units_are_read_where_the_field_has_them() {
    let mut form = Form::of(&grpo());
    form.set(Field::MaxResponse, "8k");
    form.set(Field::RunTokens, "1.5B");
    form.set(Field::MemoryShare, "70%");
    form.set(Field::Gpus, "1,024");
    let question = asked(&form);
    let rl = question.workload.rl.unwrap_or_default();
    assert_eq!(rl.max_response_length, Some(8192));
    assert_eq!(question.workload.tokens, Some(1.5e9));
    assert_eq!(question.hardware.gpus, Some(1024));
    let rollout = question.plan.and_then(|plan| plan.rollout).unwrap_or_default();
    assert!(rollout.gpu_memory_utilization.is_some_and(|share| (share - 0.7).abs() < 1e-12));
}

#[test]
fn every_bad_field_is_named_and_nothing_is_lost() {
    let mut form = Form::of(&grpo());
    form.set(Field::Gpus, "-1");
    form.set(Field::Prompts, "");
    form.set(Field::TensorParallel, "2.5");
    form.set(Field::ModelConfig, "{\"hidden_size\": ");
    let errors = form.question().err().unwrap_or_default();
    let named: Vec<_> = errors.iter().filter_map(|error| error.field).collect();
    assert_eq!(named, [Field::ModelConfig, Field::Gpus, Field::Prompts, Field::TensorParallel]);
    assert_eq!(errors[1].problem, Problem::Number(NumberError::Negative));
    assert_eq!(errors[2].problem, Problem::Missing);
    assert_eq!(form.get(Field::Gpus), "-1");
    form.set(Field::ModelConfig, r#"{"rope": {"theta": 1, "theta": 2}}"#);
    let errors = form.question().err().unwrap_or_default();
    assert_eq!(errors.first().map(|error| &error.problem), Some(&Problem::Twice("rope.theta".to_owned())));
}

#[test]
fn what_a_schedule_has_no_use_for_is_kept_and_not_asked() {
    let mut form = Form::of(&grpo());
    form.set(Field::Schedule, "fully_async");
    form.set(Field::TrainGpus, "4");
    form.set(Field::MaxStaleness, "3");
    let sides = |form: &Form| {
        let rl = asked(form).workload.rl.unwrap_or_default();
        (rl.train_gpus, rl.max_staleness)
    };
    assert_eq!(sides(&form), (Some(4), Some(3.0)));
    // What a link said is known to the form by more than its text.
    form = Form::of(&asked(&form));
    form.set(Field::Schedule, "one_step_off");
    assert_eq!(sides(&form), (Some(4), None));
    form.set(Field::Schedule, "colocated");
    form.set(Field::TrainGpus, "four");
    assert_eq!(sides(&form), (None, None));
    assert_eq!(form.get(Field::TrainGpus), "four");
    assert_eq!(form.get(Field::MaxStaleness), "3");
}

#[test]
fn refused_parts_of_an_rl_step_have_their_controls() {
    let (in_step, of_agent) = ((Field::Schedule, "fully_async"), (Field::AgentTurns, "3"));
    for (with, field, typed) in [
        (in_step, Field::Oversampling, "0.5"),
        (in_step, Field::RewardSeconds, "2M"),
        (in_step, Field::AgentTurns, "0"),
        (in_step, Field::MaxStaleness, "20M"),
        (in_step, Field::TrainGpus, "8"),
        (in_step, Field::SpeculativeSpeedup, "0"),
        (of_agent, Field::AgentMaxTurns, "2"),
        (of_agent, Field::ToolTokens, "3k"),
        (of_agent, Field::ToolSeconds, "2M"),
        (of_agent, Field::ToolSpread, "50"),
        (of_agent, Field::Environments, "0"),
        (of_agent, Field::PrefixHits, "1.5"),
    ] {
        let mut form = Form::of(&grpo());
        form.set(with.0, with.1);
        form.set(field, typed);
        assert_eq!(refused(&asked(&form)), Some(field));
    }
}

#[test]
fn parts_of_a_teacher_have_their_controls() {
    let with = |field, typed: &str| {
        let mut form = Form::of(&grpo());
        form.choose_kind(WorkloadKind::Distill);
        assert_eq!(form.get(Field::Teacher), "Qwen3 32B");
        form.set(Field::Placement, "pool");
        form.set(Field::TeacherLogits, "top_k");
        form.set(field, typed);
        asked(&form)
    };
    for (field, typed) in [
        (Field::Teacher, ""),
        (Field::Teacher, "no such model"),
        (Field::TeacherGpus, "0"),
        (Field::TeacherTensorParallel, "3"),
        (Field::TeacherShare, "1.5"),
        (Field::TeacherTokens, "0"),
        (Field::TeacherLogits, "full"),
        (Field::TopK, "0"),
        (Field::OnPolicy, "0"),
    ] {
        assert_eq!(refused(&with(field, typed)), Some(field), "{typed}");
    }
    let question = with(Field::TeacherGpus, "4");
    let teacher = question.workload.distillation.clone().unwrap_or_default();
    assert_eq!((teacher.gpus, teacher.top_k), (Some(4), None));
    assert_eq!(teacher.teacher, Some("qwen3-32b".into()));
    let question = with(Field::Teacher, "Qwen3 14B");
    let teacher = question.workload.distillation.clone().unwrap_or_default();
    assert_eq!(Form::of(&question).question(), Ok(question.clone()));
    // Another way to train passes over what it does not have, and keeps it.
    let mut form = Form::of(&question);
    form.choose_kind(WorkloadKind::Grpo);
    assert_eq!(form.question().map(|own| own.workload.distillation), Ok(None));
    form.choose_kind(WorkloadKind::Sft);
    let beside = asked(&form).workload.distillation.unwrap_or_default();
    assert_eq!((beside.gpus, beside.teacher), (None, teacher.teacher));
    form.set(Field::Teacher, "");
    assert_eq!(form.question().map(|own| own.workload.distillation), Ok(None));
}

#[test]
fn a_path_finds_its_control() {
    for (path, field) in [
        ("plan.tensor_parallel", Some(Field::TensorParallel)),
        ("plan.offload.optimizer", Some(Field::Offload)),
        ("model.hidden_size", Some(Field::Model)),
        ("hardware.gpu.memory_gib", Some(Field::GpuMemory)),
        ("hardware.gpu.colour", Some(Field::Gpu)),
        ("hardware.gpus", Some(Field::Gpus)),
        ("workload.rl.critic", None),
        ("version", None),
    ] {
        assert_eq!(Field::of_path(path), field, "{path}");
    }
}

#[test]
fn controls_stand_for_different_things() {
    for (index, field) in Field::ALL.iter().enumerate() {
        assert_eq!(*field as usize, index);
        assert_eq!(Field::of_path(field.path()), Some(*field));
    }
}

#[test]
fn another_task_starts_with_usual_values_and_keeps_what_was_typed() {
    let mut form = Form::of(&grpo());
    form.choose_kind(WorkloadKind::Sft);
    assert_eq!(form.get(Field::SequenceLength), "4,096");
    assert!(form.question().is_ok());
    form.set(Field::SequenceLength, "16k");
    form.choose_kind(WorkloadKind::Grpo);
    form.choose_kind(WorkloadKind::Lora);
    assert_eq!(form.get(Field::SequenceLength), "16k");
    assert_eq!(form.get(Field::Responses), "16");
}

#[test]
fn a_run_stays_beside_the_question_and_its_factors_in_it() {
    let mut form = Form::of(&grpo());
    let factors = shardwise_core::wire::Calibration { time: Some(1.12), ..Default::default() };
    form.set(Field::StepSeconds, "2.5k");
    form.set(Field::ForwardSeconds, "four");
    // Passes are no measure of an RL step: what is typed there is kept and says nothing.
    let measured = form.measured();
    let step = measured.map(|measured| measured.and_then(|measured| measured.step_time_s));
    assert_eq!(step, Ok(Some(2500.0)));
    assert_eq!(form.question(), Ok(grpo()));
    form.calibrate(Some(factors));
    let calibrated = asked(&form);
    assert_eq!([calibrated.calibration, form.calibration()], [Some(factors); 2]);
    form.load(&grpo());
    assert_eq!((form.calibration(), form.get(Field::StepSeconds)), (None, "2.5k"));
    form.load(&calibrated);
    assert_eq!(form.calibration(), Some(factors));
    assert_eq!(Form::of(&calibrated).question(), Ok(calibrated));
    form.calibrate(None);
    assert_eq!(form.question(), Ok(grpo()));
    form.choose_kind(WorkloadKind::Sft);
    form.set(Field::BackwardSeconds, "-3");
    let wrong = form.measured().err().unwrap_or_default();
    let wrong: Vec<_> = wrong.into_iter().map(|error| (error.field, error.problem)).collect();
    let number = |error| Problem::Number(error);
    assert_eq!(
        wrong,
        [
            (Some(Field::ForwardSeconds), number(NumberError::NotANumber)),
            (Some(Field::BackwardSeconds), number(NumberError::Negative)),
        ]
    );
    // One pass without the other is not there yet.
    form.set(Field::ForwardSeconds, "");
    form.set(Field::BackwardSeconds, "3");
    form.set(Field::StepSeconds, " ");
    assert_eq!(form.measured(), Ok(None));
    form.set(Field::ForwardSeconds, "1.5");
    assert!(
        form.measured()
            .is_ok_and(|found| found.is_some_and(|found| found.backward_s == Some(3.0)))
    );
}

fn names(typed: &str) -> Vec<&'static str> {
    let found = matching(typed);
    found.iter().map(|listed| listed.entry.id).collect()
}

#[test]
fn a_model_is_found_by_words_in_any_order() {
    for typed in ["qwen 30b", "30B qwen", "a3b Qwen3", "qwen/qwen3-30b-a3b"] {
        assert_eq!(names(typed).first(), Some(&"qwen3-30b-a3b"), "{typed}");
    }
    assert!(names("qwen")[0].starts_with("qwen"));
    assert_eq!(names("llama 8b 3.1").first(), Some(&"llama-3.1-8b"));
    assert!(names("deepseek 671b moe").contains(&"deepseek-v3"));
    assert_eq!(names("meta-llama 405").first(), Some(&"llama-3.1-405b"));
    // By its size, though no name says so; by the weights that a token visits.
    assert!(names("gpt2 1.5b").contains(&"gpt2-1.5b"));
    assert!(names("deepseek 37b").contains(&"deepseek-r1"));
    for typed in ["vision moe", "dense apache", "mit"] {
        let found = matching(typed);
        assert!(!found.is_empty(), "{typed}");
        let all = |what: fn(&super::models::Listed) -> bool| found.iter().all(what);
        match typed {
            "vision moe" => assert!(all(|listed| listed.is_vision() && listed.is_moe())),
            "dense apache" => assert!(all(|listed| !listed.is_moe() && listed.license == Some("Apache-2.0"))),
            _ => assert!(all(|listed| listed.license.is_some())),
        }
    }
    for typed in ["", " / "] {
        assert_eq!(matching(typed).len(), shardwise_core::catalog::models().len());
    }
    for typed in ["qwen 31b nowhere", "b", "1e999b", "模型", "<script>"] {
        let found = names(typed);
        assert!(found.is_empty() || typed == "b", "{typed}: {found:?}");
    }
}

/// Enter takes the first: it is what the name says, or there is none.
#[test]
fn the_first_model_of_a_name_is_the_one_that_is_meant() {
    for (typed, first) in [
        ("Qwen/Qwen2.5-7B-Instruct", "qwen2.5-7b"),
        ("Qwen2.5-7B-Instruct", "qwen2.5-7b"),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "qwen2.5-vl-7b"),
        ("llama3", "llama-3-8b"),
        ("llama3 70b", "llama-3-70b"),
        ("llama2", "llama-2-7b"),
    ] {
        assert_eq!(names(typed).first(), Some(&first), "{typed}: {:?}", names(typed).get(..3));
    }
    assert!(names("gpt-4").is_empty(), "{:?}", names("gpt-4"));
}

#[test]
fn the_newest_of_a_line_comes_first() {
    for (typed, first) in [
        ("llama 70b", &["llama-3.3-70b", "llama-3.1-70b", "llama-3-70b", "llama-2-70b"][..]),
        ("70b llama", &["llama-3.3-70b", "llama-3.1-70b"]),
        ("llama 8b", &["llama-3.1-8b", "llama-3-8b"]),
        ("qwen 30b", &["qwen3-30b-a3b", "qwen3-vl-30b-a3b"]),
        ("qwen 32b", &["qwen3-32b", "qwen3-vl-32b", "qwen2.5-32b"]),
        ("qwen3 8b", &["qwen3-8b", "qwen3-vl-8b"]),
        ("qwen 7b", &["qwen2.5-7b"]),
        // A version that is typed is meant.
        ("deepseek v3", &["deepseek-v3"]),
        ("llama 2 70b", &["llama-2-70b"]),
        ("deepseek 671b", &["deepseek-v3.2", "deepseek-v3"]),
    ] {
        assert_eq!(names(typed).get(..first.len()), Some(first), "{typed}");
    }
}

/// A broad name means the newest of its line, and no month in its name is a version.
#[test]
fn a_family_alone_finds_the_one_that_is_meant_today() {
    for (typed, first) in [
        ("mistral", "mistral-small-24b"),
        ("mistral large", "mistral-large-3"),
        ("mixtral", "mixtral-8x7b"),
        ("gemma", "gemma-4-31b"),
        ("deepseek", "deepseek-v4-pro"),
        ("phi", "phi-4"),
        ("glm", "glm-5.2"),
        ("kimi", "kimi-k3"),
        ("gpt oss", "gpt-oss-20b"),
        ("gpt-oss", "gpt-oss-20b"),
        ("qwen", "qwen3.8-27b"),
        ("qwen3", "qwen3-8b"),
        ("internvl", "internvl3.5-8b"),
        ("minimax", "minimax-m3"),
        ("olmo", "olmo-3-32b"),
        ("falcon", "falcon-3-7b"),
    ] {
        assert_eq!(names(typed).first(), Some(&first), "{typed}: {:?}", names(typed).get(..4));
    }
}

/// MPT has the shortest name of what has 70 billion weights, and no framework a recipe of it.
#[test]
fn a_size_alone_finds_what_is_trained_most() {
    let of_70b = names("70b");
    assert_eq!(of_70b.get(..2), Some(&["llama-3.3-70b", "llama-3.1-70b"][..]), "{of_70b:?}");
    assert!(of_70b.contains(&"mpt-70b"));
    for (typed, line) in [("70b", "llama"), ("7b", "qwen"), ("30b", "qwen"), ("13b", "llama"), ("671b", "deepseek")] {
        assert!(names(typed)[0].starts_with(line), "{typed}: {:?}", names(typed).first());
    }
    // A line that is named is meant, whatever it has.
    assert_eq!(names("mpt 70b").first(), Some(&"mpt-70b"));
}

/// As after a script that names no GPU: what is said of a model is said of the one that is named.
#[test]
fn a_form_names_its_model_whatever_else_it_lacks() {
    let mut form = Form::of(&grpo());
    form.set(Field::Model, "Qwen3 14B");
    form.set(Field::SequenceLength, "many");
    form.set(Field::Gpu, "");
    assert!(form.question().is_err());
    assert_eq!(form.named_model().map(|model| model.id), Some("qwen3-14b".into()));
    form.set(Field::Model, "");
    assert!(form.named_model().is_none());
}

#[test]
fn an_address_of_the_hub_is_a_model_or_says_what_to_do() {
    let mut form = Form::of(&grpo());
    let model = |form: &Form| form.question().map(|question| question.model);
    for typed in [
        "https://huggingface.co/Qwen/Qwen3-8B",
        "huggingface.co/qwen/qwen3-8b/blob/main/config.json",
        "https://hf.co/Qwen/Qwen3-8B?library=transformers",
    ] {
        form.set(Field::Model, typed);
        assert_eq!(model(&form), Ok("qwen3-8b".into()), "{typed}");
    }
    let address = "https://huggingface.co/me/own/raw/main/config.json";
    for field in [Field::Model, Field::ModelConfig] {
        form.set(Field::Model, "Qwen3 8B");
        form.set(field, address);
        let errors = form.question().err().unwrap_or_default();
        let said: Vec<_> = errors.iter().map(|error| (error.field, &error.problem)).collect();
        assert_eq!(said, [(Some(field), &Problem::Address)]);
        assert_eq!(form.get(field), address);
        form.set(Field::ModelConfig, "");
    }
}

#[test]
fn the_memory_of_a_host_is_kept_until_another_gpu_is_chosen() {
    let mut question = grpo();
    question.hardware.host_ram_gib = Some(512.0);
    let mut form = Form::of(&question);
    form.set(Field::Gpus, "16");
    let host = |form: &Form| form.question().map(|asked| asked.hardware.host_ram_gib);
    assert_eq!(host(&form), Ok(Some(512.0)));
    form.choose_gpu("h20");
    assert_eq!(host(&form), Ok(None));
}

#[test]
fn a_gpu_of_ones_own_is_a_part_of_the_question() {
    let mut form = Form::of(&grpo());
    form.choose_gpu(CUSTOM_GPU);
    // It starts as the one before it.
    assert_eq!(form.get(Field::GpuBase), "h100-sxm");
    form.set(Field::GpuMemory, "120");
    form.set(Field::GpuDomain, "4");
    let own = asked(&form);
    assert_eq!(own.hardware.gpu, json!({"base": "h100-sxm", "memory_gib": 120, "nvlink_domain": 4}));
    assert_eq!(Form::of(&own).question(), Ok(own.clone()));
    // Another type says nothing of it, and it is there again when it is chosen again.
    form.choose_gpu("h20");
    assert_eq!(asked(&form).hardware.gpu, "h20");
    form.choose_gpu(CUSTOM_GPU);
    assert_eq!(asked(&form).hardware.gpu, own.hardware.gpu);
    // From nothing, every figure that is missing is named beside its control.
    for field in Field::ALL.iter().filter(|field| field.is_of_gpu()) {
        form.set(*field, "");
    }
    for (field, figure) in [(Field::GpuBf16, "500"), (Field::GpuMemory, "64"), (Field::GpuBandwidth, "2000")] {
        assert_eq!(refused(&asked(&form)), Some(field));
        form.set(field, figure);
    }
    assert_eq!(refused(&asked(&form)), None);
    form.set(Field::GpuPcie, "0");
    assert_eq!(refused(&asked(&form)), Some(Field::GpuPcie));
}

#[test]
fn a_script_is_rented_as_the_question_before_it() {
    let mut plain = grpo();
    plain.hardware.usd_per_gpu_hour = None;
    let market = |form: &Form| asked(form).hardware.market;
    let mut before = Form::of(&plain);
    before.set(Field::Terms, "spot");
    before.set(Field::Providers, "runpod");
    let adopted = |question: &Question| {
        let mut form = before.clone();
        form.load(question);
        form.rent_script_as(&before);
        market(&form)
    };
    assert!(market(&before).is_some());
    assert_eq!(adopted(&plain), market(&before));
    // A script has nodes of a size, which are those of the offer in a market.
    let mut nodes = plain.clone();
    (nodes.hardware.gpus, nodes.hardware.gpus_per_node) = (Some(32), Some(8));
    assert_eq!(adopted(&nodes), market(&before));
    // A published run is of nodes of its own.
    let mut form = before.clone();
    form.load(&nodes);
    form.rent_as(&before);
    assert_eq!(asked(&form).hardware.gpus_per_node, Some(8));
    let mut unrented = before.clone();
    for field in [Field::Terms, Field::Providers] {
        unrented.set(field, "");
    }
    let mut form = unrented.clone();
    form.load(&nodes);
    form.rent_script_as(&unrented);
    assert_eq!(asked(&form).hardware.gpus_per_node, Some(8));
    // One that says what an hour costs, or whose offers it takes, keeps to that.
    assert_eq!(adopted(&grpo()), None);
    let mut own = plain.clone();
    own.hardware.market = Some(MarketSpec { providers: Some(vec!["lambda".to_owned()]), ..MarketSpec::default() });
    assert_eq!(adopted(&own), own.hardware.market);
}

#[test]
fn machines_of_ones_own_have_the_price_of_what_they_cost() {
    let mut plain = grpo();
    plain.hardware.usd_per_gpu_hour = None;
    let mut form = Form::of(&plain);
    form.rent();
    let price = |form: &Form| {
        let hardware = asked(form).hardware;
        (hardware.owned, hardware.usd_per_gpu_hour, hardware.market.is_some())
    };
    // Until it is said what one cost, what else is typed says nothing; what is no number is wrong all the same.
    form.type_text(Field::OwnedUse, "50%");
    assert_eq!(price(&form), (None, None, true));
    form.type_text(Field::OwnedYears, "four");
    for paid in ["", "15,000"] {
        form.type_text(Field::OwnedPrice, paid);
        let errors = form.question().err().unwrap_or_default();
        assert_eq!(errors.iter().map(|error| error.field).collect::<Vec<_>>(), [Some(Field::OwnedYears)]);
    }
    form.type_text(Field::OwnedYears, "4");
    let own =
        OwnedSpec { usd_per_gpu: Some(15_000.0), years: Some(4.0), utilization: Some(0.5), ..OwnedSpec::default() };
    assert_eq!(price(&form), (Some(own), None, false));
    // It survives a link, and nothing is rented beside it.
    let question = asked(&form);
    let mut again = Form::of(&question);
    again.rent();
    assert_eq!(again.question(), Ok(question.clone()));
    assert_eq!([again.get(Field::OwnedPrice), again.get(Field::OwnedUse)], ["15,000", "0.5"]);
    // An hour has one price, the one that was typed last.
    form.type_text(Field::Price, "2.5");
    assert_eq!((price(&form), form.get(Field::OwnedPrice)), ((None, Some(2.5), false), ""));
    form.type_text(Field::OwnedPrice, "15k");
    assert_eq!((price(&form), form.get(Field::Price)), ((Some(own), None, false), ""));
    // What another type cost, and draws, is not known; how it is used is.
    form.type_text(Field::OwnedWatts, "600");
    form.choose_gpu("h200-sxm");
    assert_eq!(price(&form), (None, None, true));
    form.type_text(Field::OwnedPrice, "30000");
    assert_eq!(price(&form), (Some(OwnedSpec { usd_per_gpu: Some(30_000.0), ..own }), None, false));
    // A refusal stands beside its control.
    form.type_text(Field::OwnedPue, "0.5");
    let question = asked(&form);
    assert_eq!(refused(&question), Some(Field::OwnedPue));
}

#[test]
fn a_machine_that_is_stated_leaves_nothing_of_a_market() {
    let mut document = grpo();
    document.hardware.usd_per_gpu_hour = None;
    document.hardware.market = Some(MarketSpec { regions: Some(vec!["us".to_owned()]), ..MarketSpec::default() });
    let mut form = Form::of(&document);
    assert_eq!(form.question(), Ok(document));
    form.type_text(Field::OwnedPrice, "15000");
    assert_eq!(form.question().map(|asked| asked.hardware.market), Ok(None));
    form.type_text(Field::OwnedPrice, "");
    assert!(form.question().is_ok_and(|asked| asked.hardware.market.is_some()));
}

#[test]
fn the_architectures_of_a_gpu_of_ones_own_are_the_cores() {
    let mut known: Vec<String> = shardwise_core::efficiency::EFFICIENCY.architecture_names().collect();
    let mut offered: Vec<String> = shardwise_core::catalog::generations()
        .iter()
        .map(|own| own.name.to_ascii_lowercase())
        .collect();
    known.sort();
    offered.sort();
    assert_eq!(offered, known);
    let mut form = Form::of(&grpo());
    form.choose_gpu(CUSTOM_GPU);
    form.set(Field::GpuBase, "");
    for (field, text) in [
        (Field::GpuArchitecture, "CDNA"),
        (Field::GpuBf16, "500"),
        (Field::GpuMemory, "64"),
        (Field::GpuBandwidth, "2000"),
    ] {
        form.set(field, text);
    }
    let mut question = asked(&form);
    assert_eq!(question.hardware.gpu["architecture"], "CDNA");
    assert_eq!(refused(&question), None);
    // A link may write it as it likes: the control shows it.
    for written in ["cdna3", "CDNA", "cdna"] {
        question.hardware.gpu["architecture"] = written.into();
        let again = Form::of(&question);
        assert_eq!(again.get(Field::GpuArchitecture), "CDNA", "{written}");
    }
}

/// What one task says in its controls, and a link beyond them, another has no use for: it is not asked, and is there
/// again when its own task is chosen again.
#[test]
fn every_task_asks_what_belongs_to_it() {
    let ppo = question(json!({
        "version": 1, "model": "qwen3-0.6b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "ppo", "packing": true, "lora": {"rank": 8}, "rl": {
            "prompts_per_step": 512, "max_prompt_length": 1024, "max_response_length": 3072,
            "schedule": "fully_async", "max_staleness": 2, "train_gpus": 4}},
        "plan": {"backend": "fsdp", "tensor_parallel": 1, "recompute": {"granularity": "selective", "modules": ["mlp"]},
            "rollout": {"tensor_parallel": 1}, "critic": {"backend": "fsdp"}, "reference": {"backend": "fsdp"}},
        "calibration": {"time": 1.1, "memory": 1.1}
    }));
    let mut form = Form::of(&ppo);
    assert_eq!(form.pinned(), 4);
    for kind in WorkloadKind::ALL.into_iter().chain(WorkloadKind::ALL) {
        let word = kind.as_str();
        form.choose_kind(kind);
        let asked = asked(&form);
        assert_eq!(shardwise_core::belonging::check(&asked).err(), None, "{word}");
        assert_eq!(shardwise_core::evaluate_alone(&asked).err(), None, "{word}");
    }
    form.choose_kind(WorkloadKind::Rollout);
    assert_eq!(form.pinned(), 1);
    form.choose_kind(WorkloadKind::Ppo);
    assert_eq!(form.question(), Ok(ppo));
}

#[test]
fn a_count_may_be_typed_in_nodes() {
    let mut form = Form::of(&grpo());
    form.set(Field::Gpus, "2x4");
    let hardware = |form: &Form| {
        let hardware = asked(form).hardware;
        (hardware.gpus, hardware.gpus_per_node)
    };
    assert_eq!(hardware(&form), (Some(8), Some(4)));
    // What is typed for the node holds.
    form.set(Field::GpusPerNode, "8");
    assert_eq!(hardware(&form), (Some(8), Some(8)));
    form.set(Field::Gpus, "2x");
    assert!(form.question().is_err());
}

#[test]
fn what_is_typed_outlives_another_task_and_the_page() {
    let mut form = Form::of(&grpo());
    form.set(Field::MaxResponse, "8k");
    form.set(Field::Gpus, "two");
    form.choose_kind(WorkloadKind::Sft);
    form.set(Field::SequenceLength, "many");
    form.choose_kind(WorkloadKind::Grpo);
    let mut again = Form::of(&grpo());
    again.retype(&form.typed());
    for (field, text) in [(Field::MaxResponse, "8k"), (Field::Gpus, "two"), (Field::SequenceLength, "many")] {
        assert_eq!((form.get(field), again.get(field)), (text, text));
    }
}

/// What mends a control with a text, as the buttons say it.
#[track_caller]
fn mended(form: &Form, field: Field, typed: &str) -> Vec<(String, bool)> {
    let mut wrong = form.clone();
    wrong.set(field, typed);
    let error = match wrong.question() {
        Err(errors) => errors.into_iter().find(|error| error.field == Some(field)),
        Ok(question) => shardwise_core::evaluate(&question).err().map(super::FieldError::from),
    };
    let Some(error) = error else { panic!("{typed} is right") };
    let mends = super::mend::mends(&wrong, &error, Some(form), &|asked| shardwise_core::evaluate(asked).err());
    mends.into_iter().map(|mend| (mend.text, mend.is_most)).collect()
}

#[test]
fn what_mends_a_control_is_right_there() {
    let mut form = Form::of(&grpo());
    form.set(Field::Schedule, "");
    for (field, typed, mends) in [
        (Field::Gpus, "0", &[("1", false), ("8", false)][..]),
        (Field::Gpus, "-16", &[("16", false), ("8", false)]),
        (Field::Gpus, "7.6", &[("8", false)]),
        (Field::Gpus, "two", &[("8", false)]),
        (Field::Gpus, "2000000", &[("1,048,576", true), ("8", false)]),
        (Field::Gpus, "100000", &[("16,384", true), ("8", false)]),
        (Field::Prompts, "", &[("512", false)]),
        (Field::MemoryShare, "1,5", &[("0.65", false)]),
        (Field::MemoryShare, "0", &[("0.6", false), ("1", true), ("0.65", false)]),
        // Nothing was stated, and nothing is named: the search has it again.
        (Field::PipelineParallel, "many", &[("", false)]),
        (Field::PipelineParallel, "40", &[("", false)]),
    ] {
        let expected: Vec<(String, bool)> = mends.iter().map(|(text, most)| ((*text).to_owned(), *most)).collect();
        assert_eq!(mended(&form, field, typed), expected, "{field:?} {typed}");
    }
}

#[test]
fn nothing_said_is_rented_on_demand_and_what_is_stated_is_not() {
    let mut plain = grpo();
    plain.hardware.usd_per_gpu_hour = None;
    let mut form = Form::of(&plain);
    form.rent();
    let market = |form: &Form| {
        let hardware = asked(form).hardware;
        (hardware.market, hardware.offer)
    };
    let kinds = |form: &Form| market(form).0.and_then(|market| market.kinds);
    assert_eq!(kinds(&form), Some(vec![OfferKind::OnDemand]));
    form.set(Field::Terms, "spot");
    form.set(Field::Providers, "AWS, Voltage Park，");
    assert_eq!(kinds(&form), Some(vec![OfferKind::Spot]));
    let providers = market(&form).0.and_then(|market| market.providers);
    assert_eq!(providers.as_deref(), Some(&["AWS".to_owned(), "Voltage Park".to_owned()][..]));
    let again = Form::of(&asked(&form));
    assert_eq!((again.get(Field::Terms), again.get(Field::Providers)), ("spot", "AWS, Voltage Park"));
    // An offer has its own terms.
    form.set(Field::Offer, "voltage-park/8x-h100-ethernet/us/on-demand");
    assert_eq!(market(&form), (None, Some("voltage-park/8x-h100-ethernet/us/on-demand".to_owned())));
    // What is stated by hand is nobody's machine; the terms come back with the next GPU type.
    form.set(Field::Price, "2.5");
    assert_eq!(market(&form), (None, None));
    form.choose_gpu("h200-sxm");
    assert_eq!(kinds(&form), Some(vec![OfferKind::Spot]));
    form.choose_gpu(CUSTOM_GPU);
    assert_eq!(market(&form), (None, None));
    // Nodes are as large as instances are.
    form.choose_gpu("h200-sxm");
    form.set(Field::Gpus, "4x8");
    let question = asked(&form);
    assert_eq!((question.hardware.gpus, question.hardware.gpus_per_node), (Some(32), None));
    // A price that a question brings stays.
    let mut priced = Form::of(&grpo());
    priced.rent();
    assert_eq!(priced.question(), Ok(grpo()));
}

#[test]
fn operations_are_counted_while_their_switch_is_on() {
    let mut form = Form::of(&grpo());
    form.set(Field::FailureHours, "20k");
    assert_eq!(asked(&form).operations, None);
    form.set(Field::Operations, "true");
    form.set(Field::Energy, "false");
    let own = asked(&form).operations.unwrap_or_default();
    assert_eq!(own.failures.and_then(|failures| failures.mtbf_gpu_hours), Some(20_000.0));
    assert_eq!(own.power.and_then(|power| power.on), Some(false));
    // What a link says of them beyond the controls stays.
    let mut question = grpo();
    question.operations = Some(serde_json::from_value(json!({"restart_s": 40.0})).unwrap_or_default());
    let linked = Form::of(&question);
    assert_eq!(linked.get(Field::Operations), "true");
    assert_eq!(linked.question(), Ok(question.clone()));
    let mut off = linked;
    off.set(Field::Operations, "");
    assert_eq!(off.question(), Ok(grpo()));
    // Nothing but the switch is a question of its own.
    question.operations = Some(shardwise_core::wire::OperationsSpec::default());
    assert_eq!(Form::of(&question).question(), Ok(question));
}

#[test]
fn sellers_of_the_readers_country_come_first_where_they_have_the_machine() {
    let mut plain = grpo();
    plain.hardware = serde_json::from_value(json!({"gpu": "h20", "gpus": 8})).unwrap_or_default();
    let mut form = Form::of(&plain);
    form.rent();
    form.prefer_home();
    assert_eq!(form.get(Field::Providers), HOME);
    let question = asked(&form);
    let rented = shardwise_core::evaluate_alone(&question).map(|found| found.answer.offer);
    assert!(rented.is_ok_and(|own| own.is_some_and(|own| HOME.contains(own.provider.as_ref()))));
    // A reload, or a link of such a page, goes on in the same way.
    let mut linked = Form::of(&question);
    for form in [&mut form, &mut linked] {
        // Nobody of them has it: all are asked, until they have one again.
        form.choose_gpu("h100-sxm");
        form.prefer_home();
        assert_eq!((form.get(Field::Providers), form.takes_any_seller()), ("", true));
        form.choose_gpu("h20");
        form.prefer_home();
        assert_eq!(form.get(Field::Providers), HOME);
    }
    // Whoever says whose offers count is left alone.
    form.choose_home(false);
    form.prefer_home();
    assert_eq!((form.get(Field::Providers), form.takes_any_seller()), ("", false));
    form.choose_home(true);
    form.prefer_home();
    assert_eq!(form.get(Field::Providers), HOME);
    form.type_text(Field::Providers, "Nebius");
    form.prefer_home();
    assert_eq!(form.get(Field::Providers), "Nebius");
    // As is a machine that is stated by hand.
    let mut stated = Form::of(&grpo());
    stated.rent();
    stated.prefer_home();
    assert_eq!(stated.get(Field::Providers), "");
    // They are all in the catalog.
    for name in HOME.split(", ") {
        assert!(shardwise_core::catalog::offers().iter().any(|offer| offer.provider() == name), "{name}");
    }
}
