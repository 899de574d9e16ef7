//! Conversations at which a careless rule goes wrong: constants that change from round to round,
//! members that write to each other, arms that move different members on, orders of loops that seem
//! to be related. Some are right, most are wrong for two members and right for one.

use super::world::{Node, World, block, plain, recv, send};
use crate::chance;
use fastrand::Rng;

/// Adds one conversation.
pub(super) fn add(world: &mut World, rng: &mut Rng) {
    match rng.usize(..8) {
        0 => changing(world, rng),
        1 => peers(world, rng),
        2 => mixed(world, rng),
        3 => order(world, rng),
        4 => sometimes(world, rng),
        5 => postponed(world, rng),
        6 => flag(world, rng),
        _ => turns(world, rng),
    }
}

struct Pair {
    p: usize,
    w: usize,
    pn: String,
    set: String,
}

fn pair(world: &mut World, rng: &mut Rng) -> Pair {
    let p = world.some_single(rng, None);
    let w = world.some_members(rng);
    let (pn, set) = (world.procs[p].name.clone(), world.set_of(w));
    Pair { p, w, pn, set }
}

/// What is sent depends on what happened in earlier rounds.
fn changing(world: &mut World, rng: &mut Rng) {
    let Pair { p, w, set, .. } = pair(world, rng);
    let (ty, names) = world.message(&["(int)", "(int)"]);
    let (n, x, m, v) = (world.name("n"), world.name("x"), world.name("m"), world.name("v"));
    world.push(p, plain(format!("{n} := 0")));
    let first = chance(rng, 50);
    let mut body = vec![
        block(format!("if {n} == 0"), vec![send(format!("{}({n})", names[0]), &x)]),
        block("else", vec![send(format!("{}({n})", names[1]), &x)]),
        plain(format!("{n} := {}", rng.usize(..2))),
    ];
    if first {
        body.swap(1, 0);
        body = vec![send(format!("{}({n})", names[0]), &x), body.pop().unwrap_or(plain("skip"))];
    }
    world.push(p, block(format!("for {x} in {set}"), body));
    if chance(rng, 50) {
        world.push(w, recv(format!("{}({v})", names[0]), &ty, ""));
        if chance(rng, 50) {
            world.push(w, plain(format!("assert {v} == 0")));
        }
    } else {
        world.push(w, recv(&m, &ty, ""));
    }
    world.procs[p].numbers.push(n);
}

/// Members hear of one of them, and write to it.
fn peers(world: &mut World, rng: &mut Rng) {
    let Pair { p, w, set, .. } = pair(world, rng);
    world.not_empty(w);
    let (tell, tells) = world.message(&[&format!("(pid in {set})")]);
    let (ty, names) = world.message(&["(int)"]);
    let (r, x, i, v) = (world.name("r"), world.name("x"), world.name("id"), world.name("v"));
    world.push(p, plain(format!("{r} := pick {set}")));
    let both = chance(rng, 50);
    let mut body = vec![send(format!("{}({r})", tells[0]), &x)];
    if both {
        body.push(send(format!("{}(1)", names[0]), &x));
    }
    world.push(p, block(format!("for {x} in {set}"), body));
    world.push(w, recv(format!("{}({i})", tells[0]), &tell, ""));
    if both {
        world.push(w, send(format!("{}(2)", names[0]), &i));
        world.push(w, recv(format!("{}({v})", names[0]), &ty, ""));
        world.push(w, plain(format!("assert {v} == 1")));
    } else {
        let hear = vec![recv(format!("{}({v})", names[0]), &ty, format!("from {i}"))];
        world.push(w, block(format!("if {i} == self"), vec![plain("skip")]));
        world.push(w, block("else", if chance(rng, 30) { hear } else { vec![plain("skip")] }));
    }
}

/// One arm serves whoever comes, the other whom the loop names.
fn mixed(world: &mut World, rng: &mut Rng) {
    let Pair { p, w, pn, set } = pair(world, rng);
    let (ask, asks) = world.message(&[&format!("(pid in {set})")]);
    let (go, goes) = world.message(&[""]);
    let (x, i) = (world.name("x"), world.name("id"));
    let hear = |from: String| recv(format!("{}({i})", asks[0]), &ask, from);
    let come = vec![hear(format!("from {set}")), send(&goes[0], &i)];
    let named = vec![send(&goes[0], &x), hear(format!("from {x}"))];
    let (one, two) = match rng.usize(..3) {
        0 => (come.clone(), come),
        1 => (named.clone(), named),
        _ => (come, named),
    };
    let body = vec![block("if *", one), block("else", two)];
    world.push(p, block(format!("for {x} in {set}"), body));
    world.push(w, send(format!("{}(self)", asks[0]), &pn));
    world.push(w, recv("_", &go, format!("from {pn}")));
}

/// Two loops whose orders have nothing to do with each other.
fn order(world: &mut World, rng: &mut Rng) {
    let Pair { p, w, set, .. } = pair(world, rng);
    let other = world.some_single(rng, Some(p));
    let on = world.procs[other].name.clone();
    let (tell, tells) = world.message(&["(int)"]);
    let (ty, names) = world.message(&[&format!("(int, pid in {set})")]);
    let (k, x, v, n, f, i) = (
        world.name("n"),
        world.name("x"),
        world.name("v"),
        world.name("n"),
        world.name("v"),
        world.name("id"),
    );
    world.push(p, plain(format!("{k} := 0")));
    let body = vec![send(format!("{}({k})", tells[0]), &x), plain(format!("{k} := {k} + 1"))];
    world.push(p, block(format!("for {x} in {set}"), body));
    world.push(w, recv(format!("{}({v})", tells[0]), &tell, ""));
    world.push(w, send(format!("{}({v}, self)", names[0]), &on));
    world.push(other, plain(format!("{n} := 0")));
    let named = chance(rng, 40);
    let from = if named { format!("from {x}") } else { format!("from {set}") };
    let claim = match rng.usize(..4) {
        0 => format!("assert {f} == {n}"),
        1 => format!("assert {n} != 0 || {f} == 0"),
        2 => format!("assert {i} == {x}"),
        _ => "skip".to_owned(),
    };
    let body = vec![
        recv(format!("{}({f}, {i})", names[0]), &ty, from),
        plain(claim),
        plain(format!("{n} := {n} + 1")),
    ];
    world.push(other, block(format!("for {x} in {set}"), body));
    world.procs[other].numbers.push(n);
}

/// A member may or may not write; the other side may or may not know.
fn sometimes(world: &mut World, rng: &mut Rng) {
    let Pair { p, w, pn, set } = pair(world, rng);
    let (ty, names) = world.message(&["(int)", ""]);
    let (x, m, v) = (world.name("x"), world.name("m"), world.name("v"));
    let silent = chance(rng, 30);
    world.push(w, block("if *", vec![send(format!("{}(1)", names[0]), &pn)]));
    let otherwise = if silent { plain("skip") } else { send(&names[1], &pn) };
    world.push(w, block("else", vec![otherwise]));
    let from = if chance(rng, 70) { format!("from {x}") } else { String::new() };
    let arms = vec![
        block(format!("{}({v}) =>", names[0]), vec![plain(format!("assert {v} == 1"))]),
        block(format!("{} =>", names[1]), vec![plain("skip")]),
    ];
    let body = vec![recv(&m, &ty, from), block(format!("match {m}"), arms)];
    world.push(p, block(format!("for {x} in {set}"), body));
}

/// Members write to two processes, which listen in an order of their own and then talk to each
/// other.
fn postponed(world: &mut World, rng: &mut Rng) {
    let Pair { p, w, pn, set } = pair(world, rng);
    let other = world.some_single(rng, Some(p));
    let on = world.procs[other].name.clone();
    let (a, names_a) = world.message(&["(int)"]);
    let (b, names_b) = world.message(&["(int)"]);
    let (go, goes) = world.message(&["(int)"]);
    let (x, v, u, n) = (world.name("x"), world.name("v"), world.name("v"), world.name("v"));
    let number = world.number(w, rng);
    world.push(w, send(format!("{}({number})", names_a[0]), &pn));
    world.push(w, send(format!("{}({number})", names_b[0]), &on));
    let hear_p = block(
        format!("for {x} in {set}"),
        vec![recv(format!("{}({v})", names_a[0]), &a, if chance(rng, 50) { "" } else { "from *" })],
    );
    let hear_o =
        block(format!("for {x} in {set}"), vec![recv(format!("{}({u})", names_b[0]), &b, "")]);
    let tell: Node = send(format!("{}({})", goes[0], rng.usize(..3)), &on);
    let told = recv(format!("{}({n})", goes[0]), &go, format!("from {pn}"));
    let (first, second) = if chance(rng, 50) { (hear_p, tell) } else { (tell, hear_p) };
    world.push(p, first);
    world.push(p, second);
    let (first, second) = if chance(rng, 50) { (hear_o, told) } else { (told, hear_o) };
    world.push(other, first);
    world.push(other, second);
    world.procs[other].numbers.push(n);
}

/// A flag that is set in a loop decides what happens after it.
fn flag(world: &mut World, rng: &mut Rng) {
    let Pair { p, w, pn, set } = pair(world, rng);
    let (ty, names) = world.message(&["", ""]);
    let (f, x, m, c, d) =
        (world.name("ok"), world.name("x"), world.name("m"), world.name("m"), world.name("m"));
    world.push(w, block("if *", vec![plain(format!("{c} := {}", names[0]))]));
    world.push(w, block("else", vec![plain(format!("{c} := {}", names[1]))]));
    world.push(w, send(&c, &pn));
    world.push(p, plain(format!("{f} := true")));
    let set_it = match rng.usize(..3) {
        0 => format!("{f} := {m} == {}", names[0]),
        1 => format!("{f} := {f} && {m} == {}", names[0]),
        _ => format!("{f} := {f} || {m} == {}", names[0]),
    };
    let body = vec![recv(&m, &ty, ""), plain(set_it)];
    world.push(p, block(format!("for {x} in {set}"), body));
    let (back, backs) = world.message(&["(bool)"]);
    let tell = send(format!("{}({f})", backs[0]), &x);
    world.push(p, block(format!("for {x} in {set}"), vec![tell]));
    world.push(w, recv(format!("{}({d})", backs[0]), &back, ""));
    let claim = match rng.usize(..3) {
        0 => format!("assert !{d} || {c} == {}", names[0]),
        1 => format!("assert {d} || {c} == {}", names[1]),
        _ => format!("assert {d} == ({c} == {})", names[0]),
    };
    world.push(w, plain(claim));
}

/// Members are served again and again, as often as there are indices.
fn turns(world: &mut World, rng: &mut Rng) {
    let p = world.some_single(rng, None);
    let pn = world.procs[p].name.clone();
    let (set, name) = (world.name("W"), world.name("srv"));
    let place = world.set(&set, false);
    let w = world.single(&name);
    world.procs[w].server = true;
    world.procs[w].set = Some(place);
    if chance(rng, 80) {
        world.not_empty(w);
    }
    let (ask, asks) = world.message(&[&format!("(pid in {set})")]);
    let (go, goes) = world.message(&["(int)"]);
    let (n, v, i, id) = (world.name("n"), world.name("v"), world.name("i"), world.name("id"));
    world.push(w, plain(format!("{n} := 0")));
    let body = vec![
        send(format!("{}(self)", asks[0]), &pn),
        recv(format!("{}({v})", goes[0]), &go, format!("from {pn}")),
        plain(format!("{n} := {n} + 1")),
        plain(format!("assert {n} <= {}", 1 + rng.usize(..3))),
    ];
    world.push(w, block("loop", body));
    let over = if chance(rng, 50) { world.indices(rng) } else { set };
    let body =
        vec![recv(format!("{}({id})", asks[0]), &ask, ""), send(format!("{}(1)", goes[0]), &id)];
    world.push(p, block(format!("for {i} in {over}"), body));
}
