//! The locations of one process, and the transitions between them.
//!
//! Locations are taken up in order, so that all steps that lead to one are known by then: what they
//! agree on is inlined, the rest is what its token carries. A step is run once, on terms of its
//! own; each way through it becomes a transition with variables of its own.

use super::location::{Location, Round};
use super::symbolic::{Start, StepError, Stepper, Way};
use super::template::{Meaning, Template};
use super::{Frame, MAX_TRANSITIONS, Origin, Process, UnwindError, Unwound, mentions};
use crate::ids::PlaceId;
use crate::net::{ArcKind, Growth, Net, NewTransition};
use crate::term::{Interval, Node, Term};
use rustc_hash::FxHashMap;
use ser_base::Stop;
use ser_model::{Code, Instr, Pc, VariableId};
use std::collections::{BTreeMap, BTreeSet};

/// A process on its way through its code.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    /// Which process of the task.
    index: usize,
    handler: usize,
    start: PlaceId,
    end: PlaceId,
    /// Whether the values of its response were known beforehand.
    response_is_known: bool,
    /// The locations that have places.
    known: BTreeSet<Location>,
    /// The steps that were cut.
    cut: BTreeMap<Location, Cut>,
}

/// A step that goes on beyond the bound.
#[derive(Clone, Debug)]
struct Cut {
    here: Here,
    /// Its variables and terms: running it again gives the same ones for the same things.
    template: Template,
    /// The ways that are transitions already.
    ways: Vec<Way>,
}

/// Why an unwinding cannot grow where it stands: something that is there already would have to
/// change.
pub(super) enum GrowError {
    Rebuild,
    Unwind(UnwindError),
}

impl From<UnwindError> for GrowError {
    fn from(error: UnwindError) -> GrowError {
        GrowError::Unwind(error)
    }
}

/// A location whose place has been made.
#[derive(Clone, Debug)]
struct Here {
    place: PlaceId,
    /// Locals and then stack: what is known, or which component of the token it is.
    values: Vec<Known>,
    locals: usize,
}

/// A local variable at a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    /// Always this number.
    Number(i64),
    /// This component of the token.
    Component(usize, Interval),
}

/// A way that leads to a location whose place has not been made.
struct Arriving {
    /// Its parts but for the token it makes.
    new: NewTransition,
    /// Locals and then stack, over the transition's variables.
    values: Vec<Term>,
    locals: usize,
    writes: Vec<VariableId>,
    to: Option<Pc>,
}

impl Instance {
    /// Its first and its last place.
    pub(super) fn new(
        frame: &Frame<'_>,
        index: usize,
        response: Option<Interval>,
        unwound: &mut Unwound,
    ) -> Result<Instance, UnwindError> {
        let process = &frame.task.processes[index];
        let found = frame.code.handlers.iter().position(|h| h.name == process.handler);
        let handler = found.ok_or_else(|| UnwindError::Handler(process.handler.clone()))?;
        let arguments = arguments(frame, index, handler);
        let any: Vec<Interval> = arguments.iter().copied().filter(|i| !i.is_single()).collect();
        let name = format!("{} starts", process.name);
        let start = unwound.net.add_place(name, any.clone(), true);
        if frame.task.is_open {
            let name = format!("arguments of {}", process.name);
            unwound.arguments.push(unwound.net.add_place(name, any, true));
        }
        let asks = |goal: &super::Goal| mentions(&goal.condition, &process.name);
        let colours = match frame.task.is_open || frame.task.goals.iter().any(asks) {
            // If nobody knows how large a response can be, it will turn out in the end.
            true => vec![response.unwrap_or(Interval::only(0))],
            false => Vec::new(),
        };
        let end = unwound.net.add_place(format!("{} is done", process.name), colours, true);
        unwound.ends.push(end);
        let flag = format!("Done {}", process.name);
        let asks = |goal: &super::Goal| mentions(&goal.condition, &flag);
        let is_shared = frame.code.globals.contains(&flag);
        let asked = !is_shared && frame.task.goals.iter().any(asks);
        let flag = asked.then(|| unwound.net.add_place(flag, vec![Interval::BOOLEAN], true));
        unwound.flags.push(flag);
        let (known, cut) = (BTreeSet::new(), BTreeMap::new());
        let response_is_known = response.is_some();
        Ok(Instance { index, handler, start, end, response_is_known, known, cut })
    }

    /// Adds its locations and transitions; open loops go round `rounds` times.
    pub(super) fn unwind(
        &mut self,
        frame: &Frame<'_>,
        rounds: u32,
        unwound: &mut Unwound,
    ) -> Result<(), UnwindError> {
        let handler = &frame.code.handlers[self.handler];
        let mut values = Vec::new();
        let mut components = 0;
        for argument in arguments(frame, self.index, self.handler) {
            values.push(match argument.is_single() {
                true => Known::Number(argument.low),
                false => {
                    components += 1;
                    Known::Component(components - 1, argument)
                }
            });
        }
        values.resize(handler.slots.len(), Known::Number(0));
        let first = Here { place: self.start, values, locals: handler.slots.len() };
        let entry = Location { rounds: Vec::new(), pc: Some(handler.entry) };
        let entry = frame.loops.at(handler.entry, &entry, false);
        let template = Template::new(&unwound.ranges);
        let mut open = BTreeMap::new();
        self.step(
            frame,
            rounds,
            entry,
            Cut { here: first, template, ways: Vec::new() },
            &mut open,
            unwound,
        )?;
        match self.go_on(frame, rounds, open, unwound) {
            Ok(()) => Ok(()),
            Err(GrowError::Unwind(error)) => Err(error),
            // Steps lead from smaller to larger locations, so none is come to twice.
            Err(GrowError::Rebuild) => Err(Stop::States { limit: MAX_TRANSITIONS }.into()),
        }
    }

    /// Lets open loops go round more often.
    pub(super) fn grow(
        &mut self,
        frame: &Frame<'_>,
        rounds: u32,
        unwound: &mut Unwound,
    ) -> Result<(), GrowError> {
        let mut open = BTreeMap::new();
        for (location, cut) in std::mem::take(&mut self.cut) {
            let mut fresh = BTreeMap::new();
            let old = cut.ways.clone();
            self.step(frame, rounds, location.clone(), cut, &mut fresh, unwound)?;
            if let Some(again) = self.cut.get(&location)
                && old.iter().any(|way| !again.ways.contains(way))
            {
                return Err(GrowError::Rebuild);
            }
            if fresh.keys().any(|to| *to != Location::END && self.known.contains(to)) {
                return Err(GrowError::Rebuild);
            }
            for (to, ways) in fresh {
                open.entry(to).or_insert_with(Vec::new).extend(ways);
            }
        }
        let has_response = !unwound.net.place(self.end).colours.is_empty();
        if open.contains_key(&Location::END) && has_response && !self.response_is_known {
            return Err(GrowError::Rebuild);
        }
        self.go_on(frame, rounds, open, unwound)
    }

    /// Takes up locations in order, until none is left.
    fn go_on(
        &mut self,
        frame: &Frame<'_>,
        rounds: u32,
        mut open: BTreeMap<Location, Vec<Arriving>>,
        unwound: &mut Unwound,
    ) -> Result<(), GrowError> {
        while let Some((location, ways)) = open.pop_first() {
            if location == Location::END {
                self.finish(ways, unwound);
                break;
            }
            if self.known.contains(&location) {
                // What follows a loop has a place already, whose token would have to carry more.
                return Err(GrowError::Rebuild);
            }
            let here = self.place(frame, &location, ways, unwound);
            let template = Template::new(&unwound.ranges);
            let new = Cut { here, template, ways: Vec::new() };
            self.step(frame, rounds, location, new, &mut open, unwound)?;
            if unwound.net.transitions.len() > MAX_TRANSITIONS {
                return Err(UnwindError::from(Stop::States { limit: MAX_TRANSITIONS }).into());
            }
        }
        Ok(())
    }

    /// Runs the step from one location; ways that are not transitions yet go to `open`.
    fn step(
        &mut self,
        frame: &Frame<'_>,
        max_rounds: u32,
        location: Location,
        mut cut: Cut,
        open: &mut BTreeMap<Location, Vec<Arriving>>,
        unwound: &mut Unwound,
    ) -> Result<(), UnwindError> {
        unwound.remember(self.index, &location, &cut.here);
        self.known.insert(location.clone());
        let Frame { code, loops, liveness, limits, .. } = *frame;
        let stepper = Stepper::new(code, loops, liveness, limits, max_rounds);
        let start = start(&mut cut.template, location.clone(), &cut.here);
        let ways = stepper.step(start, &mut cut.template).map_err(|trouble| match trouble {
            StepError::Stop(stop) => UnwindError::Stop(stop),
            StepError::TooLarge(pc) => {
                UnwindError::TooLarge { span: frame.code.spans[pc as usize] }
            }
            StepError::Beyond(pc, what) => {
                UnwindError::Beyond { span: frame.code.spans[pc as usize], what }
            }
        })?;
        let process = &frame.task.processes[self.index];
        for way in &ways.ways {
            if !cut.ways.contains(way) {
                let arriving = transition(&cut.template, way.clone(), &cut.here, process, unwound);
                open.entry(way.to.clone()).or_default().push(arriving);
            }
        }
        // Ways that are gone have become others: whoever grows has to look at that.
        let missing = cut.ways.iter().any(|way| !ways.ways.contains(way));
        if ways.is_cut || missing {
            cut.ways = ways.ways;
            self.cut.insert(location, cut);
        }
        Ok(())
    }

    /// What lies beyond the bound, if anything.
    pub(super) fn growth(&self, frame: &Frame<'_>, unwound: &Unwound) -> Option<Growth> {
        if self.cut.is_empty() {
            return None;
        }
        let frontier = self.cut.values().map(|cut| cut.here.place).collect();
        let mut fills: Vec<PlaceId> = written(frame.code, self.handler)
            .into_iter()
            .map(|variable| unwound.shared[variable.index()])
            .collect();
        fills.push(self.end);
        fills.extend(unwound.flags[self.index]);
        let name = frame.task.processes[self.index].name.clone();
        Some(Growth { name, frontier, fills })
    }

    /// Makes the place of a location, and the transitions that lead there.
    fn place(
        &self,
        frame: &Frame<'_>,
        location: &Location,
        ways: Vec<Arriving>,
        unwound: &mut Unwound,
    ) -> Here {
        let terms = &unwound.net.terms;
        let count = ways.first().map_or(0, |way| way.values.len());
        let locals = ways.first().map_or(0, |way| way.locals);
        let mut values = Vec::new();
        let mut colours = Vec::new();
        for i in 0..count {
            let intervals = ways.iter().map(|way| terms.interval(way.values[i]));
            let joined = intervals.reduce(Interval::join).unwrap_or(Interval::only(0));
            values.push(match joined.is_single() {
                true => Known::Number(joined.low),
                false => {
                    colours.push(joined);
                    Known::Component(colours.len() - 1, joined)
                }
            });
        }
        let name = self.name(frame, location);
        let place = unwound.net.add_place(name, colours, true);
        for way in ways {
            let carried = values.iter().zip(&way.values);
            let carried = carried.filter(|(known, _)| matches!(known, Known::Component(..)));
            let carried = carried.map(|(_, term)| *term).collect();
            unwound.add_step(way, self.index, place, carried);
        }
        Here { place, values, locals }
    }

    /// The transitions that lead to the end.
    fn finish(&self, ways: Vec<Arriving>, unwound: &mut Unwound) {
        let has_response = !unwound.net.place(self.end).colours.is_empty();
        if has_response && !self.response_is_known {
            let intervals = ways.iter().map(|way| unwound.net.terms.interval(way.values[0]));
            let joined = intervals.reduce(Interval::join).unwrap_or(Interval::only(0));
            unwound.net.places[self.end.index()].colours = vec![joined];
        }
        for way in ways {
            let carried = if has_response { way.values.clone() } else { Vec::new() };
            unwound.add_step(way, self.index, self.end, carried);
        }
    }

    /// A name for people: the line, and the round of each loop around it.
    fn name(&self, frame: &Frame<'_>, location: &Location) -> String {
        let name = &frame.task.processes[self.index].name;
        let at = location.pc.map_or(0, |pc| frame.code.spans[pc as usize].start);
        let mut text = format!("{name} at line {}", frame.lines.line(at));
        for (i, Round { round, .. }) in location.rounds.iter().enumerate() {
            text += if i == 0 { ", round " } else { "/" };
            text += &(round + 1).to_string();
        }
        text
    }
}

impl Unwound {
    /// Notes what the local variables of a process can be at a place in the code.
    fn remember(&mut self, process: usize, location: &Location, here: &Here) {
        let Some(pc) = location.pc else { return };
        let interval = |known: &Known| match known {
            Known::Number(value) => Interval::only(*value),
            Known::Component(_, interval) => *interval,
        };
        let here: Vec<Interval> = here.values.iter().map(interval).collect();
        let all = self.locals.entry((process, pc)).or_insert_with(|| here.clone());
        for (all, here) in all.iter_mut().zip(here) {
            *all = all.join(here);
        }
    }

    fn add_step(&mut self, way: Arriving, process: usize, place: PlaceId, carried: Vec<Term>) {
        let mut new = way.new;
        new.arcs.push((ArcKind::Output, place, carried));
        if place == self.ends[process]
            && let Some(flag) = self.flags[process]
        {
            let (before, after) = (self.net.terms.number(0), self.net.terms.number(1));
            new.arcs.push((ArcKind::Input, flag, vec![before]));
            new.arcs.push((ArcKind::Output, flag, vec![after]));
        }
        self.writers += usize::from(!way.writes.is_empty());
        self.net.add_transition(new);
        let mut locals = way.values;
        locals.truncate(way.locals);
        self.origins.push(Origin::Step { process, writes: way.writes, locals, to: way.to });
    }

    /// The transition that puts the first values, and lets processes start.
    pub(super) fn init(&mut self, code: &Code, instances: &[Instance]) {
        let guard = self.net.terms.number(1);
        let mut arcs = Vec::new();
        for (place, value) in self.shared.iter().zip(&code.initial) {
            arcs.push((ArcKind::Output, *place, vec![self.net.terms.number(*value)]));
        }
        for instance in instances {
            let colours = self.net.place(instance.start).colours.clone();
            let any: Vec<Term> =
                colours.into_iter().map(|c| self.net.add_variable("argument", c)).collect();
            arcs.push((ArcKind::Output, instance.start, any.clone()));
            if let Some(place) = self.arguments.get(instance.index) {
                arcs.push((ArcKind::Output, *place, any));
            }
        }
        for flag in self.flags.iter().flatten() {
            arcs.push((ArcKind::Output, *flag, vec![self.net.terms.number(0)]));
        }
        self.net.add_transition(NewTransition { name: "init".to_owned(), guard, arcs });
        self.origins.push(Origin::Init);
    }
}

/// The arguments of a process: as it was said, or any.
fn arguments(frame: &Frame<'_>, index: usize, handler: usize) -> Vec<Interval> {
    if frame.task.is_open {
        let parameters = frame.code.handlers[handler].parameters.iter();
        return parameters.map(|(low, high)| Interval::new(*low, *high)).collect();
    }
    let arguments = frame.task.processes[index].arguments.iter();
    arguments.map(|value| Interval::only(*value)).collect()
}

/// The shared variables that a handler writes.
fn written(code: &Code, handler: usize) -> BTreeSet<VariableId> {
    let from = code.handlers[handler].entry as usize;
    let to = code.handlers.get(handler + 1).map_or(code.instrs.len(), |h| h.entry as usize);
    let writes = code.instrs[from..to].iter().filter_map(|instr| match instr {
        Instr::StoreGlobal(variable) => Some(*variable),
        _ => None,
    });
    writes.collect()
}

/// The values that a step from a place starts with.
fn start(template: &mut Template, location: Location, here: &Here) -> Start {
    let mut terms: Vec<Term> = Vec::new();
    for known in &here.values {
        terms.push(match known {
            Known::Number(value) => template.terms.number(*value),
            Known::Component(i, interval) => template.variable(Meaning::Component(*i), *interval),
        });
    }
    let stack = terms.split_off(here.locals);
    Start { location, locals: terms, stack }
}

/// A way as a transition, with variables of its own; but for the token that it makes.
fn transition(
    template: &Template,
    way: Way,
    here: &Here,
    process: &Process,
    unwound: &mut Unwound,
) -> Arriving {
    let mut copy = Copy { template, net: &mut unwound.net, known: FxHashMap::default() };
    let colours = copy.net.place(here.place).colours.clone();
    let mut arcs = Vec::new();
    let components = (0..colours.len()).map(|i| copy.meaning(Meaning::Component(i), colours[i]));
    arcs.push((ArcKind::Input, here.place, components.collect::<Vec<Term>>()));
    let touched: BTreeSet<VariableId> =
        way.reads.iter().chain(way.writes.keys()).copied().collect();
    let mut writes = Vec::new();
    for variable in touched {
        let place = unwound.shared[variable.index()];
        let before = copy.meaning(Meaning::Shared(variable), template.range(variable));
        let after = way.writes.get(&variable).map(|term| copy.term(*term));
        match after {
            Some(after) if after != before => {
                unwound.written.push((variable, copy.net.terms.interval(after)));
                arcs.push((ArcKind::Input, place, vec![before]));
                arcs.push((ArcKind::Output, place, vec![after]));
                writes.push(variable);
            }
            // Written back unchanged: as good as looked at.
            _ => arcs.push((ArcKind::Test, place, vec![before])),
        }
    }
    let to = way.to.pc;
    let guard = copy.term(way.condition);
    let locals = way.locals.len();
    let values = way.locals.iter().chain(&way.stack).map(|term| copy.term(*term)).collect();
    let name = process.name.clone();
    Arriving { new: NewTransition { name, guard, arcs }, values, locals, writes, to }
}

/// Copies terms of a step into the net.
struct Copy<'a> {
    template: &'a Template,
    net: &'a mut Net,
    known: FxHashMap<Term, Term>,
}

impl Copy<'_> {
    /// The variable that stands for something in this transition.
    fn meaning(&mut self, meaning: Meaning, interval: Interval) -> Term {
        let Some(template) = self.template.find(&meaning) else {
            // Nothing depends on it.
            return self.net.add_variable("_", interval);
        };
        self.term(template)
    }

    fn term(&mut self, term: Term) -> Term {
        // Operands come before what they are operands of.
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if self.known.contains_key(&term) {
                continue;
            }
            let node = self.template.terms.node(term);
            let missing: Vec<Term> = operands(node)
                .into_iter()
                .flatten()
                .filter(|t| !self.known.contains_key(t))
                .collect();
            if !missing.is_empty() {
                open.push(term);
                open.extend(missing);
                continue;
            }
            let get = |t: &Term| self.known[t];
            let copied = match node {
                Node::Number(value) => self.net.terms.number(value),
                Node::Variable(variable) => {
                    let (meaning, interval) = &self.template.variables[variable.index()];
                    let name = match meaning {
                        Meaning::Component(_) => "local".to_owned(),
                        Meaning::Shared(v) => self.net.place(PlaceId(v.0)).name.clone(),
                        Meaning::Choice(_) => "choice".to_owned(),
                    };
                    self.net.add_variable(name, *interval)
                }
                Node::Unary(op, a) => {
                    let a = get(&a);
                    self.net.terms.unary(op, a)
                }
                Node::Binary(op, a, b) => {
                    let (a, b) = (get(&a), get(&b));
                    self.net.terms.binary(op, a, b)
                }
                Node::Choice(c, a, b) => {
                    let (c, a, b) = (get(&c), get(&a), get(&b));
                    self.net.terms.choice(c, a, b)
                }
            };
            self.known.insert(term, copied);
        }
        self.known[&term]
    }
}

fn operands(node: Node) -> [Option<Term>; 3] {
    match node {
        Node::Number(_) | Node::Variable(_) => [None; 3],
        Node::Unary(_, a) => [Some(a), None, None],
        Node::Binary(_, a, b) => [Some(a), Some(b), None],
        Node::Choice(a, b, c) => [Some(a), Some(b), Some(c)],
    }
}
