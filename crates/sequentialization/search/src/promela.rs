//! Export to Promela, the language of Spin, for given sizes of the sets.
//!
//! One `proctype` for each process of the protocol, one channel for each sender, receiver and type
//! that can have messages. Sends never wait in the protocol, so a send is preceded by an assertion
//! that its channel is not full: too small a capacity is reported and not turned into waiting. A
//! receive of a server has an `end` label, where it may wait forever. What Spin calls an invalid
//! end state is a deadlock; with `pan -q`, which wants all channels to be empty in the end, also a
//! message that was never received. Failures are assertions.
//!
//! Addresses are numbers, counted over all processes in the order of the file; messages are the
//! number of their constructor and their fields, filled up with zeros.

mod expression;
mod layout;
mod writer;

use crate::explore::MAX_MEMBERS;
use ser_syntax::icet::ast::Protocol;
use thiserror::Error;

/// How a protocol is exported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PromelaOptions {
    /// Whether `for` over processes takes its members in any order, as the language says. Otherwise
    /// they ascend, which has far fewer states, and some runs are left out.
    pub any_order: bool,
    /// How many messages a channel holds.
    pub capacity: u32,
}

impl Default for PromelaOptions {
    fn default() -> PromelaOptions {
        PromelaOptions { any_order: true, capacity: 4 }
    }
}

/// Why a protocol cannot be exported.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PromelaError {
    /// Spin has at most 255 processes, one of which starts the others.
    #[error(
        "{processes} processes: Spin runs at most 254, and a set has at most {MAX_MEMBERS} members here"
    )]
    TooManyProcesses {
        /// How many there are.
        processes: usize,
    },
    /// Numbers of Promela have 32 bits.
    #[error("the number {number} does not fit into Promela's 32 bits")]
    Number { number: i64 },
}

/// The protocol with sets of these sizes, in Promela.
///
/// # Errors
/// There are too many processes, or a number is too large.
///
/// ```
/// use ser_sequentialization_search::promela::{PromelaOptions, export};
/// let text = "msg A = A; process p { send A to q; } process q { x := recv A from p; }";
/// let protocol = ser_syntax::icet::parse(text).protocol;
/// let model = export(&protocol, &[], &PromelaOptions::default())?;
/// assert!(model.contains("proctype p_q"));
/// # Ok::<(), ser_sequentialization_search::promela::PromelaError>(())
/// ```
pub fn export(
    protocol: &Protocol,
    sizes: &[u32],
    options: &PromelaOptions,
) -> Result<String, PromelaError> {
    writer::write(protocol, sizes, options)
}
