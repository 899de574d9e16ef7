//! A progress bar on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal as _;

/// Draws on standard error if it is a terminal.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar for so many steps.
    pub fn new(steps: usize) -> Bar {
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        let template = "{bar:30} {pos}/{len} ({elapsed}) {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Bar(bar)
    }

    /// One more step is done.
    pub fn step(&self, message: String) {
        self.0.inc(1);
        self.0.set_message(message);
    }

    /// Something has happened within a step.
    pub fn say(&self, message: String) {
        self.0.set_message(message);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
