//! Evidence for an answer about transactions at their levels, as it is kept.

use crate::anomaly::check_anomaly;
use crate::certificate::{Certificate, check};
use ser_base::Limits;
use ser_isolation_model::ast::{Level, Program};
use ser_isolation_model::engine::Schedule;
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The level of each transaction, in the order of the file.
    pub levels: Vec<Level>,
    pub claim: Claim,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// Whatever happens is what happens in a serial run.
    Robust(Box<Certificate>),
    /// This run is not.
    Anomaly(Schedule),
}

/// Why evidence is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unaccepted {
    #[error("{0}")]
    Rejected(String),
    #[error("{0}")]
    Stopped(ser_base::Stop),
}

/// What was established, in words.
pub fn check_evidence(
    program: &Program,
    evidence: &Evidence,
    limits: &Limits,
) -> Result<String, Unaccepted> {
    match &evidence.claim {
        Claim::Robust(certificate) => match check(program, &evidence.levels, certificate, limits) {
            Ok(()) => {
                let chains = certificate.chains.len();
                let reads = if chains == 1 { "read" } else { "reads" };
                Ok(format!(
                    "no cycle of dependencies goes through any of the {chains} {reads} behind which a \
                     transaction could be cut"
                ))
            }
            Err(crate::Rejection::Stopped(stop)) => Err(Unaccepted::Stopped(stop)),
            Err(rejection) => Err(Unaccepted::Rejected(rejection.to_string())),
        },
        Claim::Anomaly(schedule) => match check_anomaly(program, &evidence.levels, schedule) {
            Ok(shown) => Ok(match shown.orders {
                1 => "the run was done again, and no order of its transactions explains it"
                    .to_owned(),
                n => format!(
                    "the run was done again, and none of the {n} orders of its transactions explains it"
                ),
            }),
            Err(refused) => Err(Unaccepted::Rejected(refused.to_string())),
        },
    }
}
