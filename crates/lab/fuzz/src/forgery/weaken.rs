//! Siblings of a source: almost the same, with the same names, and often broken.
//!
//! Local states of programs are named after lines and columns. So a program first gets room at the
//! end of its lines, and then every change keeps all columns: a statement becomes blanks, blanks
//! become a `yield`, a digit or a comparison becomes another one.

use crate::Random;
use ser_model::{LocalId, NetworkSystem, SystemBuilder, read_json, write_json};

/// The source with room for changes.
pub fn roomy(text: &str) -> String {
    if text.trim_start().starts_with('{') {
        return text.to_owned();
    }
    text.lines().map(|line| format!("{line}        \n")).collect()
}

/// A sibling of a source; nothing if this attempt changes nothing.
pub fn sibling(text: &str, random: &mut Random) -> Option<String> {
    if text.trim_start().starts_with('{') {
        let system = read_json(text).ok()?;
        return serde_json::to_string_pretty(&write_json(&changed(&system, random))).ok();
    }
    let mut changed = text.to_owned();
    for _ in 0..random.between(1, 2) {
        changed = edit(&changed, random)?;
    }
    (changed != text).then_some(changed)
}

fn edit(text: &str, random: &mut Random) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    let spots =
        |pattern: &str| -> Vec<usize> { text.match_indices(pattern).map(|(at, _)| at).collect() };
    let mut put = |at: usize, new: &[u8]| -> Option<()> {
        bytes.get_mut(at..at + new.len())?.copy_from_slice(new);
        Some(())
    };
    match random.below(6) {
        // A statement goes away.
        0 | 1 => {
            let ends = spots(";");
            if ends.is_empty() {
                return None;
            }
            let end = *random.pick(&ends);
            let start = text.get(..end)?.rfind([';', '{', '}', '\n'])? + 1;
            put(start, &vec![b' '; end - start + 1])?;
        }
        // A yield point more.
        2 => {
            let room = spots(";        ");
            if room.is_empty() {
                return None;
            }
            put(*random.pick(&room) + 1, b" yield;")?;
        }
        // Another comparison.
        3 => {
            let (old, new) = *random.pick(&[("==", "!="), ("!=", "=="), ("&&", "||"), ("<", ">")]);
            let here = spots(old);
            if here.is_empty() {
                return None;
            }
            put(*random.pick(&here), new.as_bytes())?;
        }
        // Another constant.
        _ => {
            let digits: Vec<usize> = text
                .bytes()
                .enumerate()
                .filter(|(_, b)| b.is_ascii_digit())
                .map(|(i, _)| i)
                .collect();
            if digits.is_empty() {
                return None;
            }
            let digit = *random.pick(b"012");
            put(*random.pick(&digits), &[digit])?;
        }
    }
    String::from_utf8(bytes).ok()
}

/// The same system with a few steps that are new, gone, or lead elsewhere.
pub fn changed(system: &NetworkSystem, random: &mut Random) -> NetworkSystem {
    let initial = system.global_name(system.initial_global());
    let mut builder = SystemBuilder::with_state_names(&initial);
    let globals: Vec<_> =
        system.globals().map(|g| builder.named_global(&system.global_name(g))).collect();
    let locals: Vec<_> = (0..system.local_count())
        .map(|l| builder.local(system.local_name(LocalId::from_index(l))))
        .collect();
    for (request, local) in system.spawns() {
        builder.spawn(system.request_name(*request), locals[local.index()]);
    }
    for (local, response) in system.replies() {
        builder.reply(locals[local.index()], system.response_name(*response));
    }
    system.uncounted().iter().for_each(|it| builder.uncounted(system.response_name(*it)));
    let mut steps: Vec<[usize; 4]> = system
        .steps()
        .iter()
        .map(|s| [s.from.index(), s.before.index(), s.to.index(), s.after.index()])
        .collect();
    for _ in 0..random.between(1, 3) {
        let (l, g) = (locals.len(), globals.len());
        let new = [random.below(l), random.below(g), random.below(l), random.below(g)];
        let at = random.below(steps.len().max(1));
        match (random.below(4), steps.get_mut(at)) {
            (0, Some(_)) => drop(steps.remove(at)),
            (1, Some(step)) => step[2] = new[2],
            (2, Some(step)) => step[3] = new[3],
            _ => steps.push(new),
        }
    }
    for [from, before, to, after] in steps {
        builder.named_step(locals[from], globals[before], locals[to], globals[after]);
    }
    builder.finish()
}
