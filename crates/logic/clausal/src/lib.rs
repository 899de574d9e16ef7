//! Clausal proofs: a list of learnt clauses shows that clauses and assumptions have no solution.
//!
//! **Theorem.** If the last of a list of clauses is empty, or unit propagation finds a
//! contradiction at the end, and each clause of the list follows from the formula and the clauses
//! before it by *reverse unit propagation* (assume all its literals false, and unit propagation
//! finds a contradiction), then the formula has no solution. For each step then preserves all
//! solutions, and in the end there are none.
//!
//! The check goes backwards. First all clauses are added, one after the other, until unit
//! propagation alone finds a contradiction. What took part in it is *marked*. Then the learnt
//! clauses are taken away from the last to the first: a marked one is checked against those before
//! it, which marks what took part there; one that is not marked was of no use and is not looked at.
//! Unit propagation watches two literals in each clause, and looks at marked clauses first, so that
//! little gets marked.
//!
//! Taking away a clause that was the reason for a literal on the trail takes away that literal and
//! all behind it. This is exact: when the clause was added, everything that follows without it was
//! on the trail already, in front of it.

mod literal;

pub use literal::Lit;

use rustc_hash::FxHashMap;
use ser_base::{Limits, Pace, Stop};

/// Why a proof was not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ClausalError {
    /// A learnt clause does not follow.
    #[error(
        "learnt clause {step} does not follow from the formula and the clauses before it by unit propagation"
    )]
    DoesNotFollow { step: usize },
    /// There is no contradiction in the end.
    #[error("the proof ends after {steps} learnt clauses without a contradiction")]
    NoContradiction { steps: usize },
    /// A clause has a 0.
    #[error("a clause contains 0, which is no literal")]
    Zero,
    /// It took too long or too much memory.
    #[error("the check of the proof was stopped: {0}")]
    Stopped(#[from] Stop),
}

/// What was looked at for an accepted proof.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClausalProof {
    /// How many learnt clauses took part and were checked.
    pub learnt: usize,
    /// How many clauses of the formula and assumptions took part.
    pub clauses: usize,
    /// The places of the learnt clauses that took part, ascending. They alone are a proof, too.
    pub used: Vec<usize>,
}

impl ClausalProof {
    /// Together with a proof by the same clauses, under other assumptions.
    pub fn join(&mut self, other: ClausalProof) {
        self.used.extend(other.used);
        self.used.sort_unstable();
        self.used.dedup();
        self.learnt = self.used.len();
        self.clauses = self.clauses.max(other.clauses);
    }
}

/// Checks that `clauses` and `assumptions` together have no solution, by the clauses `learnt`.
/// Literals are numbers as in the DIMACS format.
///
/// ```
/// use ser_clausal::check_clausal;
/// let formula = [vec![1, 2], vec![1, -2], vec![-1, 3], vec![-1, -3]];
/// let checked = check_clausal(&formula, &[], &[vec![1]], &Default::default())?;
/// assert_eq!((checked.learnt, checked.clauses), (1, 4));
/// assert!(check_clausal(&formula[..3], &[], &[vec![1]], &Default::default()).is_err());
/// assert!(check_clausal(&formula[..3], &[-3], &[vec![1]], &Default::default()).is_ok());
/// # Ok::<(), ser_clausal::ClausalError>(())
/// ```
pub fn check_clausal(
    clauses: &[Vec<i32>],
    assumptions: &[i32],
    learnt: &[Vec<i32>],
    limits: &Limits,
) -> Result<ClausalProof, ClausalError> {
    let mut checker = Checker::default();
    let mut pace = limits.pace();
    let formula_size = clauses.len() + assumptions.len();
    let units = assumptions.iter().map(std::slice::from_ref);
    let mut conflict = None;
    for clause in clauses.iter().map(Vec::as_slice).chain(units) {
        pace.steps(clause.len() + 1)?;
        conflict = conflict.or(checker.add(clause)?);
    }
    if conflict.is_none() {
        conflict = checker.propagate(&mut pace)?;
    }
    for clause in learnt {
        if conflict.is_some() {
            break;
        }
        limits.check_room(checker.literals.len())?;
        conflict = checker.add(clause)?;
        if conflict.is_none() {
            conflict = checker.propagate(&mut pace)?;
        }
    }
    let Some(conflict) = conflict else {
        return Err(ClausalError::NoContradiction { steps: learnt.len() });
    };
    checker.mark(conflict);
    checker.backward(formula_size, &mut pace)
}

/// A literal as twice its variable, plus one if negated.
type Code = u32;

/// The place of a clause.
type Index = u32;

/// No clause.
const NONE: Index = Index::MAX;

struct Watch {
    clause: Index,
    /// Some literal of the clause: if it is true, the clause needs no look.
    blocker: Code,
}

struct Clause {
    begin: u32,
    end: u32,
    is_marked: bool,
    is_active: bool,
}

#[derive(Default)]
struct Checker {
    variables: FxHashMap<u32, u32>,
    literals: Vec<Code>,
    clauses: Vec<Clause>,
    /// For each literal, the clauses that watch it: marked ones, and the others.
    watches: [Vec<Vec<Watch>>; 2],
    is_true: Vec<bool>,
    reason: Vec<Index>,
    /// For each variable on the trail, where.
    place: Vec<u32>,
    is_seen: Vec<bool>,
    trail: Vec<Code>,
    /// Up to where the trail was propagated, by marked clauses and by others.
    heads: [usize; 2],
}

impl Checker {
    fn code(&mut self, literal: i32) -> Result<Code, ClausalError> {
        if literal == 0 {
            return Err(ClausalError::Zero);
        }
        let next = self.variables.len() as u32;
        let variable = *self.variables.entry(literal.unsigned_abs()).or_insert(next);
        if variable == next {
            for watches in &mut self.watches {
                watches.extend([Vec::new(), Vec::new()]);
            }
            self.is_true.extend([false, false]);
            self.reason.push(NONE);
            self.place.push(0);
            self.is_seen.push(false);
        }
        Ok(2 * variable + u32::from(literal < 0))
    }

    fn is_true(&self, code: Code) -> bool {
        self.is_true[code as usize]
    }

    fn is_false(&self, code: Code) -> bool {
        self.is_true[(code ^ 1) as usize]
    }

    fn assign(&mut self, code: Code, reason: Index) {
        self.is_true[code as usize] = true;
        self.reason[(code >> 1) as usize] = reason;
        self.place[(code >> 1) as usize] = self.trail.len() as u32;
        self.trail.push(code);
    }

    /// Adds a clause; returns it if all its literals are false.
    fn add(&mut self, clause: &[i32]) -> Result<Option<Index>, ClausalError> {
        let index = self.clauses.len() as Index;
        let begin = self.literals.len();
        if begin + clause.len() >= Index::MAX as usize {
            return Err(Stop::Memory { limit: Index::MAX as usize }.into());
        }
        let mut codes = Vec::with_capacity(clause.len());
        for literal in clause {
            codes.push(self.code(*literal)?);
        }
        codes.sort_unstable();
        codes.dedup();
        let holds = codes.windows(2).any(|pair| pair[0] ^ 1 == pair[1]);
        // Literals that are not false come first, then those that became false last.
        codes.sort_by_key(|code| match self.is_false(*code) {
            true => u32::MAX - self.place[(*code >> 1) as usize],
            false => 0,
        });
        self.literals.extend(&codes);
        let (begin, end) = (begin as u32, self.literals.len() as u32);
        self.clauses.push(Clause { begin, end, is_marked: false, is_active: !holds });
        if holds {
            return Ok(None);
        }
        if let [first, second, ..] = codes[..] {
            self.watches[1][first as usize].push(Watch { clause: index, blocker: second });
            self.watches[1][second as usize].push(Watch { clause: index, blocker: first });
        }
        match codes.first() {
            None => return Ok(Some(index)),
            Some(first) if self.is_false(*first) => return Ok(Some(index)),
            Some(first) => {
                let is_unit = codes.get(1).is_none_or(|second| self.is_false(*second));
                if is_unit && !self.is_true(*first) {
                    self.assign(*first, index);
                }
            }
        }
        Ok(None)
    }

    /// Unit propagation; returns a clause that is false. Marked clauses first.
    fn propagate(&mut self, pace: &mut Pace<'_>) -> Result<Option<Index>, Stop> {
        loop {
            let group = if self.heads[0] < self.trail.len() {
                0
            } else if self.heads[1] < self.trail.len() {
                1
            } else {
                return Ok(None);
            };
            let falsified = self.trail[self.heads[group]] ^ 1;
            self.heads[group] += 1;
            let mut watches = std::mem::take(&mut self.watches[group][falsified as usize]);
            pace.steps(watches.len() + 1)?;
            let mut conflict = None;
            watches.retain_mut(|watch| {
                if conflict.is_some() || self.is_true(watch.blocker) {
                    return true;
                }
                let clause = &self.clauses[watch.clause as usize];
                // Taken away, or moved to the marked ones.
                if !clause.is_active || usize::from(!clause.is_marked) != group {
                    return false;
                }
                let (begin, end) = (clause.begin as usize, clause.end as usize);
                if self.literals[begin] == falsified {
                    self.literals.swap(begin, begin + 1);
                }
                let first = self.literals[begin];
                watch.blocker = first;
                if self.is_true(first) {
                    return true;
                }
                for place in begin + 2..end {
                    let code = self.literals[place];
                    if !self.is_false(code) {
                        self.literals.swap(begin + 1, place);
                        let moved = Watch { clause: watch.clause, blocker: first };
                        self.watches[group][code as usize].push(moved);
                        return false;
                    }
                }
                if self.is_false(first) {
                    conflict = Some(watch.clause);
                } else {
                    self.assign(first, watch.clause);
                }
                true
            });
            // A literal is never moved to the list that is being read: it is false.
            self.watches[group][falsified as usize] = watches;
            if conflict.is_some() {
                return Ok(conflict);
            }
        }
    }

    /// Marks a clause, and those that gave the literals on the trail that make it false.
    fn mark(&mut self, conflict: Index) {
        self.see(conflict);
        for place in (0..self.trail.len()).rev() {
            let variable = (self.trail[place] >> 1) as usize;
            if std::mem::take(&mut self.is_seen[variable]) && self.reason[variable] != NONE {
                self.see(self.reason[variable]);
                self.is_seen[variable] = false;
            }
        }
    }

    fn see(&mut self, index: Index) {
        let clause = &mut self.clauses[index as usize];
        let (begin, end) = (clause.begin as usize, clause.end as usize);
        if !clause.is_marked {
            clause.is_marked = true;
            if end - begin >= 2 {
                let (first, second) = (self.literals[begin], self.literals[begin + 1]);
                self.watches[0][first as usize].push(Watch { clause: index, blocker: second });
                self.watches[0][second as usize].push(Watch { clause: index, blocker: first });
            }
        }
        for place in begin..end {
            self.is_seen[(self.literals[place] >> 1) as usize] = true;
        }
    }

    fn shorten(&mut self, length: usize) {
        for code in self.trail.drain(length..) {
            self.is_true[code as usize] = false;
            self.reason[(code >> 1) as usize] = NONE;
        }
        self.heads = self.heads.map(|head| head.min(length));
    }

    /// Takes the learnt clauses away, last first, and checks those that are marked.
    fn backward(
        &mut self,
        formula_size: usize,
        pace: &mut Pace<'_>,
    ) -> Result<ClausalProof, ClausalError> {
        let mut proof = ClausalProof::default();
        for index in (formula_size..self.clauses.len()).rev() {
            let clause = &mut self.clauses[index];
            clause.is_active = false;
            let is_marked = clause.is_marked;
            let (begin, end) = (clause.begin as usize, clause.end as usize);
            // What it has forced goes, with all behind it.
            if let Some(first) = self.literals[begin..end].first().copied()
                && self.is_true(first)
                && self.reason[(first >> 1) as usize] == index as Index
            {
                self.shorten(self.place[(first >> 1) as usize] as usize);
            }
            if !is_marked {
                continue;
            }
            proof.learnt += 1;
            proof.used.push(index - formula_size);
            if !self.follows(begin, end, pace)? {
                return Err(ClausalError::DoesNotFollow { step: index - formula_size });
            }
        }
        proof.used.reverse();
        let formula = self.clauses.iter().take(formula_size);
        proof.clauses = formula.filter(|clause| clause.is_marked).count();
        Ok(proof)
    }

    /// Reverse unit propagation.
    fn follows(&mut self, begin: usize, end: usize, pace: &mut Pace<'_>) -> Result<bool, Stop> {
        let length = self.trail.len();
        let mut conflict = None;
        for place in begin..end {
            let code = self.literals[place];
            if self.is_true(code) {
                conflict = Some(self.reason[(code >> 1) as usize]);
                break;
            }
            if !self.is_false(code) {
                self.assign(code ^ 1, NONE);
            }
        }
        if conflict.is_none() {
            conflict = self.propagate(pace)?;
        }
        if let Some(conflict) = conflict {
            self.mark(conflict);
        }
        self.shorten(length);
        Ok(conflict.is_some())
    }
}

#[cfg(test)]
mod tests;
