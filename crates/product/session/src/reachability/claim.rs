//! Evidence about a goal together with what is asked, to be kept and checked again.

use super::{Answer, Question, words};
use crate::verified::{Valid, Verified};
use ser_base::Limits;
use ser_reachability_checker::{self as checker, Accepted, Evidence, Reason};
use ser_report::text::visible;
use ser_report::{Kind, Source};
use serde::{Deserialize, Serialize};

/// What is claimed of a goal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The place of the goal among those of the source, from 0.
    goal: usize,
    /// For a program: which requests run, and what is to be reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    requests: Option<Requests>,
    evidence: Evidence,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Requests {
    requests: String,
    reach: String,
}

impl Claim {
    /// What an answer claims, if it has evidence.
    pub fn new(question: &Question, goal: usize, answer: &Answer) -> Option<Claim> {
        let requests = question.requests.as_ref();
        let requests =
            requests.map(|it| Requests { requests: it.clone(), reach: answer.goal.clone() });
        Some(Claim { goal, requests, evidence: answer.evidence.clone()? })
    }

    /// Has the evidence checked against a source.
    pub fn verify(&self, source: &Source, limits: &Limits) -> Verified {
        let text = source.text.as_str();
        let question = match (&self.requests, source.kind) {
            (Some(Requests { requests, reach }), _) => {
                checker::Question::Requests { text, requests, reach }
            }
            (None, Kind::Unwinding) => checker::Question::Unwinding { text, target: self.goal },
            (None, _) => checker::Question::Processes { text, goal: self.goal },
        };
        let about = match &self.requests {
            Some(Requests { requests, reach }) => visible(&format!("{reach}, with {requests}")),
            None => format!("goal {}", self.goal + 1),
        };
        match checker::check(&self.evidence, &question, limits) {
            Ok(accepted) => {
                let words = match accepted {
                    Accepted::Followed(_) | Accepted::Fired(_) => "reachable".to_owned(),
                    Accepted::Unreachable { covered, .. } => {
                        format!("unreachable: {}", words::covered(&covered, source.kind))
                    }
                };
                let words = format!("{about}: {words}");
                Verified::Valid(Valid { words, claims: Vec::new() })
            }
            Err(rejection) => match rejection.reason {
                Reason::Stopped(_) => Verified::Stopped(rejection.to_string()),
                _ => Verified::Rejected(rejection.to_string()),
            },
        }
    }
}
