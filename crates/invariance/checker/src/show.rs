//! Terms and atoms as people can read them, for solutions that a proof leaves open.
//!
//! `ticket[0]` is a local of the thread of block 0; `head.next'1` is read in heap version 1; `new0`
//! is what is chosen first.
//!
//! A table of terms is small where the terms are not: each can mention the one before it twice. So
//! what is too long is cut off while it is written, not afterwards.

use crate::formula::{Atom, Flag, Formula, Node, Store};
use crate::linear::Linear;
use crate::term::{TermId, TermKind};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::LocId;
use std::fmt::{self, Write};

/// Longer terms are cut off.
const MAX_LENGTH: usize = 200;

/// Shows terms and atoms with the names of a system.
pub(crate) struct Show<'a> {
    pub system: &'a System,
    pub store: &'a Store,
}

/// A text that takes no more than [`MAX_LENGTH`] bytes.
struct Short(String);

impl Write for Short {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let room = MAX_LENGTH.saturating_sub(self.0.len());
        let fitting = part.floor_char_boundary(room);
        self.0.push_str(part.get(..fitting).unwrap_or_default());
        if fitting == part.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

impl Show<'_> {
    /// An atom with a value; nothing for other formulas.
    pub fn literal(&self, formula: Formula) -> Option<String> {
        let Node::Atom(atom) = self.store.node(formula) else { return None };
        let mut out = Short(String::new());
        let written = match formula.is_negated() {
            true => out
                .write_str("!(")
                .and_then(|()| self.atom(&mut out, atom))
                .and_then(|()| out.write_str(")")),
            false => self.atom(&mut out, atom),
        };
        let Short(mut text) = out;
        if written.is_err() {
            text += "...";
        }
        Some(text)
    }

    fn global(&self, out: &mut Short, global: u32) -> fmt::Result {
        match self.system.globals.get(global as usize) {
            Some(global) => out.write_str(&global.name.text),
            None => write!(out, "global {global}"),
        }
    }

    fn local(&self, out: &mut Short, local: u32, block: u32) -> fmt::Result {
        let Some(found) = self.system.locals.get(local as usize) else {
            return write!(out, "local {local}[{block}]");
        };
        let name = &found.name.text;
        match self.system.procedures.get(found.procedure.0 as usize) {
            Some(of) if found.procedure.0 > 0 => write!(out, "{}.{name}[{block}]", of.name.text),
            _ => write!(out, "{name}[{block}]"),
        }
    }

    fn location(&self, out: &mut Short, location: LocId) -> fmt::Result {
        let found = self.system.locations.get(location.0 as usize);
        match found.and_then(|it| it.name.as_ref()) {
            Some(name) => out.write_str(&name.text),
            None => write!(out, "{}", location.0 + 1),
        }
    }

    fn form(&self, out: &mut Short, form: &Linear) -> fmt::Result {
        let sign = |out: &mut Short, number: i128, first: bool| match (first, number < 0) {
            (true, false) => Ok(()),
            (true, true) => out.write_str("-"),
            (false, false) => out.write_str(" + "),
            (false, true) => out.write_str(" - "),
        };
        for (place, (term, number)) in form.parts.iter().enumerate() {
            sign(out, *number, place == 0)?;
            if number.unsigned_abs() != 1 {
                write!(out, "{} * ", number.unsigned_abs())?;
            }
            self.term(out, *term)?;
        }
        if form.constant != 0 || form.parts.is_empty() {
            sign(out, form.constant, form.parts.is_empty())?;
            write!(out, "{}", form.constant.unsigned_abs())?;
        }
        Ok(())
    }

    /// Terms with something before, between and behind them. What stands before is never empty if
    /// there are two: so long terms fill the text before they take long.
    fn around(&self, out: &mut Short, before: &str, terms: &[(TermId, &str)]) -> fmt::Result {
        out.write_str(before)?;
        for (term, behind) in terms {
            self.term(out, *term)?;
            out.write_str(behind)?;
        }
        Ok(())
    }

    fn term(&self, out: &mut Short, term: TermId) -> fmt::Result {
        use TermKind as K;
        match self.store.kind(term) {
            K::Global(global) => self.global(out, *global),
            K::Local(local, block) => self.local(out, *local, *block),
            K::New(number, _) => write!(out, "new{number}"),
            K::Thread(block) => write!(out, "thread {block}"),
            K::Nobody => out.write_str("nobody"),
            K::Null => out.write_str("null"),
            K::Lowest => out.write_str("lowest"),
            K::Highest => out.write_str("highest"),
            K::Sum(form) => {
                out.write_str("(")?;
                self.form(out, form)?;
                out.write_str(")")
            }
            K::Min(s) => self.around(out, "min(", &[(*s, ")")]),
            K::Max(s) => self.around(out, "max(", &[(*s, ")")]),
            K::Next(version, a) => self.field(out, "next", *version, *a),
            K::Data(version, a) => self.field(out, "data", *version, *a),
            K::Lockid(version, a) => self.field(out, "lockid", *version, *a),
            K::Differ(s, t) => self.around(out, "differ(", &[(*s, ", "), (*t, ")")]),
            K::Outside(s, t) => self.around(out, "outside(", &[(*s, ", "), (*t, ")")]),
            K::First(version, a, b) => {
                self.around(out, &format!("first'{version}("), &[(*a, ", "), (*b, ")")])
            }
            K::Second(version, a, b) => {
                self.around(out, &format!("second'{version}("), &[(*a, ", "), (*b, ")")])
            }
            K::Carrier(version, s, e) => {
                self.around(out, &format!("carrier'{version}("), &[(*s, ", "), (*e, ")")])
            }
            K::Empty => out.write_str("{}"),
            K::Singleton(t) => self.around(out, "{", &[(*t, "}")]),
            K::Union(s, t) => self.around(out, "(", &[(*s, " + "), (*t, ")")]),
            K::Intersection(s, t) => self.around(out, "(", &[(*s, " * "), (*t, ")")]),
            K::Difference(s, t) => self.around(out, "(", &[(*s, " - "), (*t, ")")]),
            K::Cells(version, a) => self.around(out, &format!("addr2set'{version}("), &[(*a, ")")]),
            K::Elems(version, s) => self.around(out, &format!("set2elem'{version}("), &[(*s, ")")]),
        }
    }

    fn field(&self, out: &mut Short, name: &str, version: u32, of: TermId) -> fmt::Result {
        self.term(out, of)?;
        match version {
            0 => write!(out, ".{name}"),
            version => write!(out, ".{name}'{version}"),
        }
    }

    fn atom(&self, out: &mut Short, atom: &Atom) -> fmt::Result {
        match atom {
            Atom::AtLeastZero(form) => {
                self.form(out, form)?;
                out.write_str(" >= 0")
            }
            Atom::Equal(x, y) | Atom::Same(x, y) => self.around(out, "", &[(*x, " == "), (*y, "")]),
            Atom::LessEqual(x, y) => self.around(out, "", &[(*x, " <= "), (*y, "")]),
            Atom::In(u, s) => self.around(out, "", &[(*u, " in "), (*s, "")]),
            Atom::Subset(s, t) => self.around(out, "", &[(*s, " subset "), (*t, "")]),
            Atom::Some(s) => self.around(out, "some(", &[(*s, ")")]),
            Atom::Reach(version, cut, x, y) => {
                write!(out, "reach'{version}[")?;
                for (place, cell) in cut.iter().enumerate() {
                    self.around(out, if place == 0 { "" } else { ", " }, &[(*cell, "")])?;
                }
                self.around(out, "](", &[(*x, ", "), (*y, ")")])
            }
            Atom::Ordered(version, a, b) => {
                self.around(out, &format!("ordered'{version}("), &[(*a, ", "), (*b, ")")])
            }
            Atom::Flag(Flag::Global(global)) => self.global(out, *global),
            Atom::Flag(Flag::Local(local, block)) => self.local(out, *local, *block),
            Atom::Flag(Flag::New(number)) => write!(out, "new{number}"),
            Atom::At(block, locations) => {
                write!(out, "at({block}")?;
                for location in locations.iter() {
                    out.write_str(", ")?;
                    self.location(out, *location)?;
                }
                out.write_str(")")
            }
            Atom::Site(block, procedure, call) => {
                let procedure = self.system.procedures.get(procedure.0 as usize);
                let name = procedure.map_or("", |it| it.name.text.as_str());
                write!(out, "{name} of {block} was called at ")?;
                self.location(out, *call)
            }
        }
    }
}
