//! Opaque variables: what a rule net says about steps whose values nobody tracks.
//!
//! A local state of a system of rules may leave values open, and so it stands for many local states
//! of the program: they *look like* it. A transition from a rule that touches opaque variables, or
//! whose request has opaque values, is *opaque* and carries its rule; all others are *exact*. (A
//! certificate may name any variables as opaque, also none.)
//!
//! So a rule net stands for a *full* net, about the program's own requests and states. A place of
//! it is a request, with all arguments, in a local state, with all values, that looks like a place
//! of the rule net. Each of its transitions t^ looks like a transition t of the rule net: its
//! places do, and it responds like t; it reads what t reads and writes what t writes; of an opaque
//! variable, it may read a value only if t reads it, and write one only if t writes it. In detail:
//!
//! 1. An exact t stands for one t^ for every request that looks like that of t. It touches no
//!    opaque variables, and its local states have no opaque values: they look like themselves
//!    alone.
//! 2. An opaque t with the rule r stands for whatever requests in a local state that looks like
//!    `r.from` do by the paths of r. Each t^ is possible wherever the variables that it reads,
//!    opaque ones included, have the same values. If `r.from` has no opaque values, these t^ depend
//!    on r alone; otherwise on r and the opaque values of the request, and then t takes its request
//!    from `r.from`, or it arrives there.
//!
//! *Theorem 1.* The runs of the program, in normal form, are those of the full net of its rule net.
//! *Proof.* A path of a request is a path of the machine that finds opaque values in place of
//! some: it computes opaque values from them, goes both ways at a branch on them, and asks for the
//! same variables. ∎
//!
//! *Theorem 2.* What a rule net rules out never happens in its full net: facts about values of
//! variables that are not opaque, counts, places that no request is in, places that do not lead to
//! a response. *Proof.* With all opaque variables at 0, and places replaced by what they look like,
//! a run of the full net is a run of the rule net. ∎
//!
//! *Theorem 3.* Let t be followed by u, of another request, in the full net, and let neither write
//! an opaque variable that the other touches. If t', u' swap t and u in the rule net, where t' is t
//! or both are exact, and the same for u' and u, then t^ and u^ can be swapped. *Proof.* For u'
//! take u^ itself, or the exact transition of its request, and the same for t'. Opaque variables
//! that u^ reads have the values that it has found there, because t^ does not write them; so u' is
//! possible before t^, and t' after it, for the same reason. The values of opaque variables in the
//! end are what u^ and t^ write, each its own; those of all others are as in the rule net. ∎

use super::{RuleNet, Transition};
use ser_model::{Precision, Rule, VariableId};

/// The rule of an opaque transition.
pub(super) fn rule<'a>(net: &RuleNet<'a>, t: &Transition) -> Option<&'a Rule> {
    t.opaque.and_then(|rule| net.system.rules().get(rule))
}

/// Whether what an opaque transition stands for depends on opaque values of its request.
pub(super) fn depends_on_request(net: &RuleNet<'_>, t: &Transition) -> bool {
    rule(net, t).is_some_and(|rule| net.system.has_opaque_values(rule.from))
}

/// Whether a transition leaves its request in the same state, with the same opaque values.
pub(super) fn waits(net: &RuleNet<'_>, t: &Transition) -> bool {
    rule(net, t).is_some_and(|rule| rule.precision == Precision::Waits)
}

/// Whether the second may take the place of the first: it is the same, or both are exact.
pub(super) fn may_replace(first: &Transition, second: &Transition) -> bool {
    first == second || first.opaque.is_none() && second.opaque.is_none()
}

/// Whether one writes an opaque variable that the other touches.
pub(super) fn share_opaque(net: &RuleNet<'_>, t: &Transition, u: &Transition) -> bool {
    let touches =
        |t: &Transition, v: &VariableId| t.reads.contains_key(v) || t.writes.contains_key(v);
    let shares = |a: &Transition, b: &Transition| {
        a.writes.keys().any(|v| net.system.is_opaque(*v) && touches(b, v))
    };
    shares(t, u) || shares(u, t)
}
