//! Names of offers as ids: what `build.rs` and `cargo xtask offers` take too, each by its path.

/// A name in lower case, of letters, digits, `.` and `_`, with a hyphen for whatever else stands between them.
pub(crate) fn slug(name: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter.to_ascii_lowercase() {
            own @ ('a'..='z' | '0'..='9' | '.' | '_') => slug.push(own),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

/// The id of an offer: `nebius/gpu-h200-sxm_8gpu/not-stated/on-demand`.
pub(crate) fn id(provider: &str, instance: &str, region: &str, kind: &str) -> String {
    [provider, instance, region, kind].map(slug).join("/")
}
