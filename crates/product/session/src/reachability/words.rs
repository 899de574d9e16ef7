//! Sentences about goals.

use super::{Answer, Evidence, NoAnswer};
use ser_base::Stop;
use ser_reachability_search::{Covered, SearchProgress};
use ser_report::Kind;
use ser_report::text::{and, count, grouped};

/// What no run does, as far as was looked; without a full stop.
pub fn covered(covered: &Covered, kind: Kind) -> String {
    match (covered, kind) {
        (Covered::All, Kind::Unwinding) => {
            "no run has it: each transition occurs at most once, and all choices of events were \
             covered"
                .to_owned()
        }
        (Covered::All, Kind::Program) => {
            "no run of these requests reaches it, however often loops iterate".to_owned()
        }
        (Covered::All, _) => {
            "no run of these processes reaches it, however often loops iterate".to_owned()
        }
        (Covered::Rounds(rounds), _) => {
            format!("no run in which {} reaches it", within(rounds))
        }
        (Covered::Steps(steps), _) => {
            format!("no run of at most {} reaches it", count(*steps as usize, "step"))
        }
        (Covered::Nothing, _) => "no run that was explored reaches it".to_owned(),
    }
}

/// The same about an answer: an invariant is violated where a goal is reached.
pub fn about(answer: &Answer, words: String) -> String {
    if answer.is_invariant { words.replace("reaches it", "violates it") } else { words }
}

/// `the loops of F iterate at most twice and those of G at most 3 times`.
fn within(rounds: &[(String, u32)]) -> String {
    let of = |(i, (process, n)): (usize, &(String, u32))| {
        let times = match n {
            1 => "once".to_owned(),
            2 => "twice".to_owned(),
            n => format!("{} times", grouped(*n as usize)),
        };
        match i {
            0 => format!("the loops of {process} iterate at most {times}"),
            _ => format!("those of {process} at most {times}"),
        }
    };
    let parts: Vec<String> = rounds.iter().enumerate().map(of).collect();
    and(&parts)
}

/// What is known although the question has no answer.
pub fn so_far(covered: &Covered, kind: Kind) -> Option<String> {
    match covered {
        Covered::Nothing => None,
        Covered::All => Some(self::covered(covered, kind)),
        _ => Some(format!("so far, {}", self::covered(covered, kind))),
    }
}

/// How to look further than this.
pub fn further(covered: &Covered) -> Option<String> {
    let help =
        "explore further with a larger --bound; without one, ser extends the bound by itself";
    matches!(covered, Covered::Rounds(_) | Covered::Steps(_)).then(|| help.to_owned())
}

/// What a checker has established about a goal that cannot be reached; if there was none to ask,
/// what else the answer rests on, as a sentence.
pub fn evidence(evidence: &Evidence) -> Result<String, String> {
    match evidence {
        Evidence::Proof { proof, .. } => Ok(format!(
            "the solver's proof, {} learnt from {} of the formula",
            count(proof.learnt, "clause"),
            count(proof.clauses, "clause"),
        )),
        Evidence::Listed(states) => Err(format!("All states were listed: {}.", grouped(*states))),
    }
}

/// Why there is no answer.
pub fn reason(reason: &NoAnswer) -> String {
    match reason {
        NoAnswer::Stopped(Stop::States { limit }) => {
            format!("the unwinding became too large: more than {} events", grouped(*limit))
        }
        other => other.to_string(),
    }
}

/// Ways out.
pub fn help(reason: &NoAnswer, kind: Kind) -> Vec<String> {
    let less = "explore less with --bound N: the answer then says how far it goes";
    let help = match reason {
        NoAnswer::Stopped(Stop::Time { .. }) => vec!["give it more time with --timeout", less],
        NoAnswer::Stopped(Stop::Memory { .. }) => vec!["give it more memory with --memory", less],
        NoAnswer::Stopped(Stop::Cancelled) => {
            vec!["let it run to its end, or bound it with --timeout"]
        }
        NoAnswer::Stopped(Stop::States { .. } | Stop::Share) => {
            vec![less, "let fewer processes run, or give loops an end"]
        }
        NoAnswer::TooLarge { .. } => {
            vec!["ser counts with at most 48 bits: use smaller numbers, or declare smaller ranges"]
        }
        NoAnswer::Unbounded { .. } if kind == Kind::Program => {
            vec![less, "let the program keep it small: `if (X < 10) { X := X + 1 }`"]
        }
        NoAnswer::Unbounded { .. } => vec!["declare a smaller range", less],
        NoAnswer::LargeNumbers => vec!["declare smaller ranges", less],
        NoAnswer::Unchecked(_) | NoAnswer::NotReplayed(_) => {
            vec!["give it more time with --timeout or more memory with --memory", less]
        }
        NoAnswer::Unproved => vec!["ask a solver that writes proofs: --solver batsat"],
        NoAnswer::NotForUnwindings => vec!["leave out --method bmc"],
        NoAnswer::Rejected(_) | NoAnswer::Replay(_) | NoAnswer::Internal(_) => Vec::new(),
    };
    help.into_iter().map(str::to_owned).collect()
}

/// What is going on, in a few words.
pub fn progress(progress: &SearchProgress) -> String {
    let looks = match &progress.looks {
        Covered::Rounds(rounds) if !rounds.is_empty() => {
            let words = rounds.iter().map(|(process, n)| format!("{process} {n}"));
            format!("loop iterations: {}", words.collect::<Vec<_>>().join(", "))
        }
        Covered::Steps(steps) => format!("at most {steps} steps"),
        _ => "looking for a run".to_owned(),
    };
    format!("{looks}; {} clauses", grouped(progress.formula.1))
}
