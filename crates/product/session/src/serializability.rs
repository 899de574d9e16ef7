//! Is it serializable? From a program or a network system to a checked report.

pub mod bridge;
pub mod causes;
pub(crate) mod claims;
pub(crate) mod decision;
pub mod explain;
pub mod outline;
mod pictures;
pub mod repair;
pub mod smtlib;
pub mod stages;
mod tell;
mod trials;
pub mod words;

pub use causes::{Causes, find_causes};
pub use decision::{
    Decision, InParts, Verdict, Withheld, check_certificate, check_file, check_source, checked,
    too_large,
};
pub use pictures::{part_of_automaton, part_of_system};
pub use repair::{Repair, RepairKind, Repairs, repair};

use crate::method::{Command, Context, Method, Wants};
use bridge::NoStart;
use ser_base::Limits;
use ser_report::Method::Assertions;
use ser_report::text::count;
use ser_report::{Answer, Attachment, Block, Kind, Report, Section, Source};
use ser_serializability_search::{Options, Progress};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The method with its options.
#[derive(Clone, Debug, Default)]
pub struct Serializability {
    pub engine: Options,
    /// Whether a proof is wanted as SMT-LIB, too.
    pub smtlib: bool,
    /// Whether a file to begin with for `ser prove` is wanted.
    pub start_proof: bool,
}

/// The options that ask for files that only this method makes.
pub const SMTLIB: &str = "--smtlib";
pub const START_PROOF: &str = "--start-proof";

/// Finding out why a program breaks gets little time; the verdict is already there.
const CAUSE_TIME: Duration = Duration::from_secs(2);

impl Method for Serializability {
    fn command(&self) -> Command {
        let reads = &[Kind::Program, Kind::System];
        Command { name: "check", method: ser_report::Method::Serializability, reads }
    }

    fn guess(&self, text: &str) -> Kind {
        let is_json = text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
        if is_json { Kind::System } else { Kind::Program }
    }

    fn answer(&self, source: &Arc<Source>, context: &Context<'_>) -> Vec<Report> {
        let Context { limits, progress, .. } = context;
        let say = |it: Progress| progress(doing(&it));
        let wants = Wants { page: false, ..context.wants };
        let plain = Context { limits, progress, wants, settle: context.settle };
        // If there are other questions, some time is theirs, whatever becomes of this one.
        let parts = if claims::asked(source).is_some() { 3 } else { 4 };
        let first = limits.parts_of_time(parts, 4);
        let mut decision = check_source(source.as_ref().clone(), &self.engine, &first, &say);
        decision.strict = self.engine.strict;
        let breaks = match &decision.verdict {
            Verdict::NotSerializable { refutation, .. } => !refutation.strict,
            _ => false,
        };
        if breaks {
            let engine = Options { strict: false, ..self.engine };
            // The verdict stands, whatever becomes of its causes. What the run itself says about
            // them takes no time.
            let at_once = limits.at_most(Duration::ZERO);
            decision.causes = find_causes(&decision, &engine, &at_once);
            (context.settle)(vec![tell::report(source, &decision, &plain)]);
            let start = Instant::now();
            let limits = limits.at_most(CAUSE_TIME);
            decision.causes = find_causes(&decision, &engine, &limits);
            decision.time += start.elapsed();
        }
        // The verdict stands, whatever becomes of pictures and scripts.
        if context.wants.page || self.smtlib || self.start_proof {
            (context.settle)(vec![tell::report(source, &decision, &plain)]);
        }
        let mut report = tell::report(source, &decision, context);
        if self.smtlib {
            report.attachments.push(Attachment { option: SMTLIB, text: script(&decision) });
        }
        if self.start_proof {
            report.attachments.extend(start_proof(source));
        }
        if matches!(report.answer, Answer::Error(_)) {
            return vec![report];
        }
        (context.settle)(vec![report.clone()]);
        let others = claims::reports(source, context);
        let fails = |it: &Report| {
            it.question.method == Assertions && matches!(it.answer, Answer::Violated(_))
        };
        if matches!(report.answer, Answer::Holds(_)) && others.iter().any(fails) {
            report.sections.push(Section::of(vec![Block::Text(STOPS.to_owned())]));
        }
        [report].into_iter().chain(others).collect()
    }
}

/// What "serializable" says about a program in which something can fail.
const STOPS: &str = "Something can fail, as the next answer shows. A step in which something fails \
                     does not happen, so this one is about a program that stops there.";

/// What is known about a source, as a report with nothing but the words.
pub fn told(decision: &Decision) -> Report {
    let nothing = Source::new(&decision.name, Kind::Program, String::new());
    let source = Arc::new(decision.source.clone().unwrap_or(nothing));
    let limits = Limits::default();
    let context =
        Context { limits: &limits, progress: &|_| (), wants: Wants::default(), settle: &|_| () };
    tell::report(&source, decision, &context)
}

/// What is going on, in a few words.
pub fn doing(progress: &Progress) -> String {
    match progress {
        Progress::Exploring => "listing the states".to_owned(),
        Progress::Reducing => "reducing the net".to_owned(),
        Progress::Proving { attempt } => {
            format!("looking for a proof, counting to {}", attempt.cap)
        }
        Progress::Counting => "looking for a proof by arithmetic".to_owned(),
        Progress::Searching { requests, in_flight, states } => format!(
            "exploring runs of {}, at most {in_flight} in flight; {} visited",
            count(*requests, "request"),
            count(*states, "state"),
        ),
    }
}

fn script(decision: &Decision) -> Result<String, String> {
    smtlib::of_report(decision).ok_or_else(|| "there is no proof of serializability".to_owned())
}

/// A file for `ser prove` to start from. Errors in the program have already been reported.
fn start_proof(source: &Source) -> Option<Attachment> {
    let text = match source.kind {
        Kind::Program => {
            bridge::start_proof(&ser_report::text::visible(&source.name), &source.text)
        }
        _ => {
            let text = Err("this is not a program (.ser), so there is nothing to translate".into());
            return Some(Attachment { option: START_PROOF, text });
        }
    };
    match text {
        Err(NoStart::Errors) => None,
        Err(error) => Some(Attachment { option: START_PROOF, text: Err(error.to_string()) }),
        Ok(text) => Some(Attachment { option: START_PROOF, text: Ok(text) }),
    }
}
