//! What "Your run here" says, in English and Chinese: the fold below a pasted log, and the page that leads to it.

use super::guides::{Guide, Part, Said};
use Part::{Calculator, Code, Prose, Rows};

/// The page's address in each language.
pub(crate) const ADDRESS: Said = ["your-run/", "your-run/zh/"];

pub(crate) const TITLE: Said = ["Your run here", "提交你的运行"];
pub(crate) const LEAD: Said = [
    "Everybody's estimates are fitted on published runs. This makes yours one of them: a line to hand in, made here and sent nowhere.",
    "所有人的估算都根据公开的运行拟合。在这里可以把你的运行变成其中之一：一行可以提交的记录，在本页生成，不会发送到任何地方。",
];
pub(crate) const MORE: Said = ["What becomes of it", "提交之后"];
pub(crate) const READY: Said = ["ready", "已就绪"];
pub(crate) const LACKING: Said = ["{0} missing", "还缺 {0} 项"];
pub(crate) const CHOOSE: Said = ["Choose", "请选择"];
pub(crate) const UNTOLD: Said = [
    "The script does not say what it ran on, and what is usually assumed is far from this log. Say it under \"Your run here\".",
    "脚本没有说明运行所用的 GPU，而按常用值假定的结果与日志相差太远。请在“提交你的运行”中填写。",
];
pub(crate) const UNSTATED: Said = [
    "The script does not state these, and the row takes them so. If one was another, put the setting into the script above.",
    "脚本没有说明以下各项，记录按此填写。如与实际不同，请在上面的脚本中写明。",
];
pub(crate) const LINE: Said = ["The row", "记录"];
pub(crate) const SAVE: Said = ["Save as a file", "保存为文件"];
pub(crate) const GOES: Said = [
    "It is a line more of {0} in a copy of the sources; where that has a row of this id already, take the next number. Without a copy, send it to whoever runs this site, with the log's address in it. What was measured stands beside the estimate for everybody once it is there.",
    "在源代码副本中，它是 {0} 的最后一行；若其中已有相同的 id，请顺延编号。没有副本时，可发送给本站的维护者，其中已有日志地址。收录之后，所有人都能看到实测与估算的对照。",
];

/// What a person gives: the key, its name, and what is wanted.
pub(crate) const FIELDS: &[(&str, Said, Said)] = &[
    ("gpu", ["GPU", "GPU"], ["The script names none.", "脚本没有说明。"]),
    (
        "gpus",
        ["GPUs over all nodes", "全部节点的 GPU 数"],
        ["The script does not say how many: a whole number.", "脚本没有说明数量：请填整数。"],
    ),
    ("model", ["Model", "模型"], ["Its name: the question gives a shape alone.", "模型名称：问题中只有结构。"]),
    (
        "address",
        ["Address of the log", "日志地址"],
        [
            "https, where everybody can read it: a file in a repository, at its commit.",
            "以 https 开头、人人可读：例如仓库中某次提交的文件。",
        ],
    ),
    ("date", ["Day of the run", "运行日期"], ["2026-11-27, or 2026-11.", "2026-11-27，或 2026-11。"]),
    ("by", ["Measured by", "测量者"], ["A person, a project or a company.", "个人、项目或公司。"]),
    (
        "note",
        ["Note, if any", "备注（可选）"],
        [
            "What the question states that neither log nor script does, and where that is from.",
            "问题中有、而日志和脚本都没有的内容，及其出处。",
        ],
    ),
];

/// The page.
pub(crate) const YOUR_RUN: Guide = Guide {
    title: TITLE,
    lead: [
        "Every estimate is fitted on published runs. Yours becomes one of them if others can read its log: in five minutes, in this browser. Nothing that you paste leaves it.",
        "每个估算都根据公开的运行拟合。只要别人能读到日志，你的运行就能成为其中之一：五分钟，在浏览器中完成，粘贴的内容不会离开浏览器。",
    ],
    sections: &[
        (
            ["What it takes", "需要什么"],
            &[Rows(&[
                (
                    "log",
                    [
                        "Of pre-training, fine-tuning or RL, with at least 10 steps behind the first: veRL's console, wandb's export, Hugging Face's Trainer, LLaMA-Factory's trainer_log.jsonl, Megatron-LM. Of more than 1 MiB a part will do.",
                        "预训练、微调或 RL 的日志，第一步之后至少 10 步：veRL 的控制台输出、wandb 的导出、Hugging Face Trainer、LLaMA-Factory 的 trainer_log.jsonl、Megatron-LM。超过 1 MiB 时取一部分即可。",
                    ],
                ),
                (
                    "script",
                    [
                        "What started it; or the question in the form, with every part of its plan pinned.",
                        "启动它的脚本；或表单中的问题，方案逐项固定。",
                    ],
                ),
                (
                    "address",
                    [
                        "Where everybody can read the log and will tomorrow: a file in a repository, at its commit.",
                        "人人可读、以后也不变的日志地址：例如仓库中某次提交的文件。",
                    ],
                ),
            ])],
        ),
        (
            ["Make the row", "生成记录"],
            &[
                Prose([
                    "Paste the log and its script into the box, or drop both files on it. Below the comparison, open \"Your run here\": it names what is missing, and has the row once nothing is.",
                    "把日志及其脚本粘贴到输入框，或把两个文件拖放进去。在对照表下方打开“提交你的运行”：它会列出还缺什么，齐备后给出记录。",
                ]),
                Calculator("#paste", ["Open the box", "打开输入框"]),
                Prose([
                    "The command line makes the same row, of logs of any length:",
                    "命令行生成相同的记录，日志长度不限：",
                ]),
                Code(
                    "shardwise contribute run train.log --link 'https://your.host/#v=1&…&z=1' \\\n  --address https://github.com/you/runs/blob/COMMIT/train.log --date 2026-11-27 --by 'Your name or lab'",
                ),
            ],
        ),
        (
            ["What becomes of it", "提交之后"],
            &[
                Prose([
                    "The row is one line: what was measured, where it can be read, and the question of what ran. It goes to the end of `core/tests/data/training.jsonl` or `rl.jsonl`, in a clone or through whoever runs this site. There `scripts/contribute run` checks it, and its source is listed with the licence that its owner states.",
                    "记录是一行文字：测得的结果、出处，以及所运行的问题。它会成为 `core/tests/data/training.jsonl` 或 `rl.jsonl` 的最后一行，可在克隆中添加，也可交给本站的维护者。`scripts/contribute run` 会检查它，来源及其所有者声明的许可证会一并列出。",
                ]),
                Prose([
                    "Once it is in, the accuracy page shows it beside its estimate, right or wrong, and the next fit takes it into account.",
                    "收录之后，无论估算准确与否，准确度页面都会将它与估算并列，下一次拟合也会用到它。",
                ]),
            ],
        ),
    ],
};
