//! The report.

use crate::answer::{Answer, Question, Unknown};
use crate::finding::{Finding, Mark};
use crate::section::Section;
use crate::source::{Source, SourceError};
use ser_syntax::Diagnostic;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// What is known about one question about one source.
#[derive(Clone, Debug)]
pub struct Report {
    /// How the user calls the file.
    pub file: String,
    /// The source, unless it could not be read.
    pub source: Option<Arc<Source>>,
    pub question: Question,
    pub answer: Answer,
    /// What the verdict means in a sentence, for the top of a page.
    pub meaning: String,
    /// The answer in words. Reasons for having none, errors and warnings are not in it: they are
    /// said by the answer.
    pub sections: Vec<Section>,
    pub findings: Vec<Finding>,
    pub marks: Vec<Mark>,
    /// Warnings about the source.
    pub warnings: Vec<Diagnostic>,
    /// Data for programs that only this method has. It becomes part of the JSON object.
    pub data: Map<String, Value>,
    /// The same for the object that describes the run.
    pub run_data: Map<String, Value>,
    pub timing: Timing,
    /// Measurements beyond times, in the order in which to show them: a line of words each.
    pub statistics: Vec<(String, String)>,
    /// The same for programs.
    pub statistics_data: Map<String, Value>,
    /// The certificate as it was accepted, if it is to be kept.
    pub certificate: Option<String>,
    pub attachments: Vec<Attachment>,
}

/// How long it took.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Timing {
    /// From reading the source to the checked answer.
    pub total: Duration,
    /// How that divides among stages.
    pub stages: Vec<(&'static str, Duration)>,
}

/// A file that was asked for and that only some methods write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attachment {
    /// The option that asks for it: `--smtlib`.
    pub option: &'static str,
    /// The text, or why there is none.
    pub text: Result<String, String>,
}

impl Report {
    /// A report with nothing but an answer.
    pub fn new(file: &str, question: Question, answer: Answer) -> Report {
        Report {
            file: file.to_owned(),
            source: None,
            question,
            answer,
            meaning: String::new(),
            sections: Vec::new(),
            findings: Vec::new(),
            marks: Vec::new(),
            warnings: Vec::new(),
            data: Map::new(),
            run_data: Map::new(),
            timing: Timing::default(),
            statistics: Vec::new(),
            statistics_data: Map::new(),
            certificate: None,
            attachments: Vec::new(),
        }
    }

    /// A report about a source that has no meaning.
    pub fn error(file: &str, question: Question, error: SourceError) -> Report {
        Report::new(file, question, Answer::Error(error))
    }

    /// A report without an answer.
    pub fn unknown(file: &str, question: Question, unknown: Unknown) -> Report {
        Report::new(file, question, Answer::Unknown(unknown))
    }

    /// The name of the verdict in machine-readable output.
    pub fn verdict(&self) -> &'static str {
        self.answer.verdict(self.question.method)
    }

    pub fn exit_code(&self) -> u8 {
        self.answer.exit_code()
    }

    /// Whether there is no answer only because the work was interrupted.
    pub fn is_interrupted(&self) -> bool {
        matches!(&self.answer, Answer::Unknown(unknown) if unknown.interrupted)
    }
}
