//! Which values names stand for, as far as that is known: for people who read a program.
//!
//! What is declared is told as it was declared, with the values of constants; what is not, as it
//! was found out. Nothing here decides anything: methods read the [core](crate::core).

use crate::ast::Program;
use crate::elaborate;
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};

/// Which values something takes, as a declaration would say it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Domain {
    /// Numbers.
    Int,
    /// Numbers of a range, both ends included.
    Range(i64, i64),
    /// Numbers of so many bits, which wrap around.
    Bits(i64),
    Bool,
    /// The members of an enumeration.
    Enumeration(String),
    Record(String),
    /// For each of the first the second.
    Array(Box<Domain>, Box<Domain>),
    Tuple(Vec<Domain>),
    /// So many at most.
    Queue(i64, Box<Domain>),
}

impl Display for Domain {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Domain::Int => f.write_str("int"),
            Domain::Range(low, high) => write!(f, "{low}..{high}"),
            Domain::Bits(bits) => write!(f, "bits {bits}"),
            Domain::Bool => f.write_str("bool"),
            Domain::Enumeration(name) | Domain::Record(name) => f.write_str(name),
            Domain::Array(index, elements) => write!(f, "[{index}] of {elements}"),
            Domain::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(Domain::to_string).collect();
                write!(f, "({})", parts.join(", "))
            }
            Domain::Queue(capacity, items) => write!(f, "queue[{capacity}] of {items}"),
        }
    }
}

/// Which values the names of a program stand for.
///
/// ```
/// let text = "enum Seat { free, held }
///     const LAST = 3
///     var Plan: [0..LAST] of Seat
///     request look(i in 0..LAST) { seat := Plan[i]; (seat == held, i) }";
/// let domains = ser_syntax::Domains::of(&ser_syntax::parse(text).tree);
/// assert_eq!(domains.globals["Plan"].to_string(), "[0..3] of Seat");
/// assert_eq!(domains.bodies[0]["seat"].to_string(), "Seat");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Domains {
    /// Of what all share.
    pub globals: BTreeMap<String, Domain>,
    /// Of parameters and variables: of the requests, then the functions, then the processes, each
    /// in the order of the text.
    pub bodies: Vec<BTreeMap<String, Domain>>,
    /// What functions give.
    pub results: BTreeMap<String, Domain>,
    /// The fields of records.
    pub records: BTreeMap<String, Vec<(String, Domain)>>,
}

impl Domains {
    /// What is known about the names of a tree, which may have holes.
    pub fn of(tree: &Program) -> Domains {
        elaborate::domains(tree)
    }

    /// The field of a record.
    pub fn field(&self, record: &Domain, field: &str) -> Option<&Domain> {
        let Domain::Record(name) = record else { return None };
        let fields = self.records.get(name)?;
        fields.iter().find(|(name, _)| name == field).map(|(_, domain)| domain)
    }
}
