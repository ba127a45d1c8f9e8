//! What is asked of a search.

/// What is asked of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Layouts to list.
    pub(crate) keep: usize,
    /// Seconds from which on no plan is of interest: something else is known to be faster.
    pub(crate) enough: f64,
    /// GiB of shortfall from which on no plan is of interest.
    pub(crate) short: f64,
    pub(crate) want: Want,
    /// Whether all that is nearly as fast is of interest too, and steps from what was found: else only the fastest.
    pub(crate) settle: bool,
}

/// Which plans are of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// Those that fit.
    Fitting,
    /// What is nearest to fitting: nothing fits.
    Nearest,
    /// Those that fit, and after them what is nearest to it.
    Both,
    /// Any that counts, fit it or not.
    Any,
    /// Whichever fits and is found first.
    Room,
}

impl Want {
    /// Whether no plan is an answer too.
    pub(crate) fn may_be_none(self) -> bool {
        matches!(self, Self::Fitting | Self::Room)
    }
}

impl Limits {
    /// The best `keep`, or what is nearest to fitting.
    pub(crate) fn best(keep: usize) -> Self {
        Self { keep, enough: f64::INFINITY, short: f64::INFINITY, want: Want::Both, settle: true }
    }

    /// What is nearest to fitting, where it lacks less than so many GiB: it is known that nothing fits.
    pub(crate) fn nearer(short: f64) -> Self {
        Self { short, want: Want::Nearest, ..Self::best(1) }
    }

    /// Whichever plan is found first.
    pub(crate) fn any() -> Self {
        Self { want: Want::Any, ..Self::found(1) }
    }

    /// Whichever fits and takes less than so many seconds, and is found first.
    pub(crate) fn room(enough: f64) -> Self {
        Self { enough, want: Want::Room, ..Self::found(1) }
    }

    /// The fastest that fits, and what steps make of it, where it takes less than so many seconds.
    pub(crate) fn settled(enough: f64) -> Self {
        Self { settle: true, ..Self::faster(enough) }
    }

    /// The best `keep` as they are found, without steps from them.
    pub(crate) fn found(keep: usize) -> Self {
        Self { settle: false, ..Self::best(keep) }
    }

    /// The fastest that fits, where it takes less than so many seconds.
    pub(crate) fn faster(enough: f64) -> Self {
        Self { enough, want: Want::Fitting, ..Self::found(1) }
    }
}
