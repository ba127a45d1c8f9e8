//! A question as JSON, whether it comes as a text or as a dictionary.

use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde::Serialize;

/// How deep dictionaries are written here: none that is asked is half as deep.
const DEEPEST: u32 = 32;
/// Bytes of a question with a whole plan.
const USUAL: usize = 1024;

/// A question as JSON. Texts are JSON already.
pub(crate) struct Asked(pub(crate) String);

impl<'py> FromPyObject<'_, 'py> for Asked {
    type Error = PyErr;

    fn extract(own: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = own.cast::<PyString>() {
            return text.extract().map(Self);
        }
        let mut text = Vec::with_capacity(USUAL);
        if write(&own, &mut text, DEEPEST).is_some()
            && let Ok(text) = String::from_utf8(text)
        {
            return Ok(Self(text));
        }
        by_python(&own).map(Self)
    }
}

/// Writes what is of Python's own types, numbers of which JSON has a like. `None`: something else is in it, and what is written
/// is not to be used.
fn write(own: &Bound<'_, PyAny>, text: &mut Vec<u8>, depth: u32) -> Option<()> {
    if let Ok(own) = own.cast_exact::<PyString>() {
        put(own.to_str().ok()?, text)
    } else if let Ok(own) = own.cast_exact::<PyBool>() {
        put(&own.is_true(), text)
    } else if let Ok(own) = own.cast_exact::<PyInt>() {
        put(&own.extract::<i64>().ok()?, text)
    } else if let Ok(own) = own.cast_exact::<PyFloat>() {
        let own: f64 = own.extract().ok()?;
        own.is_finite().then_some(())?;
        put(&own, text)
    } else if let Ok(own) = own.cast_exact::<PyDict>() {
        write_dictionary(own, text, depth.checked_sub(1)?)
    } else if let Ok(own) = own.cast_exact::<PyList>() {
        write_list(own.iter(), text, depth.checked_sub(1)?)
    } else if let Ok(own) = own.cast_exact::<PyTuple>() {
        write_list(own.iter(), text, depth.checked_sub(1)?)
    } else {
        own.is_none().then(|| text.extend_from_slice(b"null"))
    }
}

fn write_dictionary(own: &Bound<'_, PyDict>, text: &mut Vec<u8>, depth: u32) -> Option<()> {
    text.push(b'{');
    for (place, (key, value)) in own.iter().enumerate() {
        if place > 0 {
            text.push(b',');
        }
        put(key.cast_exact::<PyString>().ok()?.to_str().ok()?, text)?;
        text.push(b':');
        write(&value, text, depth)?;
    }
    text.push(b'}');
    Some(())
}

fn write_list<'py>(items: impl Iterator<Item = Bound<'py, PyAny>>, text: &mut Vec<u8>, depth: u32) -> Option<()> {
    text.push(b'[');
    for (place, item) in items.enumerate() {
        if place > 0 {
            text.push(b',');
        }
        write(&item, text, depth)?;
    }
    text.push(b']');
    Some(())
}

fn put<T: Serialize + ?Sized>(own: &T, text: &mut Vec<u8>) -> Option<()> {
    serde_json::to_writer(text, own).ok()
}

/// What `json.dumps` writes, which knows numbers of NumPy's, types of one's own and what is no question.
fn by_python(own: &Bound<'_, PyAny>) -> PyResult<String> {
    static TEXT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py: Python<'_> = own.py();
    TEXT.import(py, "shardwise._options", "text")?.call1((own,))?.extract()
}
