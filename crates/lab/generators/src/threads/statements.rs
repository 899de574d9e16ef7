//! Random programs.

use super::terms::{Speaker, formula, term};
use super::world::{Owner, Sort, Variable, World};
use crate::Draw;
use fastrand::Rng;

/// Writes statements and gives them names.
struct Writer<'w> {
    world: &'w mut World,
    owner: Owner,
    text: String,
    named: usize,
    calls: usize,
}

/// The code of `thread`, and of `p` if there is one.
pub(super) fn program(rng: &mut Rng, world: &mut World) -> String {
    let mut text = body(rng, world, Owner::Thread);
    if world.shape.parameter.is_some() {
        text.push_str(&body(rng, world, Owner::Procedure));
    }
    text
}

fn body(rng: &mut Rng, world: &mut World, owner: Owner) -> String {
    let locals = world.locals(owner);
    let mut writer = Writer { world, owner, text: String::new(), named: 0, calls: 0 };
    let has_procedure = writer.world.shape.parameter.is_some();
    let result = writer.world.shape.result;
    let count = 2 + rng.below(4);
    let (head, indent) = match owner {
        Owner::Procedure => {
            let sort = match writer.world.shape.parameter {
                Some(Sort::Addr) => "addr",
                _ => "int",
            };
            let back = if result { ": int" } else { "" };
            (format!("fn p(q: {sort}){back} {{\n"), 1)
        }
        _ => ("process thread for self in Threads {\n".into(), 1),
    };
    let loops = owner == Owner::Thread && rng.chance(60);
    if loops {
        writer.line(indent, "loop {");
    }
    let inside = indent + usize::from(loops);
    writer.statements(rng, inside, count, 2);
    // Every procedure is called at least once.
    if owner == Owner::Thread && has_procedure {
        while writer.calls == 0 {
            writer.call(rng, inside);
        }
    }
    if loops {
        writer.line(indent, "}");
    }
    if owner == Owner::Procedure && result {
        let value = term(rng, writer.world, Speaker::Statement(owner, false), Sort::Int, 1);
        let statement = format!("return {value};");
        writer.statement(indent, &statement);
    }
    format!("{head}{locals}{}}}\n", writer.text)
}

/// A statement with ghost code behind it, which stands before the `;`.
fn with_ghost(statement: &str, ghost: &str) -> String {
    match ghost {
        "" => statement.to_owned(),
        ghost => format!("{}{ghost}", statement.trim_end_matches(';')),
    }
}

impl Writer<'_> {
    fn line(&mut self, indent: usize, line: &str) {
        self.text.push_str(&"    ".repeat(indent));
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A statement with a name of its own.
    fn statement(&mut self, indent: usize, statement: &str) {
        let (prefix, letter) = match self.owner {
            Owner::Procedure => ("p.", 'u'),
            _ => ("", 's'),
        };
        let name = format!("{letter}{}", self.named);
        self.named += 1;
        self.world.places.push(format!("{prefix}{name}"));
        self.line(indent, &format!("{name}: {statement}"));
    }

    fn statements(&mut self, rng: &mut Rng, indent: usize, count: usize, depth: usize) {
        for _ in 0..count {
            self.one(rng, indent, depth);
        }
    }

    fn one(&mut self, rng: &mut Rng, indent: usize, depth: usize) {
        match rng.below(100) {
            0..=9 if depth > 0 => {
                let condition = self.condition(rng);
                self.statement(indent, &format!("if {condition} {{"));
                let count = 1 + rng.below(2);
                self.statements(rng, indent + 1, count, depth - 1);
                if rng.chance(40) {
                    self.line(indent, "} else {");
                    self.statements(rng, indent + 1, 1, depth - 1);
                }
                self.line(indent, "}");
            }
            10..=13 if depth > 0 => {
                let condition = self.condition(rng);
                self.statement(indent, &format!("while {condition} {{"));
                let count = 1 + rng.below(2);
                self.statements(rng, indent + 1, count, depth - 1);
                self.line(indent, "}");
            }
            14..=20 if depth > 0 => {
                self.statement(indent, "choose {");
                self.statements(rng, indent + 1, 1, depth - 1);
                self.line(indent, "} or {");
                let count = rng.below(2);
                self.statements(rng, indent + 1, count, depth - 1);
                self.line(indent, "}");
            }
            21..=28 if self.owner == Owner::Thread && self.world.shape.parameter.is_some() => {
                self.call(rng, indent);
            }
            29..=50 => self.idiom(rng, indent),
            51..=54 => self.statement(indent, "skip;"),
            55..=60 => {
                let count = 2 + rng.below(2);
                let actions: Vec<String> = (0..count).map(|_| self.action(rng, 1)).collect();
                let ghost = self.ghost(rng);
                self.statement(indent, &format!("atomic {{ {} }}{ghost}", actions.join(" ")));
            }
            _ => {
                let action = self.action(rng, 0);
                let ghost = self.ghost(rng);
                self.statement(indent, &with_ghost(&action, &ghost));
            }
        }
    }

    fn condition(&mut self, rng: &mut Rng) -> String {
        let by = Speaker::Statement(self.owner, false);
        let condition = formula(rng, self.world, by, 1);
        match self.world.heap && rng.chance(60) {
            // Most of the time one asks before one reads.
            true => self.guarded(rng, condition),
            // A brace would begin the block.
            false if condition.starts_with('{') => format!("({condition})"),
            false => condition,
        }
    }

    fn guarded(&mut self, rng: &mut Rng, condition: String) -> String {
        let variables = self.world.seen(self.owner, Sort::Addr, false);
        match rng.choice(&variables) {
            Some(variable) => format!("{} != null && ({condition})", variable.name),
            None => condition,
        }
    }

    fn call(&mut self, rng: &mut Rng, indent: usize) {
        let sort = self.world.shape.parameter.unwrap_or(Sort::Int);
        let argument = term(rng, self.world, Speaker::Statement(self.owner, false), sort, 0);
        let targets = self.assignable(Sort::Int, false);
        let target = match self.world.shape.result && rng.chance(70) {
            true => rng.choice(&targets).map_or(String::new(), |name| format!("{name} := ")),
            false => String::new(),
        };
        self.calls += 1;
        self.statement(indent, &format!("{target}p({argument});"));
    }

    fn assignable(&self, sort: Sort, ghosts: bool) -> Vec<String> {
        let is_fine = |variable: &&Variable| variable.assigned && variable.ghost == ghosts;
        let seen = self.world.seen(self.owner, sort, true).into_iter().filter(|v| is_fine(v));
        seen.map(|variable| variable.name.clone()).collect()
    }

    /// Things that people write.
    fn idiom(&mut self, rng: &mut Rng, indent: usize) {
        let has =
            |world: &World, name: &str| world.variables.iter().any(|known| known.name == name);
        let thread = self.owner == Owner::Thread;
        let choices: Vec<&'static str> = [
            ("atomic { await owner == nobody; owner := self; }", has(self.world, "owner")),
            ("owner := nobody;", has(self.world, "owner")),
            ("atomic { await owner == self; owner := nobody; }", has(self.world, "owner")),
            ("atomic { a := x; x := x + 1; }", thread && has(self.world, "x")),
            ("await x == a;", thread && has(self.world, "x")),
            ("await y == a;", thread && has(self.world, "y")),
            ("y := y + 1;", has(self.world, "y")),
            ("atomic { if x < 2 { x := x + 1; } }", has(self.world, "x")),
            ("atomic { await x > 0; x := x - 1; }", has(self.world, "x")),
            ("x := 0;", has(self.world, "x")),
            ("bag := bag + {a};", thread && has(self.world, "bag")),
            ("bag := bag - {a};", thread && has(self.world, "bag")),
            ("await min(bag) == a;", thread && has(self.world, "bag")),
            ("crowd := crowd + {self};", has(self.world, "crowd")),
            ("crowd := crowd - {self};", has(self.world, "crowd")),
            ("atomic { await crowd == {}; crowd := {self}; }", has(self.world, "crowd")),
            ("n := malloc(lowest, null);", thread && self.world.heap),
            ("n := malloc(highest, head);", thread && self.world.heap),
            ("atomic { n := malloc(lowest, head); head := n; }", thread && self.world.heap),
            ("atomic { if n != null { n.next := head; head := n; } }", thread && self.world.heap),
            ("atomic { await head != null; head := head.next; }", self.world.heap),
            ("atomic { await n != null; lock n; }", thread && self.world.heap),
            (
                "atomic { await n != null && n.lockid == self; unlock n; }",
                thread && self.world.heap,
            ),
            ("atomic { await head != null; lock head; n := head; }", thread && self.world.heap),
            ("n := head;", thread && self.world.heap),
            ("c := head;", thread && has(self.world, "c")),
            ("atomic { if c != null { c := c.next; } }", thread && has(self.world, "c")),
        ]
        .into_iter()
        .filter(|(_, possible)| *possible)
        .map(|(text, _)| text)
        .collect();
        let text = rng.word(&choices);
        let text = if text.is_empty() { "skip;" } else { text };
        let ghost = self.ghost(rng);
        self.statement(indent, &with_ghost(text, &ghost));
    }

    fn ghost(&mut self, rng: &mut Rng) -> String {
        if !rng.chance(40) {
            return String::new();
        }
        for sort in [Sort::Int, Sort::Addrs, Sort::Elems] {
            let names = self.assignable(sort, true);
            if let Some(name) = rng.choice(&names).cloned()
                && rng.chance(60)
            {
                let value = match sort {
                    Sort::Int => format!("{name} + 1"),
                    Sort::Addrs => {
                        let local = self.world.seen(self.owner, Sort::Addr, false);
                        let local = rng.choice(&local).map_or("null".into(), |v| v.name.clone());
                        format!("{name} {} {{{local}}}", rng.word(&["+", "-"]))
                    }
                    _ => format!("{name} {} {{highest}}", rng.word(&["+", "-"])),
                };
                return match rng.chance(25) {
                    true => format!(" ghost {{ if {name} == {name} {{ {name} := {value}; }} }}"),
                    false => format!(" ghost {{ {name} := {value}; }}"),
                };
            }
        }
        String::new()
    }

    fn action(&mut self, rng: &mut Rng, depth: usize) -> String {
        let by = Speaker::Statement(self.owner, false);
        match rng.below(100) {
            0..=11 => format!("await {};", self.condition(rng)),
            12..=14 => format!("assert {};", self.condition(rng)),
            15..=24 if depth > 0 => {
                let condition = self.condition(rng);
                let then = self.action(rng, depth - 1);
                match rng.chance(50) {
                    true => format!("if {condition} {{ {then} }}"),
                    false => {
                        let otherwise = self.action(rng, depth - 1);
                        format!("if {condition} {{ {then} }} else {{ {otherwise} }}")
                    }
                }
            }
            25..=34 => self.havoc(rng).unwrap_or_else(|| "skip;".into()),
            35..=64 if self.world.heap => self.heap_action(rng).unwrap_or_else(|| "skip;".into()),
            _ => {
                let sort = *rng.choice(&Sort::MIX).unwrap_or(&Sort::Int);
                let names = self.assignable(sort, false);
                match rng.choice(&names) {
                    Some(name) => {
                        format!("{name} := {};", term(rng, self.world, by, sort, 1))
                    }
                    None => "skip;".into(),
                }
            }
        }
    }

    fn havoc(&mut self, rng: &mut Rng) -> Option<String> {
        let sort = *rng.choice(&[Sort::Int, Sort::Bool, Sort::Tid, Sort::Elem, Sort::Addr])?;
        let names = self.assignable(sort, false);
        let name = rng.choice(&names)?;
        let condition = match (sort, rng.chance(70)) {
            (Sort::Int, true) => format!(" where {name} {}", rng.word(&[">= 0", "<= 1", "!= 0"])),
            (Sort::Tid, true) => format!(" where {name} != {}", rng.word(&["nobody", "self"])),
            (Sort::Elem, true) => format!(" where {name} != {}", rng.word(&["lowest", "highest"])),
            (Sort::Addr, true) => format!(" where reach(head, {name})"),
            _ => String::new(),
        };
        Some(format!("{name} := choose({}){condition};", sort.name()))
    }

    fn heap_action(&mut self, rng: &mut Rng) -> Option<String> {
        let by = Speaker::Statement(self.owner, false);
        let seen = self.world.seen(self.owner, Sort::Addr, false);
        let name = rng.choice(&seen)?.name.clone();
        let targets = self.assignable(Sort::Addr, false);
        Some(match rng.below(6) {
            0 => format!("{name}.next := {};", term(rng, self.world, by, Sort::Addr, 0)),
            1 => format!("{name}.data := {};", term(rng, self.world, by, Sort::Elem, 0)),
            2 => format!("lock {name};"),
            3 => format!("unlock {name};"),
            4 => {
                let data = term(rng, self.world, by, Sort::Elem, 0);
                let next = term(rng, self.world, by, Sort::Addr, 0);
                format!("{} := malloc({data}, {next});", rng.choice(&targets)?)
            }
            _ => format!("{} := {name}.next;", rng.choice(&targets)?),
        })
    }
}
