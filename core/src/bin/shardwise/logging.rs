//! `shardwise calibrate`: the log of a run.

use std::io::{self, Read};
use std::path::Path;

use shardwise_core::log::{Log, read_log};
use shardwise_core::read::Trouble;
use shardwise_core::wire::Language;

use super::open;

/// Longest log that is read, in bytes, and one more, so that a longer one is refused.
const MOST_BYTES: u64 = (16 << 20) + 1;

/// Reads a log.
pub(crate) fn read(path: &Path, lang: Language) -> io::Result<Result<Log, Trouble>> {
    let mut bytes = Vec::new();
    open(path, lang)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(read_log(&String::from_utf8_lossy(&bytes)))
}
