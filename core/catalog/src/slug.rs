//! Names of offers as ids: what `build.rs` and `cargo xtask offers` take too, each by its path.

/// A name in lower case, of letters, digits, `.` and `_`, with a hyphen for whatever else stands between them.
fn slug(name: &str) -> impl Iterator<Item = char> {
    let (mut begun, mut between) = (false, false);
    let each = move |letter: char| match letter.to_ascii_lowercase() {
        own @ ('a'..='z' | '0'..='9' | '.' | '_') => {
            let hyphen = (begun && between).then_some('-');
            (begun, between) = (true, false);
            [hyphen, Some(own)]
        }
        _ => {
            between = true;
            [None, None]
        }
    };
    name.chars().flat_map(each).flatten()
}

/// The letters of an offer's id: `nebius/gpu-h200-sxm_8gpu/not-stated/on-demand`.
pub(crate) fn id<'a>(
    provider: &'a str,
    instance: &'a str,
    region: &'a str,
    kind: &'a str,
) -> impl Iterator<Item = char> {
    let [provider, instance, region, kind] = [provider, instance, region, kind].map(slug);
    provider
        .chain(['/'])
        .chain(instance)
        .chain(['/'])
        .chain(region)
        .chain(['/'])
        .chain(kind)
}
