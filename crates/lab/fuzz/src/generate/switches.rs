//! Options at random: with any optimisation switched off, no answer may become wrong.

use crate::Random;
use ser_net::Reductions;
use ser_serializability_search::{
    ArithmeticOptions, InclusionOptions, Methods, Options, OutcomeOptions, RuleOptions, Strategy,
};

/// Each optimisation is off in one of three cases; a method that would answer first, now and then,
/// so that others get their turn.
pub fn options(random: &mut Random) -> Options {
    let mut on = || random.chance(67);
    let reductions = Reductions {
        slice: on(),
        stuttering: on(),
        merge: on(),
        exclude: on(),
        movers: on(),
        deferral: on(),
        alike: on(),
    };
    let inclusion = InclusionOptions {
        labels: on(),
        loops: on(),
        last: on(),
        debts: on(),
        waiting: on(),
        promises: on(),
        prophecy: on(),
        stand_ins: on(),
    };
    let outcomes =
        OutcomeOptions { prune: on(), shortcuts: on(), lowest_degree_first: on(), merge: on() };
    let arithmetic = ArithmeticOptions { outcomes, cuts: on(), phases: on(), clauses: on() };
    let methods = Methods { atomic: on(), inclusion: on(), ..Methods::default() };
    let rules = RuleOptions {
        no_yield: on(),
        prove: on(),
        counts: on(),
        opaque: on(),
        symbolic: on(),
        readers: on(),
        parts: on(),
        events: on(),
        slices: on(),
    };
    let strategy =
        *random.pick(&[Strategy::Portfolio, Strategy::RefuteFirst, Strategy::ProveFirst]);
    Options { reductions, methods, inclusion, arithmetic, rules, strategy, ..Options::default() }
}
