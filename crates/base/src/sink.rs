//! Where the messages about one source text gather.
//!
//! A person reads the first few errors and repairs them; a machine-made or broken file can
//! have a million. So the sink counts everything, keeps a bounded number, and in the end shows
//! the first ones by position and says how many were left out.

use crate::{Diagnostic, Severity, Span, closest_name};

/// How many errors are shown.
const SHOWN_ERRORS: usize = 20;
/// How many warnings are shown.
const SHOWN_WARNINGS: usize = 100;
/// How many messages of one severity are kept until they are sorted.
pub const KEPT_DIAGNOSTICS: usize = 1000;

/// Messages with a count of all that were said.
#[derive(Default)]
pub struct Sink {
    errors: Bucket,
    warnings: Bucket,
}

/// The messages of one severity.
#[derive(Default)]
struct Bucket {
    kept: Vec<Diagnostic>,
    count: usize,
}

impl Sink {
    /// Takes a message.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let bucket = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        bucket.count += 1;
        if bucket.kept.len() < KEPT_DIAGNOSTICS {
            bucket.kept.push(diagnostic);
        }
    }

    /// Takes all messages of another.
    pub fn append(&mut self, other: Sink) {
        let buckets = [(&mut self.errors, other.errors), (&mut self.warnings, other.warnings)];
        for (bucket, mut more) in buckets {
            bucket.count += more.count;
            bucket.kept.append(&mut more.kept);
            bucket.kept.truncate(KEPT_DIAGNOSTICS);
        }
    }

    /// Whether an error was taken.
    pub fn has_errors(&self) -> bool {
        self.errors.count > 0
    }

    /// Whether further errors are only counted: no effort should go into their words.
    pub fn is_full(&self) -> bool {
        self.errors.count >= KEPT_DIAGNOSTICS
    }

    /// The known name that is closest to this one, while errors are still kept.
    pub fn closest<'a>(&self, name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
        if self.is_full() { None } else { closest_name(name, known) }
    }

    /// The messages to show, sorted by position.
    pub fn finish(self) -> Vec<Diagnostic> {
        let mut shown = self.errors.shown(SHOWN_ERRORS, |left_out, span| {
            let errors = if left_out == 1 { "error was" } else { "errors were" };
            Diagnostic::error("more-errors", format!("{left_out} more {errors} left out"), span)
                .with_label("the first of them is here")
                .with_help("repair the errors above first; some of these may disappear with them")
        });
        shown.extend(self.warnings.shown(SHOWN_WARNINGS, |left_out, span| {
            let warnings = if left_out == 1 { "warning was" } else { "warnings were" };
            let message = format!("{left_out} more {warnings} left out");
            Diagnostic::warning("more-warnings", message, span)
                .with_label("the first of them is here")
        }));
        shown.sort_by_key(place);
        shown
    }
}

impl Bucket {
    fn shown(mut self, limit: usize, rest: impl Fn(usize, Span) -> Diagnostic) -> Vec<Diagnostic> {
        self.kept.sort_by_key(place);
        if let Some(first_left_out) = self.kept.get(limit) {
            let rest = rest(self.count - limit, first_left_out.primary.span);
            self.kept.truncate(limit);
            self.kept.push(rest);
        }
        self.kept
    }
}

fn place(diagnostic: &Diagnostic) -> (u32, u32) {
    (diagnostic.primary.span.start, diagnostic.primary.span.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(count: u32) -> Vec<Diagnostic> {
        let mut sink = Sink::default();
        for i in (0..count).rev() {
            sink.push(Diagnostic::error("test", "wrong", Span::empty(i)));
        }
        sink.finish()
    }

    #[test]
    fn twenty_errors_are_shown_as_they_are() {
        let shown = shown(20);
        assert_eq!(shown.len(), 20);
        assert!(shown.iter().all(|d| d.code == "test"));
        assert!(shown.is_sorted_by_key(|d| d.primary.span.start));
    }

    #[test]
    fn of_more_errors_the_rest_is_counted() {
        assert_eq!(shown(21).last().map(|d| &*d.message), Some("1 more error was left out"));
        let many = shown(5000);
        assert_eq!(many.len(), 21);
        assert_eq!(many.last().map(|d| &*d.message), Some("4980 more errors were left out"));
    }
}
