//! Conversations between single processes and the members of sets.

use super::world::{World, block, plain, recv, send};
use crate::chance;
use fastrand::Rng;

/// Adds one conversation.
pub(super) fn add(world: &mut World, rng: &mut Rng) {
    match rng.usize(..14) {
        0 => ping(world, rng),
        1 => broadcast(world, rng),
        2 | 3 => gather(world, rng),
        4 => one_by_one(world, rng),
        5 | 6 => first_come(world, rng),
        7 => lock(world, rng),
        8 => fork(world, rng),
        9 => vote(world, rng),
        10 => introduce(world, rng),
        11 => counted(world, rng),
        12 => queue(world, rng),
        _ => local(world, rng),
    }
}

/// One message there, perhaps one back.
fn ping(world: &mut World, rng: &mut Rng) {
    let a = world.some_single(rng, None);
    let b = world.some_single(rng, Some(a));
    let (an, bn) = (world.procs[a].name.clone(), world.procs[b].name.clone());
    let (ty, names) = world.message(&["(int)"]);
    let number = world.number(a, rng);
    world.push(a, send(format!("{}({number})", names[0]), &bn));
    let v = world.name("v");
    let from = if chance(rng, 50) { String::new() } else { format!("from {an}") };
    world.push(b, recv(format!("{}({v})", names[0]), &ty, from));
    if number.parse::<i64>().is_ok() && chance(rng, 50) {
        world.push(b, plain(format!("assert {v} == {number}")));
    }
    world.procs[b].numbers.push(v.clone());
    if chance(rng, 50) {
        let (ty, names) = world.message(&["(int, pid)"]);
        world.push(b, send(format!("{}({v} + 1, self)", names[0]), &an));
        let (w, x) = (world.name("v"), world.name("x"));
        world.push(a, recv(format!("{}({w}, {x})", names[0]), &ty, ""));
        if chance(rng, 40) {
            world.push(a, plain(format!("assert {x} == {bn}")));
        }
        world.procs[a].numbers.push(w);
    }
}

/// One process writes to all members.
fn broadcast(world: &mut World, rng: &mut Rng) {
    let p = world.some_single(rng, None);
    let w = world.some_members(rng);
    let (pn, set) = (world.procs[p].name.clone(), world.set_of(w));
    let (ty, names) = world.message(&["(int)"]);
    let number = world.number(p, rng);
    let x = world.name("x");
    world.push(
        p,
        block(format!("for {x} in {set}"), vec![send(format!("{}({number})", names[0]), &x)]),
    );
    let v = world.name("v");
    let from = if chance(rng, 50) { String::new() } else { format!("from {pn}") };
    world.push(w, recv(format!("{}({v})", names[0]), &ty, from));
    world.procs[w].numbers.push(v);
}

/// One process hears of all members, in any order or by name.
fn gather(world: &mut World, rng: &mut Rng) {
    let p = world.some_single(rng, None);
    let w = world.some_members(rng);
    let (pn, set) = (world.procs[p].name.clone(), world.set_of(w));
    let (ty, names) = world.message(&[&format!("(pid in {set}, int)")]);
    let number = world.number(w, rng);
    world.push(w, send(format!("{}(self, {number})", names[0]), &pn));
    let (x, id, v) = (world.name("x"), world.name("id"), world.name("v"));
    let from = match rng.usize(..3) {
        0 => String::new(),
        1 => format!("from {set}"),
        _ => format!("from {x}"),
    };
    let named = from.ends_with(&x);
    let mut body = vec![recv(format!("{}({id}, {v})", names[0]), &ty, from)];
    match rng.usize(..6) {
        0 => body.push(plain(format!("assert {id} {} {x}", if named { "==" } else { "!=" }))),
        1 => {
            let sum = world.name("n");
            world.push(p, plain(format!("{sum} := 0")));
            body.push(plain(format!("{sum} := {sum} + {v}")));
            world.procs[p].numbers.push(sum);
        }
        _ => {}
    }
    world.push(p, block(format!("for {x} in {set}"), body));
}

/// Question and answer with each member in turn, in one loop or in two.
fn one_by_one(world: &mut World, rng: &mut Rng) {
    let p = world.some_single(rng, None);
    let w = world.some_members(rng);
    let (pn, set) = (world.procs[p].name.clone(), world.set_of(w));
    let (ask, asks) = world.message(&["(pid)"]);
    let (answer, answers) = world.message(&["(int)"]);
    let (x, v, m) = (world.name("x"), world.name("v"), world.name("m"));
    let question = send(format!("{}({pn})", asks[0]), &x);
    let number = world.number(w, rng);
    world.push(w, recv(format!("{}({m})", asks[0]), &ask, ""));
    world.push(w, send(format!("{}({number})", answers[0]), &m));
    let hear = |from: String| recv(format!("{}({v})", answers[0]), &answer, from);
    if chance(rng, 50) {
        let body = vec![question, hear(format!("from {x}"))];
        world.push(p, block(format!("for {x} in {set}"), body));
    } else {
        world.push(p, block(format!("for {x} in {set}"), vec![question]));
        let from = if chance(rng, 50) { String::new() } else { format!("from {set}") };
        world.push(p, block(format!("for {x} in {set}"), vec![hear(from)]));
    }
}

/// Members come in any order and are answered; perhaps they also write to somebody else.
fn first_come(world: &mut World, rng: &mut Rng) {
    let p = world.some_single(rng, None);
    let w = world.some_members(rng);
    let (pn, set) = (world.procs[p].name.clone(), world.set_of(w));
    let (ask, asks) = world.message(&[&format!("(pid in {set})")]);
    let (answer, answers) = world.message(&["(int)"]);
    let (x, id, v) = (world.name("x"), world.name("id"), world.name("v"));
    world.push(w, send(format!("{}(self)", asks[0]), &pn));
    let other = chance(rng, 40).then(|| world.some_single(rng, Some(p)));
    let before = chance(rng, 50);
    if let Some(other) = other {
        let on = world.procs[other].name.clone();
        let (note, notes) = world.message(&["(int)"]);
        let payload = send(format!("{}({})", notes[0], rng.usize(..3)), &on);
        if before {
            world.push(w, payload.clone());
        }
        world.push(w, recv(format!("{}({v})", answers[0]), &answer, ""));
        if !before {
            world.push(w, payload);
        }
        let (y, n) = (world.name("y"), world.name("v"));
        let hear = recv(format!("{}({n})", notes[0]), &note, "");
        world.push(other, block(format!("for {y} in {set}"), vec![hear]));
        // The other process must not be waited for by `p` before: it comes after it in every order.
    } else {
        world.push(w, recv(format!("{}({v})", answers[0]), &answer, ""));
    }
    world.procs[w].numbers.push(v);
    let number = world.number(p, rng);
    let body = vec![
        recv(format!("{}({id})", asks[0]), &ask, ""),
        send(format!("{}({number})", answers[0]), &id),
    ];
    world.push(p, block(format!("for {x} in {set}"), body));
}

/// A lock is asked for, given, used and given back.
fn lock(world: &mut World, rng: &mut Rng) {
    let p = world.some_single(rng, None);
    let w = world.some_members(rng);
    let (pn, set) = (world.procs[p].name.clone(), world.set_of(w));
    let (ask, asks) = world.message(&[&format!("(pid in {set})")]);
    let (grant, grants) = world.message(&[""]);
    let (back, backs) = world.message(&["(int)"]);
    let (x, id, v) = (world.name("x"), world.name("id"), world.name("v"));
    let number = world.number(w, rng);
    world.push(w, send(format!("{}(self)", asks[0]), &pn));
    world.push(w, recv("_", &grant, format!("from {pn}")));
    world.push(w, send(format!("{}({number})", backs[0]), &pn));
    let body = vec![
        recv(format!("{}({id})", asks[0]), &ask, ""),
        send(&grants[0], &id),
        recv(format!("{}({v})", backs[0]), &back, format!("from {id}")),
    ];
    world.push(p, block(format!("for {x} in {set}"), body));
}

/// One process decides, the other follows.
fn fork(world: &mut World, rng: &mut Rng) {
    let a = world.some_single(rng, None);
    let b = world.some_single(rng, Some(a));
    let (an, bn) = (world.procs[a].name.clone(), world.procs[b].name.clone());
    let (ty, names) = world.message(&["(int)", ""]);
    let (answer, answers) = world.message(&["(int)"]);
    let (m, v, u) = (world.name("m"), world.name("v"), world.name("v"));
    let hear = recv(format!("{}({u})", answers[0]), &answer, "");
    let reply = send(format!("{}({v})", answers[0]), &an);
    let number = rng.usize(..3);
    world.push(a, block("if *", vec![send(format!("{}({number})", names[0]), &bn), hear]));
    world.push(a, block("else", vec![send(&names[1], &bn)]));
    world.push(b, recv(&m, &ty, format!("from {an}")));
    let mut first = vec![reply];
    if chance(rng, 30) {
        first.push(plain(format!("assert {v} == {number}")));
    }
    let arms = vec![
        block(format!("{}({v}) =>", names[0]), first),
        block(format!("{} =>", names[1]), vec![plain("skip")]),
    ];
    world.push(b, block(format!("match {m}"), arms));
}

/// All members vote, and hear what was decided.
fn vote(world: &mut World, rng: &mut Rng) {
    let p = world.some_single(rng, None);
    let w = world.some_members(rng);
    let (pn, set) = (world.procs[p].name.clone(), world.set_of(w));
    let (ty, votes) = world.message(&["", ""]);
    let (decision, decisions) = world.message(&["", ""]);
    let (mine, x, v, ok, d) =
        (world.name("m"), world.name("x"), world.name("m"), world.name("ok"), world.name("m"));
    world.push(w, block("if *", vec![plain(format!("{mine} := {}", votes[0]))]));
    world.push(w, block("else", vec![plain(format!("{mine} := {}", votes[1]))]));
    world.push(w, send(&mine, &pn));
    world.push(p, plain(format!("{ok} := true")));
    let no = block(format!("if {v} == {}", votes[1]), vec![plain(format!("{ok} := false"))]);
    world.push(p, block(format!("for {x} in {set}"), vec![recv(&v, &ty, ""), no]));
    let tell = |what: &str| block(format!("for {x} in {set}"), vec![send(what, &x)]);
    if chance(rng, 50) {
        let body = vec![
            block(format!("if {ok}"), vec![send(&decisions[0], &x)]),
            block("else", vec![send(&decisions[1], &x)]),
        ];
        world.push(p, block(format!("for {x} in {set}"), body));
    } else {
        world.push(p, block(format!("if {ok}"), vec![tell(&decisions[0])]));
        world.push(p, block("else", vec![tell(&decisions[1])]));
    }
    world.push(w, recv(&d, &decision, ""));
    if chance(rng, 50) {
        let text = format!("assert {d} == {} || {mine} == {}", decisions[1], votes[0]);
        world.push(w, plain(text));
    }
}

/// All members hear of a third process and write to it.
fn introduce(world: &mut World, rng: &mut Rng) {
    let p = world.some_single(rng, None);
    let other = world.some_single(rng, Some(p));
    let w = world.some_members(rng);
    let (pn, on, set) =
        (world.procs[p].name.clone(), world.procs[other].name.clone(), world.set_of(w));
    let (tell, tells) = world.message(&["(pid)"]);
    let (ty, names) = world.message(&["(int)"]);
    let (x, y, m, v) = (world.name("x"), world.name("y"), world.name("m"), world.name("v"));
    let body = vec![send(format!("{}({on})", tells[0]), &x)];
    world.push(p, block(format!("for {x} in {set}"), body));
    let number = world.number(w, rng);
    world.push(w, recv(format!("{}({m})", tells[0]), &tell, format!("from {pn}")));
    world.push(w, send(format!("{}({number})", names[0]), &m));
    let hear = recv(format!("{}({v})", names[0]), &ty, "");
    world.push(other, block(format!("for {y} in {set}"), vec![hear]));
}

/// Two loops over one index set, side by side; sometimes nested.
fn counted(world: &mut World, rng: &mut Rng) {
    let a = world.some_single(rng, None);
    let b = world.some_single(rng, Some(a));
    let (an, bn) = (world.procs[a].name.clone(), world.procs[b].name.clone());
    let set = world.indices(rng);
    let (ty, names) = world.message(&["(int)"]);
    let (i, v) = (world.name("i"), world.name("v"));
    let mut mine = vec![send(format!("{}({i})", names[0]), &bn)];
    let mut yours = vec![recv(format!("{}({v})", names[0]), &ty, format!("from {an}"))];
    if chance(rng, 40) {
        yours.push(plain(format!("assert {v} == {i}")));
    }
    if chance(rng, 40) {
        let (ty, names) = world.message(&[""]);
        yours.push(send(&names[0], &an));
        mine.push(recv("_", &ty, ""));
    }
    let (mut mine, mut yours) =
        (block(format!("for {i} in {set}"), mine), block(format!("for {i} in {set}"), yours));
    if chance(rng, 15) {
        let (other, j) = (world.indices(rng), world.name("i"));
        mine = block(format!("for {j} in {other}"), vec![mine]);
        yours = block(format!("for {j} in {other}"), vec![yours]);
    }
    world.push(a, mine);
    world.push(b, yours);
}

/// A queue of pieces of work, and workers that come back for more.
fn queue(world: &mut World, rng: &mut Rng) {
    let p = world.some_single(rng, None);
    let w = world.some_members(rng);
    let (pn, set, pieces) = (world.procs[p].name.clone(), world.set_of(w), world.indices(rng));
    world.not_empty(w);
    let (ask, asks) = world.message(&[&format!("(pid in {set})")]);
    let (work, works) = world.message(&["(int)", ""]);
    let (i, x, id, a, j) =
        (world.name("i"), world.name("x"), world.name("id"), world.name("m"), world.name("v"));
    let hear = recv(format!("{}({id})", asks[0]), &ask, "");
    let job = vec![hear.clone(), send(format!("{}({i})", works[0]), &id)];
    world.push(p, block(format!("for {i} in {pieces}"), job));
    world.push(p, block(format!("for {x} in {set}"), vec![hear, send(&works[1], &id)]));
    let mut done = vec![plain("skip")];
    if chance(rng, 50) {
        let master = world.some_single(rng, Some(p));
        let mn = world.procs[master].name.clone();
        let (ty, names) = world.message(&["(int)"]);
        let r = world.name("v");
        done = vec![send(format!("{}({j})", names[0]), &mn)];
        let hear = recv(format!("{}({r})", names[0]), &ty, "");
        world.push(master, block(format!("for {i} in {pieces}"), vec![hear]));
    }
    let arms = vec![
        block(format!("{}({j}) =>", works[0]), done),
        block(format!("{} =>", works[1]), vec![plain("break")]),
    ];
    let body = vec![
        send(format!("{}(self)", asks[0]), &pn),
        recv(&a, &work, ""),
        block(format!("match {a}"), arms),
    ];
    world.push(w, block("loop", body));
}

/// Something that concerns one process only.
fn local(world: &mut World, rng: &mut Rng) {
    let place =
        if chance(rng, 50) { world.some_single(rng, None) } else { world.some_members(rng) };
    let n = world.name("n");
    world.push(place, plain(format!("{n} := {}", rng.usize(..3))));
    match rng.usize(..4) {
        0 => world.push(place, plain(format!("assert {n} < 3"))),
        1 => world.push(place, block("if *", vec![plain(format!("{n} := {n} + 1"))])),
        2 => {
            let i = world.name("i");
            let set = world.indices(rng);
            world.push(
                place,
                block(format!("for {i} in {set}"), vec![plain(format!("{n} := {n} + {i}"))]),
            );
        }
        _ => world
            .push(place, block(format!("while {n} < 3"), vec![plain(format!("{n} := {n} + 1"))])),
    }
    world.procs[place].numbers.push(n);
}
