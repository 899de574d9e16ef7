//! Protocols that are known to be right, or wrong in one way.
//!
//! They come in pairs that differ in little, as those of [`SOURCES`](super::SOURCES) do. Do not change them: the corpus has
//! certificates for them.

/// An `.icet` file, and what is true of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProtocolSource {
    /// The text.
    pub text: &'static str,
    /// Whether somebody who is no server may wait for ever.
    pub waits: bool,
    /// The statements that may fail, by number.
    pub fails: &'static [u32],
    /// Whether there may be a message that is never received.
    pub superfluous: bool,
}

const fn right(text: &'static str) -> ProtocolSource {
    ProtocolSource { text, waits: false, fails: &[], superfluous: false }
}

const fn waits(text: &'static str) -> ProtocolSource {
    ProtocolSource { waits: true, ..right(text) }
}

const fn fails(text: &'static str, fails: &'static [u32]) -> ProtocolSource {
    ProtocolSource { fails, ..right(text) }
}

const fn superfluous(text: &'static str) -> ProtocolSource {
    ProtocolSource { superfluous: true, ..right(text) }
}

/// All of them.
pub const PROTOCOL_SOURCES: [ProtocolSource; 12] = [
    // An answer, and one that may not come.
    right(
        "msg Ping = Ping; msg Pong = Pong;
         proc p { send Ping to q; w <- recv Pong; }
         proc q { v <- recv Ping; if * { skip; } else { skip; } send Pong to p; }",
    ),
    waits(
        "msg Ping = Ping; msg Pong = Pong;
         proc p { send Ping to q; w <- recv Pong; }
         proc q { v <- recv Ping; if * { skip; } else { send Pong to p; } }",
    ),
    // As many answers as members, and one more.
    right(
        "procs Q; msg Ping = Ping; msg Pong = Pong;
         proc p { for x in Q { send Ping to x; } for y in Q { w <- recv Pong; } }
         proc sv for q in Q { v <- recv Ping; send Pong to p; }",
    ),
    waits(
        "procs Q; msg Ping = Ping; msg Pong = Pong;
         proc p { for x in Q { send Ping to x; } for y in Q { w <- recv Pong; } w <- recv Pong; }
         proc sv for q in Q { v <- recv Ping; send Pong to p; }",
    ),
    // Whoever says his name hears of it once, or twice.
    right(
        "procs Q; msg Id = Id(pid in Q); msg Ping = Ping;
         proc p { for x in Q { Id(id) <- recv Id; send Ping to id; } }
         proc sv for q in Q { send Id(q) to p; v <- recv Ping; }",
    ),
    superfluous(
        "procs Q; msg Id = Id(pid in Q); msg Ping = Ping;
         proc p { for x in Q { Id(id) <- recv Id; send Ping to id; send Ping to id; } }
         proc sv for q in Q { send Id(q) to p; v <- recv Ping; }",
    ),
    // A commit that counts the votes, and one that does not.
    right(
        "procs A; msg Prep = Prep; msg Vote = Yes | No; msg Dec = Commit | Abort;
         proc coord { for a in A { send Prep to a; } ok := true;
             for b in A { v <- recv Vote; if v == No { ok := false; } }
             if ok { for c in A { send Commit to c; } } else { for d in A { send Abort to d; } } }
         proc acc for a in A { _ <- recv Prep; if * { v := Yes; } else { v := No; } send v to coord;
             d <- recv Dec; assert d == Abort || v == Yes; }",
    ),
    fails(
        "procs A; msg Prep = Prep; msg Vote = Yes | No; msg Dec = Commit | Abort;
         proc coord { for a in A { send Prep to a; } ok := true;
             for b in A { v <- recv Vote; if v == Yes { ok := true; } }
             if ok { for c in A { send Commit to c; } } else { for d in A { send Abort to d; } } }
         proc acc for a in A { _ <- recv Prep; if * { v := Yes; } else { v := No; } send v to coord;
             d <- recv Dec; assert d == Abort || v == Yes; }",
        &[18],
    ),
    // Work that ends, and work whose end nobody tells.
    right(
        "procs M >= 1; index K; msg Req = Req(pid in M); msg Work = Job(int) | Term; msg Res = Res(int);
         proc queue { for i in K { Req(x) <- recv Req; send Job(i) to x; }
             for y in M { Req(z) <- recv Req; send Term to z; } }
         proc master { for i in K { Res(r) <- recv Res; } }
         proc mapper for w in M { loop { send Req(w) to queue; a <- recv Work;
             match a { Job(i) => { send Res(i) to master; } Term => { break; } } } }",
    ),
    waits(
        "procs M >= 1; index K; msg Req = Req(pid in M); msg Work = Job(int) | Term; msg Res = Res(int);
         proc queue { for i in K { Req(x) <- recv Req; send Job(i) to x; }
             for y in M { Req(z) <- recv Req; } }
         proc master { for i in K { Res(r) <- recv Res; } }
         proc mapper for w in M { loop { send Req(w) to queue; a <- recv Work;
             match a { Job(i) => { send Res(i) to master; } Term => { break; } } } }",
    ),
    // A message has the value of when it was sent.
    right(
        "msg T = T(int); proc p { x := 1; send T(x) to q; x := 2; }
         proc q { T(y) <- recv T; assert y == 1; }",
    ),
    fails(
        "msg T = T(int); proc p { x := 1; send T(x) to q; x := 2; }
         proc q { T(y) <- recv T; assert y == 2; }",
        &[4],
    ),
];
