//! Schedules of transactions on rows, as the server allows them: versions, snapshots, row locks.
//!
//! Knows nothing of templates and of what the checker calls a conflict.

use crate::small::{Act, Instance, Small};
use ser_isolation_model::ast::{Level, Strength};
use std::collections::BTreeMap;

type Slot = (u32, u32);

/// What a committed transaction left behind.
#[derive(Clone, Copy, Debug)]
struct Version {
    /// Nothing for what is there at the start.
    by: Option<usize>,
    commit: u32,
    what: Change,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    Insert,
    Delete,
    Column(u32),
}

/// Somebody looked at a slot when so many versions were visible.
#[derive(Clone, Copy, Debug)]
struct Look {
    by: usize,
    slot: Slot,
    seen: usize,
    column: Option<u32>,
}

#[derive(Clone, Debug)]
struct Running {
    statement: usize,
    /// The snapshot of a statement that has begun.
    begun: Option<u32>,
    snapshot: Option<u32>,
    committed: Option<u32>,
    writes: Vec<(Slot, Change)>,
}

#[derive(Clone)]
pub struct World<'s> {
    set: &'s Small,
    instances: &'s [Instance],
    clock: u32,
    versions: BTreeMap<Slot, Vec<Version>>,
    locks: Vec<(usize, Slot, Strength)>,
    running: Vec<Running>,
    looks: Vec<Look>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Serializable,
    Anomaly,
    /// The server does not let all of them commit.
    Forbidden,
}

impl<'s> World<'s> {
    pub fn new(set: &'s Small, instances: &'s [Instance], there: &[Slot]) -> World<'s> {
        let first = Version { by: None, commit: 0, what: Change::Insert };
        let fresh = Running {
            statement: 0,
            begun: None,
            snapshot: None,
            committed: None,
            writes: Vec::new(),
        };
        World {
            set,
            instances,
            clock: 1,
            versions: there.iter().map(|it| (*it, vec![first])).collect(),
            locks: Vec::new(),
            running: vec![fresh; instances.len()],
            looks: Vec::new(),
        }
    }

    /// How many statements a transaction has run.
    pub fn done(&self, who: usize) -> usize {
        self.running[who].statement
    }

    pub fn is_over(&self, who: usize) -> bool {
        self.running[who].committed.is_some()
    }

    fn seen(&self, slot: Slot, until: u32) -> usize {
        let versions = self.versions.get(&slot).map_or(&[][..], |it| it);
        versions.iter().filter(|it| it.commit <= until).count()
    }

    fn exists(&self, slot: Slot, seen: usize) -> bool {
        let versions = self.versions.get(&slot).map_or(&[][..], |it| it);
        versions[..seen].iter().fold(false, |is, it| match it.what {
            Change::Insert => true,
            Change::Delete => false,
            Change::Column(_) => is,
        })
    }

    fn waits(&self, who: usize, slot: Slot, strength: Strength) -> bool {
        self.locks
            .iter()
            .any(|(by, other, held)| *by != who && *other == slot && held.conflicts(strength))
    }

    /// The next step of a transaction; whether it can do it now and goes on.
    pub fn step(&mut self, who: usize) -> bool {
        self.clock += 1;
        let now = self.clock;
        let instance = &self.instances[who];
        let statements = &self.set.programs[instance.program].statements;
        let Some(statement) = statements.get(self.running[who].statement) else {
            self.running[who].committed = Some(now);
            let writes = self.running[who].writes.clone();
            for (slot, what) in writes {
                let version = Version { by: Some(who), commit: now, what };
                self.versions.entry(slot).or_default().push(version);
            }
            self.locks.retain(|(by, _, _)| *by != who);
            return true;
        };
        let own = instance.level == Level::ReadCommitted;
        let snapshot = match (own, self.running[who].snapshot) {
            (false, Some(it)) => it,
            _ => self.running[who].begun.unwrap_or(now),
        };
        self.running[who].snapshot.get_or_insert(snapshot);
        let slot = (statement.table, instance.values[statement.term as usize]);
        let strength = match statement.act {
            Act::Read | Act::Insert => None,
            Act::Lock(it) => Some(it),
            Act::Add | Act::Set => Some(Strength::NoKeyUpdate),
            Act::Delete => Some(Strength::Update),
        };
        // A statement may wait between its snapshot and its locks.
        if own && strength.is_some() && self.set.moves() && self.running[who].begun.is_none() {
            self.running[who].begun = Some(now);
            return true;
        }
        self.running[who].begun = None;
        self.running[who].statement += 1;
        let mine: Vec<Change> =
            self.running[who].writes.iter().filter(|it| it.0 == slot).map(|it| it.1).collect();
        let latest = self.seen(slot, now);
        if statement.act == Act::Insert {
            let there = mine.iter().fold(self.exists(slot, latest), |is, it| match it {
                Change::Insert => true,
                Change::Delete => false,
                Change::Column(_) => is,
            });
            let busy = self.running.iter().enumerate().any(|(other, it)| {
                other != who
                    && it.committed.is_none()
                    && it.writes.iter().any(|(at, what)| {
                        *at == slot && matches!(what, Change::Insert | Change::Delete)
                    })
            });
            if there || busy {
                return false;
            }
            self.looks.push(Look { by: who, slot, seen: latest, column: None });
            self.running[who].writes.push((slot, Change::Insert));
            self.locks.push((who, slot, Strength::Update));
            return true;
        }
        let seen = self.seen(slot, snapshot);
        let visible = mine.iter().fold(self.exists(slot, seen), |is, it| match it {
            Change::Insert => true,
            Change::Delete => false,
            Change::Column(_) => is,
        });
        let touched = mine.iter().any(|it| matches!(it, Change::Insert | Change::Delete));
        let wrote = mine.contains(&Change::Column(statement.column)) || touched;
        let column = Some(statement.column);
        if !visible {
            if !touched {
                self.looks.push(Look { by: who, slot, seen, column: None });
            }
            return true;
        }
        let Some(strength) = strength else {
            if !wrote {
                self.looks.push(Look { by: who, slot, seen, column });
            }
            return true;
        };
        if self.waits(who, slot, strength) {
            return false;
        }
        if !touched && latest > seen {
            if !own {
                return false;
            }
            // The object that was seen may be gone, even if there is another one.
            let versions = &self.versions[&slot];
            if let Some(gone) = versions[seen..].iter().position(|it| it.what == Change::Delete) {
                let seen = seen + gone + 1;
                self.looks.push(Look { by: who, slot, seen, column: None });
                return true;
            }
        }
        self.locks.push((who, slot, strength));
        // The condition was read, too.
        if !touched {
            self.looks.push(Look { by: who, slot, seen: latest, column: None });
        }
        match statement.act {
            Act::Lock(_) | Act::Add if !wrote => {
                self.looks.push(Look { by: who, slot, seen: latest, column });
            }
            _ => {}
        }
        match statement.act {
            Act::Add | Act::Set => {
                self.running[who].writes.push((slot, Change::Column(statement.column)));
            }
            Act::Delete => self.running[who].writes.push((slot, Change::Delete)),
            _ => {}
        }
        true
    }

    /// What a schedule is, once all have committed.
    pub fn outcome(&self) -> Outcome {
        let count = self.instances.len();
        let mut edges = vec![vec![false; count]; count];
        let mut over = vec![vec![false; count]; count];
        for (slot, versions) in &self.versions {
            for (place, one) in versions.iter().enumerate() {
                for other in &versions[place + 1..] {
                    let related = match (one.what, other.what) {
                        (Change::Column(one), Change::Column(other)) => one == other,
                        _ => true,
                    };
                    if let (Some(one), Some(other)) = (one.by, other.by)
                        && related
                        && one != other
                    {
                        edges[one][other] = true;
                    }
                }
            }
            for look in self.looks.iter().filter(|it| it.slot == *slot) {
                for (place, version) in versions.iter().enumerate() {
                    let related = match version.what {
                        Change::Column(it) => look.column == Some(it),
                        _ => true,
                    };
                    let Some(by) = version.by.filter(|it| related && *it != look.by) else {
                        continue;
                    };
                    if place < look.seen {
                        edges[by][look.by] = true;
                    } else {
                        edges[look.by][by] = true;
                        over[look.by][by] = true;
                    }
                }
            }
        }
        if self.is_dangerous(&over) {
            return Outcome::Forbidden;
        }
        for middle in 0..count {
            for one in 0..count {
                for other in 0..count {
                    edges[one][other] |= edges[one][middle] && edges[middle][other];
                }
            }
        }
        let cyclic = (0..count).any(|one| {
            edges[one][one] || (0..count).any(|it| it != one && edges[one][it] && edges[it][one])
        });
        if cyclic { Outcome::Anomaly } else { Outcome::Serializable }
    }

    fn is_dangerous(&self, over: &[Vec<bool>]) -> bool {
        let strict = |it: usize| self.instances[it].level == Level::Serializable;
        let commit = |it: usize| self.running[it].committed.unwrap_or(u32::MAX);
        let begin = |it: usize| self.running[it].snapshot.unwrap_or(u32::MAX);
        let concurrent = |a: usize, b: usize| begin(a) < commit(b) && begin(b) < commit(a);
        let all: Vec<usize> = (0..self.instances.len()).filter(|it| strict(*it)).collect();
        all.iter().any(|a| {
            all.iter().any(|b| {
                all.iter().any(|c| {
                    let (a, b, c) = (*a, *b, *c);
                    let reads_only = self.running[a].writes.is_empty();
                    a != b
                        && b != c
                        && over[a][b]
                        && over[b][c]
                        && concurrent(a, b)
                        && concurrent(b, c)
                        && commit(c) < commit(b)
                        && (a == c || commit(c) < commit(a))
                        && (!reads_only || commit(c) < begin(a))
                })
            })
        })
    }
}

/// An order of steps that ends in an anomaly.
pub fn interleavings(world: &World<'_>) -> Option<Vec<usize>> {
    fn go(world: &World<'_>, order: &mut Vec<usize>) -> bool {
        let open: Vec<usize> =
            (0..world.instances.len()).filter(|it| !world.is_over(*it)).collect();
        if open.is_empty() {
            return world.outcome() == Outcome::Anomaly;
        }
        for who in open {
            let mut next = world.clone();
            if next.step(who) {
                order.push(who);
                if go(&next, order) {
                    return true;
                }
                order.pop();
            }
        }
        false
    }
    let mut order = Vec::new();
    go(world, &mut order).then_some(order)
}
