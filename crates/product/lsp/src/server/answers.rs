//! Who answers what.

use super::{Server, Waiting, refusal};
use crate::document::{Document, Repairs};
use crate::features::{
    actions, completion, formatting, hints, hover, lenses, navigation, outline, rename, structure,
    tokens,
};
use crate::protocol::{InterleavingRequest, InterleavingResult, InterleavingStep};
use crate::verdict::{sentence, steps};
use crate::work::Task;
use lsp_server::{ErrorCode, Request, Response};
use lsp_types::request as r;
use lsp_types::request::Request as _;
use lsp_types::{
    CodeActionParams, CodeActionTriggerKind, CompletionResponse, GotoDefinitionResponse,
    TextDocumentIdentifier, Uri,
};
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
                hover::hover(self.get(&p.text_document.uri)?, p.position)
            }),
            r::GotoDefinition::METHOD => self.on::<r::GotoDefinition>(request, |p| {
                let p = p.text_document_position_params;
                let place = navigation::definition(self.get(&p.text_document.uri)?, p.position);
                place.map(GotoDefinitionResponse::Scalar)
            }),
            r::References::METHOD => self.on::<r::References>(request, |p| {
                let at = p.text_document_position;
                let document = self.get(&at.text_document.uri)?;
                navigation::references(document, at.position, p.context.include_declaration)
            }),
            r::DocumentHighlightRequest::METHOD => {
                self.on::<r::DocumentHighlightRequest>(request, |p| {
                    let p = p.text_document_position_params;
                    navigation::highlights(self.get(&p.text_document.uri)?, p.position)
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
                let items = completion::complete(document, settings, at.position)?;
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
                    Some(tokens::tokens(self.get(&p.text_document.uri)?)?.into())
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
                refusal(request.id, ErrorCode::MethodNotFound, &message)
            }
        })
    }

    fn get(&self, uri: &Uri) -> Option<&Document> {
        self.documents.get(uri.as_str())
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
                Err(message) => refusal(id, ErrorCode::RequestFailed, &message),
            },
            Err(error) => {
                let message = format!("`{method}` was not understood: {error}");
                refusal(id, ErrorCode::InvalidParams, &message)
            }
        }
    }

    /// The job that a request should wait for.
    ///
    /// Lenses and hints tell the verdict. A client that can be told to ask again gets an answer at
    /// once and asks again; for others the answer waits for the verdict. Repairs are looked for
    /// when somebody asks for actions; whoever opens the menu waits for them, and the light bulb
    /// that follows the cursor does not.
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
        let checking = document.reports.is_none();
        (patient && checking).then_some((uri, Task::Check))
    }
}

/// The first run that answers a question about the document.
fn interleaving(document: &Document) -> Option<InterleavingResult> {
    let reports = document.reports.iter().flatten();
    let (report, run) = reports.filter_map(|report| Some((report, report.answer.run()?))).next()?;
    let steps = steps(report, run).map(|(step, span, message)| InterleavingStep {
        number: step.lane as u32 + 1,
        request: run.lanes.get(step.lane).map_or_else(String::new, |lane| lane.label.clone()),
        message,
        range: document.text.range(document.shown(span)),
    });
    Some(InterleavingResult {
        version: document.version,
        summary: sentence(report),
        steps: steps.collect(),
    })
}
