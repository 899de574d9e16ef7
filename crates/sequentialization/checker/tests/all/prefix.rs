//! Derivations that have not come to their end.

use crate::common::*;
use ser_base::Limits;
use ser_sequentialization_checker::{InFlight, Left, replay_prefix};
use ser_syntax::icet::ast::{MessageId, ProcessId, SetId, StmtId};

#[test]
fn a_prefix_tells_what_is_left_and_what_is_in_flight() {
    let known = known::ex1();
    let prefix =
        replay_prefix(&protocol(known.text), &known.steps[..1], &Limits::default()).unwrap();
    assert_eq!(prefix.sequential.len(), 1);
    assert_eq!(prefix.slots[0], (p(0), vec![Left::Statement(StmtId(1))]));
    let left = vec![Left::Statement(StmtId(2)), Left::Statement(StmtId(3))];
    assert_eq!(prefix.slots[1], (p(1), left));
    let (tag, from, to, message) = (StmtId(0), ProcessId(0), p(1), MessageId(0));
    assert_eq!(prefix.in_flight, [InFlight { tag, from, to, message, count: None }]);
}

#[test]
fn a_prefix_shows_postponed_sends_and_bags() {
    let known = known::ex3();
    let prefix =
        replay_prefix(&protocol(known.text), &known.steps[..1], &Limits::default()).unwrap();
    assert_eq!(prefix.sets, [(SetId(0), vec![Left::Postponed(StmtId(5))])]);
    let known = known::map_reduce();
    let prefix =
        replay_prefix(&protocol(known.text), &known.steps[..1], &Limits::default()).unwrap();
    let [bag] = prefix.in_flight.as_slice() else { panic!("{:?}", prefix.in_flight) };
    assert_eq!((bag.from, bag.to, bag.count), (ProcessId(2), p(1), Some(SetId(1))));
}

#[test]
fn a_prefix_is_refused_like_a_derivation() {
    let known = known::ex1();
    let rejection =
        replay_prefix(&protocol(known.text), &run(p(1), 1), &Limits::default()).unwrap_err();
    assert_eq!(rejection.to_string(), "step 0, process q: no message is there for its receive");
}
