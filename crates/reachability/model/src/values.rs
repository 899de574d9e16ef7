//! Which values a transition can put out (this is not in the paper).
//!
//! A solver that reasons bit by bit needs very many conflicts to find out that a counter to which
//! 81 and 17 are added can never be 100. So small sets of values are followed through the net
//! first: for each output arc the values that it can have, each with a set of transitions that must
//! have occurred by then. The sets come from a least fixpoint: `t` can put out what its terms give
//! for values that the outputs to which its reading arcs can be linked can have.
//!
//! *Why this is right.* Claim: if `t` puts out the value `v` with its arc `o`, then the table has
//! `v` for `o` with a set D of transitions that have occurred by then, `t` among them. By induction
//! over the execution, the tokens that `t` reads have such sets, of transitions that occurred
//! before `t`; so `t` itself is in none of them (it occurs once), and D is their union, with `t`
//! and all that the static order puts before it. Tables may claim more than that, never less: of
//! two sets for the same value, one that contains the other is dropped, and two may be replaced by
//! what they have in common.
//!
//! The condition "`t` in none of the sets" is what makes this sharp: values do not run in cycles,
//! as each transition adds only once. Where it gets too large (many values, several arcs, large
//! variables that are not bound by tokens, tokens of copies that are not there yet), nothing is
//! claimed.

use crate::ids::{ArcId, PlaceId, TransitionId, VariableId};
use crate::net::{ArcKind, Net};
use crate::order::StaticOrder;
use crate::term::{Interval, Node, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::{Limits, Pace, Stop};
use std::collections::{BTreeMap, BTreeSet};

/// An output arc with more values than this is not followed.
const MOST_VALUES: usize = 1024;
/// So many sets of transitions are kept for a value.
const MOST_SETS: usize = 2;
/// A transition with more combinations of what it reads than this is not followed.
const MOST_COMBINATIONS: usize = 1 << 14;
/// Tokens of unknown origin and variables that no token binds are tried if there are no more
/// possibilities than this.
const MOST_CHOICES: usize = 64;
/// So much work altogether, for each transition of the net.
const WORK_PER_TRANSITION: usize = 1 << 15;

type Set = Vec<u64>;
type Token = Vec<i64>;
type Binding = FxHashMap<VariableId, i64>;

/// The values of one output arc; nothing if they are not known.
type Table = Option<BTreeMap<Token, Vec<Set>>>;

/// What is known of the values of output arcs.
#[derive(Clone, Debug, Default)]
pub struct Values {
    tables: Vec<Table>,
    dead: Vec<bool>,
}

/// What the analysis looks at.
pub(crate) struct Question<'a> {
    pub net: &'a Net,
    pub known: &'a StaticOrder,
    /// The places that may get tokens from copies that are not there yet.
    pub filled: &'a BTreeSet<PlaceId>,
    /// Variables whose values do not matter.
    pub ignored: &'a FxHashSet<VariableId>,
    /// Whether a reading arc could be linked to an output arc.
    pub can_link: &'a dyn Fn(ArcId, ArcId) -> bool,
}

impl Values {
    /// Whether a transition cannot occur, because no values make its guard true.
    pub fn is_dead(&self, transition: TransitionId) -> bool {
        self.dead.get(transition.index()).copied().unwrap_or(false)
    }

    /// The values that an output arc can have, if they are known.
    pub fn of(&self, output: ArcId) -> Option<impl Iterator<Item = &[i64]>> {
        let table = self.tables.get(output.index())?.as_ref()?;
        Some(table.keys().map(Vec::as_slice))
    }

    /// Whether a transition could read a token of an output arc with values in these intervals.
    pub fn can_read(&self, output: ArcId, reader: TransitionId, intervals: &[Interval]) -> bool {
        let Some(Some(table)) = self.tables.get(output.index()) else {
            return true;
        };
        table.iter().any(|(token, sets)| {
            token.iter().zip(intervals).all(|(value, interval)| interval.contains(*value))
                && sets.iter().any(|set| !has(set, reader))
        })
    }

    /// Follows the values through a net.
    pub(crate) fn follow(question: &Question<'_>, limits: &Limits) -> Result<Values, Stop> {
        let net = question.net;
        let mut values = Values {
            tables: vec![Some(BTreeMap::new()); net.arcs.len()],
            dead: vec![true; net.transitions.len()],
        };
        let mut pace = limits.pace();
        let mut analysis = Analysis::new(question, &mut pace)?;
        // In the order of how much has to occur before: mostly, makers come first.
        let mut open: BTreeSet<(usize, TransitionId)> = analysis
            .ranks
            .iter()
            .enumerate()
            .map(|(t, rank)| (*rank, TransitionId::from_index(t)))
            .collect();
        while let Some((_, t)) = open.pop_first() {
            let left = analysis.work;
            let changed = analysis.visit(&mut values, t);
            pace.steps(left - analysis.work + 1)?;
            for place in changed {
                for arc in net.place(place).inputs.iter().chain(&net.place(place).tests) {
                    let reader = net.arc(*arc).transition;
                    if analysis.matters[arc.index()] || values.is_dead(reader) {
                        open.insert((analysis.ranks[reader.index()], reader));
                    }
                }
            }
        }
        Ok(values)
    }
}

fn has(set: &Set, transition: TransitionId) -> bool {
    set[transition.index() / 64] >> (transition.index() % 64) & 1 == 1
}

struct Analysis<'a> {
    question: &'a Question<'a>,
    ranks: Vec<usize>,
    /// For each transition, itself and what the static order puts before it.
    below: Vec<Set>,
    /// For each reading arc, the outputs it can be linked to.
    sources: Vec<Vec<ArcId>>,
    /// Whether the values of a reading arc matter to its transition.
    matters: Vec<bool>,
    work: usize,
}

impl<'a> Analysis<'a> {
    fn new(question: &'a Question<'a>, pace: &mut Pace<'_>) -> Result<Analysis<'a>, Stop> {
        let net = question.net;
        let n = net.transitions.len();
        let ids = || (0..n).map(TransitionId::from_index);
        let below: Vec<Set> = ids()
            .map(|t| {
                let mut set = vec![0u64; n.div_ceil(64)];
                for u in ids().filter(|u| *u == t || question.known.is_before(*u, t)) {
                    set[u.index() / 64] |= 1 << (u.index() % 64);
                }
                set
            })
            .collect();
        let ranks =
            below.iter().map(|set| set.iter().map(|w| w.count_ones() as usize).sum()).collect();
        let mut sources = vec![Vec::new(); net.arcs.len()];
        let mut matters = vec![false; net.arcs.len()];
        for (index, arc) in net.arcs.iter().enumerate().filter(|(_, a)| a.kind != ArcKind::Output) {
            let outputs = net.place(arc.place).outputs.iter().copied();
            let id = ArcId::from_index(index);
            pace.steps(net.place(arc.place).outputs.len() + 1)?;
            sources[index] = outputs.filter(|o| (question.can_link)(*o, id)).collect();
            matters[index] = arc.values.iter().any(|term| match net.terms.node(*term) {
                Node::Variable(variable) => !question.ignored.contains(&variable),
                _ => true,
            });
        }
        let work = WORK_PER_TRANSITION.saturating_mul(n);
        Ok(Analysis { question, ranks, below, sources, matters, work })
    }

    /// Computes what a transition can put out; gives the places with something new.
    fn visit(&mut self, values: &mut Values, t: TransitionId) -> Vec<PlaceId> {
        let net = self.question.net;
        let outputs: Vec<ArcId> = net.arcs_of(t, ArcKind::Output).collect();
        if self.question.known.is_dead(t) {
            return Vec::new();
        }
        if !values.is_dead(t) && outputs.iter().all(|o| values.tables[o.index()].is_none()) {
            return Vec::new();
        }
        let found = self.combinations(values, t);
        let mut changed = Vec::new();
        let was_dead = values.is_dead(t);
        if found.as_ref().is_none_or(|found| !found.is_empty()) {
            values.dead[t.index()] = false;
        }
        for output in outputs {
            let arc = net.arc(output);
            let new = match &found {
                None => values.tables[output.index()].take().is_some(),
                Some(found) => {
                    let table = &mut values.tables[output.index()];
                    let tokens = found.iter().filter_map(|(binding, set)| {
                        Some((self.token(&arc.values, binding)?, set))
                    });
                    add(table, tokens)
                }
            };
            if new || (was_dead && !values.is_dead(t)) {
                changed.push(arc.place);
            }
        }
        changed
    }

    fn token(&self, terms: &[Term], binding: &Binding) -> Option<Token> {
        let value = |v: VariableId| binding.get(&v).copied().unwrap_or(0);
        terms.iter().map(|term| self.question.net.terms.evaluate(*term, &value)).collect()
    }

    /// The bindings of a transition with which it may occur, with the transitions that must have
    /// occurred by then; nothing if that is too much.
    fn combinations(&mut self, values: &Values, t: TransitionId) -> Option<Vec<(Binding, Set)>> {
        let net = self.question.net;
        let transition = net.transition(t);
        let mut rows = vec![(FxHashMap::default(), self.below[t.index()].clone())];
        for arc in &transition.arcs {
            let id = *arc;
            let arc = net.arc(id);
            if arc.kind == ArcKind::Output {
                continue;
            }
            let is_filled = self.question.filled.contains(&arc.place);
            let alive = |o: &&ArcId| !values.is_dead(net.arc(**o).transition);
            if !is_filled && self.sources[id.index()].iter().find(alive).is_none() {
                return Some(Vec::new());
            }
            if !self.matters[id.index()] {
                continue;
            }
            let sources = self.sources[id.index()].iter();
            let sources: Vec<ArcId> = sources.filter(alive).copied().collect();
            let is_open = is_filled || sources.iter().any(|o| values.tables[o.index()].is_none());
            // Of tokens of unknown origin nothing is known but their colours.
            let any = if is_open { all_tokens(&net.place(arc.place).colours)? } else { Vec::new() };
            let nothing: Set = vec![0; self.below[t.index()].len()];
            let mut tokens: BTreeMap<&Token, Vec<&Set>> = BTreeMap::new();
            tokens.extend(any.iter().map(|token| (token, vec![&nothing])));
            for output in &sources {
                for (token, sets) in values.tables[output.index()].iter().flatten() {
                    self.work = self.work.checked_sub(sets.len())?;
                    let sets = sets.iter().filter(|set| !has(set, t));
                    tokens.entry(token).or_default().extend(sets);
                }
            }
            tokens.retain(|_, sets| !sets.is_empty());
            let mut next = Vec::new();
            for (binding, set) in &rows {
                for (token, sets) in &tokens {
                    self.work = self.work.checked_sub(sets.len() + 1)?;
                    let Some(binding) = self.bind(&arc.values, token, binding)? else { continue };
                    for more in least(sets) {
                        let union = set.iter().zip(more).map(|(a, b)| a | b).collect();
                        next.push((binding.clone(), union));
                    }
                }
                if next.len() > MOST_COMBINATIONS {
                    return None;
                }
            }
            rows = next;
        }
        for variable in transition.variables.iter().filter(|v| !self.question.ignored.contains(v)) {
            // Bound by tokens in all rows or in none.
            if rows.iter().all(|(binding, _)| binding.contains_key(variable)) {
                continue;
            }
            let choices = all_tokens(&[net.variables[variable.index()].interval])?;
            self.work = self.work.checked_sub(rows.len() * choices.len())?;
            if rows.len() * choices.len() > MOST_COMBINATIONS {
                return None;
            }
            let row = |(binding, set): (Binding, Set)| {
                let values = choices.iter().flatten();
                let with = values.map(|value| {
                    let mut binding = binding.clone();
                    binding.insert(*variable, *value);
                    (binding, set.clone())
                });
                with.collect::<Vec<_>>()
            };
            rows = rows.into_iter().flat_map(row).collect();
        }
        rows.retain(|(binding, _)| {
            let value = |v: VariableId| binding.get(&v).copied().unwrap_or(0);
            net.terms.evaluate(transition.guard, &value) != Some(0)
        });
        Some(rows)
    }

    /// A binding with what a token tells: nothing inside if they do not agree, nothing at all if a
    /// term cannot be read backwards.
    fn bind(&self, terms: &[Term], token: &Token, binding: &Binding) -> Option<Option<Binding>> {
        let net = self.question.net;
        let mut binding = binding.clone();
        for (term, value) in terms.iter().zip(token) {
            match net.terms.node(*term) {
                Node::Number(number) => {
                    if number != *value {
                        return Some(None);
                    }
                }
                Node::Variable(variable) => {
                    let fits = net.variables[variable.index()].interval.contains(*value);
                    if !fits || *binding.entry(variable).or_insert(*value) != *value {
                        return Some(None);
                    }
                }
                _ => {
                    let mut bound = true;
                    net.terms.variables(*term, &mut |v| bound &= binding.contains_key(&v));
                    if !bound {
                        return None;
                    }
                    let of = |v: VariableId| binding.get(&v).copied().unwrap_or(0);
                    if net.terms.evaluate(*term, &of) != Some(*value) {
                        return Some(None);
                    }
                }
            }
        }
        Some(Some(binding))
    }
}

/// All tokens of some colours, if they are few.
fn all_tokens(colours: &[Interval]) -> Option<Vec<Token>> {
    let mut tokens = vec![Token::new()];
    for colour in colours {
        let size = usize::try_from(colour.high.checked_sub(colour.low)?).ok()?.checked_add(1)?;
        if size.checked_mul(tokens.len())? > MOST_CHOICES {
            return None;
        }
        let longer = tokens.into_iter().flat_map(|token| {
            (colour.low..=colour.high).map(move |value| {
                let mut token = token.clone();
                token.push(value);
                token
            })
        });
        tokens = longer.collect();
    }
    Some(tokens)
}

fn is_within(small: &Set, large: &Set) -> bool {
    small.iter().zip(large).all(|(s, l)| s & !l == 0)
}

/// The least of some sets, and at most [`MOST_SETS`].
fn least<'s>(sets: &[&'s Set]) -> Vec<&'s Set> {
    let mut least: Vec<&Set> = Vec::new();
    for set in sets {
        if !least.iter().any(|other| is_within(other, set)) {
            least.retain(|other| !is_within(set, other));
            least.push(set);
        }
    }
    least
}

/// Adds tokens to a table; whether it has changed. It is given up if it gets too large.
fn add<'s>(table: &mut Table, tokens: impl Iterator<Item = (Token, &'s Set)>) -> bool {
    let Some(rows) = table else {
        return false;
    };
    let mut new = false;
    for (token, set) in tokens {
        let sets = rows.entry(token).or_default();
        if sets.iter().any(|other| is_within(other, set)) {
            continue;
        }
        new = true;
        sets.retain(|other| !is_within(set, other));
        sets.push(set.clone());
        if sets.len() > MOST_SETS
            && let (Some(a), Some(b)) = (sets.pop(), sets.pop())
        {
            let common: Set = a.iter().zip(&b).map(|(a, b)| a & b).collect();
            sets.retain(|other| !is_within(&common, other));
            sets.push(common);
        }
        if rows.len() > MOST_VALUES {
            *table = None;
            return true;
        }
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::NewTransition;
    use ser_syntax::core::BinaryOp;

    /// `x` starts at 0; `adders` add 3 or 5 to it, once each; the table of each.
    fn adders() -> (Net, Values) {
        let mut net = Net::default();
        let values = Interval::new(0, 100);
        let x = net.add_place("x", vec![values], true);
        let (zero, yes) = (net.terms.number(0), net.terms.number(1));
        let arcs = vec![(ArcKind::Output, x, vec![zero])];
        net.add_transition(NewTransition { name: "init".into(), guard: yes, arcs });
        for more in [3, 5] {
            let a = net.add_variable("a", values);
            let more = net.terms.number(more);
            let sum = net.terms.binary(BinaryOp::Add, a, more);
            let arcs = vec![(ArcKind::Input, x, vec![a]), (ArcKind::Output, x, vec![sum])];
            net.add_transition(NewTransition { name: "add".into(), guard: yes, arcs });
        }
        let known = StaticOrder::of(&net, &StaticOrder::default(), &Limits::default());
        let question = Question {
            net: &net,
            known: &known.expect("small"),
            filled: &BTreeSet::new(),
            ignored: &FxHashSet::default(),
            can_link: &|_, _| true,
        };
        let values = Values::follow(&question, &Limits::default()).expect("small");
        (net, values)
    }

    #[test]
    fn nothing_is_added_twice() {
        let (_, values) = adders();
        let of = |arc: u32| -> Vec<i64> {
            values.of(ArcId(arc)).into_iter().flatten().flatten().copied().collect()
        };
        assert_eq!((of(0), of(2), of(4)), (vec![0], vec![3, 8], vec![5, 8]));
    }

    #[test]
    fn tokens_are_read_by_others_only() {
        let (_, values) = adders();
        let all = [Interval::new(0, 100)];
        assert!(values.can_read(ArcId(2), TransitionId(2), &all));
        assert!(!values.can_read(ArcId(2), TransitionId(1), &all));
        assert!(!values.can_read(ArcId(2), TransitionId(2), &[Interval::new(5, 100)]));
    }

    #[test]
    fn large_colours_are_not_tried() {
        assert_eq!(
            all_tokens(&[Interval::new(0, 1), Interval::new(3, 4)]).map(|t| t.len()),
            Some(4)
        );
        assert_eq!(all_tokens(&[Interval::new(0, 40), Interval::new(0, 1)]), None);
        assert_eq!(all_tokens(&[Interval::new(i64::MIN, i64::MAX)]), None);
    }
}
