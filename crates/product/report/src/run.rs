//! Executions: who moves, on which lines, what is read and written, what others changed meanwhile.

use crate::source::Source;
use crate::text::and;
use ser_syntax::{Line, Span};

/// A value as people know it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    Number(i64),
    /// A value that has a name, or that is shown in words.
    Name(String),
    /// What is in a queue, first come first.
    List(Vec<Value>),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Name(name) => write!(f, "{name}"),
            Value::List(values) => {
                let words: Vec<String> = values.iter().map(Value::to_string).collect();
                write!(f, "[{}]", words.join(","))
            }
        }
    }
}

/// An execution.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Run {
    /// What it is an execution of: `The interleaving`, `The run, with Clients = 2`.
    pub title: String,
    /// Who takes part.
    pub lanes: Vec<Lane>,
    /// What all of them share, by name.
    pub columns: Vec<String>,
    /// The values of the columns at the start.
    pub start: Vec<Value>,
    pub steps: Vec<Step>,
    /// What is left at the end, a sentence each: who waits for whom, which messages were never
    /// received.
    pub ends: Vec<String>,
}

/// A participant of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lane {
    /// How it is shown: `#1 increment`, or the name of a process.
    pub name: String,
    /// The request's label, or the same name.
    pub label: String,
}

/// One step of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Step {
    /// Who takes it: an index into [`Run::lanes`].
    pub lane: usize,
    /// Whether it is the first step of a request.
    pub arrives: bool,
    /// The source lines on which something happened, in order.
    pub lines: Vec<StepLine>,
    /// What happens in words, where there are no lines, or besides them: `sends Ack(1) to client`.
    pub says: Vec<String>,
    /// The local states before and after, where the source has no lines.
    pub local: Option<(String, String)>,
    pub reads: Vec<(String, Value)>,
    pub writes: Vec<(String, Value)>,
    /// What nondeterministic choices came to, in order.
    pub chooses: Vec<i64>,
    /// What others changed since the lane's last step and this step reads or writes: the name, the
    /// value that was left behind, the value that is found.
    pub meanwhile: Vec<(String, Value, Value)>,
    /// How the lane ends with this step, if it does.
    pub end: Option<End>,
    /// Where the lane stands after the step, unless it has ended.
    pub stands: Option<Stand>,
    /// The `yield` that the step ends at.
    pub pauses_at: Option<Span>,
    /// The values of the columns after the step.
    pub after: Vec<Value>,
}

/// A source line in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepLine {
    pub line: Line,
    /// The part of it that was executed.
    pub span: Span,
    /// The code to show.
    pub code: String,
    /// What happened there: `X is 0`, `chooses 1`.
    pub notes: Vec<String>,
}

/// How a lane ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// A request responds.
    Responds(String),
    /// A request gives up, with a response that does not count.
    Aborts(String),
    /// A process ends.
    Ends,
    /// An error: what is wrong.
    Fails(String),
}

/// Where a lane stands, and what it remembers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stand {
    /// What it does next, in the source.
    pub next: Option<Span>,
    /// The local variables that still matter.
    pub locals: Vec<(String, Value)>,
}

impl Run {
    /// How often the lane changes from one step to the next.
    pub fn switches(&self) -> usize {
        self.steps.windows(2).filter(|pair| pair[0].lane != pair[1].lane).count()
    }

    /// Who takes a step.
    pub fn who(&self, step: &Step) -> &str {
        self.lanes.get(step.lane).map_or("?", |lane| &lane.name)
    }

    /// The values before the step of this number.
    pub fn before(&self, step: usize) -> &[Value] {
        let earlier = step.checked_sub(1).and_then(|it| self.steps.get(it));
        earlier.map_or(&self.start, |it| &it.after)
    }

    /// `X=0, Q=[1]` for the columns whose values differ, or for all of them.
    pub fn assignments(&self, before: Option<&[Value]>, after: &[Value]) -> String {
        let changed = |i: &usize| before.is_none_or(|before| before.get(*i) != after.get(*i));
        let words = (0..after.len())
            .filter(changed)
            .filter_map(|i| Some(format!("{}={}", self.columns.get(i)?, after.get(i)?)));
        words.collect::<Vec<_>>().join(", ")
    }

    /// `#1 increment arrives, reads Count = 0, and pauses before line 22`.
    pub fn sentence(&self, step: &Step, source: Option<&Source>) -> String {
        let mut parts: Vec<String> = Vec::new();
        if step.arrives {
            parts.push("arrives".into());
        }
        if !step.meanwhile.is_empty() {
            let words = step.meanwhile.iter();
            let words =
                words.map(|(name, then, now)| format!("{name} changed from {then} to {now}"));
            parts.push(format!("finds that {} meanwhile", some_of(words.collect())));
        }
        if !step.chooses.is_empty() {
            let words = step.chooses.iter().map(i64::to_string);
            parts.push(format!("chooses {}", some_of(words.collect())));
        }
        if !step.reads.is_empty() {
            let words = step.reads.iter().map(|(name, value)| format!("{name} = {value}"));
            parts.push(format!("reads {}", some_of(words.collect())));
        }
        if !step.writes.is_empty() {
            let words = step.writes.iter().map(|(name, value)| format!("{name} := {value}"));
            parts.push(format!("writes {}", some_of(words.collect())));
        }
        parts.extend(step.says.iter().cloned());
        match (&step.end, &step.stands) {
            (Some(End::Responds(response)), _) => parts.push(format!("responds {response}")),
            (Some(End::Aborts(response)), _) => parts.push(aborts(response)),
            (Some(End::Ends), _) => parts.push("ends".into()),
            (Some(End::Fails(why)), _) => parts.push(format!("fails: {why}")),
            (None, Some(Stand { next: Some(span), .. })) if source.is_some() => {
                let line = source.map(|it| it.lines.line(span.start)).unwrap_or_default();
                parts.push(format!("pauses before line {line}"));
            }
            (None, Some(_)) => match &step.local {
                Some((_, after)) => parts.push(format!("pauses in {after}")),
                None if parts.is_empty() => parts.push("goes on".into()),
                None => {}
            },
            (None, None) => {}
        }
        let last = parts.pop().unwrap_or_else(|| "takes a step".into());
        let who = self.who(step);
        match parts.as_slice() {
            [] => format!("{who} {last}"),
            [one] => format!("{who} {one} and {last}"),
            _ => format!("{who} {}, and {last}", parts.join(", ")),
        }
    }
}

/// What a request does that gives up with this response: `aborts`, where the response says no more.
pub fn aborts(response: &str) -> String {
    match response {
        "abort" => "aborts".to_owned(),
        _ => format!("responds {response}, which does not count"),
    }
}

/// `a, b and c`; a program may read hundreds of variables in one step, so that most are counted.
fn some_of(mut words: Vec<String>) -> String {
    const MOST: usize = 8;
    if words.len() > MOST {
        let more = words.len() - MOST;
        words.truncate(MOST);
        words.push(format!("{more} more"));
    }
    and(&words)
}
