//! Where a thread goes: the paths of every location.
//!
//! A path is a list of [`Piece`]s, which are interpreted one after the other: with terms for the
//! proof of the premises ([`crate::step`]), with values for runs (`interpreter`). The
//! order of paths and of pieces is that of the text of the crate.

use crate::rejection::Reason;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Action, ActionKind, Expr, LocId, Place, ProcId, Stmt, StmtKind};

/// A location may have so many paths.
const MAX_PATHS: usize = 4096;

/// And the whole file so many.
const MAX_PATHS_IN_ALL: usize = 65_536;

/// So many pieces, in a location and in all.
const MAX_PIECES: usize = 1 << 21;

/// A part of a path.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'s> {
    /// The condition has this value.
    Test(&'s Expr, bool),
    /// The site of the procedure is this call.
    SiteIs(ProcId, LocId),
    /// An action that is no [`ActionKind::If`].
    Act(&'s Action),
    /// The parameters of a procedure get their values, and its site, if it has one, becomes this
    /// location.
    Call(ProcId, &'s [Expr], LocId),
    /// The result is evaluated.
    Result(&'s Expr),
    /// And assigned, by the call.
    Deliver(&'s Place),
}

/// What one step from a location can be.
#[derive(Clone, Debug)]
pub struct Path<'s> {
    pub pieces: Vec<Piece<'s>>,
    /// Where the thread is afterwards.
    pub target: LocId,
}

/// All paths of a system.
pub struct Control<'s> {
    /// Of each location its paths.
    pub paths: Vec<Vec<Path<'s>>>,
    /// Where threads start.
    pub start: LocId,
    /// Of each procedure the locations of its calls, ascending.
    pub calls: Vec<Vec<LocId>>,
}

/// A statement with what comes behind it.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'s> {
    pub statement: &'s Stmt,
    pub procedure: ProcId,
    /// Nothing behind a `return`; of `break` and `continue` where they lead.
    pub behind: Option<LocId>,
}

/// What stands at each location.
pub fn standing(system: &System) -> Result<Vec<Standing<'_>>, Reason> {
    let mut found = vec![None; system.locations.len()];
    for (number, procedure) in system.procedures.iter().enumerate() {
        stand(&procedure.body, ProcId(number as u32), None, None, &mut found)?;
    }
    let found: Option<Vec<Standing<'_>>> = found.into_iter().collect();
    found.ok_or_else(|| wrong("a location without a statement"))
}

impl<'s> Control<'s> {
    pub fn new(system: &'s System) -> Result<Control<'s>, Reason> {
        let standing = standing(system)?;
        let mut calls = vec![Vec::new(); system.procedures.len()];
        for (number, it) in standing.iter().enumerate() {
            if let StmtKind::Call { procedure, .. } = it.statement.kind {
                let calls = calls.get_mut(procedure.0 as usize);
                let calls =
                    calls.ok_or_else(|| wrong("a call of a procedure that does not exist"))?;
                calls.push(LocId(number as u32));
            }
        }
        let start = first(system, ProcId(0))?;
        let maker = Maker { system, standing, calls: &calls };
        let (mut paths, mut total, mut pieces) = (Vec::new(), 0, 0);
        for number in 0..system.locations.len() {
            let found = maker.paths(number)?;
            total += found.len();
            if total > MAX_PATHS_IN_ALL {
                return Err(Reason::Size { what: format!("more than {MAX_PATHS_IN_ALL} paths") });
            }
            pieces += found.iter().map(|path| path.pieces.len()).sum::<usize>();
            if pieces > MAX_PIECES {
                return Err(too_long());
            }
            paths.push(found);
        }
        Ok(Control { paths, start, calls })
    }

    /// Whether the site of a procedure matters: it has more than one call.
    pub fn has_site(&self, procedure: ProcId) -> bool {
        self.calls_of(procedure).len() > 1
    }

    pub fn calls_of(&self, procedure: ProcId) -> &[LocId] {
        self.calls.get(procedure.0 as usize).map_or(&[], Vec::as_slice)
    }

    pub fn paths_of(&self, location: LocId) -> &[Path<'s>] {
        self.paths.get(location.0 as usize).map_or(&[], Vec::as_slice)
    }
}

/// The resolver of the language excludes all of these.
fn wrong(what: &str) -> Reason {
    Reason::Source { what: what.into() }
}

fn first(system: &System, procedure: ProcId) -> Result<LocId, Reason> {
    let body = system.procedures.get(procedure.0 as usize).and_then(|it| it.body.first());
    Ok(body.ok_or_else(|| wrong("a procedure without a statement"))?.location)
}

/// Where a round of a loop starts, and what comes behind the loop.
type Loop = (LocId, Option<LocId>);

/// Notes for each statement what comes behind it; `around` is the innermost loop.
fn stand<'s>(
    block: &'s [Stmt],
    procedure: ProcId,
    behind: Option<LocId>,
    around: Option<Loop>,
    standing: &mut [Option<Standing<'s>>],
) -> Result<(), Reason> {
    for (place, statement) in block.iter().enumerate() {
        let behind = block.get(place + 1).map(|next| next.location).or(behind);
        let outside = || around.ok_or_else(|| wrong("`break` or `continue` outside of a loop"));
        let own = match &statement.kind {
            StmtKind::Break => outside()?.1,
            StmtKind::Continue => Some(outside()?.0),
            _ => behind,
        };
        let slot = standing.get_mut(statement.location.0 as usize);
        let slot = slot.ok_or_else(|| wrong("a statement without a location"))?;
        if slot.replace(Standing { statement, procedure, behind: own }).is_some() {
            return Err(wrong("two statements at one location"));
        }
        match &statement.kind {
            StmtKind::If { then, otherwise, .. } => {
                stand(then, procedure, behind, around, standing)?;
                stand(otherwise, procedure, behind, around, standing)?;
            }
            StmtKind::While { body, .. } => {
                let around = Some((statement.location, behind));
                stand(body, procedure, Some(statement.location), around, standing)?;
            }
            StmtKind::Choice(branches) => {
                for branch in branches {
                    stand(branch, procedure, behind, around, standing)?;
                }
            }
            StmtKind::Match(cases) => {
                for (_, case) in cases {
                    stand(case, procedure, behind, around, standing)?;
                }
            }
            StmtKind::Step(_)
            | StmtKind::Call { .. }
            | StmtKind::Return(_)
            | StmtKind::Break
            | StmtKind::Continue => {}
        }
    }
    Ok(())
}

struct Maker<'s, 'c> {
    system: &'s System,
    standing: Vec<Standing<'s>>,
    calls: &'c [Vec<LocId>],
}

impl<'s> Maker<'s, '_> {
    fn paths(&self, location: usize) -> Result<Vec<Path<'s>>, Reason> {
        let Standing { statement, procedure, behind } = &self.standing[location];
        let ghosts = ways(&statement.ghost)?;
        let behind = || behind.ok_or_else(|| wrong("a statement with nothing behind it"));
        let into = |block: &[Stmt], end: LocId| block.first().map_or(end, |it| it.location);
        let (mut paths, mut pieces) = (Vec::new(), 0);
        // `front`, then each way of the ghost actions, then `back`.
        let mut add = |front: &[Piece<'s>], back: Option<Piece<'s>>, target: LocId| {
            for ghost in &ghosts {
                let pieces = front.iter().chain(ghost).copied().chain(back).collect();
                paths.push(Path { pieces, target });
            }
            pieces += ghosts.len() * (front.len() + 1);
            pieces += ghosts.iter().map(Vec::len).sum::<usize>();
            match paths.len() > MAX_PATHS {
                true => Err(too_many_paths()),
                false if pieces > MAX_PIECES => Err(too_long()),
                false => Ok(()),
            }
        };
        match &statement.kind {
            StmtKind::Step(step) => {
                let target = behind()?;
                for way in ways(step.actions())? {
                    add(&way, None, target)?;
                }
            }
            StmtKind::If { condition, then, otherwise } => {
                let end = behind()?;
                add(&[Piece::Test(condition, true)], None, into(then, end))?;
                add(&[Piece::Test(condition, false)], None, into(otherwise, end))?;
            }
            StmtKind::While { condition, body, .. } => {
                let again = into(body, statement.location);
                add(&[Piece::Test(condition, true)], None, again)?;
                add(&[Piece::Test(condition, false)], None, behind()?)?;
            }
            StmtKind::Choice(branches) => {
                let end = behind()?;
                for branch in branches {
                    add(&[], None, into(branch, end))?;
                }
            }
            StmtKind::Match(cases) => {
                let end = behind()?;
                for (condition, case) in cases {
                    add(&[Piece::Test(condition, true)], None, into(case, end))?;
                }
            }
            StmtKind::Break | StmtKind::Continue => add(&[], None, behind()?)?,
            StmtKind::Call { procedure, arguments, .. } => {
                let call = Piece::Call(*procedure, arguments, statement.location);
                add(&[call], None, first(self.system, *procedure)?)?;
            }
            StmtKind::Return(_) if *procedure == ProcId(0) => {}
            StmtKind::Return(result) => {
                let calls = self.calls.get(procedure.0 as usize).map_or(&[][..], Vec::as_slice);
                for call in calls {
                    let standing = &self.standing[call.0 as usize];
                    let target = standing.behind.ok_or_else(|| wrong("a call at the end"))?;
                    let mut front = Vec::new();
                    if calls.len() > 1 {
                        front.push(Piece::SiteIs(*procedure, *call));
                    }
                    front.extend(result.as_ref().map(Piece::Result));
                    let back = match &standing.statement.kind {
                        StmtKind::Call { target: Some(place), .. } => {
                            // The end of a body that needs a result: every way there has returned
                            // before, which the language makes sure of. Nobody ever is there.
                            if result.is_none() {
                                continue;
                            }
                            Some(Piece::Deliver(place))
                        }
                        _ => None,
                    };
                    add(&front, back, target)?;
                }
            }
        }
        Ok(paths)
    }
}

fn too_many_paths() -> Reason {
    Reason::Size { what: format!("a location has more than {MAX_PATHS} paths") }
}

fn too_long() -> Reason {
    Reason::Size { what: "the paths are too long".into() }
}

/// All ways through a list of actions, depth first.
fn ways<'s>(actions: &'s [Action]) -> Result<Vec<Vec<Piece<'s>>>, Reason> {
    let mut ways = vec![Vec::new()];
    let mut longest = 0;
    for action in actions {
        longest += 1;
        if ways.len().saturating_mul(longest) > MAX_PIECES {
            return Err(too_long());
        }
        let ActionKind::If { condition, then, otherwise } = &action.kind else {
            ways.iter_mut().for_each(|way| way.push(Piece::Act(action)));
            continue;
        };
        let mut parts = Vec::new();
        for (outcome, branch) in [(true, then), (false, otherwise)] {
            for mut way in self::ways(branch)? {
                way.insert(0, Piece::Test(condition, outcome));
                parts.push(way);
            }
        }
        longest += parts.iter().map(Vec::len).max().unwrap_or(0);
        if ways.len().saturating_mul(parts.len()) > MAX_PATHS {
            return Err(too_many_paths());
        }
        if ways.len().saturating_mul(parts.len()).saturating_mul(longest) > MAX_PIECES {
            return Err(too_long());
        }
        let both = |way: &Vec<Piece<'s>>, part: &Vec<Piece<'s>>| [&way[..], &part[..]].concat();
        ways = ways.iter().flat_map(|way| parts.iter().map(move |part| both(way, part))).collect();
    }
    Ok(ways)
}

#[cfg(test)]
mod tests;
