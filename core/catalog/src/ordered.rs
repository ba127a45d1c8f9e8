//! Short lists in order.

use std::cmp::Ordering;

/// Puts an item where it belongs. Such lists are short, and a sort is ten times the code to download.
pub fn insert<T>(list: &mut Vec<T>, item: T, order: &dyn Fn(&T, &T) -> Ordering) {
    let behind = |other: &T| order(&item, other).is_lt();
    let place = list.iter().position(behind).unwrap_or(list.len());
    list.insert(place, item);
}

/// Places of some keys, the smallest first. One sort for all lists is less to download than one of each.
pub fn rising(keys: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..keys.len()).collect();
    let key = |place: &usize| keys.get(*place).copied().unwrap_or_default();
    places.sort_by(|a, b| key(a).total_cmp(&key(b)));
    places
}
