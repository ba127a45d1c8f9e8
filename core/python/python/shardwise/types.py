"""The documents as types: what a question may say, and what is answered."""

# Written by scripts/python-types.mjs from what `shardwise schema` prints.

from __future__ import annotations

from typing import Any, Literal, TypedDict

Attention = Literal["flash", "unfused"]
"""Kernel of the attention scores."""

AttentionKernel = Literal["flash1", "flash2", "flash3", "flash4", "cudnn", "sdpa", "ck"]
"""Code that computes attention where its scores never reach memory."""

Backend = Literal["megatron", "fsdp", "deepspeed", "ddp"]
"""The code that trains."""

By = Literal["cost", "time", "gpus"]
"""What best means, among GPU types and numbers of GPUs."""

ChangeKind = Literal["plan", "simplicity", "numerics", "machine"]
"""What a change changes."""

CheckVerdict = Literal["fits", "tight", "unknown", "unfit"]
"""What a check decides."""

CudaGraphs = Literal["none", "partial", "full"]
"""What of a training step CUDA graphs replay."""

Engine = Literal["vllm", "sglang", "tensorrt_llm"]
"""The engine that generates."""

EngineVersion = str

FindingLevel = Literal["error", "warning", "note"]
"""How much a finding matters."""

FitState = Literal["fits", "tight", "unlikely", "no"]
"""How sure it is that a plan fits."""

Framework = Literal["verl", "chatlearn", "deepspeed", "megatron-lm", "llmforge", "easyr1", "skyrl", "slime", "nemo-rl", "trl", "llamafactory", "axolotl", "ms-swift", "openrlhf", "torchtitan", "megatron-bridge", "unsloth"]
"""A framework whose texts are read."""

Interconnect = Literal["nvlink", "xgmi", "pcie", "unknown"]
"""What joins the GPUs of an instance."""

KvCacheDtype = Literal["auto", "fp8"]
"""Type of the keys and values in an engine's cache."""

Language = Literal["en", "zh"]
"""A language that explanations are written in."""

LoraTargets = Literal["attention", "all-linear"]
"""Which matrices carry adapters."""

MemoryPlace = Literal["device", "engine", "host", "shared"]
"""What ran out."""

OfferKind = Literal["on-demand", "spot", "reserved-1y", "market"]
"""On which terms a machine is rented. Prices of two kinds are never mixed."""

Optimizer = Literal["adamw", "adamw_8bit", "paged_adamw", "paged_adamw_8bit", "adafactor", "lion", "lion_8bit", "sgd", "muon"]
"""What steps the weights, by the name that Hugging Face's `optim` has for it where it has one. What each of them keeps
and moves is a row of `ROWS`.
"""

PipelineSchedule = Literal["1f1b", "interleaved_1f1b", "interleaved_zero_bubble", "zbv_zero_bubble", "dual_pipe_v"]
"""Order in which the stages of a pipeline run the passes of their micro-batches."""

Placement = Literal["beside", "pool"]
"""Where a teacher stands."""

Precision = Literal["bf16", "fp16", "fp8", "mxfp8", "nvfp4"]
"""Number format of the matrix products."""

RecomputeGranularity = Literal["none", "selective", "full"]
"""Which activations are computed again in the backward pass."""

RecomputeModule = Literal["core_attn", "mlp", "moe", "moe_act", "layernorm", "mla_up_proj", "shared_experts"]
"""A module Megatron can recompute on its own."""

Schedule = Literal["colocated", "split", "one_step_off", "fully_async"]
"""How generation and training share the GPUs."""

Severity = Literal["error", "warning", "hint"]
"""How much a piece of advice matters."""

Table = Literal["gpus", "models", "nodes", "prices", "offers"]
"""A table of the catalog."""

TeacherLogits = Literal["sampled", "top_k", "full"]
"""What of a teacher's probabilities the student is held to."""

TextLanguage = Literal["shell", "json", "yaml", "python"]
"""Language of a text."""

TokenDispatcher = Literal["alltoall", "deepep", "hybridep"]
"""What sends tokens to their experts and back."""

VisionTower = Literal["trained", "projector", "frozen"]
"""What trains of a vision tower."""

WorkloadKind = Literal["pretrain", "sft", "lora", "qlora", "dpo", "ipo", "kto", "orpo", "simpo", "reward_model", "ppo", "grpo", "dapo", "gspo", "dr_grpo", "cispo", "gmpo", "rloo", "reinforce_plus_plus", "remax", "prime", "distill", "rollout"]
"""What is asked of the machine."""

class _AdviceNeeds(TypedDict):
    id: str
    """Stable identifier, kebab case."""
    severity: Severity
    """`error`, `warning` or `hint`."""
    source: str
    """Where the rule comes from."""
    text: str
    """One or two sentences for a person, with the gain in numbers where there is one."""


class Advice(_AdviceNeeds, total=False):
    """One piece of advice."""

    gain: Difference
    """What following it changes; absent where it proposes no plan."""
    set: dict[str, Any]
    """What to set in the question to follow it, by path; null takes a field away."""


class AgentSpec(TypedDict, total=False):
    """An agent's responses: the model writes a turn, a tool answers it, and so on. Lengths of responses count both."""

    asynchronous: bool | None
    """Whether each response goes on at its own pace. False: all wait for a turn's slowest. Default true."""
    environments: int | None
    """Responses in progress at a time, over all engines: one in each environment. Default: all."""
    max_turns: int | None
    """The most turns (veRL's `multi_turn.max_assistant_turns`). Default: twice the mean."""
    prefix_cache_hit_rate: float | None
    """Share of a response's earlier tokens whose keys and values an engine still holds when its next turn begins.
    Default: as far as the cache has room for the responses that wait.
    """
    tool_cv: float | None
    """Spread of those seconds: standard deviation over mean. Default 1, with a caveat."""
    tool_response_length: float | None
    """Mean tokens of a tool's answer. Default 256, or what has tools write half of a response where that is less, with a caveat."""
    tool_s: float | None
    """Mean seconds from a turn to the tool's answer. Default 1, with a caveat."""
    turns: float | None
    """Mean turns that the model writes in a response; a tool answers each but the last. Default: half way from 1 to
    `max_turns`, with a caveat; one of both is required.
    """


class _AnswerNeeds(TypedDict):
    advice: list[Advice]
    """Errors, warnings, then what would help, most valuable first. Only the answer to a question has the last: not the
    plans of a search.
    """
    caveats: list[Caveat]
    """What the estimate leaves out or assumes."""
    data: Data
    """Which data answered."""
    fit: Fit
    """How sure that is."""
    fits: bool
    """Whether it fits rather than not: `fit.state` is `fits` or `tight`."""
    hfu: float
    """Hardware FLOPs utilization: the same with what the plan computes again; equal where it recomputes nothing."""
    memory: Memory
    """Memory of the worst GPU at its worst moment."""
    mfu: float
    """Model FLOPs utilization, without recomputation, over the dense peak of the precision. Six operations per weight that
    multiplies a token and trains, four per frozen one.
    """
    model_tflops_per_gpu: float
    """Model TFLOPS per GPU."""
    mtok_per_hour: float
    """Millions of tokens per hour, over all GPUs."""
    plan: PlanSpec
    """The complete plan that was evaluated."""
    step_time_s: float
    """Seconds of one step (optimizer step, RL step, or the whole generation run)."""
    time: Time
    """Where the time goes."""
    tokens_per_s: float
    """Non-padding tokens per second over all GPUs."""
    tokens_per_s_per_gpu: float
    """Non-padding tokens per second and GPU, over the whole step and all GPUs."""
    version: int
    """Interface version: 1."""


class Answer(_AnswerNeeds, total=False):
    """What the calculator replies."""

    calibration: Calibration
    """The question's calibration, which all figures above contain; absent without one."""
    framework: RunBy
    """Who runs it: the question's framework, or where it names none the first that does; absent where none does."""
    interval: Interval
    """Ranges; absent where no published run supports one."""
    offer: Rental
    """The offer that the GPUs are rented by, from which the price is; absent where the question asks for none."""
    run: Run
    """The whole run, where `workload.tokens` or `workload.run` says how long it is; of RL always."""
    split: Split
    """GPUs of the two sides, where generation has its own."""
    usd_per_gpu_hour: float
    """Price per GPU and hour that was used; absent without one."""
    usd_per_mtok: float
    """Dollars per million tokens; absent without a price."""
    usd_per_step: float
    """Dollars per step; absent without a price."""


class Assumed(TypedDict):
    """A field that the text does not state."""

    field: str
    """Path of the field in the question."""
    value: str
    """Its value; empty where the field is left to the calculator."""
    why: str
    """Where the value is from, and the key that would state it."""


class CalibrateOptions(TypedDict, total=False):
    """What was measured of a run."""

    backward_s: float | None
    """Seconds of its backward pass."""
    forward_s: float | None
    """Seconds of a micro-batch's forward pass on one GPU."""
    lang: Language | None
    """Language of sentences. Default en."""
    log: str | None
    """Text of the run's log: veRL's console, wandb's summary or history, Hugging Face's Trainer, LLaMA-Factory, Megatron-LM."""
    peak_gib: float | None
    """GiB that training's allocator handed out at most (`torch.cuda.max_memory_allocated`)."""
    step_time_s: float | None
    """Seconds of a whole step."""


class _CalibratedNeeds(TypedDict):
    calibration: Calibration
    """The factors: of time the step's, or else the passes'; of phases those that the run tells apart."""
    plan: PlanSpec
    """The plan that the run is compared with: the question's, or the search's choice without calibration."""


class Calibrated(_CalibratedNeeds, total=False):
    """A run beside its estimate."""

    memory: Peak
    """The allocator's peak."""
    passes: Pace
    """Forward and backward pass of a micro-batch on one GPU."""
    step: Pace
    """A whole step."""


class _CalibratedRunNeeds(TypedDict):
    calibrated: Calibrated
    """Its figures beside the estimate's."""
    question: Question
    """The question with the lengths of the log and the factors, which all later estimates follow."""
    version: int
    """Interface version: 1."""


class CalibratedRun(_CalibratedRunNeeds, total=False):
    """A run beside its estimate."""

    gaps: list[Gap]
    """What of them probably differs for a reason, and which, the largest first; absent without a log."""
    log: TrainingLog
    """What its log says; absent where there is none."""
    phases: list[LoggedPhase]
    """Its phases beside those of the estimate without calibration; absent without a log."""


class Calibration(TypedDict, total=False):
    """Measured over estimated, each 0.1 to 10: what estimates are multiplied by."""

    forward: float | None
    """Of an RL step: on passes forward alone, for log-probabilities, reference, values and rewards. Default: `time`."""
    memory: float | None
    """On what training's allocator hands out; not on the engine's share of the card. Default 1."""
    other: float | None
    """Of an RL step: on what is left of it. Default: `time`."""
    rollout: float | None
    """Of an RL step: on generation's seconds. Default: `time`."""
    time: float | None
    """On all seconds but those that the question states, and those of phases that have a factor of their own. Default 1."""
    update: float | None
    """Of an RL step: on updates of actor and critic. Default: `time`."""
    weight_sync: float | None
    """Of an RL step: on handing new weights to the engine. Default: `time`."""


class Caveat(TypedDict):
    """Something the estimate leaves out or assumes; it travels with the answer."""

    id: str
    """Stable identifier, kebab case."""
    text: str
    """One sentence for a person."""


_ChangeWords = TypedDict("_ChangeWords", {"from": "str"})


class Change(_ChangeWords):
    """One change."""

    difference: Difference
    """How much that is more or less."""
    field: str
    """Path of the field in the question."""
    figures: Figures
    """What the changed plan comes to."""
    id: str
    """Stable identifier: the field's name and the value after."""
    kind: ChangeKind
    """What it changes."""
    set: dict[str, Any]
    """What to set in the question, by path; null takes a field away. What the question leaves open stays open."""
    to: str
    """Its value after."""


class CheckOptions(TypedDict, total=False):
    """Options of a check."""

    budget_usd: float | None
    """Dollars that the run may cost."""
    confidence: float | None
    """How sure it is to be that the run fits: a probability, 0.5 to 0.999. Default 0.95."""
    deadline_h: float | None
    """Hours that the run may take."""
    gpu: str | None
    """The GPU, which no text names: a catalog id. Default h100-sxm."""
    gpus: int | None
    """Number of GPUs over all nodes, whatever the text says. Default: the text's."""
    lang: Language | None
    """Language of sentences. Default en."""
    model: str | None
    """The model, where the text names a folder that the catalog does not know: an id or a Hugging Face name."""
    offer: str | None
    """Id of the offer that it is to run on (`shardwise catalog offers`), in the place of a price."""
    steps: int | None
    """Steps of the run, whatever the text says. Default: the text's."""
    usd_per_gpu_hour: float | None
    """Price of one GPU for one hour, in US dollars. Default: what the text's link says, else the
    catalog's, as in an estimate.
    """


class Checked(TypedDict):
    """A script that was checked."""

    answer: Answer | None
    """Its answer; null where it has none."""
    findings: list[Finding]
    """What stands against it, errors first."""
    question: Question | None
    """The question that was asked; null where the texts ask none."""
    says: list[Said]
    """The decision for a person: a sentence each for memory, for time, and for what else was asked."""
    verdict: CheckVerdict
    """The decision."""
    version: int
    """Interface version: 1."""


class Checkpoint(TypedDict):
    """A checkpoint that training can go on from, in bytes."""

    bytes: float
    """Both."""
    kept: int
    """Checkpoints that are kept at a time."""
    optimizer_bytes: float
    """Master weights beside them and the optimizer's states."""
    storage_bytes: float
    """What those take."""
    weights_bytes: float
    """Weights, as the framework saves them."""


class Closing(TypedDict):
    """What would make a question fit of which no plan does."""

    more_gpus: Found | None
    """The question's own GPU type, with the fewest GPUs with which some plan fits; null where none does."""
    other_gpu: Found | None
    """The cheapest other GPU type on which some plan fits; null where none does."""


class Data(TypedDict):
    """Versions of what answered."""

    prices: str
    """Date of the newest price."""
    version: str
    """Version of catalogs and efficiencies."""


class Diagnosis(TypedDict):
    """What a text says of memory that ran out."""

    allocation: str | None
    """What memory was for: a part of an answer's memory; null where no line tells."""
    estimated: MemoryEstimated | None
    """What the script's estimate holds, where a script is there."""
    evidence: list[Note]
    """The lines that decided."""
    figures: MemoryFigures
    """The message's figures."""
    findings: list[str]
    """What else they say, a sentence each."""
    framework: str | None
    """Whose program it is, by its files; null where none is known."""
    mends: list[Mend]
    """What helps, the cheapest first."""
    phase: str | None
    """The phase: one of an answer's, or `start`, `save`; null where no line tells."""
    place: MemoryPlace
    """What ran out."""
    version: int
    """Interface version: 1."""


class _DifferenceNeeds(TypedDict):
    gib: float
    """GiB on the worst GPU."""
    tokens_per_s: float
    """Tokens per second over all GPUs."""
    tokens_per_s_per_gpu: float
    """Tokens per second of one GPU."""


class Difference(_DifferenceNeeds, total=False):
    """How much a change moves: after it less before it. Below zero is saved in dollars and GiB, and lost in tokens."""

    usd_per_mtok: float
    """Dollars per million tokens; absent without a price."""
    usd_per_step: float
    """Dollars per step; absent without a price."""


class DistillationSpec(TypedDict, total=False):
    """Distillation from a teacher: of the kind `distill` on what the student samples, of `sft`, `lora` and `qlora` on given text."""

    gpu_memory_utilization: float | None
    """Share of the card that an engine of the pool may take. Default 0.5, veRL's."""
    gpus: int | None
    """GPUs of the teacher's pool, beside `hardware.gpus` and like them (veRL's `distillation.nnodes` times
    `n_gpus_per_node`). Default: one engine.
    """
    logits: TeacherLogits | None
    """What of its probabilities the student is held to. Default: `sampled` of a pool, `full` beside the student."""
    max_num_batched_tokens: int | None
    """Tokens that an engine of the pool reads in one step. Default 8192."""
    on_policy: float | None
    """`distill`: share of the batches that the student samples; the others are given text of the same lengths (GKD's
    `lmbda`). Default 1.
    """
    placement: Placement | None
    """Where the teacher stands. Default `beside`."""
    precision: Precision | None
    """Precision of the weights in the pool. Default bf16, or fp16 on cards that have none."""
    teacher: str | dict[str, Any]
    """The teacher's model: an id, or an object. Required."""
    tensor_parallel: int | None
    """GPUs that split each of its matrices in an engine of the pool. Default: the fewest that hold its weights, as a power
    of two.
    """
    top_k: int | None
    """How many of each position, where `logits` is `top_k`. Default 64, as in veRL's examples."""


class EstimateOptions(TypedDict, total=False):
    """Options of an estimate."""

    advice: bool | None
    """Whether the answer says what would help, which takes longer than all the rest. Default true."""
    lang: Language | None
    """Language of sentences. Default en."""


class EvaluationSpec(TypedDict, total=False):
    """Evaluation during a run: `every_steps` with `seconds`, or a `share`."""

    every_steps: int | None
    """Steps from one evaluation to the next."""
    seconds: float | None
    """Seconds of one evaluation."""
    share: float | None
    """Time that it takes beside training's: 0.05 for a twentieth."""


class _ExpectedNeeds(TypedDict):
    failures: float
    """Failures and interruptions."""
    goodput: float
    """Share of the hours that trains for good."""
    hours: float
    """Hours; what the parts add up to."""
    hours_of: RunParts
    """Hours of each part."""


class Expected(_ExpectedNeeds, total=False):
    """What is to be expected of a run."""

    co2_kg: float
    """Emissions in kilograms of CO2 equivalent; absent where the energy is."""
    energy_kwh: float
    """Energy in kilowatt-hours; absent where it is not counted, or the card's power not known."""
    usd: float
    """Dollars; absent without a price."""
    usd_of: RunParts
    """Dollars of each part; absent without a price."""


class ExplainOptions(TypedDict, total=False):
    """Options of explanations."""

    figure: list[str] | None
    """The figures: mfu, `usd_per_mtok`, memory, time.rollout.decode, ... Default: all of the answer."""
    lang: Language | None
    """Language of sentences. Default en."""


class _ExplainedTermNeeds(TypedDict):
    meaning: str
    """What it is."""
    symbol: str
    """As in the formula."""
    unit: str
    """The unit's name where `value` has none; may be empty."""
    value: str
    """Its value with its unit, as in `put_in`."""


class ExplainedTerm(_ExplainedTermNeeds, total=False):
    """A term of a formula."""

    figure: str
    """The figure that it is, where that can be explained in turn."""


class Explanation(TypedDict):
    """How a figure comes about."""

    error: str
    """How far off such figures are where they were measured."""
    expression: dict[str, Any]
    """The formula as a tree over `terms`."""
    figure: str
    """The figure: see `figures`(super::figures)."""
    formula: str
    """The formula in symbols: `throughput = tokens ÷ (t × GPUs)`."""
    method: str
    """The entry of `groups`(super::groups) that states the formula."""
    notes: list[str]
    """What else is good to know: where a price is from, what a question's calibration changes."""
    put_in: str
    """The formula with this question's numbers put in, and what it comes to."""
    shown: str
    """What it comes to, as printed at the end of `put_in`."""
    sources: list[Link]
    """Where the formula and its numbers come from."""
    terms: list[ExplainedTerm]
    """What the symbols stand for."""
    title: str
    """What the figure is called."""
    value: float
    """What the formula comes to as a number, in the unit of the answer document."""


class Explanations(TypedDict):
    """How figures come about."""

    explanations: list[Explanation]
    """An explanation of each figure."""
    version: int
    """Interface version: 1."""


class FailuresSpec(TypedDict, total=False):
    """Failures that end the whole job."""

    mtbf_gpu_hours: float | None
    """Hours of one GPU between two failures of the job that it is part of. Default 50,700."""
    on: bool | None
    """Whether they are counted. Default true."""


class _FiguresNeeds(TypedDict):
    fits: bool
    """Whether it fits as surely as the question asks, however long its sequences get."""
    missing_gib: float
    """GiB that are missing for it to fit as surely; 0 where none are."""
    probability: float
    """Probability that it fits, with lengths as the question has them."""
    reserved_gib: float
    """Memory of the worst GPU at its worst moment, as `memory.reserved_gib` of an answer."""
    step_time_s: float
    """Seconds of one step."""
    tokens_per_s: float
    """Tokens per second over all GPUs."""
    tokens_per_s_per_gpu: float
    """Tokens per second of one GPU."""


class Figures(_FiguresNeeds, total=False):
    """What a plan comes to."""

    usd_per_mtok: float
    """Dollars per million tokens; absent without a price."""
    usd_per_step: float
    """Dollars per step; absent without a price."""


class _FindingNeeds(TypedDict):
    level: FindingLevel
    """Whether it decides, or may."""
    line: int
    """Line of the text, from 1; 0 where no single line is meant."""
    rule: str
    """Stable identifier: a row of `RULES`."""
    text: str
    """One or two sentences, with the remedy."""


class Finding(_FindingNeeds, total=False):
    """What stands against a run, or what there is to know of it."""

    file: int
    """Which of several texts, from 1."""


class _FitNeeds(TypedDict):
    capacity_gib: float
    """GiB that there are for it."""
    confidence: float
    """How sure the question wants to be, 0 to 1."""
    margin_gib: float
    """`capacity_gib` less `needed_gib`: below zero where that much is missing."""
    needed_at_confidence_gib: float
    """GiB that suffice as surely as asked."""
    needed_gib: float
    """GiB that it needs by the estimate. Below `memory.reserved_gib`, which counts what an allocator could return."""
    phase: str
    """What decides: a phase of `memory.phases`, `engine` (its own share of the card) or `host` (a node's host memory)."""
    probability: float
    """Probability that nothing runs out of memory, 0 to 1."""
    state: FitState
    """`fits` where it is as sure as asked, `tight` from one half, `unlikely` from one in twenty, else `no`."""


class Fit(_FitNeeds, total=False):
    """Whether a plan fits, as a decision under uncertainty."""

    host: HostMemory
    """Host memory of one node; absent where the plan moves nothing there."""
    mean_response_at_most: float
    """RL: it is as sure as asked while the mean response is at most so long, in tokens; absent where it is whatever
    they are, or not now.
    """


class _FlagsOptionsNeeds(TypedDict):
    framework: str
    """The framework: verl, chatlearn, deepspeed, llmforge, trl, openrlhf, slime, nemo-rl, skyrl, megatron-lm, megatron-bridge,
    torchtitan, llamafactory, axolotl, ms-swift or unsloth.
    """


class FlagsOptions(_FlagsOptionsNeeds, total=False):
    """Options of flags."""

    lang: Language | None
    """Language of comments and reasons. Default en."""
    page: str | None
    """Address of the page, for the link in the text's head. Default: no link."""
    version: str | None
    """Its version. Default: the newest that there are texts for."""


class Found(TypedDict):
    """A GPU type and number with its best plan."""

    answer: Answer
    """The answer with the best plan."""
    considered: int
    """Legal plans among which the best was found."""
    evaluated: int
    """Those whose time had to be computed."""
    gpu: str | dict[str, Any]
    """The GPU, as a question writes it."""
    gpus: int
    """Number of GPUs."""


class Gap(TypedDict):
    """A phase that differs from its estimate."""

    estimated_s: float
    """Seconds of the estimate, without calibration."""
    measured_s: float
    """Seconds of the log."""
    phase: str
    """By an answer's name."""
    source: str
    """Where that is from."""
    text: str
    """What it probably is, and what to look at."""


class GpuRow(TypedDict):
    """A GPU type. Bandwidth is per GPU and direction, rates are dense; null where not stated."""

    bf16_dense_tflops: float | None
    """bf16 tensor peak in TFLOPS."""
    fp8_dense_tflops: float | None
    """fp8 tensor peak in TFLOPS."""
    gpus_per_node: int
    """GPUs of the usual node."""
    hbm_gb_per_s: float
    """Memory bandwidth in GB/s."""
    host_ram_gib: float | None
    """Host memory of the usual node in GiB."""
    id: str
    """Identifier, as in `hardware.gpu`."""
    memory_as: str | None
    """The card that it is shown of, where that is another one, which leaves the same share of its memory."""
    memory_gib: float
    """Memory that CUDA or ROCm shows a process, in GiB."""
    memory_source: Source
    """Where the usable memory is shown."""
    name: str
    """Name for a person."""
    notes: str
    """What a reader should know about the figures."""
    nvlink_domain: int
    """GPUs reachable over NVLink."""
    nvlink_gb_per_s: float
    """NVLink bandwidth in GB/s."""
    price_source: Source | None
    """Where the price comes from."""
    source: Source
    """Where the figures come from."""
    usd_per_gpu_hour: float | None
    """Price of one GPU for one hour in US dollars."""


class _HardwareSpecNeeds(TypedDict):
    gpu: str | dict[str, Any]
    """A catalog id, or an object: `base` and what differs, or a whole GPU (see `GpuSpec`)."""


class HardwareSpec(_HardwareSpecNeeds, total=False):
    """GPUs and their network."""

    gpus: int | None
    """Number of GPUs over all nodes. Default 8."""
    gpus_per_node: int | None
    """GPUs in one node. Default: the GPU's usual node (8; 1 for one GPU)."""
    host_ram_gib: float | None
    """Host memory of one node in GiB. Default: what machines of the catalog with these GPUs have per GPU, where it knows
    any.
    """
    internode_gbit_per_s_per_gpu: float | None
    """Network bandwidth between nodes, per GPU and direction, in Gbit/s. Default: the catalog's."""
    market: MarketSpec | None
    """Where to rent: of its offers of this GPU the answer takes the one whose plan costs least."""
    offer: str | None
    """Id of an offer of this GPU (`shardwise catalog offers`), or `own/1` for the first of `market.own`: its instances are the nodes, with its network, host memory
    and price. `gpus` are whole instances. A field above that says otherwise than the offer is refused.
    """
    owned: OwnedSpec | None
    """What a machine of one's own costs, in the place of a price, an offer or a market."""
    usd_per_gpu_hour: float | None
    """Price of one GPU for one hour, in US dollars. Default: the catalog's, the median over providers of what each asks on demand,
    or what the cheapest offer on demand asks that holds so many GPUs, where that is more.
    """


class _HostMemoryNeeds(TypedDict):
    needed_gib: float
    """What the parts add up to."""
    parts: HostParts
    """The parts."""


class HostMemory(_HostMemoryNeeds, total=False):
    """Host memory of one node, in GiB."""

    capacity_gib: float
    """What the node has; absent where nobody said."""


class HostParts(TypedDict, total=False):
    """Host memory of a node by part, in GiB."""

    activations: float
    """Offloaded activations."""
    buffers: float
    """What copies, and page-locked memory that is larger than what lies in it, take beside these."""
    gradients: float
    """Gradients that the host's CPUs update with."""
    optimizer: float
    """Offloaded master weights and moments."""
    parameters: float
    """Offloaded weights."""
    processes: float
    """The processes themselves: libraries, buffers, data."""


class _IgnoredNeeds(TypedDict):
    key: str
    """The key, as written."""
    line: int
    """Line of the text."""
    why: str
    """What it is for."""


class Ignored(_IgnoredNeeds, total=False):
    """A key that does not matter for memory and speed."""

    file: int
    """Which of several texts the line is of, from 1; absent where there is one, or no line is meant."""


class ImagesSpec(TypedDict, total=False):
    """Images of an example, or in RL and generation of a prompt. The tokens that they fill are part of its stated length."""

    height: int | None
    """Height of an image in pixels. Required."""
    max_pixels: int | None
    """Most pixels of an image: larger ones are scaled down (`max_pixels` of Qwen's processors, LLaMA-Factory's
    `image_max_pixels`). Default: what the model's own processor has.
    """
    per_example: float | None
    """Mean number of images; half of the examples with one: 0.5. Default 1."""
    vision_tower: VisionTower | None
    """What trains of the vision tower. Default: trained, with a caveat; frozen where only adapters train."""
    width: int | None
    """Width of an image in pixels. Required."""


class Improved(TypedDict):
    """What would help."""

    answer: Answer
    """Its answer."""
    changes: list[TextChange]
    """What to change, most valuable first; each with the ones before it."""
    diff: str
    """The texts with the changes, as a unified diff; empty where no setting has a place in them."""
    elsewhere: list[str]
    """Settings that have no place in the texts: a launch line's where only `ds_config.json` was pasted."""
    question: Question
    """The question with all changes."""
    texts: list[str]
    """The texts with the changes; as they were where no setting has a place in them."""


class InputError(TypedDict):
    """A question that cannot be answered: which field is wrong, and what would be right.

    `field` is the path of the value in the question (`plan.tensor_parallel`), as a person would
    look it up in the JSON document or in the form.
    """

    field: str
    """Path of the offending value, dots between keys."""
    message: str
    """What was found, what is allowed, and the remedy. One or two sentences."""


class Interval(TypedDict):
    """Ranges that hold with the stated probability."""

    coverage: float
    """Share of published runs that the range covers."""
    peak_gib: list[float]
    """Range of `memory.peak_gib`."""
    tokens_per_s_per_gpu: list[float]
    """Range of `tokens_per_s_per_gpu`."""


class LengthsSpec(TypedDict):
    """Sequences of about one length."""

    sequences: float
    """How many they are: a count, or a share."""
    tokens: int
    """Their length in tokens."""


class _LimitNeeds(TypedDict):
    max_tokens_per_gpu: list[TokenBudget]
    """The largest token budget of each training phase."""
    offload: bool
    """Whether parameters, gradients and optimizer states wait in host memory between their phases."""


class Limit(_LimitNeeds, total=False):
    """The most that fits."""

    gpu_memory_utilization: float
    """The largest safe share of the card for the engine, to a twentieth; absent where its weights alone do not fit."""


class Link(TypedDict):
    """An address with its name."""

    name: str
    """Name."""
    url: str
    """Address, https."""


class LoggedPhase(TypedDict):
    """A phase of a run."""

    estimated_s: float
    """Seconds of the estimate."""
    measured_s: float
    """Seconds in the log."""
    name: str
    """Its name, as in an answer."""


class LoraSpec(TypedDict, total=False):
    """Low-rank adapters."""

    load_in_4bit: bool | None
    """Preference data, and RL with Unsloth: whether the base model is held in 4 bits, as `qlora` holds it. Default false."""
    rank: int | None
    """Rank of the adapters. Default 16."""
    targets: LoraTargets | None
    """Which matrices carry adapters. Default `all-linear`."""


class MarketSpec(TypedDict, total=False):
    """Which offers are taken into account; the default is all on demand whose price is not over a year old."""

    kinds: list[OfferKind] | None
    """The terms. Default: on-demand alone."""
    newest: str | None
    """A day, `YYYY-MM-DD`: older prices, and those of no known day, are left out."""
    only_own: bool | None
    """Whether the rows of `own` alone are taken into account. Default false."""
    own: list[OwnOfferSpec] | None
    """A price sheet of one's own: its rows of these terms are offers too, whatever providers, regions and days say."""
    providers: list[str] | None
    """Names of providers, in any case. Default: all."""
    regions: list[str] | None
    """Regions, in the provider's words, or how they begin: `us` takes `us-east-1`. Default: all."""


class _MemoryNeeds(TypedDict):
    capacity_gib: float
    """What the card has."""
    parts: MemoryParts
    """The peak's parts; they add up to `reserved_gib`."""
    peak_gib: float
    """What the framework's allocator has handed out (`torch.cuda.max_memory_allocated`)."""
    phase: str
    """Phase of the peak: a name from `phases`."""
    phases: list[MemoryPhase]
    """Every phase with its own parts."""
    reserved_gib: float
    """The peak with the allocator's slack, the CUDA context and communication buffers."""


class Memory(_MemoryNeeds, total=False):
    """Memory of the worst GPU in its worst phase, in GiB."""

    limits: list[Limit]
    """RL: the most that fits, all else as planned, without offload and with."""


class MemoryEstimated(TypedDict):
    """What the script's estimate holds."""

    capacity_gib: float
    """What the card has."""
    factor: float | None
    """How many times as much the run held, where that is more: changes have to bring as much as was missing on its scale."""
    fits: bool
    """Whether the estimate says that the script fits, so that it holds less than the run did."""
    part_gib: float | None
    """What of it is the allocation's part; absent where the message names none."""
    phase: str
    """The phase that is compared: the message's, or the fullest."""
    reserved_gib: float
    """GiB in that phase, everything included."""


class MemoryFigures(TypedDict):
    """The figures, in GiB; absent where the message has none."""

    allocated_gib: float | None
    """What PyTorch had handed out."""
    asked_gib: float | None
    """What was asked for."""
    capacity_gib: float | None
    """What the card has."""
    free_gib: float | None
    """What of it was free."""
    others_gib: float | None
    """What other processes held."""
    unused_gib: float | None
    """What PyTorch held and had not handed out."""


class MemoryParts(TypedDict, total=False):
    """Parts of the memory of one GPU, in GiB."""

    activations: float
    """Activations kept for the backward pass, and the working set of one layer."""
    communication: float
    """Communication buffers."""
    framework: float
    """CUDA context, libraries, allocator slack."""
    frozen_weights: float
    """Weights of frozen models beside the trained one (reference, reward)."""
    gradients: float
    """Gradients."""
    kv_cache: float
    """The engine's KV cache."""
    logits: float
    """Logits and the loss's copies of them."""
    optimizer: float
    """Master weights and optimizer moments."""
    parameters: float
    """Weights that train or are trained upon, in the compute precision."""
    rollout_weights: float
    """The engine's weights."""


class MemoryPhase(TypedDict):
    """Memory of one phase."""

    name: str
    """`train`, or `rollout`, `old_log_prob`, `reference`, `values`, `update_reward`, `reward`, `reward_reference`,
    `update_critic`, `update_actor`.
    """
    parts: MemoryParts
    """The parts; they add up to `reserved_gib`."""
    reserved_gib: float
    """GiB, everything included."""


_MendWords = TypedDict("_MendWords", {"from": "str"})


class Mend(_MendWords):
    """Something that helps."""

    field: str
    """Path of the question's field that changes; empty where no estimate stands behind it."""
    phase_gib: float | None
    """What the phase holds with it by the script's estimate, in GiB; absent without one."""
    settings: list[str]
    """What the framework is told: `key=value`."""
    slower: float | None
    """How many times as long a step takes with it; absent without an estimate."""
    source: str
    """Where that is from; empty where the script's own estimate says it."""
    text: str
    """What to do, and what it costs, in a sentence; empty where the settings say all."""
    to: str
    """As above."""


class Migrated(TypedDict):
    """A text as the newest release takes it."""

    diff: str
    """The texts with the changes, as a unified diff."""
    elsewhere: list[str]
    """What has no place in the texts, or stands where it cannot be changed."""
    release: str
    """The release that it is for now."""
    texts: list[str]
    """The texts with the changes."""


class Missing(TypedDict):
    """What has to be told before there is an estimate."""

    field: str
    """Path of the field in the question."""
    key: str
    """The key that would state it."""
    why: str
    """One sentence: what is not known, and how to tell it."""


class ModelRow(TypedDict):
    """A model."""

    active_parameters: int | None
    """Weights that a token visits."""
    family: str
    """Its family."""
    hf_repo: str
    """Hugging Face repository; empty where there is none."""
    id: str
    """Identifier, as in `model`."""
    license: str | None
    """Licence of the weights; null where none is on record."""
    license_source: Source | None
    """Where the licence is stated."""
    name: str
    """Name for a person."""
    parameters: int | None
    """Weights."""
    source: Source
    """Where the shape comes from."""


class NodeRow(TypedDict):
    """A machine people own or rent."""

    gpu: str
    """GPU id."""
    gpus: int
    """GPUs in it."""
    host_ram_gib: float | None
    """Host memory in GiB; absent where not stated."""
    host_ram_source: Source | None
    """Where the host memory is stated; absent where it is not."""
    name: str
    """Name of the instance or machine."""
    network_gbit_per_s: float | None
    """Network per node in Gbit/s; absent where not stated."""
    nvlink_domain: int
    """GPUs reachable over NVLink; may exceed `gpus` (NVL72)."""
    price_date: str
    """Date of the price; empty without one."""
    price_kind: str
    """`on-demand`, `spot`, …; empty without a price."""
    price_url: str
    """Page or file that states the price; empty without one."""
    provider: str
    """Who rents it out."""
    source: Source
    """Where the figures come from."""
    technology: str
    """`InfiniBand NDR`, `EFA`, `RoCE`, …"""
    usd_per_hour: float | None
    """Price of the whole node for one hour in US dollars; absent where not stated."""


class _NoteNeeds(TypedDict):
    line: int
    """Line of the text; 0 where no single line is meant."""
    text: str
    """One sentence."""


class Note(_NoteNeeds, total=False):
    """How a part of the text was read."""

    file: int
    """Which of several texts the line is of, from 1; absent where there is one, or no line is meant."""


class OfferRow(TypedDict):
    """A machine that somebody rents out by the hour; null where nobody says."""

    date: str | None
    """Day of the price; null where only the snapshot is known."""
    fabric: str | None
    """What joins instances."""
    gpu: str
    """GPU id."""
    gpus: int
    """GPUs of an instance."""
    history: bool
    """Whether the price is over a year older than the newest: never chosen unless it is named."""
    host_ram_gib: float | None
    """Host memory of an instance in GiB."""
    id: str
    """Identifier, as in `hardware.offer`."""
    instance: str
    """The provider's name of the instance."""
    interconnect: Interconnect
    """What joins the GPUs of an instance."""
    kind: OfferKind
    """The terms."""
    network_gbit_per_s: float | None
    """Network of an instance in Gbit/s."""
    notes: str
    """What a reader should know."""
    provider: str
    """Who rents it out."""
    region: str
    """Where it stands, in the provider's words."""
    snapshot: str | None
    """Commit, or the copy that was read, of a price of no known day."""
    source: str
    """Page or file that states the price."""
    usd_per_gpu_hour: float
    """One of its GPUs for one hour."""
    usd_per_hour: float
    """An instance for one hour, in US dollars."""
    vcpus: int | None
    """Virtual CPUs of an instance."""


class Offered(TypedDict):
    """What was found, and whether it is what is asked for."""

    answer: Answer
    """The answer with the best plan."""
    considered: int
    """Legal plans among which the best was found."""
    evaluated: int
    """Those whose time had to be computed."""
    gpu: str | dict[str, Any]
    """The GPU, as a question writes it."""
    gpus: int
    """Number of GPUs."""
    meets: bool
    """Whether it meets the deadline or budget by its estimate; true where there is none."""
    meets_surely: bool
    """Whether it does so at the slow end of its interval, too: those that do come first."""


class Offers(TypedDict):
    """The best offers among GPU types and numbers of GPUs."""

    complete: bool
    """Whether all were considered: false where the work that a question may cost ran out."""
    considered: int
    """Legal plans among which the best were found, on all machines that were not ruled out as a whole."""
    evaluated: int
    """Those of them whose time had to be computed."""
    front: list[Offered]
    """Those that no other beats in both cost and time, fastest first."""
    offers: list[Offered]
    """The best that fit, best first; under a deadline or budget those first that meet it surely, and those beyond it last."""
    refused: list[RefusedOffer]
    """GPU types and numbers that the question cannot be asked for."""
    version: int
    """Interface version: 1."""


class Offload(TypedDict, total=False):
    """What is kept in host memory."""

    activations: bool
    """Activations."""
    gradients: bool
    """Gradients."""
    optimizer: bool
    """Optimizer states (and, in DeepSpeed, the optimizer step)."""
    parameters: bool
    """Parameters."""


class OperationsSpec(TypedDict, total=False):
    """What a whole run meets beside its steps. Stated, even as `{}`, the answer has `run.operations`: each field has a
    default then, and a switch. Absent: the run is its steps alone.
    """

    checkpoint: SavingSpec | None
    """Checkpoints that it saves."""
    evaluation: EvaluationSpec | None
    """Evaluation during the run. Default: none."""
    failures: FailuresSpec | None
    """Failures of machines and software."""
    interruptions_per_instance_hour: float | None
    """How often a provider takes back one instance (a node), per hour, as spot instances are. Default 0."""
    power: PowerSpec | None
    """Energy and emissions."""
    restart_s: float | None
    """Seconds from a failure to where the last checkpoint is loaded. Default: `startup_s` and the time to read it."""
    startup_s: float | None
    """Seconds from the first paid second to the first step; 0 for none. Default 660."""


class Overlap(TypedDict, total=False):
    """Which communication runs beside computation."""

    gradients: bool
    """Gradient reduction, with the backward pass."""
    parameters: bool
    """Parameter gathering, with the forward pass."""
    tensor_parallel: bool
    """Tensor-parallel collectives, with their matrix products."""


class OwnOfferSpec(TypedDict, total=False):
    """A row of a price sheet of one's own; `hardware.offer` names it `own/1`, `own/2` and so on."""

    count: int | None
    """GPUs of one instance. Absent: the price is of the catalog's machine with these GPUs, in any number."""
    date: str | None
    """Day of the price, `YYYY-MM-DD`."""
    gpu: str | None
    """The GPU: a catalog id or name. Required."""
    instance: str | None
    """The name of the instance. Default: the GPU's."""
    kind: OfferKind | None
    """The terms. Default on-demand."""
    network_gbit_per_s: float | None
    """Network of one instance in Gbit/s; without it several instances are rented by name alone. Only beside `count`."""
    provider: str | None
    """Who rents it out. Default: "your price sheet"."""
    usd_per_gpu_hour: float | None
    """Price of one GPU for one hour, in US dollars. Required."""


class OwnedSpec(TypedDict, total=False):
    """A machine of one's own: an hour of a GPU costs `usd_per_gpu / (years x 8766 x utilization) + watts / 1000 x pue x
    usd_per_kwh`.
    """

    pue: float | None
    """Power of the whole site over that of its computers. Default 1.58."""
    usd_per_gpu: float | None
    """Purchase price of one GPU with its share of the machine and its network, in US dollars. Required."""
    usd_per_kwh: float | None
    """Price of a kilowatt-hour in US dollars. Default 0.0806."""
    utilization: float | None
    """Share of all hours in which the GPUs work, 0.01 to 1. Default 0.83."""
    watts: float | None
    """Mean power of one GPU with its share of the machine while it works, in watts. Default: 1.82 x 0.76 of what the
    catalog's card is rated at, as in `operations.power`; required of a GPU whose rated power it does not know.
    """
    years: float | None
    """Years over which it is written off. Default 5."""


class _PaceNeeds(TypedDict):
    estimated_mfu: float
    """Model FLOPs utilization of the estimate."""
    estimated_s: float
    """Estimated, without calibration."""
    factor: float
    """What estimated seconds are to be multiplied by. Seconds that the question states are not."""
    inside_interval: bool
    """Whether the estimate's interval holds the measured speed."""
    measured_s: float
    """Measured."""
    mfu: float
    """Model FLOPs utilization of the run, counted as in `Answer::mfu`."""


class Pace(_PaceNeeds, total=False):
    """Measured seconds beside estimated ones."""

    guide_mfu: float
    """The run's by the guide's formula (`guide_mfu`); absent where something else than training takes time."""


class Peak(TypedDict):
    """A measured peak beside the estimated one."""

    estimated_gib: float
    """Estimated, without calibration: of RL's phases the largest one of training, without the engine."""
    factor: float
    """Measured over estimated."""
    inside_interval: bool
    """Whether the estimate's interval holds it."""
    measured_gib: float
    """Measured."""


class PlanSpec(TypedDict, total=False):
    """How the work is laid out. Every key may be absent."""

    apply_rope_fusion: bool | None
    """Megatron: whether one kernel turns queries and keys by their positions (`apply_rope_fusion`). Without, packed
    sequences are turned one after another. Default true: veRL's and ChatLearn's own default is false, so that their
    texts say it.
    """
    attention: Attention | None
    """Attention kernel. Default flash."""
    attention_kernel: AttentionKernel | None
    """Whose flash attention. Default: cuDNN's with `megatron` from Hopper on; with `fsdp` PyTorch's for pre-training, and
    FlashAttention-3 for fine-tuning on Hopper where no framework is named; AMD's own on AMD; else FlashAttention-2. Only with
    `attention` flash.
    """
    backend: Backend | None
    """The code that trains."""
    bf16_stochastic_round: bool | None
    """FSDP with `master_weights_bytes` 2: whether a step rounds what it writes into 16 bits up or down by chance
    (torchao's `bf16_stochastic_round`), so that small updates are not lost. Default false.
    """
    context_parallel: int | None
    """GPUs that split each sequence, by ring attention (Megatron)."""
    critic: PlanSpec | None
    """The critic's plan, where it differs. Null is as absent: as the actor's."""
    cuda_graphs: CudaGraphs | None
    """Megatron: what of a step CUDA graphs replay (`cuda_graph_impl` with `cuda_graph_scope`). In 8 bits the host launches
    each expert's kernels by itself, which small micro-batches wait for. The search never chooses it. Default none.
    """
    expert_parallel: int | None
    """GPUs that share the experts."""
    expert_tensor_parallel: int | None
    """GPUs that split each expert's matrices."""
    forward_max_tokens_per_gpu: int | None
    """RL: token budget per GPU of a pass forward alone. Default: twice `max_tokens_per_gpu`."""
    forward_micro_batch: int | None
    """RL: sequences per GPU of a pass forward alone: the actor's old log-probabilities (and a reward model's scores), the
    reference's log-probabilities, the critic's values. Default: twice `micro_batch`, as veRL's tuning guide has it.
    """
    fused_lm_head: bool | None
    """Loss computed without materialising the logits."""
    fused_loss: bool | None
    """Loss whose gradient replaces the logits (Megatron's, flash-attn's, Liger's, `torch.compile`'s), rather than
    eager PyTorch's. Default: as the backend and the kind of workload usually have it.
    """
    gradient_bytes: float | None
    """Bytes of gradients per parameter. Default: the backend's."""
    logit_bytes: float | None
    """Most bytes that a logit takes while a loss that is not fused is computed, or in an update of RL. Default: what the code of
    today takes; `transformers` before 4.49 took 18.
    """
    master_weights_bytes: float | None
    """Bytes of master weights per parameter. Default: the backend's."""
    max_tokens_per_gpu: int | None
    """Token budget per GPU and forward pass (dynamic batching)."""
    micro_batch: int | None
    """Sequences per GPU and forward pass; of preference data examples, so that a pair counts once."""
    moe_enable_deepep: bool | None
    """Megatron: `moe_token_dispatcher` of before HybridEP: true is deepep, false alltoall. That counts where both are there."""
    moe_token_dispatcher: TokenDispatcher | None
    """Megatron and FSDP, experts over several GPUs: what sends the tokens (Megatron's `moe_token_dispatcher_type`, and of flex
    `moe_flex_dispatcher_backend`; NeMo AutoModel's `dispatcher`, torchtitan's `expert_parallel_comm_backend`). Default: what
    sends each token once to each other node, in the time that NCCL's collectives take. The search never chooses it.
    """
    nvme_offload: bool | None
    """DeepSpeed, ZeRO-3: whether the optimizer states and parameters that `offload` moves lie on the nodes' NVMe drives
    rather than in host memory (ZeRO-Infinity). Default: off where the plan is stated; a search of anything
    but RL takes drives where host memory lacks room, and a caveat says so.
    """
    offload: Offload | None
    """What is kept in host memory."""
    optimizer: Optimizer | None
    """What steps the weights. The search never chooses another than is stated. Default adamw."""
    optimizer_bytes: float | None
    """Bytes of optimizer moments per parameter that trains. Default: the optimizer's, 8 of adamw."""
    optimizer_in_backward: bool | None
    """Whether each weight is stepped as soon as its gradient is there, in the backward pass, so that no others wait
    (`early_step_in_backward` of torchtitan up to 0.2): no gradient outlasts its layer, none is clipped, and a step is one pass.
    The search never chooses it. Default false.
    """
    optimizer_offload_fraction: float | None
    """Megatron: share of the optimizer's states, 0 to 1, that lie in host memory for good and that the host's CPUs step
    (`optimizer_cpu_offload` with `optimizer_offload_fraction`). In RL `offload.optimizer` brings all states back for
    each update, and these not; elsewhere it says 1. `DeepSpeed` in RL: 1 where `offload_optimizer` has optimizer and gradients in
    host memory (OpenRLHF's `--ds.adam_offload`). Default 0.
    """
    overlap: Overlap | None
    """Which communication runs beside computation."""
    overlap_moe_expert_parallel_comm: bool | None
    """Megatron, experts over several GPUs: whether their exchanges run beside another micro-batch's computation
    (`overlap_moe_expert_parallel_comm`, 1F1B overlap). The search never chooses it. Default false.
    """
    pipeline_parallel: int | None
    """Pipeline stages."""
    pipeline_schedule: PipelineSchedule | None
    """Order in which the stages run their passes. The three that put the weights' gradients off are PyTorch's, which
    torchtitan runs. The search never chooses one. Default: 1f1b, with model chunks interleaved_1f1b.
    """
    recompute: RecomputeSpec | None
    """Which activations are computed again."""
    reference: PlanSpec | None
    """The reference policy's plan, where it differs. Null is as absent: as the actor's."""
    rollout: RolloutPlanSpec | None
    """The generation engine."""
    sequence_parallel: bool | None
    """Megatron's sequence parallelism: norms and dropout split over the tensor-parallel group."""
    shard_group: int | None
    """GPUs of one ZeRO-3 or HSDP shard group. Default: all."""
    sync_each_batch: bool | None
    """FSDP without pipeline stages, where a step has several micro-batches: whether the gradients of each are reduced, or stay whole
    until the last one's (accelerate's `sync_each_batch`; the opposite of veRL's `use_no_sync_for_gradient_accumulation`).
    Default: true, but false where all weights train in a framework on Hugging Face's Trainer, which waits. A search
    begins with true, and outside RL takes what is faster.
    """
    tensor_parallel: int | None
    """GPUs that split each matrix."""
    ulysses_parallel: int | None
    """GPUs that split each sequence, by exchanging heads (veRL's Ulysses)."""
    virtual_pipeline: int | None
    """Model chunks per pipeline stage; 1 = off."""
    weight_sync_parts: int | None
    """RL: in how many parts weights that are sharded are gathered on each GPU for the engine; 1 is the whole model at once. The
    search never chooses it. Default: what the framework does, tensor by tensor mostly; the whole model in ms-swift under
    ZeRO-3 (`move_model_batches` makes more of it) and in TRL with adapters; a layer at a time in veRL with adapters
    (`layered_summon`, without which it is 1).
    """
    zero_hpz_partition_size: int | None
    """DeepSpeed, ZeRO-3: GPUs that hold a second copy of the weights between them, from which the backward pass gathers
    (ZeRO++'s hpZ; a node's, usually). The search tries a node's on what it has found. Default 1: off.
    """
    zero_quantized_gradients: bool | None
    """DeepSpeed, ZeRO-3: whether gradients are reduced in 4 bits (ZeRO++'s qgZ). The search never chooses it. Default
    false.
    """
    zero_quantized_weights: bool | None
    """DeepSpeed, ZeRO-3: whether weights are gathered in 8 bits (ZeRO++'s qwZ). The search never chooses it. Default
    false.
    """
    zero_stage: int | None
    """ZeRO stage 0 to 3. `megatron`: 1 is the distributed optimizer; `fsdp`: 3."""


class _PlansNeeds(TypedDict):
    complete: bool
    """Whether all were considered: false where the work that a question may cost ran out."""
    considered: int
    """Legal plans among which the best were found."""
    evaluated: int
    """Those whose time had to be computed."""
    plans: list[Answer]
    """The best plan of each parallel layout, the best layouts first; then layouts of which nothing fits, by shortfall."""
    version: int
    """Interface version: 1."""


class Plans(_PlansNeeds, total=False):
    """The best plans on the question's own GPUs."""

    closing: Closing
    """What would make the question fit; absent where it does."""
    shortfall_gib: float
    """GiB that the nearest plan lacks; absent where one fits."""


class PowerSpec(TypedDict, total=False):
    """Energy and emissions."""

    board_w: float | None
    """Power that one GPU is rated at, in watts. Default: the catalog's, where it has one."""
    grid_gco2_per_kwh: float | None
    """Grams of CO2 equivalent for one kilowatt-hour of the grid. Default 436."""
    node_factor: float | None
    """What a node is rated at over what its GPUs are. Default 1.82."""
    on: bool | None
    """Whether they are counted. Default true."""
    pue: float | None
    """Power of the whole site over that of its computers. Default 1.58."""
    utilization: float | None
    """Mean power over rated power, 0 to 1. Default 0.76."""


class PriceRow(TypedDict):
    """A dated price of an instance, in US dollars."""

    gpu: str
    """GPU id."""
    gpus: int
    """GPUs in the instance."""
    instance: str
    """Instance."""
    provider: str
    """Cloud and region."""
    source: Source
    """Where the price comes from, and its date."""
    usd_per_gpu_hour: float
    """One of its GPUs for one hour."""
    usd_per_hour: float
    """The instance for one hour."""


class _QuestionNeeds(TypedDict):
    hardware: HardwareSpec
    """What it runs on."""
    model: str | dict[str, Any] | None
    """A catalog id, a Hugging Face repository name, or an object with `config.json` keys.
    Null in the question of a text that names none: it has no answer yet.
    """
    version: int
    """Interface version: 1."""
    workload: WorkloadSpec
    """What is trained or generated."""


class Question(_QuestionNeeds, total=False):
    """A question to the calculator."""

    calibration: Calibration | None
    """How a run of one's own differs from its estimate (see `calibration`): applied to this estimate."""
    confidence: float | None
    """How sure it is to be that a plan that is chosen fits: a probability, 0.5 to 0.999. Default 0.95."""
    framework: str | None
    """The framework that runs it, by id (`shardwise flags --for`): only plans that it and its version run are chosen.
    Absent: the best of all plans that some framework runs.
    """
    framework_version: str | None
    """The framework's version, one of those that there are texts for. Default: the newest."""
    operations: OperationsSpec | None
    """What the whole run meets beside its steps: start-up, evaluation, checkpoints, failures, energy."""
    plan: PlanSpec | None
    """How it is laid out. Absent: the search chooses; partial: the search fills the rest."""


class ReadOptions(TypedDict, total=False):
    """Options of a reading."""

    gpu: str | None
    """The GPU, which no text names: a catalog id. Default h100-sxm."""
    lang: Language | None
    """Language of sentences. Default en."""
    model: str | None
    """The model, where the text names a folder that the catalog does not know: an id or a Hugging Face name."""


class ReadText(TypedDict):
    """A text that was read."""

    answer: Answer | None
    """The answer to the question; null where it has none."""
    assumed: list[Assumed]
    """Fields that the text does not state."""
    framework: Framework
    """Whose text it is."""
    ignored: list[Ignored]
    """Keys that do not matter for memory and speed."""
    improved: Improved | None
    """The changes that help most; null where nothing noticeable does."""
    migrated: Migrated | None
    """The texts as the newest release takes them; null where they are for it."""
    missing: list[Missing]
    """What neither the text nor the base tells and no estimate goes without."""
    not_modelled: list[Unmodelled]
    """Keys that matter and that the question has no field for."""
    notes: list[Note]
    """How the text was read where it could have been read otherwise: what was not run or passed over."""
    question: Question
    """The question that the text asks, as complete as text and base allow."""
    refused: list[Refused]
    """What the framework refuses, and keys that it has renamed or removed."""
    release: str | None
    """The release that the text is for, where its keys show that it is older than the newest."""
    understood: list[Understood]
    """Keys that became fields of the question."""
    unknown: list[Unknown]
    """Keys that are not known."""
    version: int
    """Interface version: 1."""


class Reading(TypedDict):
    """A text that was read."""

    assumed: list[Assumed]
    """Fields that the text does not state."""
    framework: Framework
    """Whose text it is."""
    ignored: list[Ignored]
    """Keys that do not matter for memory and speed."""
    missing: list[Missing]
    """What neither the text nor the base tells and no estimate goes without."""
    not_modelled: list[Unmodelled]
    """Keys that matter and that the question has no field for."""
    notes: list[Note]
    """How the text was read where it could have been read otherwise: what was not run or passed over."""
    question: Question
    """The question that the text asks, as complete as text and base allow."""
    refused: list[Refused]
    """What the framework refuses, and keys that it has renamed or removed."""
    release: str | None
    """The release that the text is for, where its keys show that it is older than the newest."""
    understood: list[Understood]
    """Keys that became fields of the question."""
    unknown: list[Unknown]
    """Keys that are not known."""
    version: int
    """Interface version: 1."""


class Refusal(TypedDict):
    """What a question that cannot be answered gets."""

    error: InputError
    """Which field is wrong, and what would be right."""
    version: int
    """Interface version: 1."""


class _RefusedNeeds(TypedDict):
    key: str
    """The key, as written, or the field of the question that the rule is about."""
    line: int
    """Line of the text; 0 where no single line is meant."""
    source: str
    """Where the rule stands."""
    why: str
    """Why, and the remedy."""


class Refused(_RefusedNeeds, total=False):
    """What the framework refuses."""

    file: int
    """Which of several texts the line is of, from 1; absent where there is one, or no line is meant."""


class RefusedOffer(TypedDict):
    """A GPU type and number that the question cannot be asked for."""

    error: InputError
    """Why."""
    gpu: str | dict[str, Any]
    """The GPU, as a question writes it."""
    gpus: int | None
    """Number of GPUs; null where the question names none."""


class Remedy(TypedDict):
    """The cheapest way to make a plan fit: one change, or two where no single one does."""

    changes: list[Change]
    """The changes, in order; each with the ones before it."""
    difference: Difference
    """How much all of them move."""


class _RentalNeeds(TypedDict):
    id: str
    """Its id, as in `hardware.offer`: of a row of one's own `own/` and its place."""
    instance: str
    """The provider's name of the instance; the GPU's where a row of one's own has none."""
    instances: int
    """How many instances; GPUs, where only the price of one is known."""
    kind: OfferKind
    """The terms."""
    provider: str
    """Who rents it out; "your price sheet" where a row of it does not say."""
    region: str
    """Where it stands, in the provider's words; empty of a row of one's own."""
    source: str
    """Page or file that states it; "your price sheet" of a row of one's own."""
    usd_per_gpu_hour: float
    """Dollars per hour of one GPU."""
    usd_per_hour: float
    """Dollars per hour of all of them."""


class Rental(_RentalNeeds, total=False):
    """The offer that an answer rents."""

    date: str
    """Day of the price; absent where only its snapshot is known, or a row of one's own does not say."""
    snapshot: str
    """Commit, or the copy that was read, of a price of no known day; absent where the day is known."""


class RlSpec(TypedDict, total=False):
    """One RL step."""

    agent: AgentSpec | None
    """Responses of several turns, between which tools are called. Default: one turn."""
    balance_batch: bool | None
    """Whether every rank gets as many tokens as the others (veRL's `trainer.balance_batch`); else whole prompts in the order
    of the batch. Default true, but for prime.
    """
    critic: str | dict[str, Any] | None
    """The critic's model: an id, an object, or null. Default for ppo: the actor's."""
    epochs: int | None
    """Passes over the step's samples. Default 1."""
    gen_batch_size: int | None
    """Prompts generated at a time (veRL's `data.gen_batch_size`). Default: `prompts_per_step`; of prime all that a step
    generates.
    """
    max_prompt_length: int | None
    """Longest prompt in tokens. Required."""
    max_response_length: int | None
    """Longest response in tokens. Required."""
    max_staleness: float | None
    """Versions of the weights that a sample may lag behind (veRL's `max_off_policy_threshold`), where fully
    asynchronous; with a part, as 0.5, that share of a step's samples (veRL's `staleness_threshold`). Default 8.
    """
    mean_prompt_length: float | None
    """Mean prompt length in tokens. Default: half the longest, with a caveat."""
    mean_response_length: float | None
    """Mean response length in tokens. Default: half the longest, with a caveat."""
    mini_batch: int | None
    """Prompts per optimizer step. Default: `prompts_per_step`."""
    old_log_prob: bool | None
    """Whether the trainer computes the old log-probabilities. False: it takes the engine's (veRL's
    `algorithm.rollout_correction.bypass_mode`). Default true.
    """
    oversampling: float | None
    """Prompts generated for each that trains (DAPO's dynamic sampling drops groups that all score alike, PRIME those that
    are too easy or too hard). Default: 2.3 for dapo and 4 for prime, with a caveat, else 1.
    """
    partial_rollout: bool | None
    """Whether responses that are unfinished when new weights come go on with them (veRL's `async_training.partial_rollout`,
    NeMo-RL's `in_flight_weight_updates`), where fully asynchronous. False: new weights wait for them. Default true.
    """
    prompts_per_step: int | None
    """Prompts per step, over all GPUs. Required."""
    reference: bool | None
    """Whether a reference policy's log-probabilities are computed. Default: true for ppo and grpo."""
    response_length_cv: float | None
    """Spread of the response lengths: standard deviation over mean. Default 0.5, with a caveat."""
    responses_per_prompt: int | None
    """Responses sampled per prompt. Default 8 for grpo and those like it, 16 for dapo, 4 for
    rloo and prime, 1 for ppo, `reinforce_plus_plus`, distill and remax, which generates a greedy one besides.
    """
    reward_model: str | dict[str, Any] | None
    """A reward model: an id, an object, or null. Default: none (a rule). Of prime it is the implicit process reward model,
    which trains; by default the actor's.
    """
    reward_s: float | None
    """Seconds of a step in which rewards are computed while neither side works. Default 0, with a caveat."""
    schedule: Schedule | None
    """How generation and training share the GPUs. Default colocated."""
    train_gpus: int | None
    """GPUs that train, where not colocated. Default: the split with the fastest step."""


class RolloutPlanSpec(TypedDict, total=False):
    """The generation engine's layout."""

    chunked_prefill: bool | None
    """Whether a prompt may be read in several engine steps (`enable_chunked_prefill`). Without, a step holds the longest
    sequence, whatever `max_num_batched_tokens` says: vLLM refuses less, and veRL raises it. Default true.
    """
    data_parallel: int | None
    """Data-parallel attention ranks inside one engine."""
    enforce_eager: bool | None
    """Whether the engine launches each kernel by itself instead of replaying CUDA graphs."""
    engine: Engine | None
    """Engine. Default vllm."""
    engine_version: EngineVersion | None
    """Version of the engine, as "0.8.4". Default: today's; with an older `framework_version`, the one that release
    installs. What is known of older ones: vLLM before 0.12.
    """
    expert_parallel: int | None
    """GPUs that share the experts inside one engine."""
    free_cache: bool | None
    """Whether the KV cache is given back while training."""
    gpu_memory_utilization: float | None
    """Share of the card the engine may take, weights included."""
    kv_cache_dtype: KvCacheDtype | None
    """Type of the keys and values in the cache. Default auto: as the weights' 16 bits."""
    max_num_batched_tokens: int | None
    """Tokens in one engine step: of each sequence that is decoded one, the rest of prompts. Default 8,192; veRL's tuning
    guide advises more than 2,048.
    """
    max_num_seqs: int | None
    """Sequences decoded together, per engine."""
    precision: Precision | None
    """Precision of the engine's weights. Default: the workload's."""
    speculative_speedup: float | None
    """How many times as fast speculative decoding (MTP, EAGLE, n-gram) generates. Default 1: none."""
    tensor_parallel: int | None
    """GPUs that split each matrix."""


class RolloutWorkloadSpec(TypedDict, total=False):
    """A generation run."""

    mean_prompt_length: float | None
    """Mean prompt length in tokens. Required."""
    mean_response_length: float | None
    """Mean response length in tokens. Required."""
    requests: int | None
    """Requests of the run. Required."""
    response_length_cv: float | None
    """Spread of the response lengths. Default 0."""


class _RunNeeds(TypedDict):
    hours: float
    """Hours."""
    steps: float
    """Steps, whole or begun."""
    tokens: float
    """Non-padding tokens."""


class Run(_RunNeeds, total=False):
    """A whole run: how long it is, what it costs and what it keeps."""

    assumed: bool
    """Whether nothing says how long it is, so that its steps are assumed; absent where something does."""
    checkpoint: Checkpoint
    """What it writes to disk; absent where nothing trains."""
    operations: RunOperations
    """The run with what it meets beside its steps; absent where the question states no `operations`."""
    usd: float
    """Dollars; absent without a price."""


class RunBy(TypedDict):
    """The framework that an answer is for."""

    id: str
    """Identifier, as in `flags --for`."""
    stated: bool
    """Whether the question names it."""
    version: str
    """One of its versions."""


class RunOperations(TypedDict, total=False):
    """A whole run with what it meets beside its steps."""

    expected: Expected
    """What is to be expected of it; absent where it would hardly ever finish (advice `never-finishes` says so)."""
    mtbf_hours: float
    """Mean hours between two failures or interruptions of the whole job; absent where none are counted."""
    restart_s: float
    """Seconds of a restart, the checkpoint read; absent where there are no failures."""
    saving: Saving
    """Its checkpoints; absent where it saves none."""


class RunParts(TypedDict, total=False):
    """Parts of a whole run, in hours or in dollars."""

    checkpoints: float
    """Training waits for checkpoints."""
    evaluation: float
    """Evaluation that counts."""
    lost: float
    """Work since the last checkpoint that failures lose."""
    restarts: float
    """From failures to where the work goes on."""
    startup: float
    """Until the first step."""
    training: float
    """Steps that count."""


class RunSpec(TypedDict, total=False):
    """How long a run is: `steps`, or `examples` and `epochs`; and what it keeps."""

    checkpoints: int | None
    """Checkpoints that are kept at a time. Default 1."""
    epochs: float | None
    """Passes over the data set. Default 1."""
    examples: int | None
    """Examples of the data set, or prompts of RL, with mean and longest tokens as the workload has them."""
    steps: int | None
    """Optimizer steps, or steps of RL."""


class Said(TypedDict):
    """A sentence."""

    text: str
    """The sentence."""


class _SavingNeeds(TypedDict):
    interval_s: float
    """Seconds of work from one to the next."""
    pause_s: float
    """Seconds of these in which training waits."""
    saves: float
    """Checkpoints of the run, the last at its end."""
    write_s: float
    """Seconds until one is written."""


class Saving(_SavingNeeds, total=False):
    """How a run saves its checkpoints."""

    best_interval_s: float
    """Seconds of work from one to the next that cost the least time, by Daly's formula, and at least those in which
    the last one is still being written; absent without failures.
    """


class SavingSpec(TypedDict, total=False):
    """Checkpoints of a run. Where neither steps nor minutes are stated, as many as cost the least time."""

    asynchronous: bool | None
    """Whether training goes on once the checkpoint is in host memory, while it is written. Default false."""
    every_minutes: float | None
    """Minutes from one checkpoint to the next."""
    every_steps: int | None
    """Steps from one checkpoint to the next."""
    on: bool | None
    """Whether it saves any: false loses all that was done to every failure. Default true."""
    storage_gb_per_s: float | None
    """Bandwidth to and from storage over all nodes, in GB/s. Default: 0.63 for each node."""


class SearchOptions(TypedDict, total=False):
    """Options of a search."""

    by: By | None
    """What best means, among GPU types and numbers of GPUs. Default cost."""
    framework: str | None
    """Only plans that this framework runs."""
    gpu: list[str] | None
    """GPU types to compare: catalog ids, or `all` alone."""
    gpus: list[int] | None
    """Numbers of GPUs to compare. Default: the question's; under a deadline or a budget a sixteenth of it to four times."""
    lang: Language | None
    """Language of sentences. Default en."""
    limit: int | None
    """Plans, or offers. Default 5."""
    within_hours: float | None
    """Hours that the run may take: the cheapest that ends in time."""
    within_usd: float | None
    """Dollars that the run may cost: the fastest that can be paid."""


class _SensitivityNeeds(TypedDict):
    changes: list[Change]
    """Every change, best first: what fits by tokens per second and GPU (which is by dollars per token), then what does
    not, the nearest first.
    """
    now: Figures
    """The plan as it is."""
    version: int
    """Interface version: 1."""


class Sensitivity(_SensitivityNeeds, total=False):
    """What each single change of a plan is worth."""

    remedy: Remedy
    """A plan that does not fit: the cheapest change that makes it fit."""


class SensitivityOptions(TypedDict, total=False):
    """Options of a sensitivity."""

    lang: Language | None
    """Language of sentences. Default en."""


class Snippet(TypedDict):
    """A text to paste or save."""

    file: str
    """File name, as it would be saved."""
    language: TextLanguage
    """Its language."""
    reasons: list[list[str]]
    """Reasons that the text itself cannot carry (JSON has no comments): key and reason."""
    text: str
    """The whole text, comments included: what Copy and Download give."""


class Snippets(TypedDict):
    """Texts to paste."""

    snippets: list[Snippet]
    """The texts, each with its file name."""
    version: int
    """Interface version: 1."""


class Source(TypedDict):
    """Where a figure comes from."""

    date: str
    """When it was read, or what date it holds for: `YYYY-MM-DD`."""
    url: str
    """Page or file that states it."""


class Split(TypedDict):
    """GPUs that train and GPUs that generate."""

    rollout_gpus: int
    """GPUs that generate."""
    train_gpus: int
    """GPUs that train."""


_TextChangeWords = TypedDict("_TextChangeWords", {"from": "str"})


class TextChange(_TextChangeWords):
    """One change."""

    field: str
    """Path of the field in the question."""
    fits: bool
    """Whether the plan fits with it and those before it."""
    needed_gib: float
    """What decides whether it fits needs, in GiB: as the `fit` of an answer has it."""
    reserved_gib: float
    """What the worst GPU holds, in GiB."""
    settings: list[str]
    """What the framework is told: `key=value`."""
    speedup: float
    """How many times as fast as without it."""
    to: str
    """Its value after."""
    tokens_per_s_per_gpu: float
    """Tokens per second and GPU with it and those before it."""


class _TimeNeeds(TypedDict):
    parts: TimeParts
    """Parts of the step, over all phases."""
    phases: list[TimePhase]
    """Phases, in order; they add up to `step_time_s` unless the schedule overlaps them."""


class Time(_TimeNeeds, total=False):
    """Where the time of one step goes."""

    hidden_s: float
    """Seconds of phases that run beside others: their sum less the step."""


class TimeParts(TypedDict, total=False):
    """Parts of the time, in seconds. What runs beside something longer is not counted."""

    bubble: float
    """Waiting for the pipeline to fill and drain, and for the slowest stage."""
    compute: float
    """Matrix products, attention and memory-bound operators, forward and backward."""
    context_parallel: float
    """Context-parallel ring or Ulysses exchanges."""
    data_parallel: float
    """Gradient reduction and parameter gathering that nothing hides."""
    decode: float
    """Engine: responses."""
    expert_parallel: float
    """Expert all-to-all."""
    offload: float
    """Traffic to and from host memory."""
    optimizer: float
    """The optimizer step."""
    overhead: float
    """Launch overhead and the driver."""
    pipeline_parallel: float
    """Sends between pipeline stages."""
    prefill: float
    """Engine: prompts."""
    recompute: float
    """Forward passes done again in the backward pass."""
    tensor_parallel: float
    """Tensor-parallel collectives."""
    tools: float
    """What waiting for an agent's tools adds."""
    weight_sync: float
    """New weights to the engine."""


class TimePhase(TypedDict):
    """One phase of the step."""

    name: str
    """As in `name`, and `reward`, `weight_sync`, `driver`."""
    parts: TimeParts
    """Parts of this phase; they add up to `s`."""
    s: float
    """Seconds."""


class _TokenBudgetNeeds(TypedDict):
    phase: str
    """As in `name`."""


class TokenBudget(_TokenBudgetNeeds, total=False):
    """A role's token budget."""

    tokens: int
    """Tokens per GPU and pass; absent where not even the longest sequence fits."""


class _TrainingLogNeeds(TypedDict):
    framework: str
    """Whose log it is."""
    step_time_s: float
    """Seconds of a step, without validation and checkpoints."""
    steps: int
    """Steps that were counted."""


class TrainingLog(_TrainingLogNeeds, total=False):
    """What a log says. Seconds are medians over the steps behind the first."""

    mean_prompt_length: float
    """Tokens of a prompt, mean."""
    mean_response_length: float
    """Tokens of a response, mean."""
    peak_gib: float
    """What training's allocator handed out at most, in GiB."""
    phases: dict[str, float]
    """Seconds of its phases, by an answer's names."""


class _TroubleNeeds(TypedDict):
    line: int
    """Line of the text, from 1; 0 where no single line is meant."""
    message: str
    """What was found, and the remedy."""


class Trouble(_TroubleNeeds, total=False):
    """Why a text cannot be read at all."""

    file: int
    """Which of several texts the line is of, from 1; absent where there is one, or no line is meant."""


class Unavailable(TypedDict):
    """A framework that cannot run the question."""

    unsupported: str
    """Why, and what it could run instead."""
    version: int
    """Interface version: 1."""


class _UnderstoodNeeds(TypedDict):
    field: str
    """Path of the field in the question; several where the key decides several."""
    key: str
    """The key, as written."""
    line: int
    """Line of the text, from 1; 0 where there is none."""
    value: str
    """Its value, variables replaced."""


class Understood(_UnderstoodNeeds, total=False):
    """A key that became a field."""

    file: int
    """Which of several texts the line is of, from 1; absent where there is one, or no line is meant."""


class _UnknownNeeds(TypedDict):
    hint: str
    """A known key that is close, or why the word is not read; empty where there is neither."""
    key: str
    """The key or word, as written."""
    line: int
    """Line of the text."""


class Unknown(_UnknownNeeds, total=False):
    """A key that is not known."""

    file: int
    """Which of several texts the line is of, from 1; absent where there is one, or no line is meant."""


class _UnmodelledNeeds(TypedDict):
    key: str
    """The key, as written."""
    line: int
    """Line of the text."""
    value: str
    """Its value."""
    why: str
    """What the estimate does instead."""


class Unmodelled(_UnmodelledNeeds, total=False):
    """A key that matters and that the question has no field for."""

    file: int
    """Which of several texts the line is of, from 1; absent where there is one, or no line is meant."""


class Unread(TypedDict):
    """A text that cannot be read at all."""

    error: Trouble
    """Why."""
    version: int
    """Interface version: 1."""


class _WorkloadSpecNeeds(TypedDict):
    kind: WorkloadKind
    """The task."""


class WorkloadSpec(_WorkloadSpecNeeds, total=False):
    """What is trained or generated."""

    distillation: DistillationSpec | None
    """A teacher; required for `distill`."""
    global_batch: int | None
    """Sequences per optimizer step, over all GPUs; of preference data examples, so that a pair counts once."""
    images: ImagesSpec | None
    """Images of a model with a vision tower. Without it everything is text."""
    lengths: list[LengthsSpec] | None
    """The sequence lengths as a histogram, in place of their mean and spread. What is longer than `sequence_length` is cut."""
    lora: LoraSpec | None
    """Adapters of `lora` and `qlora`, and of RL and of preference data where given."""
    mean_sequence_length: float | None
    """Mean sequence length in tokens. Default: `sequence_length`."""
    packing: bool | None
    """Packed sequences (dynamic batching) rather than padding. Default true, but false for preference data and for RL with a
    framework that pads responses, as TRL; where it is not said, what an allocator keeps of an eager loss is that of
    batches of several lengths.
    """
    precision: Precision | None
    """Precision of the matrix products. Default bf16, or fp16 on cards that have none (Volta, Turing)."""
    precompute_ref_log_probs: bool | None
    """`dpo`, `ipo`, `kto`: whether the reference's log-probabilities are computed once, before training, so that no step
    evaluates it and no card holds it. Default false.
    """
    rl: RlSpec | None
    """The RL step; required for `ppo`, `grpo`, the other algorithms and `distill`."""
    rollout: RolloutWorkloadSpec | None
    """The generation run; required for `rollout`."""
    run: RunSpec | None
    """How long the whole run is, by steps or by its data set; gives hours and dollars. Default: for RL 100 steps, with a
    caveat.
    """
    sequence_length: int | None
    """Longest sequence in tokens; of preference data prompt and response."""
    sequence_length_cv: float | None
    """Standard deviation of the sequence lengths over their mean. Default 0: what attention sees of packed sequences is of
    the mean length.
    """
    tokens: float | None
    """Tokens of the whole run; gives hours and dollars. Where `run` says how long it is, leave this out."""


class _RecomputeSpecObjectNeeds(TypedDict):
    granularity: RecomputeGranularity
    """Granularity."""


class RecomputeSpecObject(_RecomputeSpecObjectNeeds, total=False):
    """With the modules of selective recomputation."""

    modules: list[RecomputeModule]
    """Modules that are recomputed."""
    num_layers: int
    """Megatron, of granularity full: layers of each stage, or model chunk, that are recomputed, the first ones
    (`recompute_method=block` with `recompute_num_layers`). Default: all of them.
    """


Flags = Snippets | Unavailable
"""Texts to paste, or why there are none."""

RecomputeSpec = RecomputeGranularity | RecomputeSpecObject
"""`plan.recompute`: a word, or granularity and modules."""
