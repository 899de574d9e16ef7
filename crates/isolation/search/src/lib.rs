//! Which isolation levels are enough for transactions in SQL, and runs that show where they are not.

pub mod anomaly;
mod values;
