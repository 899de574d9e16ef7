//! What may be read later.
//!
//! States that differ in other things become one. This has nothing to do with soundness: a variable
//! that is dropped may have any value.

use super::state::parts;
use super::value::Name;
use crate::derivation::{Cell, Slot, Symbol};
use crate::sequential::{Place, Sequential, Term, variables};
use crate::state::cell_of;
use ser_syntax::icet::ast::{Expr, SetId};
use std::collections::BTreeSet;

/// What may be read later.
pub(super) type Live = BTreeSet<(Cell, Name)>;

/// A statement, with what may be read after it.
pub(super) struct Line<'p> {
    pub stmt: &'p Sequential,
    /// The blocks of the statement, in their order.
    pub blocks: Vec<Vec<Line<'p>>>,
    pub live: Live,
    /// Of a loop: what may be read before or after each round.
    pub head: Live,
}

/// The names that are in scope, with their sets.
type Scope = Vec<(Symbol, SetId)>;

/// The lines of a program.
pub(super) fn lines(program: &[Sequential]) -> Vec<Line<'_>> {
    block(program, &Live::new(), &mut Scope::new()).0
}

fn block<'p>(stmts: &'p [Sequential], after: &Live, scope: &mut Scope) -> (Vec<Line<'p>>, Live) {
    let outer = scope.len();
    let mut live = enter(stmts, after, scope);
    let mut lines = Vec::new();
    for stmt in stmts.iter().rev() {
        let mut line = Line { stmt, blocks: Vec::new(), live: live.clone(), head: Live::new() };
        let mut before = Live::new();
        match stmt {
            Sequential::If { .. } | Sequential::Match { .. } => {
                for inner in stmt.blocks() {
                    let (lines, it) = block(inner, &live, scope);
                    line.blocks.push(lines);
                    before.extend(it);
                }
            }
            Sequential::For { symbol, set, body } => {
                before.extend(&live);
                before.extend(read_in_round(*symbol, *set, body, scope));
                line.head.clone_from(&before);
                scope.push((*symbol, *set));
                let end = with_copy(*symbol, *set, &before);
                line.blocks.push(block(body, &end, scope).0);
                scope.pop();
            }
            _ => before.extend(&live),
        }
        simple(stmt, &mut before, scope);
        live = before;
        lines.push(line);
    }
    scope.truncate(outer);
    lines.reverse();
    (lines, live)
}

/// What is read before it is assigned in a block, or after it.
fn before(stmts: &[Sequential], after: &Live, scope: &mut Scope) -> Live {
    let outer = scope.len();
    let mut live = enter(stmts, after, scope);
    for stmt in stmts.iter().rev() {
        match stmt {
            Sequential::If { .. } | Sequential::Match { .. } => {
                let blocks = stmt.blocks();
                live = blocks.into_iter().flat_map(|it| before(it, &live, scope)).collect();
            }
            Sequential::For { symbol, set, body } => {
                live.extend(read_in_round(*symbol, *set, body, scope));
            }
            _ => {}
        }
        simple(stmt, &mut live, scope);
    }
    scope.truncate(outer);
    live
}

/// What one round of a loop reads before it assigns it. (What is read after the loop or in later
/// rounds is this, or read after the loop: so one look is enough.)
fn read_in_round(symbol: Symbol, set: SetId, body: &[Sequential], scope: &mut Scope) -> Live {
    scope.push((symbol, set));
    let mut live = before(body, &Live::new(), scope);
    scope.pop();
    release(symbol, set, &mut live, scope);
    live
}

/// What may be read at the end of a block, when the names that it binds are still in scope.
fn enter(stmts: &[Sequential], after: &Live, scope: &mut Scope) -> Live {
    let mut live = after.clone();
    for stmt in stmts {
        if let Sequential::Pick { symbol, set } = stmt {
            live = with_copy(*symbol, *set, &live);
            scope.push((*symbol, *set));
        }
    }
    live
}

/// The member is one of the others when its name is gone.
fn with_copy(symbol: Symbol, set: SetId, live: &Live) -> Live {
    let others = live.iter().filter(|(owner, _)| *owner == Cell::Set(set.0));
    let copies = others.map(|(_, slot)| (Cell::Member(symbol), *slot));
    live.iter().copied().chain(copies).collect()
}

/// Before it gets its name, the member is one of the others or has another name.
fn release(symbol: Symbol, set: SetId, live: &mut Live, scope: &Scope) {
    let own = |it: &&(Cell, Name)| it.0 == Cell::Member(symbol);
    let slots: Vec<Name> = live.iter().filter(own).map(|(_, slot)| *slot).collect();
    live.retain(|(owner, _)| *owner != Cell::Member(symbol));
    for slot in slots {
        live.insert((Cell::Set(set.0), slot));
        let same = scope.iter().filter(|(it, of)| *of == set && *it != symbol);
        live.extend(same.map(|(it, _)| (Cell::Member(*it), slot)));
    }
}

/// What a statement itself assigns and reads.
fn simple(stmt: &Sequential, live: &mut Live, scope: &Scope) {
    match stmt {
        Sequential::Assign { place, value, .. } => {
            live.remove(&key(*place));
            read_term(value, live);
        }
        Sequential::Any { who, variable, .. } => {
            live.remove(&key(Place::Variable(*who, *variable)));
        }
        Sequential::Take { place, .. } => {
            live.remove(&key(*place));
        }
        Sequential::Put { value, .. } => read_term(value, live),
        Sequential::Pick { symbol, set } => release(*symbol, *set, live, scope),
        Sequential::If { who, condition, .. } | Sequential::Assert { who, condition, .. } => {
            condition.iter().for_each(|it| read_expr(*who, it, live));
        }
        Sequential::Match { who, variable, .. } => {
            live.insert(key(Place::Variable(*who, *variable)));
        }
        Sequential::For { .. } => {}
    }
}

fn key(place: Place) -> (Cell, Name) {
    let (slot, name) = parts(place);
    (cell_of(slot), name)
}

fn read_term(term: &Term, live: &mut Live) {
    match term {
        Term::Expr(who, expr) => read_expr(*who, expr, live),
        Term::Place(place) => {
            live.insert(key(*place));
        }
        Term::Symbol(_) => {}
        Term::Field(inner, _, _) => read_term(inner, live),
    }
}

fn read_expr(who: Slot, expr: &Expr, live: &mut Live) {
    live.extend(variables(expr).into_iter().map(|it| key(Place::Variable(who, it))));
}
