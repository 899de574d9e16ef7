//! The heap as chains of cells, from the variables that lead to them.

use super::words::{Words, elem, thread_name};
use ser_invariance_checker::run::{Cell, Value};
use ser_invariance_search::explore::State;
use ser_syntax::inv::ast::{GlobalId, LocalId};
use std::collections::BTreeSet;

/// A longer chain is cut.
const LONGEST: usize = 12;

/// Cells that hang together, one chain a line: `head -> a1 (lowest) -> a2 (3, locked by i) ->
/// null`. First those that globals lead to, then those of locals, then cells that no variable leads
/// to. A chain that meets another one ends where it does.
pub fn chains(words: &Words<'_>, state: &State, threads: &[String]) -> Vec<String> {
    let mut drawer = Drawer { state, threads, drawn: BTreeSet::new() };
    let mut lines = Vec::new();
    for (id, value) in (0..).map(GlobalId).zip(&state.globals) {
        lines.extend(drawer.from(value, || words.global(id).to_owned()));
    }
    for (number, thread) in (0..).zip(&state.threads) {
        for (id, value) in (0..).map(LocalId).zip(&thread.locals) {
            let name = || format!("{}[{}]", words.local(id), thread_name(threads, number));
            lines.extend(drawer.from(value, name));
        }
    }
    let left: Vec<u32> = state.cells.keys().copied().collect();
    // Those that others lead to are drawn with them.
    let behind: BTreeSet<u32> = state.cells.values().map(|cell| cell.next).collect();
    let (inner, heads): (Vec<u32>, Vec<u32>) = left.into_iter().partition(|it| behind.contains(it));
    for address in heads.into_iter().chain(inner) {
        if !drawer.drawn.contains(&address) {
            lines.push(format!("no variable -> {}", drawer.chain(address)));
        }
    }
    lines
}

struct Drawer<'a> {
    state: &'a State,
    threads: &'a [String],
    drawn: BTreeSet<u32>,
}

impl Drawer<'_> {
    /// The chain that a variable leads to, if nobody has drawn it yet.
    fn from(&mut self, value: &Value, name: impl FnOnce() -> String) -> Option<String> {
        match value {
            Value::Addr(address) if *address != 0 && !self.drawn.contains(address) => {
                Some(format!("{} -> {}", name(), self.chain(*address)))
            }
            _ => None,
        }
    }

    fn chain(&mut self, first: u32) -> String {
        let mut parts = Vec::new();
        let mut at = first;
        while at != 0 {
            if !self.drawn.insert(at) {
                parts.push(format!("a{at}"));
                return parts.join(" -> ");
            }
            if parts.len() == LONGEST {
                parts.push("...".to_owned());
                return parts.join(" -> ");
            }
            let cell = self.state.cells.get(&at).cloned().unwrap_or_default();
            parts.push(self.cell(at, &cell));
            at = cell.next;
        }
        parts.push("null".to_owned());
        parts.join(" -> ")
    }

    fn cell(&self, address: u32, cell: &Cell) -> String {
        let lock = match cell.lockid {
            None => String::new(),
            Some(owner) => format!(", locked by {}", thread_name(self.threads, owner)),
        };
        format!("a{address} ({}{lock})", elem(cell.data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ser_invariance_checker::run::Elem;
    use ser_syntax::LineIndex;
    use std::collections::BTreeMap;

    #[test]
    fn chains_meet_end_and_go_round() {
        let text = "var head: addr; var tail: addr; set Threads  process thread for self in Threads { skip; }";
        let system = ser_syntax::inv::parse(text).system;
        let words = Words { system: &system, text, lines: &LineIndex::new(text) };
        let cell = |next, lockid| Cell { next, data: Elem::Between(7), lockid };
        let cells = BTreeMap::from([
            (1, cell(2, Some(0))),
            (3, cell(2, Some(5))),
            (4, cell(5, None)),
            (5, cell(4, None)),
            (6, cell(0, None)),
        ]);
        let globals = vec![Value::Addr(1), Value::Addr(2)];
        let state = State { globals, threads: Vec::new(), cells };
        assert_eq!(
            chains(&words, &state, &["i".to_owned()]),
            [
                "head -> a1 (7, locked by i) -> a2 (0) -> null",
                "no variable -> a3 (7, locked by somebody else) -> a2",
                "no variable -> a6 (7) -> null",
                "no variable -> a4 (7) -> a5 (7) -> a4",
            ]
        );
    }
}
