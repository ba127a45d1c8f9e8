//! The known key that an unknown one probably means.

/// Most edits between a key and the one that is offered for it.
const FARTHEST: usize = 3;

/// The known key nearest to `key`: a slip of the pen, or the same last part in another section.
pub(super) fn nearest<'a>(key: &str, known: impl Iterator<Item = String> + 'a) -> Option<String> {
    // No key of a framework is longer; a longer text is no slip of the pen.
    if key.len() > 160 {
        return None;
    }
    let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
    let head = |key: &str| key.split('.').next().map(str::to_owned);
    let own = last(key);
    let mut best: Option<(usize, String)> = None;
    for candidate in known {
        // Three slips of a long key are one key, of a short one another.
        let near = |edits: &usize| *edits <= (key.len() / 6).max(1);
        let cost = if let Some(edits) = distance(key, &candidate).filter(near) {
            edits
        } else if own.len() > 4 && last(&candidate) == own && head(key) == head(&candidate) {
            // Between slips and nothing: the more of the path agrees, the better.
            let shared = key.bytes().zip(candidate.bytes()).take_while(|(a, b)| a == b).count();
            FARTHEST + 1000 - shared.min(999)
        } else {
            continue;
        };
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, candidate));
        }
    }
    best.map(|(_, key)| key)
}

/// Edits between two keys, up to [`FARTHEST`].
fn distance(a: &str, b: &str) -> Option<usize> {
    // Most keys differ in their lengths already.
    let near = a.len().abs_diff(b.len()) <= FARTHEST;
    let edits = near.then(|| strsim::levenshtein(a, b))?;
    (edits <= FARTHEST).then_some(edits)
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn slips_are_found() {
        assert_eq!(distance("micro_batch", "micro_batch"), Some(0));
        assert_eq!(distance("micro_bach", "micro_batch"), Some(1));
        assert_eq!(distance("mirco_batch", "micro_batch"), Some(2));
        assert_eq!(distance("", "abc"), Some(3));
        assert_eq!(distance("abc", ""), Some(3));
        assert_eq!(distance("abcd", "efgh"), None);
        let known = || ["a.param_offload", "b.param_offload", "a.other"].into_iter().map(str::to_owned);
        assert_eq!(nearest("a.parm_offload", known()).as_deref(), Some("a.param_offload"));
        assert_eq!(nearest("b.megatron.param_offload", known()).as_deref(), Some("b.param_offload"));
        assert_eq!(nearest("nothing", known()), None);
    }
}
