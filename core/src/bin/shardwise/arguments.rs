//! What the command line takes: commands and options, each with an example. Help, man pages and completions are made of it.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand, ValueHint};
use clap_complete::Shell;
use shardwise_core::identity::Identity;
use shardwise_core::wire::Language;
use shardwise_core::wire::Table;

use super::{checking, contributing, explaining, known, pricing, searching};

/// Which build this is.
pub(crate) const IDENTITY: Identity = Identity::of(env!("CARGO_PKG_VERSION"), option_env!("SHARDWISE_COMMIT"));

/// The program's version, and that of its data: `-V`.
static VERSION: LazyLock<String> = LazyLock::new(|| IDENTITY.to_string());

/// The same with commit and dates: `--version`.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| IDENTITY.long());

/// Memory, speed, cost and flags of training language models.
#[derive(Parser)]
#[command(
    name = "shardwise",
    // However it is called: on Windows its file ends in .exe.
    bin_name = "shardwise",
    version = VERSION.as_str(),
    long_version = LONG_VERSION.as_str(),
    about,
    after_help = "\
A question is a JSON document; the page's link carries the same one.
FILE may be - for standard input, which is also read where no file is named.
It holds one question or, as JSON Lines, many.

Example:
  echo '{\"version\": 1, \"model\": \"qwen3-8b\", \"hardware\": {\"gpu\": \"h100-sxm\", \"gpus\": 8},
         \"workload\": {\"kind\": \"sft\", \"sequence_length\": 4096, \"global_batch\": 64}}' > question.json
  shardwise estimate question.json

Exit status:
  0  every question was answered, whether its plan fits or not
  1  a question was refused: its line names the field and the remedy;
     or a text could not be read as a framework's, or does not say what a check needs
  2  the arguments are wrong, a file cannot be read, or a port cannot be had
  3  check: a run is tight
  4  check: a run does not fit, misses a limit, or is refused by its framework
Where the reader of the output ends first, as head does, that is no error."
)]
pub(crate) struct Arguments {
    /// Language of errors, caveats, advice, reports and comments; keys and code are the same in both.
    #[arg(long, value_enum, global = true, default_value = "en")]
    pub(crate) lang: Language,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Answer questions: one JSON object, or JSON Lines. Refused ones get an error line, exit status 1.
    #[command(after_help = "\
Examples:
  shardwise estimate question.json
  zcat questions.jsonl.gz | shardwise estimate | jq .tokens_per_s_per_gpu
  shardwise estimate --prices prices.csv question.json")]
    Estimate {
        /// Files with questions; standard input where none is named.
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,
        /// JSON file with other efficiencies than the built-in ones: for fitting them.
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        efficiency: Option<PathBuf>,
        #[command(flatten)]
        prices: pricing::Options,
    },
    /// Write what each single change of the plan is worth, and what makes a plan fit that does not.
    #[command(after_help = "\
Example:
  shardwise sensitivity question.json")]
    Sensitivity {
        /// Files with questions; standard input where none is named.
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,
    },
    /// Write how figures come about: each formula with the question's numbers put in, its sources, its measured error.
    #[command(after_help = "\
Example:
  shardwise explain --figure mfu --figure usd_per_mtok question.json")]
    Explain {
        /// Files with questions; standard input where none is named.
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        options: explaining::Options,
    },
    /// List every formula with its sources, the code that computes it and what measured it.
    #[command(after_help = "\
Example:
  shardwise methods --lang zh")]
    Methods {
        /// One JSON document, in both languages, instead of plain text.
        #[arg(long)]
        json: bool,
    },
    /// Print the built-in efficiencies as JSON.
    #[command(after_help = "\
Example:
  shardwise efficiency > efficiency.json
  shardwise estimate --efficiency efficiency.json question.json")]
    Efficiency,
    /// Write the best plans of each question, or the best offers among GPU types and numbers of GPUs.
    #[command(after_help = "\
Examples:
  shardwise search --limit 3 question.json
  shardwise search --gpu all --by cost question.json
  shardwise search --gpu h100-sxm,h200-sxm --gpus 8,16,32 --within-hours 24 question.json
  shardwise search --gpu all --prices prices.csv --only-prices --within-hours 24 question.json")]
    Search {
        /// Files with questions; standard input where none is named.
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        options: searching::Options,
        #[command(flatten)]
        prices: pricing::Options,
    },
    /// Write flags to paste.
    #[command(after_help = "\
Examples:
  shardwise flags --for verl question.json > run.sh
  shardwise flags --for deepspeed --lang zh question.json")]
    Flags {
        /// Files with questions; standard input where none is named.
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,
        /// Framework.
        #[arg(long = "for", value_parser = PossibleValuesParser::new(known()))]
        framework: String,
        /// Version of the framework; its newest where none is named.
        #[arg(long, default_value = "")]
        framework_version: String,
        /// One JSON object per question instead of plain text.
        #[arg(long)]
        json: bool,
        /// Address of the page, for the permalink in the text.
        #[arg(long, default_value = "", value_hint = ValueHint::Url)]
        page: String,
    },
    /// Compare a run with its estimate: MFU, by how much the estimate is off, and the question calibrated with it.
    #[command(
        allow_negative_numbers = true,
        after_help = "\
Example, whose last command answers the calibrated question:
  shardwise calibrate --step-time-s 21.5 --peak-gib 61 question.json | jq .question > calibrated.json
  shardwise estimate calibrated.json
  shardwise calibrate --log train.log question.json"
    )]
    Calibrate {
        /// Files with the run's question; standard input where none is named.
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,
        /// A log of the run: veRL's console, wandb's summary or history (JSON or CSV), Hugging Face's Trainer, LLaMA-Factory's
        /// `trainer_log.jsonl`, Megatron-LM. Its lengths, its step and its peak are taken, without the first step, unless the options
        /// below say otherwise.
        #[arg(long, value_hint = ValueHint::FilePath)]
        log: Option<PathBuf>,
        /// Seconds of a micro-batch's forward pass on one GPU.
        #[arg(long)]
        forward_s: Option<f64>,
        /// Seconds of its backward pass.
        #[arg(long)]
        backward_s: Option<f64>,
        /// Seconds of a whole step.
        #[arg(long)]
        step_time_s: Option<f64>,
        /// GiB that training's allocator handed out at most (`torch.cuda.max_memory_allocated`).
        #[arg(long)]
        peak_gib: Option<f64>,
    },
    /// Read a framework's command, script or configuration back into a question.
    #[command(after_help = "\
Examples:
  shardwise read run.sh --gpu h200-sxm
  shardwise read --json run.sh | jq .question | shardwise search")]
    Read {
        /// Texts of one run: a script, or `ds_config.json` and its launch line; standard input where none is named.
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,
        /// The GPU, which no text names: a catalog id. Default h100-sxm.
        #[arg(long)]
        gpu: Option<String>,
        /// The model, where the text names a folder that the catalog does not know: an id or a Hugging Face name.
        #[arg(long)]
        model: Option<String>,
        /// The whole document instead of plain text.
        #[arg(long)]
        json: bool,
        /// The texts as the framework's newest release takes them, as a diff alone.
        #[arg(long, conflicts_with_all = ["json", "all"])]
        migrate: bool,
        /// Everything that was read, key by key, and the whole question; without it what matters.
        #[arg(long, conflicts_with = "json")]
        all: bool,
    },
    /// Check scripts before they are run: whether they fit, end in time and are paid for. Exit status 0 fits, 3 tight, 4 not,
    /// 1 not known.
    #[command(
        allow_negative_numbers = true,
        after_help = "\
Examples:
  shardwise check run.sh --gpu h100-sxm --gpus 16
  shardwise check run.sh --gpu h200-sxm --steps 300 --deadline-h 24 --budget-usd 2000
  shardwise check train.sh --with ds_config.json && sbatch train.sh
  git ls-files '*.sh' | xargs shardwise check --skip-others --gpu h100-sxm --format github"
    )]
    Check {
        #[command(flatten)]
        options: Box<checking::Options>,
    },
    /// Make a measured run the row of published runs that it becomes, of its log and the page's link, beside the estimate of it.
    #[command(after_help = "\
Examples, the second in a clone of the sources:
  shardwise contribute run train.log --question question.json --address https://example.org/runs/7/train.log \\
      --date 2026-11-27 --by 'Example Lab'
  shardwise contribute run verl.log --link 'http://localhost:8080/#v=1&...&z=1' --address https://github.com/... \\
      --date 2026-11-27 --by 'Example Lab' --append
CONTRIBUTING.md in the sources says what becomes of it, and how a price, a model, a GPU or a translation is checked.")]
    Contribute {
        #[command(flatten)]
        options: Box<contributing::Options>,
    },
    /// Say where memory ran out and what would help, by a traceback, a log or a message of the kernel.
    #[command(after_help = "\
Examples:
  shardwise doctor error.txt run.sh --gpu h100-sxm
  python train.py 2>&1 | tail -n 200 | shardwise doctor")]
    Doctor {
        /// The traceback, and the script that was run, whose estimate then says what each change holds and costs; standard input
        /// where none is named.
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,
        /// The GPU, which no text names: a catalog id. Default h100-sxm.
        #[arg(long)]
        gpu: Option<String>,
        /// The model, where the script names a folder that the catalog does not know.
        #[arg(long)]
        model: Option<String>,
        /// The whole document instead of plain text.
        #[arg(long)]
        json: bool,
    },
    /// List what the catalog knows, with sources.
    #[command(after_help = "\
Example:
  shardwise catalog gpus | jq -r .id
  shardwise catalog offers --gpu h100-sxm --kind spot")]
    Catalog {
        /// Which table.
        #[arg(value_enum)]
        table: Table,
        /// Of the offers those of this GPU, a catalog id; the cheapest GPU hour first.
        #[arg(long)]
        gpu: Option<String>,
        /// Of the offers those of this kind: on-demand, spot, reserved-1y or market.
        #[arg(long)]
        kind: Option<String>,
    },
    /// Print the JSON Schema of questions and answers.
    #[command(after_help = "\
Example:
  shardwise schema | jq .question > question.schema.json")]
    Schema,
    /// Print the part of the page's address that holds a question.
    #[command(after_help = "\
Example:
  echo \"http://localhost:8080/$(shardwise link question.json)\"")]
    Link {
        /// Files with questions; standard input where none is named.
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,
    },
    /// Answer coding agents by the Model Context Protocol, over standard input and output.
    #[cfg(feature = "mcp")]
    #[command(after_help = "\
Example, and as the settings of most agents have it:
  shardwise mcp --page https://example.org/shardwise/
  {\"mcpServers\": {\"shardwise\": {\"command\": \"shardwise\", \"args\": [\"mcp\"]}}}")]
    Mcp {
        #[command(flatten)]
        options: super::agents::Options,
    },
    /// Answer coding agents. This program was built without it; `make cli` in the sources builds one with it.
    #[cfg(not(feature = "mcp"))]
    Mcp {
        /// Taken by a program with it.
        #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
        _options: Vec<String>,
    },
    /// Serve the page from this program, on this machine alone unless told otherwise: for machines without a network.
    #[cfg(feature = "serve")]
    #[command(after_help = "\
Examples:
  shardwise serve
  shardwise serve --port 0 --at /tools/shardwise/
  shardwise serve --host node17 --frame-ancestors \"'self' http://docs.cluster:8000\"
From a cluster's node to your own machine: ssh -L 8080:localhost:8080 node17, then http://localhost:8080 there.
Ctrl-C ends it with exit status 0.")]
    Serve {
        #[command(flatten)]
        options: super::serving::Options,
    },
    /// Serve the page from this program. This one was built without the page; `make cli` in the sources builds one with it.
    #[cfg(not(feature = "serve"))]
    Serve {
        /// Taken by a program with the page.
        #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
        _options: Vec<String>,
    },
    /// Print what makes a shell complete commands, options and their values.
    #[command(after_help = "\
Examples:
  shardwise completions bash > ~/.local/share/bash-completion/completions/shardwise
  shardwise completions zsh > ~/.zfunc/_shardwise        # with fpath+=~/.zfunc before compinit in ~/.zshrc
  shardwise completions fish > ~/.config/fish/completions/shardwise.fish")]
    Completions {
        /// Which shell.
        shell: Shell,
    },
    /// Print the man page, or write one for each command into a folder.
    #[command(after_help = "\
Examples:
  shardwise man | man -l -
  shardwise man --dir ~/.local/share/man/man1")]
    Man {
        /// Folder for shardwise.1, shardwise-estimate.1 and so on; it is made where it is missing.
        #[arg(long, value_hint = ValueHint::DirPath)]
        dir: Option<PathBuf>,
    },
}
