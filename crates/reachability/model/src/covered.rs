/// How far a search looked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Covered {
    /// Everything: the answer is complete.
    All,
    /// All runs in which the loops of each process go round at most so often. Processes without
    /// loops whose end is not known are left out.
    Rounds(Vec<(String, u32)>),
    /// All runs of at most so many steps.
    Steps(u32),
    Nothing,
}
