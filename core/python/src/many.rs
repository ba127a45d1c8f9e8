//! Many questions at once, on all cores.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::{PyResult, Python};

use crate::asked::Asked;

/// How often it is looked whether the person pressed Ctrl-C.
const LISTEN: Duration = Duration::from_millis(100);
/// Questions that a thread takes at once, so that a message is little beside an answer.
const TAKEN: usize = 16;

/// The answers, in the order of the questions. One question is answered where it is asked; of many each core takes the next.
/// Ctrl-C ends it, once the questions that are being answered are.
pub(crate) fn each<T: Send>(
    py: Python<'_>,
    questions: &[Asked],
    answer: impl Fn(&str) -> T + Sync,
) -> PyResult<Vec<T>> {
    if let [question] = questions {
        return Ok(vec![py.detach(|| answer(question.text()))]);
    }
    py.detach(|| shared(questions, &answer))
}

fn shared<T: Send>(questions: &[Asked], answer: &(impl Fn(&str) -> T + Sync)) -> PyResult<Vec<T>> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    // So few that each core has some: a search takes seconds.
    let taken = (questions.len() / (4 * cores)).clamp(1, TAKEN);
    let chunks: Vec<&[Asked]> = questions.chunks(taken).collect();
    let next = AtomicUsize::new(0);
    let ended = AtomicBool::new(false);
    let (tell, told) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..cores.min(chunks.len()) {
            let tell = tell.clone();
            scope.spawn(|| {
                // What it tells goes where it ends: the last one closes the channel.
                let tell = tell;
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(chunk) = chunks.get(place) else { return };
                    let mut lines = Vec::with_capacity(chunk.len());
                    for question in *chunk {
                        if ended.load(Ordering::Relaxed) {
                            return;
                        }
                        lines.push(answer(question.text()));
                    }
                    if tell.send((place, lines)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(tell);
        let mut found: Vec<Vec<T>> = chunks.iter().map(|_| Vec::new()).collect();
        let mut listened = Instant::now();
        loop {
            match told.recv_timeout(LISTEN) {
                Ok((place, lines)) => {
                    if let Some(own) = found.get_mut(place) {
                        *own = lines;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(found.into_iter().flatten().collect()),
            }
            if listened.elapsed() >= LISTEN {
                listened = Instant::now();
                if let Err(pressed) = Python::attach(|py| py.check_signals()) {
                    ended.store(true, Ordering::Relaxed);
                    return Err(pressed);
                }
            }
        }
    })
}
