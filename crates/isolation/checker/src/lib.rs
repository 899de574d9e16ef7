//! Checks what was found about transactions in SQL.

mod anomaly;

pub use anomaly::{Refused, Shown, check_anomaly, closest, explanation};
