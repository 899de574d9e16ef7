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
    },
    /// Every outcome is the outcome of a serial run.
    Serializable {
        /// By which kind of argument.
        method: Method,
        /// How many triples the invariant has.
        triples: usize,
        /// How many successors of triples were found covered.
        successors: usize,
        /// How many transitions the net had after the reductions.
        transitions: usize,
        /// How many places for requests in flight the net had after the reductions.
        places: usize,
        /// How many states the serial automaton has.
        serial_states: usize,
    },
}

/// Kinds of arguments for serializability.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// An inductive invariant whose every complete part is explained serially.
    Inclusion,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Inclusion => f.write_str("inclusion"),
        }
    }
}

impl fmt::Display for Accepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Accepted::NotSerializable { requests, events, serial_states } => write!(
                f,
                "not serializable: {requests} requests in {events} events, and none of the \
                 serial runs has this outcome ({serial_states} states visited)"
            ),
            Accepted::Serializable { method, triples, successors, .. } => write!(
                f,
                "serializable, by {method}: {triples} triples, {successors} successors covered"
            ),
        }
    }
}
