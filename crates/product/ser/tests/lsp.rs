//! `ser lsp`, as an editor starts it: the binary, with the protocol on standard input and output.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Session {
    fn start() -> Session {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ser"))
            .args(["lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("ser starts");
        let input = child.stdin.take().expect("standard input");
        let output = BufReader::new(child.stdout.take().expect("standard output"));
        Session { child, input, output }
    }

    fn send(&mut self, message: Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it listens");
        self.input.flush().expect("it listens");
    }

    fn request(&mut self, id: u32, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The next message; anything else on standard output would be found out here.
    fn receive(&mut self) -> Value {
        let mut header = String::new();
        self.output.read_line(&mut header).expect("a header");
        let length = header.strip_prefix("Content-Length: ").map(str::trim_end);
        let length: usize =
            length.and_then(|l| l.parse().ok()).unwrap_or_else(|| panic!("{header:?}"));
        let mut blank = String::new();
        self.output.read_line(&mut blank).expect("a blank line");
        assert_eq!(blank, "\r\n");
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("a message");
        serde_json::from_slice(&body).expect("JSON")
    }

    pub fn receive_until(&mut self, holds: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.receive();
            if holds(&message) {
                return message;
            }
        }
    }

    /// How it ended: exit code, and what is left on both streams.
    pub fn end(mut self) -> (Option<i32>, String, String) {
        drop(self.input);
        let (mut output, mut errors) = (String::new(), String::new());
        self.output.read_to_string(&mut output).expect("text");
        let mut stderr = self.child.stderr.take().expect("standard error");
        stderr.read_to_string(&mut errors).expect("text");
        (self.child.wait().expect("it ends").code(), output, errors)
    }
}

pub fn initialized() -> Session {
    let mut session = Session::start();
    session.request(1, "initialize", json!({"capabilities": {}}));
    let answer = session.receive();
    assert_eq!(answer["id"], 1);
    assert_eq!(answer["result"]["serverInfo"]["name"], "ser");
    session.notify("initialized", json!({}));
    session
}

#[test]
fn a_session_from_start_to_end() {
    let mut session = initialized();
    let text = "request main { X := 1; yield; y := X; X := 0; y } // größe";
    let uri = "file:///project/main.ser";
    let item = json!({"uri": uri, "languageId": "ser", "version": 3, "text": text});
    session.notify("textDocument/didOpen", json!({"textDocument": item}));
    let verdict = session.receive_until(|m| m["method"] == "ser/verdict");
    assert_eq!(verdict["params"]["verdict"], "not_serializable");
    assert_eq!(verdict["params"]["version"], 3);
    session.request(2, "shutdown", Value::Null);
    session.receive_until(|m| m["id"] == 2);
    session.notify("exit", Value::Null);
    assert_eq!(session.end(), (Some(0), String::new(), String::new()));
}

#[test]
fn an_exit_without_a_shutdown_is_one() {
    let mut session = initialized();
    session.notify("exit", Value::Null);
    assert_eq!(session.end().0, Some(1));
}

#[test]
fn an_editor_that_goes_away_does_not_leave_the_server_behind() {
    let session = initialized();
    assert_eq!(session.end().0, Some(1));
}

#[test]
fn something_else_than_the_protocol_is_told_where_to_go() {
    let mut session = Session::start();
    session.input.write_all(b"request main { 1 }\n").expect("it listens");
    let (code, output, errors) = session.end();
    assert_eq!((code, output.as_str()), (Some(1), ""));
    assert!(errors.contains("ser check FILE"), "{errors}");
}

impl Session {
    fn send_bytes(&mut self, header: &str, body: &[u8]) {
        self.input.write_all(header.as_bytes()).expect("it listens");
        self.input.write_all(body).expect("it listens");
        self.input.flush().expect("it listens");
    }

    fn send_body(&mut self, body: &[u8]) {
        self.send_bytes(&format!("Content-Length: {}\r\n\r\n", body.len()), body);
    }
}

#[test]
fn bodies_that_make_no_sense_are_answered_and_the_session_goes_on() {
    let mut session = initialized();
    for (body, code) in [
        (b"{abc}".as_slice(), -32700),
        (b"\xff\xfe", -32700),
        (b"{}", -32600),
        (b"[1]", -32600),
        (b"", -32700),
    ] {
        session.send_body(body);
        let answer = session.receive();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(code)));
    }
    session.request(2, "initialize", json!({"capabilities": {}}));
    assert_eq!(session.receive()["error"]["code"], -32600, "once is enough");
    session.request(3, "shutdown", Value::Null);
    assert_eq!(session.receive()["id"], 3);
    session.request(4, "textDocument/hover", json!({}));
    assert_eq!(session.receive()["error"]["code"], -32600, "after the shutdown");
    session.notify("exit", Value::Null);
    assert_eq!(session.end(), (Some(0), String::new(), String::new()));
}

#[test]
fn a_length_that_nobody_means_is_told_and_takes_no_memory() {
    for header in ["Content-Length: 99999999999999\r\n\r\n", "Content-Length: -1\r\n\r\n", "\r\n"] {
        let mut session = initialized();
        session.send_bytes(header, b"{}");
        let (code, output, errors) = session.end();
        assert_eq!((code, output.as_str()), (Some(1), ""), "{header}");
        assert!(errors.starts_with("error: "), "{errors}");
    }
}

#[test]
fn an_introduction_is_understood_as_far_as_it_can_be() {
    for params in [json!({}), Value::Null, json!({"capabilities": {"general": 7}, "processId": []})]
    {
        let mut session = Session::start();
        session.request(1, "textDocument/hover", json!({}));
        assert_eq!(session.receive()["error"]["code"], -32002, "too early");
        session.request(2, "initialize", params);
        assert_eq!(session.receive()["result"]["serverInfo"]["name"], "ser");
        session.notify("exit", Value::Null);
        assert_eq!(session.end().0, Some(1));
    }
}
