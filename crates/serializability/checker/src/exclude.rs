//! `exclude`: drop what cannot happen, given which places are occupied together.
//!
//! *Theorem.* The runs stay the same. *Proof.* A transition that is dropped starts in a global
//! state that no run reaches, or takes a request from a place where no run has one in that global
//! state (see `may_happen_in_parallel`). ∎
//!
//! Sharper than the forward half of `slice`: the request that a transition moves is not left
//! behind, and whoever is never in flight beside it is not carried on.

use crate::Reason;
use crate::may_happen_in_parallel::MayHappenInParallel;
use crate::meter::Meter;
use crate::net::Net;
use crate::slice::keep;

/// Drops what cannot happen.
pub(crate) fn exclude(net: &Net, meter: &mut Meter<'_>) -> Result<Net, Reason> {
    let parallel = MayHappenInParallel::new(net, meter)?;
    Ok(keep(net, |t| match t.take {
        None => parallel.reached(t.before),
        Some(place) => parallel.single(t.before, place),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::tests::leaves;

    #[test]
    fn only_what_cannot_happen_is_dropped() {
        // (transitions, what is left)
        let table: [(&str, &[&str]); 4] = [
            // The request that leaves `m` is not left behind: nobody is in `m` at 0.
            (
                r#"["s", "0", "m", "1"], ["m", "1", "d", "0"], ["m", "0", "d", "1"]"#,
                &["0 -> 1 + q@m", "1 + q@m -> 0 + q/ok"],
            ),
            // Another may have stayed in `m`.
            (
                r#"["s", "0", "m", "1"], ["s", "1", "m", "1"], ["m", "1", "d", "0"], ["m", "0", "d", "1"]"#,
                &["0 + q@m -> 1 + q/ok", "0 -> 1 + q@m", "1 + q@m -> 0 + q/ok", "1 -> 1 + q@m"],
            ),
            // Nobody is in `m` while another is in `n`, so nobody is in `m` at 2.
            (
                r#"["s", "0", "m", "1"], ["m", "1", "n", "1"], ["n", "1", "d", "2"], ["m", "2", "d", "0"]"#,
                &["0 -> 1 + q@m", "1 + q@m -> 1 + q@n", "1 + q@n -> 2 + q/ok"],
            ),
            // Global state 2 is not reached.
            (
                r#"["s", "0", "d", "1"], ["s", "2", "m", "2"], ["m", "2", "d", "2"]"#,
                &["0 -> 1 + q/ok"],
            ),
        ];
        leaves(&table, exclude);
    }
}
