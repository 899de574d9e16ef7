//! The rules: one file for each kind of step, and one for the end.

pub(crate) mod draw;
pub(crate) mod each;
pub(crate) mod end;
pub(crate) mod fold;
pub(crate) mod fork;
pub(crate) mod frame;
pub(crate) mod loops;
pub(crate) mod pick;
pub(crate) mod run;
pub(crate) mod take;
pub(crate) mod unfold;
