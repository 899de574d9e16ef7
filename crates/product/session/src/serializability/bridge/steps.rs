//! From statements in a row to steps: everything up to the next yield point is done at once.
//!
//! A branch that yields is divided: what comes before its first yield point belongs to the step
//! that decides for it, so the step has the decision (in a variable `test`) and both beginnings,
//! and behind it stands an `if test` with both ends. What follows the branches is repeated in both
//! where a step goes through it. In the same way a loop that yields has the beginning of its next
//! round, and what follows it, in the step that decides whether there is one. Tests of such
//! variables are steps of their own in the file, which makes no difference: they read nothing that
//! others can change.

use super::lower::{Action, Item, pauses};
use super::term::Term;
use ser_base::Line;

/// How many pieces a request can have.
const MAX_PIECES: usize = 20_000;

/// How many yield points and branches can follow each other; each is a call within the one before.
const MAX_PAUSES: usize = 300;

/// A statement of the generated file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Stmt {
    /// A step that begins at a yield point on this line.
    Atomic(Line, Vec<Action>),
    /// `if test { ... } else { ... }`.
    If(String, Vec<Stmt>, Vec<Stmt>),
    /// `while again { ... }`.
    While(String, Vec<Stmt>),
    /// `return`.
    Return,
}

/// A request would become too large.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TooLarge;

/// What is left to do.
#[derive(Clone, Copy)]
struct Rest<'r> {
    items: &'r [Item],
    then: Then<'r>,
}

#[derive(Clone, Copy)]
enum Then<'r> {
    /// The request ends.
    End,
    /// The next round of a loop.
    Back(usize),
    /// Something else.
    Go(&'r Rest<'r>),
}

/// The rest of the current step, and what comes after it.
type Split = (Vec<Action>, Vec<Stmt>);

/// Divides a request into steps.
pub(super) struct Division {
    pieces: usize,
    pauses: usize,
    loops: usize,
}

impl Division {
    /// The first step, and what comes after it.
    pub fn of(items: &[Item]) -> Result<Split, TooLarge> {
        let mut division = Division { pieces: 0, pauses: 0, loops: 0 };
        division.split(Rest { items, then: Then::End }, true)
    }

    fn count(&mut self, pieces: usize) -> Result<(), TooLarge> {
        self.pieces = self.pieces.saturating_add(pieces);
        if self.pieces > MAX_PIECES { Err(TooLarge) } else { Ok(()) }
    }

    fn split(&mut self, rest: Rest<'_>, alone: bool) -> Result<Split, TooLarge> {
        self.pauses += 1;
        if self.pauses > MAX_PAUSES {
            return Err(TooLarge);
        }
        let split = self.up_to_next_pause(rest, alone);
        self.pauses -= 1;
        split
    }

    /// `alone`: nothing that others have to do with was touched in this step so far.
    fn up_to_next_pause(&mut self, mut rest: Rest<'_>, mut alone: bool) -> Result<Split, TooLarge> {
        let mut actions = Vec::new();
        loop {
            self.count(1)?;
            let Some((item, items)) = rest.items.split_first() else {
                match rest.then {
                    Then::Go(next) => {
                        rest = *next;
                        continue;
                    }
                    Then::End => return Ok((actions, vec![Stmt::Return])),
                    Then::Back(number) => {
                        actions.push(Action::Back(number));
                        return Ok((actions, Vec::new()));
                    }
                }
            };
            let later = Rest { items, then: rest.then };
            match item {
                Item::Do(action) => {
                    alone &= !touches(action);
                    actions.push(action.clone());
                }
                Item::If(condition, _, yes, no) if !pauses(yes) && !pauses(no) => {
                    let action = Action::If(condition.clone(), self.plain(yes)?, self.plain(no)?);
                    alone &= !touches(&action);
                    actions.push(action);
                }
                Item::If(condition, name, yes, no) => {
                    let alone = alone && !condition.is_shared();
                    let yes = self.split(Rest { items: yes, then: Then::Go(&later) }, alone)?;
                    let no = self.split(Rest { items: no, then: Then::Go(&later) }, alone)?;
                    let stmts = join(condition, name, yes, no, &mut actions);
                    return Ok((actions, stmts));
                }
                Item::Wait(condition, line) => {
                    let (behind, mut stmts) = self.split(later, false)?;
                    let wait = [Action::Await(condition.clone())].into_iter().chain(behind);
                    if alone {
                        actions.extend(wait);
                    } else {
                        stmts.insert(0, Stmt::Atomic(line.clone(), wait.collect()));
                    }
                    return Ok((actions, stmts));
                }
                Item::While(flag, body, _) => {
                    let (round, stmts) = self.rounds(flag, body, later)?;
                    actions.extend(round);
                    return Ok((actions, stmts));
                }
                Item::Yield(line) => {
                    let (behind, mut stmts) = self.split(later, true)?;
                    stmts.insert(0, Stmt::Atomic(line.clone(), behind));
                    return Ok((actions, stmts));
                }
                Item::Return => return Ok((actions, vec![Stmt::Return])),
            }
            rest = later;
        }
    }

    fn rounds(&mut self, flag: &str, body: &[Item], later: Rest<'_>) -> Result<Split, TooLarge> {
        let number = self.loops;
        self.loops += 1;
        let (end, behind) = self.split(later, false)?;
        let (begin, mut round) =
            self.split(Rest { items: body, then: Then::Back(number) }, false)?;
        // Every iteration yields, so this does not recurse into itself.
        let next = match begin.is_empty() && end.is_empty() {
            true => Vec::new(),
            false => vec![Action::If(Term::Flag(flag.to_owned()), begin, end)],
        };
        let size = size(&next);
        for stmt in &mut round {
            self.put_in(number, &next, size, stmt)?;
        }
        let mut stmts = vec![Stmt::While(flag.to_owned(), round)];
        stmts.extend(behind);
        Ok((next, stmts))
    }

    /// Puts the next round in the place of its placeholder.
    fn put_in(
        &mut self,
        number: usize,
        next: &[Action],
        size: usize,
        stmt: &mut Stmt,
    ) -> Result<(), TooLarge> {
        match stmt {
            Stmt::Return => Ok(()),
            Stmt::While(_, body) => {
                body.iter_mut().try_for_each(|it| self.put_in(number, next, size, it))
            }
            Stmt::If(_, yes, no) => {
                yes.iter_mut().chain(no).try_for_each(|it| self.put_in(number, next, size, it))
            }
            Stmt::Atomic(_, actions) => self.replace(number, next, size, actions),
        }
    }

    fn replace(
        &mut self,
        number: usize,
        next: &[Action],
        size: usize,
        actions: &mut Vec<Action>,
    ) -> Result<(), TooLarge> {
        if actions.last() == Some(&Action::Back(number)) {
            self.count(size)?;
            actions.pop();
            actions.extend_from_slice(next);
        } else if let Some(Action::If(_, yes, no)) = actions.last_mut() {
            self.replace(number, next, size, yes)?;
            self.replace(number, next, size, no)?;
        }
        Ok(())
    }

    /// Items without yield points.
    fn plain(&mut self, items: &[Item]) -> Result<Vec<Action>, TooLarge> {
        self.count(items.len())?;
        let mut actions = Vec::new();
        for item in items {
            match item {
                Item::Do(action) => actions.push(action.clone()),
                Item::If(condition, _, yes, no) => {
                    let (yes, no) = (self.plain(yes)?, self.plain(no)?);
                    actions.push(Action::If(condition.clone(), yes, no));
                }
                Item::Wait(..) | Item::While(..) | Item::Yield(_) | Item::Return => {}
            }
        }
        Ok(actions)
    }
}

/// Puts two branches together: their beginnings into the step, their ends behind it, and once what
/// is the same at the end.
fn join(
    condition: &Term,
    name: &str,
    (begin, mut end): Split,
    (other_begin, mut other_end): Split,
    actions: &mut Vec<Action>,
) -> Vec<Stmt> {
    let mut common = Vec::new();
    while let (Some(left), Some(right)) = (end.last(), other_end.last())
        && left == right
    {
        common.extend(end.pop());
        other_end.pop();
    }
    common.reverse();
    if end.is_empty() && other_end.is_empty() {
        actions.push(Action::If(condition.clone(), begin, other_begin));
        return common;
    }
    actions.push(Action::Flag(name.to_owned(), condition.clone()));
    if !begin.is_empty() || !other_begin.is_empty() {
        actions.push(Action::If(Term::Flag(name.to_owned()), begin, other_begin));
    }
    let mut stmts = vec![Stmt::If(name.to_owned(), end, other_end)];
    stmts.extend(common);
    stmts
}

/// Whether an action has to do with what others can see or change.
fn touches(action: &Action) -> bool {
    match action {
        Action::Assign(variable, value) => variable.shared || value.is_shared(),
        Action::Flag(_, value) | Action::Await(value) => value.is_shared(),
        Action::Pick(variable, ..) | Action::Any(variable) => variable.shared,
        Action::If(condition, yes, no) => {
            condition.is_shared() || yes.iter().chain(no).any(touches)
        }
        Action::Back(_) => true,
    }
}

fn size(actions: &[Action]) -> usize {
    let one = |action: &Action| match action {
        Action::If(_, yes, no) => 1 + size(yes) + size(no),
        _ => 1,
    };
    actions.iter().map(one).sum()
}
