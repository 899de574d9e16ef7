//! Work on many files at once, with results in the order of the files.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, mpsc};

/// Does something with all files, with as many workers as asked for, and hands the results over in
/// the order of the files. Stops early if `each` says so.
pub fn in_order<R: Send>(
    jobs: usize,
    files: &[String],
    one: impl Fn(&str) -> R + Sync,
    mut each: impl FnMut(R) -> bool,
) {
    let jobs = jobs.min(files.len());
    if jobs <= 1 {
        for file in files {
            if !each(one(file)) {
                return;
            }
        }
        return;
    }
    let next = AtomicUsize::new(0);
    // One slow file must not make thousands of reports wait for it: workers stay close together.
    let turn = Turn::new(jobs * 4);
    let (sender, receiver) = mpsc::channel();
    let receiver = Mutex::new(receiver);
    std::thread::scope(|scope| {
        let turn = &turn;
        for worker in 0..jobs {
            let (sender, next, one) = (sender.clone(), &next, &one);
            let work = move || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(i) else { return };
                    turn.wait_for(i);
                    if sender.send((i, one(file))).is_err() {
                        return;
                    }
                }
            };
            // Where there is no room for that many threads, fewer will do.
            let started = std::thread::Builder::new().spawn_scoped(scope, work.clone());
            if started.is_err() {
                if worker == 0 {
                    turn.advance(|_| usize::MAX);
                    work();
                }
                break;
            }
        }
        drop(sender);
        let _end = turn.end_when_dropped();
        let mut waiting = std::collections::BTreeMap::new();
        let mut expected = 0;
        let Ok(receiver) = receiver.into_inner() else { return };
        for (i, report) in receiver {
            waiting.insert(i, report);
            while let Some(report) = waiting.remove(&expected) {
                expected += 1;
                turn.next();
                if !each(report) {
                    return;
                }
            }
        }
    });
}

/// Lets workers run ahead of the reader, but not too far.
struct Turn {
    /// How many reports the reader has taken.
    taken: Mutex<usize>,
    moved: Condvar,
    ahead: usize,
}

/// Lets all workers go on when the reader leaves.
struct EndOfTurns<'a>(&'a Turn);

impl Turn {
    fn new(ahead: usize) -> Turn {
        Turn { taken: Mutex::new(0), moved: Condvar::new(), ahead }
    }

    /// Waits until the file at this place may be checked.
    fn wait_for(&self, place: usize) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while taken.saturating_add(self.ahead) <= place {
            taken = self.moved.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn advance(&self, to: impl FnOnce(usize) -> usize) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = to(*taken);
        self.moved.notify_all();
    }

    fn next(&self) {
        self.advance(|taken| taken.saturating_add(1));
    }

    fn end_when_dropped(&self) -> EndOfTurns<'_> {
        EndOfTurns(self)
    }
}

impl Drop for EndOfTurns<'_> {
    fn drop(&mut self) {
        self.0.advance(|_| usize::MAX);
    }
}
