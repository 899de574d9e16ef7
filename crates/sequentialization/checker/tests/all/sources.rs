//! Whom receives read from, and races.

use crate::common::protocol;
use ser_sequentialization_checker::sources::{Origin, Sources};
use ser_syntax::icet::ast::{ProcessId, SetId, StmtId};

/// Whom the receives of a protocol read from, in the order of the file.
fn origins(text: &str) -> Vec<Option<Origin>> {
    let protocol = protocol(text);
    let sources = Sources::new(&protocol);
    let origins = (0..protocol.statements).map(|it| sources.origin(StmtId(it)));
    origins.filter(Option::is_some).collect()
}

#[test]
fn one_process_may_send_at_many_places() {
    let text = "msg T = T(int); process p { send T(1) to q; send T(2) to q; } process q { recv T; recv T; }";
    assert_eq!(origins(text), [Some(Origin::Process(ProcessId(0))); 2]);
}

#[test]
fn a_set_may_send_at_one_place() {
    let text = "set Q; msg T = T; process s for q in Q { send T to p; } process p { for c in Q { recv T; } }";
    assert_eq!(origins(text), [Some(Origin::Members(SetId(0), StmtId(0)))]);
}

#[test]
fn a_source_that_is_written_leaves_no_choice() {
    let text = "msg T = T; process p { send T to r; } process q { send T to r; } \
        process r { recv T from p; recv T from q; }";
    assert_eq!(origins(text), [Some(Origin::Written); 2]);
}

#[test]
fn a_message_that_nobody_sends_never_comes() {
    let text = "msg T = T; msg U = U; process p { send T to q; } process q { recv T; recv U; }";
    assert_eq!(origins(text)[1], Some(Origin::Nobody));
}

#[test]
fn members_that_send_to_members_are_counted() {
    let text = "set Q; msg Peer = Peer(Q); msg X = X;
        process p { for c in Q { send Peer(c) to c; send X to c; } }
        process s for q in Q { Peer(r) := recv Peer; send X to r; recv X; }";
    let protocol = protocol(text);
    let sources = Sources::new(&protocol);
    let [race] = sources.races() else { panic!("one race, not {:?}", sources.races()) };
    let sends: Vec<_> = race.sends.iter().map(|tag| (tag.statement, tag.owner)).collect();
    assert_eq!(sends, [(StmtId(2), ProcessId(0)), (StmtId(4), ProcessId(1))]);
    assert_eq!(race.conflict, (StmtId(2), StmtId(4)));
    assert_eq!((race.receive, race.owner), (StmtId(5), ProcessId(1)));
}

#[test]
fn an_address_that_may_be_anybodys_reaches_everybody() {
    let text = "msg A = A(pid); msg T = T;
        process p { send A(r) to q; send T to r; }
        process q { A(x) := recv A; send T to x; }
        process r { recv T; recv T; }";
    assert_eq!(Sources::new(&protocol(text)).races().len(), 2);
    let text = text.replace("send T to r; }", "}").replace("recv T; recv T;", "recv T;");
    assert!(Sources::new(&protocol(&text)).races().is_empty());
}
