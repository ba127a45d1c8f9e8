//! The built site as a table, for `shardwise serve`: each file compressed, with its type, its policy and its tag.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

/// Names another folder than `dist/`; where it is not absolute, from `core/`.
const VARIABLE: &str = "SHARDWISE_SITE";

/// A worker has the policy that its own file comes with, not the page's.
const WORKERS: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/// What neither shows a page nor runs.
const NOTHING: &str = "default-src 'none'";

/// The literal that `bin/shardwise/serving/site.rs` includes; its files go to the folder `out`.
///
/// # Errors
/// Where there is no site, and how to make one; a page without a policy.
pub(crate) fn literal(root: &Path, out: &Path) -> Result<String, Vec<String>> {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    let named = std::env::var_os(VARIABLE).unwrap_or_else(|| "../dist".into());
    let folder = root.join(named);
    println!("cargo::rerun-if-changed={}", folder.display());
    if !folder.join("index.html").is_file() {
        let remedy = format!(
            "`make build` makes it, or {VARIABLE} names the folder of a built one; without the feature `serve` there is no need of it"
        );
        return Err(vec![format!("{}: no site in it; {remedy}", folder.display())]);
    }
    table(&folder, out).map_err(|problem| vec![problem])
}

fn table(folder: &Path, out: &Path) -> Result<String, String> {
    std::fs::create_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
    let names = files(folder)?;
    let mut text = format!("static FILES: [File; {}] = [\n", names.len());
    for (place, name) in names.iter().enumerate() {
        let bytes = std::fs::read(folder.join(name)).map_err(|e| format!("{name}: {e}"))?;
        let packed = gzip(&bytes).map_err(|e| format!("{name}: {e}"))?;
        // Pictures grow by it.
        let gzip = packed.len() < bytes.len();
        let kept = if gzip { &packed } else { &bytes };
        std::fs::write(out.join(place.to_string()), kept).map_err(|e| format!("{name}: {e}"))?;
        let kind = kind(name);
        let policy = match kind.split(';').next() {
            Some("text/html") => page_policy(&String::from_utf8_lossy(&bytes))
                .ok_or_else(|| format!("{name}: the page says no Content-Security-Policy"))?,
            Some("text/javascript") => WORKERS.to_owned(),
            _ => NOTHING.to_owned(),
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "    File {{ name: {name:?}, kind: {kind:?}, policy: {policy:?}, tag: {:?}, hashed: {}, gzip: {gzip}, length: {},
        bytes: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/site/{place}\")), whole: OnceLock::new() }},",
            format!("W/\"{:016x}\"", digest(&bytes)),
            hashed(name),
            bytes.len()
        );
    }
    Ok(text + "];\n")
}

/// The names of all files below the folder, with `/` between folders, sorted. What only hosts read (`_headers`) is left out.
fn files(folder: &Path) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(inside) = folders.pop() {
        let path = folder.join(&inside);
        let entries = std::fs::read_dir(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        for entry in entries {
            let entry = entry.map_err(|e| format!("{}: {e}", path.display()))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(['_', '.']) {
                continue;
            }
            if entry.path().is_dir() {
                folders.push(format!("{inside}{name}/"));
            } else {
                names.push(format!("{inside}{name}"));
            }
        }
    }
    names.sort();
    Ok(names)
}

fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "txt" => "text/plain; charset=utf-8",
        "wasm" => "application/wasm",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

/// What the page's own `<meta>` says.
fn page_policy(html: &str) -> Option<String> {
    let (_, after) = html.split_once("http-equiv=\"Content-Security-Policy\"")?;
    let (_, after) = after.split_once("content=\"")?;
    let (policy, _) = after.split_once('"')?;
    (!policy.is_empty()).then(|| policy.to_owned())
}

/// Whether a digest of its content stands in the name, so that it never changes under it.
fn hashed(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let stem = stem.strip_suffix("_bg").unwrap_or(stem);
    stem.rsplit_once('-')
        .is_some_and(|(_, mark)| mark.len() == 16 && mark.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// FNV-1a, 64 bits: tells two builds of a file apart (<http://www.isthe.com/chongo/tech/comp/fnv/>).
fn digest(bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325;
    bytes
        .iter()
        .fold(start, |hash: u64, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
