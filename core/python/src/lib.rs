//! The core for Python, texts in and texts out: `scripts/pack-wheel` packs it, `python/shardwise` says it in dicts.

mod asked;
mod estimated;
mod many;

/// What `shardwise` takes from Rust. Each function answers a list of questions, in their order; while it computes, other
/// threads of Python run.
#[pyo3::pymodule]
mod _core {
    use pyo3::types::PyList;
    use pyo3::{Bound, PyResult, Python, pyfunction};
    use shardwise_core::identity::Identity;
    use shardwise_core::interface::{self, Function};

    use super::asked::Asked;
    #[pymodule_export]
    use super::estimated::Estimated;
    use super::estimated::Refused;
    use super::many::each;

    /// Which build this is.
    const BUILD: Identity = Identity::of(env!("CARGO_PKG_VERSION"), option_env!("SHARDWISE_COMMIT"));

    /// The package's version.
    #[pymodule_export]
    const VERSION: &str = BUILD.version;

    /// The first digits of the commit that it was built of; nothing where none is known.
    #[pymodule_export]
    const COMMIT: Option<&str> = BUILD.commit;

    /// Version of the data.
    #[pymodule_export]
    const DATA: &str = BUILD.data;

    /// Date of the newest figure in the catalog.
    #[pymodule_export]
    const DATA_DATE: &str = BUILD.data_date;

    /// Date of the newest price.
    #[pymodule_export]
    const PRICES_DATE: &str = BUILD.prices_date;

    /// Answers questions.
    #[pyfunction]
    fn estimate(questions: &Bound<'_, PyList>, options: &str) -> PyResult<Vec<String>> {
        each(questions, |Asked(question)| interface::ask(Function::Estimate, &question, options))
    }

    /// Estimates questions, and says in which places one was refused, with the line that says so.
    #[pyfunction]
    fn estimate_many(questions: &Bound<'_, PyList>, options: &str) -> PyResult<(Vec<Option<Estimated>>, Vec<Refused>)> {
        super::estimated::estimate(questions, options)
    }

    /// The lines of what was estimated.
    #[pyfunction]
    fn written(estimated: &Bound<'_, PyList>) -> PyResult<Vec<String>> {
        each(estimated, Estimated::line)
    }

    /// Searches the best plans or offers of questions.
    #[pyfunction]
    fn search(questions: &Bound<'_, PyList>, options: &str) -> PyResult<Vec<String>> {
        each(questions, |Asked(question)| interface::ask(Function::Search, &question, options))
    }

    /// Writes the texts to paste of questions.
    #[pyfunction]
    fn flags(questions: &Bound<'_, PyList>, options: &str) -> PyResult<Vec<String>> {
        each(questions, |Asked(question)| interface::ask(Function::Flags, &question, options))
    }

    /// Says what each single change of the questions' plans is worth.
    #[pyfunction]
    fn sensitivity(questions: &Bound<'_, PyList>, options: &str) -> PyResult<Vec<String>> {
        each(questions, |Asked(question)| interface::ask_sensitivity(&question, options))
    }

    /// Says how figures of the questions' answers come about.
    #[pyfunction]
    fn explain(questions: &Bound<'_, PyList>, options: &str) -> PyResult<Vec<String>> {
        each(questions, |Asked(question)| interface::ask_explanations(&question, options))
    }

    /// Lays a run beside its estimate.
    #[pyfunction]
    fn calibrate(questions: &Bound<'_, PyList>, options: &str) -> PyResult<Vec<String>> {
        each(questions, |Asked(question)| interface::ask_calibration(&question, options))
    }

    /// Writes the links of questions; `usual` fills in what is usual where they do not say how large their task is.
    #[pyfunction]
    fn link(questions: &Bound<'_, PyList>, usual: bool) -> PyResult<Vec<String>> {
        each(questions, |Asked(question)| interface::ask_link(&question, usual))
    }

    /// Reads the texts of one run back into a question.
    #[pyfunction]
    fn read(py: Python<'_>, texts: Vec<String>, options: &str) -> String {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        py.detach(|| interface::read_texts(&texts, options))
    }

    /// Says where memory ran out, and what would help.
    #[pyfunction]
    fn doctor(py: Python<'_>, texts: Vec<String>, options: &str) -> String {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        py.detach(|| interface::diagnose_texts(&texts, options))
    }

    /// Decides whether the texts of one run fit, end in time and are paid for.
    #[pyfunction]
    fn check(py: Python<'_>, texts: Vec<String>, options: &str) -> String {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        py.detach(|| interface::check_texts(&texts, options))
    }

    /// A table of the catalog, a row a line.
    #[pyfunction]
    fn catalog(table: &str) -> String {
        interface::look_up(table)
    }
}
