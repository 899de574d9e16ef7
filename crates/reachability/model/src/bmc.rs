//! Interleaving bounded model checking: one action a step, so many steps.
//!
//! What event tracing is measured against, on the same solver and the same circuits. A state has a
//! literal for each process and each place in its code, and the bits of all variables; between two
//! states one action is taken, or none, and then none any more. Everything that the action does not
//! touch stays as it was: these *frame conditions*, for every variable and every step, are what
//! event tracing does without.

use crate::actions::{Action, Actions};
use crate::bits::{Bits, Number};
use crate::formula::{FALSE, Formula, TRUE};
use crate::term::Interval;
use crate::unwind::{Meaning, Part, Task, Template, UnwindError, Unwinding, condition, flagged};
use ser_base::Limits;
use ser_clausal::Lit;
use ser_model::{Code, Move, Plan, VariableId};

/// Within one action, loops go round at most so often.
const IN_STEP: u32 = 64;

/// A state of the interleaving.
struct State {
    shared: Vec<Number>,
    /// For each process and place, whether it is there.
    at: Vec<Vec<Lit>>,
    /// The local variables of each process.
    values: Vec<Vec<Number>>,
}

/// One step between two states.
struct Step {
    /// For each action, whether it is taken.
    takes: Vec<Lit>,
    /// Whether none is.
    stutters: Lit,
}

/// A program unrolled step by step.
pub struct Bmc<'a> {
    task: &'a Task<'a>,
    shared: Vec<String>,
    actions: Actions,
    in_step: u32,
    ranges: Vec<Interval>,
    formula: Formula,
    states: Vec<State>,
    steps: Vec<Step>,
}

impl<'a> Bmc<'a> {
    /// So many steps. `unwinding` tells the values of variables; its loops have to go round at
    /// least as often as there are steps.
    pub fn new(
        task: &'a Task<'a>,
        unwinding: &Unwinding,
        steps: u32,
        limits: &Limits,
    ) -> Result<Bmc<'a>, UnwindError> {
        let in_step = steps.max(IN_STEP);
        let actions = Actions::new(task, unwinding, in_step, limits)?;
        let one = |index: usize, count: usize| {
            (0..count).map(|i| if i == index { TRUE } else { FALSE }).collect::<Vec<Lit>>()
        };
        let first = State {
            shared: actions.initial.iter().map(|value| Number::constant(*value)).collect(),
            at: actions.processes.iter().map(|p| one(0, p.places.len())).collect(),
            values: (actions.processes.iter())
                .map(|p| {
                    let first = |i| Number::constant(p.first.get(i).copied().unwrap_or(0));
                    (0..p.values.len()).map(first).collect()
                })
                .collect(),
        };
        let (shared, ranges) = (unwinding.shared.clone(), unwinding.ranges.clone());
        let mut bmc = Bmc {
            task,
            shared,
            actions,
            in_step,
            ranges,
            formula: Formula::default(),
            states: vec![first],
            steps: Vec::new(),
        };
        for _ in 0..steps {
            limits.check_clock()?;
            bmc.add_step();
        }
        Ok(bmc)
    }

    /// Whether some action goes round a loop more often than [`Bmc::in_step`]: runs with it are
    /// left out.
    pub fn is_cut(&self) -> bool {
        self.actions.is_cut
    }

    pub fn in_step(&self) -> u32 {
        self.in_step
    }

    /// The formula so far.
    pub fn formula(&self) -> &Formula {
        &self.formula
    }

    /// Adds a step, and gives the literal that something is done in it. If that is impossible, no
    /// run is longer than the steps before, as far as the bits of the variables reach.
    pub fn goes_on(&mut self) -> Lit {
        self.add_step();
        self.steps.last().map_or(FALSE, |step| !step.stutters)
    }

    /// One more step.
    fn add_step(&mut self) {
        let Bmc { actions, formula, states, steps, ranges, .. } = self;
        let Some(before) = states.last() else { return };
        let takes: Vec<Lit> = (actions.actions.iter())
            .map(|a| match before.at[a.process][a.from] {
                FALSE => FALSE,
                _ => formula.new_lit(),
            })
            .collect();
        let stutters = formula.new_lit();
        if let Some(last) = steps.last() {
            formula.implies(last.stutters, stutters);
        }
        let mut choices = takes.clone();
        choices.push(stutters);
        formula.clause(&choices);
        formula.at_most_one(&choices);

        let written = actions.written();
        let moves: Vec<Lit> = (0..actions.processes.len())
            .map(|p| {
                let mine = actions.actions.iter().zip(&takes).filter(|(a, _)| a.process == p);
                let mine: Vec<Lit> = mine.map(|(_, lit)| *lit).collect();
                formula.any(&mine)
            })
            .collect();
        let mut after = State { shared: Vec::new(), at: Vec::new(), values: Vec::new() };
        for (i, (range, old)) in ranges.iter().zip(&before.shared).enumerate() {
            after.shared.push(match written.contains(&VariableId::from_index(i)) {
                true => Number::fresh(formula, *range),
                false => old.clone(),
            });
        }
        for (p, process) in actions.processes.iter().enumerate() {
            let possible = |place: usize| {
                let arrives = (actions.actions.iter().zip(&takes))
                    .any(|(a, lit)| a.process == p && a.to == place && *lit != FALSE);
                arrives || before.at[p][place] != FALSE
            };
            let lit = |place| if possible(place) { formula.new_lit() } else { FALSE };
            after.at.push((0..process.places.len()).map(lit).collect());
            after.values.push(process.values.iter().map(|i| Number::fresh(formula, *i)).collect());
        }
        for (action, taken) in actions.actions.iter().zip(&takes) {
            if *taken != FALSE {
                take(action, *taken, &actions.templates[action.template], before, &after, formula);
            }
        }
        frame(actions, &takes, &moves, before, &after, formula);
        states.push(after);
        steps.push(Step { takes, stutters });
    }

    /// Whether a goal holds after all steps so far.
    pub fn goal(&mut self, goal: usize) -> Result<Lit, UnwindError> {
        let goal = &self.task.goals[goal];
        let constants = &self.task.program.constants;
        let mut template = Template::new(&self.ranges);
        let mut complete = Vec::new();
        let find = |name: &str| self.task.processes.iter().position(|p| p.name == name);
        let term = condition(&goal.condition, &mut |part| match part {
            Part::Name(name) => {
                if let Some(value) = constants.get(name) {
                    return Some(template.terms.number(*value));
                }
                if let Some(index) = self.shared.iter().position(|s| s == name) {
                    let meaning = Meaning::Shared(VariableId::from_index(index));
                    return Some(template.variable(meaning, self.ranges[index]));
                }
                if let Some(process) = flagged(name, self.task) {
                    // Places in the code are numbered from the processes on.
                    let meaning = Meaning::Component(self.task.processes.len() + process);
                    return Some(template.variable(meaning, Interval::BOOLEAN));
                }
                let process = find(name)?;
                complete.push(process);
                let interval = *self.actions.processes[process].values.first()?;
                Some(template.variable(Meaning::Component(process), interval))
            }
            Part::Term(make) => Some(make(&mut template.terms)),
        })?;
        let Some(state) = self.states.last() else { return Ok(FALSE) };
        let mut bits = Bits::default();
        for (index, (meaning, _)) in template.variables.iter().enumerate() {
            let number = match meaning {
                Meaning::Shared(variable) => &state.shared[variable.index()],
                Meaning::Component(process) => match state.values.get(*process) {
                    Some(values) => &values[0],
                    None => {
                        let process = process - self.task.processes.len();
                        &Number::truth(state.at[process].last().copied().unwrap_or(FALSE))
                    }
                },
                Meaning::Choice(_) => continue,
            };
            bits.bind(crate::VariableId::from_index(index), number.clone());
        }
        let mut all = vec![bits.truth(&mut self.formula, &template.terms, term)];
        all.extend(complete.iter().filter_map(|p| state.at[*p].last().copied()));
        Ok(self.formula.all(&all))
    }

    /// The run that a solution stands for.
    pub fn plan(&self, value: &dyn Fn(Lit) -> bool) -> Plan {
        let mut plan = Plan {
            requests: self.task.processes.iter().map(|p| p.label.clone()).collect(),
            moves: Vec::new(),
        };
        let code = Code::new(self.task.program);
        for (step, after) in self.steps.iter().zip(&self.states[1..]) {
            let Some(taken) = step.takes.iter().position(|lit| value(*lit)) else { break };
            let action = &self.actions.actions[taken];
            let write = |variable: &VariableId| {
                let number = &after.shared[variable.index()];
                (self.shared[variable.index()].clone(), number.value(value))
            };
            let writes = action.way.writes.keys().map(write).collect();
            let slots = code.slots(&self.task.processes[action.process].handler).iter();
            let locals = slots.zip(&after.values[action.process]);
            let locals = locals.map(|(name, number)| (name.clone(), number.value(value)));
            let (request, stands_at) = (action.process, Some(action.way.to.pc.into()));
            plan.moves.push(Move { request, writes, locals: locals.collect(), stands_at });
        }
        plan
    }
}

/// What an action asks of the state before, and makes of the state after.
fn take(
    action: &Action,
    taken: Lit,
    template: &Template,
    before: &State,
    after: &State,
    formula: &mut Formula,
) {
    let process = action.process;
    let mut bits = Bits::default();
    for (index, (meaning, interval)) in template.variables.iter().enumerate() {
        let number = match meaning {
            Meaning::Shared(variable) => before.shared[variable.index()].clone(),
            Meaning::Component(i) => before.values[process][*i].clone(),
            Meaning::Choice(_) => {
                let number = Number::fresh(formula, *interval);
                number.hold(formula, *interval);
                number
            }
        };
        bits.bind(crate::VariableId::from_index(index), number);
    }
    formula.implies(taken, before.at[process][action.from]);
    formula.implies(taken, after.at[process][action.to]);
    bits.require(formula, &template.terms, taken, action.way.condition);
    for (variable, term) in &action.way.writes {
        let number = bits.number(formula, &template.terms, *term);
        if !template.range(*variable).covers(template.terms.interval(*term)) {
            number.within(formula, taken, template.range(*variable));
        }
        number.equals(formula, taken, &after.shared[variable.index()]);
    }
    let values = action.way.locals.iter().chain(&action.way.stack);
    for (term, next) in values.zip(&after.values[process]) {
        let number = bits.number(formula, &template.terms, *term);
        number.equals(formula, taken, next);
    }
}

/// Everything that is not touched stays as it was.
fn frame(
    actions: &Actions,
    takes: &[Lit],
    moves: &[Lit],
    before: &State,
    after: &State,
    formula: &mut Formula,
) {
    for (i, (old, new)) in before.shared.iter().zip(&after.shared).enumerate() {
        let variable = VariableId::from_index(i);
        let writers = actions.actions.iter().zip(takes);
        let writers = writers.filter(|(action, _)| action.way.writes.contains_key(&variable));
        let writers: Vec<Lit> = writers.map(|(_, lit)| *lit).collect();
        let written = formula.any(&writers);
        old.equals(formula, !written, new);
    }
    for (p, process) in actions.processes.iter().enumerate() {
        for place in 0..process.places.len() {
            let (old, new) = (before.at[p][place], after.at[p][place]);
            formula.clause(&[moves[p], !old, new]);
            let mut why: Vec<Lit> = (actions.actions.iter().zip(takes))
                .filter(|(a, _)| a.process == p && a.to == place)
                .map(|(_, lit)| *lit)
                .collect();
            let stayed = formula.and(old, !moves[p]);
            why.extend([stayed, !new]);
            formula.clause(&why);
        }
        for (old, new) in before.values[p].iter().zip(&after.values[p]) {
            old.equals(formula, !moves[p], new);
        }
    }
}
