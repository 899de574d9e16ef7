//! What is not determined: the branch of a `choose`, and the values of `choose` and `malloc`.

use super::Bounds;
use super::heap::{Kinds, alive, held};
use super::memory::{HIGHEST, LOWEST, Layout, Word};
use super::sets::Sets;
use ser_syntax::inv::ast::{Expr, ExprKind, Operator, Scalar, System, Type};
use std::collections::BTreeSet;

/// How many values there are of a type, at most.
const MAX_VALUES: usize = 1000;

/// Values that `choose` may take, and initial values.
#[derive(Clone, Debug)]
pub(super) struct Pools {
    pub ints: Vec<Word>,
    /// Which numbers are in sets: those that somebody has proposed come first.
    pub members: Vec<Word>,
    pub elems: Vec<Word>,
}

impl Pools {
    /// Those that the bounds allow.
    pub fn of(system: &System, bounds: &Bounds) -> Pools {
        let ints = ints(system, &bounds.hints, bounds.ints.clamp(1, MAX_VALUES));
        let between = (1..=bounds.elems.min(MAX_VALUES as u32)).map(Word::from);
        let elems = std::iter::once(LOWEST).chain(between).chain([HIGHEST]).collect();
        let others = ints.iter().filter(|it| !bounds.hints.contains(it));
        let members = bounds.hints.iter().chain(others).copied();
        let members = members.take(MEMBERS_OF_CHOSEN_SETS).collect();
        Pools { ints, members, elems }
    }
}

/// At most so many numbers: 0 and 1, those that somebody has proposed, those of the program, and
/// their neighbours. Small ones first, wherever one has to decide.
fn ints(system: &System, hints: &[Word], most: usize) -> Vec<Word> {
    let mut constants = BTreeSet::from([0, 1]);
    system.walk(&mut |expr| match &expr.kind {
        ExprKind::Int(value) => drop(constants.insert(*value)),
        ExprKind::Negate(inner) => {
            if let ExprKind::Int(value) = inner.kind {
                constants.insert(value.saturating_neg());
            }
        }
        _ => {}
    });
    let near = |by: Word| constants.iter().map(move |it| it.saturating_add(by));
    let smallest_first = |words: &mut Vec<Word>| {
        words.sort_by_key(|value| (value.unsigned_abs(), *value < 0));
    };
    let mut found: Vec<Word> = vec![0, 1];
    let opposites: Vec<Word> = constants.iter().map(|it| it.saturating_neg()).collect();
    let groups =
        [hints.to_vec(), near(0).collect(), near(1).collect(), near(-1).collect(), opposites];
    for mut group in groups {
        smallest_first(&mut group);
        for word in group {
            if found.len() < most && !found.contains(&word) {
                found.push(word);
            }
        }
    }
    found.truncate(most);
    smallest_first(&mut found);
    found
}

pub(super) fn conjuncts_of(formula: &Expr) -> Vec<&Expr> {
    let mut found = Vec::new();
    let mut pending = vec![formula];
    while let Some(expr) = pending.pop() {
        match &expr.kind {
            ExprKind::Binary(Operator::And, left, right) => pending.extend([&**right, &**left]),
            _ => found.push(expr),
        }
    }
    found
}

#[derive(Clone, Debug)]
pub(super) enum Oracle<'a> {
    /// All possibilities, one after the other: the number of the one taken at each choice so far,
    /// and how many there are.
    Every {
        /// The choices of this round.
        picks: Vec<(usize, usize)>,
        /// How many have been asked for.
        asked: usize,
    },
    Given {
        /// The path, which tells the branch of a `choose`.
        path: u64,
        /// What `choose` and `malloc` choose, with their types (the empty set has any).
        values: &'a [(Option<Type>, Word)],
        /// How many have been asked for.
        asked: usize,
    },
}

impl Oracle<'_> {
    pub fn every() -> Oracle<'static> {
        Oracle::Every { picks: Vec::new(), asked: 0 }
    }

    /// Goes to the next possibility: whether there is one.
    pub fn advance(&mut self) -> bool {
        let Oracle::Every { picks, asked } = self else {
            return false;
        };
        *asked = 0;
        while let Some((pick, count)) = picks.pop() {
            if pick + 1 < count {
                picks.push((pick + 1, count));
                return true;
            }
        }
        false
    }

    /// Picks one of `count`, in a round of [`Oracle::Every`].
    pub fn pick(picks: &mut Vec<(usize, usize)>, asked: &mut usize, count: usize) -> usize {
        let pick = match picks.get(*asked) {
            Some((pick, _)) => *pick,
            None => {
                picks.push((0, count));
                0
            }
        };
        *asked += 1;
        pick
    }
}

/// The values that a variable of a type may have, in a state.
pub(super) fn values(
    pools: &Pools,
    kinds: &Kinds,
    layout: &Layout,
    words: &[Word],
    sets: &mut Sets,
    ty: Type,
) -> Vec<Word> {
    let scalars = |scalar: Scalar, sets: &Sets| -> Vec<Word> {
        match scalar {
            Scalar::Int => pools.ints.clone(),
            Scalar::Elem => pools.elems.clone(),
            Scalar::Tid => (0..=layout.threads as Word).collect(),
            Scalar::Addr => {
                let alive = alive(kinds, layout, words, sets);
                let cells = (1..).zip(alive.iter().skip(1));
                let used = cells.filter(|(_, alive)| **alive).map(|(address, _)| address);
                std::iter::once(0).chain(used).collect()
            }
        }
    };
    match ty {
        Type::Bool => vec![0, 1],
        Type::Scalar(scalar) => scalars(scalar, sets),
        Type::Set(scalar) => {
            let mut members = match scalar {
                Scalar::Int => pools.members.clone(),
                _ => scalars(scalar, sets),
            };
            subsets(sets, &mut members)
        }
    }
}

/// Whether all values of a type are tried, up to names, where one is chosen.
pub(super) fn are_all_tried(ty: Type) -> bool {
    matches!(ty, Type::Bool | Type::Scalar(Scalar::Tid))
}

/// Sets that are chosen have their members among so many values.
const MEMBERS_OF_CHOSEN_SETS: usize = 3;

/// All sets of the first few of these members.
pub(super) fn subsets(sets: &mut Sets, members: &mut Vec<Word>) -> Vec<Word> {
    members.truncate(MEMBERS_OF_CHOSEN_SETS);
    let chosen = |mask: usize| {
        let chosen = members.iter().enumerate().filter(move |(place, _)| mask >> place & 1 == 1);
        chosen.map(|(_, member)| *member).collect::<Vec<Word>>()
    };
    (0..1_usize << members.len()).map(|mask| sets.number(chosen(mask))).collect()
}

/// The addresses that a new cell may have, up to symmetry: the smallest that nobody can come to,
/// and those that `malloc` may give although somebody can (through a member of a set).
pub(super) fn new_cells(kinds: &Kinds, layout: &Layout, words: &[Word], sets: &Sets) -> Vec<Word> {
    let held = held(kinds, layout, words, sets);
    let alive = alive(kinds, layout, words, sets);
    let mut dead = true;
    (1..=layout.cells)
        .filter(|&cell| match (held[cell], alive[cell]) {
            (true, _) => false,
            (false, true) => true,
            (false, false) => std::mem::replace(&mut dead, false),
        })
        .map(|cell| cell as Word)
        .collect()
}
