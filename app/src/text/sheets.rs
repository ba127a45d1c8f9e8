//! Words of what the worker writes.

words! {
    /// Words of what the worker writes.
    Sheets;
    offers: "Offers of these GPUs", "这种 GPU 的报价";
    offers_take: "{0} of {1} offers can hold it, at {2} to {3} a GPU hour, median {4}. It costs least at {5}: {6}.",
        "{1} 个报价中有 {0} 个可用，每 GPU 小时 {2} 至 {3}，中位数 {4}。在 {5} 成本最低：{6}。";
    offers_none: "No offer of {0} × {1} can hold it on these terms: {2}.",
        "按这种方式（{2}）没有报价能提供 {0} 个 {1}。";
    offers_note: "Each offer is a machine of its own: its instances, its network, its host memory. Prices before tax, as their sources stated them that day.",
        "每个报价都是一种机器：有自己的实例、网络与主机内存。价格未含税，以来源当日所列为准。";
    offer_terms: "Terms", "方式";
    offer_seller: "Provider, instance, region", "供应商、实例、地区";
    offer_price: "$ per GPU hour", "每 GPU 小时，$";
    offer_machine: "Network of an instance", "实例的网络";
    offer_take: "Rent this", "租这个";
    offer_network: "{0} Gbit/s", "{0} Gbit/s";
    offer_usual: "the catalog's machine", "目录中的机器";
    offer_no_network: "not stated", "未说明";
    offer_old: "Over a year old", "已超过一年";
    offer_divides: "Instances of {0} GPUs", "每个实例 {0} 个 GPU";
    offer_unjoined: "Its network is not stated: instances cannot be joined", "没有说明网络，实例无法相连";
    offer_refused: "The plan cannot run there", "该方案无法在那里运行";
    offer_slower: "{0} slower there", "在那里慢 {0}";
    plans_counted: "{0} legal plans searched, {1} of them timed. The best of each parallel layout:",
        "搜索了 {0} 种合法配置，其中 {1} 种计算了时间。每种并行布局的最佳配置：";
    layout: "Layout", "布局";
    batch: "Per GPU", "每 GPU";
    batch_tokens: "{0} tokens", "{0} token";
    batch_sequences: "{0} seq.", "{0} 条";
    recompute: "Recompute", "重计算";
    rollout_tp: "Rollout TP", "Rollout TP";
    step_s: "Step, s", "单步，秒";
    why: "Why", "原因";
    chosen: "Chosen.", "已采用。";
    slower: "{0} slower.", "慢 {0}。";
    faster_tight: "{0} faster.", "快 {0}。";
    same_speed: "As fast.", "同样快。";
    not_longest: "Not with the longest responses", "回答最长时放不下";
    sens_numerics: "What is computed changes", "计算内容有变";
    sens_machine: "The machine changes", "机器有变";
    sure_run: "{0} costs {1} s a step and {2}.", "提到 {0}：每步多 {1} 秒，共多花 {2}。";
    sure_step: "{0} costs {1} s and {2} a step.", "提到 {0}：每步多 {1} 秒，多花 {2}。";
    sure_time: "{0} costs {1} s a step.", "提到 {0}：每步多 {1} 秒。";
    save_run: "{0} saves {1} s a step and {2}.", "降到 {0}：每步少 {1} 秒，共省 {2}。";
    save_step: "{0} saves {1} s and {2} a step.", "降到 {0}：每步少 {1} 秒，省 {2}。";
    save_time: "{0} saves {1} s a step.", "降到 {0}：每步少 {1} 秒。";
    sure_free: "{0} costs nothing more.", "提到 {0} 不增加代价。";
    sure_same: "{0} saves nothing.", "降到 {0} 没有好处。";
    sure_none: "No plan was found that is {0}\u{a0}% sure.", "没有找到有 {0}\u{a0}% 把握的配置。";
    alt_note: "For each value all else was searched anew.", "每个取值都重新搜索了其余各项。";
    alt_step: "a step", "单步";
    alt_run: "the run", "整个任务";
    alt_usd_step: "$ a step", "每步 $";
    alt_fits: "fits", "放得下";
    alt_lacks: "{0} of {1} GiB", "{0} / {1} GiB";
    alt_with: "with {0}", "配合 {0}";
    alt_less: "{0} GiB less", "少 {0} GiB";
    alt_more: "{0} GiB more", "多 {0} GiB";
    alt_other: "other…", "其他…";
    alt_own: "A value of your own", "自己填一个值";
    alt_pin: "Pin it", "固定";
    alt_free: "Let the search choose", "由搜索决定";
    alt_is_pinned: "Pinned: the search keeps it whatever else changes.", "已固定：其余变化时搜索保留它。";
    alt_is_free: "Pinned, the search keeps it whatever else changes.", "固定后，其余变化时搜索保留它。";
    ways: "Smallest changes that reach {0}\u{a0}%:", "达到 {0}\u{a0}% 把握的最小改动：";
    ways_far: "What reaches {0}\u{a0}%:", "达到 {0}\u{a0}% 把握的办法：";
    use_it: "Use it", "采用";
    way_same: "as fast; {0} sure", "速度不变；{0} 的把握";
    way_costs: "{0}\u{a0}s a step{1}; {2} sure", "每步 {0} 秒{1}；{2} 的把握";
    way_run: ", {0}", "，总费用 {0}";
    way_step: ", {0} a step", "，每步费用 {0}";
    change: "Change", "改动";
    try_it: "Try it", "试一试";
    remedy: "The cheapest way to make it fit: {0}. It then takes {1} GiB ({2}).",
        "代价最小的放得下的改动：{0}。改后占用 {1} GiB（{2}）。";
    remedy_none: "No one or two steps make it fit.", "一步或两步改动都无法放下。";
    show_changes: "Show all {0}", "显示全部 {0} 项";
    no_difference: "Changes that make no difference: {0}.", "没有影响的改动：{0} 项。";
    advice_none: "Nothing stands out: the plan follows every rule that the calculator knows.",
        "没有突出的改进：配置符合计算器已知的所有规则。";
    advice_best: "Nothing that the calculator knows of would help.", "没有已知的改动会有帮助。";
    thumbs: "Rules of thumb and published recipes that this plan departs from, and what following them would cost",
        "本方案未遵循的经验法则与公开配方，以及遵循它们的代价";
    source: "Source", "来源";
    severity_error: "will not run", "无法运行";
    severity_warning: "warning", "警告";
    severity_hint: "hint", "提示";
    line: "Line {0}", "第 {0} 行";
    line_of_file: "File {0}, line {1}", "文件 {0}，第 {1} 行";
    read_count: "{0} settings read", "已读取 {0} 项设置";
    priced_by_offer: "Dollars by an offer: {0}", "费用按一项报价：{0}";
    priced_by_list: "Dollars at {0} a GPU hour, the list price.", "费用按每 GPU 小时 {0}（目录价格）。";
    priced_as_stated: "Dollars at {0} a GPU hour, as stated.", "费用按每 GPU 小时 {0}（已写明的价格）。";
    read_by: "read as {0}", "按 {0} 读取";
    count_refused: "{0} refused", "{0} 项被拒绝";
    count_unknown: "{0} unknown", "{0} 项未知";
    count_unmodelled: "{0} not modelled", "{0} 项未建模";
    read_no_key: "is not known here.", "是未知的配置项。";
    read_near: "is not known. The nearest key: {0}", "是未知的配置项。最接近的是：{0}";
    read_unmodelled: "Not modelled", "未建模";
    read_assumed: "Assumed", "假定值";
    read_understood: "Understood", "已理解";
    read_ignored: "Without effect on memory and speed", "不影响显存和速度";
    stands_in: "No estimate of what the text asks for", "无法估算文本所要求的训练";
    stands_in_below: "What is estimated in its place, which says nothing of whether it fits:", "下面是代替它的估算，不能说明它是否放得下：";
    stands_on: "The verdict stands on this", "结论取决于以下各点";
    assumed_here: "Assumed, as the script does not state it", "脚本没有写明，以下为假定值";
    assumed_more: "Assumed besides: {0}, listed below.", "另有 {0} 项假定值，见下文。";
    not_stated: "not stated", "未写明";
    changes_shown: "These are settings without their command: they change the question that the page shows.",
        "这只是部分设置，没有命令：它们会改动页面上的问题。";
    model_asked: "Or use it as it is, and choose the model in the form.", "也可以原样使用，再在表单中选择模型。";
    doctor_helps: "What helps, the least costly first", "有帮助的做法，代价最小的在前";
    doctor_lines: "Lines that say so", "依据的行";
    log_steps: "Steps counted: {0}, of {1} s each.", "计入 {0} 步，每步 {1} s。";
    log_question: "A log is compared with the question on the page: make that the run's, or paste its script as well.",
        "日志与页面上的问题对照：请让该问题与这次运行一致，或把它的脚本一并粘贴进来。";
    log_table: "The run beside its estimate", "这次运行与其估算";
    log_measured: "Measured, s", "实测，s";
    log_estimated: "Estimated, s", "估算，s";
    log_factor: "Factor", "倍数";
    log_gaps: "What probably differs", "可能的差异所在";
    log_apply: "Calibrate all estimates with this run", "用这次运行校准所有估算";
    migrated: "For {0}: keys that were renamed or removed", "适用于 {0}：更名或移除的键";
    as_it_is: "As it is", "原样";
    with_change: "With one change", "改动 1 处后";
    with_changes: "With {0} changes", "改动 {0} 处后";
    changes_here: "The changes, one after the other", "逐项改动";
    changes_none: "No change that the calculator tries makes it noticeably faster.", "计算器试过的改动都不会带来明显提速。";
    changes_unfit: "None of the few changes that the calculator tries makes it fit as surely as asked.",
        "计算器试过的少数改动都不能使其放得下并达到所要求的把握。";
    with_other: "Another plan of {0} on these GPUs", "{0} 在这些 GPU 上的另一种配置";
    use_other: "Use another plan of {0}", "改用 {0} 的另一种配置";
    changes_elsewhere: "Set these outside of the pasted text:", "请在粘贴的文本之外设置：";
    times_as_fast: "{0} times as fast", "速度为 {0} 倍";
    per_cent_faster: "{0} faster", "快 {0}";
    per_cent_slower: "{0} slower", "慢 {0}";
    as_fast: "as fast", "速度相同";
    diff: "Changes to the text", "对文本的改动";
    use_as_it_is: "Use it as it is", "按原样使用";
    use_change: "Use with the change", "采用这处改动";
    use_changes: "Use with the {0} changes", "采用这 {0} 处改动";
    rank: "Best first", "最佳在前";
    find_plans: "Find in the plans: TP 2, FSDP, full", "在配置中查找：TP 2、FSDP、full";
    only_fitting: "Only what fits", "只看放得下的";
    no_plans: "No plan has all these words.", "没有配置同时含有这些词。";
    more_plans: "Show more plans", "显示更多配置";
    compare: "Compare", "对比";
    two_plans: "Two plans, line by line", "两种配置逐行对比";
    unpin: "Unpin both", "取消固定";
    scaling: "More GPUs", "增加 GPU";
    scale_keeps: "{0} GPUs keep {1} of the speed of each.", "{0} 个 GPU 时，单卡速度保持 {1}。";
    scale_dearer: "With {0}, a token costs {1} more.", "到 {0} 个时，每 token 贵 {1}。";
    scale_cheaper: "With {0}, a token costs {1} less.", "到 {0} 个时，每 token 便宜 {1}。";
    scale_none: "More GPUs of this type cannot be compared: nothing else fits.",
        "无法与更多同型 GPU 比较：其他数量都放不下。";
    scale_each: "Each GPU at {0} of yours", "单卡速度为当前的 {0}";
    scale_share: "Speed of each", "单卡速度";
    scale_linear: "linear", "线性";
    scale_best: "Best plan at each size", "各数量的最佳配置";
    scale_note: "Million tokens per hour on {0}, same batch. Log scales. Per cent: speed of each GPU.",
        "{0} 上每小时百万 token，批次不变。对数坐标。百分数：单卡速度。";
    better: "better", "更好";
    worse: "worse", "更差";
    pinned_a: "A, pinned", "A（已固定）";
    now_b: "B, now", "B（当前）";
    text_same: "In the text for {0}, nothing differs", "{0} 的参数没有差别";
    text_one: "In the text for {0}, one line", "{0} 的参数有 1 行不同";
    text_many: "In the text for {0}, {1} lines", "{0} 的参数有 {1} 行不同";
    text_of_a: "{0} has a text for A alone", "只有 A 有 {0} 的参数";
    text_of_b: "{0} has a text for B alone", "只有 B 有 {0} 的参数";
    question: "Question", "问题";
    run_hours: "Run, hours", "整个训练，小时";
    run_usd: "Run, $", "整个训练，$";
    compared: "A and B", "A 与 B";
    only_a_fits: "Only A fits", "只有 A 放得下";
    only_b_fits: "Only B fits", "只有 B 放得下";
    none_fits: "Neither A nor B fits", "A 与 B 都放不下";
    costs_same: "a token costs the same", "每 token 成本相同";
    costs_less: "a token costs {0} less", "每 token 便宜 {0}";
    costs_more: "a token costs {0} more", "每 token 贵 {0}";
    b_beside_a: "B is {0}; {1}", "B {0}；{1}";
    b_beside_a_alone: "B is {0}", "B {0}";
    intervals_meet: "The intervals of their speeds overlap: a run could put them the other way round.",
        "两者的速度区间有重叠：实际运行时快慢可能相反。";
    intervals_apart: "The intervals of their speeds do not overlap.", "两者的速度区间不重叠。";
    change_something: "A is pinned. Change anything in the form: what you get is B.",
        "A 已固定。修改表单中的任意一项，所得即为 B。";
    swap: "Swap", "互换";
    unpin_a: "Unpin A", "取消固定 A";
    method: "All formulas", "全部公式";
    measured_error: "Measured error", "实测误差";
    setting: "Setting", "设置";
    yours_value: "In your script", "你的脚本";
    ours_value: "In the flags", "生成的参数";
    beside_yours: "Beside your script", "与你的脚本对照";
    diff_none: "no setting differs", "没有不同的设置";
    diff_count: "{0} settings differ", "{0} 项设置不同";
    only_yours: "Only in your script", "仅在你的脚本中";
    how_dollars: "In US dollars, of which each is ¥{0} on this page.", "以美元计，本页按 1 美元 = ¥{0} 换算。";
    in_code: "In the code:", "代码位置：";
    fitted_constants: "Fitted constants:", "拟合常数：";
    skip_to_text: "Skip to the text", "跳到正文";
    methods_title: "Every formula, with its source", "全部公式及其来源";
    methods_lead: "What the calculator computes, in the order in which it computes it. The sentences are those of the code; each formula names where it comes from and how far off its figures were on published runs.",
        "计算器所用的全部公式，按计算顺序排列。说明文字来自代码本身；每个公式都注明出处，以及在公开运行数据上的误差。";
    contents: "Contents", "目录";
    front_note: "As many GPUs of each type, at its best plan. Log scales. Types without a known price are left out.",
        "各型号卡数相同，各取最佳配置。坐标为对数刻度。没有已知价格的型号未列出。";
    front_take: "{0} is the fastest, {1} the cheapest; {2} types are on the front, where no other is both faster and cheaper.",
        "{0} 最快，{1} 最便宜；前沿上有 {2} 种型号：没有比它们又快又便宜的。";
    front_take_one: "{0} is both the fastest and the cheapest.", "{0} 速度最快，成本也最低。";
    front_own: "Your {0} is not: {1} is faster and cheaper.", "你的 {0} 不在其中：{1} 更快也更便宜。";
    front_on: "on the front", "在前沿上";
    front_beaten: "{0} is faster and cheaper", "{0} 更快也更便宜";
    front_untried: "no published run: at the slow end", "无公开记录，取较慢的一端";
    front_unjoined: "network between its machines assumed", "机器之间的网络为假定";
    front_legend: "No other is both faster and cheaper", "没有比它又快又便宜的型号";
    front_legend_beaten: "Beaten on both", "两方面都不及";
    front_col: "Beside the others", "与其他型号相比";
    front_hours: "Hours of the run", "任务所需小时数";
    front_hours_rate: "Hours per billion tokens", "每十亿 token 所需小时数";
    front_usd: "$ of the run", "任务花费，$";
    tip_hours: "{0} hours", "{0} 小时";
    tip_hours_rate: "{0} hours per billion tokens", "每十亿 token {0} 小时";
    tip_usd: "{0} for the run", "任务花费 {0}";
    timeline: "One step over time", "一步的时间线";
    timeline_note: "Seconds since the step began, by role.", "自本步开始起的秒数，按角色。";
    take_colocated: "Generating takes {0} of the step, training {1}: every GPU does one after the other.",
        "生成占单步的 {0}，训练占 {1}：所有 GPU 先生成，后训练。";
    take_split: "Generating takes {0} of the step, training {1}: while one side works, the other waits.",
        "生成占单步的 {0}，训练占 {1}：一方工作时，另一方等待。";
    take_engine_waits: "Training sets the pace: generation waits {0} of {1} for it.",
        "训练决定节奏：每步 {1}，生成要等待它 {0}。";
    take_training_waits: "Generation sets the pace: training waits {0} of {1} for it.",
        "生成决定节奏：每步 {1}，训练要等待它 {0}。";
    take_sides: "Training has {0} of {1} GPUs, generation {2}.", "{1} 个 GPU 中，{0} 个训练，{2} 个生成。";
    take_sides_hide: "Training has {0} of {1} GPUs, generation {2}; side by side they hide {3}.",
        "{1} 个 GPU 中，{0} 个训练，{2} 个生成，并行掩盖了 {3}。";
    waits: "waits {0}", "等待 {0}";
    from_to: "from {0} to {1} s", "第 {0} 至 {1} 秒";
    role: "Role", "角色";
    starts_s: "Starts, s", "开始，秒";
    takes_s: "Takes, s", "耗时，秒";
    how_searched: "How it searches", "如何搜索";
    command_line_title: "The same answers on the command line", "命令行：同样的结果";
    command_line_lead: "One program without a browser: for scripts, for thousands of questions at once, for a cluster without a network. It answers what the page answers, digit for digit, and prints the same flags.",
        "一个不需要浏览器的程序：适合脚本、一次成千上万个问题，以及没有网络的集群。它的结果与网页逐位一致，输出的参数也相同。";
    get_it: "Get it", "安装";
    get_it_how: "In a copy of the repository, with Rust from rustup.rs:",
        "在代码仓库的副本中，用 rustup.rs 提供的 Rust：";
    ask_it: "Ask it", "提问";
    ask_it_how: "A question is a JSON document. The part of the page's link after # is the same question in short, and the link command writes it from one.",
        "一个问题是一份 JSON 文档。网页链接中 # 之后的部分是同一问题的简写，可用 link 命令由文档得到。";
    commands: "What it does", "功能";
    commands_more: "Questions come from files or from standard input, one document or one to a line. Each gets one line of answer. A question that cannot be answered gets a line that names the field and the remedy, and the exit status is 1 at the end. With --lang zh all sentences are in Chinese. shardwise help COMMAND says the rest.",
        "问题来自文件或标准输入，可以是一份文档，也可以每行一份；每个问题得到一行回答。无法回答的问题会得到一行说明，指出字段与改法，最后退出状态为 1。加上 --lang zh，所有说明均为中文。更多用法见 shardwise help COMMAND。";
    exits: "Exit statuses", "退出状态";
    without_network: "The page without a network", "没有网络时使用网页";
    without_network_how: "One program that holds the whole site, and serves it to browsers on the same machine:",
        "一个程序包含整个网站，供同一台机器上的浏览器访问：";
    third_party: "Licences of what is compiled in", "所用第三方代码的许可证";
    embed: "Embed", "嵌入网页";
    embed_element: "For a page that may run scripts: it follows the page's colours and keeps the height of its content.",
        "可运行脚本的页面：跟随页面配色，高度随内容变化。";
    embed_frame: "For any other page:", "其他页面：";
    within_both: "{0} and {1}", "{0}、{1}";
    within_cheapest: "Within {0}, {1} is the cheapest: {2} h, {3}.", "限定 {0}：{1} 最便宜，{2} 小时，{3}。";
    within_fastest: "Within {0}, {1} is the fastest: {2} h, {3}.", "限定 {0}：{1} 最快，{2} 小时，{3}。";
    within_close_cheapest: "Nothing is sure to keep to {0}. {1} is the cheapest that does by its estimate: {2} h, {3}.",
        "限定 {0}：没有方案能确保做到。按估计能做到的方案中，{1} 最便宜，{2} 小时，{3}。";
    within_close_fastest: "Nothing is sure to keep to {0}. {1} is the fastest that does by its estimate: {2} h, {3}.",
        "限定 {0}：没有方案能确保做到。按估计能做到的方案中，{1} 最快，{2} 小时，{3}。";
    within_none: "Nothing keeps to {0}. {1} comes nearest: {2} h, {3}.",
        "限定 {0}：没有方案能做到。最接近的是 {1}，{2} 小时，{3}。";
    within_nothing: "Nothing fits on the GPU types and numbers that were tried.", "试过的 GPU 型号和数量都放不下。";
    within_keeps: "Keeps it", "符合";
    within_close: "Close: up to {0}", "接近：最多 {0}";
    within_slow: "At the slow end of its interval it takes {0}.", "按区间中较慢的一端需要 {0}。";
    within_limit: "Limit", "限制";
    within_table: "GPU types and numbers, by the limit", "GPU 型号和数量，按限制排列";
    within_note: "{0} combinations of GPU type and number tried, {1} to {2} GPUs of each type; {3} do not fit.",
        "共试了 {0} 种 GPU 型号与数量的组合，每种型号 {1} 到 {2} 个；其中 {3} 种放不下。";
    within_counting: "Trying GPU types and numbers: {0} of {1}.", "正在尝试 GPU 型号和数量：{0} / {1}。";
    wn_guide: "{0} guide", "{0} 指南";
    wn_paper: "{0} paper", "{0} 论文";
    wn_recipe: "{0} recipe", "{0} 示例配置";
    wn_default: "{0} default", "{0} 默认值";
    wn_verl_fsdp: "layers recomputed, 70\u{a0}% of the memory for the engine, Ulysses from 8,192 tokens",
        "各层重计算，引擎占 70\u{a0}% 显存，8,192 token 起用 Ulysses";
    wn_verl_megatron: "all that training keeps is in host memory outside its phases",
        "训练保留的内容在各自阶段之外都放在主机内存";
    wn_llmforge: "ZeRO-3 with everything offloaded and layers recomputed: the safest in memory",
        "ZeRO-3，全部卸载，各层重计算：最省显存";
    wn_megatron_dense: "TP over the node, pipeline stages beyond it", "TP 占满节点，节点之间用流水线";
    wn_megatron_moe: "experts over the node before any TP, pipeline stages beyond it",
        "节点内先切专家再用 TP，节点之间用流水线";
    wn_parameters: "about 4 billion parameters per GPU", "每个 GPU 约 40 亿参数";
    wn_long: "sequences of 8,192 tokens and more are split", "8,192 token 起切分序列";
    wn_recipe_sizes: "its sizes for this model, those nearest to your GPUs",
        "它为此模型给出的、最接近你的 GPU 的并行度";
    wn_unset: "what it does where you set nothing", "什么都不设时的做法";
    wn_plan: "This plan", "本方案";
    wn_own: "yours, the rest found by the search", "你固定的部分，其余由搜索得出";
    wn_chosen: "Chosen.", "已选。";
    wn_from: "From", "出处";
    wn_run: "Run", "整个任务";
    wn_cost: "A step costs", "每步费用";
    wn_where: "Where the seconds go", "时间花在哪里";
    wn_use: "Use", "采用";
    wn_table: "Textbook layouts beside the plan", "教科书式布局与本方案对比";
    wn_alike: "As the plan, part by part.", "各部分都与本方案相同。";
    wn_host: "host memory: {0} of {1} GiB", "主机内存：{0} / {1} GiB";
    wn_same: "The best of them, the {0}'s, is as fast as the plan.", "其中最好的出自 {0}，与本方案一样快。";
    wn_faster: "The best of them, the {0}'s, is {1}\u{a0}s a step faster than the plan.",
        "其中最好的出自 {0}，每步比本方案快 {1} 秒。";
    wn_slower_run: "The best of them, the {0}'s, is {1}\u{a0}s a step slower and {2} dearer.",
        "其中最好的出自 {0}，每步慢 {1} 秒，贵 {2}。";
    wn_slower: "The best of them, the {0}'s, is {1}\u{a0}s a step slower.", "其中最好的出自 {0}，每步慢 {1} 秒。";
    wn_none_fits: "None of them fits as surely as you ask.", "其中没有一种达到你要求的把握。";
    wn_textbook: "This plan is the textbook one: no guide, recipe or default that is known says otherwise for such a question.",
        "本方案就是教科书式的：对这样的问题，已知的指南、示例配置和默认值都没有别的说法。";
    wn_parts: "Every part of the step, s", "单步的每个部分，秒";
    wn_at_once: "At the same time", "同时进行";
    wn_sum: "A step", "单步";
    wn_note: "Each with its own best settings: what a layout does not state was searched anew.",
        "每种布局都配上自己最好的设置：布局没有规定的各项都重新搜索。";
    near_measured: "measured {0}, estimated {1}", "实测 {0}，估算 {1}";
    near_run: "{0}\u{a0}×\u{a0}{1}, {2}, {3}, {4}\u{a0}tokens", "{0}\u{a0}×\u{a0}{1}，{2}，{3}，{4}\u{a0}token";
    near_open: "Open", "打开";
    near_differs: "Differs: {0}", "不同之处：{0}";
    near_same: "The same model, GPUs, length, precision and framework.", "模型、GPU、长度、精度和框架都相同。";
    near_instead: "{0} instead of {1}", "{0}，而非 {1}";
    near_experts: "mixture of experts", "混合专家模型";
    near_dense: "dense model", "稠密模型";
    near_adapters: "adapters", "只训练适配器";
    near_full: "all weights train", "训练全部权重";
    near_active: "{0} active instead of {1}", "激活参数 {0}，而非 {1}";
    near_parameters: "{0} parameters instead of {1}", "参数 {0}，而非 {1}";
    near_model: "another model of this size", "规模相同的另一模型";
    near_rollout_tp: "rollout TP\u{a0}{0} instead of {1}", "生成 TP\u{a0}{0}，而非 {1}";
    near_more: "{0} more", "另有 {0} 处";
    near_requests: "{0} requests instead of {1}", "{0} 个请求，而非 {1} 个";
    near_gpus: "{0} {0|GPU|GPUs} instead of {1}", "{0} 个 GPU，而非 {1} 个";
    near_tokens: "{0} tokens instead of {1}", "{0} token，而非 {1}";
    near_note: "Each estimate was made without its own run.", "各估算均未用到该记录本身。";
    near_note_speed: "Tokens/s per GPU. Each estimate was made without its own run.",
        "单位 token/s/GPU。各估算均未用到该记录本身。";
    near_unknown: "No published run of this task is known: expect more error than the interval says.",
        "没有这类任务的公开记录：实际误差可能超出所给区间。";
    near_none: "None of {0} published runs of this task is like this: expect more error than the interval says.",
        "{0} 条同类任务的公开记录中没有与此相近的：实际误差可能超出所给区间。";
    near_missing: "The published runs did not load. The next question tries again.",
        "公开记录未能加载，下次提问时会重试。";
}
