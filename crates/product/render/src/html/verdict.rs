//! The verdict in words and in a colour.

use super::run::participants;
use ser_report::text::capitalised;
use ser_report::{Answer, Report, SourceError};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The class that gives it a colour.
    pub class: &'static str,
    pub headline: String,
}

/// The classes, from good to bad; `wrong` is about sources with errors.
const CLASSES: [&str; 4] = ["good", "doubt", "bad", "wrong"];

impl Verdict {
    pub fn of(report: &Report) -> Verdict {
        let class = match &report.answer {
            Answer::Holds(_) => "good",
            Answer::Violated(_) => "bad",
            Answer::Error(_) => "wrong",
            Answer::NotInductive | Answer::Unknown(_) | Answer::Withheld(_) => "doubt",
        };
        let headline = match &report.answer {
            Answer::Error(SourceError::Unreadable { .. }) => "Not readable".to_owned(),
            Answer::Error(_) => "Not understood".to_owned(),
            answer => capitalised(&answer.words(report.question.method).to_lowercase()),
        };
        Verdict { class, headline }
    }

    /// How it is counted: `2 not serializable`, `1 with errors`.
    pub fn summary(&self) -> String {
        match self.class {
            "wrong" => "with errors".to_owned(),
            _ => self.headline.to_lowercase(),
        }
    }

    /// Its place from good to bad.
    pub fn rank(&self) -> usize {
        CLASSES.iter().position(|class| *class == self.class).unwrap_or_default()
    }
}

/// What the verdict means.
pub fn meaning(report: &Report) -> &str {
    if !report.meaning.is_empty() {
        return &report.meaning;
    }
    match &report.answer {
        Answer::Holds(_) | Answer::Violated(_) | Answer::NotInductive => "",
        Answer::Unknown(_) | Answer::Withheld(_) => {
            "There is neither a proof nor a counterexample."
        }
        Answer::Error(SourceError::Unreadable { .. }) => "There is nothing to check.",
        Answer::Error(SourceError::Argument { .. }) => "There is nothing to decide yet.",
        Answer::Error(_) => "The source has errors, so there is nothing to decide yet.",
    }
}

/// How the answer was found, or how many it takes: `by rules`, `2 requests`.
pub fn how(report: &Report) -> Option<String> {
    match &report.answer {
        Answer::Holds(proof) => match proof.method.as_str() {
            // There is no checked proof: a solver said so.
            "" | "none" => None,
            "atomic" => Some("by reductions alone".to_owned()),
            method => Some(format!("by {method}")),
        },
        Answer::Violated(violation) => {
            let run = violation.runs.first().filter(|run| !run.lanes.is_empty())?;
            Some(participants(run, report.source.as_deref()))
        }
        _ => None,
    }
}
