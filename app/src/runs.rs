//! The runs that were measured, as the site's data files hold them, and how they are sorted.
//!
//! The files are written by the core; the page formats what they hold and trusts nothing in them.

use serde::Deserialize;

use crate::text::Lang;

/// The attributes of the root element that name the files: the runs of training and RL, and those of engines.
pub(crate) const RUNS: &str = "data-runs";
/// See [`RUNS`].
pub(crate) const GENERATION: &str = "data-generation";

worded! {
    /// What is compared, in the order of the page, with the words of the address.
    #[derive(Default, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        /// Tokens per second and GPU of training.
        #[default]
        Speed = "training",
        /// GiB at the worst moment of training.
        Memory = "memory",
        /// Tokens per second and GPU of an engine.
        Generation = "generation",
        /// Tokens per second and GPU of an RL step.
        Step = "step",
    }
}

/// How a prediction was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Case {
    /// With the calculator's own constants, fitted to all runs.
    Predicted,
    /// With constants fitted without the run's own source.
    LeftOut,
}

worded! {
    /// What runs are grouped by, with the words of the address.
    #[derive(Default, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum By {
        /// Not at all: by how much the source says.
        All = "all",
        /// What was run; of an RL step, its phases.
        #[default]
        Kind = "kind",
        /// Where the run was published.
        Group = "source",
        /// GPU type.
        Gpu = "gpu",
        Framework = "framework",
        /// Model family.
        Family = "family",
    }
}

/// One quantity of a run: measured, and what the calculator says.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Quantity {
    /// What it is shown beside.
    #[serde(default)]
    pub(crate) kind: String,
    /// As published.
    pub(crate) measured: Option<f64>,
    /// With the calculator's constants.
    pub(crate) predicted: Option<f64>,
    /// With constants fitted without the run's source.
    pub(crate) left_out: Option<f64>,
    /// Lower end of the prediction's interval.
    pub(crate) low: Option<f64>,
    /// Upper end.
    pub(crate) high: Option<f64>,
    /// `left_out` over measured, minus one.
    pub(crate) left_out_error: Option<f64>,
    /// What is known of why it is missed.
    pub(crate) why: Option<Why>,
}

/// A sentence in the languages of the page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Why {
    en: String,
    zh: String,
}

impl Why {
    /// In one of them.
    pub(crate) fn said(&self, lang: Lang) -> &str {
        match lang {
            Lang::En => &self.en,
            Lang::Zh => &self.zh,
        }
    }
}

/// One published run. The files for the calculator hold what that shows of it: the rest is left out of them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Run {
    /// Where in its source it stands.
    #[serde(default)]
    pub(crate) source: String,
    /// Address of the source.
    pub(crate) url: String,
    /// When it was published; empty where that is not on record.
    #[serde(default)]
    pub(crate) date: String,
    /// The source's name.
    pub(crate) group: String,
    pub(crate) model: String,
    /// The model's family; empty where that is not on record.
    #[serde(default)]
    pub(crate) family: String,
    /// GPU type: a catalog id.
    #[serde(default)]
    pub(crate) gpu: String,
    /// Number of GPUs.
    #[serde(default)]
    pub(crate) gpus: u32,
    /// What it ran on.
    pub(crate) framework: String,
    /// Precision of its products.
    #[serde(default)]
    pub(crate) precision: String,
    /// Whether its source states all that matters.
    #[serde(default)]
    pub(crate) headline: bool,
    /// Throughput.
    pub(crate) speed: Option<Quantity>,
    pub(crate) memory: Option<Quantity>,
    /// An engine's throughput.
    pub(crate) generation: Option<Quantity>,
    /// An RL step's throughput.
    pub(crate) step: Option<Quantity>,
    /// The question as the part of the calculator's address after `#`.
    pub(crate) link: String,
}

impl Run {
    /// A quantity of the run.
    pub(crate) fn quantity(&self, kind: Kind) -> Option<&Quantity> {
        match kind {
            Kind::Speed => self.speed.as_ref(),
            Kind::Memory => self.memory.as_ref(),
            Kind::Generation => self.generation.as_ref(),
            Kind::Step => self.step.as_ref(),
        }
    }

    /// Measured, and predicted without the run's source, where both are known.
    pub(crate) fn pair(&self, kind: Kind) -> Option<(f64, f64)> {
        let quantity = self.quantity(kind)?;
        Some((quantity.measured?, quantity.left_out?))
    }

    /// What it is grouped under.
    pub(crate) fn value(&self, kind: Kind, by: By) -> &str {
        match by {
            By::All if self.headline => "headline",
            By::All => "other",
            By::Kind => self.quantity(kind).map_or("", |quantity| &quantity.kind),
            By::Group => &self.group,
            By::Gpu => &self.gpu,
            By::Framework => &self.framework,
            By::Family => &self.family,
        }
    }

    /// Whether every figure is one that a run can have.
    fn is_sound(&self) -> bool {
        let positive = |value: Option<f64>| value.is_none_or(|value| value > 0.0 && value < 1e12);
        let sound = |quantity: &Quantity| {
            let Quantity { measured, predicted, left_out, low, high, .. } = *quantity;
            [measured, predicted, left_out, low, high].into_iter().all(positive)
        };
        let quantities = [&self.speed, &self.memory, &self.generation, &self.step];
        quantities.into_iter().flatten().all(sound)
    }

    /// Its source's address, where that leads to the web.
    pub(crate) fn address(&self) -> Option<&str> {
        Some(self.url.as_str()).filter(|url| url.starts_with("https://"))
    }
}

/// The errors of a group of runs.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Figure {
    /// Of which quantity.
    pub(crate) kind: Kind,
    /// Grouped by what.
    pub(crate) by: By,
    /// The group: a value of [`Run::value`].
    pub(crate) name: String,
    /// Of which prediction.
    pub(crate) case: Case,
    /// How many runs.
    pub(crate) runs: u32,
    /// Median error.
    pub(crate) median: Option<f64>,
    /// Nine in ten errors are below.
    pub(crate) p90: Option<f64>,
    /// Share of the runs inside their own interval; none where nothing has one.
    pub(crate) covered: Option<f64>,
    /// The median with its sign.
    pub(crate) bias: Option<f64>,
    /// One in ten is below.
    pub(crate) low: Option<f64>,
    /// One in ten is above.
    pub(crate) high: Option<f64>,
    /// Every error, where the file holds them.
    #[serde(default)]
    pub(crate) dots: Vec<f64>,
}

/// What the page shows first: all but the runs one by one.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Overview {
    /// Share of runs that an interval is meant to hold.
    pub(crate) coverage: f64,
    /// Errors of groups of runs.
    pub(crate) figures: Vec<Figure>,
    /// How often memory estimates of left-out sources were right that they fit; empty where the file says nothing of it.
    #[serde(default)]
    pub(crate) reliability: Vec<Decile>,
    /// How often runs fit a card that is just large enough to be so sure.
    #[serde(default)]
    pub(crate) sure: Vec<Sure>,
    /// What was said of runs whose outcome is known.
    pub(crate) said: Option<Said>,
}

/// How often runs fit a card that is just large enough to be as sure as was asked.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(crate) struct Sure {
    /// The level, 0 to 1.
    pub(crate) asked: f64,
    /// Share of the runs that fit.
    pub(crate) held: f64,
    /// How many runs.
    pub(crate) rows: u32,
}

/// What was said of runs whose outcome is known.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(crate) struct Said {
    /// How many ran.
    pub(crate) ran: u32,
    /// Of those, said not to fit, or hardly.
    pub(crate) ran_unfit: u32,
    /// How many ran out of memory.
    pub(crate) failed: u32,
    /// Of those, said to fit for sure.
    pub(crate) failed_fit: u32,
}

/// The estimates whose probability to fit lies in one tenth.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(crate) struct Decile {
    /// Where the tenth begins, 0 to 1.
    pub(crate) from: f64,
    /// Where it ends.
    pub(crate) to: f64,
    /// Mean of the probabilities that were said.
    pub(crate) predicted: f64,
    /// Share of the runs that fit.
    pub(crate) observed: f64,
    /// How many runs.
    pub(crate) rows: u32,
}

impl Decile {
    fn is_sound(&self) -> bool {
        let shares = [self.from, self.to, self.predicted, self.observed];
        shares.iter().all(|share| (0.0..=1.0).contains(share)) && self.rows > 0
    }
}

impl Overview {
    /// Reads the file; `None` where it is not one, or holds what cannot be.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut overview: Self = serde_json::from_str(text).ok()?;
        // A tenth without runs has nothing to say.
        overview.reliability.retain(|own| own.rows > 0);
        let shares = overview.sure.iter().flat_map(|own| [own.asked, own.held]);
        let sound = shares.chain([overview.coverage]).all(|share| (0.0..=1.0).contains(&share));
        (sound && overview.reliability.iter().all(Decile::is_sound)).then_some(overview)
    }

    /// The errors of a group.
    pub(crate) fn figure(&self, kind: Kind, by: By, name: &str, case: Case) -> Option<&Figure> {
        self.figures
            .iter()
            .find(|figure| (figure.kind, figure.by, figure.case) == (kind, by, case) && figure.name == name)
    }

    /// The errors of every group whose source was left out, most runs first.
    pub(crate) fn groups(&self, kind: Kind, by: By) -> Vec<&Figure> {
        let same = |figure: &&Figure| (figure.kind, figure.by, figure.case) == (kind, by, Case::LeftOut);
        let mut groups: Vec<&Figure> = self.figures.iter().filter(same).collect();
        groups.sort_by(|a, b| b.runs.cmp(&a.runs).then_with(|| a.name.cmp(&b.name)));
        groups
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Runs {
    /// The runs, in the order of the file.
    pub(crate) runs: Vec<Run>,
}

/// Reads a file of runs, one a line, in slices.
#[derive(Debug)]
pub(crate) struct Reader {
    text: String,
    /// How much of it was read.
    at: usize,
    runs: Vec<Run>,
}

/// How far the reading of a file is.
#[derive(Debug)]
pub(crate) enum Reading {
    /// There is more of it.
    More(Reader),
    /// All of it was read.
    Done(Runs),
    /// It is none, or holds what no run can have measured.
    Bad,
}

impl Reader {
    /// Begins to read.
    pub(crate) fn new(text: String) -> Self {
        Self { text, at: 0, runs: Vec::new() }
    }

    /// Reads as long as `goes_on` says so.
    pub(crate) fn read(mut self, goes_on: impl Fn() -> bool) -> Reading {
        let is_list = self.text.starts_with("[\n") && self.text.trim_end().ends_with(']');
        if !is_list {
            return Reading::Bad;
        }
        while let Some((line, _)) = self.text.get(self.at..).and_then(|rest| rest.split_once('\n')) {
            let row = line.trim_end_matches(',');
            self.at += line.len() + 1;
            if matches!(row, "[" | "]") {
                continue;
            }
            match serde_json::from_str::<Run>(row) {
                Ok(run) if run.is_sound() => self.runs.push(run),
                _ => return Reading::Bad,
            }
            if !goes_on() {
                return Reading::More(self);
            }
        }
        Reading::Done(Runs { runs: self.runs })
    }
}

impl Runs {
    /// The runs that can be drawn, by their places in the file; of one group alone where it is named.
    pub(crate) fn shown(&self, kind: Kind, group: Option<(By, &str)>) -> Vec<usize> {
        let of_group = |run: &Run| group.is_none_or(|(by, name)| run.value(kind, by) == name);
        self.runs
            .iter()
            .enumerate()
            .filter(|(_, run)| run.pair(kind).is_some() && of_group(run))
            .map(|(index, _)| index)
            .collect()
    }

    /// The errors of a group, each run without its source.
    pub(crate) fn errors(&self, kind: Kind, group: (By, &str)) -> Vec<f64> {
        let places = self.shown(kind, Some(group));
        let of = |place: &usize| self.runs.get(*place)?.quantity(kind)?.left_out_error;
        places.iter().filter_map(of).collect()
    }

    /// Sorts places in the file by a column; what a run does not say comes last either way.
    pub(crate) fn sort(&self, shown: &mut [usize], column: Column, down: bool, kind: Kind) {
        shown.sort_by(|a, b| {
            let (Some(a), Some(b)) = (self.runs.get(*a), self.runs.get(*b)) else {
                return std::cmp::Ordering::Equal;
            };
            let (a, b) = (column.key(a, kind), column.key(b, kind));
            match (&a, &b) {
                (Key::None, _) | (_, Key::None) => a.rank().cmp(&b.rank()),
                _ if down => b.cmp(&a),
                _ => a.cmp(&b),
            }
        });
    }
}

worded! {
    /// A column of the table, from the left, with the word of the address.
    enum Column {
        Model = "model",
        Gpu = "gpu",
        Gpus = "gpus",
        Framework = "framework",
        Precision = "precision",
        Source = "source",
        Date = "date",
        Measured = "measured",
        LeftOut = "left_out",
        Error = "error",
        Predicted = "predicted",
        Interval = "interval",
    }
}

/// What a column sorts by.
enum Key {
    Text(String),
    Number(f64),
    None,
}

impl Key {
    fn rank(&self) -> u8 {
        u8::from(matches!(self, Self::None))
    }

    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            _ => std::cmp::Ordering::Equal,
        }
    }
}

impl Column {
    /// Whether it holds numbers: their largest are what a person looks for first.
    pub(crate) fn is_number(self) -> bool {
        !matches!(self, Self::Model | Self::Gpu | Self::Framework | Self::Precision | Self::Source)
    }

    fn key(self, run: &Run, kind: Kind) -> Key {
        let quantity = run.quantity(kind);
        let number = |value: Option<f64>| value.map_or(Key::None, Key::Number);
        let text = |value: &str| match value {
            "" => Key::None,
            value => Key::Text(value.to_ascii_lowercase()),
        };
        match self {
            Self::Model => text(&run.model),
            Self::Gpu => text(&run.gpu),
            Self::Gpus => Key::Number(f64::from(run.gpus)),
            Self::Framework => text(&run.framework),
            Self::Precision => text(&run.precision),
            Self::Source => text(&run.group),
            Self::Date => text(&run.date),
            Self::Measured => number(quantity.and_then(|quantity| quantity.measured)),
            Self::Predicted => number(quantity.and_then(|quantity| quantity.predicted)),
            Self::LeftOut => number(quantity.and_then(|quantity| quantity.left_out)),
            // The largest misses first, over or under.
            Self::Error => number(quantity.and_then(|quantity| quantity.left_out_error).map(f64::abs)),
            Self::Interval => number(quantity.and_then(|quantity| quantity.low)),
        }
    }
}

#[cfg(test)]
mod tests;
