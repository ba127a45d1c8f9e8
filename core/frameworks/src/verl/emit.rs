//! A plan as a command of veRL: which rows stand in which section, and what starts the run.

use super::keys::{distillation, earlier, engine, fine_tuning, model, reinforcement, roles, rollout, streamed};
use super::role::{ACTOR, CRITIC, FINE_TUNING, Role};
use super::versions::{Version, spell};
use crate::binding::{At, Row};
use crate::emit::checkpoint::stretched;
use crate::emit::choices::{self, other_states, rate};
use crate::emit::text::{Script, Section, head, rendezvous, torchrun};
use crate::emit::words::{layout_title, plural};
use crate::emit::{Emission, Snippet, Unsupported, kernel, megatron};
use shardwise_question::job::Job;
use shardwise_question::wire::{Attention, Backend, Engine, Schedule};
use shardwise_question::workload::Logits;
use shardwise_rules::machines;
use shardwise_rules::verl::{critic, reference, streams};

const ACTORS: &str = "actor_rollout_ref.actor.";
const REFERENCE: &str = "actor_rollout_ref.ref.";
const ROLLOUT: &str = "actor_rollout_ref.rollout.";

/// GPUs of a node, of which a question may have a part alone.
const USUAL_NODE: u32 = 8;

const START: &str = "a start; yours to tune";

/// The command for this plan.
pub(crate) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let Some(version) = Version::named(emission.version) else {
        return refuse(format!("veRL {} is no version that texts are written for.", emission.version));
    };
    let at = At::trained(emission);
    let megatron = at.megatron().is_some();
    if version < Version::V0_9_1 && at.rl().is_some_and(|rl| rl.schedule != Schedule::Colocated) {
        return refuse(format!(
            "veRL {} generates beside training only in recipes of its repository. Choose 0.9.1, or the schedule colocated.",
            emission.version
        ));
    }
    // v0.5.0, recipe/prime/prime_dp_rm.py, lines 89 and 97, as v0.4.1: its model answers with a tuple, which has no `logits`, and
    // verl-recipe's 816b5eb mends it for a mode of generation that 0.7.0 removed (workers/config/rollout.py, line 225); 0.8.0 has
    // no `fsdp_workers`, which prime/main_prime.py starts (line 77).
    if emission.job.workload.kind.has_process_reward() {
        return refuse(
            "No text is written for PRIME: its recipe runs with no release of veRL that texts are written for. In 0.4.1 and 0.5.0 its reward model stops at its first pass, and 0.7.1 and later lack what it starts. Choose rloo, or paste a script of your own."
                .to_owned(),
        );
    }
    if megatron && version < Version::V0_8_0 && stretched(emission.job) {
        return refuse(format!(
            "veRL {} gives Megatron no YaRN. Choose 0.8.0 or later, the backend fsdp, or shorter sequences.",
            emission.version
        ));
    }
    let mut warnings = warnings(&at);
    let (file, sections, command) = if at.rl().is_some() {
        // What the configuration of Megatron was called before one had both backends.
        let named = if megatron && version < Version::V0_8_0 {
            " --config-path=config --config-name=ppo_megatron_trainer.yaml"
        } else {
            ""
        };
        let command = format!("python3 -m {}{named} \"${{args[@]}}\"", program(&at));
        ("run_verl.sh", reinforcement(&at)?, command)
    } else {
        let launch = torchrun(emission.job);
        let (module, sections) = if version < Version::V0_7_1 {
            ("fsdp_sft_trainer", earlier(&at, &mut warnings)?)
        } else {
            ("sft_trainer", fine_tuning(&at))
        };
        ("run_verl_sft.sh", sections, format!("{launch} -m verl.trainer.{module} \"${{args[@]}}\""))
    };
    let distillation = emission.job.workload.distillation.as_ref();
    // experimental/teacher_loop/teacher_manager.py asks for no text since 0.9.1.
    if version < Version::V0_9_1 && distillation.is_some_and(|own| matches!(own.logits, Logits::TopK(_))) {
        warnings.push(format!(
            "veRL {} turns each of a teacher's probabilities into text: handing them over takes several times as long as estimated.",
            emission.version
        ));
    }
    let sections = spell(version, megatron, sections, &mut warnings)?;
    let script = Script { head: head(emission, &warnings), setup: setup(&at), assign: "=", sections, command };
    Ok(vec![script.into_snippet(file)])
}

/// Which of veRL's trainers runs it.
fn program(at: &At) -> &'static str {
    if at.rl().is_some_and(streams) {
        "verl.experimental.fully_async_policy.fully_async_main"
    } else {
        "verl.trainer.main_ppo"
    }
}

fn refuse<T>(message: String) -> Result<T, Unsupported> {
    Err(Unsupported { message })
}

/// `verl.trainer.main_ppo`: PPO, GRPO, DAPO, GSPO.
fn reinforcement(at: &At) -> Result<Vec<Section>, Unsupported> {
    let Some(replicas) = rollout::replicas(at) else {
        return refuse("The plan has no generation engine.".to_owned());
    };
    let rewards = match at.rl().and_then(|rl| rl.reward_model.as_ref()) {
        Some(_) => section("Reward model", at, &[("reward.", rollout::REWARD_MODEL)]),
        None => section("Rewards by rules", at, &[("reward.custom_reward_function.", rollout::REWARD_RULES)]),
    };
    let backend = [("", reinforcement::BACKEND), (ACTORS, reinforcement::STRATEGY)];
    let mut actor = layout(format!("Layout of the actor: {}", title(at)), at, &ACTOR, &backend);
    actor.set("actor_rollout_ref.actor.optim.lr", rate(&at.job().workload), START);
    let micro = [(ACTORS, reinforcement::UPDATE), (ROLLOUT, rollout::LOG_PROB)];
    let engines = format!("Rollout: {}", plural(replicas, "engine", "engines"));
    Ok(vec![
        section("Batch", at, &[("", reinforcement::BATCH)]),
        trained(at, &ACTOR),
        actor,
        section("What one forward pass takes on one GPU", at, &micro),
        reference_policy(at),
        value(at),
        section(engines, at, &[(ROLLOUT, rollout::ROLLOUT)]),
        section("Agent: turns and tools", at, &[(ROLLOUT, rollout::AGENT)]),
        section(
            "Teacher, on GPUs of its own",
            at,
            &[
                ("distillation.", distillation::DISTILLATION),
                ("distillation.teacher_models.teacher_model.", distillation::TEACHER),
            ],
        ),
        rewards,
        section("Algorithm", at, &[("", reinforcement::ALGORITHM)]),
        section(
            "Generation that runs ahead",
            at,
            &[("rollout.", streamed::ENGINES), ("async_training.", streamed::QUEUE)],
        ),
        section("Cluster and run", at, &[("", reinforcement::RUN)]),
    ])
}

/// `verl.trainer.sft_trainer`: full fine-tuning and LoRA.
fn fine_tuning(at: &At) -> Vec<Section> {
    vec![
        section("Batch", at, &[("", fine_tuning::BATCH)]),
        trained(at, &FINE_TUNING),
        layout(format!("Layout: {}", title(at)), at, &FINE_TUNING, &[("", fine_tuning::BACKEND)]),
        run(at, "a start; veRL's default of 1e-3 is for no large model"),
    ]
}

/// `verl.trainer.fsdp_sft_trainer`: fine-tuning until 0.5.0, with FSDP2 alone; warns of what it does otherwise than the estimate.
fn earlier(at: &At, warnings: &mut Vec<String>) -> Result<Vec<Section>, Unsupported> {
    let (layout, version) = (at.layout, at.emission.version);
    let trouble = if layout.backend != Backend::Fsdp {
        Some("with FSDP alone.")
    } else if layout.shard_group < at.gpus() || layout.zero_stage != 3 {
        Some("with weights sharded over all GPUs alone.")
    } else if layout.offload.activations {
        Some("with activations on the GPU alone.")
    } else if layout.attention == Attention::Unfused
        || layout
            .attention_kernel
            .is_some_and(|own| kernel::hugging_face(own) != Some(kernel::FLASH_2))
    {
        // fsdp_sft_trainer.py loads its model with it.
        Some("by FlashAttention-2 alone.")
    } else if at.sequences().is_none() {
        Some("on micro-batches counted in sequences alone.")
    } else {
        None
    };
    if let Some(what) = trouble {
        return refuse(format!("veRL {version} fine-tunes {what} Choose 0.7.1 or later, or change the plan."));
    }
    if at.job().workload.joins() && layout.ulysses_parallel == 1 {
        warnings.push(format!(
            "veRL {version} pads every sequence to max_length where nothing splits it; the estimate packs."
        ));
    }
    if layout.fused_lm_head {
        warnings.push(format!("veRL {version} has no fused LM head here: its logits take more memory than estimated."));
    }
    let model = [earlier::MODEL, model::CHECKPOINTING, model::ADAPTERS].map(|rows| ("model.", rows));
    Ok(vec![
        section("Batch", at, &[("", earlier::BATCH)]),
        section("Model", at, &model),
        section(format!("Layout: {}", title(at)), at, &[("", earlier::ENGINE)]),
        run(at, START),
    ])
}

/// Learning rate, with the reason for it, and the rest of a run of fine-tuning.
fn run(at: &At, reason: &str) -> Section {
    let mut section = Section::new("Run");
    section.set("optim.lr", rate(&at.job().workload), reason);
    section.say("", fine_tuning::RUN, at);
    section
}

/// What tables say of a plan, each under its prefix.
fn section(title: impl Into<String>, at: &At, tables: &[(&str, &[Row])]) -> Section {
    let mut section = Section::new(title);
    for (prefix, rows) in tables {
        section.say(prefix, rows, at);
    }
    section
}

fn title(at: &At) -> String {
    layout_title(at.layout, at.gpus())
}

/// The model that a role trains.
fn trained(at: &At, role: &Role) -> Section {
    let tables = [model::MODEL, model::CHECKPOINTING, model::KERNEL, model::HEAD, model::ADAPTERS];
    section("Model", at, &tables.map(|rows| (role.model, rows)))
}

/// The backend of a role, and its engine.
fn layout(title: String, at: &At, role: &Role, backend: &[(&str, &[Row])]) -> Section {
    let mut section = section(title, at, backend);
    engine(&mut section, at, role);
    section
}

/// A training engine and its optimizer.
fn engine(section: &mut Section, at: &At, role: &Role) {
    if at.megatron().is_none() {
        section.say(role.fsdp, engine::FSDP, at);
        return section.say(role.optim, engine::OPTIM, at);
    }
    let transformer = format!("++{}override_transformer_config.", role.megatron);
    for (prefix, rows) in [
        (role.megatron, megatron::MATRICES),
        (role.megatron, engine::CHUNKS),
        (role.megatron, megatron::SHARES),
        (role.megatron, megatron::SEQUENCE),
        (role.megatron, megatron::STATES),
        (role.megatron, engine::OFFLOAD),
        (role.optim, engine::OPTIM),
        (role.megatron, engine::MEGATRON),
        (&transformer, megatron::RECOMPUTE),
        (&transformer, engine::TRANSFORMER),
        (role.megatron, engine::MEGATRON_DTYPE),
    ] {
        section.say(prefix, rows, at);
    }
}

/// The reference policy, where it has weights of its own: the actor's layout, but for what the plan gives it.
fn reference_policy(at: &At) -> Section {
    let Some(layout) = reference(at.job(), at.emission.plan) else {
        return Section::new("Reference policy");
    };
    let own = At { layout, ..*at };
    let mut section =
        section(format!("Reference policy: {}", title(&own)), &own, &[(REFERENCE, roles::REFERENCE_ENGINE)]);
    for row in megatron::MATRICES
        .iter()
        .chain(megatron::SHARES)
        .filter(|_| own.megatron().is_some())
    {
        if let (Some((own, _)), Some((actors, _))) = ((row.says)(&own), (row.says)(at))
            && own != actors
        {
            section.set(format!("{REFERENCE}megatron.{}", row.name), own, "its own, from the plan");
        }
    }
    section.say(REFERENCE, roles::REFERENCE, &own);
    section
}

/// The critic.
fn value(at: &At) -> Section {
    let Some((layout, shape)) = critic(at.job(), at.emission.plan) else {
        return Section::new("Critic");
    };
    let at = At { layout, shape, ..*at };
    let model = [("critic.", roles::CRITIC_MODEL), (CRITIC.model, model::CHECKPOINTING), (CRITIC.model, model::KERNEL)];
    let mut section = section(format!("Critic: {}", title(&at)), &at, &model);
    engine(&mut section, &at, &CRITIC);
    section.say("critic.", roles::CRITIC, &at);
    section
}

/// Environment variables that must be set before the processes start, and what brings the nodes together.
fn setup(at: &At) -> Vec<(String, String)> {
    let job = at.job();
    let nodes = cluster(job);
    let mut lines = match at.megatron() {
        Some(_) => Vec::from_iter([Some(megatron::ordered()), megatron::switched_on(job)].into_iter().flatten()),
        None => Vec::new(),
    };
    lines.extend(rendezvous(nodes));
    if nodes > 1 && at.rl().is_some() {
        lines.extend(ray(job.gpus()));
    }
    lines
}

/// Nodes of the student, and of a teacher's pool where those have no room for it.
fn cluster(job: &Job) -> u32 {
    let own = machines(job);
    let hardware = &job.hardware;
    let Some(pool) = job.workload.teachers_pool() else {
        return own;
    };
    if job.gpus() <= hardware.gpus_per_node.max(USUAL_NODE) {
        own
    } else {
        own + pool.gpus.div_ceil(hardware.gpus_per_node)
    }
}

/// Brings the nodes into one cluster of Ray before the trainer on the first asks for all of it (`docs/start/multinode.rst`).
/// Every node runs these lines; all but the first stay in them until the run ends.
fn ray(gpus: u32) -> Vec<(String, String)> {
    let line = |code: &str, reason: &str| (code.to_owned(), reason.to_owned());
    vec![
        line("if [ \"$NODE_RANK\" != 0 ]; then", "all but the first node"),
        line(
            "  until ray health-check --address \"$MASTER_ADDR:6379\" 2>/dev/null; do sleep 5; done",
            "wait for the first",
        ),
        line("  ray start --address=\"$MASTER_ADDR:6379\" --block", "lend it their GPUs until it stops"),
        line("  exit", "and do nothing else"),
        line("fi", ""),
        line("ray start --head --port=6379", "the first node leads"),
        line("trap 'ray stop' EXIT", "its end is that of all"),
        (
            format!(
                "python3 -c 'import ray, time; ray.init(); [time.sleep(5) for _ in iter(lambda: ray.cluster_resources().get(\"GPU\", 0) < {gpus}, False)]'"
            ),
            format!("waits for all {gpus} GPUs: the trainer does not"),
        ),
    ]
}

/// What the plan says and veRL has no key for.
fn warnings(at: &At) -> Vec<String> {
    let mut out = Vec::new();
    let layout = at.layout;
    // Of adapters they are next to nothing.
    if at.lora().is_none() {
        out.extend(other_states(layout, engine::state_bytes(at), "veRL"));
    }
    if layout.overlap.tensor_parallel && at.megatron().is_some() && layout.tensor_parallel > 1 {
        out.push(
            "veRL does not overlap tensor-parallel collectives by itself; the plan assumes that it does.".to_owned(),
        );
    }
    if at.rollout().is_some_and(|own| own.engine == Engine::TensorrtLlm) {
        out.push(
            "TensorRT-LLM takes gpu_memory_utilization of what its weights leave free, and the estimate of the whole card: lower it where memory is short.".to_owned(),
        );
    }
    out.extend(choices::speculative(at.emission.plan));
    out
}
