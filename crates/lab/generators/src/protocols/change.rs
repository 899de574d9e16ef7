//! Small changes to a protocol, as people make them by mistake.

use super::world::{Node, World};
use fastrand::Rng;

/// What was changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Change {
    /// A send is gone.
    DropSend,
    /// A receive is gone.
    DropReceive,
    /// A send sends something else, perhaps of another type.
    OtherPayload,
    /// A send goes to somebody else.
    OtherTarget,
    /// A receive listens to somebody else.
    OtherSource,
    /// A receive waits for another type.
    OtherType,
    /// Two neighbours have changed places.
    Swap,
    /// A loop goes over another set.
    OtherSet,
    /// A statement is there twice.
    Repeat,
    /// A statement happens only sometimes.
    Sometimes,
    /// An assertion that may or may not hold.
    Assert,
    /// A set may be empty.
    Empty,
    /// The name of the sender is left out.
    Anyone,
}

const ALL: [Change; 13] = [
    Change::DropSend,
    Change::DropReceive,
    Change::OtherPayload,
    Change::OtherTarget,
    Change::OtherSource,
    Change::OtherType,
    Change::Swap,
    Change::OtherSet,
    Change::Repeat,
    Change::Sometimes,
    Change::Assert,
    Change::Empty,
    Change::Anyone,
];

/// Changes something, if there is something to change.
pub(super) fn apply(world: &mut World, rng: &mut Rng) -> Option<Change> {
    let change = ALL[rng.usize(..ALL.len())];
    if change == Change::Empty {
        let sets: Vec<usize> =
            (0..world.sets.len()).filter(|it| world.sets[*it].at_least > 0).collect();
        let set = *rng.choice(sets.iter())?;
        world.sets[set].at_least = 0;
        return Some(change);
    }
    let mut sends = Vec::new();
    let mut types = Vec::new();
    for process in &world.procs {
        collect(&process.body, &mut sends, &mut types);
    }
    let mut targets: Vec<String> =
        world.procs.iter().filter(|it| it.set.is_none()).map(|it| it.name.clone()).collect();
    let sets: Vec<String> = world.sets.iter().map(|it| it.name.clone()).collect();
    targets.extend(sends.iter().map(|(_, to)| to.clone()));
    let lists = lists(world, change);
    let (process, path, place) = rng.choice(lists.iter())?.clone();
    let mut names = Vec::new();
    variables(&world.procs.get(process)?.body, &mut names);
    let list = follow(&mut world.procs.get_mut(process)?.body, &path)?;
    match change {
        Change::DropSend | Change::DropReceive => {
            list.remove(place);
        }
        Change::Swap => list.swap(place, place + 1),
        Change::Repeat => {
            let node = list.get(place)?.clone();
            list.insert(place, node);
        }
        Change::Sometimes => {
            let node = list.remove(place);
            list.insert(place, Node::Block { head: "if ?".to_owned(), body: vec![node] });
        }
        Change::Assert => {
            let one = rng.choice(names.iter())?;
            let two = match rng.usize(..3) {
                0 => rng.choice(names.iter())?.clone(),
                1 => rng.usize(..3).to_string(),
                _ => "true".to_owned(),
            };
            let sign = ["==", "==", "!=", "<=", "<"][rng.usize(..5)];
            list.insert(place + 1, Node::Plain(format!("assert {one} {sign} {two}")));
        }
        _ => match list.get_mut(place)? {
            Node::Send { payload, to } => {
                if change == Change::OtherPayload {
                    payload.clone_from(&rng.choice(sends.iter())?.0);
                } else {
                    to.clone_from(rng.choice(targets.iter())?);
                }
            }
            Node::Recv { ty, from, pattern } => match change {
                Change::OtherType => {
                    *pattern = "_".to_owned();
                    ty.clone_from(rng.choice(types.iter())?);
                }
                Change::Anyone => from.clear(),
                _ => *from = format!("from {}", rng.choice(targets.iter())?),
            },
            Node::Block { head, .. } => {
                let set = rng.choice(sets.iter())?;
                let (start, _) = head.rsplit_once(' ')?;
                *head = format!("{start} {set}");
            }
            Node::Plain(_) => return None,
        },
    }
    Some(change)
}

/// A list of statements and a place in it: process, blocks to enter, place.
type Spot = (usize, Vec<usize>, usize);

fn lists(world: &World, change: Change) -> Vec<Spot> {
    let mut spots = Vec::new();
    for (process, it) in world.procs.iter().enumerate() {
        visit(&it.body, process, &mut Vec::new(), change, &mut spots);
    }
    spots
}

fn visit(
    nodes: &[Node],
    process: usize,
    path: &mut Vec<usize>,
    change: Change,
    spots: &mut Vec<Spot>,
) {
    for (place, node) in nodes.iter().enumerate() {
        let fits = match (change, node) {
            (Change::DropSend | Change::OtherPayload | Change::OtherTarget, Node::Send { .. })
            | (
                Change::DropReceive | Change::OtherSource | Change::OtherType | Change::Anyone,
                Node::Recv { .. },
            )
            | (Change::Repeat | Change::Sometimes, Node::Send { .. } | Node::Recv { .. }) => true,
            (Change::Assert, _) => true,
            (Change::Swap, _) => place + 1 < nodes.len(),
            (Change::OtherSet, Node::Block { head, .. }) => head.starts_with("for "),
            _ => false,
        };
        if fits {
            spots.push((process, path.clone(), place));
        }
        if let Node::Block { body, .. } = node {
            path.push(place);
            visit(body, process, path, change, spots);
            path.pop();
        }
    }
}

fn follow<'w>(nodes: &'w mut Vec<Node>, path: &[usize]) -> Option<&'w mut Vec<Node>> {
    match path.split_first() {
        None => Some(nodes),
        Some((first, rest)) => match nodes.get_mut(*first)? {
            Node::Block { body, .. } => follow(body, rest),
            _ => None,
        },
    }
}

fn collect(nodes: &[Node], sends: &mut Vec<(String, String)>, types: &mut Vec<String>) {
    for node in nodes {
        match node {
            Node::Send { payload, to } => sends.push((payload.clone(), to.clone())),
            Node::Recv { ty, .. } => types.push(ty.clone()),
            Node::Plain(_) => {}
            Node::Block { body, .. } => collect(body, sends, types),
        }
    }
}

/// The names of all variables that are assigned; some twice.
fn variables(nodes: &[Node], names: &mut Vec<String>) {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|it: char| !it.is_ascii_alphanumeric());
        let small = words.filter(|it| it.starts_with(|first: char| first.is_ascii_lowercase()));
        small.map(str::to_owned).collect()
    };
    for node in nodes {
        match node {
            Node::Send { .. } => {}
            Node::Recv { pattern, .. } => names.extend(words(pattern)),
            Node::Plain(text) => {
                names.extend(text.split_once(" :=").into_iter().flat_map(|(name, _)| words(name)));
            }
            Node::Block { head, body } => {
                if let Some(rest) = head.strip_prefix("for ") {
                    names.extend(words(rest).into_iter().take(1));
                }
                variables(body, names);
            }
        }
    }
}
