//! Who answers what.

use super::{Server, Waiting};
use crate::document::{Document, Repairs};
use crate::features::{
    actions, completion, formatting, hints, hover, invariants, lenses, navigation, outline,
    protocol, rename, structure, tokens,
};
use crate::protocol::{InterleavingRequest, InterleavingResult, InterleavingStep};
use crate::work::Task;
use lsp_server::{ErrorCode, Request, Response};
use lsp_types::request as r;
use lsp_types::request::Request as _;
use lsp_types::{
    CodeActionParams, CodeActionTriggerKind, CompletionResponse, GotoDefinitionResponse,
    TextDocumentIdentifier, Uri,
};
use ser_session::source::Kind;
use serde::Deserialize;

/// All that is needed to find out which document a request is about.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct About {
    text_document: TextDocumentIdentifier,
}

impl Server<'_> {
    /// Answers a request, or puts it aside until a job is done.
    pub(super) fn answer(&mut self, request: Request) -> Option<Response> {
        if let Some((uri, task)) = self.waits_for(&request) {
            self.waiting.push(Waiting { request, uri, task });
            return None;
        }
        let settings = &self.settings;
        Some(match request.method.as_str() {
            r::HoverRequest::METHOD => self.on::<r::HoverRequest>(request, |p| {
                let p = p.text_document_position_params;
                let document = self.get(&p.text_document.uri)?;
                match document.kind {
                    Kind::Protocol => protocol::hover(document, p.position),
                    Kind::Invariants => invariants::hover(document, p.position),
                    _ => {
                        self.in_ser(&p.text_document.uri).and_then(|d| hover::hover(d, p.position))
                    }
                }
            }),
            r::GotoDefinition::METHOD => self.on::<r::GotoDefinition>(request, |p| {
                let p = p.text_document_position_params;
                let document = self.get(&p.text_document.uri)?;
                let place = match document.kind {
                    Kind::Protocol => protocol::definition(document, p.position),
                    Kind::Invariants => invariants::definition(document, p.position),
                    _ => navigation::definition(document, p.position),
                };
                place.map(GotoDefinitionResponse::Scalar)
            }),
            r::References::METHOD => self.on::<r::References>(request, |p| {
                let document = self.get(&p.text_document_position.text_document.uri)?;
                let position = p.text_document_position.position;
                let references = match document.kind {
                    Kind::Protocol => protocol::references,
                    Kind::Invariants => invariants::references,
                    _ => navigation::references,
                };
                references(document, position, p.context.include_declaration)
            }),
            r::DocumentHighlightRequest::METHOD => {
                self.on::<r::DocumentHighlightRequest>(request, |p| {
                    let p = p.text_document_position_params;
                    let document = self.get(&p.text_document.uri)?;
                    match document.kind {
                        Kind::Protocol => protocol::highlights(document, p.position),
                        Kind::Invariants => invariants::highlights(document, p.position),
                        _ => navigation::highlights(document, p.position),
                    }
                })
            }
            r::PrepareRenameRequest::METHOD => self.on::<r::PrepareRenameRequest>(request, |p| {
                rename::prepare(self.get(&p.text_document.uri)?, p.position)
            }),
            r::Rename::METHOD => self.try_on::<r::Rename>(request, |p| {
                let at = p.text_document_position;
                let document = self.get(&at.text_document.uri).ok_or("the document is not open")?;
                rename::rename(document, settings, at.position, &p.new_name).map(Some)
            }),
            r::Completion::METHOD => self.on::<r::Completion>(request, |p| {
                let at = p.text_document_position;
                let document = self.get(&at.text_document.uri)?;
                let items = match document.kind {
                    Kind::Protocol => protocol::complete(document, at.position),
                    Kind::Invariants => invariants::complete(document, at.position),
                    _ => {
                        let document = self.in_ser(&at.text_document.uri)?;
                        completion::complete(document, settings, at.position)
                    }
                };
                Some(CompletionResponse::Array(items))
            }),
            r::Formatting::METHOD => self.on::<r::Formatting>(request, |p| {
                formatting::format(self.get(&p.text_document.uri)?)
            }),
            r::DocumentSymbolRequest::METHOD => self.on::<r::DocumentSymbolRequest>(request, |p| {
                let document = self.get(&p.text_document.uri)?;
                Some(outline::symbols(document, settings.nested_symbols))
            }),
            r::SemanticTokensFullRequest::METHOD => self
                .on::<r::SemanticTokensFullRequest>(request, |p| {
                    Some(tokens::tokens(self.in_ser(&p.text_document.uri)?).into())
                }),
            r::FoldingRangeRequest::METHOD => self.on::<r::FoldingRangeRequest>(request, |p| {
                Some(structure::folds(self.get(&p.text_document.uri)?))
            }),
            r::SelectionRangeRequest::METHOD => self.on::<r::SelectionRangeRequest>(request, |p| {
                Some(structure::selections(self.get(&p.text_document.uri)?, &p.positions))
            }),
            r::CodeLensRequest::METHOD => self.on::<r::CodeLensRequest>(request, |p| {
                let document = self.get(&p.text_document.uri)?;
                Some(lenses::lenses(document)).filter(|_| settings.code_lens)
            }),
            r::InlayHintRequest::METHOD => self.on::<r::InlayHintRequest>(request, |p| {
                let document = self.get(&p.text_document.uri)?;
                Some(hints::hints(document, p.range)).filter(|_| settings.inlay_hints)
            }),
            r::CodeActionRequest::METHOD => self.on::<r::CodeActionRequest>(request, |p| {
                Some(actions::actions(self.get(&p.text_document.uri)?, settings, &p))
            }),
            InterleavingRequest::METHOD => {
                self.on::<InterleavingRequest>(request, |p| interleaving(self.get(&p.uri)?))
            }
            method => {
                let message = format!("`{method}` is not known here");
                Response::new_err(request.id, ErrorCode::MethodNotFound as i32, message)
            }
        })
    }

    fn get(&self, uri: &Uri) -> Option<&Document> {
        self.documents.get(uri.as_str())
    }

    /// For what knows the words of programs, which mean something else, or nothing, in processes and
    /// unwindings.
    fn in_ser(&self, uri: &Uri) -> Option<&Document> {
        let other = [Kind::Processes, Kind::Unwinding, Kind::Protocol, Kind::Invariants];
        self.get(uri).filter(|d| !other.contains(&d.kind))
    }

    fn on<R: r::Request>(
        &self,
        request: Request,
        answer: impl FnOnce(R::Params) -> R::Result,
    ) -> Response {
        self.try_on::<R>(request, |params| Ok(answer(params)))
    }

    fn try_on<R: r::Request>(
        &self,
        request: Request,
        answer: impl FnOnce(R::Params) -> Result<R::Result, String>,
    ) -> Response {
        let Request { id, method, params } = request;
        match serde_json::from_value(params) {
            Ok(params) => match answer(params) {
                Ok(result) => Response::new_ok(id, result),
                Err(message) => Response::new_err(id, ErrorCode::RequestFailed as i32, message),
            },
            Err(error) => {
                let message = format!("`{method}` was not understood: {error}");
                Response::new_err(id, ErrorCode::InvalidParams as i32, message)
            }
        }
    }

    /// The job that a request should wait for.
    ///
    /// Lenses and hints tell the verdict. A client that can be told to ask again gets an answer at
    /// once and asks again; for others the answer waits for the verdict. Repairs are looked for when
    /// somebody asks for actions; whoever opens the menu waits for them, and the light bulb that
    /// follows the cursor does not.
    fn waits_for(&mut self, request: &Request) -> Option<(String, Task)> {
        let patient = match request.method.as_str() {
            r::CodeLensRequest::METHOD => !self.settings.refreshes_lenses,
            r::InlayHintRequest::METHOD => !self.settings.refreshes_hints,
            r::CodeActionRequest::METHOD => true,
            _ => return None,
        };
        let about: About = serde_json::from_value(request.params.clone()).ok()?;
        let uri = about.text_document.uri.as_str().to_owned();
        let document = self.documents.get(&uri)?;
        if request.method == r::CodeActionRequest::METHOD {
            let params: CodeActionParams = serde_json::from_value(request.params.clone()).ok()?;
            if !actions::wants_repairs(document, &params) {
                return None;
            }
            self.look_for_repairs(&uri);
            let searching = matches!(self.documents.get(&uri)?.repairs, Repairs::Searching);
            let automatic = params.context.trigger_kind == Some(CodeActionTriggerKind::AUTOMATIC);
            return (searching && !automatic).then_some((uri, Task::Repair));
        }
        let checking = document.findings.is_none() && document.source().is_some();
        (patient && checking).then_some((uri, Task::Check))
    }
}

fn interleaving(document: &Document) -> Option<InterleavingResult> {
    let findings = document.findings.as_ref()?;
    let steps = findings.interleaving.as_ref()?.steps.iter().map(|step| InterleavingStep {
        number: step.number,
        request: step.request.clone(),
        message: step.message.clone(),
        range: document.text.range(step.span),
    });
    Some(InterleavingResult {
        version: document.version,
        summary: findings.summary.clone(),
        steps: steps.collect(),
    })
}
