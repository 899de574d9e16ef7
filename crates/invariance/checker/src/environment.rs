//! What is known in the middle of a step: the values of variables, the heap, where threads are.

use crate::logic::{Formula, TermRef};
use ser_syntax::inv::ast::{Field, GlobalId, LocId, ProcId};

/// A variable of a global or a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variable {
    Global(u32),
    /// Local and block.
    Local(u32, u32),
}

/// The value of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    Term(TermRef),
    /// Of type `bool`.
    Formula(Formula),
}

/// Where threads are, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// Nothing is known.
    Unknown,
    /// This block is at this location.
    One(u32, LocId),
    All(LocId),
}

impl Position {
    /// Where a block is, if that is known.
    pub fn of(self, block: u32) -> Option<LocId> {
        match self {
            Position::Unknown => None,
            Position::One(known, location) => (known == block).then_some(location),
            Position::All(location) => Some(location),
        }
    }
}

/// A write of a field: it makes a heap version from the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Write {
    pub field: Field,
    pub address: TermRef,
    pub value: TermRef,
}

/// The heap versions of a path: version 0, and one for each write.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    writes: Vec<Write>,
    /// After each write, the last version that wrote each field.
    last: Vec<[u32; 3]>,
}

fn place(field: Field) -> usize {
    match field {
        Field::Next => 0,
        Field::Data => 1,
        Field::Lockid => 2,
    }
}

impl Heap {
    /// One more version.
    pub fn push(&mut self, write: Write) {
        let mut last = self.last.last().copied().unwrap_or_default();
        last[place(write.field)] = self.version() + 1;
        self.writes.push(write);
        self.last.push(last);
    }

    /// All writes, in their order.
    pub fn writes(&self) -> &[Write] {
        &self.writes
    }

    /// The last version.
    pub fn version(&self) -> u32 {
        self.writes.len() as u32
    }

    /// The write that made a version.
    pub fn write(&self, version: u32) -> Option<&Write> {
        self.writes.get((version as usize).checked_sub(1)?)
    }

    /// The last version up to this one that wrote one of the fields, or 0.
    pub fn lowered(&self, version: u32, fields: &[Field]) -> u32 {
        let last = (version as usize).checked_sub(1).and_then(|it| self.last.get(it));
        let last = last.or(self.last.last().filter(|_| version > 0));
        fields.iter().filter_map(|field| last.map(|it| it[place(*field)])).max().unwrap_or(0)
    }
}

/// The values of variables, where they are not those before the step.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Those that were assigned.
    changed: Vec<(Variable, Value)>,
    /// Sites that were set: block, procedure, call.
    sites: Vec<(u32, ProcId, LocId)>,
    pub position: Position,
    /// The current version is the last one.
    pub heap: Heap,
}

impl Environment {
    /// Before a step.
    pub fn before(position: Position) -> Environment {
        Environment { changed: Vec::new(), sites: Vec::new(), position, heap: Heap::default() }
    }

    /// The variables that were assigned, with their values now.
    pub fn changed(&self) -> &[(Variable, Value)] {
        &self.changed
    }

    pub fn get(&self, variable: Variable) -> Option<Value> {
        self.changed.iter().find(|(it, _)| *it == variable).map(|(_, value)| *value)
    }

    pub fn set(&mut self, variable: Variable, value: Value) {
        match self.changed.iter_mut().find(|(it, _)| *it == variable) {
            Some((_, old)) => *old = value,
            None => self.changed.push((variable, value)),
        }
    }

    pub fn site(&self, block: u32, procedure: ProcId) -> Option<LocId> {
        let mut sites = self.sites.iter();
        sites.find(|it| (it.0, it.1) == (block, procedure)).map(|it| it.2)
    }

    pub fn set_site(&mut self, block: u32, procedure: ProcId, call: LocId) {
        self.sites.retain(|it| (it.0, it.1) != (block, procedure));
        self.sites.push((block, procedure, call));
    }
}

/// Which threads are meant.
#[derive(Clone, Copy, Default, Debug)]
pub struct Scope<'a> {
    /// The one that does the step.
    pub me: Option<u32>,
    /// The parameters of the invariant.
    pub parameters: &'a [u32],
    pub anchors: &'a [(GlobalId, u32)],
}
