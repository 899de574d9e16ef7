//! A connection: a `psql` that is written to and read from.

use crate::ServerError;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Between the values of a row, between rows, and for `NULL`: characters that no text of ours has.
const FIELD: char = '\u{1f}';
const RECORD: char = '\u{1e}';
const NULL: &str = "\u{1d}";
/// Starts the line after an answer.
const END: char = '\u{1c}';

/// How long an answer may take that needs nobody else.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the server answered.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answer {
    pub rows: Vec<Vec<Option<String>>>,
    /// How many rows were returned or changed.
    pub count: usize,
    /// SQLSTATE and message, if it is an error.
    pub error: Option<(String, String)>,
}

/// A session with the server.
#[derive(Debug)]
pub struct Client {
    psql: Child,
    input: Option<ChildStdin>,
    answers: Receiver<Result<Answer, String>>,
    /// The process that serves it.
    pub backend: u32,
}

impl Client {
    /// Whether there is a `psql`.
    pub(crate) fn is_there() -> Result<(), ServerError> {
        let mut command = Command::new("psql");
        command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().map(|_| ()).map_err(|_| ServerError::NoClient)
    }

    /// Connects as these arguments of `psql` say.
    pub fn connect(arguments: &[String]) -> Result<Client, ServerError> {
        let mut command = Command::new("psql");
        command.args(["--no-psqlrc", "--no-align", "--tuples-only", "--quiet", "--no-password"]);
        command.args(["--field-separator", &FIELD.to_string()]);
        command.args(["--record-separator", &RECORD.to_string()]);
        command.args(["--pset", &format!("null={NULL}")]);
        command.args(arguments).env("PGCONNECT_TIMEOUT", "5").env("PGAPPNAME", "ser");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut psql = command.spawn().map_err(|_| ServerError::NoClient)?;
        let lost = || ServerError::Lost(String::new());
        let input = psql.stdin.take().ok_or_else(lost)?;
        let output = psql.stdout.take().ok_or_else(lost)?;
        let mut errors = psql.stderr.take().ok_or_else(lost)?;
        let (send, answers) = channel();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(output);
            let mut text = Vec::new();
            while let Ok(1..) = reader.read_until(b'\n', &mut text) {
                let known = String::from_utf8_lossy(&text).into_owned();
                if let Some(answer) = parse(&known) {
                    text.clear();
                    // An error without a code is that there is no server any more.
                    let answer = match &answer.error {
                        Some((state, _)) if state.is_empty() => Err("it has ended".to_owned()),
                        _ => Ok(answer),
                    };
                    if send.send(answer).is_err() {
                        return;
                    }
                }
            }
            let mut why = Vec::new();
            let _ = errors.read_to_end(&mut why);
            let _ = send.send(Err(reason(&String::from_utf8_lossy(&why))));
        });
        let mut client = Client { psql, input: Some(input), answers, backend: 0 };
        let answer =
            client.ask_and_wait("SELECT pg_backend_pid()").map_err(|error| match error {
                ServerError::Lost(why) => ServerError::Refused(why),
                other => other,
            })?;
        let backend = answer.rows.first().and_then(|it| it.first()?.as_ref()?.parse().ok());
        client.backend = backend.ok_or_else(lost)?;
        Ok(client)
    }

    /// Sends a statement.
    pub fn ask(&mut self, sql: &str) -> Result<(), ServerError> {
        let input = self.input.as_mut().ok_or_else(|| ServerError::Lost(String::new()))?;
        let end = format!("\\echo '{END}' :ERROR :SQLSTATE :ROW_COUNT :LAST_ERROR_MESSAGE\n");
        let sent = write!(input, "{sql}\n;\n{end}").and_then(|()| input.flush());
        // Why it was lost is in what comes back.
        let _ = sent;
        Ok(())
    }

    /// The answer, if it comes in time.
    pub fn answer(&mut self, within: Duration) -> Result<Option<Answer>, ServerError> {
        match self.answers.recv_timeout(within) {
            Ok(Ok(answer)) => Ok(Some(answer)),
            Ok(Err(why)) => Err(ServerError::Lost(why)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(ServerError::Lost(String::new())),
        }
    }

    pub fn ask_and_wait(&mut self, sql: &str) -> Result<Answer, ServerError> {
        self.ask(sql)?;
        self.answer(PATIENCE)?.ok_or(ServerError::Late(PATIENCE.as_secs()))
    }

    /// As [`ask_and_wait`](Client::ask_and_wait), for what must not fail.
    pub fn run(&mut self, sql: &str) -> Result<Answer, ServerError> {
        let answer = self.ask_and_wait(sql)?;
        match answer.error {
            Some((_, message)) => {
                let statement = sql.split_whitespace().collect::<Vec<_>>().join(" ");
                Err(ServerError::Statement { statement, message })
            }
            None => Ok(answer),
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // At the end of its input, psql ends; if it waits for the server, it has to be told.
        self.input = None;
        let _ = self.psql.kill();
        let _ = self.psql.wait();
    }
}

/// Why `psql` ended, on one line and without its name. It has also said what statements failed for.
fn reason(said: &str) -> String {
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
    let ends = |it: &&&str| {
        it.starts_with("psql: ")
            || ["FATAL:", "closed the connection"].iter().any(|w| it.contains(w))
    };
    let line = lines.iter().find(ends).or(lines.last()).copied().unwrap_or_default();
    let words = line.trim_start_matches("psql: ").trim_start_matches("error: ");
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What was written so far, if it is a whole answer.
fn parse(text: &str) -> Option<Answer> {
    let (body, end) = text.rsplit_once(END)?;
    let end = end.trim_start().trim_end_matches('\n');
    let mut words = end.splitn(4, ' ');
    let failed = words.next()? == "true";
    let state = words.next()?.to_owned();
    let count = words.next()?.parse().unwrap_or(0);
    let message = words.next().unwrap_or_default().to_owned();
    let body = body.strip_suffix('\n').unwrap_or(body);
    let field = |it: &str| (it != NULL).then(|| it.to_owned());
    let row = |it: &str| it.split(FIELD).map(field).collect();
    let rows = if body.is_empty() { Vec::new() } else { body.split(RECORD).map(row).collect() };
    Some(Answer { rows, count, error: failed.then_some((state, message)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_short() {
        let said = "psql: error: connection to server at \"h\" failed: Connection refused\n\
                    \tIs the server running on that host and accepting TCP/IP connections?\n";
        assert_eq!(reason(said), "connection to server at \"h\" failed: Connection refused");
        let said = "ERROR:  deadlock detected\nFATAL:  terminating connection\nserver closed it\n";
        assert_eq!(reason(said), "FATAL: terminating connection");
        assert_eq!(reason(""), "");
    }

    #[test]
    fn answers_are_read() {
        let text = "1\u{1f}\u{1d}\u{1f}a\nb\u{1e}2\u{1f}x\u{1f}\n\u{1c} false 00000 2 \n";
        let answer = parse(text).expect("a whole answer");
        let some = |it: &str| Some(it.to_owned());
        assert_eq!(
            answer.rows,
            [[some("1"), None, some("a\nb")], [some("2"), some("x"), some("")]]
        );
        assert_eq!((answer.count, answer.error), (2, None));
        let failed = parse("\u{1c} true 22012 0 division by zero\n").expect("a whole answer");
        assert_eq!(failed.error, Some(("22012".to_owned(), "division by zero".to_owned())));
        assert_eq!(parse("1\u{1f}2\n"), None);
    }
}
