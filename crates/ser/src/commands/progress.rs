//! A progress line on a terminal, for work that takes longer than half a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ser_engine::Progress;
use std::io::IsTerminal as _;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_millis(500);

/// Draws on standard error if it is a terminal.
pub struct Line {
    started: Instant,
    visible: bool,
    bar: OnceLock<ProgressBar>,
}

impl Line {
    /// A line that stays away for the first half second.
    pub fn new() -> Line {
        Line {
            started: Instant::now(),
            visible: std::io::stderr().is_terminal(),
            bar: OnceLock::new(),
        }
    }

    /// Says what is going on with a file.
    pub fn update(&self, file: &str, progress: Progress) {
        if !self.visible || self.started.elapsed() < PATIENCE {
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
        bar.set_message(match progress {
            Progress::Reducing => format!("{file}: reducing the net"),
            Progress::Proving { attempt } => {
                format!("{file}: looking for a proof, counting to {}", attempt.cap)
            }
            Progress::Counting => format!("{file}: looking for a proof by arithmetic"),
            Progress::Searching { requests, in_flight, states } => format!(
                "{file}: looking at runs of {requests} requests, at most {in_flight} in flight; {states} states"
            ),
        });
    }

    /// Makes room for output.
    pub fn clear(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
