//! Answers that nobody has looked at.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyList;
use shardwise_core::interface::{self, Function};

use crate::asked::Asked;
use crate::many::each;

/// The answer to a question that was estimated and not refused. Most of an answer's time goes into advice and text, so only one
/// whose plan had to be searched for is written at once: of a stated plan the step is estimated, which is what may be refused, and
/// the question is kept, which is a fifth of the answer and is asked again by whoever looks.
#[pyclass(frozen, from_py_object)]
#[derive(Clone)]
pub(crate) struct Estimated(Kept);

#[derive(Clone)]
enum Kept {
    Line(String),
    Question(String, Arc<str>),
}

/// The place of a question that is refused, and the line that says so.
pub(crate) type Refused = (usize, String);

impl Estimated {
    /// The command line's line.
    pub(crate) fn line(self) -> String {
        match self.0 {
            Kept::Line(line) => line,
            Kept::Question(question, options) => interface::ask(Function::Estimate, &question, &options),
        }
    }
}

/// What is estimated, in the place of each question, and what is refused.
pub(crate) fn estimate(
    questions: &Bound<'_, PyList>,
    options: &str,
) -> PyResult<(Vec<Option<Estimated>>, Vec<Refused>)> {
    let shared: Arc<str> = options.into();
    let all = each(questions, |Asked(question)| {
        interface::estimated(&question, options)
            .map(|line| line.map_or(Kept::Question(question, shared.clone()), Kept::Line))
    })?;
    let mut refused = Vec::new();
    let kept = all
        .into_iter()
        .enumerate()
        .map(|(place, own)| own.map(Estimated).map_err(|line| refused.push((place, line))).ok());
    Ok((kept.collect(), refused))
}
