//! What the net alone tells about the order (this is not in the paper).
//!
//! `SB(u)` is a set of transitions that have all occurred before `u`, in every execution in which
//! `u` occurs. To occur, `u` needs a token for each of its reading arcs `a`; whoever made that
//! token occurred before, and so did everything that has to occur before that one. So the sets may
//! be any solution of
//!
//! > SB(u) = union over reading arcs a of u, of the intersection over outputs o of place(a),
//! > of SB(trans(o)) + trans(o)
//!
//! and the greatest one says most. *Any* solution is right, by induction over the execution: the
//! claim for `u` follows from the claims for transitions that occurred earlier. A transition before
//! itself cannot occur at all (an empty place gives the intersection over nothing, which is
//! everything). The greatest solution is transitive: adding to each SB(u) the SB(t) of all t in it
//! gives something that satisfies the equation with "at most" in place of "=", and the greatest
//! solution contains all such.
//!
//! A place that a [`Growth`](crate::Growth) fills may get tokens from copies that are not there
//! yet. They come after a token in the growth's frontier: the growth is treated like a transition
//! that could have made tokens in all places it fills, and itself waits for a token in any place of
//! its frontier. So what is concluded stays true when the net grows, and is kept.
//!
//! Of transitions that cannot occur, nothing is claimed but that: everything is before them and
//! they are before everything they are needed for, which is no order. When the net grows, more
//! transitions may turn out to be dead. What was used of the order until then does no harm: the old
//! order was one on all that were alive, and any way in it through a dead transition from one that
//! is alive to another is a pair of the new order, too; so both together are an order.

use crate::ids::{PlaceId, TransitionId};
use crate::net::{ArcKind, Net};
use ser_base::{Limits, Stop};

/// A set of transitions and growths.
type Row = Vec<u64>;

/// Which transitions occur before which, whatever happens.
#[derive(Clone, Debug, Default)]
pub struct StaticOrder {
    /// For each transition that is not dead, those before it.
    before: Vec<Row>,
    dead: Vec<bool>,
}

impl StaticOrder {
    /// Nothing is known of so many transitions.
    pub fn nothing(transitions: usize) -> StaticOrder {
        StaticOrder { before: vec![Row::new(); transitions], dead: vec![false; transitions] }
    }

    /// The order of some pairs, each in the order of time, and what follows from them.
    #[cfg(test)]
    pub fn from_pairs(transitions: usize, pairs: &[(TransitionId, TransitionId)]) -> StaticOrder {
        let row = vec![0u64; transitions.div_ceil(64)];
        let dead = vec![false; transitions];
        let mut earlier = StaticOrder { before: vec![row.clone(); transitions], dead };
        for (t, u) in pairs {
            if let Some(word) =
                earlier.before.get_mut(u.index()).and_then(|row| row.get_mut(t.index() / 64))
            {
                *word |= 1 << (t.index() % 64);
            }
        }
        let mut known = StaticOrder { before: vec![row; transitions], dead: Vec::new() };
        known.join(&earlier, transitions);
        known
    }

    /// What the net tells, together with what was told of it when it was smaller.
    pub fn of(net: &Net, earlier: &StaticOrder, limits: &Limits) -> Result<StaticOrder, Stop> {
        let transitions = net.transitions.len();
        let nodes = transitions + net.growths.len();
        let words = nodes.div_ceil(64);
        // Who may make the tokens of a place: transitions, then growths.
        let makers: Vec<Vec<usize>> = (0..net.places.len())
            .map(|place| {
                let outputs = net.places[place].outputs.iter();
                let mut makers: Vec<usize> =
                    outputs.map(|arc| net.arc(*arc).transition.index()).collect();
                let fills = |g: &usize| net.growths[*g].fills.contains(&PlaceId::from_index(place));
                makers.extend((0..net.growths.len()).filter(fills).map(|g| transitions + g));
                makers.sort_unstable();
                makers.dedup();
                makers
            })
            .collect();
        // Who waits for tokens of a place.
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); net.places.len()];
        for arc in net.arcs.iter().filter(|arc| arc.kind != ArcKind::Output) {
            readers[arc.place.index()].push(arc.transition.index());
        }
        for (g, growth) in net.growths.iter().enumerate() {
            for place in &growth.frontier {
                readers[place.index()].push(transitions + g);
            }
        }
        let mut makes: Vec<Vec<usize>> = vec![Vec::new(); nodes];
        for (place, makers) in makers.iter().enumerate() {
            for maker in makers {
                makes[*maker].push(place);
            }
        }
        limits.check_room(8 * words * (nodes + net.places.len()))?;
        let mut pace = limits.pace();
        let full: Row = vec![u64::MAX; words];
        let mut before: Vec<Row> = vec![full.clone(); nodes];
        let mut tokens: Vec<Row> = vec![full.clone(); net.places.len()];
        // From everything downwards; whoever shrinks has the places looked at that it makes tokens
        // for.
        let mut open: std::collections::BTreeSet<usize> = (0..net.places.len()).collect();
        let mut lonely: Vec<usize> = (0..nodes).collect();
        loop {
            let mut changed: Vec<usize> = std::mem::take(&mut lonely);
            while let Some(place) = open.pop_first() {
                let mut row = full.clone();
                pace.steps(words * (makers[place].len() + 1))?;
                for maker in &makers[place] {
                    for (w, word) in row.iter_mut().enumerate() {
                        let own = if *maker / 64 == w { 1u64 << (*maker % 64) } else { 0 };
                        *word &= before[*maker][w] | own;
                    }
                }
                if row != tokens[place] {
                    tokens[place] = row;
                    changed.extend(&readers[place]);
                }
            }
            if changed.is_empty() {
                break;
            }
            changed.sort_unstable();
            changed.dedup();
            for node in changed {
                pace.steps(words)?;
                let row = match node.checked_sub(transitions) {
                    None => waits(net, &tokens, TransitionId::from_index(node), words),
                    Some(growth) => starts(net, &tokens, growth, &full),
                };
                if row != before[node] {
                    before[node] = row;
                    open.extend(&makes[node]);
                }
            }
        }
        let before = before.into_iter().take(transitions).collect();
        let mut known = StaticOrder { before, dead: Vec::new() };
        known.join(earlier, transitions);
        Ok(known)
    }

    /// Adds what was known earlier, and what follows from both.
    fn join(&mut self, earlier: &StaticOrder, transitions: usize) {
        let words = transitions.div_ceil(64);
        let mut new = false;
        for (t, row) in self.before.iter_mut().enumerate() {
            row.truncate(words);
            if let (Some(last), rest @ 1..) = (row.last_mut(), transitions % 64) {
                *last &= (1u64 << rest) - 1;
            }
            for (word, old) in row.iter_mut().zip(earlier.before.get(t).into_iter().flatten()) {
                new |= *old & !*word != 0;
                *word |= *old;
            }
        }
        // Without anything new it is transitive already.
        for middle in 0..if new { transitions } else { 0 } {
            let through = self.before[middle].clone();
            for row in &mut self.before {
                if row[middle / 64] >> (middle % 64) & 1 == 1 {
                    row.iter_mut().zip(&through).for_each(|(word, more)| *word |= more);
                }
            }
        }
        self.bury(earlier);
    }

    /// Takes what is dead out of the order: what is before itself, what was dead earlier, and what
    /// waits for such.
    fn bury(&mut self, earlier: &StaticOrder) {
        let mut dead: Row = vec![0; self.before.len().div_ceil(64)];
        for (t, row) in self.before.iter().enumerate() {
            let itself = row[t / 64] >> (t % 64) & 1 == 1;
            dead[t / 64] |= u64::from(itself || earlier.dead.get(t) == Some(&true)) << (t % 64);
        }
        let waits = |row: &Row| row.iter().zip(&dead).any(|(word, dead)| word & dead != 0);
        // The order is transitive: who waits for someone who waits, waits.
        let of = |(t, row): (usize, &Row)| dead[t / 64] >> (t % 64) & 1 == 1 || waits(row);
        self.dead = self.before.iter().enumerate().map(of).collect();
        let buried = self.before.iter_mut().zip(&self.dead).filter(|(_, dead)| **dead);
        buried.for_each(|(row, _)| row.clear());
    }

    /// Whether the first occurs before the second whenever the second occurs. Dead transitions are
    /// in no such pair.
    pub fn is_before(&self, first: TransitionId, second: TransitionId) -> bool {
        let word = self.before.get(second.index()).and_then(|row| row.get(first.index() / 64));
        word.is_some_and(|word| word >> (first.index() % 64) & 1 == 1)
    }

    /// Whether a transition cannot occur.
    pub fn is_dead(&self, transition: TransitionId) -> bool {
        self.dead.get(transition.index()).copied().unwrap_or(false)
    }
}

fn waits(net: &Net, tokens: &[Row], transition: TransitionId, words: usize) -> Row {
    let mut row = vec![0u64; words];
    for arc in &net.transition(transition).arcs {
        let arc = net.arc(*arc);
        if arc.kind != ArcKind::Output {
            let place = &tokens[arc.place.index()];
            row.iter_mut().zip(place).for_each(|(word, more)| *word |= more);
        }
    }
    row
}

fn starts(net: &Net, tokens: &[Row], growth: usize, full: &Row) -> Row {
    let mut row = full.clone();
    for place in &net.growths[growth].frontier {
        let place = &tokens[place.index()];
        row.iter_mut().zip(place).for_each(|(word, more)| *word &= more);
    }
    row
}
