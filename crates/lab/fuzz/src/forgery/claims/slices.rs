//! Slices, held against the program that they are slices of.

use super::{Claim, Ground, WIDE};
use crate::forgery::net::{Letter, Net};
use crate::forgery::runs::outcomes;
use crate::forgery::subject::Subject;
use ser_model::NetworkSystem;
use ser_serializability_checker::SliceProof;
use std::collections::BTreeSet;

/// The outcomes of few requests by name, each sorted.
type Outcomes = BTreeSet<Vec<(String, String)>>;

/// Tries what is said about slices.
pub(in crate::forgery) fn try_slices(slices: &[SliceProof], subject: &Subject) -> Claim {
    let Some(whole) = named(&Net::of(&subject.whole), &subject.whole) else {
        return Claim::TooMuch;
    };
    let mut claim = Claim::Holds;
    for SliceProof { slice, proof } in slices {
        let Some((_, model)) = subject.slice(slice) else {
            return Claim::Fails(format!("there is no such slice: {slice:?}"));
        };
        let ground = Ground::new(model.system());
        let Some(found) = named(&ground.net, model.system()) else { return Claim::TooMuch };
        let is_in = |label: &String| {
            let handler = label.split('(').next().unwrap_or(label);
            slice.requests.iter().any(|request| request == handler)
        };
        let in_whole = |outcome: &&Vec<_>| outcome.iter().all(|(label, _)| is_in(label));
        let expected: Outcomes = whole.iter().filter(in_whole).cloned().collect();
        if found != expected {
            return Claim::Fails(format!("{slice:?} has {found:?} and should have {expected:?}"));
        }
        match ground.try_proof(proof) {
            Claim::Holds => {}
            Claim::TooMuch => claim = Claim::TooMuch,
            Claim::Fails(words) => return Claim::Fails(words),
        }
    }
    claim
}

fn named(net: &Net, system: &NetworkSystem) -> Option<Outcomes> {
    let name = |letter: &Letter| {
        (system.request_name(letter.0).to_owned(), system.response_name(letter.1).to_owned())
    };
    let all = outcomes(net, WIDE)?;
    let named = all.iter().map(|outcome| {
        let mut outcome: Vec<_> = outcome.iter().map(name).collect();
        outcome.sort();
        outcome
    });
    Some(named.collect())
}
