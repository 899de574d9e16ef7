//! Terms and atoms as people can read them, for solutions that a proof leaves open.
//!
//! `ticket[0]` is a local of the thread of block 0; `head.next'1` is read in heap version 1; `new0` is what is chosen first.

use crate::formula::{Atom, Flag, Formula, Node, Store};
use crate::linear::Linear;
use crate::term::{TermId, TermKind};
use ser_lang::inv::System;
use ser_lang::inv::ast::LocId;

/// Longer terms are cut off.
const MAX_LENGTH: usize = 200;

/// Shows terms and atoms with the names of a system.
pub(crate) struct Show<'a> {
    pub system: &'a System,
    pub store: &'a Store,
}

impl Show<'_> {
    /// An atom with a value; nothing for other formulas.
    pub fn literal(&self, formula: Formula) -> Option<String> {
        let Node::Atom(atom) = self.store.node(formula) else { return None };
        let mut text = self.atom(atom);
        if formula.is_negated() {
            text = format!("!({text})");
        }
        if text.len() > MAX_LENGTH {
            text.truncate(text.floor_char_boundary(MAX_LENGTH));
            text += "...";
        }
        Some(text)
    }

    fn global(&self, global: u32) -> String {
        match self.system.globals.get(global as usize) {
            Some(global) => global.name.text.clone(),
            None => format!("global {global}"),
        }
    }

    fn local(&self, local: u32, block: u32) -> String {
        let Some(found) = self.system.locals.get(local as usize) else {
            return format!("local {local}[{block}]");
        };
        let name = &found.name.text;
        match self.system.procedures.get(found.procedure.0 as usize) {
            Some(of) if found.procedure.0 > 0 => format!("{}.{name}[{block}]", of.name.text),
            _ => format!("{name}[{block}]"),
        }
    }

    fn location(&self, location: LocId) -> String {
        let found = self.system.locations.get(location.0 as usize);
        match found.and_then(|it| it.name.as_ref()) {
            Some(name) => name.text.clone(),
            None => (location.0 + 1).to_string(),
        }
    }

    fn form(&self, form: &Linear) -> String {
        let mut text = String::new();
        let mut add = |number: i128, part: Option<String>| {
            let (sign, size) = (if number < 0 { "-" } else { "+" }, number.unsigned_abs());
            text += &match (text.is_empty(), sign) {
                (true, "+") => String::new(),
                (true, _) => "-".into(),
                (false, sign) => format!(" {sign} "),
            };
            text += &match part {
                Some(part) if size == 1 => part,
                Some(part) => format!("{size} * {part}"),
                None => size.to_string(),
            };
        };
        form.parts.iter().for_each(|(term, c)| add(*c, Some(self.term(*term))));
        if form.constant != 0 || form.parts.is_empty() {
            add(form.constant, None);
        }
        text
    }

    fn term(&self, term: TermId) -> String {
        use TermKind as K;
        let field = |name: &str, version: &u32, a: &TermId| match version {
            0 => format!("{}.{name}", self.term(*a)),
            version => format!("{}.{name}'{version}", self.term(*a)),
        };
        let two = |name: &str, s: &TermId, t: &TermId| {
            format!("{name}({}, {})", self.term(*s), self.term(*t))
        };
        let both = |operator: &str, s: &TermId, t: &TermId| {
            format!("({} {operator} {})", self.term(*s), self.term(*t))
        };
        match self.store.kind(term) {
            K::Global(global) => self.global(*global),
            K::Local(local, block) => self.local(*local, *block),
            K::New(number, _) => format!("new{number}"),
            K::Thread(block) => format!("thread {block}"),
            K::Nobody => "nobody".into(),
            K::Null => "null".into(),
            K::Lowest => "lowest".into(),
            K::Highest => "highest".into(),
            K::Sum(form) => format!("({})", self.form(form)),
            K::Min(s) => format!("min({})", self.term(*s)),
            K::Max(s) => format!("max({})", self.term(*s)),
            K::Next(version, a) => field("next", version, a),
            K::Data(version, a) => field("data", version, a),
            K::Lockid(version, a) => field("lockid", version, a),
            K::Differ(s, t) => two("differ", s, t),
            K::Outside(s, t) => two("outside", s, t),
            K::First(version, a, b) => two(&format!("first'{version}"), a, b),
            K::Second(version, a, b) => two(&format!("second'{version}"), a, b),
            K::Carrier(version, s, e) => two(&format!("carrier'{version}"), s, e),
            K::Empty => "{}".into(),
            K::Singleton(t) => format!("{{{}}}", self.term(*t)),
            K::Union(s, t) => both("+", s, t),
            K::Intersection(s, t) => both("*", s, t),
            K::Difference(s, t) => both("-", s, t),
            K::Cells(version, a) => format!("addr2set'{version}({})", self.term(*a)),
            K::Elems(version, s) => format!("set2elem'{version}({})", self.term(*s)),
        }
    }

    fn atom(&self, atom: &Atom) -> String {
        let term = |it: &TermId| self.term(*it);
        match atom {
            Atom::AtLeastZero(form) => format!("{} >= 0", self.form(form)),
            Atom::Equal(x, y) | Atom::Same(x, y) => format!("{} == {}", term(x), term(y)),
            Atom::LessEqual(x, y) => format!("{} <= {}", term(x), term(y)),
            Atom::In(u, s) => format!("{} in {}", term(u), term(s)),
            Atom::Subset(s, t) => format!("{} subset {}", term(s), term(t)),
            Atom::Some(s) => format!("some({})", term(s)),
            Atom::Reach(version, cut, x, y) => {
                let cut: Vec<String> = cut.iter().map(term).collect();
                format!("reach'{version}[{}]({}, {})", cut.join(", "), term(x), term(y))
            }
            Atom::Ordered(version, a, b) => format!("ordered'{version}({}, {})", term(a), term(b)),
            Atom::Flag(Flag::Global(global)) => self.global(*global),
            Atom::Flag(Flag::Local(local, block)) => self.local(*local, *block),
            Atom::Flag(Flag::New(number)) => format!("new{number}"),
            Atom::At(block, locations) => {
                let names: Vec<String> = locations.iter().map(|it| self.location(*it)).collect();
                format!("at({block}, {})", names.join(", "))
            }
            Atom::Site(block, procedure, call) => {
                let procedure = self.system.procedures.get(procedure.0 as usize);
                let name = procedure.map_or("", |it| it.name.text.as_str());
                format!("{name} of {block} was called at {}", self.location(*call))
            }
        }
    }
}
