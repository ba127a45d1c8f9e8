//! Many questions at once, on all cores.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// How often it is looked whether the person pressed Ctrl-C.
const LISTEN: Duration = Duration::from_millis(100);
/// Questions that a thread takes at once, so that a message is little beside an answer.
const TAKEN: usize = 16;

/// Questions or what was made of them, and the place of these among all.
type Chunk<T> = (usize, Vec<T>);

/// The answers, in the order of the questions. One question is answered where it is asked; of many each core takes the next, while
/// those after it are still taken out of Python. Ctrl-C ends it, once the questions that are being answered are.
pub(crate) fn each<'py, Q: FromPyObjectOwned<'py, Error: Into<PyErr>> + Send, T: Send>(
    questions: &Bound<'py, PyList>,
    answer: impl Fn(Q) -> T + Sync,
) -> PyResult<Vec<T>> {
    let py = questions.py();
    if questions.len() == 1 {
        let question = questions.get_item(0)?.extract().map_err(Into::into)?;
        return Ok(vec![py.detach(|| answer(question))]);
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    // So few that each core has some: a search takes seconds.
    let taken = (questions.len() / (4 * cores)).clamp(1, TAKEN);
    let ended = AtomicBool::new(false);
    let (ask, asked) = mpsc::channel();
    let (tell, told) = mpsc::channel();
    let asked = Mutex::new(asked);
    thread::scope(|scope| {
        for _ in 0..cores.min(questions.len()) {
            let tell = tell.clone();
            // What tells goes where it ends: the last one closes the channel.
            scope.spawn(|| work(&asked, tell, &ended, &answer));
        }
        drop(tell);
        let asked = hand_out(questions, taken, ask);
        ended.store(asked.is_err(), Ordering::Relaxed);
        let found = py.detach(|| collect(told, &ended));
        asked.and(found)
    })
}

/// Takes questions out of Python, for whoever is free.
fn hand_out<'py, Q: FromPyObjectOwned<'py, Error: Into<PyErr>>>(
    questions: &Bound<'py, PyList>,
    taken: usize,
    ask: Sender<Chunk<Q>>,
) -> PyResult<()> {
    let mut chunk = Vec::with_capacity(taken);
    let mut place = 0;
    for question in questions {
        chunk.push(question.extract().map_err(Into::into)?);
        if chunk.len() == taken {
            // Nobody is left to take it only where one panicked, which the scope says.
            let _ = ask.send((place, std::mem::replace(&mut chunk, Vec::with_capacity(taken))));
            place += 1;
        }
    }
    let _ = ask.send((place, chunk));
    Ok(())
}

/// Answers questions while there are some.
fn work<Q, T>(asked: &Mutex<Receiver<Chunk<Q>>>, tell: Sender<Chunk<T>>, ended: &AtomicBool, answer: &impl Fn(Q) -> T) {
    let next = || asked.lock().unwrap_or_else(PoisonError::into_inner).recv();
    while let Ok((place, chunk)) = next() {
        let mut answers = Vec::with_capacity(chunk.len());
        for question in chunk {
            if ended.load(Ordering::Relaxed) {
                return;
            }
            answers.push(answer(question));
        }
        if tell.send((place, answers)).is_err() {
            return;
        }
    }
}

/// All answers, in their order, once everybody is done.
fn collect<T>(told: Receiver<Chunk<T>>, ended: &AtomicBool) -> PyResult<Vec<T>> {
    let mut found: Vec<Chunk<T>> = Vec::new();
    let mut pressed = Ok(());
    let mut listened = Instant::now();
    loop {
        match told.recv_timeout(LISTEN) {
            Ok(chunk) => found.push(chunk),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                found.sort_unstable_by_key(|(place, _)| *place);
                return pressed.map(|()| found.into_iter().flat_map(|(_, answers)| answers).collect());
            }
        }
        if pressed.is_ok() && listened.elapsed() >= LISTEN {
            listened = Instant::now();
            pressed = Python::attach(|py| py.check_signals());
            ended.fetch_or(pressed.is_err(), Ordering::Relaxed);
        }
    }
}
