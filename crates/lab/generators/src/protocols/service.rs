//! Servers: processes that wait for orders, and those who give them.

use super::world::{World, block, plain, recv, send};
use crate::chance;
use fastrand::Rng;

/// Adds a server, or a set of them, with its clients.
pub(super) fn add(world: &mut World, rng: &mut Rng) {
    if chance(rng, 55) { orders(world, rng) } else { workers(world, rng) }
}

/// A server with state; every client gives one order.
fn orders(world: &mut World, rng: &mut Rng) {
    let w = world.some_members(rng);
    let set = world.set_of(w);
    let name = world.name("srv");
    let server = world.single(&name);
    world.procs[server].server = true;
    let (order, orders) =
        world.message(&[&format!("(pid in {set}, int)"), &format!("(pid in {set})")]);
    let (answer, answers) = world.message(&["(int)"]);
    let (state, m, id, v) = (world.name("n"), world.name("m"), world.name("id"), world.name("v"));
    let bracket = chance(rng, 30);
    let mut first = vec![plain(format!("{state} := {v}"))];
    let mut second = vec![send(format!("{}({state})", answers[0]), &id)];
    let (mine, u) = (world.name("m"), world.name("v"));
    let mut after_first = vec![plain("skip")];
    let mut after_second = vec![recv(format!("{}({u})", answers[0]), &answer, "")];
    if bracket {
        let (more, mores) = world.message(&["(int)"]);
        let x = world.name("v");
        second.push(recv(format!("{}({x})", mores[0]), &more, format!("from {id}")));
        after_second.push(send(format!("{}({u} + 1)", mores[0]), &name));
    }
    if chance(rng, 30) {
        let back = world.name("srv");
        let backend = world.single(&back);
        world.procs[backend].server = true;
        let (forward, forwards) = world.message(&["(pid, int)"]);
        let (done, dones) = world.message(&[""]);
        first.push(send(format!("{}(self, {v})", forwards[0]), &back));
        first.push(recv("_", &done, format!("from {back}")));
        let (who, y) = (world.name("id"), world.name("v"));
        let body =
            vec![recv(format!("{}({who}, {y})", forwards[0]), &forward, ""), send(&dones[0], &who)];
        world.push(backend, block("loop", body));
    }
    if chance(rng, 30) {
        let (ok, oks) = world.message(&[""]);
        first.push(send(&oks[0], &id));
        after_first = vec![recv("_", &ok, format!("from {name}"))];
    }
    world.push(server, plain(format!("{state} := 0")));
    let arms = vec![
        block(format!("{}({id}, {v}) =>", orders[0]), first),
        block(format!("{}({id}) =>", orders[1]), second),
    ];
    let from = if chance(rng, 50) { String::new() } else { format!("from {set}") };
    let body = vec![recv(&m, &order, from), block(format!("match {m}"), arms)];
    world.push(server, block("loop", body));
    world.push(
        w,
        block("if *", vec![plain(format!("{mine} := {}(self, {})", orders[0], rng.usize(..3)))]),
    );
    world.push(w, block("else", vec![plain(format!("{mine} := {}(self)", orders[1]))]));
    world.push(w, send(&mine, &name));
    let arms = vec![
        block(format!("{}(_, _) =>", orders[0]), after_first),
        block(format!("{}(_) =>", orders[1]), after_second),
    ];
    world.push(w, block(format!("match {mine}"), arms));
}

/// A set of workers that wait for jobs; a process picks one of them, again and again, or goes
/// through all.
fn workers(world: &mut World, rng: &mut Rng) {
    let p = world.some_single(rng, None);
    let pn = world.procs[p].name.clone();
    let (set, name) = (world.name("W"), world.name("srv"));
    let place = world.set(&set, false);
    let w = world.single(&name);
    world.procs[w].server = true;
    world.procs[w].set = Some(place);
    let (job, jobs) = world.message(&["(int)"]);
    let (answer, answers) = world.message(&["(int)"]);
    let (v, u, k) = (world.name("v"), world.name("v"), world.name("w"));
    let replies = chance(rng, 60);
    let mut body = vec![recv(format!("{}({v})", jobs[0]), &job, format!("from {pn}"))];
    if replies {
        body.push(send(format!("{}({v} + 1)", answers[0]), &pn));
    }
    world.push(w, block("loop", body));
    let number = world.number(p, rng);
    let mut turn = vec![send(format!("{}({number})", jobs[0]), &k)];
    if replies {
        turn.push(recv(format!("{}({u})", answers[0]), &answer, format!("from {k}")));
    }
    match rng.usize(..3) {
        0 => world.push(p, block(format!("for {k} in {set}"), turn)),
        1 => {
            world.not_empty(w);
            turn.insert(0, plain(format!("{k} := pick {set}")));
            let (i, indices) = (world.name("i"), world.indices(rng));
            world.push(p, block(format!("for {i} in {indices}"), turn));
        }
        _ => {
            world.not_empty(w);
            world.push(p, plain(format!("{k} := pick {set}")));
            turn.into_iter().for_each(|it| world.push(p, it));
        }
    }
}
