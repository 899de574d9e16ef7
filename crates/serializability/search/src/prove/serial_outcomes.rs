//! The serial outcomes as a semilinear set: what one request at a time can respond.

use ser_arith::{AutomatonEdge, OutcomeOptions, Outcomes, TooLarge, automaton_outcomes};
use ser_base::Limits;
use ser_net::{Outcome, SerialAutomaton};

/// The letter counts of all words of the serial automaton. Coordinate `i` counts `letters[i]`; the
/// letters are sorted, and all letters of the automaton are among them. Words of the components
/// are numbers of edges.
pub fn serial_outcomes(
    automaton: &SerialAutomaton,
    letters: &[Outcome],
    options: OutcomeOptions,
    limits: &ser_arith::Limits,
) -> Result<Outcomes, TooLarge> {
    let number = |o: Outcome| letters.partition_point(|l| *l < o);
    let edges: Vec<AutomatonEdge> = automaton
        .edges
        .iter()
        .map(|e| AutomatonEdge { from: e.before.0, coordinate: number(e.outcome), to: e.after.0 })
        .collect();
    automaton_outcomes(automaton.initial.0, letters.len(), &edges, options, limits)
}

/// Limits on the way to at most so many components, with the same clock.
pub(crate) fn limits(components: usize, limits: &Limits) -> ser_arith::Limits {
    ser_arith::Limits { components, letters: 50 * components, clock: limits.clone() }
}
