//! The language server: what an editor wants to know about a program while it is written.
//!
//! [`run`] speaks the Language Server Protocol over a [`Connection`]: standard input and output for
//! `ser lsp`, a pair of channels in tests. One thread holds the documents and answers; it only ever
//! does what is fast (lexer, parser, names). What a text asks is answered by the session, like on
//! the command line, in threads of its own (`work`) that send [`Report`]s back. Everything that is
//! computed in the background carries the revision of the text that it is about, and is dropped if
//! the document has moved on: what the editor shows is never about an older text.
//!
//! - `transport`: messages on standard input and output;
//! - `server`: the loop, and who answers what;
//! - `text`, `document`, `files`: the text and positions in it, and in what it uses;
//! - `work`, `values`, `repairs`: what runs in the background;
//! - `verdict`, `features`: from reports and texts to what an editor can ask for.

mod document;
mod features;
mod files;
mod protocol;
mod repairs;
mod server;
mod settings;
mod text;
pub mod transport;
mod values;
mod verdict;
mod work;

pub use lsp_server::Connection;

use ser_report::{Report, Source};
use ser_session::method::{Context, answer_source, usual};
use ser_syntax::Parse;
use std::sync::Arc;

/// What the server needs from the process that it runs in.
#[derive(Clone, Copy)]
pub struct Host {
    /// Parses a program. Tests put something broken here.
    pub parse: fn(&str) -> Parse,
    /// Answers what a source asks. Tests put something slow or broken here.
    pub answer: fn(&Arc<Source>, &Context<'_>) -> Vec<Report>,
    /// Tells how many bytes the process has in use, if that is known.
    pub memory: Option<fn() -> usize>,
}

impl Default for Host {
    fn default() -> Host {
        let answer = |source: &Arc<Source>, context: &Context<'_>| {
            answer_source(usual(source.kind).as_ref(), source, context)
        };
        Host { parse: ser_editing::parse, answer, memory: None }
    }
}

/// How a session ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The client said `shutdown`, then `exit`: the process ends with 0.
    Orderly,
    /// The client said `exit` without `shutdown`, or went away: the process ends with 1.
    Abrupt,
}

/// Serves one client until it leaves.
///
/// ```
/// use ser_lsp::{Connection, Ending, Host};
/// let (server, client) = Connection::memory();
/// let session = std::thread::spawn(move || ser_lsp::run(&server, Host::default()));
/// let request = |id: i32, method: &str, params| lsp_server::Request::new(id.into(), method.into(), params);
/// client.sender.send(request(1, "initialize", serde_json::json!({"capabilities": {}})).into()).unwrap();
/// client.receiver.recv().unwrap();
/// client.sender.send(request(2, "shutdown", serde_json::Value::Null).into()).unwrap();
/// client.sender.send(lsp_server::Notification::new("exit".into(), ()).into()).unwrap();
/// assert_eq!(session.join().unwrap(), Ending::Orderly);
/// ```
pub fn run(connection: &Connection, host: Host) -> Ending {
    server::serve(connection, host)
}
