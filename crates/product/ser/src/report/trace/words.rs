//! Sentences about goals.

use ser_model::Stop;
use ser_reachability_search::Covered;
use ser_session::events::{Evidence, NoAnswer};
use ser_session::source::Kind;
use ser_session::words::{causes, count, grouped};

/// What cannot be, in plain words.
pub fn covered(covered: &Covered, kind: Option<Kind>) -> String {
    match (covered, kind) {
        (Covered::All, Some(Kind::Unwinding)) => {
            "No run has it: each transition occurs at most once, and all choices of events were covered."
                .to_owned()
        }
        (Covered::All, Some(Kind::Program)) => {
            "No run of these requests reaches it, however often loops go round.".to_owned()
        }
        (Covered::All, _) => {
            "No run of these processes reaches it, however often loops go round.".to_owned()
        }
        (covered, _) => format!("{} reaches it.", within(covered)),
    }
}

/// `No run of at most 12 steps`.
fn within(covered: &Covered) -> String {
    match covered {
        Covered::All => "No run".to_owned(),
        Covered::Rounds(rounds) => {
            let of = |(i, (process, n)): (usize, &(String, u32))| {
                let times = match n {
                    1 => "once".to_owned(),
                    2 => "twice".to_owned(),
                    n => format!("{} times", grouped(*n as usize)),
                };
                match i {
                    0 => format!("the loops of {process} go round at most {times}"),
                    _ => format!("those of {process} at most {times}"),
                }
            };
            let parts: Vec<String> = rounds.iter().enumerate().map(of).collect();
            format!("No run in which {}", causes::and(&parts))
        }
        Covered::Steps(steps) => format!("No run of at most {}", count(*steps as usize, "step")),
        Covered::Nothing => "No run that was looked at".to_owned(),
    }
}

/// What is known although the question has no answer.
pub fn so_far(covered: &Covered, kind: Option<Kind>) -> Option<String> {
    match covered {
        Covered::Nothing => None,
        Covered::All => Some(self::covered(covered, kind)),
        _ => Some(format!("So far: {} reaches it.", lowercase(&within(covered)))),
    }
}

fn lowercase(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_lowercase().chain(chars).collect())
}

/// How to look further than this.
pub fn further(covered: &Covered) -> Vec<String> {
    match covered {
        Covered::Rounds(_) | Covered::Steps(_) => vec![
            "look further with a larger --bound; without it, ser looks further and further by itself"
                .to_owned(),
        ],
        Covered::All | Covered::Nothing => Vec::new(),
    }
}

/// Why a goal cannot be reached.
pub fn evidence(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Proof { proof, .. } => format!(
            "The solver's proof was checked independently: {} learnt, from {} of the formula.",
            count(proof.learnt, "clause"),
            count(proof.clauses, "clause"),
        ),
        Evidence::Listed(states) => {
            format!("All states were listed: {}.", grouped(*states))
        }
        Evidence::Said => {
            "The solver gave no proof for this answer, so nobody has checked it.".to_owned()
        }
    }
}

/// Why there is no answer, and ways out.
pub fn unknown(reason: &NoAnswer, kind: Option<Kind>) -> (String, Vec<String>) {
    let less = "look less far with --bound N: the answer then tells how far";
    let (words, help) = match reason {
        NoAnswer::Stopped(Stop::Time { .. }) => {
            (reason.to_string(), vec!["give it more time with --timeout", less])
        }
        NoAnswer::Stopped(Stop::Memory { .. }) => {
            (reason.to_string(), vec!["give it more memory with --memory", less])
        }
        NoAnswer::Stopped(Stop::Cancelled) => {
            (reason.to_string(), vec!["let it run to its end, or bound it with --timeout"])
        }
        NoAnswer::Stopped(Stop::States { limit }) => (
            format!("the unwinding became too large: more than {} events", grouped(*limit)),
            vec![less, "let fewer processes run, or give loops an end"],
        ),
        NoAnswer::TooLarge { .. } => (
            reason.to_string(),
            vec!["ser counts with at most 48 bits: use smaller numbers, or declare smaller ranges"],
        ),
        NoAnswer::Unbounded { .. } if kind == Some(Kind::Program) => (
            reason.to_string(),
            vec![less, "let the program keep it small: `if (X < 10) { X := X + 1 }`"],
        ),
        NoAnswer::Unbounded { .. } => (reason.to_string(), vec!["declare a smaller range", less]),
        NoAnswer::LargeNumbers => (reason.to_string(), vec!["declare smaller ranges", less]),
        NoAnswer::Unchecked(_) | NoAnswer::NotReplayed(_) => (
            reason.to_string(),
            vec!["give it more time with --timeout or more memory with --memory", less],
        ),
        NoAnswer::NotForUnwindings => (reason.to_string(), vec!["leave out --method bmc"]),
        NoAnswer::Rejected(_) | NoAnswer::Replay(_) | NoAnswer::Internal(_) => {
            (reason.to_string(), vec!["this is a defect of ser: please report it"])
        }
    };
    (words, help.into_iter().map(str::to_owned).collect())
}
