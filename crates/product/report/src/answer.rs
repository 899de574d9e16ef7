//! Questions and answers.

use crate::run::Run;
use crate::source::SourceError;
use ser_syntax::Span;

/// The methods, each of which answers one kind of question.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Method {
    /// Is it serializable? (`ser check`)
    Serializability,
    /// Can this happen? (`ser trace`, and `ser reach` for Petri nets)
    Reachability,
    /// Can it get stuck? (`ser sequentialize`)
    Sequentialization,
    /// Does this always hold? (`ser prove`)
    Invariance,
    /// Can something fail: an assertion, a range, an index, a division? (`ser check`)
    Assertions,
    /// Can somebody wait forever? (`deadlock`, `ser check`)
    Deadlock,
    /// Whose evidence is about transactions in SQL (`ser sql`); the question is serializability.
    Isolation,
}

/// What a method calls itself, its verdicts, and what one report is about. A verdict has a name in
/// JSON and words for people.
struct Names {
    method: &'static str,
    holds: (&'static str, &'static str),
    violated: (&'static str, &'static str),
    noun: (&'static str, &'static str),
}

impl Method {
    fn names(self) -> Names {
        const FILE: (&str, &str) = ("file", "files");
        const GOAL: (&str, &str) = ("goal", "goals");
        const BROKEN: (&str, &str) = ("not_serializable", "NOT serializable");
        const NEVER: (&str, &str) = ("never_fails", "nothing fails");
        const FREE: (&str, &str) = ("deadlock_free", "nobody has to wait forever");
        const WAITS: (&str, &str) = ("can_deadlock", "somebody can WAIT FOREVER");
        let same = |word| (word, word);
        let (method, holds, violated, noun) = match self {
            Method::Serializability => ("serializability", same("serializable"), BROKEN, FILE),
            Method::Reachability => ("reachability", same("unreachable"), same("reachable"), GOAL),
            Method::Sequentialization => {
                ("sequentialization", same("sequentialized"), same("refuted"), FILE)
            }
            Method::Invariance => ("invariance", same("proved"), same("refuted"), FILE),
            Method::Assertions => ("assertions", NEVER, ("can_fail", "something can FAIL"), FILE),
            Method::Deadlock => ("deadlock", FREE, WAITS, FILE),
            Method::Isolation => ("isolation", same("serializable"), BROKEN, FILE),
        };
        Names { method, holds, violated, noun }
    }

    /// The name of the method and of its question, in JSON and in certificates.
    pub fn name(self) -> &'static str {
        self.names().method
    }

    /// `file` or `goal`: what one report of this method is about.
    pub fn noun(self, count: usize) -> &'static str {
        let (one, many) = self.names().noun;
        if count == 1 { one } else { many }
    }
}

/// What so many reports are about, if these are their methods: files, goals, or just questions.
pub fn noun_of(methods: impl IntoIterator<Item = Method>, count: usize) -> &'static str {
    let mut methods = methods.into_iter();
    match methods.next() {
        Some(first) if methods.all(|method| method == first) => first.noun(count),
        _ => "questions",
    }
}

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    pub method: Method,
    /// Its name in the source, if it has one there.
    pub name: Option<String>,
    /// What exactly is asked, as it is written: `reach X == 2`. Nothing for the question that a
    /// file of its kind always poses.
    pub text: Option<String>,
    /// Where it is written.
    pub span: Option<Span>,
}

impl Question {
    /// The question that a file poses as a whole.
    pub fn of(method: Method) -> Question {
        Question { method, name: None, text: None, span: None }
    }
}

/// What was found out. Whatever is claimed here, an independent checker has accepted.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It holds: serializable, unreachable, sequentialized, proved.
    Holds(Proof),
    /// It does not, and this is the run that shows it.
    Violated(Violation),
    /// The argument breaks at some step, and no run is known that shows the opposite.
    NotInductive,
    /// Neither is known.
    Unknown(Unknown),
    /// A defect of ser itself: there was an answer, and the checker rejected it.
    Withheld(String),
    /// The input is wrong.
    Error(SourceError),
}

/// The kind of argument that is about one instance: all of its runs were tried, and nothing is said
/// about others.
pub const EXPLORATION: &str = "exploration";

/// The verdict then, in machine-readable output: it is about the given sizes only.
const EXPLORED: &str = "explored";

/// Why something holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Proof {
    /// The kind of argument: `rules`, `inclusion`, `clauses`, ...
    pub method: String,
    /// The argument in one sentence, without a full stop; may be empty.
    pub why: String,
    /// Its points, one sentence each.
    pub points: Vec<String>,
    /// What the checker has established, in words; `None` if it was not checked.
    pub checked: Option<String>,
}

/// Why something does not hold.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Violation {
    /// The runs that show it. The first one is the one to show.
    pub runs: Vec<Run>,
    /// What the checker has established, in words.
    pub checked: Option<String>,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unknown {
    /// A sentence in lower case, without a full stop.
    pub reason: String,
    /// The place to blame, if there is one.
    pub span: Option<Span>,
    /// What was tried, and how far it got.
    pub tried: Vec<String>,
    /// Ways out.
    pub help: Vec<String>,
    /// Whether the work was interrupted.
    pub interrupted: bool,
    /// Whether the work had not even begun.
    pub not_begun: bool,
}

impl Answer {
    /// The exit code for this answer alone.
    pub fn exit_code(&self) -> u8 {
        match self {
            Answer::Holds(_) => 0,
            Answer::Violated(_) => 1,
            Answer::Error(_) => 2,
            Answer::Unknown(_) | Answer::Withheld(_) => 3,
            Answer::NotInductive => 4,
        }
    }

    /// The name of the verdict in machine-readable output.
    pub fn verdict(&self, method: Method) -> &'static str {
        match self {
            Answer::Holds(proof) if proof.method == EXPLORATION => EXPLORED,
            Answer::Holds(_) => method.names().holds.0,
            Answer::Violated(_) => method.names().violated.0,
            Answer::NotInductive => "not_inductive",
            Answer::Unknown(_) | Answer::Withheld(_) => "unknown",
            Answer::Error(_) => "error",
        }
    }

    /// The verdict in words.
    pub fn words(&self, method: Method) -> &'static str {
        match self {
            Answer::Holds(proof) if proof.method == EXPLORATION => "nothing goes wrong",
            Answer::Holds(_) => method.names().holds.1,
            Answer::Violated(_) => method.names().violated.1,
            Answer::NotInductive => "not inductive",
            Answer::Unknown(_) | Answer::Withheld(_) => "unknown",
            Answer::Error(_) => "error",
        }
    }

    /// The run to show.
    pub fn run(&self) -> Option<&Run> {
        match self {
            Answer::Violated(violation) => violation.runs.first(),
            _ => None,
        }
    }

    /// What the checker has established.
    pub fn checked(&self) -> Option<&str> {
        match self {
            Answer::Holds(proof) => proof.checked.as_deref(),
            Answer::Violated(violation) => violation.checked.as_deref(),
            _ => None,
        }
    }
}

/// The exit code of several answers: the most serious one, in the order 2, 1, 4, 3, 0.
///
/// ```
/// use ser_report::most_serious;
/// assert_eq!(most_serious([]), 0);
/// assert_eq!(most_serious([0, 3]), 3);
/// assert_eq!(most_serious([0, 3, 4]), 4);
/// assert_eq!(most_serious([3, 1, 4, 0]), 1);
/// assert_eq!(most_serious([1, 2, 3]), 2);
/// ```
pub fn most_serious(codes: impl IntoIterator<Item = u8>) -> u8 {
    let rank = |code: &u8| [0, 3, 4, 1, 2].iter().position(|it| it == code).unwrap_or(4);
    codes.into_iter().max_by_key(rank).unwrap_or(0)
}
