//! The lines of several texts that are read as one.

/// Where each of several texts begins, in lines of all of them together: while they are read, they are one.
pub(crate) struct Places {
    begins: Vec<u32>,
}

impl Places {
    pub(crate) fn of(texts: &[&str]) -> Self {
        let mut next = 0u32;
        let begins = texts.iter().map(|text| {
            let lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
            let begins = next;
            next = next.saturating_add(lines);
            begins
        });
        Self { begins: begins.collect() }
    }

    /// Lines above a text.
    pub(crate) fn above(&self, text: usize) -> u32 {
        self.begins.get(text).copied().unwrap_or_default()
    }

    /// Says a line as one of its own text, and which that is.
    pub(crate) fn tell(&self, line: &mut u32, file: &mut Option<u32>) {
        if self.begins.len() < 2 || *line == 0 {
            return;
        }
        let own = self.begins.partition_point(|begins| *begins < *line);
        *line -= self.above(own.saturating_sub(1));
        *file = u32::try_from(own).ok();
    }
}
