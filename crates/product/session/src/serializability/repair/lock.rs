//! A lock over the fewest handlers.
//!
//! In each handler the lock is held from the first statement that touches a global variable to the
//! last, and released on every path. A handler that does not yield in between need not hold
//! it: it waits until the lock is free and is then done in the same step. Handlers are added as
//! counterexamples ask for them: with the lock in some handlers, a counterexample without any other
//! handler cannot be helped by more of it; otherwise one of its other handlers needs the lock.

use super::harm::Harm;
use super::layout::{Layout, apply};
use crate::serializability::decision::{Decision, Verdict};
use crate::serializability::outline::{Effects, Outline, Shape};
use crate::serializability::trials::{Answer, Trials};
use ser_syntax::core::{BinaryOp, Expr, ExprKind, Program};
use ser_syntax::{Edit, Span};
use std::collections::{BTreeSet, VecDeque};

/// So many programs are checked.
const MAX_TRIALS: usize = 40;

/// How long the word `return` is.
const RETURN: u32 = 6;

/// A lock in some handlers.
#[derive(Clone, Debug)]
pub(super) struct Locking {
    /// The variable.
    pub lock: String,
    /// Whether the program has this lock already.
    pub existing: bool,
    /// The handlers, each with the statements during which it holds the lock.
    pub sections: Vec<Section>,
    pub edits: Vec<Edit>,
    pub text: String,
}

/// The statements of a handler that touch global variables, first to last.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub request: usize,
    first: usize,
    last: usize,
    /// From the first statement to the last.
    pub span: Span,
    /// Whether the handler holds the lock; otherwise it only waits until the lock is free.
    pub holds: bool,
    /// Whether it may wait for others while it holds the lock.
    waits: bool,
}

/// What came out.
#[derive(Default)]
pub(super) struct Lockings {
    pub found: Vec<Locking>,
    pub tried: usize,
    /// How many of them could not be decided.
    pub unknown: usize,
    /// Whether the search ended early.
    pub ended_early: bool,
    /// Whether a lock would make the program serializable, but make requests block each other.
    pub would_block: bool,
}

/// Looks for locks over few handlers: one that the program has already, or a new one.
pub(super) fn search(
    trials: &mut Trials<'_>,
    harm: &Harm,
    program: &Program,
    source: &str,
    first: &Decision,
) -> Lockings {
    let layout = Layout::new(source);
    let mut lockings = Lockings::default();
    let mut names: Vec<(String, bool)> =
        existing_locks(program).into_iter().map(|name| (name, true)).collect();
    names.push((layout.fresh("Lock"), false));
    for (lock, existing) in names {
        let task = Task { program, source, layout: &layout, lock: &lock, existing };
        task.search(trials, harm, first, &mut lockings);
        if lockings.tried >= MAX_TRIALS || trials.is_out_of_time() {
            lockings.ended_early = true;
            break;
        }
    }
    lockings
}

/// One lock to try.
struct Task<'a> {
    program: &'a Program,
    source: &'a str,
    layout: &'a Layout<'a>,
    lock: &'a str,
    existing: bool,
}

impl Task<'_> {
    /// Grows the set of handlers, smallest sets first, until the lock helps.
    fn search(
        &self,
        trials: &mut Trials<'_>,
        harm: &Harm,
        first: &Decision,
        lockings: &mut Lockings,
    ) {
        let handlers = self.handlers(first);
        let mut queue: VecDeque<BTreeSet<usize>> =
            handlers.into_iter().map(|h| BTreeSet::from([h])).collect();
        let mut seen: BTreeSet<BTreeSet<usize>> = queue.iter().cloned().collect();
        let mut smallest: Option<usize> = None;
        while let Some(set) = queue.pop_front() {
            if lockings.tried >= MAX_TRIALS || smallest.is_some_and(|size| set.len() > size) {
                return;
            }
            let Some(locking) = self.locking(trials.outline(), &set) else { continue };
            lockings.tried += 1;
            match trials.check(locking.text.clone()) {
                Answer::Serializable(_) => match harm.is_harmless(&locking.text) {
                    Some(true) => {
                        smallest = Some(set.len());
                        lockings.found.push(locking);
                    }
                    None if !locking.sections.iter().any(|s| s.holds && s.waits) => {
                        smallest = Some(set.len());
                        lockings.found.push(locking);
                    }
                    _ => lockings.would_block = true,
                },
                Answer::NotSerializable(report) => {
                    for handler in self.handlers(&report) {
                        let mut larger = set.clone();
                        if larger.insert(handler) && seen.insert(larger.clone()) {
                            queue.push_back(larger);
                        }
                    }
                }
                Answer::Unknown => {
                    lockings.unknown += 1;
                    if trials.is_out_of_time() {
                        return;
                    }
                }
            }
        }
    }

    /// The handlers that take part in the counterexample of a report.
    fn handlers(&self, report: &Decision) -> BTreeSet<usize> {
        let (Verdict::NotSerializable { steps, .. }, Some(model)) =
            (&report.verdict, &report.model)
        else {
            return BTreeSet::new();
        };
        let system = model.system();
        let names: BTreeSet<&str> = steps.iter().map(|s| system.handler_name(s.request)).collect();
        let requests = self.program.requests.iter().enumerate();
        requests.filter(|(_, r)| names.contains(r.name.text.as_str())).map(|(i, _)| i).collect()
    }

    /// The program with the lock in these handlers; nothing if one of them touches no variable, or
    /// has the lock already.
    fn locking(&self, outline: &Outline, handlers: &BTreeSet<usize>) -> Option<Locking> {
        let mut sections = Vec::new();
        let mut edits = Vec::new();
        for handler in handlers {
            let section = self.section(outline, *handler)?;
            self.edit(outline, &section, &mut edits);
            sections.push(section);
        }
        let text = apply(self.source, &edits);
        Some(Locking { lock: self.lock.to_owned(), existing: self.existing, sections, edits, text })
    }

    fn section(&self, outline: &Outline, request: usize) -> Option<Section> {
        let body = &outline.blocks[outline.bodies[request]];
        let touches = |e: &Effects| e.touches();
        let first = body.statements.iter().position(|s| touches(&s.effects))?;
        let last = body.statements.iter().rposition(|s| touches(&s.effects))?;
        let mut effects = Effects::default();
        body.statements[first..=last].iter().for_each(|s| effects.add(&s.effects));
        if effects.reads.contains(self.lock) || effects.writes.contains(self.lock) {
            return None;
        }
        let span = body.statements[first].span.to(body.statements[last].span);
        let (holds, waits) = (effects.pauses, effects.waits);
        Some(Section { request, first, last, span, holds, waits })
    }

    fn edit(&self, outline: &Outline, section: &Section, edits: &mut Vec<Edit>) {
        let (lock, layout) = (self.lock, self.layout);
        let body = &outline.blocks[outline.bodies[section.request]];
        let (first, last) = (&body.statements[section.first], &body.statements[section.last]);
        let wait = format!("while ({lock} == 1) {{ yield }};");
        let (take, release) = (format!("{lock} := 1;"), format!("{lock} := 0;"));
        if !section.holds {
            edits.push(layout.insert_before(first.span, &[wait]));
            return;
        }
        edits.push(layout.insert_before(first.span, &[wait, take]));
        let response = layout.fresh("response");
        let remember = |span: Span, edits: &mut Vec<Edit>, closing: &str| {
            let open = if closing.is_empty() { "" } else { "(" };
            let start = format!("{response} := {open}");
            edits.push(Edit { span: Span::empty(span.start), replacement: start });
            if !closing.is_empty() {
                edits.push(Edit { span: Span::empty(span.end), replacement: closing.to_owned() });
            }
        };
        for statement in &body.statements[section.first..=section.last] {
            for found in &statement.effects.returns {
                let (open, close) = if found.is_statement { ("", "") } else { ("(", ")") };
                match found.value {
                    Some((value, shape)) if shape != Shape::Settled => {
                        // `return e` becomes `response := (e); Lock := 0; return response`.
                        let start = format!("{open}{response} := (");
                        let mut head = Span::new(found.span.start, found.span.start + RETURN);
                        let gap = self.source.get(head.end as usize..value.start as usize);
                        if gap.is_some_and(|gap| gap.trim().is_empty()) {
                            head.end = value.start;
                        }
                        edits.push(Edit { span: head, replacement: start });
                        let end = format!("); {release} return {response}{close}");
                        edits.push(Edit { span: Span::empty(value.end), replacement: end });
                    }
                    _ if found.is_statement => {
                        let release = std::slice::from_ref(&release);
                        edits.push(layout.insert_before(found.span, release));
                    }
                    _ => {
                        let start = format!("({release} ");
                        edits
                            .push(Edit { span: Span::empty(found.span.start), replacement: start });
                        let end = ")".to_owned();
                        edits.push(Edit { span: Span::empty(found.span.end), replacement: end });
                    }
                }
            }
        }
        let ends_body = section.last + 1 == body.statements.len();
        match (ends_body, last.shape) {
            (_, Shape::Return) => {}
            (false, _) => edits.extend(layout.insert_after(last.span, &[release])),
            (true, Shape::Loop) => {
                edits.extend(layout.insert_after(last.span, &[release, "0;".to_owned()]));
            }
            (true, shape) => {
                let closing = if shape == Shape::Assignment { ")" } else { "" };
                remember(last.span, edits, closing);
                let back = [release, format!("{response};")];
                edits.extend(layout.insert_after(last.span, &back));
            }
        }
    }
}

/// The variables that the program uses as locks: some handler waits until it is not 1, and then
/// sets it to 1 in the same step; and it has no initial value, so that it is 0 at the start.
fn existing_locks(program: &Program) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for request in &program.requests {
        for pair in request.body.exprs.windows(2) {
            let (ExprKind::While(condition, body), ExprKind::Assign(name, value)) =
                (&pair[0].kind, &pair[1].kind)
            else {
                continue;
            };
            let only_waits = matches!(body.exprs.as_slice(), [e] if e.kind == ExprKind::Yield);
            let takes = value.kind == ExprKind::Number(1) && name.is_global();
            if only_waits && takes && asks_whether_one(condition, &name.text) {
                found.insert(name.text.clone());
            }
        }
    }
    program.globals.iter().for_each(|v| {
        found.remove(&v.name.text);
    });
    found
}

/// `L`, `L == 1` or `L != 0`.
fn asks_whether_one(condition: &Expr, lock: &str) -> bool {
    let is_lock = |e: &Expr| matches!(&e.kind, ExprKind::Read(name) if name.text == lock);
    match &condition.kind {
        ExprKind::Group(block) => {
            matches!(block.exprs.as_slice(), [e] if asks_whether_one(e, lock))
        }
        ExprKind::Binary(BinaryOp::Equal, a, b) => is_lock(a) && b.kind == ExprKind::Number(1),
        ExprKind::Binary(BinaryOp::NotEqual, a, b) => is_lock(a) && b.kind == ExprKind::Number(0),
        _ => is_lock(condition),
    }
}
