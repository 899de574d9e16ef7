//! Names for places and transitions: identifiers that any tool can read, and labels for people.

use ser_model::{GlobalId, LocalId, NetworkSystem, RequestId};
use ser_net::{Outcome, Place};
use ser_session::source::{Kind, Source};
use std::collections::{HashMap, HashSet};

/// The longest identifier, before a number is added to it.
const LONGEST: usize = 64;

/// Words that mean something in the formats of nets and queries.
const RESERVED: [&str; 11] =
    ["net", "page", "EF", "AG", "and", "or", "not", "true", "false", "deadlock", "fireable"];

/// Identifiers that have been given away.
#[derive(Debug, Default)]
pub(super) struct Identifiers {
    taken: HashSet<String>,
    /// How many copies of a name there are: thousands of steps may lead from one line to another.
    copies: HashMap<String, usize>,
}

impl Identifiers {
    /// The words as an identifier that nothing else has: letters, digits and underscores.
    pub fn unique(&mut self, words: &str) -> String {
        let wanted = identifier(words);
        let mut name = wanted.clone();
        let copy = self.copies.entry(wanted.clone()).or_insert(1);
        while RESERVED.contains(&name.as_str()) || self.taken.contains(&name) {
            *copy += 1;
            name = format!("{wanted}_{copy}");
        }
        self.taken.insert(name.clone());
        name
    }
}

/// Letters, digits and single underscores, beginning with a letter.
fn identifier(words: &str) -> String {
    let mut out = String::new();
    let mut chars = words.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else if c == '-' && chars.peek().is_some_and(char::is_ascii_digit) {
            // A negative number.
            out.push_str(if out.is_empty() || out.ends_with('_') { "m" } else { "_m" });
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        if out.len() >= LONGEST {
            break;
        }
    }
    out.truncate(out.trim_end_matches('_').len());
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.insert_str(0, if out.is_empty() { "x" } else { "x_" });
    }
    out
}

/// What things are called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words<'a> {
    pub source: &'a Source,
    pub system: &'a NetworkSystem,
}

impl Words<'_> {
    /// A global state: words for an identifier, and a label.
    pub fn global(self, global: GlobalId) -> (String, String) {
        let name = self.system.global_name(global);
        match self.system.variables() {
            [] => ("state".into(), "no global variables".into()),
            [_] if self.source.kind == Kind::System => (name.clone(), format!("state {name}")),
            _ => (name.clone(), name.replace('=', " = ").replace(',', ", ")),
        }
    }

    /// Where a request is: words for an identifier, and a label.
    pub fn spot(self, local: LocalId) -> (String, String) {
        let state = self.system.local(local);
        let (mut short, mut long) = self.line(local);
        for (name, value) in &state.variables {
            short.push_str(&format!("_{name}{value}"));
            long.push_str(&format!(", {name} = {value}"));
        }
        (short, long)
    }

    /// The line where a request is, or whatever its local state is called.
    pub fn line(self, local: LocalId) -> (String, String) {
        let state = self.system.local(local);
        match (state.span, self.source.kind) {
            (Some(span), _) => {
                let line = self.source.lines.position(span.start).line;
                (format!("l{line}"), format!("line {line}"))
            }
            (None, Kind::Program) => (state.name.clone(), "its end".into()),
            (
                None,
                Kind::System
                | Kind::Processes
                | Kind::Unwinding
                | Kind::Protocol
                | Kind::Invariants
                | Kind::Net
                | Kind::Sql,
            ) => (state.name.clone(), format!("state {}", state.name)),
        }
    }

    /// A place where a request is in flight: words for an identifier, and a label.
    pub fn in_flight(self, request: RequestId, local: LocalId) -> (String, String) {
        let request = self.system.request_name(request);
        let (short, long) = self.spot(local);
        (format!("{request}_{short}"), format!("request {request}, {long}"))
    }

    /// A place of a net in normal form: words for an identifier, and a label.
    pub fn place(self, place: &Place) -> (String, String) {
        let (short, mut long) = self.in_flight(place.request, place.name().1);
        let others = place.members.len() - 1;
        if others > 0 {
            long.push_str(&format!(", and {others} alike"));
        }
        (short, long)
    }

    /// A sink: words for an identifier, and a label.
    pub fn sink(self, outcome: Outcome) -> (String, String) {
        let request = self.system.request_name(outcome.request);
        let response = self.system.response_name(outcome.response);
        (format!("{request}_{response}"), format!("{request} responds {response}"))
    }

    /// What a step does to the global state.
    pub fn change(self, before: GlobalId, after: GlobalId) -> String {
        let (from, to) = (self.global(before).1, self.global(after).1);
        if before == after { format!("while {from}") } else { format!("{from} becomes {to}") }
    }
}

#[cfg(test)]
mod tests {
    use super::{Identifiers, identifier};

    #[test]
    fn identifiers_are_plain_and_unique() {
        assert_eq!(identifier("X=1,Y=-2"), "X_1_Y_m2");
        assert_eq!(identifier("put(0, 1)_done(3)"), "put_0_1_done_3");
        assert_eq!(identifier("7 up"), "x_7_up");
        assert_eq!(identifier("«»"), "x");
        let mut names = Identifiers::default();
        assert_eq!(names.unique("a b"), "a_b");
        assert_eq!(names.unique("a-b"), "a_b_2");
        assert_eq!(names.unique("a_b_3"), "a_b_3");
        assert_eq!(names.unique("a.b"), "a_b_4");
        assert_eq!(names.unique("net"), "net_2");
    }
}
