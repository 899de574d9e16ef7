//! The code that a process has still before it.

use ser_syntax::icet::ast::{MessageId, ProcessId, Stmt, StmtId, StmtKind};

use crate::sequential::Ghost;

/// One thing that is still to be done.
#[derive(Clone, Copy, Debug)]
pub enum Item<'p> {
    /// A statement of the protocol.
    Statement(&'p Stmt),
    /// A send that was executed in a loop, and that is told to others later.
    Postponed(Postponed),
    /// The end of an iteration.
    Stop,
}

/// A send whose value is in a ghost already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Postponed {
    pub tag: StmtId,
    pub message: MessageId,
    pub to: ProcessId,
    pub ghost: Ghost,
}

impl PartialEq for Item<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Item::Statement(left), Item::Statement(right)) => left.id == right.id,
            (Item::Postponed(left), Item::Postponed(right)) => left == right,
            (Item::Stop, Item::Stop) => true,
            _ => false,
        }
    }
}

/// A list of items, the last one of which comes first.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Code<'p>(Vec<Item<'p>>);

impl<'p> Code<'p> {
    pub fn of(block: &'p [Stmt]) -> Code<'p> {
        let mut code = Code::default();
        code.enter(block);
        code
    }

    pub fn first(&self) -> Option<Item<'p>> {
        self.0.last().copied()
    }

    /// The statement that comes first, if it is one.
    pub fn statement(&self) -> Option<&'p Stmt> {
        match self.first() {
            Some(Item::Statement(statement)) => Some(statement),
            _ => None,
        }
    }

    /// How many items it has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Its last `count` items.
    pub fn suffix(&self, count: usize) -> Code<'p> {
        Code(self.0.iter().take(count).copied().collect())
    }

    /// Drops what comes first.
    pub fn advance(&mut self) {
        self.0.pop();
    }

    /// Puts something in front.
    pub fn push(&mut self, item: Item<'p>) {
        self.0.push(item);
    }

    /// Puts a block in front.
    pub fn enter(&mut self, block: &'p [Stmt]) {
        self.0.extend(block.iter().rev().map(Item::Statement));
    }

    /// Drops everything up to and including the statement `of`; says whether it was there.
    pub fn leave(&mut self, of: StmtId) -> bool {
        while let Some(item) = self.0.pop() {
            match item {
                Item::Statement(statement) if statement.id == of => return true,
                Item::Stop => return false,
                _ => {}
            }
        }
        false
    }

    /// In order.
    pub fn items(&self) -> impl Iterator<Item = Item<'p>> {
        self.0.iter().rev().copied()
    }

    /// How many statements it has, with those inside others.
    pub fn size(&self) -> usize {
        let mut count = 0;
        for item in &self.0 {
            match item {
                Item::Statement(statement) => statement.walk(&mut |_| count += 1),
                Item::Postponed(_) => count += 1,
                Item::Stop => {}
            }
        }
        count
    }

    /// Whether it contains this send, anywhere.
    pub fn contains(&self, tag: StmtId) -> bool {
        let mut found = false;
        for item in &self.0 {
            match item {
                Item::Statement(statement) => statement.walk(&mut |it| found |= it.id == tag),
                Item::Postponed(send) => found |= send.tag == tag,
                Item::Stop => {}
            }
        }
        found
    }

    /// Whether a server may stay here: at its end, at a `loop` or at a receive.
    pub fn rests(&self) -> bool {
        match self.first() {
            None => true,
            Some(Item::Statement(it)) => {
                matches!(it.kind, StmtKind::Loop { .. } | StmtKind::Receive { .. })
            }
            Some(Item::Postponed(_) | Item::Stop) => false,
        }
    }

    /// Whether it starts with a `loop` that does something before it waits for a message.
    pub fn is_active(&self) -> bool {
        self.statement().is_some_and(acts)
    }
}

/// Whether a statement does something before it waits for a message.
pub(crate) fn acts(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Loop { body } => body.first().is_none_or(acts),
        StmtKind::Receive { .. } => false,
        _ => true,
    }
}
