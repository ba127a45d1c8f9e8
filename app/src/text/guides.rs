//! What the pages for those who work elsewhere say, in English and Chinese: other sites, Python, programs and agents.
//!
//! A word between two `` ` `` is code.

/// A sentence in both languages.
pub(crate) type Said = [&'static str; 2];

/// A part of a page.
pub(crate) enum Part {
    /// A paragraph.
    Prose(Said),
    /// Text to copy.
    Code(&'static str),
    /// Names, and what each is.
    Rows(&'static [(&'static str, Said)]),
    /// The way to a place of the calculator.
    Calculator(&'static str, Said),
    /// Files and pages of the site.
    Links(&'static [(&'static str, Said)]),
}

/// A page: its title, what it is about, and its sections with their headings.
pub(crate) struct Guide {
    pub(crate) title: Said,
    pub(crate) lead: Said,
    pub(crate) sections: &'static [(Said, &'static [Part])],
}

use Part::{Code, Links, Prose, Rows};

/// The calculator in a page of another site.
pub(crate) const EMBED: Guide = Guide {
    title: ["The calculator in a page of yours", "在自己的网页中使用计算器"],
    lead: [
        "In documentation, in a post, in a Space: an element that is as high as its content and has the colours of its page. It computes in the reader's browser. Under a copied question, Share on the page has the code for it.",
        "用于文档、文章或 Space：一个元素，高度随内容变化，颜色跟随所在页面，计算都在读者的浏览器中完成。网页的“分享”中有当前问题的代码。",
    ],
    sections: &[
        (
            ["Any page", "任意网页"],
            &[
                Code(
                    "<script src=\"https://your.host/shardwise/embed.js\" async></script>\n<shardwise-calculator model=\"qwen3-8b\" gpu=\"h200-sxm\" gpus=\"16\" workload=\"grpo\"></shardwise-calculator>",
                ),
                Prose([
                    "What stands inside of the element is seen until the calculator is there, and where no script runs.",
                    "元素内部的内容在计算器加载之前，以及不运行脚本时显示。",
                ]),
                Rows(&[
                    (
                        "model, gpu, gpus, workload, framework",
                        [
                            "As the interface names them; what is left out is the usual.",
                            "接口中的名称；省略的项取常用值。",
                        ],
                    ),
                    (
                        "question",
                        [
                            "The part of a copied link after #; it goes before the five.",
                            "复制的链接中 # 之后的部分；优先于以上五项。",
                        ],
                    ),
                    (
                        "panels",
                        [
                            "Those to show, with commas: form, verdict, gpus, memory, time, timeline, front, scaling, plans, sensitivity, flags, advice.",
                            "要显示的部分，以逗号分隔：form、verdict、gpus、memory、time、timeline、front、scaling、plans、sensitivity、flags、advice。",
                        ],
                    ),
                    (
                        "lang, theme, title",
                        [
                            "en or zh; light, dark or as the page around it; the name for those who hear the page.",
                            "en 或 zh；light、dark 或跟随所在页面；供读屏软件使用的名称。",
                        ],
                    ),
                ]),
            ],
        ),
        (
            ["Sphinx and MyST", "Sphinx 与 MyST"],
            &[
                Prose([
                    "The Python package has an extension. It answers the question while the page is built, and puts the answer as a table where no script runs: in LaTeX, text, EPUB and man pages, too. A question that is refused is a warning with its file, its line, the field and the remedy.",
                    "Python 包自带扩展。构建页面时即回答问题，在不运行脚本的地方，以及 LaTeX、纯文本、EPUB 和 man 手册中，以表格给出结果。被拒绝的问题会成为警告，指出文件、行号、字段与改法。",
                ]),
                Code(
                    "# conf.py\nextensions = [\"shardwise.sphinx\"]\nshardwise_site = \"https://your.host/shardwise/\"",
                ),
                Code(
                    ".. shardwise::\n   :model: qwen3-8b\n   :gpu: h200-sxm\n   :gpus: 16\n   :workload: grpo\n   :panels: verdict,memory",
                ),
                Code("```{shardwise}\n:panels: verdict\nhttps://your.host/shardwise/#v=1&…&z=1\n```"),
                Prose([
                    "Its content may be a copied link, or a question as JSON.",
                    "内容可以是复制的链接，也可以是 JSON 形式的问题。",
                ]),
            ],
        ),
        (
            ["MkDocs", "MkDocs"],
            &[
                Code("# mkdocs.yml\nplugins:\n  - shardwise:\n      site: https://your.host/shardwise/"),
                Code("```shardwise\nmodel: qwen3-8b\ngpu: h200-sxm\ngpus: 16\nworkload: grpo\n```"),
                Prose([
                    "The same table, and the same warnings, at which `mkdocs build --strict` stops.",
                    "表格与警告同上；`mkdocs build --strict` 遇到警告即停止。",
                ]),
            ],
        ),
        (
            ["React and MDX", "React 与 MDX"],
            &[
                Prose([
                    "The JavaScript package has a component, for Docusaurus, Next and whatever else draws React, on the server too. Where MDX takes elements as they are, the element alone will do.",
                    "JavaScript 包自带组件，适用于 Docusaurus、Next 等使用 React 的工具，也可在服务端渲染。若 MDX 允许直接写元素，用上面的元素即可。",
                ]),
                Code(
                    "import Shardwise from 'shardwise/react';\n\n<Shardwise site=\"https://your.host/shardwise/\" model=\"qwen3-8b\" gpu=\"h200-sxm\" gpus={16} workload=\"grpo\"\n  onAnswer={(answer) => console.log(answer.fits)} />",
                ),
            ],
        ),
        (
            ["What readers ask", "读者的提问"],
            &[
                Code(
                    "const calculator = document.querySelector('shardwise-calculator');\ncalculator.addEventListener('answer', ({ detail }) => console.log(detail.fits, detail.tokens_per_s_per_gpu));\ncalculator.question = { version: 1, model: 'qwen3-8b', hardware: { gpu: 'h200-sxm' },\n                        workload: { kind: 'sft', sequence_length: 4096, global_batch: 64 } };",
                ),
                Prose([
                    "`question` and `answer` events bring the two documents to the page around the element once it listens, and to nobody else. A page with a policy needs `script-src` and `frame-src` for the site, nothing else.",
                    "监听 `question` 与 `answer` 事件，即可在所在页面得到这两份文档，除此之外不会发给任何人。设有内容安全策略的页面只需为本站放行 `script-src` 与 `frame-src`。",
                ]),
            ],
        ),
    ],
};

/// What the command line's exit status says.
pub(crate) const EXITS: &[(&str, Said)] = &[
    (
        "0",
        [
            "Every question was answered, whether its plan fits or not; a checked script fits.",
            "所有问题都已回答，不论方案是否放得下；所检查的脚本放得下。",
        ],
    ),
    ("1", ["A question was refused, or a text could not be read.", "有问题被拒绝，或文本无法读取。"]),
    (
        "2",
        [
            "The arguments are wrong, a file cannot be read, or a port cannot be had.",
            "参数有误、文件无法读取，或端口被占用。",
        ],
    ),
    ("3, 4", ["A checked script is tight; it does not fit.", "所检查的脚本勉强放得下；放不下。"]),
];

/// The Python package.
pub(crate) const PYTHON: Guide = Guide {
    title: ["The same answers in Python", "Python：同样的结果"],
    lead: [
        "For notebooks, sweeps and pages of documentation: one module, no dependency, no network. A question is a dictionary, and so is the answer.",
        "适合 Notebook、批量扫描和文档：一个模块，没有依赖，不需要网络。问题是字典，答案也是。",
    ],
    sections: &[
        (
            ["Get it", "安装"],
            &[
                Prose([
                    "In a copy of the repository, with Rust from rustup.rs, for Python 3.10 and newer; the command line comes with it:",
                    "在代码仓库的副本中，用 rustup.rs 提供的 Rust，需要 Python 3.10 或更新版本；命令行程序也在其中：",
                ]),
                Code("make wheel\npip install target/wheels/*.whl"),
            ],
        ),
        (
            ["Ask it", "提问"],
            &[
                Code(
                    "import shardwise\n\nquestion = {\n    \"version\": 1,\n    \"model\": \"qwen3-8b\",\n    \"hardware\": {\"gpu\": \"h100-sxm\", \"gpus\": 8},\n    \"workload\": {\"kind\": \"sft\", \"sequence_length\": 4096, \"global_batch\": 64},\n}\nanswer = shardwise.estimate(question)\nanswer[\"fits\"], answer[\"tokens_per_s_per_gpu\"], answer[\"memory\"][\"reserved_gib\"]\nshardwise.search(question, gpu=\"all\", gpus=[8, 16]).to_pandas()\nprint(shardwise.flags(question, \"verl\").text)",
                ),
                Prose([
                    "A notebook shows an answer as a sentence, tables and charts. A list of questions is answered on all cores.",
                    "Notebook 会把答案显示为一句话、表格和图。问题列表由所有 CPU 核同时回答。",
                ]),
            ],
        ),
        (
            ["The functions", "函数"],
            &[Rows(&[
                (
                    "estimate",
                    [
                        "Whether it fits, how fast it is, what it costs, where memory and time go.",
                        "是否放得下、速度、费用，显存与时间的去向。",
                    ],
                ),
                (
                    "search",
                    [
                        "The best plans, or the best offers among GPU types and numbers of GPUs.",
                        "最佳方案，或各 GPU 型号与数量中的最佳选择。",
                    ],
                ),
                ("flags", ["What to paste into a framework.", "可直接粘贴到框架中的参数。"]),
                (
                    "read, check, doctor",
                    [
                        "A script back into a question; whether it may run; where memory ran out.",
                        "把脚本读回为问题；判断能否运行；显存或主机内存在哪里耗尽。",
                    ],
                ),
                (
                    "sensitivity, explain, calibrate",
                    [
                        "What each change is worth; how a figure comes about; your own run beside its estimate.",
                        "每处改动值多少；数字的由来；把自己的运行与估算对比。",
                    ],
                ),
                (
                    "catalog, link",
                    [
                        "Models, GPUs, nodes, prices and offers with their sources; the address that opens a question here.",
                        "模型、GPU、节点、价格与报价及其来源；在本网页打开问题的地址。",
                    ],
                ),
            ])],
        ),
        (
            ["What is refused", "被拒绝的问题"],
            &[
                Code(
                    "try:\n    shardwise.estimate({**question, \"plan\": {\"tensor_parallel\": 3}})\nexcept shardwise.QuestionError as error:\n    print(error.field, error.message)",
                ),
                Prose([
                    "An error names the field and the remedy. With `lang=\"zh\"` sentences are in Chinese.",
                    "错误会指出字段与改法。加上 `lang=\"zh\"`，说明均为中文。",
                ]),
            ],
        ),
    ],
};

/// The documents, and the ways that programs have to them.
pub(crate) const API: Guide = Guide {
    title: ["For programs and agents", "供程序与智能体使用"],
    lead: [
        "Two JSON documents, question and answer, are all that there is: page, link, command line, Python, JavaScript and agents carry the same two.",
        "全部接口只有两份 JSON 文档：问题与答案。网页、链接、命令行、Python、JavaScript 与智能体使用的都是它们。",
    ],
    sections: &[
        (
            ["The documents", "文档"],
            &[
                Prose([
                    "A question names a model, GPUs, a workload and, as far as it is decided, a plan. The answer's plan is complete. A question that cannot be answered gets `error`, with the field and the remedy; an unknown field is refused.",
                    "问题包含模型、GPU、任务，以及已确定的方案部分。答案中的方案总是完整的。无法回答的问题得到 `error`，指出字段与改法；不认识的字段会被拒绝。",
                ]),
                Links(&[
                    (
                        "schema.json",
                        [
                            "The JSON Schema of every document; as a whole it is that of a question",
                            "全部文档的 JSON Schema；整份文件即问题的 Schema",
                        ],
                    ),
                    ("llms.txt", ["The same in short, for agents", "供智能体阅读的简介"]),
                ]),
            ],
        ),
        (
            ["Links", "链接"],
            &[
                Code(
                    "#v=1&model=qwen3-8b&hardware.gpu=h100-sxm&hardware.gpus=8&workload.kind=sft&workload.sequence_length=4096&workload.global_batch=64&z=1",
                ),
                Prose([
                    "The part of this site's address after # is the question, flattened; `z=1` ends it. `shardwise link` writes it from a question.",
                    "本站地址中 # 之后的部分即展开的问题，以 `z=1` 结尾。`shardwise link` 可由问题生成。",
                ]),
            ],
        ),
        (
            ["JavaScript", "JavaScript"],
            &[
                Code(
                    "import init, { estimate, flags, search } from 'shardwise';\n\nawait init();                                   // in a browser; in Node it is there already\nconst answer = estimate(question);              // or { error: { field, message } }\nconst { plans } = search(question, { limit: 3 });\nconst { snippets } = flags(question, { framework: 'verl' });",
                ),
                Prose([
                    "`make npm` packs it: an ES module with types for Node 20 and newer, bundlers and plain pages. It computes in place and asks no server.",
                    "`make npm` 生成该包：带类型的 ES 模块，适用于 Node 20 及以上、打包工具与普通网页。计算就地完成，不访问任何服务器。",
                ]),
            ],
        ),
        (
            ["Coding agents", "编程智能体"],
            &[
                Code("{\"mcpServers\": {\"shardwise\": {\"command\": \"shardwise\", \"args\": [\"mcp\"]}}}"),
                Prose([
                    "`make cli` builds the program with it. Its tools estimate, search, write flags, read and check scripts, explain figures and list offers, with answers cut to what decides.",
                    "`make cli` 构建的程序包含此功能。其工具可估算、搜索、生成参数、读取与检查脚本、解释数字、列出报价，答案只保留决定性的内容。",
                ]),
            ],
        ),
        (
            ["Before a run", "运行之前"],
            &[
                Code(
                    "shardwise check run.sh --gpu h100-sxm --gpus 16 \\\n  --deadline-h 24 --budget-usd 2000 --format github",
                ),
                Rows(&[
                    ("0", ["It fits, ends in time and is paid for.", "放得下，能按时结束，费用足够。"]),
                    (
                        "3",
                        [
                            "Tight: the estimate keeps a limit that its interval does not.",
                            "勉强：估算值在限制之内，但区间超出。",
                        ],
                    ),
                    ("4", ["It does not.", "不行。"]),
                    ("1, 2", ["The script cannot be read; the arguments are wrong.", "脚本无法读取；参数有误。"]),
                ]),
            ],
        ),
    ],
};
