//! The network system: the common meaning of programs and of hand-written systems.
//!
//! A network system is (G, L, REQ, RESP, g0, delta, req, resp), after section 2.3 of
//! Amir, Barbone, Amat, Jacobs, "Deciding Serializability in Network Systems" (TACAS 2026):
//! global and local states, request and response labels, an initial global state, steps
//! `(l, g) -> (l', g')`, local states in which a request may start, and local states in which
//! it may respond.
//!
//! Three additions to the paper. Some responses may not count: those of requests that have given
//! up. A global state is a *valuation* of variables (a hand-written
//! system has a single variable, `state`). And every step carries a *footprint*: which variables
//! it read with which values, and what it wrote. A footprint promises that the step is possible
//! from every global state that agrees with its reads, with the same writes.

use crate::{FootprintId, GlobalId, LocalId, RequestId, ResponseId, StepId, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::Span;
use std::fmt::Write as _;

/// A global variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    pub name: String,
    /// Names for the values 0, 1, 2, ... where values are not numbers.
    pub symbols: Option<Vec<String>>,
}

/// Where a request in flight stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalState {
    /// A name that no other local state has.
    pub name: String,
    /// What the request does next, in the source.
    pub span: Option<Span>,
    /// The local variables that still matter, with their values.
    pub variables: Vec<(String, String)>,
}

/// `(from, before) -> (to, after)`: one request steps, and the global state changes with it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step {
    /// The request's local state before.
    pub from: LocalId,
    /// The global state before.
    pub before: GlobalId,
    /// The request's local state after.
    pub to: LocalId,
    /// The global state after.
    pub after: GlobalId,
    /// What it read and wrote.
    pub footprint: FootprintId,
}

/// What a step read and wrote, sorted by variable. A variable that the step wrote before it
/// read it does not count as read.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Footprint {
    /// The values that the step depends on.
    pub reads: Vec<(VariableId, i64)>,
    /// The values that the step leaves behind.
    pub writes: Vec<(VariableId, i64)>,
}

/// A network system. Immutable once built; see [`SystemBuilder`].
///
/// ```
/// use ser_model::SystemBuilder;
///
/// let mut b = SystemBuilder::with_state_names("Free");
/// let (free, busy) = (b.named_global("Free"), b.named_global("Busy"));
/// let (start, done) = (b.local("start"), b.local("done"));
/// b.spawn("take", start);
/// b.named_step(start, free, done, busy);
/// b.reply(done, "ok");
/// let system = b.finish();
/// assert_eq!(system.steps().len(), 1);
/// assert_eq!(system.global_name(system.initial_global()), "Free");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetworkSystem {
    variables: Vec<Variable>,
    /// One row of `variables.len()` values for each global state.
    valuations: Vec<i64>,
    global_count: usize,
    locals: Vec<LocalState>,
    requests: Vec<String>,
    responses: Vec<String>,
    initial_global: GlobalId,
    spawns: Vec<(RequestId, LocalId)>,
    replies: Vec<(LocalId, ResponseId)>,
    /// The responses that do not count. Sorted.
    uncounted: Vec<ResponseId>,
    /// The requests that may give them, with each that they may give. Sorted.
    free: Vec<(RequestId, ResponseId)>,
    steps: Vec<Step>,
    /// Where the steps of each local state begin in `steps`; one more entry at the end.
    step_starts: Vec<u32>,
    footprints: Vec<Footprint>,
}

impl NetworkSystem {
    /// The global variables.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The initial global state.
    pub fn initial_global(&self) -> GlobalId {
        self.initial_global
    }

    /// All global states.
    pub fn globals(&self) -> impl ExactSizeIterator<Item = GlobalId> + use<> {
        (0..self.global_count).map(GlobalId::from_index)
    }

    /// The values of the variables in a global state.
    pub fn valuation(&self, global: GlobalId) -> &[i64] {
        let width = self.variables.len();
        &self.valuations[global.index() * width..][..width]
    }

    /// How many local states there are.
    pub fn local_count(&self) -> usize {
        self.locals.len()
    }

    /// A local state.
    pub fn local(&self, local: LocalId) -> &LocalState {
        &self.locals[local.index()]
    }

    /// The request labels.
    pub fn requests(&self) -> &[String] {
        &self.requests
    }

    /// The response labels.
    pub fn responses(&self) -> &[String] {
        &self.responses
    }

    /// `req`: where requests may start. Sorted.
    pub fn spawns(&self) -> &[(RequestId, LocalId)] {
        &self.spawns
    }

    /// `resp`: where requests may respond. Sorted.
    pub fn replies(&self) -> &[(LocalId, ResponseId)] {
        &self.replies
    }

    /// The responses that a request in `local` may give.
    pub fn replies_of(&self, local: LocalId) -> impl Iterator<Item = ResponseId> + '_ {
        let first = self.replies.partition_point(|(l, _)| *l < local);
        self.replies[first..].iter().take_while(move |(l, _)| *l == local).map(|(_, r)| *r)
    }

    /// Whether a response counts. One that does not is that of a request that has given up: in
    /// serial runs, such a request may also have done nothing at all.
    pub fn counts(&self, response: ResponseId) -> bool {
        self.uncounted.binary_search(&response).is_err()
    }

    /// The responses that do not count. Sorted.
    pub fn uncounted(&self) -> &[ResponseId] {
        &self.uncounted
    }

    /// Requests with responses that do not count, as far as steps lead from an arrival of the
    /// request to the response. Serial runs may have these at any time, without any effect. Sorted.
    pub fn free(&self) -> &[(RequestId, ResponseId)] {
        &self.free
    }

    /// `delta`, sorted by local state before, global state before, and so on.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub fn step(&self, step: StepId) -> &Step {
        &self.steps[step.index()]
    }

    /// The steps of a request in `local`, sorted by global state.
    pub fn steps_of(&self, local: LocalId) -> &[Step] {
        let (first, last) = (self.step_starts[local.index()], self.step_starts[local.index() + 1]);
        &self.steps[first as usize..last as usize]
    }

    /// The steps of a request in `local` when the global state is `global`.
    pub fn steps_at(&self, local: LocalId, global: GlobalId) -> &[Step] {
        let steps = self.steps_of(local);
        let first = steps.partition_point(|s| s.before < global);
        let count = steps[first..].partition_point(|s| s.before == global);
        &steps[first..first + count]
    }

    /// The system with every state and every request replaced by the one that stands for it, which
    /// stands for itself. All keep their names; states that another one stands for have no steps,
    /// and such requests do not arrive.
    pub fn quotient(
        &self,
        global: impl Fn(GlobalId) -> GlobalId,
        local: impl Fn(LocalId) -> LocalId,
        request: impl Fn(RequestId) -> RequestId,
    ) -> NetworkSystem {
        let mut steps: Vec<Step> = self.steps.clone();
        steps.retain(|s| global(s.before) == s.before && local(s.from) == s.from);
        for step in &mut steps {
            (step.to, step.after) = (local(step.to), global(step.after));
        }
        steps.sort_unstable_by_key(|s| (s.from, s.before, s.to, s.after, s.footprint));
        steps.dedup_by_key(|s| (s.from, s.before, s.to, s.after));
        let mut spawns: Vec<_> =
            self.spawns.iter().map(|(r, l)| (request(*r), local(*l))).collect();
        spawns.sort_unstable();
        spawns.dedup();
        let initial_global = global(self.initial_global);
        let step_starts = starts(&steps, self.locals.len());
        NetworkSystem { steps, step_starts, spawns, initial_global, ..self.clone() }
    }

    pub fn footprint(&self, footprint: FootprintId) -> &Footprint {
        &self.footprints[footprint.index()]
    }

    /// A value of a variable, in words.
    pub fn value_name(&self, variable: VariableId, value: i64) -> String {
        let symbols = self.variables[variable.index()].symbols.as_ref();
        match symbols.and_then(|names| names.get(usize::try_from(value).ok()?)) {
            Some(name) => name.clone(),
            None => value.to_string(),
        }
    }

    /// The unique name of a global state: `X=0,Y=1`, or its own name in a hand-written system,
    /// or `()` where there are no variables.
    pub fn global_name(&self, global: GlobalId) -> String {
        let values = self.valuation(global);
        if let [Variable { symbols: Some(_), .. }] = self.variables.as_slice() {
            return self.value_name(VariableId(0), values[0]);
        }
        valuation_name(&self.variables, values)
    }

    /// The unique name of a local state.
    pub fn local_name(&self, local: LocalId) -> &str {
        &self.locals[local.index()].name
    }

    /// The name of a request label.
    pub fn request_name(&self, request: RequestId) -> &str {
        &self.requests[request.index()]
    }

    /// The handler of a request: its name without the values of parameters.
    pub fn handler_name(&self, request: RequestId) -> &str {
        let name = self.request_name(request);
        name.split('(').next().unwrap_or(name)
    }

    /// The name of a response label.
    pub fn response_name(&self, response: ResponseId) -> &str {
        &self.responses[response.index()]
    }
}

/// `X=0,Y=1`, or `()` where there are no variables.
fn valuation_name(variables: &[Variable], values: &[i64]) -> String {
    if values.is_empty() {
        return "()".into();
    }
    let mut name = String::new();
    for (variable, value) in variables.iter().zip(values) {
        let comma = if name.is_empty() { "" } else { "," };
        let _ = write!(name, "{comma}{}={value}", variable.name);
    }
    name
}

/// Where the steps of each local state begin, and where the last ones end.
fn starts(steps: &[Step], locals: usize) -> Vec<u32> {
    (0..=locals).map(|l| steps.partition_point(|s| s.from.index() < l) as u32).collect()
}

/// The requests that may give one of these responses, with the response: whose steps lead from an
/// arrival to where it is given, whatever the global states.
fn free(
    uncounted: &[ResponseId],
    spawns: &[(RequestId, LocalId)],
    replies: &[(LocalId, ResponseId)],
    steps: &[Step],
) -> Vec<(RequestId, ResponseId)> {
    if uncounted.is_empty() {
        return Vec::new();
    }
    let mut back: Vec<(LocalId, LocalId)> = steps.iter().map(|s| (s.to, s.from)).collect();
    back.sort_unstable();
    back.dedup();
    let mut free = Vec::new();
    for response in uncounted {
        let ends = replies.iter().filter(|(_, r)| r == response);
        let mut open: Vec<LocalId> = ends.map(|(local, _)| *local).collect();
        let mut seen: FxHashSet<LocalId> = open.iter().copied().collect();
        while let Some(local) = open.pop() {
            let first = back.partition_point(|(to, _)| *to < local);
            let before = back[first..].iter().take_while(|(to, _)| *to == local);
            open.extend(before.map(|(_, from)| *from).filter(|from| seen.insert(*from)));
        }
        let giving = spawns.iter().filter(|(_, start)| seen.contains(start));
        free.extend(giving.map(|(request, _)| (*request, *response)));
    }
    free.sort_unstable();
    free.dedup();
    free
}

/// Builds a [`NetworkSystem`] state by state. The first global state is the initial one.
#[derive(Clone, Debug, Default)]
pub struct SystemBuilder {
    variables: Vec<Variable>,
    globals: FxHashMap<Box<[i64]>, GlobalId>,
    valuations: Vec<i64>,
    locals: Vec<LocalState>,
    local_names: FxHashMap<String, LocalId>,
    requests: Names,
    responses: Names,
    spawns: Vec<(RequestId, LocalId)>,
    replies: Vec<(LocalId, ResponseId)>,
    uncounted: Vec<ResponseId>,
    steps: Vec<Step>,
    footprints: Vec<Footprint>,
    footprint_ids: FxHashMap<Footprint, FootprintId>,
    symbols: Names,
}

/// Strings numbered in the order of their first appearance.
#[derive(Clone, Debug, Default)]
struct Names {
    list: Vec<String>,
    ids: FxHashMap<String, u32>,
}

impl Names {
    fn intern(&mut self, name: &str) -> u32 {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = self.list.len() as u32;
        self.list.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        id
    }
}

impl SystemBuilder {
    /// A system over the given variables, which start at `initial`.
    pub fn new(variables: Vec<Variable>, initial: &[i64]) -> SystemBuilder {
        let mut builder = SystemBuilder { variables, ..SystemBuilder::default() };
        builder.global(initial);
        builder
    }

    /// A system whose global states have names of their own and start at `initial`.
    pub fn with_state_names(initial: &str) -> SystemBuilder {
        let variables = vec![Variable { name: "state".into(), symbols: Some(Vec::new()) }];
        let mut builder = SystemBuilder { variables, ..SystemBuilder::default() };
        builder.named_global(initial);
        builder
    }

    /// The global state with these values.
    pub fn global(&mut self, values: &[i64]) -> GlobalId {
        if let Some(id) = self.globals.get(values) {
            return *id;
        }
        let id = GlobalId::from_index(self.globals.len());
        self.globals.insert(values.into(), id);
        self.valuations.extend_from_slice(values);
        id
    }

    /// The values of a global state.
    pub fn valuation(&self, global: GlobalId) -> &[i64] {
        let width = self.variables.len();
        &self.valuations[global.index() * width..][..width]
    }

    /// The name of a global state whose variables have numbers as values.
    pub(crate) fn global_name(&self, global: GlobalId) -> String {
        valuation_name(&self.variables, self.valuation(global))
    }

    /// The unique name of a local state.
    pub(crate) fn local_name(&self, local: LocalId) -> &str {
        &self.locals[local.index()].name
    }

    /// How many global states there are so far.
    pub fn global_count(&self) -> usize {
        self.globals.len()
    }

    /// The global state with this name, in a system made by [`SystemBuilder::with_state_names`].
    pub fn named_global(&mut self, name: &str) -> GlobalId {
        let value = i64::from(self.symbols.intern(name));
        self.global(&[value])
    }

    /// The local state with this name.
    pub fn local(&mut self, name: &str) -> LocalId {
        if let Some(id) = self.local_names.get(name) {
            return *id;
        }
        self.add_local(LocalState { name: name.to_owned(), span: None, variables: Vec::new() })
    }

    /// A new local state. If its name is taken, a number is added to it.
    pub fn add_local(&mut self, mut state: LocalState) -> LocalId {
        let id = LocalId::from_index(self.locals.len());
        let wanted = state.name.clone();
        let mut copy = 1;
        while self.local_names.contains_key(&state.name) {
            copy += 1;
            state.name = format!("{wanted}~{copy}");
        }
        self.local_names.insert(state.name.clone(), id);
        self.locals.push(state);
        id
    }

    /// A request of this name may start in `local`.
    pub fn spawn(&mut self, request: &str, local: LocalId) {
        let request = RequestId(self.requests.intern(request));
        self.spawns.push((request, local));
    }

    /// A request in `local` may give this response.
    pub fn reply(&mut self, local: LocalId, response: &str) {
        let response = ResponseId(self.responses.intern(response));
        self.replies.push((local, response));
    }

    /// This response does not count; see [`NetworkSystem::counts`].
    pub fn uncounted(&mut self, response: &str) {
        let response = ResponseId(self.responses.intern(response));
        self.uncounted.push(response);
    }

    /// A step with its footprint.
    pub fn step(
        &mut self,
        from: LocalId,
        before: GlobalId,
        to: LocalId,
        after: GlobalId,
        footprint: Footprint,
    ) {
        let footprint = match self.footprint_ids.get(&footprint) {
            Some(id) => *id,
            None => {
                let id = FootprintId::from_index(self.footprints.len());
                self.footprints.push(footprint.clone());
                self.footprint_ids.insert(footprint, id);
                id
            }
        };
        self.steps.push(Step { from, before, to, after, footprint });
    }

    /// A step of a system whose global states have names: it reads and writes all there is.
    pub fn named_step(&mut self, from: LocalId, before: GlobalId, to: LocalId, after: GlobalId) {
        let state = |g: GlobalId| (VariableId(0), self.valuation(g)[0]);
        let writes = if before == after { Vec::new() } else { vec![state(after)] };
        let footprint = Footprint { reads: vec![state(before)], writes };
        self.step(from, before, to, after, footprint);
    }

    /// How many steps there are so far.
    pub fn step_count(&self) -> usize {
        self.steps.len()
    }

    /// Sorts and indexes everything. Of two steps that differ only in their footprint, the one
    /// with the smaller footprint stays.
    pub fn finish(mut self) -> NetworkSystem {
        if let [Variable { symbols: Some(names), .. }] = self.variables.as_mut_slice()
            && !self.symbols.list.is_empty()
        {
            *names = std::mem::take(&mut self.symbols.list);
        }
        self.spawns.sort_unstable();
        self.spawns.dedup();
        self.replies.sort_unstable();
        self.replies.dedup();
        let size = |id: FootprintId| {
            let f = &self.footprints[id.index()];
            (f.reads.len() + f.writes.len(), id)
        };
        self.steps.sort_unstable_by_key(|s| (s.from, s.before, s.to, s.after, size(s.footprint)));
        self.steps.dedup_by_key(|s| (s.from, s.before, s.to, s.after));
        let step_starts = starts(&self.steps, self.locals.len());
        self.uncounted.sort_unstable();
        self.uncounted.dedup();
        let free = free(&self.uncounted, &self.spawns, &self.replies, &self.steps);
        NetworkSystem {
            global_count: self.globals.len(),
            variables: self.variables,
            valuations: self.valuations,
            locals: self.locals,
            requests: self.requests.list,
            responses: self.responses.list,
            initial_global: GlobalId(0),
            spawns: self.spawns,
            replies: self.replies,
            uncounted: self.uncounted,
            free,
            steps: self.steps,
            step_starts,
            footprints: self.footprints,
        }
    }
}
