//! Words of the accuracy page.

words! {
    /// Words of the accuracy page.
    Accuracy;
    title: "Shardwise: how accurate is it?", "Shardwise：准确度如何？";
    skip: "Skip to the result", "跳到结果";
    loading: "Loading the measured runs.", "正在加载实测数据。";
    failed: "The measured runs could not be loaded", "实测数据未能加载";
    failed_load: "They are a file of this site. Without a connection it is there only after an earlier visit.",
        "它是本站的一个文件。离线时，只有此前访问过才能读取。";
    failed_read: "The file arrived, but it is damaged or of another version of this page.",
        "文件已收到，但已损坏，或与本页版本不符。";
    retry: "Try again", "重试";
    tabs: "What is estimated", "估算的对象";
    tab_training: "Training", "训练";
    tab_memory: "Memory", "显存";
    tab_generation: "Generation", "生成";
    tab_step: "RL step", "RL 步骤";
    count_runs: "{0} runs", "{0} 次运行";
    count_steps: "{0} steps", "{0} 步";
    count_unfitted: "{0} runs, in no fit", "{0} 次运行，未参与拟合";
    head_training: "Training it has not seen: half within {0}", "没见过的训练：半数误差在 {0} 以内";
    head_memory: "Of runs it called {0} sure, {1} fit", "它说有 {0} 把握的运行，{1} 放得下";
    head_generation: "Generation it has not seen: half within {0}", "没见过的生成：半数误差在 {0} 以内";
    head_step: "RL steps it has not seen: half within {0}", "没见过的 RL 步骤：半数误差在 {0} 以内";
    lead_training: "Each source was predicted from all the others: {0} runs whose sources say all that matters. {1} more leave something open, and half of those are within {2}. Errors with a source’s own runs in the fit come second, smaller: they flatter.",
        "每个来源都只用其余来源来预测：共 {0} 次运行，其来源说明完整。另有 {1} 次的来源有所省略，其中半数误差在 {2} 以内。把自身来源也拟合进去的误差列在其后，字号较小：它们偏乐观。";
    lead_memory: "A run that does not fit stops, so this comes first. Each of {0} measured peaks was put on a card just large enough for the calculator to be {1} sure of it, from other sources alone.",
        "放不下，运行就会中断，所以先看这个数字。共 {0} 个实测峰值，每个都放到一张显存大小恰好让计算器（只凭其他来源）有 {1} 把握的卡上。";
    lead_generation: "Runs of vLLM, each predicted without those of its source on its GPU: too few sources published any to leave a whole one out.",
        "vLLM 的运行；预测每次运行时，都排除了同一来源在同一 GPU 上的数据：公布数据的来源太少，无法整个排除。";
    lead_step: "Each table of steps was predicted from the others. A step is a sum of phases, and each phase is compared by itself where its source says how long it took.",
        "每张表都只用其余的表来预测。一步由多个阶段相加而成；来源给出了各阶段用时的，每个阶段也单独比较。";
    median_left_out: "Median, left out", "误差中位数，排除来源";
    median_step: "Whole step, left out", "整步，排除来源";
    median_peak: "Median error of a peak", "峰值误差中位数";
    nine_in_ten: "Nine in ten within", "九成误差在此以内";
    holds: "{0} interval holds", "{0} 区间覆盖率";
    aim: "aim: {0}", "目标：{0}";
    sub_fitted: "{0} fitted", "拟合时为 {0}";
    sub_peak: "{0} runs stated in full; {1} for the other {2}", "{0} 次说明完整；其余 {2} 次为 {1}";
    worst_kind: "Worst kind", "最差的类型";
    worst_phase: "Worst phase", "最差的阶段";
    sure_right: "“Fits, {0} sure” was right", "“放得下，{0} 把握”言中";
    sub_sure: "of {0} runs; asked 80\u{a0}%: {1}, 99\u{a0}%: {2}", "共 {0} 次；要求 80\u{a0}% 时 {1}，99\u{a0}% 时 {2}";
    ran_unfit: "Called “no”, yet ran", "说放不下，却运行了";
    sub_ran: "as their sources state them; recipes often say more", "按来源所述；实际配方往往说得更多";
    failed_fit: "Called “fits”, yet ran out", "说放得下，却显存不足";
    sub_failed: "by public reports, most of them near the edge", "据公开报告，其中大多接近上限";
    of_all: "{0} of {1}", "{0} / {1}";
    strips_kind: "By kind of run", "按运行类型";
    strips_phase: "By phase", "按阶段";
    errors: "Errors", "误差";
    note_training: "Error of tokens/s per GPU.", "每 GPU token/s 的误差。";
    note_memory: "Error of the peak in GiB. Left of exact is the dangerous side: estimated too little.",
        "峰值（GiB）的误差。左侧是危险的一侧：估少了。";
    note_generation: "Error of output tokens/s per GPU.", "每 GPU 输出 token/s 的误差。";
    note_step: "Error of the speed of each phase, and of the whole step.", "各阶段速度以及整步速度的误差。";
    group_by: "Group by", "分组";
    by_kind: "Kind", "类型";
    by_phase: "Phase", "阶段";
    by_gpu: "GPU", "GPU";
    by_framework: "Framework", "框架";
    by_family: "Model family", "模型系列";
    in_nine: "{0} in 9 of 10", "九成在 {0} 内";
    inside: "inside {0}", "{0} 区间";
    col_inside: "inside the interval", "区间内";
    col_fitted: "Fitted", "拟合";
    exact: "exact", "准确";
    dot_left_out: "one run, estimated without its own source", "一次运行，估算时排除了自身来源";
    dot_memory: "one run", "一次运行";
    within_band: "within 20\u{a0}%", "20\u{a0}% 以内";
    median_signed: "median, signed", "中位数（带正负）";
    tenths: "10th to 90th percentile", "第 10 至第 90 百分位";
    beyond: "at the edge: further off", "边缘：超出刻度";
    right_speed: "right of exact: estimated too fast", "右侧：估快了";
    right_memory: "right of exact: estimated too much", "右侧：估多了";
    no_errors: "Nothing was measured here.", "此处没有实测数据。";
    all_full: "Stated in full", "来源说明完整";
    all_partly: "Something left open", "来源有所省略";
    k_dense_node: "Dense, one node", "稠密，单节点";
    k_dense_nodes: "Dense, many nodes", "稠密，多节点";
    k_experts_node: "Experts, one node", "MoE，单节点";
    k_experts_nodes: "Experts, many nodes", "MoE，多节点";
    k_adapters: "LoRA and QLoRA", "LoRA 和 QLoRA";
    k_megatron: "Dense, Megatron", "稠密，Megatron";
    k_fsdp: "Dense, FSDP", "稠密，FSDP";
    k_other: "Dense, DDP", "稠密，DDP";
    k_experts: "Experts", "MoE";
    k_hybrid: "Hybrid attention", "混合注意力";
    k_one: "One sequence", "单个序列";
    k_few: "2 to 32 at once", "同时 2–32 个";
    k_many: "33 to 256 at once", "同时 33–256 个";
    k_crowd: "Over 256 at once", "同时超过 256 个";
    k_step: "Whole step", "整步";
    k_rollout: "Rollout", "生成（rollout）";
    k_old_log_prob: "Log-probabilities", "对数概率";
    k_update_actor: "Update", "更新";
    k_weight_sync: "Weight sync", "权重同步";
    chart: "Estimated against measured", "估算与实测对比";
    take_chart_speed: "Log scales. On the dashed line it is exact, above it estimated too fast, below it too slow.",
        "对数坐标。虚线上完全准确，上方估快了，下方估慢了。";
    take_chart_memory: "Log scales. On the dashed line it is exact, above it estimated too much, below it too little.",
        "对数坐标。虚线上完全准确，上方估多了，下方估少了。";
    take_chosen: "{0}: half of {1} runs within {2}, nine in ten within {3}.",
        "{0}：{1} 次运行中，半数误差在 {2} 以内，九成在 {3} 以内。";
    across: "Measured, {0}", "实测，{0}";
    up: "Estimated, {0}", "估算，{0}";
    unit_speed: "tokens/s per GPU", "token/s/GPU";
    keys: "Runs on the chart. The arrow keys step through them.", "图中的运行，可用方向键逐个查看。";
    point_at: "Point at a run to read it, or step through them with the arrow keys.",
        "指向某次运行即可查看详情，也可用方向键逐个查看。";
    full: "Stated in full ({0})", "来源说明完整（{0}）";
    partly: "Something left open ({0})", "来源有所省略（{0}）";
    as_table: "{0}, as a table", "{0}（表格）";
    col_runs: "Runs", "运行数";
    wrong: "Where it is wrong", "偏差最大之处";
    wrong_note: "The largest misses among the runs shown.", "所示运行中误差最大的几次。";
    wrong_run: "Estimated {0}, measured {1} {2}.", "估算 {0}，实测 {1}（{2}）。";
    runs: "The runs", "全部运行";
    runs_all: "All {0} runs of the chart, in {1}.", "图中全部 {0} 次运行，单位：{1}。";
    runs_some: "{0} of {1} runs: {2}. In {3}.", "{1} 次运行中的 {0} 次：{2}。单位：{3}。";
    show_only: "Show", "显示";
    everything: "All runs", "全部运行";
    sort_by: "Sort by", "排序";
    col_model: "Model", "模型";
    col_gpus: "GPUs", "GPU 数";
    col_precision: "Precision", "精度";
    col_date: "Date", "日期";
    col_measured: "Measured", "实测";
    col_estimated: "Estimated", "估算";
    col_left_out: "Left out", "排除来源";
    col_error: "Error", "误差";
    col_interval: "{0} interval", "{0} 区间";
    col_open: "In the calculator", "在计算器中";
    open: "Open", "打开";
    open_run: "Open in the calculator", "在计算器中打开";
    source: "Source", "来源";
    new_tab: "(opens a new tab)", "（在新标签页打开）";
    show_all: "Show all {0}", "显示全部 {0} 次";
    show_fewer: "Show fewer", "收起";
    rel_title: "How sure is “sure”?", "“有把握”有多可靠？";
    rel_take: "{0} of {1} runs lie in tenths that came true as often as they were said to, within {2} points.",
        "{1} 次运行中，有 {0} 次所在的概率区间言中率与所称相差不超过 {2} 个百分点。";
    rel_note: "Runs of sources left out, by the probability that they fit a card that was said before they were measured. Up: the share that did fit. On the dashed line both are the same; the larger a dot, the more runs.",
        "按排除自身来源后所称的放得下概率分组。纵轴：实际放得下的比例。虚线上两者一致；圆点越大，运行越多。";
    rel_across: "Said to fit", "所称概率";
    rel_tenth: "Probability", "概率";
    rel_predicted: "Said", "所称";
    rel_observed: "Fitted", "实际";
    method: "How this is measured", "如何衡量";
    method_run: "Each run is a published measurement. It is asked as a question with the plan that its source states, and the answer is compared with the published figure.",
        "每次运行都是公开发表的实测结果。以来源所述的配置向计算器提问，再将答案与公开数字比较。";
    method_left_out: "The estimate rests on a few constants per architecture and framework, fitted to all runs together. So every source is also left out once: its runs are predicted from constants fitted to the other sources alone. That is the error to expect on a run that nobody has published yet.",
        "估算依赖少量常数，每种架构和框架各有几个，由全部运行共同拟合。因此每个来源也会被排除一次：只用其余来源拟合的常数来预测它的运行。对于尚未公开过的运行，应以这一误差为准。";
    method_headline: "The headline counts runs whose source states all that matters. Where a source leaves something open, such as the micro-batch or the recomputation, the calculator has to assume it; those runs are shown, and counted apart.",
        "标题数字只统计来源说明完整的运行。若来源有所省略，例如未写微批次或重计算，计算器只能自行假设；这些运行同样列出，但单独统计。";
    method_memory: "No constant of the memory’s is fitted to many sources; how far its estimates are off is, and each source is left out of that. Published peaks are of training alone: nobody has published those of an RL step or of an engine. Published runs ran, so “called no” counts all of them, and “sure” asks of each measured peak whether it fits a card made to measure.",
        "显存估算没有用多个来源拟合的常数；拟合的只是其误差分布，且每个来源都会从中排除。公开的峰值都来自训练：还没有人公布过 RL 步骤或推理引擎的峰值。公开的运行都跑成了，所以“说放不下”按全部运行计数；“把握”则是看每个实测峰值是否放得进一张大小恰好的卡。";
    method_generation: "Generation’s constants are fitted to vLLM. Each source is left out GPU by GPU, as too few sources published any. SGLang and TensorRT-LLM are in no fit: their strips show how far vLLM’s constants are from other engines.",
        "生成的常数由 vLLM 的运行拟合。公布数据的来源太少，所以按来源和 GPU 逐一排除。SGLang 和 TensorRT-LLM 未参与拟合：它们的图条显示 vLLM 的常数与其他引擎相差多远。";
    method_step: "RL steps are left out by table. Every step is taken to have responses whose lengths spread by 0.8 of their mean, as no source says how far they did.",
        "RL 步骤按表排除。没有来源说明回答长度的分散程度，所以一律假设标准差为均值的 0.8 倍。";
    method_interval: "The interval is the one that the calculator shows beside every prediction. Its width is set so that it holds the measured value {0} of the time over all left-out runs together; of a kind it holds more or less.",
        "这里的区间就是计算器在每个预测旁显示的区间。其宽度使它在全部排除来源的运行中有 {0} 包含实测值；具体到某一类，可能更多或更少。";
    file_runs: "All training runs and RL steps with sources (JSON)", "全部训练运行和 RL 步骤及来源（JSON）";
    file_generation: "All generation runs with sources (JSON)", "全部生成运行及来源（JSON）";
    file_overview: "All errors by group (JSON)", "各组误差（JSON）";
}
