//! A step that breaks an invariant: the threads, the values, the heap.

use super::sentences::{instance, is_complete, mover, states, violated};
use crate::invariance::Checked;
use crate::invariance::breach::{Breach, Standing};
use ser_invariance_search::counter::CounterModel;
use ser_invariance_search::prove::Premise;
use ser_report::Block;
use ser_report::text::and;

/// For people, below the snippet. `others` differ only in which thread of the invariant moves.
pub fn blocks(
    checked: &Checked,
    model: &CounterModel,
    breach: &Breach,
    others: &[&CounterModel],
) -> Vec<Block> {
    let title = match model.premise {
        Premise::Initiation => "A state at the start:",
        Premise::Follows => "A state in which all of its support holds:",
        _ => "The step, in a state in which everything that is assumed holds:",
    };
    let mut blocks = vec![Block::Text(title.to_owned())];
    blocks.extend(threads(breach));
    blocks.extend(values(&breach.values));
    blocks.extend(heap("heap", &breach.heap));
    blocks.extend(heap("heap after the step", &breach.heap_after));
    let mut broken = Vec::new();
    for it in &breach.broken {
        if it.parts.iter().all(|part| part.is_whole) {
            broken.push(format!("then {} does not hold: {}", it.name, it.text));
        }
        for part in it.parts.iter().filter(|part| !part.is_whole) {
            broken.push(format!("then this part of {} does not hold: {}", it.name, part.text));
        }
    }
    if !broken.is_empty() {
        blocks.push(Block::Emphasis(broken));
    }
    blocks.push(Block::Text(class(checked, model)));
    let own = mover(checked, model);
    let mut names: Vec<String> = Vec::new();
    for name in others.iter().filter_map(|it| mover(checked, it)) {
        if Some(&name) != own.as_ref() && !names.contains(&name) {
            names.push(name);
        }
    }
    if !names.is_empty() {
        blocks.push(Block::Text(format!("The same step of {} may break it, too.", and(&names))));
    }
    blocks.extend(draft(breach));
    blocks
}

/// A line that excludes the state.
fn draft(breach: &Breach) -> Vec<Block> {
    let Some(draft) = &breach.draft else { return Vec::new() };
    let title = "A draft that excludes this state (a guess: small instances do not violate it, and \
                 no more is known of it):";
    let mut blocks = vec![Block::Text(title.to_owned()), Block::Code(format!("{}\n", draft.text))];
    if !draft.names.is_empty() {
        let names = draft.names.iter();
        let names: Vec<String> = names
            .map(|(name, line)| format!("line {line} has to be named: `{name}: ...`"))
            .collect();
        blocks.push(Block::Text(format!("For it, {}.", and(&names))));
    }
    blocks
}

/// Where the threads are, and where they go.
fn threads(breach: &Breach) -> Option<Block> {
    let names = breach.threads.iter().map(|it| {
        let names: Vec<&str> = [&it.name].into_iter().chain(&it.also).map(String::as_str).collect();
        names.join(" = ")
    });
    let places = (0..).zip(&breach.threads).map(|(number, it)| standing(breach, number, it));
    let mut pairs: Vec<(String, String)> = names.zip(places).collect();
    let others = breach.others.iter();
    pairs.extend(others.map(|name| (name.clone(), "is somebody else, wherever".to_owned())));
    quote(&pairs, "  ")
}

fn standing(breach: &Breach, number: u32, thread: &Standing) -> String {
    let role = thread.role.as_ref().map(|it| format!("{it}, ")).unwrap_or_default();
    let at = thread.at.words();
    let moves = breach.mover == Some(number);
    let way = breach.step.as_ref().and_then(|(_, branch)| branch.as_deref());
    let way = way.map(|it| format!(" ({it})")).unwrap_or_default();
    match (moves, &thread.to) {
        (true, Some(to)) => format!("{role}moves: from {at}{way} to {}", to.words()),
        (true, None) => format!("{role}moves: at {at}{way}"),
        (false, _) => format!("{role}is at {at}"),
    }
}

/// `name = before -> after`.
fn values(values: &[(String, String, Option<String>)]) -> Option<Block> {
    let pairs: Vec<(String, String)> = values
        .iter()
        .map(|(name, before, after)| {
            let after = after.as_ref().map(|it| format!(" -> {it}")).unwrap_or_default();
            (name.clone(), format!("{before}{after}"))
        })
        .collect();
    quote(&pairs, " = ")
}

/// Pairs below each other, aligned.
fn quote(pairs: &[(String, String)], between: &str) -> Option<Block> {
    let wide = pairs.iter().map(|(name, _)| name.chars().count()).max()?;
    let lines = pairs.iter().map(|(name, text)| format!("{name:wide$}{between}{text}"));
    Some(Block::Quote(lines.collect()))
}

/// Chains of cells.
pub fn heap(title: &str, lines: &[String]) -> Option<Block> {
    (!lines.is_empty()).then(|| {
        let lines = lines.iter().map(|it| format!("  {it}"));
        Block::Quote([format!("{title}:")].into_iter().chain(lines).collect())
    })
}

/// Whether this can really happen, as far as it is known.
fn class(checked: &Checked, model: &CounterModel) -> String {
    if model.invariant.is_some_and(|it| violated(checked).contains(&it)) {
        return "Real: a run violates this invariant (see above).".to_owned();
    }
    if model.premise == Premise::Follows {
        return "The state may be unreachable: that it follows is claimed for all states."
            .to_owned();
    }
    let (reaches, bounds) = match is_complete(checked) {
        true => ("reaches", ""),
        false => ("was found that reaches", "; larger values and longer runs were not looked at"),
    };
    format!(
        "Not inductive: no run of {} {reaches} this ({} explored{bounds}).",
        instance(checked),
        states(checked)
    )
}
