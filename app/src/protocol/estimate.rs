//! What the engine is asked as a person types, and what it says.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shardwise_core::calibration::{Calibrated, Measured};
use shardwise_core::search::measures::Measures;
use shardwise_core::wire::{FitState, Rental};
use shardwise_core::{Answer, InputError};

use crate::form::mend::Mend;
use crate::format;

/// A question as the form asks it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Asking {
    pub(crate) question: Value,
    /// What was measured of it; `None` where nothing was.
    pub(crate) measured: Option<Measured>,
    /// Whether the factors of that run take the place of the question's own.
    pub(crate) calibrates: bool,
    /// The last question that had an answer: its values may mend this one.
    pub(crate) last: Option<Value>,
}

impl Asking {
    /// Whether both have the same answer.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let own = (self.calibrates, self.measured) == (other.calibrates, other.measured);
        own && self.question == other.question
    }
}

/// What the engine says to a question.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Estimate {
    /// The answer, or what refuses the question.
    pub(crate) answered: Result<Answered, Refused>,
    /// What was measured beside the estimate of it.
    pub(crate) run: Option<Beside>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Answered {
    /// The question with its best plan stated.
    pub(crate) decided: Value,
    /// The answer, without advice.
    pub(crate) answer: Answer,
    /// Legal plans among which it is the best.
    pub(crate) considered: u64,
    /// Whether all were considered.
    pub(crate) complete: bool,
}

/// What is wrong with a question, and values that are right.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Refused {
    /// What is wrong.
    pub(crate) error: InputError,
    /// What mends it, likeliest first; each was tried.
    pub(crate) mends: Vec<Mend>,
}

/// A run beside the estimate of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Beside {
    /// The question without the factors of a run, its best plan stated.
    pub(crate) decided: Value,
    /// The comparison, or what is wrong with what was measured.
    pub(crate) compared: Result<Calibrated, InputError>,
}

/// Some of the machines that were asked a question.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Slice {
    /// Which comparison it is for, by number.
    pub(crate) round: u32,
    /// Machines that were asked, with their places.
    pub(crate) offers: Vec<(usize, Offered)>,
    /// The places of those that do not come near to what others reach.
    pub(crate) put_off: Vec<usize>,
    /// The places of those for which there was no time.
    pub(crate) left: Vec<usize>,
    /// How many machines there are in all.
    pub(crate) total: usize,
}

/// What is known of what would make a question fit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Closer {
    /// Nothing has to: it is as sure to fit as asked.
    Fits,
    /// Another plan on the same GPUs: parts of the plan were set by hand.
    Plan,
    /// The number of GPUs that was tried does not do: the next one may.
    Next,
    /// More of the same type; `None` where no number of them makes room.
    More(Option<Box<Offered>>),
}

/// A machine that was asked a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Offered {
    /// The catalog's identifier of the GPU type; `None` of one that the question describes.
    pub(crate) gpu: Option<String>,
    /// Its best plan, or why it cannot be asked.
    pub(crate) result: Result<Figures, String>,
}

/// What a comparison shows of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Figures {
    /// What it is ranked by.
    pub(crate) measures: Measures,
    /// Whether no published run is on the GPU type: its figures are then those of the slow end of its interval.
    pub(crate) untried: bool,
    /// Whether nobody is known to rent out its machines joined by a network.
    pub(crate) unjoined: bool,
    /// How sure it is to fit, in a word.
    pub(crate) state: FitState,
    pub(crate) probability: f64,
    /// Tokens per second and GPU.
    pub(crate) speed: f64,
    /// The range of the speed.
    pub(crate) range: Option<[f64; 2]>,
    /// The range of the dollars per million tokens.
    pub(crate) usd_range: Option<[f64; 2]>,
    /// Millions of tokens per hour.
    pub(crate) mtok_per_hour: f64,
    /// Memory that is needed where it decides, in GiB.
    pub(crate) needs_gib: f64,
    /// Memory that there is for it, in GiB.
    pub(crate) has_gib: f64,
    /// How the plan splits.
    pub(crate) layout: String,
    /// Legal plans among which it is the best.
    pub(crate) considered: u64,
    /// The offer that it is rented by; `None` of a machine that is not rented.
    pub(crate) rented: Option<Rented>,
    /// Why nobody in its market rents it out; `None` where somebody does, or it has no market.
    pub(crate) unoffered: Option<String>,
}

/// The offer that a machine is rented by, among those that could hold it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rented {
    /// The offer.
    pub(crate) rental: Rental,
    /// Dollars of a GPU hour by every offer of the market that holds the machine, the lowest first.
    pub(crate) prices: Vec<f64>,
}

impl Figures {
    /// Whether it fits rather than not.
    pub(crate) fn fits(&self) -> bool {
        self.state.fits()
    }

    /// Dollars per million tokens.
    pub(crate) fn usd(&self) -> Option<f64> {
        self.measures.usd
    }

    /// A speed, written out, as what it is: the least that is to be expected where no published run is on the GPU type.
    pub(crate) fn at_least(&self, speed: String) -> String {
        format::at_least(self.untried, speed)
    }

    /// A cost, written out, as [`Self::at_least`] a speed.
    pub(crate) fn at_most(&self, cost: String) -> String {
        format::at_most(self.untried, cost)
    }
}

/// What would make a question fit that does not.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Remedy {
    /// Another plan on the same GPUs: parts of the plan were set by hand.
    Plan,
    Gpus(Box<Others>),
}

/// Other GPUs, on which a question is as sure to fit as asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Others {
    /// More of the same type; `None` where no number of them makes room.
    pub(crate) more: Option<Offered>,
    /// As many of another type, the cheapest.
    pub(crate) other: Option<Offered>,
}
