//! What the process knows about itself: how much memory it uses, and whether it was asked to end.

use crate::commands::files::remove_unfinished;
use ser_base::Limits;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code after a second signal: 128 and the number of SIGINT, as shells have it.
const ENDED_AT_ONCE: i32 = 130;

/// The process as limits see it.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// Set when the process is asked to end.
    pub interrupt: Arc<AtomicBool>,
    /// How many bytes are in use.
    pub memory: Option<fn() -> usize>,
}

impl Process {
    /// A process that has not been interrupted.
    pub fn new(memory: Option<fn() -> usize>) -> Process {
        Process { interrupt: Arc::default(), memory }
    }

    /// From now on the first Ctrl-C, SIGTERM or SIGHUP asks all work to end, and the
    /// second one ends the process at once.
    pub fn listen_to_signals(&self) {
        let interrupt = Arc::clone(&self.interrupt);
        // Where there are no signals to listen to, they end the process as usual.
        let _ = ctrlc::set_handler(move || {
            if interrupt.swap(true, Ordering::Relaxed) {
                let _nobody_begins = remove_unfinished();
                std::process::exit(ENDED_AT_ONCE);
            }
        });
    }

    /// Whether the process was asked to end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// The limits, and those of the process.
    pub fn limit(&self, limits: Limits) -> Limits {
        Limits { cancel: Some(Arc::clone(&self.interrupt)), memory: self.memory, ..limits }
    }
}
