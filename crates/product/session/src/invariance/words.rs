//! Words for what an answer about invariants is about: places, threads, values.

use super::Checked;
use ser_invariance_checker::run::{Elem, Value};
use ser_invariance_search::answer::Verdict;
use ser_invariance_search::decide::Reason;
use ser_invariance_search::explore::{Changed, Explored, FaultKind, State};
use ser_invariance_search::paths::Control;
use ser_invariance_search::prove::Premise;
use ser_report::Source;
use ser_report::text::count;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Conjunct, Field, GlobalId, InvId, LocId, LocalId, ProcId, StmtKind};
use ser_syntax::{Diagnostic, Line, LineIndex};
use std::collections::BTreeSet;

/// Finds words for what an answer is about.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    /// What the file means.
    pub system: &'a System,
    pub text: &'a str,
    pub lines: &'a LineIndex,
}

/// A location for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Its number, from 1.
    pub number: u32,
    /// The name of its statement, with that of the procedure if others have the same.
    pub name: Option<String>,
    /// Its procedure.
    pub procedure: String,
    pub line: Line,
    /// Its statement, on one line and without blocks.
    pub statement: String,
}

impl Place {
    /// `` `wait` (line 24) ``, or `line 24`.
    pub fn words(&self) -> String {
        match &self.name {
            Some(name) => format!("`{name}` (line {})", self.line),
            None => format!("line {}", self.line),
        }
    }
}

impl<'a> Words<'a> {
    pub fn of(checked: &'a Checked) -> Words<'a> {
        let source = &checked.source;
        Words { system: &checked.system, text: &source.text, lines: &source.lines }
    }

    pub fn invariant(&self, id: InvId) -> &'a str {
        self.system.invariants.get(id.0 as usize).map_or("?", |it| it.name.text.as_str())
    }

    pub fn conjunct(&self, id: InvId, conjunct: u32) -> Option<&'a Conjunct> {
        self.system.invariants.get(id.0 as usize)?.conjuncts.get(conjunct as usize)
    }

    /// `mutex`, `order.bounded`, or `order` with the line of the conjunct if that has no name.
    pub fn conjunct_name(&self, id: InvId, conjunct: u32) -> String {
        let name = self.invariant(id);
        let count = self.system.invariants.get(id.0 as usize).map_or(0, |it| it.conjuncts.len());
        match self.conjunct(id, conjunct) {
            Some(Conjunct { tag: Some(tag), .. }) => format!("`{name}.{}`", tag.text),
            Some(it) if count > 1 => {
                format!("`{name}` (line {})", self.lines.line(it.formula.span.start))
            }
            _ => format!("`{name}`"),
        }
    }

    /// A part of the text on one line.
    pub fn on_one_line(&self, range: std::ops::Range<usize>) -> String {
        let text = self.text.get(range).unwrap_or("");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub fn place(&self, id: LocId) -> Place {
        let number = id.0 + 1;
        let Some(location) = self.system.locations.get(id.0 as usize) else {
            let (name, procedure) = (None, String::new());
            return Place {
                number,
                name,
                procedure,
                line: Line::default(),
                statement: String::new(),
            };
        };
        let procedure = self.procedure(location.procedure).to_owned();
        let own = location.name.as_ref().map(|it| it.text.as_str());
        let twins = |name: &str| {
            let all = self.system.locations.iter().filter_map(|it| it.name.as_ref());
            all.filter(|it| it.text == name).count() > 1
        };
        let name = own.map(|name| match twins(name) {
            true => format!("{procedure}.{name}"),
            false => name.to_owned(),
        });
        let text = self.on_one_line(location.span.range());
        let text = own
            .and_then(|name| text.strip_prefix(name)?.trim_start().strip_prefix(':'))
            .unwrap_or(&text);
        let text = text.trim().trim_end_matches('{').trim_end().trim_end_matches(';');
        let statement = match text {
            "}" | "" => format!("end of `{procedure}`"),
            text => text.to_owned(),
        };
        Place { number, name, procedure, line: self.lines.line(location.span.start), statement }
    }

    fn procedure(&self, id: ProcId) -> &'a str {
        self.system.procedures.get(id.0 as usize).map_or("?", |it| it.name.text.as_str())
    }

    /// Which way a path of a test or a choice goes; nothing if there is only one.
    pub fn branch(&self, control: &Control<'_>, id: LocId, path: u32) -> Option<String> {
        match &control.at(id).statement.kind {
            StmtKind::While { forever: true, .. } => None,
            StmtKind::If { .. } | StmtKind::While { .. } => {
                let holds = (path as usize) < control.counted(id) / 2;
                Some(if holds { "it holds" } else { "it does not hold" }.to_owned())
            }
            StmtKind::Choice(_) => Some(format!("branch {}", path + 1)),
            StmtKind::Match(_) => Some(format!("case {}", path + 1)),
            _ => None,
        }
    }

    /// How a premise is called in tables: `start`, `i`, `other`, `any`, `follows`, `no error`.
    pub fn premise(
        &self,
        invariant: Option<InvId>,
        premise: Premise,
        anchors: &[GlobalId],
    ) -> String {
        match premise {
            Premise::Initiation => "start".to_owned(),
            Premise::Own(variable) => self.variable(invariant, variable, anchors),
            // Other than whom?
            Premise::Other if self.is_about_nobody(invariant) && anchors.is_empty() => {
                "any".to_owned()
            }
            Premise::Other => "other".to_owned(),
            Premise::Follows => "follows".to_owned(),
            Premise::Safety => "no error".to_owned(),
        }
    }

    /// Whether an invariant has no parameters.
    fn is_about_nobody(&self, invariant: Option<InvId>) -> bool {
        let declared = invariant.and_then(|it| self.system.invariants.get(it.0 as usize));
        declared.is_some_and(|it| it.parameters.is_empty())
    }

    /// The name of a thread variable of an invariant: its parameters come first, then the anchors.
    pub(super) fn variable(
        &self,
        invariant: Option<InvId>,
        variable: u32,
        anchors: &[GlobalId],
    ) -> String {
        let declared = invariant.and_then(|it| self.system.invariants.get(it.0 as usize));
        let parameters = declared.map_or(&[][..], |it| it.parameters.as_slice());
        let variable = variable as usize;
        match parameters.get(variable) {
            Some(name) => name.text.clone(),
            None => {
                let anchor = variable.checked_sub(parameters.len()).and_then(|it| anchors.get(it));
                anchor.map_or("?".to_owned(), |it| self.global(*it).to_owned())
            }
        }
    }

    pub fn global(&self, id: GlobalId) -> &'a str {
        self.system.globals.get(id.0 as usize).map_or("?", |it| it.name.text.as_str())
    }

    /// The name of a local, with its procedure if others have the same.
    pub fn local(&self, id: LocalId) -> String {
        let Some(local) = self.system.locals.get(id.0 as usize) else { return "?".to_owned() };
        let name = &local.name.text;
        match self.system.locals.iter().filter(|it| it.name.text == *name).nth(1) {
            Some(_) => format!("{}.{name}", self.procedure(local.procedure)),
            None => name.clone(),
        }
    }

    /// What a step can change, by its name: `avail`, `ticket[i]`, `a2.next`.
    pub fn changed(&self, what: Changed, threads: &[String]) -> String {
        match what {
            Changed::Global(id) => self.global(id).to_owned(),
            Changed::Local(thread, id) => {
                format!("{}[{}]", self.local(id), thread_name(threads, thread))
            }
            Changed::Field(address, field) => format!("a{address}.{}", field_name(field)),
        }
    }

    /// A formula of an invariant as it is written; that something stays in its range is not.
    pub fn formula(&self, of: InvId, formula: &ser_syntax::inv::ast::Expr) -> String {
        let invariant = self.system.invariants.get(of.index());
        match invariant.filter(|it| it.span == it.name.span) {
            Some(range) => ser_editing::inv::show_with(self.system, formula, &range.parameters),
            None => self.on_one_line(formula.span.range()),
        }
    }

    /// The value of this, as it is written; threads are called by these names.
    pub fn value(&self, of: Changed, it: &Value, threads: &[String]) -> String {
        let enumeration = match of {
            Changed::Global(id) => {
                self.system.globals.get(id.index()).and_then(|it| it.enumeration)
            }
            Changed::Local(_, id) => {
                self.system.locals.get(id.index()).and_then(|it| it.enumeration)
            }
            Changed::Field(..) => None,
        };
        match it {
            Value::Int(number) => self.system.called(enumeration, *number),
            _ => value(it, threads),
        }
    }

    /// The value of a variable in a state.
    pub fn value_in(&self, state: &State, what: Changed) -> Option<Value> {
        match what {
            Changed::Global(id) => state.globals.get(id.0 as usize).cloned(),
            Changed::Local(thread, id) => {
                state.threads.get(thread as usize)?.locals.get(id.0 as usize).cloned()
            }
            Changed::Field(address, field) => {
                let cell = state.cells.get(&address).cloned().unwrap_or_default();
                Some(match field {
                    Field::Next => Value::Addr(cell.next),
                    Field::Data => Value::Elem(cell.data),
                    Field::Lockid => Value::Tid(cell.lockid),
                })
            }
        }
    }
}

fn field_name(field: Field) -> &'static str {
    match field {
        Field::Next => "next",
        Field::Data => "data",
        Field::Lockid => "lockid",
    }
}

/// What a thread is called.
pub fn thread_name(threads: &[String], thread: u32) -> String {
    let name = threads.get(thread as usize).filter(|it| !it.is_empty());
    name.cloned().unwrap_or_else(|| "somebody else".to_owned())
}

/// A value; threads are called by these names.
pub fn value(value: &Value, threads: &[String]) -> String {
    match value {
        Value::Bool(it) => it.to_string(),
        Value::Int(it) => it.to_string(),
        Value::Tid(None) => "nobody".to_owned(),
        Value::Tid(Some(thread)) => thread_name(threads, *thread),
        Value::Addr(0) => "null".to_owned(),
        Value::Addr(address) => format!("a{address}"),
        Value::Elem(it) => elem(*it),
        Value::Set(members) => {
            let members: Vec<String> = members.iter().map(|it| self::value(it, threads)).collect();
            format!("{{{}}}", members.join(", "))
        }
    }
}

pub(super) fn elem(elem: Elem) -> String {
    match elem {
        Elem::Lowest => "lowest".to_owned(),
        Elem::Between(it) => it.to_string(),
        Elem::Highest => "highest".to_owned(),
    }
}

/// Places of a file that only the answer has names for, and that its new invariants mention: the
/// names, and the lines in the file.
pub fn named(source: &Source, checked: &Checked, added: &[String]) -> Vec<(String, Line)> {
    let system = ser_syntax::inv::parse(&source.text).system;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut mentioned: BTreeSet<&str> = BTreeSet::new();
    for text in added {
        mentioned.extend(text.split(|c| !is_word(c)));
    }
    let pairs = system.locations.iter().zip(&checked.system.locations);
    let new = pairs.filter(|(old, _)| old.name.is_none());
    let new = new.filter_map(|(old, new)| {
        let name = new.name.as_ref()?;
        mentioned
            .contains(name.text.as_str())
            .then(|| (name.text.clone(), source.lines.line(old.span.start)))
    });
    new.collect()
}

/// Warnings about locations that no run comes to, one for those that stand next to each other.
pub fn unreached(checked: &Checked) -> Vec<Diagnostic> {
    if matches!(checked.verdict, Verdict::Refuted(_) | Verdict::Unknown(Reason::NoStart)) {
        return Vec::new();
    }
    let words = Words::of(checked);
    let threads = checked.explored.iter().map(|it| it.threads).max().unwrap_or(0);
    let states: usize = checked.explored.iter().map(|it| it.states).sum();
    let complete = checked.explored.iter().all(Explored::is_complete);
    let up_to = if checked.system.threads.is_some() { "" } else { "up to " };
    let threads = count(threads as usize, "thread");
    let whom = match complete {
        true => format!("no run of {up_to}{threads} comes to"),
        false => format!("in {} of {up_to}{threads} nobody comes to", count(states, "state")),
    };
    let mut warnings: Vec<(LocId, Diagnostic)> = Vec::new();
    for id in &checked.unreached {
        let Some(location) = checked.system.locations.get(id.0 as usize) else { continue };
        match warnings.last_mut() {
            Some((last, _)) if last.0 + 1 == id.0 => *last = *id,
            _ => {
                let message = format!("{whom} {}", words.place(*id).words());
                let warning = Diagnostic::warning("unreached", message, location.span)
                    .with_label("what is claimed about this may be empty")
                    .with_help("see whether the program can do what it should: what never happens has no bugs");
                warnings.push((*id, warning));
            }
        }
    }
    warnings.into_iter().map(|(_, warning)| warning).collect()
}

/// What is wrong with a step that may be an error.
pub fn possible_fault(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::NullRead
        | FaultKind::NullWrite
        | FaultKind::NullLock
        | FaultKind::NullUnlock => {
            "a field of `null` may be read, written, locked or unlocked here"
        }
        FaultKind::ForeignUnlock => "a thread may unlock here what it has not locked",
        FaultKind::Assertion => "this assertion may fail",
        FaultKind::EmptySet => "the minimum or maximum of an empty set may be asked for here",
    }
}

/// `12 sets of states`.
pub fn sets(number: usize) -> String {
    let sets = if number == 1 { "set" } else { "sets" };
    format!("{} {sets} of states", ser_report::text::grouped(number))
}
