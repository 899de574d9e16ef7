//! How long from an edit to what the editor shows?
//!
//!     cargo run --release -p ser-lsp --example latency -- examples/*.ser
//!
//! Each file is opened and edited several times (a comment is typed at its end). Measured are the
//! times from the edit to the messages about its text, and to the verdict on it, which comes after
//! a rest of 50 ms in which nobody types.

use lsp_server::{Message, Notification, Request};
use ser_lsp::{Connection, Host};
use serde_json::{Value, json};
use std::error::Error;
use std::io::Write as _;
use std::time::{Duration, Instant};

const EDITS: i32 = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let (server, client) = Connection::memory();
    let session = std::thread::spawn(move || ser_lsp::run(&server, Host::default()));
    let params = json!({"capabilities": {}});
    client.sender.send(Request::new(1.into(), "initialize".into(), params).into())?;
    let (mut messages, mut verdicts) = (Vec::new(), Vec::new());
    let mut out = std::io::stdout().lock();
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file)?;
        let uri = format!("file:///{}", file.trim_start_matches('/'));
        let item = json!({"uri": uri, "languageId": "ser", "version": 0, "text": text});
        notify(&client, "textDocument/didOpen", json!({"textDocument": item}))?;
        wait(&client, &uri, 0)?;
        let line = text.matches('\n').count();
        let last = text.rsplit('\n').next().map_or(0, |l| l.encode_utf16().count());
        let end = json!({"line": line, "character": last});
        let mut own = Vec::new();
        for version in 1..=EDITS {
            let typed = if version == 1 { "\n//" } else { "\n// more" };
            let range = json!({"start": end, "end": end});
            let params = json!({
                "textDocument": {"uri": uri, "version": version},
                "contentChanges": [{"range": range, "text": typed}]
            });
            let started = Instant::now();
            notify(&client, "textDocument/didChange", params)?;
            let (message, verdict) = wait(&client, &uri, version)?;
            messages.push(message - started);
            verdicts.push(verdict - started);
            own.push(verdict - started);
        }
        let (own, file) = (milliseconds(median(&mut own)), file.rsplit('/').next().unwrap_or(""));
        writeln!(out, "{own:>9.1} ms to the verdict  {file}")?;
        notify(&client, "textDocument/didClose", json!({"textDocument": {"uri": uri}}))?;
    }
    let worst = milliseconds(verdicts.iter().max().copied().unwrap_or_default());
    writeln!(
        out,
        "{} edits: median {:.2} ms to messages about the text, {:.1} ms to the verdict (at most {worst:.1} ms)",
        messages.len(),
        milliseconds(median(&mut messages)),
        milliseconds(median(&mut verdicts)),
    )?;
    client.sender.send(Request::new(2.into(), "shutdown".into(), Value::Null).into())?;
    notify(&client, "exit", Value::Null)?;
    let _ = session.join();
    Ok(())
}

fn notify(client: &Connection, method: &str, params: Value) -> Result<(), Box<dyn Error>> {
    client.sender.send(Notification::new(method.into(), params).into())?;
    Ok(())
}

/// When the first messages about a version came, and when the verdict did.
fn wait(
    client: &Connection,
    uri: &str,
    version: i32,
) -> Result<(Instant, Instant), Box<dyn Error>> {
    let mut first = None;
    loop {
        let message = client.receiver.recv_timeout(Duration::from_secs(60))?;
        let Message::Notification(Notification { method, params }) = message else { continue };
        if params["uri"] != uri || params["version"] != version {
            continue;
        }
        let now = Instant::now();
        match method.as_str() {
            "textDocument/publishDiagnostics" => {
                first.get_or_insert(now);
            }
            "ser/verdict" => return Ok((first.unwrap_or(now), now)),
            _ => {}
        }
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
