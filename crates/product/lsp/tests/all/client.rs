//! A client for tests: it speaks to the server over channels and remembers what it was told.

use lsp_server::{Message, Notification, Request, RequestId, Response, ResponseError};
use ser_lsp::{Connection, Ending, Host};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The longest that anything in these tests may take.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A session with a server of its own.
pub struct Client {
    connection: Connection,
    server: Option<JoinHandle<Ending>>,
    next: i32,
    /// What the server can do.
    pub capabilities: Value,
    /// All diagnostics that were published, in order: address, version, list.
    pub published: Vec<(String, Option<i64>, Value)>,
    /// The last verdict on each document.
    pub verdicts: BTreeMap<String, Value>,
    /// What the server had to say to people.
    pub log: Vec<String>,
    /// The methods that the server asked for.
    pub asked: Vec<String>,
    answers: BTreeMap<String, Result<Value, ResponseError>>,
}

/// What a modern client can do.
pub fn modern() -> Value {
    json!({
        "workspace": {
            "codeLens": {"refreshSupport": true},
            "inlayHint": {"refreshSupport": true},
            "workspaceEdit": {"documentChanges": true}
        },
        "textDocument": {
            "completion": {"completionItem": {"snippetSupport": true}},
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
            "publishDiagnostics": {"relatedInformation": true}
        }
    })
}

impl Client {
    /// A modern client.
    pub fn new() -> Client {
        Client::with(Host::default(), json!({"capabilities": modern()}))
    }

    /// A client that introduces itself with these parameters.
    pub fn with(host: Host, params: Value) -> Client {
        let (server, connection) = Connection::memory();
        let server = std::thread::spawn(move || ser_lsp::run(&server, host));
        let mut client = Client {
            connection,
            server: Some(server),
            next: 0,
            capabilities: Value::Null,
            published: Vec::new(),
            verdicts: BTreeMap::new(),
            log: Vec::new(),
            asked: Vec::new(),
            answers: BTreeMap::new(),
        };
        let result = client.request("initialize", params);
        client.capabilities = result["capabilities"].clone();
        client.notify("initialized", json!({}));
        client
    }

    pub fn notify(&self, method: &str, params: Value) {
        let message = Notification::new(method.into(), params);
        self.connection.sender.send(message.into()).expect("the server is there");
    }

    pub fn ask(&mut self, method: &str, params: Value) -> RequestId {
        self.next += 1;
        let id = RequestId::from(self.next);
        let message = Request { id: id.clone(), method: method.into(), params };
        self.connection.sender.send(message.into()).expect("the server is there");
        id
    }

    /// The answer to a question.
    pub fn answer(&mut self, id: &RequestId) -> Result<Value, ResponseError> {
        let key = id.to_string();
        self.until(|client| client.answers.contains_key(&key));
        self.answers.remove(&key).expect("just seen")
    }

    pub fn try_request(&mut self, method: &str, params: Value) -> Result<Value, ResponseError> {
        let id = self.ask(method, params);
        self.answer(&id)
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.try_request(method, params).unwrap_or_else(|e| panic!("{method}: {e:?}"))
    }

    /// A question about a position of a document.
    pub fn at(&mut self, method: &str, uri: &str, position: Value) -> Value {
        self.request(method, json!({"textDocument": {"uri": uri}, "position": position}))
    }

    /// A question about a document.
    pub fn about(&mut self, method: &str, uri: &str) -> Value {
        self.request(method, json!({"textDocument": {"uri": uri}}))
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        self.open_as(uri, "ser", text);
    }

    /// Opens a document in a language of the client.
    pub fn open_as(&mut self, uri: &str, language: &str, text: &str) {
        let item = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": item}));
    }

    pub fn replace(&mut self, uri: &str, version: i32, text: &str) {
        self.change(uri, version, json!([{"text": text}]));
    }

    pub fn change(&mut self, uri: &str, version: i32, changes: Value) {
        let document = json!({"uri": uri, "version": version});
        let params = json!({"textDocument": document, "contentChanges": changes});
        self.notify("textDocument/didChange", params);
    }

    /// Takes messages until something holds.
    pub fn until(&mut self, holds: impl Fn(&Client) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !holds(self) {
            let message = self.connection.receiver.recv_deadline(end);
            let message = message.unwrap_or_else(|e| panic!("{e}; told so far: {:?}", self.log));
            self.take(message);
        }
    }

    /// Takes all messages that come within a time.
    pub fn listen(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while let Ok(message) = self.connection.receiver.recv_deadline(end) {
            self.take(message);
        }
    }

    /// Waits for the verdict on a version of a document.
    pub fn verdict(&mut self, uri: &str, version: i32) -> Value {
        self.until(|c| c.verdicts.get(uri).is_some_and(|v| v["version"] == version));
        self.verdicts[uri].clone()
    }

    /// The last diagnostics of a document.
    pub fn diagnostics(&self, uri: &str) -> Value {
        let last = self.published.iter().rev().find(|(u, _, _)| u == uri);
        last.map_or(Value::Null, |(_, _, list)| list.clone())
    }

    /// Waits for the diagnostics of a version of a document.
    pub fn published(&mut self, uri: &str, version: i64) -> Value {
        self.until(|c| c.published.iter().any(|(u, v, _)| u == uri && *v == Some(version)));
        self.diagnostics(uri)
    }

    /// The text after the first fix of its first message.
    pub fn fixed(&mut self, uri: &str, text: &str) -> String {
        let error = self.diagnostics(uri)[0].clone();
        let context = json!({"diagnostics": [error]});
        let range = &error["range"];
        let params = json!({"textDocument": {"uri": uri}, "range": range, "context": context});
        let actions = self.request("textDocument/codeAction", params);
        edited(text, &actions[0]["edit"]["documentChanges"][0]["edits"])
    }

    /// The edits that lay a document out.
    pub fn layout(&mut self, uri: &str) -> Value {
        let options = json!({"tabSize": 4, "insertSpaces": true});
        let params = json!({"textDocument": {"uri": uri}, "options": options});
        self.request("textDocument/formatting", params)
    }

    /// The titles of all lenses, with their lines and commands.
    pub fn lenses(&mut self, uri: &str) -> Vec<(u64, String, String)> {
        let lenses = self.about("textDocument/codeLens", uri);
        let word = |lens: &Value, key: &str| lens["command"][key].as_str().expect("a word").into();
        let line = |lens: &Value| lens["range"]["start"]["line"].as_u64().expect("a line");
        let lenses = lenses.as_array().expect("a list").iter();
        lenses.map(|lens| (line(lens), word(lens, "title"), word(lens, "command"))).collect()
    }

    /// All hints.
    pub fn hints(&mut self, uri: &str) -> Value {
        let all =
            json!({"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}});
        let params = json!({"textDocument": {"uri": uri}, "range": all});
        self.request("textDocument/inlayHint", params)
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Response(Response { id, response_result }) => {
                self.answers.insert(id.to_string(), response_result);
            }
            Message::Request(Request { id, method, .. }) => {
                self.asked.push(method);
                let answer = Response::new_ok(id, ());
                let _ = self.connection.sender.send(answer.into());
            }
            Message::Notification(Notification { method, params }) => match method.as_str() {
                "textDocument/publishDiagnostics" => {
                    let uri = params["uri"].as_str().expect("an address").to_owned();
                    let version = params["version"].as_i64();
                    self.published.push((uri, version, params["diagnostics"].clone()));
                }
                "ser/verdict" => {
                    let uri = params["uri"].as_str().expect("an address").to_owned();
                    self.verdicts.insert(uri, params);
                }
                "window/logMessage" => self.log.push(params["message"].to_string()),
                other => panic!("{other} is not expected"),
            },
        }
    }

    /// Ends the session; nothing may have gone wrong.
    pub fn close(mut self) {
        assert_eq!(self.request("shutdown", Value::Null), Value::Null);
        self.notify("exit", Value::Null);
        let ending = self.server.take().expect("it runs").join().expect("no panic");
        assert_eq!(ending, Ending::Orderly);
        assert!(self.log.is_empty(), "{:?}", self.log);
    }

    /// Ends the session without a word.
    pub fn leave(mut self) -> Ending {
        self.notify("exit", Value::Null);
        self.server.take().expect("it runs").join().expect("no panic")
    }
}

/// One property of each thing in a list.
pub fn strings<'v>(list: &'v Value, key: &str) -> Vec<&'v str> {
    list.as_array().expect("a list").iter().filter_map(|item| item[key].as_str()).collect()
}

/// The text of an example.
pub fn example(name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples");
    std::fs::read_to_string(folder.join(name)).expect("an example")
}

/// The position of the `nth` (from 0) occurrence of something in an ASCII text.
pub fn find(text: &str, what: &str, nth: usize) -> Value {
    let (offset, _) = text.match_indices(what).nth(nth).unwrap_or_else(|| panic!("no {what}"));
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let character = before.rsplit('\n').next().map_or(0, str::len);
    json!({"line": line, "character": character})
}

/// The text after edits as the protocol writes them; UTF-16, line ends `\n` or `\r\n`.
pub fn edited(text: &str, edits: &Value) -> String {
    let offset = |position: &Value| -> usize {
        let line = position["line"].as_u64().expect("a line") as usize;
        let mut left = position["character"].as_u64().expect("a character") as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let mut at = start;
        for c in text[start..].chars() {
            if left == 0 || c == '\n' || c == '\r' {
                break;
            }
            left -= c.len_utf16();
            at += c.len_utf8();
        }
        at
    };
    let mut list: Vec<(usize, usize, String)> = edits
        .as_array()
        .expect("edits")
        .iter()
        .map(|e| {
            let (a, b) = (offset(&e["range"]["start"]), offset(&e["range"]["end"]));
            (a, b, e["newText"].as_str().expect("a text").to_owned())
        })
        .collect();
    list.sort();
    let mut out = text.to_owned();
    for (a, b, new) in list.into_iter().rev() {
        out.replace_range(a..b, &new);
    }
    out
}
