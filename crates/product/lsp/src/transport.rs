//! The protocol on two streams of bytes: headers, bodies, and what to do with those that are
//! broken.
//!
//! A message is a header (`Content-Length: 17`, a blank line) and a body of that many bytes. Where
//! the next message starts is known from the header alone, so a body that makes no sense costs one
//! answer and nothing else: the session goes on. A broken header leaves no place to go on from, and
//! ends it.
//!
//! Nothing is set aside for a length before its bytes are there, and no more than [`MAX_BODY`] is
//! ever kept: a header alone cannot make the server run out of memory.

use crate::Connection;
use crossbeam_channel::{Receiver, Sender, bounded};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// The longest body that is looked at, in bytes.
pub const MAX_BODY: u64 = 64 << 20;
/// A longer body is read past, up to so many bytes; nobody means to send more.
const MAX_SKIPPED: u64 = 1 << 30;
/// The longest line of a header.
const MAX_HEADER_LINE: u64 = 8 << 10;
/// So many messages may wait for the server: a burst of typing is seen as one.
const QUEUE: usize = 64;

/// Why the connection ended before the session did.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// What should be a header is none.
    #[error("this is no header of a message: {0}")]
    Header(String),
    /// A message is far too long.
    #[error("a message of {0} bytes is too long; at most {MAX_BODY} are read")]
    TooLong(u64),
    /// The stream ended in the middle of a message.
    #[error("the connection ended in the middle of a message")]
    Cut,
    /// Reading or writing failed.
    #[error("the connection broke: {0}")]
    Io(#[from] io::Error),
    /// There is no thread for it.
    #[error("a thread of the connection ended early")]
    Thread,
}

/// The threads that read and write.
#[derive(Debug)]
pub struct Threads {
    reader: JoinHandle<Result<(), TransportError>>,
    writer: JoinHandle<Result<(), TransportError>>,
}

impl Threads {
    /// Waits until everything is written. To be called once the session is over and its
    /// [`Connection`] is gone.
    pub fn join(self) -> Result<(), TransportError> {
        let read = self.reader.join().map_err(|_| TransportError::Thread)?;
        let written = self.writer.join().map_err(|_| TransportError::Thread)?;
        read.and(written)
    }
}

/// A connection over standard input and output.
pub fn stdio() -> io::Result<(Connection, Threads)> {
    over(io::stdin(), io::stdout())
}

/// A connection over any two streams.
pub fn over(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<(Connection, Threads)> {
    // Both threads write: the reader answers what never reaches the server.
    let output = Arc::new(Mutex::new(output));
    let (to_server, receiver) = bounded(QUEUE);
    let (sender, from_server) = bounded(QUEUE);
    let answers = Arc::clone(&output);
    let reader = std::thread::Builder::new()
        .name("lsp reader".into())
        .spawn(move || read_all(BufReader::new(input), &to_server, &answers))?;
    let writer = std::thread::Builder::new()
        .name("lsp writer".into())
        .spawn(move || write_all(&from_server, &output))?;
    Ok((Connection { sender, receiver }, Threads { reader, writer }))
}

fn write_all<W: Write>(
    messages: &Receiver<Message>,
    output: &Mutex<W>,
) -> Result<(), TransportError> {
    for message in messages {
        message.write(&mut *output.lock().unwrap_or_else(PoisonError::into_inner))?;
    }
    Ok(())
}

/// Reads until the client says `exit` or goes away.
fn read_all<W: Write>(
    mut input: impl BufRead,
    messages: &Sender<Message>,
    answers: &Mutex<W>,
) -> Result<(), TransportError> {
    while let Some(length) = header(&mut input)? {
        let message = match body(&mut input, length)? {
            Some(bytes) => understand(&bytes),
            None => Err(Refusal::new(
                ErrorCode::InvalidRequest,
                format!("a message of {length} bytes is too long; at most {MAX_BODY} are read"),
            )),
        };
        match message {
            Ok(Some(message)) => {
                let exit = matches!(&message, Message::Notification(n) if n.method == "exit");
                if messages.send(message).is_err() || exit {
                    return Ok(());
                }
            }
            Ok(None) => {}
            Err(refusal) => {
                refusal.write(&mut *answers.lock().unwrap_or_else(PoisonError::into_inner))?;
            }
        }
    }
    Ok(())
}

/// The length of the next body; nothing at the end of the stream.
fn header(input: &mut impl BufRead) -> Result<Option<u64>, TransportError> {
    let mut length = None;
    let mut first = true;
    loop {
        let mut line = Vec::new();
        input.by_ref().take(MAX_HEADER_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() && first {
            return Ok(None);
        }
        first = false;
        let shown = || {
            let text: String = String::from_utf8_lossy(&line).chars().take(60).collect();
            TransportError::Header(format!("{text:?}"))
        };
        let Some(text) = line.strip_suffix(b"\r\n") else { return Err(shown()) };
        if text.is_empty() {
            let none = || TransportError::Header("it has no `Content-Length`".into());
            return length.ok_or_else(none).map(Some);
        }
        let text = std::str::from_utf8(text).map_err(|_| shown())?;
        let (name, value) = text.split_once(':').ok_or_else(shown)?;
        if name.trim().eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse().map_err(|_| shown())?);
        }
    }
}

/// The next body; nothing if it is too long, and was read past.
fn body(input: &mut impl BufRead, length: u64) -> Result<Option<Vec<u8>>, TransportError> {
    if length > MAX_SKIPPED {
        return Err(TransportError::TooLong(length));
    }
    let mut rest = input.by_ref().take(length);
    let mut bytes = Vec::new();
    let read = match length > MAX_BODY {
        true => io::copy(&mut rest, &mut io::sink())?,
        false => rest.read_to_end(&mut bytes)? as u64,
    };
    match read == length {
        true => Ok((length <= MAX_BODY).then_some(bytes)),
        false => Err(TransportError::Cut),
    }
}

/// An answer to something that is no message.
#[derive(Debug, PartialEq)]
struct Refusal {
    /// The id of what may have been a request.
    id: Value,
    code: i32,
    message: String,
}

impl Refusal {
    fn new(code: ErrorCode, message: String) -> Refusal {
        Refusal { id: Value::Null, code: code as i32, message }
    }

    fn write(&self, output: &mut impl Write) -> io::Result<()> {
        let Refusal { id, code, message } = self;
        let error = json!({ "code": code, "message": message });
        let text = json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string();
        write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        output.flush()
    }
}

/// What a body says; nothing if it is an answer that nobody has asked for.
fn understand(bytes: &[u8]) -> Result<Option<Message>, Refusal> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        Refusal::new(ErrorCode::ParseError, format!("the message is no JSON: {error}"))
    })?;
    let no_message = |why: &str| {
        Refusal::new(ErrorCode::InvalidRequest, format!("this is no message of JSON-RPC: {why}"))
    };
    let Value::Object(mut object) = value else {
        return Err(no_message("it is no object"));
    };
    let id = object.remove("id").filter(|id| !id.is_null());
    let Some(method) = object.remove("method") else {
        // An error must not be answered with an error: two careful sides would never end.
        if object.contains_key("result") || object.contains_key("error") {
            let id = id.and_then(|id| serde_json::from_value::<RequestId>(id).ok());
            return Ok(id.map(|id| Response::new_ok(id, ()).into()));
        }
        return Err(no_message("it has no `method`"));
    };
    let Value::String(method) = method else {
        return Err(no_message("its `method` is no text"));
    };
    let params = object.remove("params").unwrap_or_default();
    let Some(id) = id else { return Ok(Some(Notification { method, params }.into())) };
    match serde_json::from_value(id.clone()) {
        Ok(id) => Ok(Some(Request { id, method, params }.into())),
        Err(_) if id.is_number() => {
            Err(Refusal { id, ..no_message("its `id` is no whole number of 32 bits") })
        }
        Err(_) => Err(no_message("its `id` is neither a number nor a text")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(body: &[u8]) -> Vec<u8> {
        [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
    }

    /// What reaches the server, what is answered right away, and how it ends.
    fn read(input: &[u8]) -> (Vec<Message>, String, Result<(), TransportError>) {
        let (sender, receiver) = crossbeam_channel::unbounded();
        let answers = Mutex::new(Vec::new());
        let result = read_all(input, &sender, &answers);
        drop(sender);
        let answers = answers.into_inner().unwrap_or_default();
        (receiver.into_iter().collect(), String::from_utf8_lossy(&answers).into_owned(), result)
    }

    #[test]
    fn a_body_that_makes_no_sense_is_answered_and_the_next_message_is_read() {
        let cases: [(&[u8], i32); 9] = [
            (b"{abc}", -32700),
            (b"", -32700),
            (b"{\"method\": \"\xff\"}", -32700),
            (b"{}", -32600),
            (b"[]", -32600),
            (b"7", -32600),
            (b"{\"method\": 7}", -32600),
            (b"{\"id\": 3}", -32600),
            (b"{\"id\": [], \"method\": \"x\"}", -32600),
        ];
        for (body, code) in cases {
            let next = framed(br#"{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}"#);
            let (messages, answers, result) = read(&[framed(body), next].concat());
            assert!(result.is_ok() && messages.len() == 1, "{body:?}: {result:?}");
            assert!(answers.contains(&format!("\"code\":{code}")), "{body:?}: {answers}");
            assert!(answers.contains("\"id\":null"), "{body:?}: {answers}");
        }
    }

    #[test]
    fn deep_nesting_is_no_json_to_us() {
        let (_, answers, result) = read(&framed("[".repeat(1_000_000).as_bytes()));
        assert!(result.is_ok() && answers.contains("-32700"), "{answers}");
    }

    #[test]
    fn an_id_that_is_a_large_number_is_answered_by_its_name() {
        let (messages, answers, _) = read(&framed(br#"{"id": 9000000000, "method": "shutdown"}"#));
        assert!(messages.is_empty() && answers.contains("\"id\":9000000000"), "{answers}");
    }

    #[test]
    fn answers_are_never_answered() {
        for body in [
            r#"{"id": null, "error": {}}"#,
            r#"{"id": 1, "result": null}"#,
            r#"{"id": {}, "error": 3}"#,
        ] {
            let (_, answers, result) = read(&framed(body.as_bytes()));
            assert!(result.is_ok() && answers.is_empty(), "{body}: {answers}");
        }
    }

    #[test]
    fn a_broken_header_is_the_end() {
        let long = "x".repeat(1 << 20);
        let broken = [
            "request main { 1 }\n",
            "\r\n",
            "Content-Length: many\r\n\r\n",
            "Content-Length: 3",
            &long,
            "\u{0}",
        ];
        for input in broken {
            let (messages, answers, result) = read(input.as_bytes());
            assert!(matches!(result, Err(TransportError::Header(_))), "{result:?}");
            assert!(messages.is_empty() && answers.is_empty());
        }
        let cut = read(b"Content-Length: 30\r\n\r\n{}").2;
        assert!(matches!(cut, Err(TransportError::Cut)), "{cut:?}");
    }

    #[test]
    fn a_length_alone_takes_no_memory() {
        let result = read(b"Content-Length: 99999999999999\r\n\r\n{}").2;
        assert!(matches!(result, Err(TransportError::TooLong(99_999_999_999_999))), "{result:?}");
        // One that is only claimed is not set aside either.
        let result = read(b"Content-Length: 60000000\r\n\r\n{}").2;
        assert!(matches!(result, Err(TransportError::Cut)), "{result:?}");
    }

    #[test]
    fn a_long_message_is_read_past() {
        let length = MAX_BODY + 1;
        let head = io::Cursor::new(format!("Content-Length: {length}\r\n\r\n"));
        let next = io::Cursor::new(framed(br#"{"method": "exit"}"#));
        let input = head.chain(io::repeat(b' ').take(length)).chain(next);
        let (sender, receiver) = crossbeam_channel::unbounded();
        let answers = Mutex::new(Vec::new());
        assert!(read_all(BufReader::new(input), &sender, &answers).is_ok());
        assert!(
            String::from_utf8_lossy(&answers.into_inner().unwrap_or_default()).contains("too long")
        );
        assert!(matches!(receiver.try_recv(), Ok(Message::Notification(_))));
    }

    #[test]
    fn headers_may_say_more_and_in_any_case() {
        let input =
            b"content-type: x; charset=utf-8\r\nCONTENT-LENGTH:18\r\n\r\n{\"method\": \"exit\"}";
        let (messages, answers, result) = read(input);
        assert!(result.is_ok() && messages.len() == 1, "{result:?} {answers}");
    }
}
