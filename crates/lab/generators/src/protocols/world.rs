//! A protocol while it is being put together: processes with code that grows, sets, message types.

use super::{scene, scenes};
use crate::chance;
use fastrand::Rng;
use std::fmt::Write as _;

/// A statement, as text where nobody needs to look inside.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// `send payload to target;`.
    Send { payload: String, to: String },
    /// `pattern := recv ty from;` (`from` with its keyword, or empty).
    Recv { pattern: String, ty: String, from: String },
    /// Anything else that ends in `;`.
    Plain(String),
    /// `head { body }`.
    Block { head: String, body: Vec<Node> },
}

/// A process.
#[derive(Clone, Debug, Default)]
pub(super) struct Proc {
    pub(super) name: String,
    pub(super) server: bool,
    /// The place of its set in [`World::sets`].
    pub(super) set: Option<usize>,
    pub(super) body: Vec<Node>,
    /// Variables that hold a number from here on.
    pub(super) numbers: Vec<String>,
}

/// A set.
#[derive(Clone, Debug)]
pub(super) struct Set {
    pub(super) name: String,
    pub(super) index: bool,
    pub(super) at_least: u32,
}

/// A protocol.
#[derive(Clone, Debug, Default)]
pub(super) struct World {
    pub(super) sets: Vec<Set>,
    pub(super) messages: Vec<String>,
    pub(super) procs: Vec<Proc>,
    names: usize,
}

impl World {
    /// A few processes and one to five conversations.
    pub(super) fn random(rng: &mut Rng) -> World {
        let mut world = World::default();
        for number in 0..1 + rng.usize(..3) {
            world.single(&format!("p{number}"));
        }
        let sets = [0, 1, 1, 1, 2, 2][rng.usize(..6)];
        for number in 0..sets {
            let set = Some(world.set(&format!("Q{number}"), false));
            world.procs.push(Proc { name: format!("w{number}"), set, ..Proc::default() });
        }
        let conversations = 1 + rng.usize(..4);
        for _ in 0..conversations {
            match chance(rng, 22) {
                true => scene::add(&mut world, rng, &scenes::SERVICES),
                false => scene::add(&mut world, rng, &scenes::CONVERSATIONS),
            }
        }
        world
    }

    /// A new name.
    pub(super) fn name(&mut self, start: &str) -> String {
        self.names += 1;
        format!("{start}{}", self.names)
    }

    /// A new set.
    pub(super) fn set(&mut self, name: &str, index: bool) -> usize {
        self.sets.push(Set { name: name.to_owned(), index, at_least: 0 });
        self.sets.len() - 1
    }

    /// An index set: an old one or a new one.
    pub(super) fn indices(&mut self, rng: &mut Rng) -> String {
        let old: Vec<&Set> = self.sets.iter().filter(|it| it.index).collect();
        if !old.is_empty() && (chance(rng, 60) || self.sets.len() > 2) {
            return old[rng.usize(..old.len())].name.clone();
        }
        let name = self.name("I");
        self.set(&name, true);
        name
    }

    /// A new single process.
    pub(super) fn single(&mut self, name: &str) -> usize {
        self.procs.push(Proc { name: name.to_owned(), ..Proc::default() });
        self.procs.len() - 1
    }

    /// A new message type with these fields for its constructors; its name and theirs.
    pub(super) fn message(&mut self, fields: &[&str]) -> (String, Vec<String>) {
        let name = self.name("T");
        let constructors: Vec<String> = (0..fields.len())
            .map(|it| format!("C{}{}", &name[1..], "abcdef".chars().nth(it).unwrap_or('g')))
            .collect();
        let texts: Vec<String> =
            constructors.iter().zip(fields).map(|(it, fields)| format!("{it}{fields}")).collect();
        self.messages.push(format!("msg {name} = {}", texts.join(" | ")));
        (name, constructors)
    }

    /// Processes that conversations may use: not servers.
    pub(super) fn talkers(&self, set: bool) -> Vec<usize> {
        let all = 0..self.procs.len();
        all.filter(|it| self.procs[*it].set.is_some() == set && !self.procs[*it].server).collect()
    }

    /// A single process, not the given one if there is another.
    pub(super) fn some_single(&mut self, rng: &mut Rng, not: Option<usize>) -> usize {
        let mut singles = self.talkers(false);
        singles.retain(|it| Some(*it) != not);
        if singles.is_empty() {
            let name = self.name("p");
            return self.single(&name);
        }
        singles[rng.usize(..singles.len())]
    }

    /// A process for each member of a set.
    pub(super) fn some_members(&mut self, rng: &mut Rng) -> usize {
        let members = self.talkers(true);
        if members.is_empty() {
            let name = self.name("Q");
            let set = self.set(&name, false);
            let name = self.name("w");
            let place = self.single(&name);
            self.procs[place].set = Some(set);
            return place;
        }
        members[rng.usize(..members.len())]
    }

    /// The name of the set of a process.
    pub(super) fn set_of(&self, place: usize) -> String {
        self.procs[place].set.map_or_else(String::new, |set| self.sets[set].name.clone())
    }

    /// Says that the set of a process is not empty.
    pub(super) fn not_empty(&mut self, place: usize) {
        if let Some(set) = self.procs[place].set {
            self.sets[set].at_least = 1;
        }
    }

    /// Appends a statement to the code of a process.
    pub(super) fn push(&mut self, place: usize, node: Node) {
        self.procs[place].body.push(node);
    }

    /// Some number that a process can send.
    pub(super) fn number(&mut self, place: usize, rng: &mut Rng) -> String {
        let numbers = &self.procs[place].numbers;
        match rng.usize(..4) {
            0 if !numbers.is_empty() => numbers[rng.usize(..numbers.len())].clone(),
            1 if !numbers.is_empty() => format!("{} + 1", numbers[rng.usize(..numbers.len())]),
            2 => {
                let name = self.name("n");
                self.push(place, Node::Plain(format!("{name} := choose(int)")));
                self.procs[place].numbers.push(name.clone());
                name
            }
            _ => rng.usize(..3).to_string(),
        }
    }

    /// The text of the protocol.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for set in &self.sets {
            let word = if set.index { "index" } else { "set" };
            let size =
                if set.at_least > 0 { format!(" >= {}", set.at_least) } else { String::new() };
            let _ = writeln!(text, "{word} {}{size}", set.name);
        }
        for message in &self.messages {
            let _ = writeln!(text, "{message}");
        }
        for process in &self.procs {
            let server = if process.server { "server " } else { "" };
            let of = process.set.map(|set| format!(" for me in {}", self.sets[set].name));
            let of = of.unwrap_or_default();
            let _ = writeln!(text, "\n{server}process {}{of} {{", process.name);
            print(&process.body, 1, &mut text);
            text.push_str("}\n");
        }
        text
    }
}

fn print(nodes: &[Node], depth: usize, text: &mut String) {
    let indent = "    ".repeat(depth);
    for node in nodes {
        let _ = match node {
            Node::Send { payload, to } => writeln!(text, "{indent}send {payload} to {to};"),
            Node::Recv { pattern, ty, from } => {
                let space = if from.is_empty() { "" } else { " " };
                let taken = if pattern == "_" { String::new() } else { format!("{pattern} := ") };
                writeln!(text, "{indent}{taken}recv {ty}{space}{from};")
            }
            Node::Plain(it) => writeln!(text, "{indent}{it};"),
            Node::Block { head, body } => {
                let _ = writeln!(text, "{indent}{head} {{");
                print(body, depth + 1, text);
                writeln!(text, "{indent}}}")
            }
        };
    }
}
