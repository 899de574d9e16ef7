//! Conversations as scenes: who does what, a line for each participant.
//!
//! | in a line | stands for |
//! | --- | --- |
//! | `msg A = (int) \| ()` | a message type `A` with the constructors `A1` and `A2` |
//! | `P`, `O` | two single processes |
//! | `W`, `Q` | a process for each member of a set, and the set |
//! | `S`, `R` | two new servers |
//! | `V`, `U` | a new server for each member of a set, and the set |
//! | `I`, `J` | index sets |
//! | `x`, any small letter | a variable |
//! | `#` | a number that the process has |
//! | `@` | a small number, the same everywhere in the scene |
//! | `[a/b/c]` | one of these |
//! | `40% ...` | a line that is there in 40 of 100 cases |
//! | `keep P v` | from here on, `v` is a number that `P` has |
//! | `some W` | the set of `W` is not empty |

use super::world::{Node, World};
use crate::chance;
use fastrand::Rng;
use std::collections::BTreeMap;

/// Adds one of the variants of one of these conversations.
pub(super) fn add(world: &mut World, rng: &mut Rng, conversations: &[&[&str]]) {
    let Some(variants) = rng.choice(conversations) else { return };
    let Some(scene) = rng.choice(*variants) else { return };
    let literal = rng.usize(..3).to_string();
    let mut cast = Cast { world, rng, literal, processes: BTreeMap::new(), names: BTreeMap::new() };
    scene.lines().for_each(|line| cast.line(line.trim()));
}

/// Who and what the letters of a scene stand for.
struct Cast<'w> {
    world: &'w mut World,
    rng: &'w mut Rng,
    literal: String,
    processes: BTreeMap<String, usize>,
    names: BTreeMap<String, String>,
}

impl Cast<'_> {
    fn line(&mut self, line: &str) {
        let line = match line.split_once("% ") {
            Some((percent, _)) if !chance(self.rng, percent.parse().unwrap_or(0)) => return,
            Some((_, line)) => line,
            None => line,
        };
        let line = self.chosen(line);
        let (first, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match first {
            "msg" => self.message(rest),
            "keep" => {
                let (who, variable) = rest.split_once(' ').unwrap_or_default();
                let (place, name) = (self.process(who), self.name(variable));
                self.world.procs[place].numbers.push(name);
            }
            "some" => {
                let place = self.process(rest);
                self.world.not_empty(place);
            }
            who => {
                let place = self.process(who.trim_end_matches(':'));
                let code = self.filled(rest, place);
                nodes(&mut code.as_str()).into_iter().for_each(|it| self.world.push(place, it));
            }
        }
    }

    /// The line with one of each group of alternatives.
    fn chosen(&mut self, line: &str) -> String {
        let mut text = String::new();
        let mut rest = line;
        while let Some((before, group)) = rest.split_once('[') {
            let (group, after) = group.split_once(']').unwrap_or((group, ""));
            let alternatives: Vec<&str> = group.split('/').collect();
            text.push_str(before);
            text.push_str(self.rng.choice(alternatives).unwrap_or_default());
            rest = after;
        }
        text + rest
    }

    fn message(&mut self, declaration: &str) {
        let (letter, fields) = declaration.split_once(" = ").unwrap_or_default();
        let fields = self.filled(fields, 0);
        let fields: Vec<&str> =
            fields.split(" | ").map(|it| if it == "()" { "" } else { it }).collect();
        let (name, constructors) = self.world.message(&fields);
        self.names.insert(letter.to_owned(), name);
        for (number, constructor) in (1..).zip(constructors) {
            self.names.insert(format!("{letter}{number}"), constructor);
        }
    }

    /// The text with everything that letters and signs stand for, as this process says it.
    fn filled(&mut self, text: &str, place: usize) -> String {
        let mut filled = String::new();
        for part in text.split_inclusive(|it: char| !it.is_ascii_alphanumeric()) {
            let end = part.trim_end_matches(|it: char| !it.is_ascii_alphanumeric()).len();
            let (word, sign) = part.split_at(end);
            let is_letter = word.len() == 1 && !word.starts_with(|it: char| it.is_ascii_digit());
            match is_letter || self.names.contains_key(word) {
                true => filled.push_str(&self.name(word)),
                false => filled.push_str(word),
            }
            match sign {
                "#" => filled.push_str(&self.world.number(place, self.rng)),
                "@" => filled.push_str(&self.literal),
                _ => filled.push_str(sign),
            }
        }
        filled
    }

    fn name(&mut self, letter: &str) -> String {
        if let Some(name) = self.names.get(letter) {
            return name.clone();
        }
        let name = match letter {
            "I" | "J" => self.world.indices(self.rng),
            "Q" | "U" => {
                let place = self.process(if letter == "Q" { "W" } else { "V" });
                self.world.set_of(place)
            }
            _ if letter.starts_with(|it: char| it.is_ascii_uppercase()) => {
                let place = self.process(letter);
                self.world.procs[place].name.clone()
            }
            _ => self.world.name(letter),
        };
        self.names.insert(letter.to_owned(), name.clone());
        name
    }

    fn process(&mut self, who: &str) -> usize {
        if let Some(place) = self.processes.get(who) {
            return *place;
        }
        let place = match who {
            "P" => self.world.some_single(self.rng, None),
            "O" => {
                let not = self.process("P");
                self.world.some_single(self.rng, Some(not))
            }
            "W" => self.world.some_members(self.rng),
            _ => {
                let name = self.world.name("srv");
                let place = self.world.single(&name);
                self.world.procs[place].server = true;
                if who == "V" {
                    let name = self.world.name("W");
                    self.world.procs[place].set = Some(self.world.set(&name, false));
                }
                place
            }
        };
        self.processes.insert(who.to_owned(), place);
        place
    }
}

/// The statements up to the end of the block.
fn nodes(code: &mut &str) -> Vec<Node> {
    let mut list = Vec::new();
    while let Some(end) = code.find([';', '{', '}']) {
        let (head, rest) = code.split_at(end);
        let (sign, rest) = rest.split_at(1);
        *code = rest;
        let head = head.trim();
        match sign {
            "}" => break,
            "{" => list.push(Node::Block { head: head.to_owned(), body: nodes(code) }),
            _ => list.push(statement(head)),
        }
    }
    list
}

fn statement(text: &str) -> Node {
    if let Some((payload, to)) = text.strip_prefix("send ").and_then(|it| it.split_once(" to ")) {
        return Node::Send { payload: payload.to_owned(), to: to.to_owned() };
    }
    let received = match text.strip_prefix("recv ") {
        Some(rest) => Some(("_", rest)),
        None => text.split_once(" := recv "),
    };
    match received {
        Some((pattern, rest)) => {
            let (ty, from) = rest.split_once(' ').unwrap_or((rest, ""));
            let [pattern, ty, from] = [pattern, ty, from.trim()].map(str::to_owned);
            Node::Recv { pattern, ty, from }
        }
        None => Node::Plain(text.to_owned()),
    }
}
