//! The loop: messages from the client, news from the checks, and the time.
//!
//! Changes are taken one after the other and only when no message is waiting is the text parsed: a
//! burst of typing is parsed once. Requests see the text as it is after all changes before them.

use crate::document::{Document, Repairs, Revision};
use crate::features::{capabilities::capabilities, diagnostics};
use crate::files::path_of;
use crate::protocol::VerdictNotification;
use crate::settings::Settings;
use crate::text::Text;
use crate::verdict;
use crate::work::{Done, Job, News, Order, Task, Work, panic_message};
use crate::{Connection, Ending, Host};
use crossbeam_channel::{Receiver, RecvTimeoutError, TryRecvError, select};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    Cancel, DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Exit, LogMessage,
    Notification as _, PublishDiagnostics,
};
use lsp_types::request::{
    CodeLensRefresh, Initialize, InlayHintRefreshRequest, Request as _, Shutdown,
};
use lsp_types::{
    CancelParams, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, InitializeResult, LogMessageParams, MessageType, NumberOrString,
    PublishDiagnosticsParams, ServerInfo,
};
use ser_editing::symbols::Symbols;
use ser_report::{Answer, Report, SourceError};
use ser_syntax::Parse;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

mod answers;

/// A check starts when nobody has typed for so long.
const REST: Duration = Duration::from_millis(50);
/// How long a search for repairs may take.
const REPAIR_TIME: Duration = Duration::from_secs(5);

/// Serves one client until it leaves.
pub fn serve(connection: &Connection, host: Host) -> Ending {
    let Some((id, params)) = introduction(connection) else { return Ending::Abrupt };
    let (settings, problem) = Settings::new(&params);
    let result = InitializeResult {
        capabilities: capabilities(&settings),
        server_info: Some(ServerInfo {
            name: "ser".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    };
    let (sender, news) = crossbeam_channel::unbounded();
    let mut server = Server {
        connection,
        host,
        settings,
        documents: BTreeMap::new(),
        work: Work::new(host, sender),
        waiting: Vec::new(),
        revisions: 0,
        asked: 0,
        shut_down: false,
    };
    server.send(Response::new_ok(id, result));
    if let Some(problem) = problem {
        server.log(MessageType::WARNING, problem);
    }
    let ending = server.serve(&news);
    server.work.cancel_all();
    ending
}

/// Waits for `initialize`; nothing if the client leaves before.
fn introduction(connection: &Connection) -> Option<(RequestId, Value)> {
    for message in &connection.receiver {
        match message {
            Message::Request(request) if request.method == Initialize::METHOD => {
                return Some((request.id, request.params));
            }
            Message::Request(request) => {
                let message = format!("`{}` came before `initialize`", request.method);
                let answer = refusal(request.id, ErrorCode::ServerNotInitialized, &message);
                // If nobody is there any more, there is no next message either.
                let _ = connection.sender.send(answer.into());
            }
            Message::Notification(n) if n.method == Exit::METHOD => return None,
            Message::Notification(_) | Message::Response(_) => {}
        }
    }
    None
}

/// A request that is answered when a job is done.
struct Waiting {
    request: Request,
    uri: String,
    task: Task,
}

struct Server<'c> {
    connection: &'c Connection,
    host: Host,
    settings: Settings,
    documents: BTreeMap<String, Document>,
    work: Work,
    waiting: Vec<Waiting>,
    /// How many texts there were in this session.
    revisions: u64,
    /// How many questions we have asked the client.
    asked: u64,
    shut_down: bool,
}

impl Server<'_> {
    fn serve(&mut self, news: &Receiver<Done>) -> Ending {
        loop {
            let message = match self.connection.receiver.try_recv() {
                Ok(message) => message,
                Err(TryRecvError::Disconnected) => return Ending::Abrupt,
                Err(TryRecvError::Empty) => {
                    self.settle();
                    for done in self.work.look() {
                        self.done(done);
                    }
                    match self.wait(news) {
                        Ok(Some(message)) => message,
                        Ok(None) => continue,
                        Err(RecvTimeoutError::Timeout) => continue,
                        Err(RecvTimeoutError::Disconnected) => return Ending::Abrupt,
                    }
                }
            };
            match message {
                Message::Notification(n) if n.method == Exit::METHOD => {
                    return if self.shut_down { Ending::Orderly } else { Ending::Abrupt };
                }
                Message::Notification(notification) => {
                    self.notification(notification);
                }
                Message::Request(request) => self.request(request),
                // Answers to our questions, all of which are only hints.
                Message::Response(_) => {}
            }
        }
    }

    /// Waits for whatever comes first; news are dealt with right here.
    fn wait(&mut self, news: &Receiver<Done>) -> Result<Option<Message>, RecvTimeoutError> {
        let messages = &self.connection.receiver;
        let look = self.work.next_look();
        let wait =
            look.map_or(Duration::from_secs(60), |at| at.saturating_duration_since(Instant::now()));
        select! {
            recv(messages) -> message => match message {
                Ok(message) => Ok(Some(message)),
                Err(_) => Err(RecvTimeoutError::Disconnected),
            },
            recv(news) -> done => {
                if let Ok(done) = done && self.work.spoke(&done) {
                    self.done(done);
                }
                Ok(None)
            }
            default(wait) => Err(RecvTimeoutError::Timeout),
        }
    }

    /// Parses what has changed, says what is wrong with it, and has it checked.
    fn settle(&mut self) {
        let changed: Vec<String> =
            self.documents.iter().filter(|(_, d)| d.changed).map(|(uri, _)| uri.clone()).collect();
        for uri in changed {
            let Some(mut document) = self.documents.remove(&uri) else { continue };
            let (parse, others) = (self.host.parse, &self.documents);
            let open = |path: &Path| {
                let mut open = others
                    .values()
                    .filter(|it| path_of(it.uri.as_str()).is_some_and(|it| same_file(&it, path)));
                open.next().map(|it| it.text.as_str().to_owned())
            };
            let refreshed = catch_unwind(AssertUnwindSafe(|| document.refresh(parse, &open)));
            let document = self.documents.entry(uri.clone()).or_insert(document);
            if let Err(panic) = refreshed {
                let message = format!("the parser panicked: {}", panic_message(&*panic));
                // What was parsed before the panic is not to be trusted either.
                (document.parse, document.symbols) = (Parse::default(), Symbols::default());
                document.reports = Some(vec![failed(document, &message)]);
                self.log(MessageType::ERROR, format!("defect: {message}"));
                self.answered(&uri);
                // Nobody else will: there is no job.
                self.answer_waiting(&uri, Task::Check);
                continue;
            }
            let rest = if document.typed { REST } else { Duration::ZERO };
            match document.source() {
                Some(source) => {
                    let revision = document.revision;
                    let order = Order { uri: uri.clone(), revision, task: Task::Check };
                    let (due, timeout) = (Instant::now() + rest, self.settings.timeout);
                    self.work.add(Job { order, due, source, timeout });
                    self.publish(&uri);
                }
                // A text with errors is not checked; that is a verdict too.
                None => {
                    let errors = SourceError::Diagnostics(document.parse.diagnostics.clone());
                    document.reports = Some(vec![document.report(Answer::Error(errors))]);
                    self.answered(&uri);
                }
            }
        }
    }

    fn publish(&self, uri: &str) {
        if let Some(document) = self.documents.get(uri) {
            self.notify::<PublishDiagnostics>(diagnostics::publish(document, &self.settings));
        }
    }

    /// Takes what a job has found out.
    fn done(&mut self, done: Done) {
        let Done { order: Order { uri, revision, task }, news } = done;
        let document = self.documents.get_mut(&uri).filter(|d| d.revision == revision);
        let Some(document) = document else { return };
        match news {
            News::Values(values) => document.values = Some(values),
            News::Repaired(fixes) => document.repairs = Repairs::Known(fixes),
            News::Answered(reports) => {
                document.reports = Some(reports);
                self.answered(&uri);
            }
            News::Over => {}
            News::Failed(message) => {
                let what = match task {
                    Task::Check => {
                        // If it failed after the verdict, that stands.
                        if document.reports.is_none() {
                            document.reports = Some(vec![failed(document, &message)]);
                            self.answered(&uri);
                        }
                        "check"
                    }
                    Task::Repair => {
                        document.repairs = Repairs::Known(Vec::new());
                        "search for repairs"
                    }
                };
                let message = format!("defect: the {what} of {uri} failed: {message}");
                self.log(MessageType::ERROR, message);
            }
        }
        self.answer_waiting(&uri, task);
    }

    /// Says what is known about a document.
    fn answered(&mut self, uri: &str) {
        self.publish(uri);
        let Some(document) = self.documents.get(uri) else { return };
        let reports = document.reports.as_deref().unwrap_or_default();
        if let Some(params) = verdict::overall(document, reports) {
            self.notify::<VerdictNotification>(params);
        }
        self.refresh_views();
    }

    /// Asks the client to ask again for what depends on the verdict.
    fn refresh_views(&mut self) {
        if self.settings.code_lens && self.settings.refreshes_lenses {
            self.ask(CodeLensRefresh::METHOD);
        }
        if self.settings.inlay_hints && self.settings.refreshes_hints {
            self.ask(InlayHintRefreshRequest::METHOD);
        }
    }

    fn ask(&mut self, method: &str) {
        self.asked += 1;
        let id = RequestId::from(format!("ser-{}", self.asked));
        self.send(Request { id, method: method.to_owned(), params: Value::Null });
    }

    fn answer_waiting(&mut self, uri: &str, task: Task) {
        let ready = self.waiting.extract_if(.., |w| w.uri == uri && w.task == task);
        for waiting in ready.collect::<Vec<Waiting>>() {
            self.request(waiting.request);
        }
    }

    /// The text has moved on: whoever waits for something about the old one is told so.
    fn moved_on(&mut self, uri: &str) {
        self.work.cancel(uri);
        let stale = self.waiting.extract_if(.., |w| w.uri == uri);
        for Waiting { request, .. } in stale.collect::<Vec<Waiting>>() {
            let code = ErrorCode::ContentModified;
            self.send(refusal(request.id, code, "the text has changed"));
        }
    }

    /// Takes a notification; what is not understood has been complained about, and has no effect.
    fn notification(&mut self, notification: Notification) -> Option<()> {
        let Notification { method, params } = notification;
        match method.as_str() {
            DidOpenTextDocument::METHOD => {
                let p: DidOpenTextDocumentParams = self.params(&method, params)?;
                let item = p.text_document;
                let key = item.uri.as_str().to_owned();
                self.moved_on(&key);
                let text = Text::new(item.text, self.settings.encoding);
                let revision = self.next_revision();
                let document =
                    Document::new(item.uri, &item.language_id, item.version, revision, text);
                self.documents.insert(key.clone(), document);
                self.outdate_users(&key);
            }
            DidChangeTextDocument::METHOD => {
                let p: DidChangeTextDocumentParams = self.params(&method, params)?;
                let key = p.text_document.uri.as_str().to_owned();
                self.moved_on(&key);
                let revision = self.next_revision();
                match self.documents.get_mut(&key) {
                    Some(document) => {
                        document.change(p.text_document.version, revision, p.content_changes);
                        self.outdate_users(&key);
                    }
                    None => {
                        let message = format!("{key} was changed, but is not open");
                        self.log(MessageType::WARNING, message);
                    }
                }
            }
            DidCloseTextDocument::METHOD => {
                let p: DidCloseTextDocumentParams = self.params(&method, params)?;
                let uri = p.text_document.uri;
                self.moved_on(uri.as_str());
                self.documents.remove(uri.as_str());
                self.outdate_users(uri.as_str());
                let diagnostics = Vec::new();
                let params = PublishDiagnosticsParams { uri, diagnostics, version: None };
                self.notify::<PublishDiagnostics>(params);
            }
            Cancel::METHOD => {
                let p: CancelParams = self.params(&method, params)?;
                let id = match p.id {
                    NumberOrString::Number(id) => RequestId::from(id),
                    NumberOrString::String(id) => RequestId::from(id),
                };
                let index = self.waiting.iter().position(|w| w.request.id == id)?;
                self.waiting.remove(index);
                self.send(refusal(id, ErrorCode::RequestCanceled, "cancelled"));
            }
            _ => {}
        }
        Some(())
    }

    /// A file is another: so are the documents that use it.
    fn outdate_users(&mut self, uri: &str) {
        let Some(path) = path_of(uri) else { return };
        let uses = |it: &Document| it.used.iter().any(|used| same_file(used, &path));
        let users = self.documents.iter().filter(|(key, it)| *key != uri && uses(it));
        for user in users.map(|(key, _)| key.clone()).collect::<Vec<String>>() {
            self.moved_on(&user);
            let revision = self.next_revision();
            if let Some(document) = self.documents.get_mut(&user) {
                document.outdate(revision);
            }
        }
    }

    fn request(&mut self, request: Request) {
        let refused = match request.method.as_str() {
            _ if self.shut_down => Some("the server has been shut down"),
            Initialize::METHOD => Some("the session has been initialized before"),
            _ => None,
        };
        if let Some(message) = refused {
            return self.send(refusal(request.id, ErrorCode::InvalidRequest, message));
        }
        if request.method == Shutdown::METHOD {
            self.shut_down = true;
            self.work.cancel_all();
            for Waiting { request, .. } in std::mem::take(&mut self.waiting) {
                let code = ErrorCode::RequestCanceled;
                self.send(refusal(request.id, code, "the server is shutting down"));
            }
            return self.send(Response::new_ok(request.id, ()));
        }
        self.settle();
        let id = request.id.clone();
        let answer = catch_unwind(AssertUnwindSafe(|| self.answer(request)));
        match answer {
            Ok(Some(response)) => self.send(response),
            // It waits for a job.
            Ok(None) => {}
            Err(panic) => {
                let message = format!("defect: {}", panic_message(&*panic));
                self.send(refusal(id, ErrorCode::InternalError, &message));
                self.log(MessageType::ERROR, message);
            }
        }
    }

    /// Starts looking for repairs, unless somebody has.
    fn look_for_repairs(&mut self, uri: &str) {
        let Some(document) = self.documents.get_mut(uri) else { return };
        if let (Repairs::NotAsked, Some(source)) = (&document.repairs, document.source()) {
            document.repairs = Repairs::Searching;
            let (uri, revision) = (uri.to_owned(), document.revision);
            let order = Order { uri, revision, task: Task::Repair };
            self.work.add(Job { order, due: Instant::now(), source, timeout: REPAIR_TIME });
        }
    }

    fn next_revision(&mut self) -> Revision {
        self.revisions += 1;
        Revision(self.revisions)
    }

    fn params<P: DeserializeOwned>(&self, method: &str, params: Value) -> Option<P> {
        let complain = |error| {
            self.log(MessageType::WARNING, format!("`{method}` was not understood: {error}"));
        };
        serde_json::from_value(params).map_err(complain).ok()
    }

    fn send(&self, message: impl Into<Message>) {
        // If nobody is there any more, the loop ends with the next message it waits for.
        let _ = self.connection.sender.send(message.into());
    }

    fn notify<N: lsp_types::notification::Notification>(&self, params: N::Params) {
        self.send(Notification::new(N::METHOD.to_owned(), params));
    }

    fn log(&self, typ: MessageType, message: String) {
        self.notify::<LogMessage>(LogMessageParams { typ, message });
    }
}

/// Whether two paths lead to one file.
fn same_file(one: &Path, other: &Path) -> bool {
    one == other
        || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// An answer that is none.
fn refusal(id: RequestId, code: ErrorCode, message: &str) -> Response {
    Response::new_err(id, code as i32, message.to_owned())
}

/// What to say about a text whose check failed.
fn failed(document: &Document, message: &str) -> Report {
    document.report(Answer::Withheld(format!("the check failed: {message}")))
}
