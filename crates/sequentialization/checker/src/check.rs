//! Reads and checks certificates.

use crate::interpreter::replay_run;
use crate::rejection::{Reason, Rejection};
use crate::replay::{Outcome, replay};
use crate::run::Shows;
use crate::{Certificate, Claim, assertions};
use ser_base::Limits;
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{StmtId, StmtKind};
use std::collections::BTreeSet;

/// What was shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No process other than a server waits forever, and every assertion holds except those that
    /// are open.
    Sequentialized {
        /// What the derivation has shown.
        outcome: Outcome,
        /// Statements about which the certificate claims nothing, ascending; all that are open are
        /// among them.
        unproved: Vec<StmtId>,
    },
    /// The protocol goes wrong.
    Refuted { shows: Shows },
}

/// Reads a certificate.
///
/// ```
/// let error = ser_sequentialization_checker::read("{}").unwrap_err();
/// assert!(error.to_string().contains("source"), "{error}");
/// ```
pub fn read(text: &str) -> serde_json::Result<Certificate> {
    serde_json::from_str(text)
}

/// Checks a certificate: its claim about its protocol holds if this gives a verdict.
pub fn check(certificate: &Certificate, limits: &Limits) -> Result<Verdict, Rejection> {
    let parse = ser_syntax::icet::parse(&certificate.source);
    if let Some(error) = parse.diagnostics.iter().find(|it| it.is_error()) {
        return Err(Reason::Source { what: error.message.clone() }.into());
    }
    match &certificate.claim {
        Claim::Sequentialized { derivation, unproved } => {
            let outcome = replay(&parse.protocol, derivation, limits)?;
            let can_fail = can_fail(&parse.protocol);
            let unproved: BTreeSet<StmtId> = unproved.iter().map(|it| StmtId(*it)).collect();
            if let Some(wrong) = unproved.iter().find(|it| !can_fail.contains(it)) {
                return Err(Reason::NoAssertion { statement: wrong.0 }.into());
            }
            shown(&parse.protocol, &outcome, &unproved, limits)?;
            Ok(Verdict::Sequentialized { outcome, unproved: unproved.into_iter().collect() })
        }
        Claim::Refuted(run) => {
            replay_run(&parse.protocol, run)?;
            Ok(Verdict::Refuted { shows: run.shows.clone() })
        }
    }
}

/// Whether all statements that the derivation leaves open hold in the sequential program, but for
/// the unproved ones.
fn shown(
    protocol: &Protocol,
    outcome: &Outcome,
    unproved: &BTreeSet<StmtId>,
    limits: &Limits,
) -> Result<(), Reason> {
    if outcome.open.iter().all(|it| unproved.contains(it)) {
        return Ok(());
    }
    let proof = assertions::prove(protocol, &outcome.sequential, assertions::STEPS, limits);
    match proof.still_open(outcome).iter().find(|it| !unproved.contains(it)) {
        Some(open) => {
            limits.check_clock().map_err(Reason::Stopped)?;
            Err(Reason::Unproved { statement: open.0 })
        }
        None => Ok(()),
    }
}

/// Statements that can fail.
fn can_fail(protocol: &Protocol) -> BTreeSet<StmtId> {
    let mut found = BTreeSet::new();
    for statement in protocol.processes.iter().flat_map(|process| &process.body) {
        statement.walk(&mut |it| {
            if matches!(
                it.kind,
                StmtKind::Assert { .. } | StmtKind::Fail | StmtKind::Receive { .. }
            ) {
                found.insert(it.id);
            }
        });
    }
    found
}
