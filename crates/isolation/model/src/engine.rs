//! PostgreSQL's concurrency control in small: transactions side by side, one statement at a time.
//!
//! - **READ COMMITTED**: every statement sees what is committed when it starts. `UPDATE`, `DELETE`
//!   and `SELECT ... FOR` that meet a row which another transaction has changed or locked wait for
//!   it. If that one commits, the condition is evaluated again on the new version of this row (and
//!   of this row alone); if it rolls back, the statement goes on as if nothing had been.
//! - **REPEATABLE READ**: everything is seen as it was at the first statement. Changing or locking
//!   a row that somebody else has changed since fails.
//! - **SERIALIZABLE**: as REPEATABLE READ, and a transaction fails that would complete a dangerous
//!   structure of reads and writes among transactions of this level ([`dependencies`]).
//!
//! Who waits for somebody who waits for them fails. A transaction that fails is gone, with all that
//! it did, and whoever waited for it goes on: those first that have waited longest.

mod control;
pub mod dependencies;
mod evaluate;
mod failure;
mod foreign;
mod rows;
mod schedule;
mod statement;
mod tables;

pub use failure::{Concurrent, Failure};
pub use rows::{RowId, SessionId, Stamp, Values};
pub use schedule::{Call, Outcomes, Schedule, orders, play, serial};

use crate::ast::{Level, Program, Rows, Sql, SqlKind, TableId, Transaction};
use crate::value::Value;
use control::{Control, Next};
use dependencies::{Dependencies, Touch};
use evaluate::{Evaluator, Scope, store};
use rows::View;
use statement::{Execution, Progress, World};
use tables::Access;

/// Several transactions, each at some point of its run.
#[derive(Clone, Debug)]
pub struct Engine<'p> {
    world: World<'p>,
    sessions: Vec<Session<'p>>,
    dependencies: Dependencies,
    /// How often somebody began to wait.
    waits: u64,
    /// The number of the next transaction that writes or locks something.
    next_number: u32,
    /// Who goes on first when several wait for the same one: usually those who have waited longest,
    /// but the server lets them all go on at once.
    pub last_first: bool,
}

/// A transaction that runs with some arguments.
#[derive(Clone, Debug)]
pub struct Session<'p> {
    pub transaction: &'p Transaction,
    pub level: Level,
    control: Control<'p>,
    /// What it sees, from its first statement on (or for this statement, at READ COMMITTED).
    snapshot: Option<Stamp>,
    /// The lowest number of a transaction that ran when the snapshot was taken.
    oldest: u32,
    /// Its own number, once it has written or locked something.
    number: Option<u32>,
    command: u32,
    state: State<'p>,
}

#[derive(Clone, Debug)]
enum State<'p> {
    Ready,
    Waiting { execution: Box<Execution<'p>>, on: Vec<SessionId>, since: u64 },
    Committed,
    Failed(Failure),
}

/// What a session does next.
#[derive(Clone, PartialEq, Debug)]
pub enum Upcoming<'p> {
    Sql {
        sql: &'p Sql,
        variables: Vec<Value>,
        found: bool,
    },
    Commit,
    /// It fails by itself, between two statements.
    Fails,
}

/// What happened to a session.
#[derive(Clone, PartialEq, Debug)]
pub struct Event<'p> {
    pub session: SessionId,
    /// Which statement it was about; nothing is the commit.
    pub statement: Option<&'p Sql>,
    pub outcome: Outcome,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// The rows that it returned, and how many it found or changed.
    Done {
        rows: Vec<Vec<Value>>,
        count: usize,
    },
    Waits(Vec<SessionId>),
    Failed(Failure),
    Committed,
}

/// Whether a session can take a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    Ready,
    Waiting,
    Committed,
    Failed,
}

impl<'p> Engine<'p> {
    /// Empty tables, into which the rows are inserted that are there at the start.
    pub fn new(program: &'p Program) -> Result<Engine<'p>, Failure> {
        let world = World::new(program);
        let dependencies = Dependencies::default();
        let mut engine = Engine {
            world,
            sessions: Vec::new(),
            dependencies,
            waits: 0,
            next_number: 1,
            last_first: false,
        };
        for sql in &program.seed {
            engine.run_alone(&sql.kind)?;
        }
        Ok(engine)
    }

    /// Runs a statement in a transaction of its own, of nobody.
    pub fn run_alone(&mut self, kind: &'p SqlKind) -> Result<Vec<Vec<Value>>, Failure> {
        let session = SessionId(u32::MAX);
        let view = View { snapshot: self.world.tables.now, session, command: 1 };
        let level = Level::ReadCommitted;
        let run = Execution::new(&mut self.world, kind, view, level, (&[], false));
        let done = run.and_then(|mut it| {
            let progress = it.run(&mut self.world)?;
            match progress {
                Progress::Done => Ok(it.rows),
                Progress::Waits(_) => Err(evaluate::beyond("rows that are locked")),
            }
        });
        self.world.tables.end(session, done.is_ok());
        done
    }

    /// Puts a row into a table before anything runs. The table has to allow it, as far as its own
    /// constraints go.
    pub fn put(&mut self, table: TableId, values: Vec<Value>) -> Result<(), Failure> {
        let session = SessionId(u32::MAX);
        let view = View { snapshot: self.world.tables.now, session, command: 1 };
        let declared = self.world.program.tables.get(table.0 as usize);
        let declared = declared.map_or(&[][..], |it| &it.columns);
        if declared.is_empty() || declared.len() != values.len() {
            return Err(Failure::Beyond("there is a row that belongs to no table".to_owned()));
        }
        let values = values.into_iter().zip(declared);
        let stored = values.map(|(it, column)| store(it, column.ty, column.scale, column.length));
        let values: Values = stored.collect::<Result<Vec<_>, _>>()?.into();
        self.world.constraints(view, table, &values)?;
        self.world.distinct(session, table, &values)?;
        let row = self.world.tables.add(table);
        self.world.tables.write(row, view, Some(values.clone()), true);
        let mut checks = foreign::Check::after_insert(&self.world, row, &values);
        let checked = checks
            .iter_mut()
            .try_for_each(|it| it.run(&mut self.world, view, Level::ReadCommitted).map(|_| ()));
        self.world.tables.end(session, checked.is_ok());
        checked
    }

    /// A transaction that has not done anything yet.
    pub fn begin(
        &mut self,
        transaction: &'p Transaction,
        arguments: &[Value],
        level: Level,
    ) -> Result<SessionId, Failure> {
        let id = SessionId(self.sessions.len() as u32);
        let mut variables: Vec<Value> = Vec::new();
        for (at, variable) in transaction.variables.iter().enumerate() {
            let value = match (arguments.get(at), &variable.first) {
                (Some(value), _) if at < transaction.parameters => value.clone(),
                (_, Some(first)) => {
                    let view = View { snapshot: self.world.tables.now, session: id, command: 1 };
                    let tables = &self.world.tables;
                    let evaluator = Evaluator { tables, view, variables: &variables, found: false };
                    evaluator.expr(first, &Scope::NONE)?
                }
                _ => Value::Null,
            };
            variables.push(store(value, variable.ty, variable.scale, None)?);
        }
        let control = Control::new(transaction, variables);
        let state = State::Ready;
        self.sessions.push(Session {
            transaction,
            level,
            control,
            snapshot: None,
            oldest: 0,
            number: None,
            command: 1,
            state,
        });
        Ok(id)
    }

    pub fn standing(&self, id: SessionId) -> Standing {
        match &self.session(id).state {
            State::Ready => Standing::Ready,
            State::Waiting { .. } => Standing::Waiting,
            State::Committed => Standing::Committed,
            State::Failed(_) => Standing::Failed,
        }
    }

    pub fn session(&self, id: SessionId) -> &Session<'p> {
        &self.sessions[id.0 as usize]
    }

    /// What the client of a transaction got; nothing if it has failed.
    pub fn results(&self, id: SessionId) -> Option<&[Vec<Value>]> {
        match self.session(id).state {
            State::Failed(_) => None,
            _ => Some(&self.session(id).control.results),
        }
    }

    pub fn failure(&self, id: SessionId) -> Option<&Failure> {
        match &self.session(id).state {
            State::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// The rows of a table that are committed, in the order in which they stand.
    pub fn contents(&self, table: TableId) -> Vec<Values> {
        let (snapshot, session) = (self.world.tables.now, SessionId(u32::MAX));
        let view = View { snapshot, session, command: 1 };
        self.world.tables.scan(table, view).into_iter().map(|(_, _, values)| values).collect()
    }

    /// The statement that a session that is ready would ask next.
    ///
    /// What comes before it, and asks nothing, is done.
    fn next(&mut self, id: SessionId) -> Result<Next<'p>, Failure> {
        let view = self.view(id);
        let session = &mut self.sessions[id.0 as usize];
        let tables = &self.world.tables;
        // Expressions without queries look at no table.
        let evaluator = Evaluator { tables, view, variables: &[], found: false };
        session.control.next(&evaluator)
    }

    fn view(&mut self, id: SessionId) -> View {
        let now = self.world.tables.now;
        let session = &mut self.sessions[id.0 as usize];
        let kept = session
            .snapshot
            .filter(|_| session.level != Level::ReadCommitted || session.transaction.stable);
        View { snapshot: kept.unwrap_or(now), session: id, command: session.command }
    }

    /// What a session that is ready would do next: a statement with the values of its variables, or
    /// the commit, or nothing that the server would see.
    pub fn upcoming(&mut self, id: SessionId) -> Upcoming<'p> {
        match self.next(id) {
            Ok(Next::Sql(sql)) => {
                let control = &self.session(id).control;
                Upcoming::Sql { sql, variables: control.variables.clone(), found: control.found }
            }
            Ok(Next::End) => Upcoming::Commit,
            Err(_) => Upcoming::Fails,
        }
    }

    /// Lets a session that is ready ask its next statement, or commit; and everybody go on who
    /// waited for it.
    pub fn step(&mut self, id: SessionId) -> Vec<Event<'p>> {
        let mut events = Vec::new();
        if self.standing(id) == Standing::Ready {
            self.ask(id, &mut events);
            self.wake(&mut events);
        }
        events
    }

    fn ask(&mut self, id: SessionId, events: &mut Vec<Event<'p>>) {
        let next = match self.next(id) {
            Ok(next) => next,
            Err(failure) => return self.fail(id, None, failure, events),
        };
        let view = self.view(id);
        let level = self.session(id).level;
        if next != Next::End {
            let oldest = self.oldest();
            let session = &mut self.sessions[id.0 as usize];
            if session.snapshot.is_none() || level == Level::ReadCommitted {
                session.oldest = oldest;
            }
            session.snapshot = Some(view.snapshot);
            if level == Level::Serializable {
                let oldest = session.oldest;
                if let Err(failure) = self.dependencies.start(id, oldest) {
                    return self.fail(id, asked_by(&next), failure, events);
                }
            }
        }
        match next {
            Next::End => {
                if let Err(failure) = self.dependencies.commit(id, self.next_number) {
                    return self.fail(id, None, failure, events);
                }
                self.world.tables.end(id, true);
                self.sessions[id.0 as usize].state = State::Committed;
                events.push(Event { session: id, statement: None, outcome: Outcome::Committed });
            }
            Next::Sql(sql) => {
                let control = &self.session(id).control;
                let given = (control.variables.clone(), control.found);
                let start =
                    Execution::new(&mut self.world, &sql.kind, view, level, (&given.0, given.1));
                match start {
                    Ok(execution) => {
                        self.world.tables.log.clear();
                        let read = dependencies::tables_of(&sql.kind);
                        if let Err(failure) = self.depend(id, level, Access::Read, &read) {
                            return self.fail(id, Some(sql), failure, events);
                        }
                        self.go_on(id, sql, execution, events);
                    }
                    Err(failure) => self.fail(id, Some(sql), failure, events),
                }
            }
        }
    }

    /// A statement runs until it is done or waits.
    fn go_on(
        &mut self,
        id: SessionId,
        sql: &'p Sql,
        mut execution: Execution<'p>,
        events: &mut Vec<Event<'p>>,
    ) {
        let asked = Some(sql);
        let run = execution.run(&mut self.world);
        if self.session(id).number.is_none() && self.world.tables.is_marked_by(id) {
            self.sessions[id.0 as usize].number = Some(self.next_number);
            self.next_number += 1;
        }
        if let Err(failure) = self.depend_on_log(id, execution.level, &run) {
            return self.fail(id, asked, failure, events);
        }
        match run {
            Err(failure) => self.fail(id, asked, failure, events),
            Ok(Progress::Waits(on)) => {
                let outcome = Outcome::Waits(on.clone());
                let (since, waits) = match &self.session(id).state {
                    State::Waiting { since, on: before, .. } => (*since, *before != on),
                    _ => (self.waits, true),
                };
                self.waits += 1;
                let execution = Box::new(execution);
                let state = State::Waiting { execution, on, since };
                self.sessions[id.0 as usize].state = state;
                if self.waits_for_itself(id) {
                    return self.fail(id, asked, Failure::Deadlock, events);
                }
                if waits {
                    events.push(Event { session: id, statement: asked, outcome });
                }
            }
            Ok(Progress::Done) => {
                let command = execution.view.command + 4;
                let session = &mut self.sessions[id.0 as usize];
                session.state = State::Ready;
                session.command = command;
                let (rows, count) = (execution.rows, execution.count);
                let shown = match sql.rows {
                    Rows::Nowhere => Vec::new(),
                    _ => rows.clone(),
                };
                if let Err(failure) = session.control.answered(self.world.program, rows, count) {
                    return self.fail(id, asked, failure, events);
                }
                let outcome = Outcome::Done { rows: shown, count };
                events.push(Event { session: id, statement: asked, outcome });
            }
        }
    }

    /// What a statement has read for foreign keys, and written, until it was done, waits or fails.
    fn depend_on_log(
        &mut self,
        id: SessionId,
        level: Level,
        run: &Result<Progress, Failure>,
    ) -> Result<(), Failure> {
        for (table, access) in std::mem::take(&mut self.world.tables.log) {
            self.depend(id, level, access, &[table])?;
        }
        // A transaction that has to fail anyway is told so rather than that a key is not unique.
        match run {
            Err(Failure::Unique(_)) => self.depend(id, level, Access::Read, &[]),
            _ => Ok(()),
        }
    }

    fn depend(
        &mut self,
        id: SessionId,
        level: Level,
        access: Access,
        tables: &[TableId],
    ) -> Result<(), Failure> {
        if level != Level::Serializable {
            return Ok(());
        }
        let oldest = self.session(id).oldest;
        self.dependencies.touch(Touch { id, oldest, tables, access })
    }

    /// The lowest number of a transaction that is running.
    fn oldest(&self) -> u32 {
        let running = self
            .sessions
            .iter()
            .filter(|it| matches!(it.state, State::Ready | State::Waiting { .. }));
        running.filter_map(|it| it.number).min().unwrap_or(self.next_number)
    }

    fn fail(
        &mut self,
        id: SessionId,
        statement: Option<&'p Sql>,
        failure: Failure,
        events: &mut Vec<Event<'p>>,
    ) {
        self.world.tables.end(id, false);
        self.dependencies.abort(id);
        self.sessions[id.0 as usize].state = State::Failed(failure.clone());
        events.push(Event { session: id, statement, outcome: Outcome::Failed(failure) });
    }

    /// Everybody who need not wait any longer goes on, those first that have waited longest.
    fn wake(&mut self, events: &mut Vec<Event<'p>>) {
        loop {
            let waiting = self.sessions.iter().enumerate().filter_map(|(at, it)| match &it.state {
                State::Waiting { since, on, .. } => {
                    Some((*since, SessionId(at as u32), on.clone()))
                }
                _ => None,
            });
            let mut waiting: Vec<_> = waiting.collect();
            waiting.sort();
            if self.last_first {
                waiting.reverse();
            }
            let ended = |id: &SessionId| {
                matches!(self.standing(*id), Standing::Committed | Standing::Failed)
            };
            let next = waiting.into_iter().find(|(_, _, on)| on.iter().any(ended));
            let Some((_, id, _)) = next else { return };
            let state = self.session(id).state.clone();
            let State::Waiting { execution, .. } = state else { return };
            let Ok(Next::Sql(sql)) = self.next(id) else { return };
            if let Err(failure) = self.depend(id, execution.level, Access::Read, &[]) {
                self.fail(id, Some(sql), failure, events);
                continue;
            }
            self.go_on(id, sql, *execution, events);
        }
    }

    fn waits_for_itself(&self, id: SessionId) -> bool {
        let on = |id: SessionId| match &self.session(id).state {
            State::Waiting { on, .. } => on.clone(),
            _ => Vec::new(),
        };
        let mut open = on(id);
        let mut seen = Vec::new();
        while let Some(next) = open.pop() {
            if next == id {
                return true;
            }
            if !seen.contains(&next) && next.0 != u32::MAX {
                seen.push(next);
                open.extend(on(next));
            }
        }
        false
    }
}

fn asked_by<'p>(next: &Next<'p>) -> Option<&'p Sql> {
    match next {
        Next::Sql(sql) => Some(sql),
        Next::End => None,
    }
}
