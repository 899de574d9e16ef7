//! A progress line on a terminal, for work that takes longer than half a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal as _;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_millis(500);

/// Draws on standard error if it is a terminal.
pub struct Line {
    started: Instant,
    visible: bool,
    bar: OnceLock<ProgressBar>,
    /// What to say once the first half second is over.
    pending: Mutex<Option<String>>,
}

impl Line {
    /// A line that stays away for the first half second.
    pub fn new() -> Line {
        Line {
            started: Instant::now(),
            visible: std::io::stderr().is_terminal(),
            bar: OnceLock::new(),
            pending: Mutex::new(None),
        }
    }

    fn is_wanted(&self) -> bool {
        self.visible && self.started.elapsed() >= PATIENCE
    }

    /// Says this, or will when the first half second is over: for work that reports nothing for
    /// a long time.
    pub fn say_in_time(self: &Arc<Line>, words: &str) {
        if !self.visible || self.is_wanted() {
            return self.say(words);
        }
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        if pending.replace(words.to_owned()).is_some() {
            return;
        }
        let (line, rest) = (Arc::clone(self), PATIENCE.saturating_sub(self.started.elapsed()));
        // Without room for a thread, there is no line.
        let _ = std::thread::Builder::new().spawn(move || {
            std::thread::sleep(rest);
            let pending = line.pending.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(words) = pending {
                line.say(&words);
            }
        });
    }

    fn say(&self, words: &str) {
        if !self.is_wanted() {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        bar.set_message(words.to_owned());
    }

    /// Makes room for output.
    pub fn clear(&self) {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
