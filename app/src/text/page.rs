//! Words of the calculator.

words! {
    /// Words of the calculator.
    Text;
    title: "Shardwise: does it fit, how fast, what does it cost, and what do I type?",
        "Shardwise：放得下吗、多快、多少钱、用哪些参数？";
    skip: "Skip to the answer", "跳到结果";
    report: "Report a wrong number", "报告错误的数字";
    report_how: "Send this text with the number that you measured, to whoever runs this site. Its link holds the whole question.",
        "请把以下文字连同你测得的数字发给本站的维护者。其中的链接包含完整的问题。";
    dismiss: "Dismiss", "关闭";
    on_this_page: "On this page", "本页内容";
    update_ready: "A new version is ready. Your question stays.", "新版本已就绪，你的问题会保留。";
    update_now: "Reload", "重新加载";
    lead_name: "Shardwise", "Shardwise";
    lead: "works out, before you rent a GPU, whether your training run fits, how fast it goes, what it costs and which flags to paste.",
        "在租用 GPU 之前算清楚：训练放不放得下、有多快、要花多少钱，以及该粘贴哪些参数。";
    dock_speed: "tokens/s", "token/s";
    dock_each: " per GPU", " 每卡";
    dock_narrow: "/GPU", "/卡";
    per_mtok: "/Mtok", "/百万";
    nav_verdict: "Verdict", "结论";
    nav_flags: "Paste", "粘贴";
    nav_advice: "Advice", "建议";
    nav_why: "Why", "原因";
    run_line: "Steps: {0}. They take {1}.", "步数：{0}，共需 {1}。";
    steps_of: "{0} {0|step|steps}, {1} tokens", "{0} 步，{1} token";
    steps_assumed: "{0} {0|step|steps} assumed, {1} tokens", "假设 {0} 步，{1} token";
    why_part: "Why", "为什么";
    open_all: "Open all", "全部展开";
    close_all: "Close all", "全部收起";
    why_memory: "Why {0} GiB?", "为什么是 {0} GiB？";
    why_time: "Why {0} s?", "为什么是 {0} 秒？";
    why_plans: "Why this plan?", "为什么是这个方案？";
    why_sensitivity: "What is each change worth?", "每项改动值多少？";
    why_caveats: "What is assumed?", "有哪些假设？";
    why_calibrate: "Have you measured it?", "有自己的实测吗？";
    why_offers: "Who rents it out?", "谁在出租？";
    why_offers_take: "Every offer of these GPUs with its price, its day and what the work costs there.",
        "这种 GPU 的每一个报价：价格、日期，以及在那里完成的成本。";
    why_offers_line: "{0} {0|offer holds|offers hold} it, at {1} to {2} a GPU hour; the cheapest: {3}.",
        "有 {0} 个报价可用，每 GPU 小时 {1} 至 {2}；最便宜的是 {3}。";
    why_scaling: "More GPUs", "更多 GPU";
    why_memory_take: "{0}: {1} GiB.", "{0}：{1} GiB。";
    why_plans_take: "Of {0} that were tried, the simplest that is about as fast as any; the next ones, and what each gives up.",
        "在试过的 {0} 个方案中，与最快者相差无几的里面最简单的；其余方案各自的取舍。";
    why_plans_none: "The plans that were tried, and what each gives up.", "试过的方案，以及各自的取舍。";
    why_sensitivity_take: "One setting at a time, all others searched anew: seconds, dollars, and whether it still fits.",
        "每次只改一项，其余重新搜索：时间、成本，以及是否仍然放得下。";
    why_caveats_take: "{0} things that the estimate takes for granted or leaves out.", "估算默认或未计入的 {0} 项。";
    why_caveats_one: "One thing that the estimate takes for granted or leaves out.", "估算默认或未计入的 1 项。";
    why_caveats_none: "Nothing beyond what you typed.", "除所填内容外没有其他假设。";
    why_calibrate_take: "One run of yours corrects every figure on this page.", "用一次自己的运行校正本页所有数字。";
    why_calibrate_on: "Your run corrects every figure on this page: {0}.", "你的运行正在校正本页所有数字：{0}。";
    why_front_take: "Every GPU type by how long the work takes and what it costs; those that no other beats in both.",
        "每种 GPU 需要多久、花费多少；哪些在两方面都不被其他型号超过。";
    why_scaling_take: "What twice or ten times as many GPUs would bring, and where more of them stop paying.",
        "GPU 增加到两倍或十倍能带来什么，以及从哪里开始不再划算。";
    any_framework: "any framework", "不限框架";
    framework_taken: "The best plan is one for {0}.", "最佳配置用 {0}。";
    framework_only: "The plans of other frameworks are left out.", "不计其他框架的配置。";
    framework_all: "Compare all", "比较全部";
    framework_none: "No framework known here runs this as it is estimated.", "已知的框架都无法照此估算运行。";
    your_question: "Your question", "你的问题";
    presets: "Examples, recent questions", "示例与最近的问题";
    preset_source: "Where this example comes from", "此示例的出处";
    preset_label: "Start from an example or a recent question", "从示例或最近的问题开始";
    reset: "Reset the form", "重置表单";
    model_hint: "{0} parameters, {1} {1|layer|layers}.", "{0}参数，{1} 层。";
    model_hint_active: "{0} parameters, {1} active per token, {2} {2|layer|layers}.",
        "{0}参数，每个 token 激活 {1}，{2} 层。";
    use_config: "Use a config.json", "使用 config.json";
    use_name: "Use a name instead", "改用模型名";
    config_hint: "Paste a Hugging Face config.json. It is read here and sent nowhere.",
        "粘贴 Hugging Face 的 config.json。只在本页读取，不会发送。";
    gpus: "GPUs", "GPU";
    node_network: "Node and network", "节点与网络";
    node_summary: "{0} per node", "每节点 {0} 个";
    price_hint: "Catalog price: {0}, {1}.", "目录价格：{0}，{1}。";
    price_source: "Source", "来源";
    money: "Currency", "货币";
    money_usd: "US dollars", "美元";
    money_cny: "renminbi", "人民币";
    money_rate: "Yuan for a dollar", "1 美元合人民币";
    money_wrong: "Give a number between 0.01 and 10,000.", "请填 0.01 至 10,000 之间的数。";
    money_hint: "What is typed stays in dollars, and so do formulas and texts. {0} yuan is the rate of {1} at which Chinese prices were converted.",
        "填写的金额、公式与文本仍按美元。中国报价按 {1} 的汇率 {0} 换算。";
    own_machines: "Own machines", "自有机器";
    own_note: "What you paid for a GPU with its share of the machine: an hour of it is the price then.",
        "填写单个 GPU 连同其分摊的整机购置价：价格即为它每小时的成本。";
    own_hour: "{0} a GPU hour: {1} for the machine, {2} for power.", "每 GPU 小时 {0}：机器 {1}，用电 {2}。";
    prices: "Your own prices", "你自己的价格";
    prices_label: "A price sheet as CSV: a line that names the columns, then a line for each price",
        "CSV 价格表：首行为列名，之后每行一个价格";
    prices_note: "gpu and usd_per_gpu_hour have to be there; provider, instance, count (GPUs of an instance), network (its Gbit/s), kind and date may be. Without count the price holds for any number of GPUs. It is read in this page and sent nowhere.",
        "必须有 gpu 和 usd_per_gpu_hour（美元）；还可以有 provider、instance、count（每个实例的 GPU 数）、network（实例的 Gbit/s）、kind 和 date。不填 count 时，价格适用于任意 GPU 数。只在本页读取，不会上传。";
    prices_kept: "Prices of yours that are asked beside all other offers: {0}. They stay in this browser, and out of links.",
        "你的 {0} 个价格与其他报价一同计入。它们只保存在此浏览器中，不进入链接。";
    prices_kept_only: "Prices of yours that are asked, and no other offer: {0}. They stay in this browser, and out of links.",
        "只计入你的 {0} 个价格，不计其他报价。它们只保存在此浏览器中，不进入链接。";
    prices_idle: "They are not asked now: the question names an offer, a machine or a price of its own. Give that back first.",
        "当前问题已指定报价、机器或价格，因此不会使用它们。请先撤销该指定。";
    prices_count: "{0} kept", "{0} 个价格";
    prices_only: "Ask these alone", "只用这些价格";
    prices_erase: "Erase them", "清除";
    prices_link: "Copy a link that has them", "复制含有它们的链接";
    prices_link_no: "The link could not be copied. Allow the clipboard for this page, and press again.",
        "无法复制链接。请允许本页使用剪贴板，再按一次。";
    prices_linked: "Prices that this link brings along, asked in the place of yours: {0}.",
        "此链接带有 {0} 个价格，以它们代替你的价格。";
    prices_leave: "Leave them out", "不用它们";
    prices_line: "Line {0}, {1}: {2}", "第 {0} 行，{1}：{2}";
    prices_whole: "Line {0}: {1}", "第 {0} 行：{1}";
    prices_more: "More bad lines: {0}.", "另有 {0} 行。";
    prices_sheet: "your price sheet", "你的价格表";
    prices_undated: "date not known", "日期不详";
    home_asked: "Chinese sellers alone are asked: {0}.", "只计入中国卖家的报价：{0}。";
    home_none: "No Chinese seller has a price of this machine: all sellers are asked. Enter your own price above if you know one.",
        "中国卖家没有这种机器的价格，已计入所有卖家的报价。知道价格的话，请填在上面。";
    home_all: "All sellers are asked.", "已计入所有卖家的报价。";
    home_first: "Chinese sellers first", "优先中国卖家";
    home_every: "Ask all sellers", "计入所有卖家";
    rent_list: "none: list price", "无：目录价格";
    rent_hint: "{0}, {1}, {2}: {3} a GPU hour, {4}.", "{0}，{1}，{2}：每 GPU 小时 {3}，{4}。";
    rent_stated: "You state the machine yourself: no offer is looked for.", "机器由你直接写明，不再查找报价。";
    rent_all: "All offers", "全部报价";
    rent_back: "The cheapest again", "恢复最便宜的报价";
    rent_spread: "{0} offers can hold it: {1} to {3} a GPU hour, median {2}.",
        "有 {0} 个报价可用：每 GPU 小时 {1} 至 {3}，中位数 {2}。";
    rent_legend: "Prices of all offers that can hold it", "所有可用报价的价格";
    rent_line: "Rent {0} at {1}: {2} an hour.", "在 {1} 租 {0}：每小时 {2}。";
    rent_line_run: "Rent {0} at {1}: {2} an hour, {3} h, {4}.", "在 {1} 租 {0}：每小时 {2}，{3} 小时，共 {4}。";
    rent_named: "one {0}", "1 台 {0}";
    rent_names: "{1} × {0}", "{1} 台 {0}";
    rent_cards: "one machine with {1} × {0}", "1 台 {1} 卡 {0}";
    rent_machines: "{2} machines with {1} × {0} each", "{2} 台 {1} 卡 {0}";
    rent_none: "All providers", "所有供应商";
    price_none: "No known price. Enter yours to see costs.", "没有已知价格。填入你的价格即可看到成本。";
    workload: "Task", "任务";
    task_which: "Kind of task", "任务类型";
    task_algorithm: "Algorithm", "算法";
    task_adapters: "Adapters", "适配器";
    task_pretrain: "Pre-training", "预训练";
    task_full: "Full fine-tuning", "全参数微调";
    task_lora: "LoRA fine-tuning", "LoRA 微调";
    task_prefer: "Preference optimization", "偏好优化";
    task_rl: "Reinforcement learning", "强化学习";
    task_generate: "Generation", "仅生成";
    all_weights: "all weights", "全部权重";
    pairs_per_step: "Pairs per step", "每步回答对数";
    tokens_unit: "tokens", "token";
    step_hint: "{0} {0|token|tokens} a step.", "每步 {0} token。";
    more_rl: "Sampling, updates, schedule", "采样、更新与调度";
    more_agent: "Agent: turns and tools", "智能体：轮次与工具";
    more_images: "Images", "图像";
    more_teacher: "Teacher (distillation)", "教师模型（蒸馏）";
    more_pool: "The teacher's engines", "教师模型的推理引擎";
    split_hint: "The best split is searched while this is empty: {0} to train, {1} to generate.",
        "留空时搜索最佳划分：{0} 个训练，{1} 个生成。";
    more_sft: "Lengths and precision", "长度与精度";
    more_rollout: "Spread and precision", "离散与精度";
    plan: "Plan", "并行与批次配置";
    plan_auto: "All found by search", "全部由搜索得出";
    plan_yours: "{0} set by you", "已固定 {0} 项";
    plan_hint: "set any yourself", "可自行固定";
    auto: "auto", "自动";
    auto_is: "auto: {0}", "自动：{0}";
    yes: "yes", "是";
    no: "no", "否";
    offload_legend: "Offload to host memory", "卸载到主机内存";
    free_plan: "Let the search choose it all", "全部由搜索决定";
    read_as: "Read as {0}.", "读作 {0}。";
    bad_number: "Not a number. Write it like 4096, 8k, 1.5B, 0.7 or 70%.",
        "不是数字。可写成 4096、8k、1.5B、0.7 或 70%。";
    bad_comma: "A comma separates thousands: 1,024. Use a point for fractions: 1.5.",
        "逗号用于分隔千位：1,024。小数请用点：1.5。";
    bad_negative: "Below zero. Enter zero or more.", "小于零。请填零或正数。";
    bad_fraction: "Only whole numbers make sense here.", "这里只能填整数。";
    bad_large: "Too large to count exactly. Enter at most 9,007,199,254,740,992.",
        "数字太大，无法精确计数。最多 9,007,199,254,740,992。";
    missing: "Needed for an answer.", "此项必填。";
    bad_twice: "{0} is given twice. Keep one.", "{0} 写了两次，请只保留一个。";
    bad_json: "Not valid JSON: {0}. Paste the whole file.", "不是有效的 JSON：{0}。请粘贴整个文件。";
    no_model: "The catalog has no such model. For any other, use its config.json.",
        "目录中没有此模型，其他模型可用 config.json。";
    no_model_near: "The catalog has no “{0}”, and nothing near it: use its config.json.", "目录中没有“{0}”，也没有相近的：请用它的 config.json。";
    no_model_of: "The catalog has no “{0}”. Nearest: {1}.", "目录中没有“{0}”，相近的有：{1}。";
    wrong_at: "{0}: {1}", "{0}：{1}";
    use_value: "Use {0}", "改为 {0}";
    use_most: "Use {0}, the most", "改为 {0}（最大值）";
    use_open: "Leave it open", "留空";
    banner_hash: "This link could not be read. {0}: {1} The form keeps what it had.",
        "无法读取此链接。{0}：{1} 表单保持原样。";
    banner_left_out: "Left out of this link, as its question has no use for it: {0}.",
        "此链接中其问题用不到的项已去掉：{0}。";
    fits_short: "Fits", "放得下";
    tight: "Tight", "勉强";
    unlikely: "Unlikely to fit", "多半放不下";
    unlikely_short: "Unlikely", "多半放不下";
    fit_short: "{0}, {1}", "{0}，{1}";
    fit_sure: ", {0} sure", "，{0} 的把握";
    fit_tight: ", {0} sure; you asked for {1}", "，{0} 的把握，低于你要求的 {1}\u{a0}%";
    fit_no: ": {0} of {1} GiB", "：{0} / {1} GiB";
    sure_over: "over {0}", "超过 {0}";
    fit_tokens: "{0}\u{a0}tokens", "{0}\u{a0}token";
    fit_spare: "{0} to spare {1}.", "{1}还余 {0}。";
    fit_spare_while: "{0} to spare {1}, while the mean response stays below {2}.",
        "{1}还余 {0}，前提是平均回答不超过 {2}。";
    fit_missing: "{0} missing {1}.", "{1}还缺 {0}。";
    fit_lacking: "{0} needed {1}, {2} more than there is. It runs only if the estimate is {3} too high.",
        "{1}需要 {0}，比可用的多 {2}。只有估算偏高 {3} 才能运行。";
    fit_host: "Host memory: {0} of {1} GiB a node ({2}).", "主机内存：每节点 {0} / {1} GiB（{2}）。";
    fit_host_unknown: "Host memory: {0} GiB a node ({1}). What a node has is not known.",
        "主机内存：每节点 {0} GiB（{1}），节点容量未知。";
    fit_usable: "usable: {0}", "可用：{0}";
    fit_sure_below: "{0} sure: below {1}", "{0} 的把握：不超过 {1}";
    fit_bar: "Estimated {0} GiB, {1} sure below {2}, usable {3}.", "估算 {0} GiB，有 {1} 的把握不超过 {2}，可用 {3}。";
    how_sure: "How sure?", "要多大把握？";
    near: "Nearest published runs", "最接近的公开记录";
    near_all: "All runs", "全部记录";
    asked_short: "{0} of {1} on {2} × {3}", "{2} × {3} · {1} · {0}";
    asked_rl: "{0} of {1} on {2} × {3}, {4} {4|prompt|prompts} × {5} {5|response|responses} of up to {6} + {7} tokens.",
        "在 {2} × {3} 上用 {0} 训练 {1}，{4} 个提示词 × {5} 个回答，最长 {6} + {7} token。";
    asked_pairs: "{0} of {1} on {2} × {3}, {4} {4|pair|pairs} of up to {5} tokens each a step.",
        "在 {2} × {3} 上对 {1} 做 {0}，每步 {4} 对回答，各最长 {5} token。";
    asked_train: "{0} of {1} on {2} × {3}, {4} {4|sequence|sequences} of up to {5} tokens a step.",
        "在 {2} × {3} 上对 {1} 做 {0}，每步 {4} 条序列，最长 {5} token。";
    asked_rollout: "{0} of {1} on {2} × {3}, {4} {4|request|requests} of {5} + {6} tokens.",
        "在 {2} × {3} 上用 {1} 做 {0}，{4} 个请求，各 {5} + {6} token。";
    stale: "{0} What follows answers another question: {1}", "{0}以下回答的是另一个问题：{1}";
    stale_none: "No answer yet. The form says which field needs attention.", "还没有结果。请按表单的提示修改。";
    throughput: "Throughput", "吞吐量";
    per_gpu: "tokens/s per GPU", "token/s/GPU";
    cost: "Cost", "成本";
    per_mt: "per million tokens", "每百万 token";
    no_price: "No price is known for this GPU.", "此 GPU 没有已知价格。";
    whole: "Run", "任务";
    whole_run: "for the run", "整个任务";
    hours: "hours", "小时";
    an_hour: "In an hour", "每小时";
    all_gpus: "on {0} {0|GPU|GPUs} together", "{0} 个 GPU 合计";
    tokens_hour: "{0} tokens an hour on {1} {1|GPU|GPUs}", "{1} 个 GPU 每小时 {0} token";
    step: "Step", "单步";
    seconds_unit: "s", "秒";
    step_phases: "{1} {0} s, {3} {2} s", "{1} {0} 秒，{3} {2} 秒";
    usd_step: "{0} a step", "每步 {0}";
    usd_step_at: "{0} a step, at {1} per GPU-hour", "每步 {0}，按每 GPU 小时 {1}";
    usd_mt: "{0} per million tokens, at {1} per GPU-hour", "每百万 token {0}，按每 GPU 小时 {1}";
    mfu: "MFU", "MFU";
    hfu: ", with recomputation {0}", "，计入重计算 {0}";
    best_of: "Best of {0} legal plans", "{0} 种合法配置中最佳";
    the_plan: "The plan", "配置";
    chip_tokens: "{0} tokens per GPU", "{0} token/GPU";
    chip_sequences: "micro-batch {0}", "微批次 {0}";
    chip_no_recompute: "no recompute", "不重计算";
    chip_recompute: "recompute {0}", "重计算 {0}";
    chip_no_offload: "no offload", "不卸载";
    chip_offload: "offload: {0}", "卸载：{0}";
    chip_fused: "fused LM head", "融合 LM head";
    chip_not_fused: "no fused LM head", "不融合 LM head";
    chip_train_gpus: "{0} {0|GPU trains|GPUs train}", "{0} 个 GPU 训练";
    chip_share: "memory {0}", "显存 {0}";
    chip_kv: "KV cache {0}", "KV 缓存 {0}";
    newest: "today's", "最新版";
    chip_eager: "eager mode", "eager 模式";
    chip_graphs: "CUDA graphs", "CUDA graph";
    row_train: "Train", "训练";
    row_rollout: "Rollout", "生成";
    chip_found: "found by the search", "由搜索得出";
    chip_pinned: "set by you", "由你固定";
    alternatives_of: "{0}: what else it could be", "{0}：还可以是";
    alternatives_wait: "Searching a plan for each value.", "正在为每个取值搜索配置。";
    why_not: "Why not …?", "为什么不是…？";
    why_not_title: "Why not …? Textbook layouts beside the plan", "为什么不是…？教科书式布局与本方案对比";
    why_not_wait: "Searching the best plan of each textbook layout.", "正在为每种教科书式布局搜索最好的配置。";
    interval_note: "Ranges cover {0} of published runs.", "区间覆盖 {0} 的公开记录。";
    which_gpu: "Which GPU", "选哪种 GPU";
    sort_by: "Sort by", "排序";
    fastest: "Fastest", "按速度";
    cheapest: "Cheapest", "按成本";
    gpus_note: "{0} {0|GPU|GPUs} of each type, each with its own best plan and price. Yours as asked.",
        "每种均为 {0} 个 GPU，各用自己的最佳配置和价格；当前的按你的设定。";
    gpus_note_all: "{0} plans on {1} GPU types searched.", "共搜索 {1} 种 GPU 上的 {0} 种配置。";
    gpus_note_some: "Of {0} types, those that cannot be among these are searched once all are shown.", "共 {0} 种 GPU；不可能列入其中的，显示全部时才搜索。";
    gpus_counting: "Comparing GPU types: {0} of {1}.", "正在比较 GPU：{0}/{1}。";
    gpus_take_best: "{0} is the fastest and the cheapest that fits, and yours.",
        "在放得下的 GPU 中，当前的 {0} 速度最快，成本也最低。";
    gpus_take_faster: "{0} is {1} times as fast as your {2}.", "{0} 的速度是当前 {2} 的 {1} 倍。";
    gpus_take_cheaper: "{0} is the cheapest, at {1} per million tokens.", "{0} 最便宜，每百万 token {1}。";
    gpus_take_fastest: "{0} is the fastest.", "{0} 最快。";
    gpus_take_unfit: "Your {0} does not fit; {1} is the fastest that does.",
        "当前的 {0} 放不下；放得下的当中 {1} 最快。";
    gpus_none: "No GPU type of the catalog fits this question in this number.", "按此数量，目录中没有放得下的 GPU。";
    yours: "Yours", "当前";
    others: "Others", "其他";
    does_not_fit: "Does not fit", "放不下";
    interval_legend: "{0} interval", "{0} 区间";
    show_all: "Show all {0}", "显示全部 {0} 种";
    show_fewer: "Show fewer", "收起";
    table: "Table", "表格";
    table_of: "{0}, as a table", "{0}（表格）";
    chart_throughput: "Throughput, tokens/s per GPU", "吞吐量，token/s/GPU";
    chart_cost: "Cost, $ per million tokens", "成本，$/百万 token";
    needs_gib: "needs {0} of {1} GiB", "需 {0} / {1} GiB";
    col_gpu: "GPU", "GPU";
    col_mt_hour: "Mtok/h", "百万 token/小时";
    col_usd_mt: "$/Mtok", "$/百万 token";
    col_plan: "Plan", "配置";
    action: "Action", "操作";
    use_gpu: "Use", "选用";
    price_missing: "no known price", "没有已知价格";
    offer_missing: "no offer holds it", "没有可用的报价";
    by_deadline: "By deadline", "限时";
    by_budget: "By budget", "限额";
    deadline_label: "Cheapest that ends within, in hours", "在多少小时内完成，求最便宜";
    budget_label: "Fastest that costs at most, in $", "花费至多多少美元，求最快";
    above_zero: "Give a number above 0.", "请填大于 0 的数。";
    deadline_also: "and ends within, in hours (may stay empty)", "且在多少小时内完成（可不填）";
    budget_also: "and costs at most, in $ (may stay empty)", "且花费至多多少美元（可不填）";
    need_run: "A deadline or a budget is for a whole run: say how long it is.",
        "期限和预算针对整个任务：请先说明任务有多长。";
    need_run_go: "To the run", "去填写";
    misses_deadline: "Too late", "超时";
    untried: "No published run", "无公开记录";
    untried_legend: "no published run on this GPU: the slow end of the interval", "该 GPU 无公开记录：取区间中较慢的一端";
    unjoined: "Network assumed", "网络为假定";
    misses_budget: "Over budget", "超预算";
    close_to_limit: "Close", "接近";
    the_run: "The run", "整个任务";
    run_note: "How long it takes, what it costs and what it writes. Start, validation and saving are not in it.",
        "要多久、花多少、写多少数据。不含启动、验证和保存的时间。";
    run_generates: "A generation run is as long as its requests, which are in the form.",
        "单独生成的任务有多长，由表单中的请求数决定。";
    run_none: "Type how many examples the data set has, to see hours, dollars and when it is done.",
        "填写数据集的样本数，即可看到耗时、费用和完成时间。";
    ops_goodput: "{0} of the time trains", "{0} 的时间在有效训练";
    ops_never: "Failures come faster than it can save: it would hardly ever finish.",
        "故障比保存更频繁：几乎不可能完成。";
    ops_expected: "To be expected", "预期";
    ops_failures: "Failures", "故障";
    ops_between: "one every {0} h", "平均每 {0} 小时一次";
    ops_saves: "Checkpoints saved", "保存检查点";
    ops_every: "every {0} min, training waits {1} s", "每 {0} 分钟一次，训练等待 {1} 秒";
    ops_energy: "Energy", "能耗";
    ops_min: "{0} min", "{0} 分钟";
    run_note_all: "How long it takes, what it costs and what it writes, with what it meets beside its steps.",
        "要多久、花多少、写多少数据，计入训练步以外的时间。";
    ops_co2: "{0} kg of CO₂ equivalent", "{0} kg CO₂ 当量";
    run_cost: "Time and cost", "时间与费用";
    run_h: "{0} h", "{0} 小时";
    run_range: "{0} ({1} interval)", "{0}（{1} 区间）";
    run_done: "Done", "完成时间";
    run_now: "if it starts now", "如果现在开始";
    run_years: "in over 20 years", "20 年以后";
    run_between: "if it starts now; {0} to {1}", "如果现在开始；{0} 至 {1}";
    run_steps: "Steps", "步数";
    run_assumed: "{0}, assumed", "{0}（假设）";
    run_step: "{0} tokens, {1} s a step", "{0} token，每步 {1} 秒";
    run_checkpoint: "A checkpoint", "一个检查点";
    run_kept: "weights {0}, optimizer {1}; {2} kept: {3} on disk", "权重 {0}，优化器 {1}；保留 {2} 个：磁盘 {3}";
    sample: "Lengths from a sample of the data set", "用数据集样本估算长度";
    sample_label: "Some examples: JSON Lines, JSON, CSV, or one a line", "若干样本：JSON Lines、JSON、CSV，或每行一个";
    sample_note: "Counted in this page, sent nowhere; of a large file the first 4 MiB. Tokens are estimated: 0.3 a character, 0.6 for Chinese, Japanese and Korean.",
        "在本页统计，不会上传；大文件只统计前 4 MiB。token 数是估算：每个字符 0.3，中日韩文字每字 0.6。";
    sample_counted: "{0} examples counted.", "统计了 {0} 个样本。";
    sample_begun: "{0} examples counted, from the first 4 MiB.", "统计了前 4 MiB 中的 {0} 个样本。";
    sample_of: "{0} examples of {1} counted.", "统计了 {1} 中的 {0} 个样本。";
    sample_begun_of: "{0} examples of {1} counted, from its first 4 MiB.", "统计了 {1} 前 4 MiB 中的 {0} 个样本。";
    sample_lengths: "About {0} tokens on average, 95 % have at most {1}, the longest has {2}.",
        "平均约 {0} token，95 % 不超过 {1}，最长 {2}。";
    sample_use: "Use these lengths", "采用这些长度";
    front: "Cost against time", "成本与时间";
    close_ways: "Nearest that fit:", "放得下的最小改动：";
    close_looking: "Looking for what would fit.", "正在寻找放得下的办法。";
    close_none: "More GPUs of this type do not make it fit, and no other type of the catalog does in this number.",
        "增加此型号的卡数也放不下，相同卡数下目录中也没有其他型号放得下。";
    close_run: "{0} {0|hour|hours}", "{0} 小时";
    close_run_usd: "{0} {0|hour|hours}, {1}", "{0} 小时，{1}";
    close_mt: "{0} per million tokens", "每百万 token {0}";
    close_unpriced: "no known price", "价格未知";
    close_sure: "{0}; {1} sure", "{0}；{1} 的把握";
    close_plan: "Another plan on the same GPUs", "相同 GPU，换一种配置";
    close_use: "Use it", "采用";
    memory: "Memory", "显存";
    memory_take: "{0} peaks at {1} GiB reserved, of {2}. The largest part: {3}, {4}.",
        "{0}的峰值为预留 {1} / {2} GiB，其中{3}占 {4}。";
    memory_note: "GiB reserved on the worst GPU, by phase. The verdict needs less: an allocator gives back what it holds unused before memory runs out.",
        "最满的 GPU 在各阶段预留的 GiB。判定放得下所需的更少：显存不足时，分配器会先归还未用的部分。";
    gib_reserved: "GiB reserved", "预留 GiB";
    limits: "The most that fits", "最多放得下";
    limits_note: "The largest gpu_memory_utilization to be advised, never above 0.85 beside training and 0.90 alone, and the most tokens per GPU in one pass of each phase. The rest of the plan stays.",
        "建议的 gpu_memory_utilization 上限（与训练共置时不超过 0.85，单独部署时不超过 0.90），以及各阶段每 GPU 单次处理的最大 token 数。其余配置不变。";
    without_offload: "Without offload", "不卸载";
    with_offload: "With offload", "卸载";
    card: "card: {0} GiB", "单卡：{0} GiB";
    total: "Total", "合计";
    time: "Step time", "单步时间";
    time_take: "Of {0} seconds, {1} go to {2} and {3} to {4}.", "{0} 秒中，{1} 秒用于{2}，{3} 秒用于{4}。";
    time_take_beside: "In a step of {0} seconds {2} takes {1} and {4} {3}: training and generation run at once.",
        "一步 {0} 秒，{2}用 {1} 秒，{4}用 {3} 秒：训练与生成并行。";
    time_take_one: "A step takes {0} seconds, {1} of them for “{2}”.", "一步 {0} 秒，其中 {1} 秒用于“{2}”。";
    time_note: "Seconds by phase and part.", "各阶段各部分的秒数。";
    phase: "Phase", "阶段";
    calibrate: "A run of your own", "你自己的训练";
    cal_note: "Type what a log says, or paste the log itself where scripts are pasted, to see your MFU and how far the estimate is off. A pass is one micro-batch on one GPU, in the mean. The peak is what torch.cuda.max_memory_allocated says in the trainer.",
        "填入日志中的数字，或在粘贴脚本处直接粘贴日志，即可看到你的 MFU 以及估算偏差。前向与反向填单 GPU 上一个微批次的平均值，峰值填训练进程的 torch.cuda.max_memory_allocated。";
    cal_passes: "Forward and backward pass", "前向与反向";
    cal_step: "Whole step", "整步";
    cal_memory: "Peak memory", "显存峰值";
    cal_seconds: "{0} s, estimated {1} s", "{0} 秒，估算 {1} 秒";
    cal_gib: "{0} GiB, estimated {1} GiB", "{0} GiB，估算 {1} GiB";
    cal_mfu: "MFU {0}, estimated {1}", "MFU {0}，估算 {1}";
    cal_guide: "MFU {0} by LLMForge's formula", "按 LLMForge 公式 MFU {0}";
    cal_inside: "Inside the estimate's range", "在估算范围之内";
    cal_outside: "Outside the estimate's range", "在估算范围之外";
    cal_of: "Beside the estimate without calibration: {0} {1}", "对照未校准的估算：{0}{1}";
    cal_apply: "Apply to all estimates", "应用于所有估算";
    cal_cluster: "Keep it for later, as", "保存备用，名称";
    cal_keep: "Keep", "保存";
    cal_kept_here: "Calibrations are kept in this browser, under the name of the cluster. Apply one to any question.",
        "校准保存在本浏览器中，以集群命名，可用于任何问题。";
    cal_use: "Apply the calibration of {0}", "应用 {0} 的校准";
    cal_use_short: "Apply", "应用";
    cal_erase: "Erase the calibration of {0}", "删除 {0} 的校准";
    cal_erase_short: "Erase", "删除";
    cal_times: "times\u{a0}×\u{a0}{0}", "时间\u{a0}×\u{a0}{0}";
    cal_gib_times: "training's memory\u{a0}×\u{a0}{0}", "训练显存\u{a0}×\u{a0}{0}";
    cal_rollout: "generation\u{a0}×\u{a0}{0}", "生成\u{a0}×\u{a0}{0}";
    cal_forward: "passes forward alone\u{a0}×\u{a0}{0}", "纯前向\u{a0}×\u{a0}{0}";
    cal_update: "updates\u{a0}×\u{a0}{0}", "更新\u{a0}×\u{a0}{0}";
    cal_other: "the rest of the step\u{a0}×\u{a0}{0}", "其余时间\u{a0}×\u{a0}{0}";
    cal_sync: "weight sync\u{a0}×\u{a0}{0}", "权重同步\u{a0}×\u{a0}{0}";
    calibrated: "calibrated", "已校准";
    cal_notice: "Calibrated with a run of your own: {0}.", "已按你自己的训练校准：{0}。";
    cal_forget: "Forget my run", "取消校准";
    cal_link: "Measured it yourself?", "自己测过？";
    plans: "Plans", "候选配置";
    of_card: "{0} of the card", "占显存 {0}";
    of_step: "{0} of the step", "占单步 {0}";
    how: "how", "依据";
    how_of: "How {0} is calculated", "{0}如何算出";
    pin_a: "Pin as A and compare", "固定为 A 并对比";
    sensitivity: "What each change is worth", "每项改动的收益";
    sensitivity_note: "One step in every dimension, all else as planned. “Try it” fixes that value; what you left open is chosen anew.",
        "每个维度上调或下调一步，其余不变。“试一试”会固定该值；你未指定的项会重新选取。";
    paste_into: "Paste into {0}", "粘贴到 {0}";
    skip_flags: "Skip to the text to paste", "跳到可粘贴的文本";
    framework: "Framework", "框架";
    version_of: "Version of {0}", "{0} 版本";
    checked: "For {0} {1}", "适用于 {0} {1}";
    reasons: "Reasons", "原因";
    show_lines: "Show all {0} lines", "显示全部 {0} 行";
    changed_one: "1 line changed", "1 行有变化";
    changed_many: "{0} lines changed", "{0} 行有变化";
    changed_below: "{0} of them below", "其中 {0} 行在下方";
    changed_were: "What they were", "变化之前";
    clear_marks: "Clear marks", "清除标记";
    line_new: "New:", "新增：";
    line_changed: "Changed:", "已改：";
    download: "Download", "下载";
    copy: "Copy", "复制";
    copied: "Copied", "已复制";
    copied_text: "Copied: {0}", "已复制：{0}";
    select_copy: "Selected: press Ctrl+C", "已选中：请按 Ctrl+C";
    unsupported: "{0} cannot run this plan. {1}", "{0} 无法运行此配置。{1}";
    replanned: "{0} Left to the search, its best plan is with {1}: these flags are for that one.",
        "{0} 交给搜索决定时，其最佳配置使用 {1}：以下参数即为该配置。";
    switch_slower: "{0} is {1} slower here than the plan above: {2} tokens/s per GPU.",
        "改用 {0} 比上面的配置慢 {1}：{2} token/s/GPU。";
    switch_faster: "{0} is {1} faster here than the plan above: {2} tokens/s per GPU.",
        "改用 {0} 比上面的配置快 {1}：{2} token/s/GPU。";
    switch_same: "{0} is as fast here as the plan above, within {1}: {2} tokens/s per GPU.",
        "改用 {0} 与上面的配置一样快（相差不到 {1}）：{2} token/s/GPU。";
    no_flags: "There are no flags for this question.", "此问题没有对应的参数。";
    flags_unfit: "This plan does not fit. The flags would end in out of memory.",
        "此配置放不下，照此运行会显存溢出（OOM）。";
    flags_writing: "Writing the flags.", "正在生成参数。";
    flags_others: "Not for this question", "不适用于此问题";
    paste: "Paste a script", "粘贴脚本";
    close: "Close", "关闭";
    paste_hint: "A command or script of veRL, ChatLearn, TRL, ms-swift, OpenRLHF, slime, NeMo-RL, SkyRL, Megatron-LM or Megatron-Bridge, YAML of LLaMA-Factory, axolotl or LLMForge, TOML of torchtitan up to 0.2, Python with the configuration of torchtitan, TRL, Unsloth or Transformers, or a ds_config.json with its launch line; a traceback of memory that ran out; or the log of a run, alone or with its script. At most 1 MiB, and of a longer file its beginning. It is read here and sent nowhere.",
        "veRL、ChatLearn、TRL、ms-swift、OpenRLHF、slime、NeMo-RL、SkyRL、Megatron-LM 或 Megatron-Bridge 的命令或脚本，LLaMA-Factory、axolotl 或 LLMForge 的 YAML，torchtitan 0.2 及以前的 TOML，含 torchtitan、TRL、Unsloth 或 Transformers 配置的 Python，或 ds_config.json 及其启动命令，也可以是显存或内存耗尽的 traceback，或一次运行的日志（可连同其脚本），不超过 1 MiB，更长的文件只取开头。仅在本页读取，不会发送到任何地方。";
    paste_label: "Script", "脚本";
    paste_files: "Open files", "打开文件";
    paste_drop: "or drop them on the box", "或拖放到输入框";
    paste_clear: "Clear", "清空";
    paste_file: "{0} was left out: it is too long, or no text.", "未读取 {0}：过长，或不是文本。";
    paste_begun: "{0} is longer than there is room for: the lines at its beginning are here.",
        "{0} 过长，只取了开头的若干行。";
    paste_long: "The text is longer than 1 MiB. Paste the command and its variables alone.",
        "文本超过 1 MiB。请只粘贴命令及其变量。";
    paste_reading: "Reading.", "正在读取。";
    broken: "The rest of this page did not load. Check the connection.", "本页其余部分未能加载。请检查网络。";
    no_worker: "The part of this page that writes flags, reads scripts and finds advice did not load, or it stopped. The rest works without it.",
        "本页负责生成参数、读取脚本和给出建议的部分未能加载，或已停止。其余功能不受影响。";
    retry: "Try again", "重试";
    advice: "What would help most", "最有效的改进";
    advice_note: "Most valuable first.", "按收益排序。";
    embed_title: "Does it fit?", "放得下吗？";
    open_full: "Open in Shardwise", "在 Shardwise 中打开";
    no_panel: "panels: none is named “{0}”. There are {1}.", "panels：没有名为“{0}”的部分。可选：{1}。";
    pick_models: "Models of the catalog", "目录中的模型";
    pick_active: "{0}, {1} active", "{0}，激活 {1}";
    pick_more: "{0} of {1}. Another word narrows the list: a size, an owner, moe, vision, a licence.",
        "显示 {1} 个中的 {0} 个。再输入一个词可缩小范围：规模、发布者、moe、vision 或许可证。";
    pick_none: "No model of the catalog has all these words. For any other, use its config.json.",
        "目录中没有同时含有这些词的模型。其他模型请使用其 config.json。";
    kind_dense: "dense", "稠密";
    kind_moe: "MoE", "MoE";
    kind_vision: "vision", "视觉";
    no_license: "licence not on record", "许可证未收录";
    config_choose: "Choose a file", "选择文件";
    config_file: "{0} was left out: it is longer than 48 KiB, or no text.", "{0} 未读入：超过 48 KiB，或不是文本。";
    bad_address: "This is an address, and nothing is fetched here. Open it, copy the config.json that it shows, and paste that.",
        "这是一个网址，而本页不访问网络。请打开它，复制其中的 config.json 内容并粘贴到此处。";
    gpu_own: "A GPU of your own", "自定义 GPU";
    gpu_own_hint: "What is left empty is as in the type that it starts from. Rates are dense, links per GPU and direction. The architecture says how close it comes to them.",
        "留空的项与所选基准型号相同。算力为稠密值，带宽为每卡单向值。能达到标称值的多少由架构决定。";
    gpu_scratch: "nothing: all figures below", "无：填写下列全部数值";
    price_back: "Use it again", "恢复此价格";
    nodes_summary: "{2} {2|node|nodes} × {0}, {1} Gbit/s", "{2} 节点 × {0}，{1} Gbit/s";
    nodes_hint: "The count may be typed in nodes: 2x8.", "数量可按节点输入：2x8。";
    recent: "Recent", "最近";
    recent_manage: "Erase recent questions", "清除最近的问题";
    recent_note: "Questions that you left or let rest for a while. They are kept in this browser alone.",
        "你离开过或停留过一段时间的问题。仅保存在本浏览器中。";
    recent_none: "None yet.", "暂无。";
    recent_erase: "Erase all", "全部清除";
    recent_erase_one: "Erase: {0}", "清除：{0}";
    share: "Share", "分享";
    share_note: "The answer in one line, with the link that holds the whole question.",
        "一行结果，附包含完整问题的链接。";
    share_line: "{0} of {1} on {2} × {3}: {4} tokens/s per GPU{5}. {6}", "{0}，{1}，{2} × {3}：{4} token/s/GPU{5}。{6}";
    share_cost: ", {0}/Mtok", "，{0}/百万 token";
    share_system: "Share with another app", "用其他应用分享";
    report_text: "A number of Shardwise is wrong\nQuestion: {0}\nLink: {1}\nShown: {2}; {3} GiB{4}; {5} tokens/s per GPU{6}; {7} s a step; {8} per million tokens\nVersions: build {9}, data {10}, prices {11}\nMeasured instead: ",
        "Shardwise 的数字有误\n问题：{0}\n链接：{1}\n显示：{2}；{3} GiB{4}；{5} token/s/GPU{6}；每步 {7} 秒；每百万 token {8}\n版本：构建 {9}，数据 {10}，价格 {11}\n实测：";
    keys: "Keyboard shortcuts", "键盘快捷键";
    key_model: "To the model", "转到模型";
    key_gpu: "To the GPU type", "转到 GPU 型号";
    key_flags: "To the text to paste", "转到可粘贴的文本";
    key_copy: "Copy the text to paste", "复制可粘贴的文本";
    key_link: "Copy the link", "复制链接";
    key_theme: "Next colours", "切换配色";
    key_language: "Other language", "切换语言";
    key_pin: "Pin what is checked, in a part of the plan", "固定所选的值（在方案某一项的面板中）";
    key_list: "This list", "本列表";
    keys_on: "Shortcuts of one key are on", "启用单键快捷键";
}
