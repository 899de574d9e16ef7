//! A report as one JSON object.
