//! Evidence about place/transition nets.

use ser_base::Limits;
use ser_petri::{PetriNet, Query, ReachabilitySystem, read_net, read_query};
use ser_reachability_checker::{NetAccepted, NetEvidence, Reason, check_net};
use ser_serializability_checker::{Proof, Verdict};
use ser_serializability_search::{Options, certify, decide};

/// A token goes round, and is never in two places.
const RING: &str = "pl a (1)\ntr go a -> b\ntr back b -> a\n";

fn net(text: &str) -> PetriNet {
    read_net(text).expect("a net")
}

fn query(text: &str, net: &PetriNet) -> Query {
    read_query(text, net).expect("a query")
}

fn unreachable(text: &str, asked: &str) -> NetEvidence {
    let net = net(text);
    let reach = ReachabilitySystem::new(&net, &query(asked, &net)).expect("small");
    let options = Options::default();
    let (answer, _) = decide(reach.system(), &options, &Limits::default(), &|_| {});
    let certificate = certify(&answer, reach.system(), "ring.net", text.as_bytes());
    NetEvidence::System { certificate: certificate.expect("it is decided") }
}

fn check(evidence: &NetEvidence, text: &str, asked: &str) -> Result<NetAccepted, (String, Reason)> {
    let net = net(text);
    let limits = Limits::default();
    check_net(evidence, text.as_bytes(), &net, &query(asked, &net), &limits)
        .map_err(|rejection| (rejection.place, rejection.reason))
}

fn firing(names: &[&str]) -> NetEvidence {
    NetEvidence::Firing { transitions: names.iter().map(|name| (*name).to_owned()).collect() }
}

#[test]
fn a_system_that_is_serializable_is_evidence() {
    let asked = "a = 1 && b = 1";
    let evidence = unreachable(RING, asked);
    let text = serde_json::to_string(&evidence).expect("plain data");
    let again: NetEvidence = serde_json::from_str(&text).expect("it was written like this");
    assert_eq!(again, evidence);
    assert!(matches!(check(&again, RING, asked), Ok(NetAccepted::Unreachable(_))));
    // Another query, another net, another source with the same net.
    let (place, _) = check(&evidence, RING, "b = 1").expect_err("that one can be reached");
    assert_eq!(place, "system.certificate");
    let more = RING.replace("(1)", "(2)");
    assert!(check(&evidence, &more, asked).is_err());
    let (_, reason) = check(&evidence, &format!("{RING}\n"), asked).expect_err("other bytes");
    assert!(reason.to_string().contains("another source"), "{reason}");
    // What is left out of the argument.
    let NetEvidence::System { mut certificate } = evidence else { panic!("a system") };
    if let Verdict::Serializable(Proof::Inclusion(inclusion)) = &mut certificate.verdict {
        inclusion.invariant.clear();
        inclusion.reductions.clear();
        assert!(check(&NetEvidence::System { certificate }, RING, asked).is_err());
    }
}

#[test]
fn a_certificate_of_a_run_is_not_evidence_that_there_is_none() {
    let evidence = unreachable(RING, "b = 1");
    let (place, reason) = check(&evidence, RING, "b = 1").expect_err("it can be reached");
    assert_eq!((place.as_str(), reason), ("system.certificate.verdict", Reason::OtherKind));
}

#[test]
fn firing_sequences_are_fired() {
    let accepted = check(&firing(&["go", "back", "go"]), RING, "b = 1").expect("it leads there");
    let NetAccepted::Reachable(witness) = accepted else { panic!("it is reachable") };
    assert_eq!(witness.marking, [0, 1]);
    for (names, place, reason) in [
        (&["go", "go"][..], "firing.transitions[1]", Reason::CannotFire("go".into())),
        (&["go", "away"], "firing.transitions[1]", Reason::NoTransition("away".into())),
        (&["go", "back"], "firing.transitions", Reason::NotTheTarget),
        (&[], "firing.transitions", Reason::NotTheTarget),
    ] {
        assert_eq!(check(&firing(names), RING, "b = 1"), Err((place.to_owned(), reason)));
    }
}
