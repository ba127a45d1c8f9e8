//! A comparison under way: which machines are known, which are next, and which are put off.

use std::collections::VecDeque;

use serde_json::Value;
use shardwise_core::Objective;
use shardwise_core::catalog;
use shardwise_core::search::measures::{Measures, rank};
use shardwise_core::search::sweep::Reached;

use super::market::Market;
use crate::protocol::estimate::{Offered, Slice};

/// Machines that an engine is asked at a time, at most: those for which it has no time come back. Until it is known what others
/// have to reach, each takes its time, and what one engine has in hand another cannot begin: the best come first.
pub(super) fn at_once(reached: Option<Reached>) -> usize {
    if reached.is_some() { 8 } else { 2 }
}

/// A comparison under way.
pub(super) struct Work {
    pub(super) question: Value,
    /// Places of machines, those first that were the best of the question before.
    order: Vec<usize>,
    /// Million tokens of its step, on whatever machine.
    mtok: f64,
    /// Its number: what is found for another is dropped.
    pub(super) round: u32,
    /// What was found, by place; empty until an engine says how many machines there are.
    found: Vec<Option<Offered>>,
    /// Places of the machines that nobody has in hand.
    pub(super) left: VecDeque<usize>,
    /// Places of those that are put off.
    put_off: Vec<usize>,
    /// How many numbers of GPUs have been tried in search of a remedy.
    pub(super) tried: usize,
}

impl Work {
    pub(super) fn new((question, mtok): (Value, f64), round: u32, order: Vec<usize>) -> Self {
        Self { question, mtok, order, round, found: Vec::new(), left: VecDeque::new(), put_off: Vec::new(), tried: 0 }
    }

    /// The machines that are asked before it is known how many there are.
    pub(super) fn first(&self) -> Vec<usize> {
        let first = at_once(None);
        if self.order.is_empty() { (0..first).collect() } else { self.order.iter().copied().take(first).collect() }
    }

    /// Takes what an engine found.
    pub(super) fn take(&mut self, slice: Slice) {
        if self.found.is_empty() {
            self.found.resize_with(slice.total, || None);
            let first = self.first();
            let others = (0..slice.total).filter(|place| !self.order.contains(place));
            let all = self.order.iter().copied().filter(|place| *place < slice.total).chain(others);
            self.left = all.filter(|place| !first.contains(place)).collect();
        }
        for (place, offer) in slice.offers {
            if let Some(own) = self.found.get_mut(place) {
                *own = Some(offer);
            }
        }
        for place in slice.left.into_iter().rev() {
            self.left.push_front(place);
        }
        self.put_off.extend(slice.put_off);
    }

    /// How many of the catalog's GPU types are known.
    pub(super) fn done(&self) -> usize {
        let in_catalog = |offer: &&Offered| offer.gpu.as_deref().and_then(catalog::gpu).is_some();
        self.found.iter().flatten().filter(in_catalog).count()
    }

    /// What is known.
    fn market(&self) -> Market {
        let mut market = Market::default();
        for offer in self.found.iter().flatten() {
            market.add(offer.clone());
        }
        market
    }

    /// Puts off nothing of what was put off before.
    pub(super) fn recall(&mut self) {
        self.left.extend(self.put_off.drain(..));
    }

    /// What is known, once that is all that is to be shown; none before.
    pub(super) fn shown(&self) -> Option<Market> {
        let open = self.found.iter().filter(|own| own.is_none()).count();
        (!self.found.is_empty() && open == self.put_off.len()).then(|| self.market())
    }

    /// All places, the best first by the first of two objectives.
    pub(super) fn best_first(&self, market: &Market, objectives: [Objective; 2]) -> Vec<usize> {
        // The market has those alone that are known.
        let known: Vec<usize> = (0..self.found.len()).filter(|place| self.found[*place].is_some()).collect();
        let ranked = |objective| rank(market.fitting(), objective).unwrap_or_default();
        let [own, other] = objectives.map(|own| ranked(own).into_iter().filter_map(|place| known.get(place).copied()));
        // What is asked is the first of the list; the best by the other is named beside the chart.
        let mut all = vec![0];
        for place in other.take(1).chain(own).chain(0..self.found.len()) {
            if !all.contains(&place) {
                all.push(place);
            }
        }
        all
    }

    /// What the next machines have to reach, where so many are shown of the fastest and of the cheapest.
    pub(super) fn reached(&self, shown: [usize; 2]) -> Option<Reached> {
        reached(&self.market().fitting(), shown, self.mtok)
    }
}

/// What the shown ones reach in a step of so many million tokens, of those that fit so many of the fastest and of the cheapest: of
/// another that does neither better nothing is shown. `None` where too few are known.
fn reached(fitting: &[(usize, Measures)], [fastest, cheapest]: [usize; 2], mtok: f64) -> Option<Reached> {
    let last = |objective: Objective, count: usize| {
        let places = rank(fitting.to_vec(), objective).unwrap_or_default();
        let place = *places.get(count - 1)?;
        fitting.iter().find(|(own, _)| *own == place).map(|(_, measures)| *measures)
    };
    let (time, cost) = (last(Objective::Time, fastest)?, last(Objective::Cost, cheapest)?);
    let (seconds, usd) = (time.seconds * mtok, cost.usd.map(|usd| usd * mtok));
    Some(Reached { seconds, usd, runs: time.runs && cost.runs })
}

#[cfg(test)]
mod tests {
    use super::{Market, Measures, Objective, Offered, Slice, Work, reached};
    use serde_json::Value;

    fn slice(places: &[usize], put_off: &[usize], left: &[usize]) -> Slice {
        let offer = |gpu: usize| Offered { gpu: Some(gpu.to_string()), result: Err(String::new()) };
        let offers = places.iter().map(|place| (*place, offer(*place))).collect();
        Slice { round: 1, offers, put_off: put_off.to_vec(), left: left.to_vec(), total: 6 }
    }

    fn gpus(market: Market) -> Vec<String> {
        market.offers.into_iter().filter_map(|offer| offer.gpu).collect()
    }

    #[test]
    fn machines_are_whole_once_each_is_known_whoever_found_them() {
        let mut work = Work::new((Value::Null, 1.0), 1, vec![0, 1, 2]);
        assert!(work.shown().is_none());
        work.take(slice(&[0], &[], &[1]));
        assert_eq!(work.left, [1, 2, 3, 4, 5]);
        work.left.clear();
        // What there was no time for is next.
        work.take(slice(&[4], &[], &[5]));
        work.take(slice(&[1], &[], &[2, 3]));
        assert_eq!(work.left, [2, 3, 5]);
        assert!(work.shown().is_none());
        work.take(slice(&[5, 3, 2], &[], &[]));
        let Some(market) = work.shown() else { panic!("all are known") };
        assert_eq!(gpus(market), ["0", "1", "2", "3", "4", "5"]);
    }

    #[test]
    fn the_best_of_the_question_before_come_first() {
        let mut work = Work::new((Value::Null, 1.0), 1, vec![0, 5, 3, 9]);
        // As many as are asked while nothing is known that they have to reach.
        assert_eq!(work.first(), [0, 5]);
        // There are six by now.
        work.take(slice(&[0], &[], &[5]));
        assert_eq!(work.left, [5, 3, 1, 2, 4]);
        work.left.clear();
        work.take(slice(&[1, 2, 3, 4, 5], &[], &[]));
        let Some(market) = work.shown() else { panic!("all are known") };
        // Nothing of them fits: they stay in their order.
        assert_eq!(work.best_first(&market, [Objective::Time, Objective::Cost]), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn what_was_put_off_is_asked_once_more_are_to_be_shown() {
        let mut work = Work::new((Value::Null, 1.0), 1, vec![0, 1]);
        work.take(slice(&[0, 1], &[], &[]));
        work.left.clear();
        work.take(slice(&[2], &[3, 5], &[]));
        // One is still in hand.
        assert!(work.shown().is_none() && work.left.is_empty());
        work.take(slice(&[4], &[], &[]));
        let Some(market) = work.shown() else { panic!("the others are put off") };
        assert_eq!(work.best_first(&market, [Objective::Time, Objective::Cost]), [0, 1, 2, 3, 4, 5]);
        assert_eq!((gpus(market).join(""), work.left.len()), ("0124".to_owned(), 0));
        // More are to be shown; of the rest one is put off again.
        work.recall();
        assert_eq!(work.left, [3, 5]);
        work.left.clear();
        work.take(slice(&[3], &[5], &[]));
        assert_eq!(work.shown().map(gpus), Some(["0", "1", "2", "3", "4"].map(str::to_owned).to_vec()));
        work.recall();
        work.take(slice(&[5], &[], &[]));
        assert_eq!(work.shown().map(|market| market.offers.len()), Some(6));
    }

    #[test]
    fn what_is_reached_is_what_the_last_of_the_shown_does_and_the_best_by_the_other_measure() {
        let all = [(3.0, Some(9.0)), (1.0, Some(7.0)), (2.0, None), (4.0, Some(5.0))];
        let measures =
            |(seconds, usd)| Measures { gpus: 8, seconds, usd, run: None, slow: 1.0, sure: true, runs: true };
        let all: Vec<_> = all.into_iter().map(measures).enumerate().collect();
        let in_a_step = |shown, mtok| reached(&all, shown, mtok).map(|own| (own.seconds, own.usd));
        let of = |shown| in_a_step(shown, 1.0);
        assert_eq!(of([3, 1]), Some((3.0, Some(5.0))));
        assert_eq!(of([1, 2]), Some((1.0, Some(7.0))));
        // Any with a price is one of them.
        assert_eq!(of([1, 4]), Some((1.0, None)));
        assert_eq!(of([5, 1]), None);
        assert_eq!(in_a_step([3, 1], 0.5), Some((1.5, Some(2.5))));
        let unrun: Vec<_> = all
            .iter()
            .map(|(place, own)| (*place, Measures { runs: *place != 3, ..*own }))
            .collect();
        let runs = |shown| reached(&unrun, shown, 1.0).map(|own| own.runs);
        assert_eq!([runs([3, 1]), runs([4, 1])], [Some(true), Some(false)]);
    }
}
