//! The text of a generated request.

use super::lower::Action;
use super::steps::Stmt;
use super::term::{Term, Variable};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What a procedure needs.
#[derive(Default)]
pub(super) struct Used {
    /// Local numbers, in the order of their first use.
    pub numbers: Vec<String>,
    /// Local truth values.
    pub flags: Vec<String>,
}

impl Used {
    /// The local variables of a procedure without its parameters.
    pub fn of(first: &[Action], rest: &[Stmt], parameters: &BTreeSet<String>) -> Used {
        let mut used = Used::default();
        used.actions(first);
        rest.iter().for_each(|stmt| used.stmt(stmt));
        used.numbers.retain(|name| !parameters.contains(name));
        used
    }

    fn number(&mut self, variable: &Variable) {
        if !variable.shared && !self.numbers.contains(&variable.name) {
            self.numbers.push(variable.name.clone());
        }
    }

    fn flag(&mut self, name: &str) {
        if !self.flags.iter().any(|it| it == name) {
            self.flags.push(name.to_owned());
        }
    }

    fn term(&mut self, term: &Term) {
        match term {
            Term::Number(_) | Term::Truth(_) => {}
            Term::Read(variable) => self.number(variable),
            Term::Flag(name) => self.flag(name),
            Term::Negate(inner) | Term::Not(inner) => self.term(inner),
            Term::Binary(_, left, right) => {
                self.term(left);
                self.term(right);
            }
        }
    }

    fn actions(&mut self, actions: &[Action]) {
        for action in actions {
            match action {
                Action::Assign(variable, value) => {
                    self.number(variable);
                    self.term(value);
                }
                Action::Flag(name, value) => {
                    self.flag(name);
                    self.term(value);
                }
                Action::Pick(variable, ..) | Action::Any(variable) => self.number(variable),
                Action::Await(condition) => self.term(condition),
                Action::If(condition, yes, no) => {
                    self.term(condition);
                    self.actions(yes);
                    self.actions(no);
                }
                Action::Back(_) => {}
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Atomic(_, actions) => self.actions(actions),
            Stmt::If(flag, yes, no) => {
                self.flag(flag);
                yes.iter().chain(no).for_each(|it| self.stmt(it));
            }
            Stmt::While(flag, body) => {
                self.flag(flag);
                body.iter().for_each(|it| self.stmt(it));
            }
            Stmt::Return => {}
        }
    }
}

/// Writes statements, and names where threads yield.
#[derive(Default)]
pub(super) struct Printer {
    /// The text so far.
    pub out: String,
    /// The steps that begin at a yield point, in their order.
    pub pauses: Vec<Pause>,
    copies: BTreeMap<u32, u32>,
    /// Whether the last step that was written waits for something.
    has_waited: bool,
}

/// A step that begins at a yield point.
pub(super) struct Pause {
    /// How it is called.
    pub name: String,
    /// Whether the step before it, in the text, has waited for something.
    pub behind_wait: bool,
}

impl Printer {
    /// The first step.
    pub fn start(&mut self, actions: &[Action]) {
        self.out.push_str("start: ");
        self.step(actions);
    }

    /// What comes behind it.
    pub fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Return => self.out.push_str("return;\n"),
                Stmt::Atomic(line, actions) => {
                    let copy = self.copies.entry(line.number).or_insert(0);
                    *copy += 1;
                    let name = match *copy {
                        1 => format!("line_{}", line.number),
                        copy => format!("line_{}_{copy}", line.number),
                    };
                    let _ = write!(self.out, "{name}: ");
                    self.pauses.push(Pause { name, behind_wait: self.has_waited });
                    self.step(actions);
                }
                Stmt::If(flag, yes, no) => {
                    let (negation, yes, no) = match yes.is_empty() {
                        true => ("!", no, yes),
                        false => ("", yes, no),
                    };
                    let _ = writeln!(self.out, "if {negation}{flag} {{");
                    self.stmts(yes);
                    if !no.is_empty() {
                        self.out.push_str("} else {\n");
                        self.stmts(no);
                    }
                    self.out.push_str("}\n");
                }
                Stmt::While(flag, body) => {
                    let _ = writeln!(self.out, "while {flag} {{");
                    self.stmts(body);
                    self.out.push_str("}\n");
                }
            }
        }
    }

    fn step(&mut self, actions: &[Action]) {
        self.has_waited = actions.iter().any(waits);
        match actions {
            [] => self.out.push_str("skip;\n"),
            [action] if !matches!(action, Action::If(..)) => self.actions(actions),
            _ => {
                self.out.push_str("atomic {\n");
                self.actions(actions);
                self.out.push_str("}\n");
            }
        }
    }

    fn actions(&mut self, actions: &[Action]) {
        for action in actions {
            match action {
                Action::Assign(variable, value) => {
                    let _ = writeln!(self.out, "{} := {};", variable.name, value.show());
                }
                Action::Flag(name, value) => {
                    let _ = writeln!(self.out, "{name} := {};", value.show());
                }
                Action::Pick(variable, low, high) => {
                    let _ = writeln!(self.out, "{};", pick(&variable.name, *low, *high));
                }
                Action::Any(variable) => {
                    let _ = writeln!(self.out, "{} := choose(int);", variable.name);
                }
                Action::Await(condition) => {
                    let _ = writeln!(self.out, "await {};", condition.show());
                }
                Action::If(condition, yes, no) => self.branches(condition, yes, no),
                Action::Back(_) => {}
            }
        }
    }

    fn branches(&mut self, condition: &Term, yes: &[Action], no: &[Action]) {
        if yes.is_empty() && no.is_empty() {
            return;
        }
        let (condition, yes, no) = match yes.is_empty() {
            true => (condition.clone().not(), no, yes),
            false => (condition.clone(), yes, no),
        };
        let _ = writeln!(self.out, "if {} {{", condition.show());
        self.actions(yes);
        if !no.is_empty() {
            self.out.push_str("} else {\n");
            self.actions(no);
        }
        self.out.push_str("}\n");
    }
}

fn waits(action: &Action) -> bool {
    match action {
        Action::Await(_) => true,
        Action::If(_, yes, no) => yes.iter().chain(no).any(waits),
        _ => false,
    }
}

/// A value from a range.
pub(super) fn pick(name: &str, low: i64, high: i64) -> String {
    format!("{name} := choose(int) where {low} <= {name} && {name} <= {high}")
}
