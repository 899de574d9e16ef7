//! The rules: one file for each kind of step, and one for the end.

pub mod draw;
pub mod each;
pub mod end;
pub mod fold;
pub mod fork;
pub mod frame;
pub mod loops;
pub mod pick;
pub mod run;
pub mod take;
pub mod unfold;
