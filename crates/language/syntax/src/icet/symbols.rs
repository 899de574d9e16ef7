//! Where the names of a file stand, and what they stand for, for editors.

use super::ast::{ConstructorId, EnumId, MessageId, ProcessId, SetId, VarId};

/// Something that has a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symbol {
    /// `const N = 3`: its place among the constants of the file.
    Constant(u32),
    /// A set of processes or numbers.
    Set(SetId),
    /// An enumeration.
    Enum(EnumId),
    /// A value of an enumeration.
    EnumValue(EnumId, u32),
    /// A message type.
    Message(MessageId),
    Constructor(MessageId, ConstructorId),
    Process(ProcessId),
    /// What a member of a set calls itself.
    Me(ProcessId),
    Variable(ProcessId, VarId),
}
