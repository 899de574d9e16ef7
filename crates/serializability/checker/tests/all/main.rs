//! What the checker accepts, and what it rejects.

mod arithmetic;
mod common;
mod counterexample;
mod forgeries;
mod inclusion;
mod no_yield;
mod opaque;
mod readers;
mod real_time;
mod rules;
mod slices;
mod text;
