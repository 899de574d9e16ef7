//! How often each transition fires: in a run, or in a part of it.
//!
//! *State equation.* In a run from the initial global state to the global state f, nobody in
//! flight at either end, let t(i) be how often transition i fires. Every spot of the net, a
//! control state or a place, has at the end what it has at the start, plus what is put, minus what
//! is taken. See [`hypothesis`] for the resulting equalities. If f is not known, a control state
//! still does not have less than nothing at the end, and nobody is in flight.
//!
//! *Last occurrence.* If transition k fires at all, its last occurrence divides the run into a
//! first part, itself, and a second part in which it does not fire. The counts of the first part
//! are x(i) = t(i) - p(i) - \[i = k\], where p counts the second part and has no p(k). They are
//! not negative; the first part leads the control to where k fires, and leaves at least the
//! request that k takes. This holds of any run, so a tree may use it more than once; each time it
//! divides the whole run.

use super::linear::{Linear, Variable};
use super::numbered::{Numbered, Spot};
use super::rational::Rational;
use super::scope::{Relation, Scope};
use crate::Reason;
use crate::hypothesis;
use crate::meter::Meter;
use ser_model::GlobalId;

/// For each transition the form that counts it.
pub(crate) struct Counts {
    forms: Vec<Linear>,
}

impl Counts {
    /// New variables `t0`, `t1`, ... that are not negative.
    pub(crate) fn of_run(
        net: &Numbered,
        scope: &mut Scope,
        meter: &mut Meter<'_>,
    ) -> Result<Counts, Reason> {
        let mut forms = Vec::new();
        for i in 0..net.transitions.len() {
            let variable = scope.declare(&hypothesis::count(i), true, meter)?;
            forms.push(single(variable, meter)?);
        }
        Ok(Counts { forms })
    }

    pub(crate) fn get(&self, transition: usize) -> Option<&Linear> {
        self.forms.get(transition)
    }

    /// The sum of the counts of some transitions.
    pub(crate) fn sum<'a>(
        &self,
        transitions: impl IntoIterator<Item = &'a usize>,
        meter: &mut Meter<'_>,
    ) -> Result<Linear, Reason> {
        let mut sum = Linear::constant(0);
        self.add(&mut sum, 1, transitions, meter)?;
        Ok(sum)
    }

    fn add<'a>(
        &self,
        form: &mut Linear,
        sign: i64,
        transitions: impl IntoIterator<Item = &'a usize>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Reason> {
        let sign = Rational::from(sign);
        let counts = transitions.into_iter().filter_map(|i| self.forms.get(*i));
        counts.into_iter().try_for_each(|count| form.add(&sign, count, meter))
    }

    /// What is at a spot, minus `end`: `[it is the initial control state] - end + put - taken`.
    fn balance(
        &self,
        net: &Numbered,
        spot: Spot,
        end: bool,
        meter: &mut Meter<'_>,
    ) -> Result<Linear, Reason> {
        let start = i64::from(spot == Spot::Global(net.initial));
        let mut form = Linear::constant(start - i64::from(end));
        if let Some((put, taken)) = net.flows.get(&spot) {
            self.add(&mut form, 1, put, meter)?;
            self.add(&mut form, -1, taken, meter)?;
        }
        Ok(form)
    }
}

fn single(variable: Variable, meter: &mut Meter<'_>) -> Result<Linear, Reason> {
    let mut form = Linear::constant(0);
    form.add_term(variable, &1_i64.into(), meter)?;
    Ok(form)
}

/// Supposes the state equation of runs to `end`, or to anywhere.
pub(crate) fn state_equation(
    net: &Numbered,
    counts: &Counts,
    end: Option<GlobalId>,
    scope: &mut Scope,
    meter: &mut Meter<'_>,
) -> Result<(), Reason> {
    for (spot, name) in &net.spots {
        let form = counts.balance(net, *spot, Some(*spot) == end.map(Spot::Global), meter)?;
        let relation = match (spot, end) {
            (Spot::Global(_), None) => Relation::NonNegative,
            _ => Relation::Zero,
        };
        scope.suppose(name, relation, form, meter)?;
    }
    Ok(())
}

/// The two parts of a run before and after the last occurrence of a transition.
pub(crate) struct Phase {
    pub(crate) first: Counts,
    pub(crate) second: Counts,
}

/// Supposes that transition `k` fires, and divides the run at its last occurrence.
pub(crate) fn divide(
    net: &Numbered,
    counts: &Counts,
    k: usize,
    name: &str,
    scope: &mut Scope,
    meter: &mut Meter<'_>,
) -> Result<Phase, Reason> {
    let minus = Rational::from(-1_i64);
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for (i, count) in counts.forms.iter().enumerate() {
        let after = if i == k {
            Linear::constant(0)
        } else {
            single(scope.declare(&hypothesis::phase_count(name, i), true, meter)?, meter)?
        };
        let mut before = count.clone();
        before.add(&minus, &after, meter)?;
        before.add(&minus, &Linear::constant(i64::from(i == k)), meter)?;
        let hypothesis = hypothesis::phase_first(name, i);
        scope.suppose(&hypothesis, Relation::NonNegative, before.clone(), meter)?;
        first.push(before);
        second.push(after);
    }
    let phase = Phase { first: Counts { forms: first }, second: Counts { forms: second } };
    let transition = net.transitions.get(k);
    for (spot, spot_name) in &net.spots {
        let needed = transition.is_some_and(|t| t.before_spots().any(|s| s == *spot));
        let form = phase.first.balance(net, *spot, needed, meter)?;
        let relation = match spot {
            Spot::Global(_) => Relation::Zero,
            Spot::InFlight(_) => Relation::NonNegative,
        };
        // The name of the state equation's hypothesis, with the phase before it.
        scope.suppose(&format!("{name} {spot_name}"), relation, form, meter)?;
    }
    Ok(phase)
}
