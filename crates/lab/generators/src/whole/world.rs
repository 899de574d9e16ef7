//! What a program declares.

use super::Kind;
use crate::chance;
use fastrand::Rng;
use std::fmt::Write as _;

/// All declarations of a program.
pub(super) struct World {
    pub(super) enums: Vec<(&'static str, Vec<&'static str>)>,
    pub(super) records: Vec<(&'static str, Vec<(&'static str, Kind)>)>,
    /// A range with a name.
    alias: Option<(i64, i64)>,
    /// Names of constants.
    pub(super) constants: Vec<(&'static str, Kind, String)>,
    pub(super) globals: Vec<Global>,
    pub(super) locks: Vec<(&'static str, Option<Kind>)>,
    pub(super) functions: Vec<Function>,
}

pub(super) struct Global {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// How it is declared, if it is.
    declared: Option<String>,
}

#[derive(Clone)]
pub(super) struct Function {
    pub(super) name: &'static str,
    /// Their kinds, and whether they are written down.
    pub(super) parameters: Vec<(Kind, bool)>,
    pub(super) result: Kind,
    /// The locks that it takes, or those that it calls.
    pub(super) locks: Vec<&'static str>,
}

const NAMES: [&str; 4] = ["X", "Y", "Z", "W"];

impl World {
    pub(super) fn random(rng: &mut Rng) -> World {
        let mut world = World {
            enums: Vec::new(),
            records: Vec::new(),
            alias: chance(rng, 25).then(|| range(rng)),
            constants: Vec::new(),
            globals: Vec::new(),
            locks: Vec::new(),
            functions: Vec::new(),
        };
        if chance(rng, 60) {
            world.enums.push(("Seat", vec!["free", "held", "sold"][..rng.usize(2..=3)].to_vec()));
        }
        if chance(rng, 20) {
            let members = if chance(rng, 40) { ["off", "free"] } else { ["off", "on"] };
            world.enums.push(("Mode", members.to_vec()));
        }
        if chance(rng, 35) {
            let fields = vec![("seat", world.small(rng)), ("amount", world.small(rng))];
            world.records.push(("Order", fields));
        }
        if !world.records.is_empty() && chance(rng, 25) {
            let fields = vec![("first", Kind::Record(0)), ("flag", Kind::Bool)];
            world.records.push(("Pair", fields));
        }
        if chance(rng, 30) {
            world.constants.push(("N", Kind::Int, rng.i64(0..=2).to_string()));
        }
        if chance(rng, 15) {
            world.constants.push(("YES", Kind::Bool, rng.bool().to_string()));
        }
        if !world.enums.is_empty() && chance(rng, 15) {
            let member = world.member(rng, 0);
            world.constants.push(("USUAL", Kind::Enum(0), member));
        }
        for name in &NAMES[..rng.usize(1..=3)] {
            let global = world.global(rng, name);
            world.globals.push(global);
        }
        if chance(rng, 35) {
            world.locks.push(("L", None));
        }
        if chance(rng, 20) {
            let key = world.key(rng);
            world.locks.push(("D", Some(key)));
        }
        for name in &["first", "second"][..[0, 0, 1, 1, 2][rng.usize(..5)]] {
            let parameters = (0..rng.usize(0..=2)).map(|_| {
                let kind = if chance(rng, 75) { world.small(rng) } else { world.any(rng) };
                // What has parts is written down where it is received.
                let is_written = chance(rng, 50) || has_parts(&kind);
                (if is_written { kind } else { without_ranges(kind) }, is_written)
            });
            let parameters = parameters.collect();
            let result = if chance(rng, 70) { world.small(rng) } else { world.any(rng) };
            world.functions.push(Function {
                name,
                parameters,
                result: without_ranges(result),
                locks: Vec::new(),
            });
        }
        world
    }

    fn global(&self, rng: &mut Rng, name: &'static str) -> Global {
        match rng.usize(..10) {
            0 => Global { name, kind: Kind::Int, declared: None },
            1 => {
                let declared = format!("{name} := {}", rng.i64(-1..=2));
                Global { name, kind: Kind::Int, declared: Some(declared) }
            }
            2 => {
                let kind = match without_ranges(self.any(rng)) {
                    // Written arrays are counted from 0.
                    Kind::Array(key, kind) if *key == Kind::Range(0, 1) => Kind::Array(key, kind),
                    Kind::Array(_, kind) => *kind,
                    kind => kind,
                };
                let first = self.first(rng, &kind);
                Global { name, kind, declared: Some(format!("var {name} = {first}")) }
            }
            3 if !self.enums.is_empty() => Global { name, kind: Kind::Enum(0), declared: None },
            _ => {
                let kind = if chance(rng, 50) { self.small(rng) } else { self.any(rng) };
                let mut declared = format!("var {name}: {}", self.written(&kind));
                if chance(rng, 50) {
                    let first = match &kind {
                        Kind::Array(_, element) if chance(rng, 50) => {
                            let mut element = element;
                            while let Kind::Array(_, inside) = &**element {
                                element = inside;
                            }
                            self.first(rng, element)
                        }
                        kind => self.first(rng, kind),
                    };
                    let _ = write!(declared, " = {first}");
                }
                Global { name, kind, declared: Some(declared) }
            }
        }
    }

    /// What fits into a variable.
    pub(super) fn small(&self, rng: &mut Rng) -> Kind {
        match rng.usize(..6) {
            0 => Kind::Bool,
            1 | 2 if !self.enums.is_empty() => Kind::Enum(rng.usize(..self.enums.len())),
            _ => {
                let (low, high) = range(rng);
                Kind::Range(low, high)
            }
        }
    }

    /// What arrays are counted by.
    fn key(&self, rng: &mut Rng) -> Kind {
        match rng.usize(..5) {
            0 => Kind::Bool,
            1 if !self.enums.is_empty() => Kind::Enum(0),
            2 => Kind::Range(1, 2),
            _ => Kind::Range(0, 1),
        }
    }

    pub(super) fn any(&self, rng: &mut Rng) -> Kind {
        match rng.usize(..10) {
            0..=2 => {
                let key = Box::new(self.key(rng));
                let element = match rng.usize(..8) {
                    0 if !self.records.is_empty() => Kind::Record(0),
                    1 => Kind::Array(Box::new(Kind::Range(0, 1)), Box::new(Kind::Bool)),
                    _ => self.small(rng),
                };
                Kind::Array(key, Box::new(element))
            }
            3 | 4 if !self.records.is_empty() => Kind::Record(rng.usize(..self.records.len())),
            5 => Kind::Tuple(vec![self.small(rng), self.small(rng)]),
            _ => self.small(rng),
        }
    }

    /// How a kind is written.
    pub(super) fn written(&self, kind: &Kind) -> String {
        match kind {
            Kind::Int | Kind::Truth => "int".to_owned(),
            Kind::Range(low, high) => match self.alias {
                Some(alias) if alias == (*low, *high) => "Row".to_owned(),
                _ => format!("{low}..{high}"),
            },
            Kind::Bool => "bool".to_owned(),
            Kind::Enum(at) => self.enums[*at].0.to_owned(),
            Kind::Record(at) => self.records[*at].0.to_owned(),
            Kind::Array(key, element) => {
                format!("[{}] of {}", self.written(key), self.written(element))
            }
            Kind::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| self.written(p)).collect();
                format!("({})", parts.join(", "))
            }
        }
    }

    /// How many elements an array has.
    pub(super) fn length(&self, key: &Kind) -> usize {
        match key {
            Kind::Range(low, high) => (high - low + 1) as usize,
            Kind::Enum(at) => self.enums[*at].1.len(),
            _ => 2,
        }
    }

    /// A constant of this kind.
    pub(super) fn first(&self, rng: &mut Rng, kind: &Kind) -> String {
        match kind {
            Kind::Int => rng.i64(-1..=2).to_string(),
            Kind::Truth => format!("(0 == {})", rng.i64(0..=1)),
            Kind::Range(low, high) => rng.i64(*low..=*high).to_string(),
            Kind::Bool => rng.bool().to_string(),
            Kind::Enum(at) => self.member(rng, *at),
            Kind::Record(at) => {
                let (name, fields) = &self.records[*at];
                let fields: Vec<String> =
                    fields.iter().map(|(_, kind)| self.first(rng, kind)).collect();
                format!("{name}({})", fields.join(", "))
            }
            Kind::Array(key, element) => {
                let all: Vec<String> =
                    (0..self.length(key)).map(|_| self.first(rng, element)).collect();
                format!("[{}]", all.join(", "))
            }
            Kind::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|kind| self.first(rng, kind)).collect();
                format!("({})", parts.join(", "))
            }
        }
    }

    /// A member, with its enumeration where that is needed.
    pub(super) fn member(&self, rng: &mut Rng, at: usize) -> String {
        let (name, members) = &self.enums[at];
        let member = members[rng.usize(..members.len())];
        self.member_written(rng, name, member)
    }

    pub(super) fn member_written(&self, rng: &mut Rng, of: &str, member: &str) -> String {
        let of_how_many = self.enums.iter().filter(|(_, all)| all.contains(&member)).count();
        if of_how_many > 1 || chance(rng, 10) {
            format!("{of}.{member}")
        } else {
            member.to_owned()
        }
    }

    pub(super) fn declarations(&self) -> String {
        let mut text = String::new();
        for (name, members) in &self.enums {
            let _ = writeln!(text, "enum {name} {{ {} }}", members.join(", "));
        }
        if let Some((low, high)) = self.alias {
            let _ = writeln!(text, "type Row = {low}..{high}");
        }
        for (name, fields) in &self.records {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, kind)| format!("{name}: {}", self.written(kind)))
                .collect();
            let _ = writeln!(text, "record {name} {{ {} }}", fields.join(", "));
        }
        for (name, _, value) in &self.constants {
            let _ = writeln!(text, "const {name} = {value}");
        }
        for global in &self.globals {
            if let Some(declared) = &global.declared {
                let _ = writeln!(text, "{declared}");
            }
        }
        for (name, key) in &self.locks {
            let _ = match key {
                None => writeln!(text, "lock {name}"),
                Some(key) => writeln!(text, "lock {name}: [{}]", self.written(key)),
            };
        }
        text
    }
}

pub(super) fn has_parts(kind: &Kind) -> bool {
    matches!(kind, Kind::Record(_) | Kind::Array(..) | Kind::Tuple(_))
}

/// Numbers of a variable that nobody has declared may be any.
pub(super) fn without_ranges(kind: Kind) -> Kind {
    match kind {
        Kind::Range(..) => Kind::Int,
        Kind::Array(key, element) => Kind::Array(key, Box::new(without_ranges(*element))),
        Kind::Tuple(parts) => Kind::Tuple(parts.into_iter().map(without_ranges).collect()),
        kind => kind,
    }
}

fn range(rng: &mut Rng) -> (i64, i64) {
    [(0, 1), (0, 1), (0, 2), (-1, 0), (1, 2)][rng.usize(..5)]
}
