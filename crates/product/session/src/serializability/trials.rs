//! Checks of a program with small changes.
//!
//! A yield point is taken out for a trial by writing `0` in place of `yield`, which has the same
//! value and the same length: every other place of the source stays where it is, so runs and states
//! of the changed program can be compared with those of the original.

use super::{Decision, Verdict, check_source};
use crate::serializability::outline::Outline;
use crate::source::{Kind, Source};
use ser_base::Limits;
use ser_serializability_search::Options;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// What a trial says.
pub(crate) enum Answer {
    /// The changed program is serializable.
    Serializable(Box<Decision>),
    /// The changed program is not.
    NotSerializable(Box<Decision>),
    /// It is not known, or the change makes no program.
    Unknown,
}

/// A program to be checked with changes.
pub(crate) struct Trials<'a> {
    source: &'a Source,
    options: Options,
    limits: Limits,
    /// When all time is over.
    end: Option<(Instant, Duration)>,
    out_of_time: bool,
    outline: Outline,
}

impl<'a> Trials<'a> {
    /// Trials with a program; without any yield points if the source is not a program.
    pub fn new(source: &'a Source, options: Options, limits: Limits) -> Trials<'a> {
        let outline = match crate::source::program(source) {
            Ok(parse) => Outline::new(&parse.program),
            Err(_) => Outline::default(),
        };
        let end = limits.deadline;
        Trials { source, options, limits, end, out_of_time: false, outline }
    }

    /// From now on, trials end at this time.
    pub fn until(&mut self, end: Option<Instant>) {
        if let (Some(end), Some((_, timeout))) = (end, self.limits.deadline) {
            self.limits.deadline = Some((end, timeout));
        }
    }

    /// Whether there is no time for more.
    pub fn is_out_of_time(&self) -> bool {
        self.limits.check_clock().is_err()
    }

    /// Whether some trial could not be made, or not to its end, for want of time.
    pub fn ran_out_of_time(&self) -> bool {
        self.out_of_time
    }

    /// Checks another text, with all the time that is left.
    pub fn check_at_last(&mut self, text: String) -> Answer {
        let share = self.limits.deadline;
        self.limits.deadline = self.end;
        let answer = self.check(text);
        self.limits.deadline = share;
        answer
    }

    /// The outline of the program as it is.
    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// The program without some of its yield points, everything else in its place.
    pub fn text_without(&self, pauses: &BTreeSet<usize>) -> String {
        let mut text = self.source.text.clone();
        for pause in pauses {
            let range = self.outline.pauses[*pause].span.range();
            let blank = format!("{:>width$}", "0", width = range.len());
            text.replace_range(range, &blank);
        }
        text
    }

    /// Checks the program without some of its yield points.
    pub fn without(&mut self, pauses: &BTreeSet<usize>) -> Answer {
        let text = self.text_without(pauses);
        self.check(text)
    }

    /// Checks another text.
    pub fn check(&mut self, text: String) -> Answer {
        if self.source.kind != Kind::Program {
            return Answer::Unknown;
        }
        if self.is_out_of_time() {
            self.out_of_time = true;
            return Answer::Unknown;
        }
        let name = &self.source.name;
        let Ok(source) = crate::source::from_bytes(name, text.into_bytes()) else {
            return Answer::Unknown;
        };
        let report = check_source(source, &self.options, &self.limits, &|_| {});
        match report.verdict {
            Verdict::Serializable { .. } => Answer::Serializable(Box::new(report)),
            Verdict::NotSerializable { .. } => Answer::NotSerializable(Box::new(report)),
            _ => {
                self.out_of_time |= self.is_out_of_time();
                Answer::Unknown
            }
        }
    }
}
