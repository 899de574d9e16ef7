//! The conversations, each with its variants.

/// Between single processes and the members of sets. Those of every day are there twice.
pub(super) const CONVERSATIONS: [&[&str]; 14] = [
    PING, BROADCAST, GATHER, GATHER, ONE_BY_ONE, FIRST_COME, FIRST_COME, LOCK, FORK, VOTE,
    INTRODUCE, COUNTED, QUEUE, LOCAL,
];

/// Servers: processes that wait for orders, and those who give them.
pub(super) const SERVICES: [&[&str]; 2] = [ORDERS, WORKERS];

/// Conversations at which a careless rule goes wrong: constants that change from round to round,
/// members that write to each other, arms that move different members on, orders of loops that seem
/// to be related. Some are right, most are wrong for two members and right for one.
pub(super) const TRAPS: [&[&str]; 8] =
    [CHANGING, PEERS, MIXED, ORDER, SOMETIMES, POSTPONED, FLAG, TURNS];

/// One message there, perhaps one back.
const PING: &[&str] = &[
    "msg A = (int)
     P: send A1(#) to O;
     O: A1(v) := recv A [/from P];
     keep O v",
    "msg A = (int)
     msg B = (int, pid)
     P: send A1(@) to O; B1(u, x) := recv B;
     O: A1(v) := recv A [/from P]; [/assert v == @;] send B1(v + 1, self) to P;
     40% P: assert x == O;
     keep O v
     keep P u",
];

/// One process writes to all members.
const BROADCAST: &[&str] = &["msg A = (int)
     P: for x in Q { send A1(#) to x; }
     W: A1(v) := recv A [/from P];
     keep W v"];

/// One process hears of all members, in any order or by name.
const GATHER: &[&str] = &[
    "msg A = (Q, int)
     W: send A1(self, #) to P;
     P: for x in Q { A1(i, v) := recv A [/from Q]; [////assert i != x;] }",
    "msg A = (Q, int)
     W: send A1(self, #) to P;
     P: for x in Q { A1(i, v) := recv A from x; [////assert i == x;] }",
    "msg A = (Q, int)
     W: send A1(self, #) to P;
     P: n := 0; for x in Q { A1(i, v) := recv A [/from Q/from x]; n := n + v; }
     keep P n",
];

/// Question and answer with each member in turn, in one loop or in two.
const ONE_BY_ONE: &[&str] = &[
    "msg A = (pid)
     msg B = (int)
     W: A1(m) := recv A; send B1(#) to m;
     P: for x in Q { send A1(P) to x; B1(v) := recv B from x; }",
    "msg A = (pid)
     msg B = (int)
     W: A1(m) := recv A; send B1(#) to m;
     P: for x in Q { send A1(P) to x; } for x in Q { B1(v) := recv B [/from Q]; }",
];

/// Members come in any order and are answered; perhaps they also write to somebody else.
const FIRST_COME: &[&str] = &[
    "msg A = (Q)
     msg B = (int)
     W: send A1(self) to P; B1(v) := recv B;
     P: for x in Q { A1(i) := recv A; send B1(#) to i; }
     keep W v",
    "msg A = (Q)
     msg B = (int)
     msg C = (int)
     W: [send A1(self) to P; send C1(@) to O; B1(v) := recv B;/send A1(self) to P; B1(v) := recv B; send C1(@) to O;]
     O: for y in Q { C1(n) := recv C; }
     P: for x in Q { A1(i) := recv A; send B1(#) to i; }
     keep W v",
];

/// A lock is asked for, given, used and given back.
const LOCK: &[&str] = &["msg A = (Q)
     msg B = ()
     msg C = (int)
     W: send A1(self) to P; recv B from P; send C1(#) to P;
     P: for x in Q { A1(i) := recv A; send B1 to i; C1(v) := recv C from i; }"];

/// One process decides, the other follows.
const FORK: &[&str] = &["msg A = (int) | ()
     msg B = (int)
     P: if ? { send A1(@) to O; B1(u) := recv B; } else { send A2 to O; }
     O: m := recv A from P; match m { A1(v) => { send B1(v) to P; [//assert v == @;] } A2 => { skip; } }"];

/// All members vote, and hear what was decided.
const VOTE: &[&str] = &["msg A = () | ()
     msg B = () | ()
     W: if ? { m := A1; } else { m := A2; } send m to P;
     P: o := true; for x in Q { v := recv A; if v == A2 { o := false; } }
     P: [for x in Q { if o { send B1 to x; } else { send B2 to x; } }/if o { for x in Q { send B1 to x; } } else { for x in Q { send B2 to x; } }]
     W: d := recv B; [/assert d == B2 || m == A1;]"];

/// All members hear of a third process and write to it.
const INTRODUCE: &[&str] = &["msg A = (pid)
     msg B = (int)
     P: for x in Q { send A1(O) to x; }
     W: A1(m) := recv A from P; send B1(#) to m;
     O: for y in Q { B1(v) := recv B; }"];

/// Two loops over one index set, side by side; sometimes nested.
const COUNTED: &[&str] = &[
    "msg A = (int)
     P: for i in I { send A1(i) to O; }
     O: for i in I { A1(v) := recv A from P; [/assert v == i;] }",
    "msg A = (int)
     msg B = ()
     P: for i in I { send A1(i) to O; recv B; }
     O: for i in I { A1(v) := recv A from P; [/assert v == i;] send B1 to P; }",
    "msg A = (int)
     P: for j in J { for i in I { send A1(i) to O; } }
     O: for j in J { for i in I { A1(v) := recv A from P; } }",
];

/// A queue of pieces of work, and workers that come back for more.
const QUEUE: &[&str] = &[
    "some W
     msg A = (Q)
     msg B = (int) | ()
     P: for i in I { A1(k) := recv A; send B1(i) to k; } for x in Q { A1(k) := recv A; send B2 to k; }
     W: loop { send A1(self) to P; a := recv B; match a { B1(j) => { skip; } B2 => { break; } } }",
    "some W
     msg A = (Q)
     msg B = (int) | ()
     msg C = (int)
     P: for i in I { A1(k) := recv A; send B1(i) to k; } for x in Q { A1(k) := recv A; send B2 to k; }
     O: for i in I { C1(r) := recv C; }
     W: loop { send A1(self) to P; a := recv B; match a { B1(j) => { send C1(j) to O; } B2 => { break; } } }",
];

/// Something that concerns one process only.
const LOCAL: &[&str] = &[
    "P: n := @; [assert n < 3;/if ? { n := n + 1; }/for i in I { n := n + i; }/while n < 3 { n := n + 1; }]
     keep P n",
    "W: n := @; [assert n < 3;/if ? { n := n + 1; }/for i in I { n := n + i; }/while n < 3 { n := n + 1; }]
     keep W n",
];

/// A server with state; every client gives one order.
const ORDERS: &[&str] = &[
    "msg A = (Q, int) | (Q)
     msg B = (int)
     S: n := 0; loop { m := recv A [/from Q]; match m { A1(i, v) => { n := v; } A2(i) => { send B1(n) to i; } } }
     W: if ? { o := A1(self, @); } else { o := A2(self); } send o to S;
     W: match o { A1(_, _) => { skip; } A2(_) => { B1(u) := recv B; } }",
    "msg A = (Q, int) | (Q)
     msg B = (int)
     msg C = (int)
     S: n := 0; loop { m := recv A [/from Q]; match m { A1(i, v) => { n := v; } A2(i) => { send B1(n) to i; C1(x) := recv C from i; } } }
     W: if ? { o := A1(self, @); } else { o := A2(self); } send o to S;
     W: match o { A1(_, _) => { skip; } A2(_) => { B1(u) := recv B; send C1(u + 1) to S; } }",
    "msg A = (Q, int) | (Q)
     msg B = (int)
     msg C = ()
     S: n := 0; loop { m := recv A [/from Q]; match m { A1(i, v) => { n := v; send C1 to i; } A2(i) => { send B1(n) to i; } } }
     W: if ? { o := A1(self, @); } else { o := A2(self); } send o to S;
     W: match o { A1(_, _) => { recv C from S; } A2(_) => { B1(u) := recv B; } }",
    "msg A = (Q, int) | (Q)
     msg B = (int)
     msg C = (pid, int)
     msg D = ()
     R: loop { C1(k, y) := recv C; send D1 to k; }
     S: n := 0; loop { m := recv A; match m { A1(i, v) => { n := v; send C1(self, v) to R; recv D from R; } A2(i) => { send B1(n) to i; } } }
     W: if ? { o := A1(self, @); } else { o := A2(self); } send o to S;
     W: match o { A1(_, _) => { skip; } A2(_) => { B1(u) := recv B; } }",
];

/// A set of workers that wait for jobs; a process picks one of them, again and again, or goes
/// through all.
const WORKERS: &[&str] = &[
    "msg A = (int)
     msg B = (int)
     V: loop { A1(v) := recv A from P; send B1(v + 1) to P; }
     P: for k in U { send A1(#) to k; B1(u) := recv B from k; }",
    "some V
     msg A = (int)
     msg B = (int)
     V: loop { A1(v) := recv A from P; send B1(v + 1) to P; }
     P: [k := choose(U); send A1(#) to k; B1(u) := recv B from k;/for i in I { k := choose(U); send A1(#) to k; B1(u) := recv B from k; }]",
    "some V
     msg A = (int)
     V: loop { A1(v) := recv A from P; }
     P: [k := choose(U); send A1(#) to k;/for i in I { k := choose(U); send A1(#) to k; }/for k in U { send A1(#) to k; }]",
];

/// What is sent depends on what happened in earlier rounds.
const CHANGING: &[&str] = &["msg A = (int) | (int)
     P: n := 0; for x in Q { [send A1(n) to x;/if n == 0 { send A1(n) to x; } else { send A2(n) to x; }] n := [0/1]; }
     W: [A1(v) := recv A;/A1(v) := recv A; assert v == 0;/m := recv A;/m := recv A;]
     keep P n"];

/// Members hear of one of them, and write to it.
const PEERS: &[&str] = &[
    "some W
     msg A = (Q)
     msg B = (int)
     P: r := choose(Q); for x in Q { send A1(r) to x; send B1(1) to x; }
     W: A1(i) := recv A; send B1(2) to i; B1(v) := recv B; assert v == 1;",
    "some W
     msg A = (Q)
     msg B = (int)
     P: r := choose(Q); for x in Q { send A1(r) to x; }
     W: A1(i) := recv A; if i == self { skip; } else { [skip;/skip;/B1(v) := recv B from i;] }",
];

/// One arm serves whoever comes, the other whom the loop names.
const MIXED: &[&str] = &["msg A = (Q)
     msg B = ()
     P: for x in Q { if ? { [A1(i) := recv A from Q; send B1 to i;/send B1 to x; A1(i) := recv A from x;] } else { [A1(i) := recv A from Q; send B1 to i;/send B1 to x; A1(i) := recv A from x;] } }
     W: send A1(self) to P; recv B from P;"];

/// Two loops whose orders have nothing to do with each other.
const ORDER: &[&str] = &["msg A = (int)
     msg B = (int, Q)
     P: k := 0; for x in Q { send A1(k) to x; k := k + 1; }
     W: A1(v) := recv A; send B1(v, self) to O;
     O: n := 0; for x in Q { B1(f, i) := recv B from [x/Q]; [assert f == n;/assert n != 0 || f == 0;/assert i == x;/skip;] n := n + 1; }
     keep O n"];

/// A member may or may not write; the other side may or may not know.
const SOMETIMES: &[&str] = &["msg A = (int) | ()
     W: if ? { send A1(1) to P; } else { [skip;/send A2 to P;/send A2 to P;] }
     P: for x in Q { m := recv A [from x/from x/]; match m { A1(v) => { assert v == 1; } A2 => { skip; } } }"];

/// Members write to two processes, which listen in an order of their own and then talk to each
/// other.
const POSTPONED: &[&str] = &["msg A = (int)
     msg B = (int)
     msg C = (int)
     W: send A1(#) to P; send B1(#) to O;
     P: [for x in Q { A1(v) := recv A; } send C1(@) to O;/send C1(@) to O; for x in Q { A1(v) := recv A; }]
     O: [for x in Q { B1(u) := recv B; } C1(n) := recv C from P;/C1(n) := recv C from P; for x in Q { B1(u) := recv B; }]
     keep O n"];

/// A flag that is set in a loop decides what happens after it.
const FLAG: &[&str] = &["msg A = () | ()
     msg B = (bool)
     W: if ? { c := A1; } else { c := A2; } send c to P; B1(d) := recv B;
     W: [assert !d || c == A1;/assert d || c == A2;/assert d == (c == A1);]
     P: f := true; for x in Q { m := recv A; f := [/f && /f || ]m == A1; } for x in Q { send B1(f) to x; }"];

/// Members are served again and again, as often as there are indices.
const TURNS: &[&str] = &["80% some V
     msg A = (U)
     msg B = (int)
     V: n := 0; loop { send A1(self) to P; B1(v) := recv B from P; n := n + 1; assert n <= [1/2/3]; }
     P: for i in [I/U] { A1(k) := recv A; send B1(1) to k; }"];
