//! Queries as text; [`read_query`](crate::read_query) gives them back.

use crate::{Formula, PetriNet, PlaceId, Quantifier, Query, Sum};
use std::fmt;

/// Something together with the net whose places it speaks about.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a, T> {
    what: &'a T,
    net: &'a PetriNet,
}

impl Query {
    /// The query as text.
    ///
    /// ```
    /// let net = ser_petri::read_net("pl a (1)\npl {b c} (0)\n")?;
    /// let query = ser_petri::read_query("AG a + 2*{b c} >= 1 and not a = 3", &net)?;
    /// assert_eq!(query.show(&net).to_string(), "AG a + 2*{b c} >= 1 && !(a = 3)");
    /// # Ok::<(), ser_petri::ReadError>(())
    /// ```
    pub fn show<'a>(&'a self, net: &'a PetriNet) -> Shown<'a, Query> {
        Shown { what: self, net }
    }
}

impl Formula {
    /// The formula as text.
    pub fn show<'a>(&'a self, net: &'a PetriNet) -> Shown<'a, Formula> {
        Shown { what: self, net }
    }
}

/// Words that are not names in the text syntax.
pub(crate) const KEYWORDS: [&str; 9] =
    ["EF", "AG", "and", "or", "not", "true", "false", "deadlock", "fireable"];

/// A name, in braces if it could be mistaken for something else.
pub(crate) fn quoted(name: &str) -> String {
    let start = |c: char| c.is_ascii_alphabetic() || c == '_';
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '\'');
    let mut chars = name.chars();
    let plain = chars.next().is_some_and(start) && chars.all(part);
    if plain && !KEYWORDS.contains(&name) {
        return name.to_owned();
    }
    in_braces(name)
}

/// A name in braces, as queries and Tina's format have it: `\` before `{`, `}` and `\`.
pub(crate) fn in_braces(name: &str) -> String {
    let mut out = String::from("{");
    for c in name.chars() {
        if matches!(c, '{' | '}' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('}');
    out
}

impl fmt::Display for Shown<'_, Query> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.what.quantifier {
            Quantifier::Possibly => "EF",
            Quantifier::Always => "AG",
        };
        write!(f, "{word} {}", self.what.formula.show(self.net))
    }
}

impl fmt::Display for Shown<'_, Formula> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        formula(f, self.what, self.net, 0)
    }
}

/// Writes a formula where operators weaker than `level` need parentheses: 0 or, 1 and, 2 not.
fn formula(f: &mut fmt::Formatter<'_>, what: &Formula, net: &PetriNet, level: u8) -> fmt::Result {
    let (parts, operator, own) = match what {
        Formula::And(parts) if parts.is_empty() => return f.write_str("true"),
        Formula::Or(parts) if parts.is_empty() => return f.write_str("false"),
        Formula::And(parts) => (parts, " && ", 1),
        Formula::Or(parts) => (parts, " || ", 0),
        Formula::Not(inner) => {
            return match bare(inner) {
                Formula::Compare(..) => {
                    f.write_str("!(")?;
                    formula(f, inner, net, 0)?;
                    f.write_str(")")
                }
                _ => {
                    f.write_str("!")?;
                    formula(f, inner, net, 2)
                }
            };
        }
        Formula::Compare(left, relation, right) => {
            sum(f, left, net)?;
            write!(f, " {} ", relation.symbol())?;
            return sum(f, right, net);
        }
    };
    if let [one] = parts.as_slice() {
        return formula(f, one, net, level);
    }
    let open = own < level;
    if open {
        f.write_str("(")?;
    }
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            f.write_str(operator)?;
        }
        formula(f, part, net, own + 1)?;
    }
    if open { f.write_str(")") } else { Ok(()) }
}

/// A formula without conjunctions and disjunctions of one part around it.
fn bare(mut what: &Formula) -> &Formula {
    while let Formula::And(parts) | Formula::Or(parts) = what
        && let [one] = parts.as_slice()
    {
        what = one;
    }
    what
}

fn sum(f: &mut fmt::Formatter<'_>, sum: &Sum, net: &PetriNet) -> fmt::Result {
    let name = |p: &PlaceId| quoted(net.places.get(p.index()).map_or("", |p| &p.name));
    let mut first = true;
    for (place, a) in &sum.terms {
        match (first, *a < 0) {
            (true, true) => f.write_str("-")?,
            (true, false) => {}
            (false, true) => f.write_str(" - ")?,
            (false, false) => f.write_str(" + ")?,
        }
        if a.unsigned_abs() != 1 {
            write!(f, "{}*", a.unsigned_abs())?;
        }
        f.write_str(&name(place))?;
        first = false;
    }
    match sum.constant {
        c if first => write!(f, "{c}"),
        0 => Ok(()),
        c if c < 0 => write!(f, " - {}", c.unsigned_abs()),
        c => write!(f, " + {c}"),
    }
}
