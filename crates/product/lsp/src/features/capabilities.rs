//! What this server can do.

use super::{actions, tokens};
use crate::settings::Settings;
use lsp_types::{
    CodeActionOptions, CodeActionProviderCapability, CodeLensOptions, CompletionOptions,
    FoldingRangeProviderCapability, HoverProviderCapability, OneOf, RenameOptions,
    SelectionRangeProviderCapability, SemanticTokensFullOptions, SemanticTokensOptions,
    SemanticTokensServerCapabilities, ServerCapabilities, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, WorkDoneProgressOptions,
};

/// The answer to `initialize`.
pub fn capabilities(settings: &Settings) -> ServerCapabilities {
    let progress = WorkDoneProgressOptions::default();
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        ..TextDocumentSyncOptions::default()
    };
    let semantic = SemanticTokensOptions {
        work_done_progress_options: progress,
        legend: tokens::legend(),
        range: None,
        full: Some(SemanticTokensFullOptions::Bool(true)),
    };
    ServerCapabilities {
        position_encoding: Some(settings.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions::default()),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(actions::kinds()),
            work_done_progress_options: progress,
            resolve_provider: None,
        })),
        code_lens_provider: settings
            .code_lens
            .then_some(CodeLensOptions { resolve_provider: Some(false) }),
        document_formatting_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: progress,
        })),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        semantic_tokens_provider: Some(SemanticTokensServerCapabilities::SemanticTokensOptions(
            semantic,
        )),
        inlay_hint_provider: settings.inlay_hints.then_some(OneOf::Left(true)),
        ..ServerCapabilities::default()
    }
}
