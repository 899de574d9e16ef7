//! Random programs of shards that some requests change and others look at one by one: sums, maxima,
//! thresholds. Mostly such that what is found could have been found at one moment, and about as
//! often with a mistake: a shard that jumps, a difference, a request that changes two shards.

use crate::Random;
use std::fmt::Write as _;

/// The source of a random program of shards.
///
/// ```
/// let text = ser_fuzz::shards(&mut ser_fuzz::Random::new(1));
/// assert!(!ser_syntax::parse(&text).has_errors());
/// ```
pub fn shards(random: &mut Random) -> String {
    let mistakes = random.chance(60);
    let mut out = String::new();
    let names = &["A", "B", "C"][..random.between(2, 3)];
    let mut all = Vec::new();
    for name in names {
        let most = random.between(1, 2);
        let falls = random.chance(20);
        let first = match (falls, mistakes && random.chance(10)) {
            (_, true) => most / 2,
            (true, _) => most,
            (false, _) => 0,
        };
        if first > 0 {
            let _ = writeln!(out, "{name} := {first}");
        }
        all.push(Shard { name, most, falls });
    }
    for (number, shard) in all.iter().enumerate() {
        for _ in 0..random.between(1, 2) / if number > 0 { 1 } else { random.between(1, 2) } {
            let other = random.pick(&all);
            let body = writer(*shard, *other, mistakes && random.chance(30), random);
            let _ = writeln!(out, "request w{} {{ {body} }}", out.len());
        }
    }
    for number in 0..random.between(1, 2) {
        let body = reader(&all, mistakes && random.chance(40), random);
        let _ = writeln!(out, "request r{number} {{ {body} }}");
    }
    out
}

#[derive(Clone, Copy)]
struct Shard {
    name: &'static str,
    most: usize,
    /// It begins with the most, and goes down.
    falls: bool,
}

fn writer(shard: Shard, other: Shard, mistake: bool, random: &mut Random) -> String {
    let Shard { name: x, most, falls } = shard;
    let (step, end, back) = match falls {
        true => (format!("{x} := {x} - 1"), format!("{x} > 0"), most),
        false => (format!("{x} := {x} + 1"), format!("{x} < {most}"), 0),
    };
    if mistake {
        return match random.below(6) {
            0 => format!("{x} := {most}; 0"),
            1 => format!("{x} := {}; 0", random.between(0, most)),
            2 => format!("x := {x}; yield; {x} := {most} - x; 0"),
            3 => format!("if ({end}) {{ {step}; {y} := {x} }}; 0", y = other.name),
            4 => format!("{x} := 1 - {x}; {x}"),
            _ => format!("if ({end}) {{ {step} }}; yield; if ({end}) {{ {step} }}; {x}"),
        };
    }
    match random.below(10) {
        0 | 1 => format!("x := {x}; if ({end}) {{ {step} }} else {{ {x} := {back} }}; x"),
        2 => format!("if ({end}) {{ {step} }}; 0"),
        3 => format!("if ({end}) {{ {step} }} else {{ {x} := {back} }}; {x}"),
        4 => format!("{x} := {back}; 0"),
        5 => format!("yield; if ({end}) {{ {step} }} else {{ {x} := {back} }}; 0"),
        6 => format!("x := {x}; yield; if ({x} == x && {end}) {{ {step}; 1 }} else {{ 0 }}"),
        7 => format!(
            "while (L{x} == 1) {{ yield }}; L{x} := 1; yield; if ({end}) {{ {step} }}; yield; \
             L{x} := 0; 0"
        ),
        8 => format!("if ({end}) {{ {step}; P{x} := 1 - P{x} }}; P{x}"),
        _ => format!("assume({end}); {step}; yield; 0"),
    }
}

fn reader(shards: &[Shard], mistake: bool, random: &mut Random) -> String {
    let mut order: Vec<Shard> = shards.to_vec();
    if random.chance(30) {
        order.reverse();
    }
    if order.len() > 2 && random.chance(40) {
        order.remove(random.below(order.len()));
    }
    let mut out = String::new();
    for (i, shard) in order.iter().enumerate() {
        let pause = if i > 0 && random.chance(85) { "yield; " } else { "" };
        let _ = write!(out, "{pause}v{i} := {}; ", shard.name);
    }
    // What it responds should rise with each shard, the way that the shard goes.
    let kind = random.below(if mistake { 9 } else { 6 });
    let terms: Vec<String> = order
        .iter()
        .enumerate()
        .map(
            |(i, shard)| {
                if shard.falls { format!("({} - v{i})", shard.most) } else { format!("v{i}") }
            },
        )
        .collect();
    let sum = terms.join(" + ");
    let all: usize = order.iter().map(|shard| shard.most).sum();
    let last = order.len() - 1;
    let response = match kind {
        0..=2 => sum,
        3 => format!("({sum}) >= {}", random.between(1, all)),
        4 => format!("m := {}; if ({t} > m) {{ m := {t} }}; m", terms[0], t = terms[last]),
        5 => format!("m := {}; if ({t} < m) {{ m := {t} }}; m", terms[0], t = terms[last]),
        6 => format!("{} - {}", terms[0], terms[last]),
        7 => format!("{} + 2 * {}", terms[0], terms[last]),
        _ => format!("if ({} == 0) {{ yield; {} }} else {{ {sum} }}", terms[0], order[last].name),
    };
    format!("{out}{response}")
}
