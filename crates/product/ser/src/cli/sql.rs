//! The arguments of `ser sql`.

use super::AnswerArgs;
use clap::{Args, ValueEnum};
use ser_session::isolation::{Isolation, Level, Replay};

/// `ser sql`.
#[derive(Args, Debug)]
#[command(
    after_help = "Transactions are functions and procedures in PL/pgSQL or SQL, or sections `-- name: transfer :exec` as sqlc has them. A level is said by `BEGIN ISOLATION LEVEL ...` in a section, or by a comment `-- isolation: serializable` before a transaction, or at the top for all of them; otherwise it is READ COMMITTED, PostgreSQL's default.\n\nExit codes: 0 serializable at these levels, 1 not, 2 usage or input error, 3 unknown. Over several files the most serious one wins, in the order 2, 1, 3, 0."
)]
pub struct SqlArgs {
    /// Tables and transactions, .sql; `-` is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,

    /// The isolation level of all transactions, whatever the file says
    #[arg(long, value_name = "LEVEL")]
    pub isolation: Option<IsolationLevel>,

    /// Find the lowest level for each transaction that is enough
    #[arg(long)]
    pub allocate: bool,

    /// Show an anomaly on a real PostgreSQL, in a database of its own: on a server that is started for
    /// the purpose, or on this one
    #[arg(long, value_name = "URL", num_args = 0..=1, require_equals = true)]
    pub replay: Option<Option<String>>,

    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// How much a transaction is kept apart from others.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum IsolationLevel {
    ReadCommitted,
    RepeatableRead,
    Serializable,
}

impl SqlArgs {
    /// What is asked.
    pub fn method(&self) -> Isolation {
        let level = self.isolation.map(|it| match it {
            IsolationLevel::ReadCommitted => Level::ReadCommitted,
            IsolationLevel::RepeatableRead => Level::RepeatableRead,
            IsolationLevel::Serializable => Level::Serializable,
        });
        let replay = self.replay.clone().map(|it| it.map_or(Replay::Own, Replay::At));
        Isolation { level, allocate: self.allocate, replay }
    }
}
