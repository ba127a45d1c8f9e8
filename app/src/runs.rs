//! The runs that were measured, as the site's data file holds them, and how they are sorted.
//!
//! The file is written by the core; the page formats what it holds and trusts nothing in it.

use serde::Deserialize;

/// What is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Tokens per second and GPU.
    #[default]
    Speed,
    /// GiB at the worst moment.
    Memory,
}

/// How a prediction was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Case {
    /// With the calculator's own constants, fitted to all runs.
    #[default]
    Predicted,
    /// With constants fitted without the run's own source.
    LeftOut,
}

/// What runs are grouped by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Not at all: by how much the source says.
    All,
    /// Where the run was published.
    #[default]
    Group,
    /// GPU type.
    Gpu,
    /// Framework.
    Framework,
    /// Model family.
    Family,
}

/// One quantity of a run: measured, and what the calculator says.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Quantity {
    /// As published.
    pub measured: Option<f64>,
    /// With the calculator's constants.
    pub predicted: Option<f64>,
    /// With constants fitted without the run's source.
    pub left_out: Option<f64>,
    /// Lower end of the prediction's interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Predicted over measured, minus one.
    pub error: Option<f64>,
    /// `left_out` over measured, minus one.
    pub left_out_error: Option<f64>,
}

impl Quantity {
    /// The prediction of a case.
    #[must_use]
    pub fn of(&self, case: Case) -> Option<f64> {
        match case {
            Case::Predicted => self.predicted,
            Case::LeftOut => self.left_out,
        }
    }

    /// Its error.
    #[must_use]
    pub fn error_of(&self, case: Case) -> Option<f64> {
        match case {
            Case::Predicted => self.error,
            Case::LeftOut => self.left_out_error,
        }
    }
}

/// One published run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Run {
    /// Its name in the records.
    pub id: String,
    /// Where in its source it stands.
    pub source: String,
    /// Address of the source.
    pub url: String,
    /// When it was published.
    pub date: String,
    /// The source's name.
    pub group: String,
    /// The model.
    pub model: String,
    /// The model's family.
    pub family: String,
    /// GPU type: a catalog id.
    pub gpu: String,
    /// Number of GPUs.
    pub gpus: u32,
    /// What it ran on.
    pub framework: String,
    /// Precision of its products.
    pub precision: String,
    /// Whether its source states all that matters.
    pub headline: bool,
    /// Throughput.
    pub speed: Option<Quantity>,
    /// Memory.
    pub memory: Option<Quantity>,
    /// The question as the part of the calculator's address after `#`.
    pub link: String,
}

impl Run {
    /// A quantity of the run.
    #[must_use]
    pub fn quantity(&self, kind: Kind) -> Option<&Quantity> {
        match kind {
            Kind::Speed => self.speed.as_ref(),
            Kind::Memory => self.memory.as_ref(),
        }
    }

    /// Measured and predicted, where both are known.
    #[must_use]
    pub fn pair(&self, kind: Kind, case: Case) -> Option<(f64, f64)> {
        let quantity = self.quantity(kind)?;
        Some((quantity.measured?, quantity.of(case)?))
    }

    /// What it is grouped under.
    #[must_use]
    pub fn value(&self, by: By) -> &str {
        match by {
            By::All if self.headline => "headline",
            By::All => "other",
            By::Group => &self.group,
            By::Gpu => &self.gpu,
            By::Framework => &self.framework,
            By::Family => &self.family,
        }
    }

    /// Its source's address, where that leads to the web.
    #[must_use]
    pub fn address(&self) -> Option<&str> {
        Some(self.url.as_str()).filter(|url| url.starts_with("https://"))
    }
}

/// The errors of a group of runs.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Figure {
    /// Of which quantity.
    pub kind: Kind,
    /// Grouped by what.
    pub by: By,
    /// The group: a value of [`Run::value`].
    pub name: String,
    /// Of which prediction.
    pub case: Case,
    /// How many runs.
    pub runs: u32,
    /// Median error.
    pub median: Option<f64>,
    /// Mean error.
    pub mean: Option<f64>,
    /// Nine in ten errors are below.
    pub p90: Option<f64>,
    /// Share of the runs inside their own interval.
    pub covered: Option<f64>,
}

/// The data file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Runs {
    /// Version of the data.
    pub data: String,
    /// Share of runs that an interval is meant to hold.
    pub coverage: f64,
    /// The runs.
    pub runs: Vec<Run>,
    /// Their errors.
    pub figures: Vec<Figure>,
    /// How often memory estimates of left-out sources were right that they fit; empty where the file says nothing of it.
    #[serde(default)]
    pub reliability: Vec<Decile>,
}

/// The estimates whose probability to fit lies in one tenth.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Decile {
    /// Where the tenth begins, 0 to 1.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Mean of the probabilities that were said.
    pub predicted: f64,
    /// Share of the runs that fit.
    pub observed: f64,
    /// How many runs.
    pub rows: u32,
}

impl Decile {
    fn is_sound(&self) -> bool {
        let shares = [self.from, self.to, self.predicted, self.observed];
        shares.iter().all(|share| (0.0..=1.0).contains(share)) && self.rows > 0
    }
}

impl Runs {
    /// Reads the file; `None` where it is not one, or holds what no run can have measured.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut runs: Self = serde_json::from_str(text).ok()?;
        // A tenth without runs has nothing to say.
        runs.reliability.retain(|own| own.rows > 0);
        let positive = |value: &Option<f64>| value.is_none_or(|value| value > 0.0 && value < 1e12);
        let sound = |quantity: &Quantity| {
            let Quantity { measured, predicted, left_out, low, high, .. } = quantity;
            [measured, predicted, left_out, low, high].into_iter().all(positive)
        };
        let quantities = |run: &Run| run.speed.as_ref().is_none_or(sound) && run.memory.as_ref().is_none_or(sound);
        let sure = runs.reliability.iter().all(Decile::is_sound);
        (sure && runs.runs.iter().all(quantities)).then_some(runs)
    }

    /// The errors of a group.
    #[must_use]
    pub fn figure(&self, kind: Kind, by: By, name: &str, case: Case) -> Option<&Figure> {
        self.figures
            .iter()
            .find(|figure| (figure.kind, figure.by, figure.case) == (kind, by, case) && figure.name == name)
    }

    /// The errors of every group, most runs first.
    #[must_use]
    pub fn groups(&self, kind: Kind, by: By, case: Case) -> Vec<&Figure> {
        let same = |figure: &&Figure| (figure.kind, figure.by, figure.case) == (kind, by, case);
        let mut groups: Vec<&Figure> = self.figures.iter().filter(same).collect();
        groups.sort_by(|a, b| b.runs.cmp(&a.runs).then_with(|| a.name.cmp(&b.name)));
        groups
    }

    /// The runs that can be drawn, by their places in the file; of one group alone where it is named.
    #[must_use]
    pub fn shown(&self, kind: Kind, case: Case, group: Option<(By, &str)>) -> Vec<usize> {
        let of_group = |run: &Run| group.is_none_or(|(by, name)| run.value(by) == name);
        self.runs
            .iter()
            .enumerate()
            .filter(|(_, run)| run.pair(kind, case).is_some() && of_group(run))
            .map(|(index, _)| index)
            .collect()
    }

    /// Sorts places in the file by a column; what a run does not say comes last either way.
    pub fn sort(&self, shown: &mut [usize], column: Column, down: bool, kind: Kind, case: Case) {
        shown.sort_by(|a, b| {
            let (Some(a), Some(b)) = (self.runs.get(*a), self.runs.get(*b)) else {
                return std::cmp::Ordering::Equal;
            };
            let (a, b) = (column.key(a, kind, case), column.key(b, kind, case));
            match (&a, &b) {
                (Key::None, _) | (_, Key::None) => a.rank().cmp(&b.rank()),
                _ if down => b.cmp(&a),
                _ => a.cmp(&b),
            }
        });
    }
}

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the field of its name")]
pub enum Column {
    Model,
    Gpu,
    Gpus,
    Framework,
    Precision,
    Source,
    Date,
    Measured,
    Predicted,
    LeftOut,
    Error,
    Interval,
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
    /// Every column, from the left, with the word that the address uses.
    pub const ALL: [(Self, &'static str); 12] = [
        (Self::Model, "model"),
        (Self::Gpu, "gpu"),
        (Self::Gpus, "gpus"),
        (Self::Framework, "framework"),
        (Self::Precision, "precision"),
        (Self::Source, "source"),
        (Self::Date, "date"),
        (Self::Measured, "measured"),
        (Self::Predicted, "predicted"),
        (Self::LeftOut, "left_out"),
        (Self::Error, "error"),
        (Self::Interval, "interval"),
    ];

    /// Whether it holds numbers: their largest are what a person looks for first.
    #[must_use]
    pub fn is_number(self) -> bool {
        !matches!(self, Self::Model | Self::Gpu | Self::Framework | Self::Precision | Self::Source)
    }

    fn key(self, run: &Run, kind: Kind, case: Case) -> Key {
        let quantity = run.quantity(kind);
        let number = |value: Option<f64>| value.map_or(Key::None, Key::Number);
        let text = |value: &str| Key::Text(value.to_ascii_lowercase());
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
            Self::Error => number(quantity.and_then(|quantity| quantity.error_of(case)).map(f64::abs)),
            Self::Interval => number(quantity.and_then(|quantity| quantity.low)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{By, Case, Column, Kind, Runs};

    const FILE: &str = r#"{"data":"1","coverage":0.8,"new":[1],"runs":[
        {"id":"a","source":"s","url":"https://a.example/","date":"2024-01-02","group":"A","model":"m1","family":"f",
         "gpu":"h100-sxm","gpus":8,"framework":"fsdp","precision":"bf16","headline":true,
         "speed":{"measured":100,"predicted":110.5,"left_out":90,"low":80,"high":140,"error":0.105},"link":"v=1&z=1"},
        {"id":"b","source":"s","url":"javascript:alert(1)","date":"2023-01-02","group":"B","model":"M0","family":"f",
         "gpu":"a100-sxm-80g","gpus":16,"framework":"ddp","precision":"bf16","headline":false,
         "speed":{"measured":200,"predicted":150},"memory":{"measured":60,"predicted":61},"link":"v=1&z=1"}],
        "figures":[
        {"kind":"speed","by":"all","name":"headline","case":"predicted","runs":1,"median":0.1,"mean":0.1,"p90":0.1,"covered":1.0},
        {"kind":"speed","by":"group","name":"A","case":"predicted","runs":1,"median":0.1,"mean":0.1,"p90":0.1},
        {"kind":"speed","by":"group","name":"B","case":"predicted","runs":2,"median":0.2,"mean":0.2,"p90":0.2,"covered":0.5}]}"#;

    fn file() -> Runs {
        Runs::read(FILE).unwrap_or_else(|| panic!("the file is sound"))
    }

    #[test]
    fn what_is_not_measured_is_not_shown() {
        let runs = file();
        assert_eq!(runs.shown(Kind::Speed, Case::Predicted, None), [0, 1]);
        assert_eq!(runs.shown(Kind::Speed, Case::LeftOut, None), [0]);
        assert_eq!(runs.shown(Kind::Memory, Case::Predicted, None), [1]);
        let of_b = Some((By::Group, "B"));
        assert_eq!(runs.shown(Kind::Speed, Case::Predicted, of_b), [1]);
        let groups = runs.groups(Kind::Speed, By::Group, Case::Predicted);
        let names: Vec<&str> = groups.iter().map(|figure| figure.name.as_str()).collect();
        assert_eq!(names, ["B", "A"]);
    }

    #[test]
    fn every_column_sorts_both_ways_and_the_unknown_comes_last() {
        let runs = file();
        let sorted = |column, down| {
            let mut shown = vec![0, 1];
            runs.sort(&mut shown, column, down, Kind::Speed, Case::Predicted);
            shown
        };
        assert_eq!(sorted(Column::Model, false), [1, 0]);
        assert_eq!(sorted(Column::Model, true), [0, 1]);
        assert_eq!(sorted(Column::Gpus, true), [1, 0]);
        assert_eq!(sorted(Column::LeftOut, false), [0, 1]);
        assert_eq!(sorted(Column::LeftOut, true), [0, 1]);
        assert_eq!(sorted(Column::Error, true), [0, 1]);
    }

    #[test]
    fn only_the_web_is_linked() {
        let runs = file();
        let addresses: Vec<_> = runs.runs.iter().map(super::Run::address).collect();
        assert_eq!(addresses, [Some("https://a.example/"), None]);
    }

    #[test]
    fn reliability_is_read_where_it_is_there() {
        assert!(file().reliability.is_empty());
        let with = FILE.replace(
            "\"new\":[1]",
            r#""reliability":[{"from":0,"to":0.1,"predicted":0,"observed":0,"rows":0},{"from":0.9,"to":1,"predicted":0.95,"observed":0.93,"rows":30}]"#,
        );
        let runs = Runs::read(&with).unwrap_or_else(|| panic!("the file is sound"));
        assert_eq!(runs.reliability.len(), 1);
        assert_eq!(runs.reliability[0].rows, 30);
    }

    #[test]
    fn a_file_that_is_none_is_refused() {
        for text in [
            "",
            "null",
            "{}",
            "[]",
            r#"{"data":"1","coverage":0.8,"runs":{},"figures":[]}"#,
            &FILE.replace("\"measured\":200", "\"measured\":-200"),
            &FILE.replace("\"measured\":200", "\"measured\":1e999"),
            &FILE.replace("\"measured\":200", "\"measured\":\"200\""),
            &FILE.replace("\"by\":\"all\"", "\"by\":\"nothing\""),
            &FILE.replace(
                "\"new\":[1]",
                r#""reliability":[{"from":0.9,"to":1,"predicted":0.95,"observed":1.5,"rows":3}]"#,
            ),
            &FILE.replace("\"new\":[1]", r#""reliability":[{"from":0.9,"to":1,"predicted":0.95}]"#),
            &FILE[..FILE.len() - 1],
        ] {
            assert_eq!(Runs::read(text), None, "{text}");
        }
    }
}
