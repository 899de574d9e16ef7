//! Reports as a SARIF 2.1.0 log.
