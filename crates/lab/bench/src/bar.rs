//! A progress bar on a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// Draws on standard error if it is a terminal.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar for so many steps.
    pub fn new(steps: usize) -> Bar {
        let bar = ProgressBar::new(steps as u64);
        let template = "{bar:30} {pos}/{len} ({elapsed}) {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Bar(bar)
    }

    /// One more step is done.
    pub fn step(&self, message: String) {
        self.0.inc(1);
        self.say(message);
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
