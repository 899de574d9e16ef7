//! What a process has still to do.

use ser_syntax::icet::ast::{MessageId, ProcessId, Stmt, StmtId, StmtKind};

/// One thing to do.
#[derive(Clone, Copy, Debug)]
pub enum Item<'p> {
    /// A statement of the protocol.
    Statement(&'p Stmt),
    /// A message of the statement `tag`, sent already as far as its owner is concerned.
    Postponed {
        /// The statement that sent it.
        tag: StmtId,
        /// Its type.
        message: MessageId,
        /// To whom.
        to: ProcessId,
        /// Where its value is.
        ghost: u32,
    },
    /// The end of an iteration.
    Stop,
}

impl PartialEq for Item<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Item::Statement(one), Item::Statement(two)) => one.id == two.id,
            (
                Item::Postponed { tag, message, to, ghost },
                Item::Postponed { tag: tag2, message: message2, to: to2, ghost: ghost2 },
            ) => (tag, message, to, ghost) == (tag2, message2, to2, ghost2),
            (Item::Stop, Item::Stop) => true,
            _ => false,
        }
    }
}

/// Things to do, the next one last.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Code<'p>(Vec<Item<'p>>);

impl<'p> Code<'p> {
    /// The statements of a block.
    pub fn of(block: &'p [Stmt]) -> Code<'p> {
        let mut code = Code::default();
        code.prepend(block);
        code
    }

    /// What is to be done next.
    pub fn head(&self) -> Option<Item<'p>> {
        self.0.last().copied()
    }

    /// Drops what is to be done next.
    pub fn pop(&mut self) {
        self.0.pop();
    }

    /// Puts a block in front.
    pub fn prepend(&mut self, block: &'p [Stmt]) {
        self.0.extend(block.iter().rev().map(Item::Statement));
    }

    /// Puts one thing in front.
    pub fn push(&mut self, item: Item<'p>) {
        self.0.push(item);
    }

    /// Leaves the loop `of`: drops everything up to it and itself.
    pub fn leave(&mut self, of: StmtId) {
        while let Some(item) = self.0.pop() {
            if matches!(item, Item::Statement(stmt) if stmt.id == of) {
                break;
            }
        }
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many things there are to do, not counting what is inside statements.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The last `count` things to do.
    pub fn suffix(&self, count: usize) -> Code<'p> {
        Code(self.0[..count.min(self.0.len())].to_vec())
    }

    /// How many statements there are, with those inside statements.
    pub fn size(&self) -> usize {
        let size = |item: &Item<'p>| match item {
            Item::Statement(stmt) => {
                let mut count = 0;
                stmt.walk(&mut |_| count += 1);
                count
            }
            Item::Postponed { .. } => 1,
            Item::Stop => 0,
        };
        self.0.iter().map(size).sum()
    }

    /// Whether the send `tag` is among it.
    pub fn sends(&self, tag: StmtId) -> bool {
        self.0.iter().any(|item| match item {
            Item::Statement(stmt) => {
                let mut found = false;
                stmt.walk(&mut |inner| found |= inner.id == tag);
                found
            }
            Item::Postponed { tag: postponed, .. } => *postponed == tag,
            Item::Stop => false,
        })
    }

    /// The things to do, in their order.
    pub fn items(&self) -> impl Iterator<Item = Item<'p>> + '_ {
        self.0.iter().rev().copied()
    }

    /// Whether a server may stay here: at its end, at a `loop` or at a receive.
    pub fn rests(&self) -> bool {
        match self.head() {
            None => true,
            Some(Item::Statement(stmt)) => {
                matches!(stmt.kind, StmtKind::Loop { .. } | StmtKind::Receive { .. })
            }
            Some(_) => false,
        }
    }

    /// Whether it goes on without receiving anything: a `loop` that does not begin with a receive.
    pub fn is_active(&self) -> bool {
        fn acts(stmt: &Stmt) -> bool {
            match &stmt.kind {
                StmtKind::Loop { body } => body.first().is_none_or(acts),
                StmtKind::Receive { .. } => false,
                _ => true,
            }
        }
        matches!(self.head(), Some(Item::Statement(stmt)) if acts(stmt))
    }
}
