//! A real PostgreSQL, asked through `psql`: one that a user names, or one that is found on this
//! machine and started in a folder of its own for as long as it is needed.
//!
//! ```no_run
//! let server = ser_isolation_server::Server::temporary()?;
//! let database = server.database()?;
//! let mut client = database.client()?;
//! let answer = client.ask_and_wait("SELECT 1 + 1")?;
//! assert_eq!(answer.rows, [[Some("2".to_owned())]]);
//! # Ok::<(), ser_isolation_server::ServerError>(())
//! ```

mod client;
mod replay;
mod server;

pub use client::{Answer, Client};
pub use replay::{Replayed, Seen, Step, WHOLE_TABLES, literal, replay, run};
pub use server::{Database, Server};

/// Why there is no answer from a server.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ServerError {
    /// `psql` is not there.
    #[error("`psql` was not found: it comes with PostgreSQL (Debian: `apt install postgresql`)")]
    NoClient,
    /// There is no server to start.
    #[error(
        "no PostgreSQL was found on this machine (Debian: `apt install postgresql`); \
         name a server with `--replay=postgresql://user@host/database`"
    )]
    NoServer,
    /// It does not start.
    #[error("PostgreSQL does not start: {0}")]
    NotStarted(String),
    /// The server is not there, or refuses.
    #[error("the server does not let us in: {0}")]
    Refused(String),
    /// The server, or the connection to it, is gone.
    #[error("the connection to the server is lost{}", if .0.is_empty() { String::new() } else { format!(": {}", .0) })]
    Lost(String),
    /// It takes too long.
    #[error("the server did not answer within {0} s")]
    Late(u64),
    /// What was prepared for the run was refused.
    #[error("the server refuses `{statement}`: {message}")]
    Statement { statement: String, message: String },
}
