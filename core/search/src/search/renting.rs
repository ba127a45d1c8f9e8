//! The offer of a market that is rented: the one whose best plan costs least.

use shardwise_catalog::error::InputError;
use shardwise_question::market;
use shardwise_question::wire::{Answer, FitState, HardwareSpec, Question};

/// What comes of a plan: GiB that it lacks to fit, whether nobody runs it, and dollars per million tokens. A plan that nobody
/// runs is what a machine is answered with on which no framework runs any: cheaper, it would be no bargain.
pub(super) type Costs = (f64, bool, f64);

/// What comes of an answer.
pub(super) fn costs(answer: &Answer) -> Costs {
    let fit = &answer.fit;
    let lacks = if fit.state == FitState::Fits { 0.0 } else { fit.needed_at_confidence_gib - fit.capacity_gib };
    (lacks, answer.framework.is_none(), answer.usd_per_mtok.unwrap_or(f64::MAX))
}

/// A machine's market as machines, each with an offer; itself where it has no market, or one
/// without offers.
pub(super) fn machines(question: &Question, spec: HardwareSpec) -> Vec<HardwareSpec> {
    if !market::is_open(&spec) {
        return vec![spec];
    }
    let asked = Question { hardware: spec.clone(), ..question.clone() };
    let offers = market::worth_asking(&asked).unwrap_or_default();
    if offers.is_empty() {
        return vec![spec];
    }
    offers.iter().map(|offer| market::rented(&spec, offer)).collect()
}

/// What was found on an offer, and dollars of it by GPU and hour.
struct Best<T> {
    costs: Costs,
    price: f64,
    found: T,
}

impl<T> Best<T> {
    fn beats(&self, known: &Self) -> bool {
        let (own, known) = (self.costs, known.costs);
        let by_fit = own.0.total_cmp(&known.0).then(own.1.cmp(&known.1));
        by_fit.then(own.2.total_cmp(&known.2)).is_lt()
    }

    /// Whether it is a plan that fits, that some framework runs and that has a price.
    fn is_bargain(&self) -> bool {
        let (lacks, nobody, usd) = self.costs;
        lacks <= 0.0 && !nobody && usd < f64::MAX
    }
}

/// What `each` finds on the offer of the question's market that costs least, of those on which a plan fits; where none does,
/// on that which lacks least. A market without offers is asked as it stands. An offer is not asked that is `beyond` what costs
/// least so far: offers come the cheapest first, and one that costs so many times as much has to be as many times as fast.
///
/// # Errors
/// As [`market::offers`]; where no offer can be asked, why the cheapest cannot.
pub(super) fn cheapest<T>(
    question: &Question,
    each: &mut dyn FnMut(&Question) -> Result<T, InputError>,
    costs: &dyn Fn(&T) -> Costs,
    beyond: &dyn Fn(&T, &Question, f64) -> bool,
) -> Result<T, InputError> {
    let offers = market::worth_asking(question)?;
    if offers.is_empty() {
        return each(question);
    }
    let mut best: Option<Best<T>> = None;
    let mut refusal = None;
    for offer in offers {
        let rented = market::settled(question, Some(&offer));
        let price = offer.usd_per_gpu_hour();
        let out = |known: &Best<T>| known.is_bargain() && beyond(&known.found, &rented, price / known.price);
        if best.as_ref().is_some_and(out) {
            continue;
        }
        match each(&rented) {
            Ok(found) => {
                let own = Best { costs: costs(&found), price, found };
                if best.as_ref().is_none_or(|known| own.beats(known)) {
                    best = Some(own);
                }
            }
            Err(error) => refusal = refusal.or(Some(error)),
        }
    }
    let none =
        || InputError::new("hardware.market", "No offer of this market can be asked. Give other kinds or providers.");
    best.map(|own| own.found).ok_or_else(|| refusal.unwrap_or_else(none))
}
