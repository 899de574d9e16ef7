//! The last line of defence: whatever a worker is doing, the command ends when the limits say so.
//!
//! Work checks its own limits and ends with the best that it has found. If it does not,
//! because of a loop that does not check, a file that cannot be read to its end or a system call
//! that does not return, it is left behind: it runs in a thread of its own, and the process ends
//! without it.

use ser_base::{Limits, Stop};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often to check the limits.
const LOOK: Duration = Duration::from_millis(20);

/// How long after a limit the worker may take to end by itself. An answer that is found in the last
/// moment is still [checked](ser_session::method::CHECKING_GRACE) in this time.
const GRACE: Duration = Duration::from_millis(500);

/// As much as the main thread has on most systems.
const STACK: usize = 8 << 20;

/// Does work in a thread of its own; gives up on it when it has not ended some time after a limit.
pub fn within<T: Send + 'static>(
    limits: &Limits,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stop> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let worker = spawn(limits, move || {
        // The receiver is gone if the work took too long.
        let _ = sender.send(work());
    })?;
    let mut late: Option<Instant> = None;
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                // A worker that ends without a result does not exist.
                Ok(()) => return Err(Stop::Cancelled),
            },
        }
        match limits.check_clock() {
            Ok(()) => late = None,
            // Time passes by itself, but memory is taken: much more of it is too much at once.
            Err(stop) if limits.is_far_too_large() => return Err(stop),
            Err(stop) if late.get_or_insert_with(Instant::now).elapsed() >= GRACE => {
                return Err(stop);
            }
            Err(_) => {}
        }
    }
}

/// How often to try to start a thread.
const TRIES: usize = 100;

/// Starts a thread. Where there is no room for one, others may end soon; what a system lacks that
/// still has none is memory.
fn spawn(
    limits: &Limits,
    work: impl FnOnce() + Send + 'static,
) -> Result<std::thread::JoinHandle<()>, Stop> {
    // A thread that does not start takes its work with it.
    let work = Arc::new(Mutex::new(Some(work)));
    for _ in 0..TRIES {
        let work = Arc::clone(&work);
        let started = std::thread::Builder::new().stack_size(STACK).spawn(move || {
            let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(work) = work {
                work();
            }
        });
        match started {
            Ok(worker) => return Ok(worker),
            Err(_) => {
                limits.check_clock()?;
                std::thread::sleep(LOOK);
            }
        }
    }
    Err(Stop::Memory { limit: limits.max_bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_ends_has_a_result() {
        assert_eq!(within(&Limits::default(), || 7), Ok(7));
    }

    #[test]
    fn work_that_does_not_look_at_its_limits_is_left_behind() {
        let started = Instant::now();
        let limit = Duration::from_millis(10);
        let limits = Limits::default().with_timeout(limit);
        let result = within(&limits, || std::thread::sleep(Duration::from_secs(100)));
        assert_eq!(result, Err(Stop::Time { limit }));
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn work_that_is_a_little_late_has_a_result() {
        let limits = Limits::default().with_timeout(Duration::ZERO);
        let result = within(&limits, || std::thread::sleep(Duration::from_millis(100)));
        assert_eq!(result, Ok(()));
    }

    #[test]
    fn work_that_takes_far_too_much_memory_is_left_behind_at_once() {
        let limits = Limits { max_bytes: 1000, memory: Some(|| 1101), ..Limits::default() };
        let started = Instant::now();
        let result = within(&limits, || std::thread::sleep(Duration::from_secs(100)));
        assert_eq!(result, Err(Stop::Memory { limit: 1000 }));
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    #[should_panic(expected = "a defect")]
    fn a_panic_is_passed_on() {
        let _ = within(&Limits::default(), || panic!("a defect"));
    }
}
