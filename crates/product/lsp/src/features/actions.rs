//! Light bulbs: fixes that messages carry, and repairs of programs that are not serializable.

use super::diagnostics;
use crate::document::{Document, Repairs};
use crate::settings::Settings;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, Diagnostic, DocumentChanges,
    OneOf, OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, TextEdit, WorkspaceEdit,
};
use ser_session::serializability::repair::apply_edits;
use ser_syntax::{Edit, Span};
use std::collections::HashMap;

/// The kinds of actions there are.
pub fn kinds() -> Vec<CodeActionKind> {
    vec![CodeActionKind::QUICKFIX, CodeActionKind::REFACTOR_REWRITE]
}

/// Whether repairs should be looked for before (or after) this is answered.
pub fn wants_repairs(document: &Document, params: &CodeActionParams) -> bool {
    let breaks = document.of_program().is_some_and(|report| report.answer.run().is_some());
    breaks && kinds().iter().any(|kind| wanted(kind, params))
}

/// The actions for a range.
pub fn actions(
    document: &Document,
    settings: &Settings,
    params: &CodeActionParams,
) -> Vec<CodeActionOrCommand> {
    let asked = document.text.span(params.range);
    let near = |span: Span| span.start <= asked.end && asked.start <= span.end;
    let mut out = Vec::new();
    for message in diagnostics::messages(document) {
        if !near(message.primary.span) {
            continue;
        }
        let fixes = message.help.iter().filter_map(|h| Some((&h.message, h.edit.as_ref()?)));
        for (i, (title, edit)) in fixes.enumerate() {
            let diagnostic = diagnostics::message(document, settings, message);
            out.push(CodeAction {
                is_preferred: Some(i == 0),
                ..action(
                    document,
                    settings,
                    title.clone(),
                    CodeActionKind::QUICKFIX,
                    std::slice::from_ref(edit),
                    Some(diagnostic),
                )
            });
        }
    }
    if let Repairs::Known(fixes) = &document.repairs {
        let verdict = diagnostics::verdict(document, settings);
        let here = verdict.into_iter().find(|d| near(document.text.span(d.range)));
        for (i, fix) in fixes.iter().enumerate() {
            // On the warning itself it is a fix, elsewhere an offer.
            let kind = match &here {
                Some(_) => CodeActionKind::QUICKFIX,
                None => CodeActionKind::REFACTOR_REWRITE,
            };
            let title = format!("Repair: {}", fix.title);
            let action = action(document, settings, title, kind, &fix.edits, here.clone());
            out.push(CodeAction { is_preferred: Some(i == 0 && here.is_some()), ..action });
        }
    }
    let wanted = |a: &CodeAction| a.kind.as_ref().is_none_or(|kind| wanted(kind, params));
    out.into_iter().filter(wanted).map(CodeActionOrCommand::CodeAction).collect()
}

/// Whether the client wants this kind: it may ask for `refactor` and mean `refactor.rewrite`.
fn wanted(kind: &CodeActionKind, params: &CodeActionParams) -> bool {
    // The client filters what it shows: a list without kinds asks for none in particular.
    let only = params.context.only.as_ref().filter(|only| !only.is_empty());
    let Some(only) = only else { return true };
    only.iter().any(|wide| {
        let rest = kind.as_str().strip_prefix(wide.as_str());
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.starts_with('.') || wide.as_str().is_empty()
        })
    })
}

fn action(
    document: &Document,
    settings: &Settings,
    title: String,
    kind: CodeActionKind,
    edits: &[Edit],
    diagnostic: Option<Diagnostic>,
) -> CodeAction {
    CodeAction {
        title,
        kind: Some(kind),
        diagnostics: diagnostic.map(|d| vec![d]),
        edit: Some(workspace_edit(document, settings, text_edits(document, edits))),
        ..CodeAction::default()
    }
}

/// The edits in the editor's terms. There is no position between `\r` and `\n`; if an edit needs
/// one, the whole text is replaced.
fn text_edits(document: &Document, edits: &[Edit]) -> Vec<TextEdit> {
    let text = &document.text;
    if edits.iter().any(|edit| text.span(text.range(edit.span)) != edit.span) {
        let new_text = apply_edits(text.as_str(), edits);
        return vec![TextEdit { range: text.whole(), new_text }];
    }
    let edit =
        |edit: &Edit| TextEdit { range: text.range(edit.span), new_text: edit.replacement.clone() };
    edits.iter().map(edit).collect()
}

/// Edits of one document, for the text as it is now.
#[allow(clippy::mutable_key_type, reason = "the protocol's own type; nobody changes the address")]
pub fn workspace_edit(
    document: &Document,
    settings: &Settings,
    edits: Vec<TextEdit>,
) -> WorkspaceEdit {
    if !settings.versioned_edits {
        let changes = HashMap::from([(document.uri.clone(), edits)]);
        return WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() };
    }
    let edit = TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier {
            uri: document.uri.clone(),
            version: Some(document.version),
        },
        edits: edits.into_iter().map(OneOf::Left).collect(),
    };
    let changes = Some(DocumentChanges::Edits(vec![edit]));
    WorkspaceEdit { document_changes: changes, ..WorkspaceEdit::default() }
}
