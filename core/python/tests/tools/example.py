"""Every function with its types. What should not pass is marked: a mark that is not needed fails, too."""

from __future__ import annotations

import shardwise
from shardwise import lines
from shardwise.types import ModelRow, PlanSpec, Question

question: Question = {
    "version": 1,
    "model": "qwen3-8b",
    "hardware": {"gpu": {"base": "h100-sxm", "memory_gib": 90}, "gpus": 8},
    "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64},
    "plan": {"backend": "fsdp", "recompute": {"granularity": "selective", "modules": ["core_attn"]}},
}

answer = shardwise.estimate(question, lang="zh")
fits: bool = answer["fits"]
price: float = answer["usd_per_mtok"]
activations: float = answer["memory"]["parts"].get("activations", 0.0)
interval: list[float] = answer["interval"]["peak_gib"]
plan: PlanSpec = answer["plan"]
print(fits, price, activations, interval, plan.get("tensor_parallel"))

several: shardwise.Rows[shardwise.Answer] = shardwise.estimate([question, '{"version": 1}'])
print(several[0]["mfu"], several.to_pandas())
for one in shardwise.estimate([question], return_exceptions=True):
    if isinstance(one, shardwise.QuestionError):
        field: str = one.field
        print(field, one.index)
    else:
        print(one["step_time_s"])

found = shardwise.search(question, gpu="all", gpus=[8, 16], within_hours=24)
if isinstance(found, shardwise.Offers):
    gpus: int = found["offers"][0]["gpus"]
    print(gpus, [offer["answer"]["usd_per_mtok"] for offer in found["front"]])
else:
    print(found["plans"][0]["fits"])

text: str = shardwise.flags(question, "verl", version="0.9.1").text
reading = shardwise.read(["deepspeed train.py", "{}"], gpu="a100-sxm-80gb")
again: shardwise.Answer = shardwise.estimate(reading["question"])
print(text, again, reading["answer"], shardwise.doctor("…")["mends"])
print([change["set"] for change in shardwise.sensitivity(question)["changes"]])
print([one["put_in"] for one in shardwise.explain(question, figure="mfu")])
run = shardwise.calibrate(question, step_time_s=21.5, peak_gib=61)
print(shardwise.estimate(run["question"])["time"]["phases"][0]["s"])

models: list[ModelRow] = shardwise.catalog("models")
line: str = lines.estimate("{}", lang="zh")
all_lines: list[str] = lines.search(["{}"], limit=3)
print(models[0]["license"], shardwise.catalog("prices")[0]["usd_per_gpu_hour"], line, all_lines)

# A kind of workload that there is not.
shardwise.estimate({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm"}, "workload": {"kind": "sleep"}})  # type: ignore
# A field that there is not.
misspelt: PlanSpec = {"tensor_paralel": 2}  # type: ignore
# No framework.
shardwise.flags(question)  # type: ignore
# An option that there is not, and one of another type.
shardwise.search(question, best=3)  # type: ignore
lines.search("{}", limit="many")  # type: ignore
# An answer that may be an error.
print(shardwise.estimate([question], return_exceptions=True)[0]["fits"])  # type: ignore
# A figure as a text.
words: str = answer["mfu"]  # type: ignore
