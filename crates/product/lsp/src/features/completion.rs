//! What could come next: words of the language and names in scope.
//!
//! While a person types, the text around the cursor rarely parses. So what can stand there
//! ([`Slot`]) comes from the tokens, and so do the names of variables: all that stand in the file,
//! the lowercase ones only if they stand in the same body. What they are (their types, the members
//! of enumerations, the fields of records) comes from the tree, which has understood the rest of
//! the file.

use super::cursor::{Cursor, within};
use super::keywords::keyword;
use super::language::{self, candidate};
use super::slot::{Slot, slot};
use crate::document::Document;
use crate::settings::Settings;
use lsp_types::{
    CompletionItem, CompletionItemKind, Documentation, InsertTextFormat, MarkupContent, MarkupKind,
    Position,
};
use ser_editing::symbols::SymbolKind;
use ser_report::Kind;
use ser_syntax::ast::{Declared, Enumeration, Program};
use ser_syntax::lexer::{Token, TokenKind};
use ser_syntax::{Domain, Domains};
use std::collections::BTreeMap;

/// So many elements are written out where an array is wanted.
const MAX_ELEMENTS: i64 = 8;

/// The candidates at a position; nothing for languages whose words are not known here.
pub fn complete(
    document: &Document,
    settings: &Settings,
    position: Position,
) -> Option<Vec<CompletionItem>> {
    // What it uses has names, too.
    let Some(cursor) = Cursor::new(&document.whole, document.text.offset(position)) else {
        return Some(Vec::new());
    };
    match document.kind {
        Kind::Program | Kind::Processes => Some(Completion::new(document, settings, &cursor).all()),
        Kind::Protocol => Some(language::complete(&document.protocol, &cursor)),
        Kind::Invariants => Some(language::complete(&document.invariants, &cursor)),
        Kind::System | Kind::Unwinding | Kind::Net | Kind::Sql => None,
    }
}

/// A place to complete in a file with requests or processes.
struct Completion<'d> {
    document: &'d Document,
    tree: &'d Program,
    snippets: bool,
    cursor: &'d Cursor<'d>,
    /// The tokens before the cursor that mean something, without the word that is being typed.
    before: Vec<&'d Token>,
    domains: Domains,
    slot: Slot,
}

impl<'d> Completion<'d> {
    fn new(document: &'d Document, settings: &Settings, cursor: &'d Cursor<'d>) -> Completion<'d> {
        let is_word = |t: &Token| t.kind == TokenKind::Name || t.kind.is_keyword();
        let before = cursor.meaningful().take_while(|t| t.span.end <= cursor.offset);
        let before: Vec<&Token> = before.filter(|t| !(is_word(t) && cursor.is_typed(t))).collect();
        let tree = &document.parse.tree;
        let slot = slot(cursor.text, &before);
        let domains = Domains::of(tree);
        let snippets = settings.snippets;
        Completion { document, tree, snippets, cursor, before, domains, slot }
    }

    fn all(&self) -> Vec<CompletionItem> {
        let mut out = match self.slot {
            Slot::Member => return self.behind_a_point(),
            Slot::Case(open) => self.cases(open),
            Slot::Value | Slot::Claim | Slot::Constant => {
                let mut out = self.wanted();
                out.extend(self.fields());
                out
            }
            _ => Vec::new(),
        };
        out.extend(self.names());
        out.extend(self.items());
        let processes = !self.tree.processes.is_empty();
        let mixes = |word: &str| word == "process" && !self.tree.requests.is_empty();
        let words = self.slot.words(processes).filter(|word| !mixes(word));
        out.extend(words.filter_map(keyword).map(|keyword| {
            let value = format!("{}\n\n```ser\n{}\n```", keyword.meaning, keyword.example);
            let documentation = MarkupContent { kind: MarkupKind::Markdown, value };
            let item = candidate(keyword.word, CompletionItemKind::KEYWORD, "3", None);
            let item = self.inserting(item, keyword.snippet);
            CompletionItem {
                documentation: Some(Documentation::MarkupContent(documentation)),
                ..item
            }
        }));
        // What fits best stands first, and once.
        let mut seen: Vec<String> = Vec::new();
        out.retain(|item| {
            let is_new = !seen.contains(&item.label);
            seen.extend(is_new.then(|| item.label.clone()));
            is_new
        });
        out
    }

    /// A candidate that puts more than its label there, for clients that know places to fill in.
    fn inserting(&self, item: CompletionItem, snippet: &str) -> CompletionItem {
        let snippet = Some(snippet.to_owned()).filter(|it| self.snippets && *it != item.label);
        CompletionItem {
            insert_text_format: snippet.is_some().then_some(InsertTextFormat::SNIPPET),
            insert_text: snippet,
            ..item
        }
    }

    /// The number of the body around the cursor, and its name: of the last item before it that has
    /// one.
    fn body(&self) -> Option<usize> {
        let text = self.cursor.text;
        let mut depth = 0;
        let mut head = None;
        for pair in self.before.windows(2) {
            let [word, name] = pair else { continue };
            depth += super::cursor::depth_of(word.kind);
            let word = word.text(text);
            if word == "request" || depth == 0 && matches!(word, "fn" | "process") {
                depth = 0;
                head = Some((word, name.text(text)));
            }
        }
        let (word, name) = head?;
        let (requests, functions) = (self.tree.requests.len(), self.tree.functions.len());
        match word {
            "request" => self.tree.requests.iter().position(|it| it.name.text == name),
            "fn" => {
                let at = self.tree.functions.iter().position(|it| it.name.text == name);
                Some(requests + at?)
            }
            _ => {
                let at = self.tree.processes.iter().position(|it| it.name.text == name);
                Some(requests + functions + at?)
            }
        }
    }

    /// What a variable takes.
    fn domain(&self, name: &str) -> Option<&Domain> {
        let local = self.body().and_then(|body| self.domains.bodies.get(body)?.get(name));
        local.or_else(|| self.domains.globals.get(name))
    }

    fn members(&self, name: &str) -> Option<Vec<&'d str>> {
        let item = self.tree.enumerations.iter().find(|it| it.name.text == name)?;
        Some(item.members.iter().map(|member| member.text.as_str()).collect())
    }

    /// The type of the expression of names, indices, fields and calls that ends before a token.
    fn before(&self, end: usize) -> Option<Domain> {
        let text = self.cursor.text;
        let token = |at: usize| self.before.get(at).map(|t| (t.kind, t.text(text)));
        let last = end.checked_sub(1)?;
        match token(last)? {
            (TokenKind::RightBracket, _) => {
                let open = self.opening(last)?;
                match self.before(open)? {
                    Domain::Array(_, elements) => Some(*elements),
                    _ => None,
                }
            }
            (TokenKind::RightParenthesis, _) => {
                let open = self.opening(last)?;
                let (TokenKind::Name, name) = token(open.checked_sub(1)?)? else { return None };
                let record = self.domains.records.contains_key(name);
                match record {
                    true => Some(Domain::Record(name.to_owned())),
                    false => self.domains.results.get(name).cloned(),
                }
            }
            (TokenKind::Name, name) => match last.checked_sub(1).and_then(token) {
                Some((TokenKind::Dot, _)) => {
                    let of = self.before(last - 1)?;
                    self.domains.field(&of, name).cloned()
                }
                _ => self.domain(name).cloned(),
            },
            _ => None,
        }
    }

    /// Where the bracket is opened that is closed there.
    fn opening(&self, close: usize) -> Option<usize> {
        use TokenKind::{LeftBracket, LeftParenthesis, RightBracket, RightParenthesis};
        let mut depth = 0_usize;
        for at in (0..=close).rev() {
            match self.before.get(at)?.kind {
                RightBracket | RightParenthesis => depth += 1,
                LeftBracket | LeftParenthesis => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// The innermost bracket that is open.
    fn open_bracket(&self) -> Option<usize> {
        use TokenKind::{LeftBrace, LeftBracket, LeftParenthesis, RightBracket, RightParenthesis};
        let mut closed = 0_usize;
        for (at, token) in self.before.iter().enumerate().rev() {
            match token.kind {
                RightBracket | RightParenthesis => closed += 1,
                LeftBracket | LeftParenthesis if closed == 0 => return Some(at),
                LeftBracket | LeftParenthesis => closed -= 1,
                LeftBrace => return None,
                _ => {}
            }
        }
        None
    }

    /// Fields of what stands before the point, or members.
    fn behind_a_point(&self) -> Vec<CompletionItem> {
        let point = self.before.len().saturating_sub(1);
        let name = point.checked_sub(1).and_then(|at| self.before.get(at));
        let name = name.map_or("", |token| token.text(self.cursor.text));
        if let Some(members) = self.members(name) {
            return members.into_iter().map(|it| self.member(it, name)).collect();
        }
        let Some(Domain::Record(record)) = self.before(point) else { return Vec::new() };
        let fields = self.domains.records.get(&record).into_iter().flatten();
        fields
            .map(|(field, domain)| {
                let detail = domain.to_string();
                candidate(field, CompletionItemKind::FIELD, "0", Some(&detail))
            })
            .collect()
    }

    fn member(&self, member: &str, of: &str) -> CompletionItem {
        candidate(member, CompletionItemKind::ENUM_MEMBER, "0", Some(of))
    }

    /// A member as it has to be written: with its enumeration, if another one has it, too.
    fn written(&self, member: &str, of: &str) -> String {
        let has = |it: &&Enumeration| it.members.iter().any(|other| other.text == member);
        match self.tree.enumerations.iter().filter(has).count() {
            0 | 1 => member.to_owned(),
            _ => format!("{of}.{member}"),
        }
    }

    /// What a value of a type looks like.
    fn values_of(&self, domain: &Domain) -> Vec<CompletionItem> {
        match domain {
            Domain::Enumeration(name) => {
                let members = self.members(name).unwrap_or_default();
                members.into_iter().map(|it| self.member(&self.written(it, name), name)).collect()
            }
            Domain::Bool => ["false", "true"]
                .map(|it| candidate(it, CompletionItemKind::KEYWORD, "0", Some("bool")))
                .into(),
            Domain::Record(_) | Domain::Array(..) => {
                let text = self.example(domain);
                let detail = domain.to_string();
                let item = |text: String| {
                    candidate(&text, CompletionItemKind::CONSTRUCTOR, "0", Some(&detail))
                };
                text.map(item).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// A value: the one that variables of this type start with.
    fn example(&self, domain: &Domain) -> Option<String> {
        Some(match domain {
            Domain::Int | Domain::Bits(_) => "0".to_owned(),
            Domain::Range(low, high) => if *low <= 0 && 0 <= *high { 0 } else { *low }.to_string(),
            Domain::Bool => "false".to_owned(),
            Domain::Enumeration(name) => self.written(self.members(name)?.first()?, name),
            Domain::Record(name) => {
                let fields = self.domains.records.get(name)?.iter();
                let fields = fields
                    .map(|(field, domain)| Some(format!("{field}: {}", self.example(domain)?)));
                format!("{name}({})", fields.collect::<Option<Vec<_>>>()?.join(", "))
            }
            Domain::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.example(part));
                format!("({})", parts.collect::<Option<Vec<_>>>()?.join(", "))
            }
            Domain::Array(index, elements) => {
                let size = match &**index {
                    Domain::Range(low, high) => high.checked_sub(*low)?.checked_add(1)?,
                    Domain::Bool => 2,
                    Domain::Enumeration(name) => self.members(name)?.len() as i64,
                    _ => return None,
                };
                let element = self.example(elements)?;
                let size = usize::try_from(size).ok().filter(|_| size <= MAX_ELEMENTS)?;
                format!("[{}]", vec![element; size].join(", "))
            }
            Domain::Queue(..) => return None,
        })
    }

    /// Values of the type that is wanted here: that of the other side of a comparison or of an
    /// assignment, or of a field.
    fn wanted(&self) -> Vec<CompletionItem> {
        use TokenKind as T;
        let text = self.cursor.text;
        let last = self.before.len().saturating_sub(1);
        let wanted = match self.before.last().map(|t| t.kind) {
            Some(T::EqualEqual | T::NotEqual | T::Assign) => self.before(last),
            Some(T::Equal) => self.declared(last),
            Some(T::Colon) => self.record_around().and_then(|record| {
                let field = self.before.get(last.checked_sub(1)?)?.text(text);
                self.domains.field(&record, field).cloned()
            }),
            _ => None,
        };
        wanted.map(|domain| self.values_of(&domain)).unwrap_or_default()
    }

    /// The type of the variable whose first value stands behind the `=` there.
    fn declared(&self, equal: usize) -> Option<Domain> {
        let text = self.cursor.text;
        let var = self.before.get(..equal)?.iter().rposition(|t| t.text(text) == "var")?;
        self.domain(self.before.get(var + 1)?.text(text)).cloned()
    }

    /// The record whose parentheses are around the cursor.
    fn record_around(&self) -> Option<Domain> {
        let name = self.before.get(self.open_bracket()?.checked_sub(1)?)?;
        let name = name.text(self.cursor.text);
        self.domains.records.contains_key(name).then(|| Domain::Record(name.to_owned()))
    }

    /// The fields of the record whose parentheses are around the cursor.
    fn fields(&self) -> Vec<CompletionItem> {
        let starts = matches!(
            self.before.last().map(|t| t.kind),
            Some(TokenKind::LeftParenthesis | TokenKind::Comma)
        );
        let Some(Domain::Record(record)) = self.record_around().filter(|_| starts) else {
            return Vec::new();
        };
        let fields = self.domains.records.get(&record).into_iter().flatten();
        fields
            .map(|(field, domain)| {
                let label = format!("{field}: ");
                let detail = domain.to_string();
                candidate(&label, CompletionItemKind::FIELD, "0", Some(&detail))
            })
            .collect()
    }

    /// The cases of a `match`: values of what stands before its brace.
    fn cases(&self, open: usize) -> Vec<CompletionItem> {
        let mut out = self.before(open).map(|it| self.values_of(&it)).unwrap_or_default();
        out.push(candidate("_", CompletionItemKind::KEYWORD, "2", Some("everything else")));
        out
    }

    /// Functions, records and types that can stand there, from the tree.
    fn items(&self) -> Vec<CompletionItem> {
        let in_body = matches!(self.slot, Slot::Statement | Slot::Value);
        let mut out = Vec::new();
        if in_body || self.slot == Slot::Claim {
            for function in &self.tree.functions {
                let name = &function.name.text;
                let names: Vec<&str> =
                    function.parameters.iter().map(|(name, _)| name.text.as_str()).collect();
                let detail = match self.domains.results.get(name) {
                    Some(result) => format!("fn {name}({}): {result}", names.join(", ")),
                    None => format!("fn {name}({})", names.join(", ")),
                };
                let places = names.iter().enumerate();
                let places = places.map(|(at, name)| format!("${{{}:{name}}}", at + 1));
                let snippet = format!("{name}({})", places.collect::<Vec<_>>().join(", "));
                let item = candidate(name, CompletionItemKind::FUNCTION, "1", Some(&detail));
                out.push(self.inserting(item, &snippet));
            }
            for name in ["max", "min"].iter().filter(|_| self.slot != Slot::Statement) {
                let detail = format!("{name}(a, b)");
                let item = candidate(name, CompletionItemKind::FUNCTION, "2", Some(&detail));
                out.push(self.inserting(item, &format!("{name}(${{1:a}}, ${{2:b}})")));
            }
        }
        if in_body || matches!(self.slot, Slot::Claim | Slot::Constant) {
            for record in &self.tree.records {
                let name = &record.name.text;
                let domain = Domain::Record(name.clone());
                let Some(label) = self.example(&domain) else { continue };
                let item = candidate(&label, CompletionItemKind::CONSTRUCTOR, "2", Some(name));
                out.push(item);
            }
            for (member, of) in
                self.tree.enumerations.iter().flat_map(|it| {
                    it.members.iter().map(move |member| (&member.text, &it.name.text))
                })
            {
                let kind = CompletionItemKind::ENUM_MEMBER;
                out.push(candidate(&self.written(member, of), kind, "1", Some(of)));
            }
        }
        if matches!(self.slot, Slot::Type | Slot::Values) {
            let enumerations = self.tree.enumerations.iter().map(|it| (&it.name, "enumeration"));
            let records = self.tree.records.iter().filter(|_| self.slot == Slot::Type);
            let records = records.map(|it| (&it.name, "record"));
            let aliases = self.tree.aliases.iter().map(|it| (&it.name, "type"));
            for (name, detail) in enumerations.chain(records).chain(aliases) {
                let kind = CompletionItemKind::STRUCT;
                out.push(candidate(&name.text, kind, "0", Some(detail)));
            }
        }
        if self.slot == Slot::Process {
            for process in &self.tree.processes {
                let kind = CompletionItemKind::FUNCTION;
                out.push(candidate(&process.name.text, kind, "0", Some("process")));
            }
        }
        for variable in &self.tree.globals {
            let name = &variable.name.text;
            let is_lock = matches!(variable.declared, Declared::Lock(_));
            let is_queue = matches!(self.domains.globals.get(name), Some(Domain::Queue(..)));
            if self.slot == Slot::Lock && is_lock || self.slot == Slot::Queue && is_queue {
                let detail = if is_lock { "lock" } else { "queue" };
                out.push(candidate(name, CompletionItemKind::VARIABLE, "0", Some(detail)));
            }
        }
        out
    }

    /// The names of constants and variables that can stand there, from the tokens.
    fn names(&self) -> Vec<CompletionItem> {
        let (constants, globals, locals) = match self.slot {
            Slot::Item => (false, true, false),
            Slot::Constant | Slot::Type | Slot::Values => (true, false, false),
            Slot::Claim => (true, true, false),
            Slot::Statement | Slot::Value | Slot::Case(_) => (true, true, true),
            _ => return Vec::new(),
        };
        let (cursor, text) = (self.cursor, self.cursor.text);
        let starts =
            |t: &Token| t.kind == TokenKind::Request || matches!(t.text(text), "fn" | "process");
        let around = cursor.body(starts);
        let other = [
            SymbolKind::Type,
            SymbolKind::Function,
            SymbolKind::Process,
            SymbolKind::Member,
            SymbolKind::Question,
        ];
        let is_other =
            |name: &str| other.iter().any(|kind| self.document.symbols.find(name, *kind).is_some());
        let mut found: BTreeMap<&str, (CompletionItemKind, &str)> = BTreeMap::new();
        let mut before: Option<&Token> = None;
        for token in cursor.meaningful() {
            let previous = before.replace(token);
            let after = previous.map_or("", |it| it.text(text));
            let name = token.text(text);
            let is_name = token.kind == TokenKind::Name
                && !cursor.is_typed(token)
                && !matches!(after, "request" | "fn" | "process" | "invariant" | ".")
                && (keyword(name).is_none() && !is_other(name) || after == "const");
            if !is_name {
                continue;
            }
            if after == "const" {
                found.insert(name, (CompletionItemKind::CONSTANT, "constant"));
            } else if name.starts_with(char::is_uppercase) {
                found.entry(name).or_insert((CompletionItemKind::VARIABLE, "global variable"));
            } else if locals && within(around, token.span) {
                found.entry(name).or_insert((CompletionItemKind::VARIABLE, "local variable"));
            }
        }
        let wanted = |kind: CompletionItemKind, detail: &str| match kind {
            CompletionItemKind::CONSTANT => constants,
            _ => detail != "global variable" || globals,
        };
        let found = found.into_iter().filter(|(_, (kind, detail))| wanted(*kind, detail));
        found
            .map(|(name, (kind, detail))| match self.domain(name) {
                Some(domain) if kind != CompletionItemKind::CONSTANT => {
                    candidate(name, kind, "1", Some(&format!("{detail}: {domain}")))
                }
                _ => candidate(name, kind, "1", Some(detail)),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Revision;
    use crate::features::hover::hover;
    use crate::text::{Encoding, Text};
    use ser_syntax::lexer::lex;

    fn document(text: &str) -> Document {
        let uri = "file:///a.ser".parse().expect("an address");
        let text = Text::new(text.to_owned(), Encoding::Utf8);
        let mut document = Document::new(uri, "ser", 1, Revision(0), text);
        document.refresh(ser_editing::parse, &|_| None);
        document
    }

    #[test]
    fn there_is_an_answer_wherever_a_text_ends() {
        let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../examples");
        let names = [
            "language_tour.ser",
            "seat_plan.ser",
            "versioned_rows.ser",
            "ring_buffer.ser",
            "processes/queue.ser",
            "processes/two_phase_commit.ser",
            "messages/registry.ser",
            "threads/ticket_set.ser",
        ];
        let (settings, _) = Settings::new(&serde_json::json!({"capabilities": {}}));
        for name in names {
            let text = std::fs::read_to_string(format!("{examples}/{name}")).expect("an example");
            let whole = document(&text);
            for token in lex(&text) {
                let end = token.span.end as usize;
                let at = whole.text.position(token.span.end);
                assert!(complete(&whole, &settings, at).is_some());
                let _ = hover(&whole, at);
                let part = document(text.get(..end).expect("a place between tokens"));
                assert!(complete(&part, &settings, at).is_some(), "{name}");
                let _ = hover(&part, at);
            }
        }
    }
}
