//! What each command of the command line does, in English and Chinese.

/// The commands in the command line's order.
pub(crate) const COMMANDS: &[(&str, [&str; 2])] = &[
    (
        "estimate",
        [
            "Answers questions: fit, speed, cost, memory by part, with ranges.",
            "回答问题：是否放得下、速度、费用、各部分显存，均附区间。",
        ],
    ),
    (
        "sensitivity",
        [
            "What each single change of the plan is worth, and what makes a plan fit that does not.",
            "方案的每一处单独改动值多少，以及放不下时怎样才能放下。",
        ],
    ),
    (
        "explain",
        [
            "How figures come about: formulas with the numbers put in, sources, measured error.",
            "各数字的由来：代入数值的公式、出处与实测误差。",
        ],
    ),
    ("methods", ["Every formula with its source.", "全部公式及其来源。"]),
    ("efficiency", ["The fitted efficiencies.", "拟合得到的效率。"]),
    (
        "search",
        [
            "The best plans, or the best offers among GPU types and numbers of GPUs.",
            "最佳方案，或各 GPU 型号与数量中的最佳选择。",
        ],
    ),
    ("flags", ["Flags to paste into a framework.", "可直接粘贴到框架中的参数。"]),
    (
        "calibrate",
        [
            "Compares a run of your own with its estimate, and calibrates the question with it.",
            "将自己的运行与估算对比，并用它校准问题。",
        ],
    ),
    (
        "read",
        [
            "Reads a framework's script or configuration back into a question, with what is wrong and what helps most.",
            "把框架的脚本或配置读回为问题，指出错误与最有效的改动。",
        ],
    ),
    (
        "check",
        [
            "Checks a script before it runs: whether it fits, ends in time and is paid for, as an exit status and as annotations.",
            "运行前检查脚本：是否放得下、能否按时结束、费用是否够，以退出码和代码标注给出。",
        ],
    ),
    (
        "contribute",
        [
            "Makes a run that you measured a row of the published runs, of its log and this page's link.",
            "把你实测的运行变成公开记录中的一条：由其日志和本网页的链接生成。",
        ],
    ),
    (
        "doctor",
        [
            "Says where memory ran out, by a traceback or a log, and what would help.",
            "根据 traceback 或日志指出显存或主机内存在哪里耗尽，以及怎样解决。",
        ],
    ),
    ("catalog", ["Models, GPUs, nodes and prices, with sources.", "模型、GPU、节点与价格，均附来源。"]),
    ("schema", ["The JSON Schemas of all documents.", "全部文档的 JSON Schema。"]),
    ("link", ["The part of the page's address that holds a question.", "网页地址中表示问题的部分。"]),
    ("mcp", ["Answers coding agents by the Model Context Protocol.", "通过 Model Context Protocol 回答编程智能体。"]),
    (
        "serve",
        [
            "Serves this page to browsers on the same machine: in a program that was built with the page in it.",
            "向同一台机器上的浏览器提供本网页：需使用构建时包含网页的程序。",
        ],
    ),
    ("completions", ["What a shell completes commands with.", "命令行补全脚本。"]),
    ("man", ["The manual as man pages.", "man 手册页。"]),
];
