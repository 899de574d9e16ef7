//! What an accepted certificate has established.

use std::fmt;

/// The checker's good news: what is now known, and how much was looked at to know it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Accepted {
    /// There is a complete run whose outcome no serial run has.
    NotSerializable {
        /// How many requests the run has.
        requests: usize,
        /// How many events the run has.
        events: usize,
        /// How many states of serial runs were visited to find none with the outcome.
        serial_states: usize,
        /// Whether only those serial runs were visited that keep the order of requests that do not
        /// overlap: it is not strictly serializable.
        strict: bool,
    },
    /// Every outcome is the outcome of a serial run.
    Serializable {
        /// By which kind of argument.
        argument: Argument,
        /// How many transitions the net had after the reductions.
        transitions: usize,
        /// How many places for requests in flight the net had after the reductions.
        places: usize,
        /// How many states the serial automaton has.
        serial_states: usize,
        /// Whether it is known to be strictly serializable, too: there is always a serial run that
        /// keeps the order of requests that do not overlap. See `real_time`.
        in_real_time: bool,
    },
}

impl Accepted {
    /// Whether it is known to be strictly serializable.
    pub fn is_strict(&self) -> bool {
        matches!(self, Accepted::Serializable { in_real_time: true, .. })
    }

    /// What was looked at, without the verdict.
    pub fn evidence(&self) -> String {
        match self {
            Accepted::NotSerializable { requests, events, .. } => {
                format!("{} in {}", count(*requests, "request"), count(*events, "event"))
            }
            Accepted::Serializable { argument, .. } => argument.to_string(),
        }
    }
}

/// Kinds of arguments for serializability, and what was looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// An inductive invariant whose every complete part is explained serially.
    Inclusion {
        /// How many triples the invariant has.
        triples: usize,
        /// How many successors of triples were found covered.
        successors: usize,
    },
    /// Every yield point is harmless: requests may as well run in a single step, or, if they are
    /// readers of so many labels, might have found at some moment what they have found.
    Rules { yield_points: usize, commutations: usize, readers: usize },
    /// Every yield point is harmless, whatever the values are.
    Symbolic {
        yield_points: usize,
        /// How many facts about values were needed.
        facts: usize,
        commutations: usize,
    },
    /// No request can yield: so many handlers were read.
    NoYield { handlers: usize },
    /// Each slice of the program by an argument of its own.
    Slices {
        /// How many shared variables are left out.
        dropped: usize,
        slices: Vec<Argument>,
    },
    /// Every count of transitions is impossible or gives a serial outcome.
    Arithmetic {
        /// How many components describe the serial outcomes.
        components: usize,
        /// How many nodes the trees have.
        nodes: usize,
        /// How many of them are leaves.
        leaves: usize,
    },
}

impl Argument {
    /// The name of the method.
    fn name(&self) -> &'static str {
        match self {
            Argument::Inclusion { .. } => "inclusion",
            Argument::Rules { .. } => "rules",
            Argument::Symbolic { .. } => "symbolic",
            Argument::NoYield { .. } => "no_yield",
            Argument::Slices { .. } => "slices",
            Argument::Arithmetic { .. } => "arithmetic",
        }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Inclusion { triples, successors } => {
                let (triples, successors) =
                    (count(*triples, "triple"), count(*successors, "successor"));
                write!(f, "inclusion: {triples}, {successors} covered")
            }
            Argument::Rules { yield_points, commutations, readers } => {
                let of_readers = format!("{} of intermediate values", count(*readers, "reader"));
                if *readers > 0 && *yield_points == 0 {
                    return write!(f, "rules: {of_readers}");
                }
                let (yield_points, commutations) = (
                    count(*yield_points, "harmless yield point"),
                    count(*commutations, "commutation"),
                );
                write!(f, "rules: {yield_points}, {commutations} checked")?;
                if *readers > 0 { write!(f, ", {of_readers}") } else { Ok(()) }
            }
            Argument::Symbolic { yield_points, facts, commutations } => write!(
                f,
                "symbolic: {}, {} kept, {} checked",
                count(*yield_points, "harmless yield point"),
                count(*facts, "fact"),
                count(*commutations, "commutation"),
            ),
            Argument::NoYield { handlers } => {
                write!(f, "no_yield: {} without a `yield` in reach", count(*handlers, "handler"))
            }
            Argument::Slices { dropped, slices } => {
                write!(f, "slices: {}", count(slices.len(), "part"))?;
                if *dropped > 0 {
                    write!(f, ", {} left out", count(*dropped, "variable"))?;
                }
                let names: Vec<&str> = slices.iter().map(Argument::name).collect();
                write!(f, ", by {}", names.join(", "))
            }
            Argument::Arithmetic { components, nodes, leaves } => write!(
                f,
                "arithmetic: {}, {} in trees of {}",
                count(*components, "component"),
                count(*leaves, "case"),
                count(*nodes, "node"),
            ),
        }
    }
}

impl fmt::Display for Accepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Accepted::NotSerializable { requests, events, serial_states, strict } => {
                let (strictly, such) = match strict {
                    true => ("strictly ", " in real-time order"),
                    false => ("", ""),
                };
                write!(
                    f,
                    "not {strictly}serializable: {} in {}, and none of the serial runs{such} has \
                     this outcome ({} visited)",
                    count(*requests, "request"),
                    count(*events, "event"),
                    count(*serial_states, "state"),
                )
            }
            Accepted::Serializable { argument, .. } => write!(f, "serializable, by {argument}"),
        }
    }
}

/// `1 triple`, `2 triples`.
fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("{n} {noun}") } else { format!("{n} {noun}s") }
}
