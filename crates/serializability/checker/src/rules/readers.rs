//! Readers: requests that look at one part of the program after the other, while others change it.
//!
//! A sum over shards that are read one by one need not commute with anything: what it finds may
//! never have been there at one time. But if a shard is only ever raised in small steps, there is
//! another order in which the sum is the one that was found, by an argument about intermediate
//! values.
//!
//! All transitions are exact: no variable is opaque. Some requests are *readers*, all others are
//! *writers*. V(X) are the values that X may have at some time (see `facts`); a variable *varies*
//! if there are several. Readers *see* the variables that vary and that one of them reads. Each of
//! these is said to rise or to fall; what follows is about values and `higher` and `lower` as for a
//! variable that rises, and the other way round for one that falls.
//!
//! 1. Readers write nothing.
//! 2. Writers commit: their transitions into places before move right, past the transitions of all
//!    requests, and so on, as in `rules`.
//! 3. Variables that vary and that a writer touches are in one *group*. Readers see at most one
//!    variable of each group.
//! 4. A reader always has exactly one way on: in each place, whatever values in V its variables
//!    have, the transitions that agree with them have the same effect, and there is one. It never
//!    goes in circles, and on no way reads a variable that varies in two steps.
//! 5. So a reader responds f(v) to values v, where each variable may be read at another time. Its
//!    responses are listed from low to high, and f(v) is never lower where a value is higher.
//! 6. A variable that readers see is never lower than its first value.
//! 7. Let a transition of a writer raise a variable that readers see, from a to b. Then each f(v)
//!    with a in v is followed, in the list, by the f with b in its place; or that one is the same.
//!    On no way does a writer raise such a variable twice.
//!
//! *Theorem.* Then the system is serializable. *Proof.* By 2 and the argument of `rules`, which
//! never asks in which order readers do anything, there is a run with the same outcome in which
//! every writer runs in one go; only between them do readers read. (A swap replaces transitions by
//! others between the same places, so that readers respond what they responded.) Each group is
//! changed by its own writers alone. Let m(X) be the highest value that X takes between two
//! writers, for each X that readers see.
//!
//! Now let the groups run one after the other, each up to the moment when its variable is m(X) for
//! the first time; and then the rests, one after the other. No writer touches a variable of
//! another group that varies, so all of them find what they found and respond what they responded.
//!
//! Take a reader, and what it found: v. By 4, it responds f(v), although it read at different
//! times. No value in v is lower than the first values (by 6), or higher than m. So, by 5, f(v) is
//! not lower than f at the start of the new order, and not higher than f at the end of its first
//! part. On the way, each writer lets f rise by one place in the list at most, by 7: it raises one
//! variable that readers see once at most, and what else it does to it only lowers it. So f takes
//! every response in between, and f(v) is one of them. There the reader runs in one go, responds
//! f(v), and changes nothing. ∎
//!
//! This does not keep real-time order: the reader may run before a writer that was gone when it
//! came.

use super::{Facts, RuleNet, Transition};
use crate::Reason;
use crate::format::RuleProof;
use crate::meter::Meter;
use crate::names::{Letter, Names, Place};
use crate::net::Effect;
use rustc_hash::{FxHashMap, FxHashSet};
use ser_model::{RequestId, ResponseId, VariableId};
use std::collections::{BTreeMap, BTreeSet};

/// The readers of a certificate.
pub(super) struct Readers {
    /// The responses of each reader with their places in the list.
    lines: BTreeMap<RequestId, FxHashMap<ResponseId, usize>>,
    falling: BTreeSet<VariableId>,
}

impl Readers {
    /// What the certificate says about them.
    pub(super) fn new(proof: &RuleProof, names: &Names<'_>) -> Result<Readers, Reason> {
        let mut lines = BTreeMap::new();
        for reader in &proof.readers {
            let request = names.request(&reader.request)?;
            let mut line = FxHashMap::default();
            for (place, response) in reader.responses.iter().enumerate() {
                if line.insert(names.response(response)?, place).is_some() {
                    return Err(Reason::Repeated { what: response.clone() });
                }
            }
            if lines.insert(request, line).is_some() {
                return Err(Reason::Repeated { what: reader.request.clone() });
            }
        }
        let falling = proof.falling.iter().map(|name| names.variable(name));
        Ok(Readers { lines, falling: falling.collect::<Result<_, _>>()? })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Whether these requests are readers.
    pub(super) fn reads(&self, request: RequestId) -> bool {
        self.lines.contains_key(&request)
    }

    /// Whether this is a transition of a reader.
    pub(super) fn has(&self, t: &Transition) -> bool {
        self.reads(t.request())
    }

    /// All that is said above, except 2.
    pub(super) fn check(
        &self,
        net: &RuleNet<'_>,
        facts: &Facts,
        names: &Names<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Reason> {
        if !net.system.opaque().is_empty() {
            return Err(Reason::OpaqueReaders);
        }
        meter.work(net.transitions.len())?;
        let writes = |t: &&Transition| self.has(t) && !t.writes.is_empty();
        if let Some(t) = net.transitions.iter().find(writes) {
            return Err(Reason::ReaderWrites { transition: names.show_rule(t) });
        }
        let values: Vec<Vec<i64>> = (net.system.values().iter().enumerate())
            .map(|(v, all)| facts.choices(VariableId::from_index(v), all, [None, None]))
            .collect();
        let mut trees = Vec::new();
        for (request, line) in &self.lines {
            trees.push((line, Tree::new(net, *request, line, &values, names, meter)?));
        }
        let seen = trees.iter().flat_map(|(_, tree)| tree.asked(&values));
        let seen: BTreeSet<VariableId> = seen.collect();
        let world = World { readers: self, net, values: &values, names };
        world.check_groups(&seen, meter)?;
        for variable in &seen {
            world.check_first(*variable)?;
        }
        let raises = world.raises(&seen, meter)?;
        for (line, tree) in &trees {
            let mut pairs = Pairs { tree, seen: FxHashSet::default() };
            for ask in &tree.asks() {
                for pair in world.upwards(ask.variable).windows(2) {
                    let ends = [ask.at(pair[0], &values), ask.at(pair[1], &values)];
                    let [Some(low), Some(high)] = ends else { continue };
                    pairs.check(low, high, meter, &|low, high| {
                        if line.get(&low.response) <= line.get(&high.response) {
                            return Ok(());
                        }
                        let (low, high) = (names.show_letter(low), names.show_letter(high));
                        Err(Reason::NotRising { low, high })
                    })?;
                }
            }
            let mut pairs = Pairs { tree, seen: FxHashSet::default() };
            for (t, variable, from, to) in &raises {
                for ask in tree.asks().iter().filter(|ask| ask.variable == *variable) {
                    // A transition that needs or leaves a value that there never is does not
                    // happen.
                    let ends = [ask.at(*from, &values), ask.at(*to, &values)];
                    let [Some(low), Some(high)] = ends else { continue };
                    pairs.check(low, high, meter, &|low, high| {
                        let place = |letter: Letter| line.get(&letter.response).copied();
                        if place(high) <= place(low).map(|place| place + 1) {
                            return Ok(());
                        }
                        let transition = names.show_rule(t);
                        let (low, high) = (names.show_letter(low), names.show_letter(high));
                        Err(Reason::Jumps { transition, low, high })
                    })?;
                }
            }
        }
        Ok(())
    }
}

/// A writer's transition that raises a variable: from a value to another one.
type Raise<'a> = (&'a Transition, VariableId, i64, i64);

struct World<'a> {
    readers: &'a Readers,
    net: &'a RuleNet<'a>,
    /// V.
    values: &'a [Vec<i64>],
    names: &'a Names<'a>,
}

impl<'a> World<'a> {
    fn varies(&self, variable: VariableId) -> bool {
        self.values[variable.index()].len() > 1
    }

    fn show(&self, variable: VariableId) -> String {
        self.names.system().variables()[variable.index()].name.clone()
    }

    /// The values of a variable, from low to high.
    fn upwards(&self, variable: VariableId) -> Vec<i64> {
        let mut values = self.values[variable.index()].clone();
        values.sort_unstable();
        if self.readers.falling.contains(&variable) {
            values.reverse();
        }
        values
    }

    fn is_higher(&self, variable: VariableId, than: i64, value: i64) -> bool {
        match self.readers.falling.contains(&variable) {
            true => value < than,
            false => value > than,
        }
    }

    /// Readers see at most one variable of each group.
    fn check_groups(
        &self,
        seen: &BTreeSet<VariableId>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Reason> {
        let mut touched: BTreeMap<RequestId, BTreeSet<VariableId>> = BTreeMap::new();
        for t in self.net.transitions.iter().filter(|t| !self.readers.has(t)) {
            meter.work(1 + t.reads.len() + t.writes.len())?;
            let all = t.reads.keys().chain(t.writes.keys()).copied();
            touched.entry(t.request()).or_default().extend(all.filter(|v| self.varies(*v)));
        }
        // Each variable with the number of its group; groups with a variable in common become one.
        let mut groups: Vec<BTreeSet<VariableId>> = Vec::new();
        for variables in touched.into_values() {
            meter.work(groups.iter().map(BTreeSet::len).sum::<usize>() + 1)?;
            let (common, mut apart): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| !group.is_disjoint(&variables));
            apart.push(common.into_iter().flatten().chain(variables).collect());
            groups = apart;
        }
        for group in groups {
            if let [first, second, ..] = group.intersection(seen).collect::<Vec<_>>().as_slice() {
                let (first, second) = (self.show(**first), self.show(**second));
                return Err(Reason::BothSeen { first, second });
            }
        }
        Ok(())
    }

    /// A variable is never lower than at first.
    fn check_first(&self, variable: VariableId) -> Result<(), Reason> {
        let frame = self.net.system.frame();
        let first = frame.valuation(frame.initial_global())[variable.index()];
        let lower = |value: &i64| self.is_higher(variable, *value, first);
        match self.values[variable.index()].iter().find(|value| lower(value)) {
            Some(value) => {
                Err(Reason::BelowFirst { variable: self.show(variable), first, value: *value })
            }
            None => Ok(()),
        }
    }

    /// All ways in which writers raise variables that readers see; never twice on one way.
    fn raises(
        &self,
        seen: &BTreeSet<VariableId>,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Raise<'a>>, Reason> {
        let mut raises: Vec<Raise<'a>> = Vec::new();
        for t in self.net.transitions.iter().filter(|t| !self.readers.has(t)) {
            meter.work(1 + t.writes.len())?;
            for (variable, to) in t.writes.iter().filter(|(v, _)| seen.contains(v)) {
                let all = &self.values[variable.index()];
                let from = match t.reads.get(variable) {
                    Some(value) => std::slice::from_ref(value),
                    None => all.as_slice(),
                };
                meter.work(from.len())?;
                let raised = from.iter().filter(|from| self.is_higher(*variable, **from, *to));
                raises.extend(raised.map(|from| (t, *variable, *from, *to)));
            }
        }
        let mut onwards: FxHashMap<Place, Vec<&Transition>> = FxHashMap::default();
        for t in &self.net.transitions {
            meter.work(1)?;
            if let Some(place) = t.take {
                onwards.entry(place).or_default().push(t);
            }
        }
        let raising: FxHashSet<&Transition> = raises.iter().map(|(t, ..)| *t).collect();
        let mut open: Vec<Place> = raising.iter().filter_map(|t| t.put()).collect();
        let mut behind: FxHashSet<Place> = open.iter().copied().collect();
        while let Some(place) = open.pop() {
            for t in onwards.get(&place).into_iter().flatten() {
                meter.work(1)?;
                if raising.contains(t) {
                    return Err(Reason::RaisesTwice { transition: self.names.show_rule(t) });
                }
                open.extend(t.put().filter(|place| behind.insert(*place)));
            }
        }
        Ok(raises)
    }
}

/// What a reader does next.
#[derive(Clone, Debug)]
enum Node {
    Ask(Ask),
    Respond(Letter),
}

/// It reads a variable; what comes then, for each of its values.
#[derive(Clone, Debug)]
struct Ask {
    variable: VariableId,
    then: Vec<usize>,
}

impl Ask {
    /// What comes next if the variable has this value.
    fn at(&self, value: i64, values: &[Vec<i64>]) -> Option<usize> {
        let at = values[self.variable.index()].iter().position(|v| *v == value)?;
        self.then.get(at).copied()
    }
}

/// A reader, as what it does after what it has read.
struct Tree {
    nodes: Vec<Node>,
}

/// Where a reader stands: its place, and what it has read in the current step.
type Stand = (Option<Place>, Vec<(VariableId, i64)>);

/// How deep a reader may be: places and variables on one way.
const MAX_DEPTH: usize = 300;

struct Growing<'a, 'b> {
    names: &'a Names<'a>,
    request: RequestId,
    line: &'a FxHashMap<ResponseId, usize>,
    values: &'a [Vec<i64>],
    onwards: FxHashMap<Option<Place>, Vec<&'a Transition>>,
    known: FxHashMap<Stand, usize>,
    nodes: Vec<Node>,
    meter: &'a mut Meter<'b>,
}

impl Tree {
    /// A reader has exactly one way on, and reads no variable that varies in two steps.
    fn new(
        net: &RuleNet<'_>,
        request: RequestId,
        line: &FxHashMap<ResponseId, usize>,
        values: &[Vec<i64>],
        names: &Names<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<Tree, Reason> {
        let mut onwards: FxHashMap<Option<Place>, Vec<&Transition>> = FxHashMap::default();
        for t in net.transitions.iter().filter(|t| t.request() == request) {
            meter.work(1)?;
            onwards.entry(t.take).or_default().push(t);
        }
        if onwards.is_empty() {
            return Ok(Tree { nodes: Vec::new() });
        }
        let (known, nodes) = (FxHashMap::default(), Vec::new());
        let mut growing = Growing { names, request, line, values, onwards, known, nodes, meter };
        growing.node((None, Vec::new()), 0)?;
        let tree = Tree { nodes: growing.nodes };
        tree.check_once(values, names, meter)?;
        Ok(tree)
    }

    fn asks(&self) -> Vec<&Ask> {
        let mut asks = Vec::new();
        for node in &self.nodes {
            if let Node::Ask(ask) = node {
                asks.push(ask);
            }
        }
        asks
    }

    /// The variables that vary and that it reads.
    fn asked(&self, values: &[Vec<i64>]) -> BTreeSet<VariableId> {
        let asked = self.asks().into_iter().map(|ask| ask.variable);
        asked.filter(|v| values[v.index()].len() > 1).collect()
    }

    /// On no way is a variable that varies read twice. What comes later in a way was made before,
    /// so that `later` knows it already.
    fn check_once(
        &self,
        values: &[Vec<i64>],
        names: &Names<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Reason> {
        let mut later: Vec<BTreeSet<VariableId>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let mut here = BTreeSet::new();
            if let Node::Ask(ask) = node {
                for next in &ask.then {
                    meter.work(1 + later[*next].len())?;
                    here.extend(later[*next].iter().copied());
                }
                if here.contains(&ask.variable) {
                    let variable = names.system().variables()[ask.variable.index()].name.clone();
                    return Err(Reason::ReadTwice { variable });
                }
                if values[ask.variable.index()].len() > 1 {
                    here.insert(ask.variable);
                }
            }
            meter.row(here.len())?;
            later.push(here);
        }
        Ok(())
    }
}

impl Growing<'_, '_> {
    /// The node of a stand; all that come after it are made before.
    fn node(&mut self, stand: Stand, depth: usize) -> Result<usize, Reason> {
        if let Some(node) = self.known.get(&stand) {
            return Ok(*node);
        }
        // A reader that goes in circles is deeper than any.
        if depth > MAX_DEPTH {
            return Err(Reason::TooDeep { limit: MAX_DEPTH });
        }
        let (place, read) = &stand;
        let found = |v: &VariableId| read.iter().find(|(w, _)| v == w).map(|(_, value)| *value);
        let all = self.onwards.get(place).map_or(&[][..], Vec::as_slice);
        let mut next: Option<VariableId> = None;
        let mut effects = BTreeSet::new();
        for t in all {
            self.meter.work(1 + t.reads.len() * (1 + read.len()))?;
            if t.reads.iter().any(|(v, x)| found(v).is_some_and(|value| value != *x)) {
                continue;
            }
            effects.insert(t.effect);
            let unknown = t.reads.keys().find(|v| found(v).is_none()).copied();
            next = next.or(unknown);
        }
        let node = match (next, Vec::from_iter(effects).as_slice()) {
            (Some(variable), _) => {
                let mut then = Vec::new();
                for value in &self.values[variable.index()] {
                    let mut read = read.clone();
                    read.push((variable, *value));
                    then.push(self.node((*place, read), depth + 1)?);
                }
                Node::Ask(Ask { variable, then })
            }
            (None, [Effect::Outcome(letter)]) if self.line.contains_key(&letter.response) => {
                Node::Respond(*letter)
            }
            (None, [Effect::Outcome(letter)]) => {
                return Err(Reason::Missing { what: self.names.show_letter(*letter) });
            }
            (None, [Effect::Place(next)]) => {
                let node = self.node((Some(*next), Vec::new()), depth + 1)?;
                self.known.insert(stand, node);
                return Ok(node);
            }
            (None, ways) => {
                let ways = ways.len();
                let place = match place {
                    Some(place) => self.names.show_place(*place),
                    None => self.names.system().request_name(self.request).to_owned(),
                };
                return Err(Reason::NotOneWay { place, ways });
            }
        };
        self.meter.row(8)?;
        self.nodes.push(node);
        self.known.insert(stand, self.nodes.len() - 1);
        Ok(self.nodes.len() - 1)
    }
}

/// Two readers that have read different things, and from now on read the same values. Where only
/// one of them reads a variable, the other may have read any value of it.
struct Pairs<'a> {
    tree: &'a Tree,
    /// Pairs that were looked at.
    seen: FxHashSet<(usize, usize)>,
}

impl Pairs<'_> {
    fn check(
        &mut self,
        low: usize,
        high: usize,
        meter: &mut Meter<'_>,
        holds: &dyn Fn(Letter, Letter) -> Result<(), Reason>,
    ) -> Result<(), Reason> {
        let mut open = vec![(low, high)];
        while let Some((low, high)) = open.pop() {
            meter.work(1)?;
            if !self.seen.insert((low, high)) {
                continue;
            }
            meter.entry()?;
            match (&self.tree.nodes[low], &self.tree.nodes[high]) {
                (Node::Respond(low), Node::Respond(high)) => holds(*low, *high)?,
                (Node::Ask(a), Node::Ask(b)) if a.variable == b.variable => {
                    open.extend(a.then.iter().copied().zip(b.then.iter().copied()));
                }
                (Node::Ask(a), _) => open.extend(a.then.iter().map(|next| (*next, high))),
                (_, Node::Ask(b)) => open.extend(b.then.iter().map(|next| (low, *next))),
            }
        }
        Ok(())
    }
}
