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

/// What `each` finds on the offer of the question's market that costs least, of those on which a plan fits; where none does,
/// on that which lacks least. A market without offers is asked as it stands.
///
/// # Errors
/// As [`market::offers`]; where no offer can be asked, why the cheapest cannot.
pub(super) fn cheapest<T>(
    question: &Question,
    each: &mut dyn FnMut(&Question) -> Result<T, InputError>,
    costs: &dyn Fn(&T) -> Costs,
) -> Result<T, InputError> {
    let offers = market::worth_asking(question)?;
    if offers.is_empty() {
        return each(question);
    }
    let mut best: Option<(Costs, T)> = None;
    let mut refusal = None;
    for offer in offers {
        match each(&market::settled(question, Some(&offer))) {
            Ok(found) => {
                let own = costs(&found);
                let less = |(known, _): &(Costs, T)| {
                    let by_fit = own.0.total_cmp(&known.0).then(own.1.cmp(&known.1));
                    by_fit.then(own.2.total_cmp(&known.2)).is_lt()
                };
                if best.as_ref().is_none_or(less) {
                    best = Some((own, found));
                }
            }
            Err(error) => refusal = refusal.or(Some(error)),
        }
    }
    let none =
        || InputError::new("hardware.market", "No offer of this market can be asked. Give other kinds or providers.");
    best.map(|(_, found)| found).ok_or_else(|| refusal.unwrap_or_else(none))
}
