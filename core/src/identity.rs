//! Which build answers: its version, its commit, and of when its data are.

use std::fmt;

use serde::Serialize;
use shardwise_catalog::catalog;

/// A build of a program, a package or a page. No answer depends on it.
///
/// ```
/// use shardwise_core::identity::Identity;
///
/// let built = Identity::of("0.1.0", Some("3fa94c1b22d0"));
/// assert!(built.to_string().starts_with("0.1.0 (data "));
/// assert_eq!(built.exact(), "0.1.0+3fa94c1b22d0");
/// // From an archive of the sources no commit is known.
/// assert_eq!(Identity::of("0.1.0", Some("")), Identity::of("0.1.0", None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// The program's version.
    pub version: &'static str,
    /// The first digits of the commit that it was built of, with `-dirty` where the sources had been changed since; `None` where
    /// the build was told none.
    pub commit: Option<&'static str>,
    /// Version of the data: year and month of the last change.
    pub data: &'static str,
    /// Date of the newest figure in the catalog: `YYYY-MM-DD`.
    pub data_date: &'static str,
    /// Date of the newest price: `YYYY-MM-DD`.
    pub prices_date: &'static str,
}

impl Identity {
    /// Of a version, and of the commit that `SHARDWISE_COMMIT` named when the caller was compiled: a caller, not this crate, is
    /// asked (`option_env!`), so that a new commit compiles nothing anew but the program itself.
    #[must_use]
    pub const fn of(version: &'static str, commit: Option<&'static str>) -> Self {
        let commit = match commit {
            Some(told) if told.is_empty() => None,
            told => told,
        };
        Self { version, commit, data: catalog::VERSION, data_date: catalog::NEWEST, prices_date: catalog::PRICES_AS_OF }
    }

    /// The version with the commit, where it is known, as <https://semver.org> has it: `0.1.0+3fa94c1b22d0`.
    #[must_use]
    pub fn exact(&self) -> String {
        self.commit
            .map_or_else(|| self.version.to_owned(), |commit| format!("{}+{commit}", self.version))
    }

    /// All of it, in three lines.
    #[must_use]
    pub fn long(&self) -> String {
        let commit = self.commit.unwrap_or("not recorded");
        format!("{self}\ncommit {commit}\nnewest figure {}, newest price {}", self.data_date, self.prices_date)
    }
}

impl fmt::Display for Identity {
    /// Version and data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (data {})", self.version, self.data)
    }
}
