//! `symbolic`: every yield point is harmless, shown without any values.
//!
//! The steps of a program ([`SymbolicNet`]) have conditions and linear forms over integers without
//! bounds. Two things are dropped at once: steps from a place to itself that change nothing (a run
//! may do without them), and steps to places from where no way leads to a response (nobody in a
//! complete run takes them).
//!
//! Then requests that only look around come later (see `deferral`), given facts about the program,
//! some may begin to wait though they could go on (see `begin`), and then some places are *after*:
//! a request in them has committed, all others are *before*. Facts about what is left (see `facts`)
//! are inductive. No step leads from after to before; every step into a place before moves right;
//! every step out of a place after moves left past steps of requests that commit later (see
//! `movers`).
//!
//! *Theorem.* Then the program is serializable, also in real-time order. *Proof* (after Lipton). In
//! a complete run every request has one step with which it commits: it leads from before, or from
//! its arrival, to after, or to its response. Those in front of it lead into places before, and
//! move right; those behind it come out of places after, and move left. Let the requests be 1, 2,
//! ..., n in the order in which they commit. Suppose that 1, ..., i - 1 already run one after the
//! other, each in one go, at the place in the run where it commits. Move each step of i that is in
//! front of its commit right, the last one first, past everything of others, until it is next to
//! the following one of i; it passes whole requests one step at a time, and leaves them in one
//! piece. Then move those behind left, the first one first. What they pass comes after the commit
//! of i, and so belongs to requests that commit later, because all others run in one go in front of
//! it. After every swap this is a run, so that facts hold of its states; and no swap changes the
//! order in which requests commit, of which facts may speak. A swap may replace steps by others
//! between the same places, with the same responses. In the end every request runs in one go, at
//! the place where it commits, which is between its arrival and its response. ∎
//!
//! Arguments of a request are variables of all its places, so that swaps and deferral keep labels.
//! Variables that are never read again are no part of a state: no step can tell.

mod begin;
mod case;
mod deferral;
mod facts;
mod keys;
mod movers;
mod state;

pub use begin::Begin;
pub use deferral::{CannotDefer, Deferred};
pub use facts::{Counted, Fact, FactId, Facts, Pair};
pub use keys::{Keys, Meant, Shared, all_shared, one_key, own_keys, shared};
pub use movers::{Conflict, Wrong};

use crate::accept::{Accepted, Argument};
use crate::format::{
    Amount, BeginToWait, Count, Defer, PlaceName, Relation, SymbolicCondition, SymbolicFact,
    SymbolicProof,
};
use crate::meter::Meter;
use crate::reject::At;
use crate::{Reason, Rejection};
use ser_base::Limits;
use ser_model::{Linear, Literal, NotSymbolic, SymbolicNet, SymbolicStep, SymbolicTarget, Var};
use ser_syntax::core::Program;
use std::collections::{BTreeMap, BTreeSet};

/// The steps of a program of which proofs speak.
pub fn symbolic_net(
    program: &Program,
    text: &str,
    limits: &Limits,
) -> Result<SymbolicNet, NotSymbolic> {
    let mut net = SymbolicNet::new(program, text, limits)?;
    net.steps.retain(|step| !is_idle(step));
    let mut completes = BTreeSet::new();
    loop {
        let number = completes.len();
        for step in &net.steps {
            let ends = match step.to {
                SymbolicTarget::Place(place) => completes.contains(&place),
                _ => true,
            };
            completes.extend(step.from.filter(|_| ends));
        }
        if completes.len() == number {
            break;
        }
    }
    net.steps.retain(|step| step.put().is_none_or(|place| completes.contains(&place)));
    Ok(net)
}

/// Whether a step changes nothing at all.
fn is_idle(step: &SymbolicStep) -> bool {
    let stays = |(local, value): (&u32, &Linear)| *value == Linear::var(Var::Local(0, *local));
    step.from.is_some()
        && step.put() == step.from
        && step.globals.is_empty()
        && step.locals.iter().all(stays)
}

/// Facts that are not inductive: each may be false at first, or after some step.
pub fn broken_facts(
    net: &SymbolicNet,
    facts: &Facts,
    after: &BTreeSet<usize>,
    limits: &Limits,
) -> Result<BTreeSet<FactId>, Reason> {
    facts::broken(net, facts, after, &mut Meter::new(limits))
}

/// The net in which requests wait, or why they cannot.
pub fn deferred(
    net: &SymbolicNet,
    facts: &Facts,
    entry: &Deferred,
    limits: &Limits,
) -> Result<Result<SymbolicNet, CannotDefer>, Reason> {
    deferral::defer(net, facts, entry, &mut Meter::new(limits))
}

/// The net in which requests may begin to wait; nothing if no condition can be left out.
pub fn begun(
    net: &SymbolicNet,
    entry: &Begin,
    limits: &Limits,
) -> Result<Option<SymbolicNet>, Reason> {
    begin::begin(net, entry, &mut Meter::new(limits))
}

/// How many pairs of steps commute if these places are after, or what is wrong.
pub fn commutes(
    net: &SymbolicNet,
    facts: &Facts,
    after: &BTreeSet<usize>,
    limits: &Limits,
) -> Result<Result<usize, Wrong>, Reason> {
    movers::check(net, facts, after, &mut Meter::new(limits))
}

/// Whether two steps of different requests, one after the other, can always happen the other way
/// round, whoever commits first.
pub fn swaps(
    net: &SymbolicNet,
    facts: &Facts,
    pair: [usize; 2],
    limits: &Limits,
) -> Result<bool, Reason> {
    movers::swap(net, facts, &BTreeSet::new(), pair, [0, 1], &mut Meter::new(limits))
}

/// Checks a proof on symbolic steps.
pub(crate) fn check(
    proof: &SymbolicProof,
    program: &Program,
    text: &str,
    limits: &Limits,
) -> Result<Accepted, Rejection> {
    let net = symbolic_net(program, text, limits);
    let mut net = net.map_err(no_steps).at(|| "proof".into())?;
    let mut meter = Meter::new(limits);
    if !proof.defer.is_empty() {
        let names = Names { net: &net };
        let facts = names.facts(&proof.waiting, &proof.waiting_counts, "waiting")?;
        inductive(&net, &facts, &BTreeSet::new(), &mut meter)?;
        for (i, entry) in proof.defer.iter().enumerate() {
            let place = || format!("defer[{i}]");
            let entry = Names { net: &net }.deferred(entry).at(place)?;
            let done = deferral::defer(&net, &facts, &entry, &mut meter).at(place)?;
            net = done.map_err(|why| cannot(&net, &entry, why)).at(place)?;
        }
    }
    for (i, entry) in proof.begin.iter().enumerate() {
        let place = || format!("begin[{i}]");
        let begins = Names { net: &net }.begin(entry).at(place)?;
        let done = begin::begin(&net, &begins, &mut meter).at(place)?;
        net = done.ok_or_else(|| Reason::CannotBegin { place: entry.place.clone() }).at(place)?;
    }
    let names = Names { net: &net };
    let facts = names.facts(&proof.facts, &proof.counts, "facts")?;
    let mut after = BTreeSet::new();
    for (i, name) in proof.after.iter().enumerate() {
        after.insert(names.place_of(name).at(|| format!("after[{i}]"))?);
    }
    inductive(&net, &facts, &after, &mut meter)?;
    let checked = movers::check(&net, &facts, &after, &mut meter).at(|| "effects".into())?;
    let commutations = match checked {
        Ok(checked) => checked,
        Err(Wrong::CommitsTwice(step)) => {
            let transition = net.show_step(&net.steps[step]);
            return Err(Reason::CommitsTwice { transition }.at("effects"));
        }
        Err(Wrong::Conflict(Conflict { first, second })) => {
            let [first, second] = [first, second].map(|it| net.show_step(&net.steps[it]));
            return Err(Reason::DoNotCommute { first, second }.at("effects"));
        }
    };
    let places = facts::used(&net).len();
    Ok(Accepted::Serializable {
        argument: Argument::Symbolic {
            yield_points: places,
            facts: proof.waiting_counts.len()
                + proof.waiting.len()
                + proof.counts.len()
                + proof.facts.len(),
            commutations,
        },
        transitions: net.steps.len(),
        places,
        serial_states: 0,
        in_real_time: true,
    })
}

fn inductive(
    net: &SymbolicNet,
    facts: &Facts,
    after: &BTreeSet<usize>,
    meter: &mut Meter<'_>,
) -> Result<(), Rejection> {
    let broken = facts::broken(net, facts, after, meter).at(|| "facts".into())?;
    match broken.first() {
        Some(id) => {
            let fact = show_fact(net, facts, id);
            Err(Reason::NotKept { fact }.at("facts"))
        }
        None => Ok(()),
    }
}

fn no_steps(why: NotSymbolic) -> Reason {
    match why {
        NotSymbolic::Stopped(stop) => stop.into(),
        why => Reason::NoSteps { why: why.to_string() },
    }
}

fn cannot(net: &SymbolicNet, entry: &Deferred, why: CannotDefer) -> Reason {
    let (CannotDefer::Enters(step) | CannotDefer::Exit(step)) = why;
    let from = entry.from.map_or("not arrived", |place| net.places[place].name.as_str());
    Reason::CannotWait { from: from.to_owned(), transition: net.show_step(&net.steps[step]) }
}

/// A fact in words.
fn show_fact(net: &SymbolicNet, facts: &Facts, id: &FactId) -> String {
    let (places, fact) = match id {
        FactId::General(n) => (Vec::new(), facts.general.get(*n)),
        FactId::One(p, n) => (vec![*p], facts.one.get(p).and_then(|it| it.get(*n))),
        FactId::Two(key, n) => (vec![key.0, key.1], facts.two.get(key).and_then(|it| it.get(*n))),
        FactId::Count(n) => {
            return net.global_name(facts.counts.get(*n).map_or(0, |it| it.variable));
        }
    };
    let show = |it: &Literal| it.show(&|var| fact_name(net, &places, var));
    let Some(Fact { given, then }) = fact else { return String::new() };
    match given.is_empty() {
        true => show(then),
        false => {
            let given: Vec<String> = given.iter().map(show).collect();
            format!("{}, given {}", show(then), given.join(" and "))
        }
    }
}

/// How a variable is called in facts about requests in these places.
fn fact_name(net: &SymbolicNet, places: &[usize], var: Var) -> String {
    let role = match var {
        Var::Local(role, _) | Var::Choice(role, _) => usize::from(role),
        Var::Global(_) => 0,
    };
    let handler = places.get(role).map_or(0, |place| net.places[*place].handler);
    let name = net.var_name(handler, var);
    match var {
        Var::Global(_) => name,
        _ => format!("{}.{name}", ["i", "j"][role.min(1)]),
    }
}

/// Which keys the two requests of a fact share.
fn shared_of(fact: &SymbolicFact) -> Result<Shared, Reason> {
    match fact.keys.as_slice() {
        [] => Ok(Shared::default()),
        [first, second] => Ok([first.clone(), second.clone()]),
        more => Err(Reason::Length { expected: 2, found: more.len() }),
    }
}

/// Names in a certificate, and what they stand for.
struct Names<'a> {
    net: &'a SymbolicNet,
}

impl Names<'_> {
    fn handler(&self, name: &str) -> Result<usize, Reason> {
        let found = self.net.handlers.iter().position(|it| it.name == name);
        found.ok_or_else(|| Reason::Unknown { kind: "handler", name: name.to_owned() })
    }

    fn place(&self, name: &str) -> Result<usize, Reason> {
        let found = self.net.places.iter().position(|it| it.name == name);
        found.ok_or_else(|| Reason::Unknown { kind: "place", name: name.to_owned() })
    }

    fn place_of(&self, PlaceName(request, local): &PlaceName) -> Result<usize, Reason> {
        let (handler, place) = (self.handler(request)?, self.place(local)?);
        match self.net.places[place].handler == handler {
            true => Ok(place),
            false => Err(Reason::Unknown { kind: "place", name: format!("{request}, {local}") }),
        }
    }

    fn global(&self, name: &str) -> Result<u32, Reason> {
        let found = (0..self.net.all_globals() as u32).find(|n| self.net.global_name(*n) == name);
        found.ok_or_else(|| Reason::Unknown { kind: "variable", name: name.into() })
    }

    fn deferred(&self, entry: &Defer) -> Result<Deferred, Reason> {
        let handler = self.handler(&entry.request)?;
        let place =
            |local: &String| self.place_of(&PlaceName(entry.request.clone(), local.clone()));
        let from = entry.from.as_ref().map(place).transpose()?;
        let places: BTreeSet<usize> = entry.places.iter().map(place).collect::<Result<_, _>>()?;
        match from.filter(|from| places.contains(from)) {
            Some(from) => Err(Reason::Repeated { what: self.net.places[from].name.clone() }),
            None => Ok(Deferred { handler, from, places }),
        }
    }

    fn begin(&self, entry: &BeginToWait) -> Result<Begin, Reason> {
        let handler = self.handler(&entry.request)?;
        let place =
            |local: &String| self.place_of(&PlaceName(entry.request.clone(), local.clone()));
        let from = entry.from.as_ref().map(place).transpose()?;
        Ok(Begin { handler, from, place: place(&entry.place)? })
    }

    fn facts(
        &self,
        facts: &[SymbolicFact],
        counts: &[Count],
        list: &str,
    ) -> Result<Facts, Rejection> {
        let mut all = Facts::default();
        for (i, fact) in facts.iter().enumerate() {
            let shared = shared_of(fact).at(|| format!("{list}[{i}]"))?;
            let (places, fact) = self.fact(fact).at(|| format!("{list}[{i}]"))?;
            match places.as_slice() {
                [] => all.general.push(fact),
                [place] => all.one.entry(*place).or_default().push(fact),
                [first, second, ..] => {
                    all.two.entry((*first, *second, shared)).or_default().push(fact);
                }
            }
        }
        for (i, count) in counts.iter().enumerate() {
            all.counts.push(self.count(count).at(|| format!("counts of {list}[{i}]"))?);
        }
        Ok(all)
    }

    fn fact(&self, fact: &SymbolicFact) -> Result<(Vec<usize>, Fact), Reason> {
        let places = fact.at.iter().map(|name| self.place(name));
        let places: Vec<usize> = places.collect::<Result<_, _>>()?;
        if places.len() > 2 {
            return Err(Reason::Length { expected: 2, found: places.len() });
        }
        let given = fact.given.iter().map(|it| self.condition(&places, it));
        let given = given.collect::<Result<_, _>>()?;
        let then = SymbolicCondition {
            terms: fact.terms.clone(),
            constant: fact.constant,
            relation: fact.relation,
        };
        let then = self.condition(&places, &then)?;
        Ok((places, Fact { given, then }))
    }

    fn condition(
        &self,
        places: &[usize],
        condition: &SymbolicCondition,
    ) -> Result<Literal, Reason> {
        let mut form = Linear::number(condition.constant);
        for (name, coefficient) in &condition.terms {
            let var = self.variable(places, name)?;
            form = form.plus(*coefficient, &Linear::var(var)).ok_or(Reason::Overflow)?;
        }
        Ok(match condition.relation {
            Relation::AtLeastZero => Literal::AtLeast(form),
            Relation::Zero => Literal::Zero(form),
            Relation::NotZero => Literal::NotZero(form),
        })
    }

    /// `X`, or a variable of the first or the second request: `i.x`, `j.x`. Names of global
    /// variables begin with a capital letter.
    fn variable(&self, places: &[usize], name: &str) -> Result<Var, Reason> {
        let unknown = || Reason::Unknown { kind: "variable", name: name.to_owned() };
        for (role, place) in places.iter().enumerate() {
            let prefix = ["i.", "j."][role.min(1)];
            let Some(local) = name.strip_prefix(prefix) else { continue };
            let place = &self.net.places[*place];
            let called = |it: &&u32| self.net.local_name(place.handler, **it) == local;
            let found = place.locals.iter().find(called).ok_or_else(unknown)?;
            return Ok(Var::Local(role as u8, *found));
        }
        Ok(Var::Global(self.global(name)?))
    }

    fn count(&self, count: &Count) -> Result<Counted, Reason> {
        let variable = self.global(&count.variable)?;
        if self.net.array_of(variable).is_some() {
            // Which key would it be?
            return Err(Reason::Unknown { kind: "variable", name: count.variable.clone() });
        }
        let mut amounts = BTreeMap::new();
        for Amount { request, local, amount } in &count.amounts {
            let place = self.place_of(&PlaceName(request.clone(), local.clone()))?;
            if amounts.insert(place, *amount).is_some() {
                return Err(Reason::Repeated { what: local.clone() });
            }
        }
        let first = amounts.values().next().copied().unwrap_or(0);
        if let Some(amount) = amounts.values().find(|it| it.signum() != first.signum()) {
            return Err(Reason::MixedAmounts { amount: *amount });
        }
        let first = self.net.initial.get(variable as usize).copied().unwrap_or(0);
        Ok(Counted { variable, first, amounts })
    }
}

/// A proof as it stands in a certificate.
pub fn symbolic_proof(
    net: &SymbolicNet,
    waiting: &Facts,
    defer: &[Deferred],
    begin: &[Begin],
    facts: &Facts,
    after: &BTreeSet<usize>,
) -> SymbolicProof {
    let handler = |place: usize| net.handlers[net.places[place].handler].name.clone();
    let name = |place: usize| net.places[place].name.clone();
    let defer = defer.iter().map(|entry| Defer {
        request: net.handlers[entry.handler].name.clone(),
        from: entry.from.map(name),
        places: entry.places.iter().map(|it| name(*it)).collect(),
    });
    let begin = begin.iter().map(|entry| BeginToWait {
        request: net.handlers[entry.handler].name.clone(),
        from: entry.from.map(name),
        place: name(entry.place),
    });
    let count = |count: &Counted| Count {
        variable: net.global_name(count.variable),
        amounts: count
            .amounts
            .iter()
            .filter(|(_, amount)| **amount != 0)
            .map(|(place, amount)| Amount {
                request: handler(*place),
                local: name(*place),
                amount: *amount,
            })
            .collect(),
    };
    SymbolicProof {
        waiting_counts: waiting.counts.iter().map(count).collect(),
        waiting: written(net, waiting),
        defer: defer.collect(),
        begin: begin.collect(),
        counts: facts.counts.iter().map(count).collect(),
        facts: written(net, facts),
        after: after.iter().map(|place| PlaceName(handler(*place), name(*place))).collect(),
    }
}

fn written(net: &SymbolicNet, facts: &Facts) -> Vec<SymbolicFact> {
    let condition = |places: &[usize], literal: &Literal| {
        let form = literal.form();
        let name = |var| fact_name(net, places, var);
        SymbolicCondition {
            terms: form.terms.iter().map(|(var, c)| (name(*var), *c)).collect(),
            constant: form.constant,
            relation: match literal {
                Literal::AtLeast(_) => Relation::AtLeastZero,
                Literal::Zero(_) => Relation::Zero,
                Literal::NotZero(_) => Relation::NotZero,
            },
        }
    };
    let fact = |places: &[usize], fact: &Fact| {
        let SymbolicCondition { terms, constant, relation } = condition(places, &fact.then);
        let at = places.iter().map(|place| net.places[*place].name.clone()).collect();
        let given = fact.given.iter().map(|it| condition(places, it)).collect();
        SymbolicFact { at, keys: Vec::new(), given, terms, constant, relation }
    };
    let mut all: Vec<SymbolicFact> = facts.general.iter().map(|it| fact(&[], it)).collect();
    for (place, facts) in &facts.one {
        all.extend(facts.iter().map(|it| fact(&[*place], it)));
    }
    for ((first, second, shared), facts) in &facts.two {
        let keys = match shared.iter().all(Vec::is_empty) {
            true => Vec::new(),
            false => shared.to_vec(),
        };
        let fact = |it| SymbolicFact { keys: keys.clone(), ..fact(&[*first, *second], it) };
        all.extend(facts.iter().map(fact));
    }
    all
}
