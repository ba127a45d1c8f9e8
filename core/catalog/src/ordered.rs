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
    let key = |place: usize| keys.get(place).copied().unwrap_or_default();
    places(keys.len(), &|a, b| key(a).total_cmp(&key(b)))
}

/// Puts a list in order; what is the same in it stays as it was. As [`rising`], by the one sort of places.
pub fn sort<T>(list: &mut [T], order: &dyn Fn(&T, &T) -> Ordering) {
    let places = places(list.len(), &|a, b| order(&list[a], &list[b]));
    for (at, place) in places.iter().enumerate() {
        // What stood there may have been moved: to where what took its place came from.
        let mut place = *place;
        while place < at {
            place = places[place];
        }
        list.swap(at, place);
    }
}

/// The places of a list in order.
fn places(count: usize, order: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|a, b| order(*a, *b));
    places
}

#[cfg(test)]
mod tests {
    use super::sort;

    #[test]
    fn a_list_is_sorted_as_the_standard_library_sorts_it() {
        let mut seed = 1_u64;
        for length in 0..200 {
            let next = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (seed >> 33) % 20
            };
            let list: Vec<(u64, usize)> = std::iter::repeat_with(next).take(length).zip(0..).collect();
            let [mut own, mut wanted] = [list.clone(), list];
            sort(&mut own, &|a, b| a.0.cmp(&b.0));
            wanted.sort_by_key(|item| item.0);
            assert_eq!(own, wanted);
        }
    }
}
