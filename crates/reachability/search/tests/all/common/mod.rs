//! Random small nets: test arcs, parallel arcs, places with several tokens, data, cycles.

#![allow(dead_code, reason = "not every test uses everything")]

use ser_base::Limits;
use ser_reachability_search::{
    ArcKind, Growth, Interval, Net, NewTransition, PlaceId, Term, TransitionId, explore,
};
use ser_syntax::core::{BinaryOp, UnaryOp};
use std::collections::BTreeSet;

/// A small generator of random numbers: the same seed, the same net, on every machine.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound.max(1)
    }

    pub fn chance(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// The random net of a seed.
pub fn random_net(seed: u64) -> Net {
    grown_net(seed).pop().expect("there is a last version")
}

/// The random net of a seed, in up to three versions, each of which grows into the next.
pub fn grown_net(seed: u64) -> Vec<Net> {
    let mut dice = Dice::new(seed);
    let mut net = Net::default();
    for index in 0..2 + dice.below(4) {
        add_place(&mut net, &mut dice, index);
    }
    for index in 0..2 + dice.below(4) {
        let reads = index > 0 && !dice.chance(5);
        add_transition(&mut net, &mut dice, index, reads);
    }
    let mut versions = vec![net.clone()];
    for _ in 0..dice.below(3) {
        if dice.chance(2) {
            let index = net.places.len();
            add_place(&mut net, &mut dice, index);
        }
        for _ in 0..1 + dice.below(2) {
            let index = net.transitions.len();
            add_transition(&mut net, &mut dice, index, true);
        }
        versions.push(net.clone());
    }
    for version in &mut versions {
        for group in 0..2 {
            version.growths.extend(growth(version, &net, group));
        }
    }
    versions
}

/// What the even or the odd transitions of a later version mean for an earlier one.
fn growth(version: &Net, last: &Net, group: usize) -> Option<Growth> {
    let (mut frontier, mut fills) = (BTreeSet::new(), BTreeSet::new());
    let is_old = |place: PlaceId| place.index() < version.places.len();
    let reads = |t: TransitionId| -> Vec<PlaceId> {
        let arcs = last.transition(t).arcs.iter().map(|arc| last.arc(*arc));
        let reads = arcs.filter(|arc| arc.kind != ArcKind::Output).map(|arc| arc.place);
        reads.filter(|place| is_old(*place)).collect()
    };
    let later = || transitions(last).skip(version.transitions.len());
    let mut some = false;
    for t in later().filter(|t| t.index() % 2 == group) {
        some = true;
        let old = reads(t);
        // Whoever waits for new places alone, waits for somebody who waits for an old one.
        frontier.extend(if old.is_empty() { later().flat_map(reads).collect() } else { old });
        let arcs = last.arcs_of(t, ArcKind::Output).map(|arc| last.arc(arc).place);
        fills.extend(arcs.filter(|place| is_old(*place)));
    }
    let (frontier, fills) = (frontier.into_iter().collect(), fills.into_iter().collect());
    some.then(|| Growth { name: format!("{group}"), frontier, fills })
}

fn add_place(net: &mut Net, dice: &mut Dice, index: usize) {
    let components = dice.one(&[0, 0, 1, 1, 1, 2]);
    let colours = (0..components).map(|_| {
        let low = dice.one(&[0, 0, 0, -1, -2, 1]);
        Interval::new(low, low + dice.below(4) as i64)
    });
    let colours: Vec<Interval> = colours.collect();
    net.add_place(format!("p{index}"), colours, false);
}

fn add_transition(net: &mut Net, dice: &mut Dice, index: usize, reads: bool) {
    let mut variables: Vec<Term> = Vec::new();
    let mut arcs: Vec<(ArcKind, PlaceId, Vec<Term>)> = Vec::new();
    let readers = if reads { 1 + dice.below(2) } else { 0 };
    for _ in 0..readers {
        let place = PlaceId::from_index(dice.below(net.places.len()));
        let kind = dice.one(&[ArcKind::Input, ArcKind::Input, ArcKind::Test]);
        let mut values = Vec::new();
        for colour in net.place(place).colours.clone() {
            let value = match dice.below(8) {
                0 => net.terms.number(colour.low),
                1 if !variables.is_empty() => dice.one(&variables),
                2 if !variables.is_empty() => random_term(net, dice, &variables, 2),
                3 => {
                    let interval = Interval::new(colour.low, colour.high + 1);
                    let variable = net.add_variable("w", interval);
                    variables.push(variable);
                    let one = net.terms.number(1);
                    net.terms.binary(BinaryOp::Subtract, variable, one)
                }
                _ => {
                    let interval = match dice.below(4) {
                        0 => Interval::new(colour.low, colour.low + 1),
                        1 => Interval::new(colour.low - 1, colour.high + 1),
                        _ => colour,
                    };
                    let variable = net.add_variable("v", interval);
                    variables.push(variable);
                    variable
                }
            };
            values.push(value);
        }
        arcs.push((kind, place, values));
    }
    if variables.is_empty() && dice.chance(3) {
        variables.push(net.add_variable("free", Interval::new(0, 1 + dice.below(2) as i64)));
    }
    for _ in 0..1 + dice.below(2) {
        let place = PlaceId::from_index(dice.below(net.places.len()));
        let mut values = Vec::new();
        for colour in net.place(place).colours.clone() {
            let value = match dice.below(3) {
                0 => net.terms.number(colour.low + dice.below(3) as i64),
                _ => random_term(net, dice, &variables, 2),
            };
            values.push(value);
        }
        arcs.push((ArcKind::Output, place, values));
    }
    let guard = match dice.below(3) {
        0 => random_term(net, dice, &variables, 3),
        _ => net.terms.number(1),
    };
    net.add_transition(NewTransition { name: format!("t{index}"), guard, arcs });
}

/// A random term over some variables.
pub fn random_term(net: &mut Net, dice: &mut Dice, variables: &[Term], depth: usize) -> Term {
    if depth == 0 || dice.chance(3) {
        return match variables.is_empty() || dice.chance(3) {
            true => net.terms.number(dice.below(5) as i64 - 1),
            false => dice.one(variables),
        };
    }
    let left = random_term(net, dice, variables, depth - 1);
    let right = random_term(net, dice, variables, depth - 1);
    match dice.below(14) {
        0 => net.terms.unary(UnaryOp::Negate, left),
        1 => net.terms.unary(UnaryOp::Not, left),
        2 => {
            let condition = random_term(net, dice, variables, depth - 1);
            net.terms.choice(condition, left, right)
        }
        other => {
            use BinaryOp::*;
            let ops = [
                Add,
                Subtract,
                Multiply,
                Equal,
                NotEqual,
                Less,
                LessEqual,
                Greater,
                GreaterEqual,
                And,
                Or,
            ];
            net.terms.binary(ops[other % ops.len()], left, right)
        }
    }
}

/// What all executions of a net reach; nothing if there are too many.
pub fn truth(net: &Net) -> Option<ser_reachability_search::Explored> {
    explore(net, &Limits { max_states: 3_000, ..Limits::default() }).ok()
}

/// Marks the places that are safe, as far as the net is concerned.
pub fn mark_safe(net: &mut Net, unsafe_places: &BTreeSet<PlaceId>) {
    for (index, place) in net.places.iter_mut().enumerate() {
        place.is_safe = !unsafe_places.contains(&PlaceId::from_index(index));
    }
}

/// All transitions of a net.
pub fn transitions(net: &Net) -> impl Iterator<Item = TransitionId> + use<> {
    (0..net.transitions.len()).map(TransitionId::from_index)
}
