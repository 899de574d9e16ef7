//! What is decided, proved and explored, compared with small models, the paper and the checker.

mod crowd;
mod crowd_tampering;
mod explore;
mod figure7;
mod infer;
mod models;
mod second_opinion;
mod theories;
mod traps;
