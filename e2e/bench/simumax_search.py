"""SimuMax's own search for Llama-3-8B on eight A100 PCIe: prints the processor's seconds, the plans it
evaluated and its best as JSON.

    python simumax_search.py REPOSITORY

The space is what its search takes by default: tensor parallel 1, 2, 4, 8, every number of stages up to the layers, three
kinds of recomputation, at one micro-batch size.
"""

import json
import os
import sys
import time

root = os.path.abspath(sys.argv[1])
sys.path.insert(0, root)
os.chdir(root)

from simumax.core.config import ModelConfig, StrategyConfig, SystemConfig  # noqa: E402
from simumax.core.perf_llm import PerfLLM  # noqa: E402


def build():
    strategy = StrategyConfig.read_json_file("configs/strategy/tp1_pp2_dp4_mbs1.json")
    strategy.update(enable_recompute=False, recompute_granularity=None, recompute_layer_num=0)
    model = PerfLLM()
    model.configure(
        strategy_config=StrategyConfig.init_from_dict(strategy),
        model_config=ModelConfig.init_from_config_file("configs/models/llama3-8b.json"),
        system_config=SystemConfig.init_from_config_file("configs/system/a100_pcie.json"),
    )
    model.model_config.padded_vocab_size = True
    model.model_config.make_vocab_size_divisible_by = 128
    return model


def main():
    model = build()
    evaluated = 0
    run = model.run_estimate

    def counted(*arguments, **named):
        nonlocal evaluated
        evaluated += 1
        return run(*arguments, **named)

    model.run_estimate = counted
    begun = time.process_time()
    best = model.search_best_parallel_strategy(
        world_size=8, gmi_error=10, micro_batch_size=1, global_batch_size=32,
        all_search_result={}, use_reserved_memory=True, dump_path=None, verbose=False,
    )
    seconds = time.process_time() - begun
    print(json.dumps({"seconds": seconds, "evaluated": evaluated, "best": best["parallelism"]}))


main()
