//! What stands here: what a name means, which values it can have, what a word does.

use super::keywords::{QUESTION, keyword};
use super::{hints, language};
use crate::document::Document;
use crate::values;
use crate::verdict::sentence;
use lsp_types::{Hover, Position};
use ser_editing::symbols::{Role, Symbol, SymbolKind};
use ser_report::Kind;
use ser_report::text::{capitalised, count};
use ser_syntax::ast::{ClaimKind, Declared, Enumeration, ExprKind, Name, Parameter, Variable};
use ser_syntax::lexer::{Token, TokenKind, lex};
use ser_syntax::{Domain, Domains, Line, Span, constants};
use std::collections::{BTreeMap, BTreeSet};

/// What to show at a position: what stands there, or what is known about the goal there.
pub fn hover(document: &Document, position: Position) -> Option<Hover> {
    let (text, offset) = (document.text.as_str(), document.text.offset(position));
    let found = match document.kind {
        Kind::Protocol => language::hover(&document.protocol, text, offset),
        Kind::Invariants => language::hover(&document.invariants, text, offset),
        Kind::Program | Kind::Processes => match document.symbols.at(offset) {
            Some((symbol, place)) => Some((place.span, on_name(document, symbol))),
            None => on_goal(document, offset).or_else(|| on_word(document, offset)),
        },
        Kind::System | Kind::Unwinding | Kind::Net | Kind::Sql => on_goal(document, offset),
    };
    found.map(|(span, value)| language::markdown(document, span, value))
}

fn on_goal(document: &Document, offset: u32) -> Option<(Span, String)> {
    document.reports.iter().flatten().find_map(|report| {
        let span = report.question.span?;
        (span.start <= offset && offset <= span.end).then(|| (span, sentence(report)))
    })
}

fn on_word(document: &Document, offset: u32) -> Option<(Span, String)> {
    let tokens = lex(document.text.as_str());
    let before = tokens.partition_point(|t| t.span.start <= offset).checked_sub(1)?;
    // The end of a word counts, unless another starts there.
    let here = tokens.get(before)?;
    let previous = before.checked_sub(1).and_then(|i| tokens.get(i));
    // What is no name here may be a word that is one elsewhere.
    let known =
        |t: &Token| t.kind.is_keyword() || matches!(t.kind, TokenKind::Question | TokenKind::Name);
    let at_its_end = previous.filter(|p| p.span.end == offset && !known(here));
    let token = at_its_end.filter(|p| known(p)).unwrap_or(here);
    let word = match token.kind {
        TokenKind::Question => &QUESTION,
        _ => keyword(token.text(document.text.as_str())).filter(|_| known(token))?,
    };
    let mut out = format!("`{}`\n\n{}\n\n{}", word.word, word.meaning, code(word.example));
    if token.kind == TokenKind::Yield
        && let Some(note) = hints::pause(document, token.span)
    {
        out += &format!("\n\n**Here: {}.** {}", note.words, note.sentence);
    }
    Some((token.span, out))
}

fn on_name(document: &Document, symbol: &Symbol) -> String {
    About { document, domains: Domains::of(&document.parse.tree) }.name(symbol)
}

/// What is known about a document's names.
struct About<'d> {
    document: &'d Document,
    domains: Domains,
}

impl About<'_> {
    fn name(&self, symbol: &Symbol) -> String {
        let (document, name) = (self.document, &symbol.name);
        let program = &document.parse.tree;
        let is = |other: &&Name| other.text == *name;
        match symbol.kind {
            SymbolKind::Constant => {
                let value = constants(program).get(name).map_or("?".to_owned(), i64::to_string);
                format!("{}\n\nA constant.", code(&format!("const {name} = {value}")))
            }
            SymbolKind::Global => self.global(symbol),
            SymbolKind::Local(body) => self.local(symbol, body),
            SymbolKind::Parameter(body) => self.parameter(name, body),
            SymbolKind::Request => on_request(document, name),
            SymbolKind::Process => self.process(name),
            SymbolKind::Function => self.function(symbol),
            SymbolKind::Member => {
                let of = program.enumerations.iter().filter(|it| it.members.iter().any(|m| is(&m)));
                let of: Vec<&Enumeration> = of.collect();
                let items = of.iter().map(|it| self.item(it.span)).collect::<Vec<_>>().join("\n");
                format!("{}\n\nA member of {}.", code(&items), list(of.iter().map(|it| &it.name)))
            }
            SymbolKind::Field => {
                let of = self.domains.records.iter();
                let of = of.filter_map(|(record, fields)| {
                    let (_, domain) = fields.iter().find(|(field, _)| field == name)?;
                    Some((record, format!("{name}: {domain}")))
                });
                let (records, mut lines): (Vec<&String>, Vec<String>) = of.unzip();
                lines.dedup();
                let records: Vec<String> = records.iter().map(|it| format!("`{it}`")).collect();
                format!("{}\n\nA field of {}.", code(&lines.join("\n")), records.join(" and of "))
            }
            SymbolKind::Type => {
                let enumerations = program.enumerations.iter().map(|it| {
                    let members = count(it.members.len(), "member");
                    (&it.name, it.span, format!("An enumeration with {members}."))
                });
                let records = program.records.iter().map(|it| {
                    let fields = count(it.fields.len(), "field");
                    (&it.name, it.span, format!("A record with {fields}."))
                });
                let aliases = program.aliases.iter();
                let aliases = aliases.map(|it| (&it.name, it.span, "A type.".to_owned()));
                let mut all = enumerations.chain(records).chain(aliases);
                match all.find(|(name, ..)| is(name)) {
                    Some((_, span, words)) => format!("{}\n\n{words}", code(&self.item(span))),
                    None => code(name),
                }
            }
            SymbolKind::Question => {
                let claim =
                    program.claims.iter().find(|it| it.name.as_ref().is_some_and(|n| is(&n)));
                let span = claim.map_or(Span::default(), |it| it.span);
                let known = on_goal(document, span.start).map(|(_, words)| format!("\n\n{words}"));
                let words = match claim.map(|it| it.kind) {
                    Some(ClaimKind::Reach) => "A question: can this be true?",
                    _ => "A question: is this always true?",
                };
                format!("{}\n\n{words}{}", code(&self.item(span)), known.unwrap_or_default())
            }
        }
    }

    /// An item as it is written, in one line.
    fn item(&self, span: Span) -> String {
        let text = self.document.whole.as_str().get(span.range()).unwrap_or("");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Whether this is about processes, and not about requests.
    fn has_processes(&self) -> bool {
        !self.document.parse.tree.processes.is_empty()
    }

    fn global(&self, symbol: &Symbol) -> String {
        let (document, name) = (self.document, &symbol.name);
        let item = document.parse.tree.globals.iter().find(|i| i.name.text == *name);
        let domain = self.domains.globals.get(name);
        if let Some(Variable { declared: Declared::Lock(_), span, .. }) = item {
            let words = "A lock: `with` takes it and gives it back. Nobody holds it at first.";
            return format!("{}\n\n{words}", code(&self.item(*span)));
        }
        let places = places(document, symbol);
        let words = match self.has_processes() {
            true => "A shared variable: all processes see it.",
            false => "A global variable: all requests share it.",
        };
        let value = item.and_then(|item| item.value.as_ref());
        let first = match value.and_then(|it| document.whole.as_str().get(it.span.range())) {
            Some(value) => format!("starts at {value}"),
            None => self.first(domain.unwrap_or(&Domain::Int)),
        };
        let whole = value.is_some_and(|value| matches!(value.kind, ExprKind::List(_)));
        let it = if whole { "It" } else { subject(domain) };
        let parts = document.values.as_ref().map(|values| values.parts(name)).unwrap_or_default();
        let possible = self.possible(domain, &parts);
        format!("{}\n\n{words} {it} {first}{possible}\n\n{places}", declaration(name, domain))
    }

    /// What stands in a variable at first, if nobody says.
    fn first(&self, domain: &Domain) -> String {
        match domain {
            Domain::Bool => "starts at `false`".to_owned(),
            Domain::Range(low, high) if *low > 0 || *high < 0 => format!("starts at {low}"),
            Domain::Int | Domain::Range(..) | Domain::Bits(_) => "starts at 0".to_owned(),
            Domain::Enumeration(_) => match self.member(domain, 0) {
                Some(member) => format!("starts at `{member}`"),
                None => "starts at 0".to_owned(),
            },
            Domain::Array(_, elements) => self.first(elements),
            Domain::Record(_) => "starts as its fields do".to_owned(),
            Domain::Tuple(_) => "starts as its parts do".to_owned(),
            Domain::Queue(..) => "is empty at first".to_owned(),
        }
    }

    /// What a value of a type is called, if it has a name.
    fn member(&self, domain: &Domain, value: i64) -> Option<String> {
        match domain {
            Domain::Bool => Some(if value == 0 { "false" } else { "true" }.to_owned()),
            Domain::Enumeration(name) => {
                let all = &self.document.parse.tree.enumerations;
                let members = &all.iter().find(|it| it.name.text == *name)?.members;
                Some(members.get(usize::try_from(value).ok()?)?.text.clone())
            }
            _ => None,
        }
    }

    /// The type of what stands behind a name: `.owner` of an array of records.
    fn leaf<'a>(&'a self, mut domain: &'a Domain, path: &str) -> Option<&'a Domain> {
        let elements = |mut domain: &'a Domain| {
            while let Domain::Array(_, elements) = domain {
                domain = elements;
            }
            domain
        };
        domain = elements(domain);
        for part in path.split('.').skip(1) {
            let inside = match domain {
                Domain::Tuple(parts) => parts.get(part.parse::<usize>().ok()?)?,
                _ => self.domains.field(domain, part)?,
            };
            domain = elements(inside);
        }
        Some(domain)
    }

    /// ` and takes no other values than 0, 1.`
    fn possible(&self, domain: Option<&Domain>, parts: &BTreeMap<String, BTreeSet<i64>>) -> String {
        let words = |path: &str, values: &BTreeSet<i64>| {
            let leaf = domain.and_then(|domain| self.leaf(domain, path));
            values::in_words(values, &|value| self.member(leaf?, value))
        };
        let is_array = matches!(domain, Some(Domain::Array(..)));
        match (parts.len(), parts.get("")) {
            (0, _) => ".".to_owned(),
            (1, Some(all)) if all.len() == 1 && !is_array => " and never changes.".to_owned(),
            (1, Some(all)) => format!(" and takes no other values than {}.", words("", all)),
            _ => {
                let lines =
                    parts.iter().map(|(path, all)| format!("- `{path}`: {}", words(path, all)));
                format!(
                    ". No other values are taken than\n\n{}",
                    lines.collect::<Vec<_>>().join("\n")
                )
            }
        }
    }

    /// The body of a number: its word, its name and its parameters.
    fn body(&self, index: usize) -> Option<(&str, &Name, Option<&[Parameter]>)> {
        let program = &self.document.parse.tree;
        let requests = program.requests.iter();
        let requests = requests.map(|it| ("request", &it.name, Some(it.parameters.as_slice())));
        let functions = program.functions.iter().map(|it| ("function", &it.name, None));
        let processes = program.processes.iter();
        let processes = processes.map(|it| ("process", &it.name, Some(it.parameters.as_slice())));
        requests.chain(functions).chain(processes).nth(index)
    }

    fn local(&self, symbol: &Symbol, body: usize) -> String {
        let name = &symbol.name;
        let domain = self.domains.bodies.get(body).and_then(|names| names.get(name));
        let (word, owner) =
            self.body(body).map_or(("request", "?"), |(w, n, _)| (w, n.text.as_str()));
        let whose = match word {
            "function" => "it starts anew at each call",
            "process" => "each process has its own",
            _ => "each request has its own",
        };
        let values = self.document.values.as_ref();
        let values = values.and_then(|v| v.locals.get(&(owner.to_owned(), name.clone())));
        let parts = values.map(|all| (String::new(), all.clone())).into_iter().collect();
        // What is declared says itself where it starts.
        let declared = symbol.occurrences.iter().any(|it| it.role == Role::Definition);
        let first = match declared {
            true => String::new(),
            false => format!(
                " {} {}{}",
                subject(domain),
                self.first(domain.unwrap_or(&Domain::Int)),
                self.possible(domain, &parts)
            ),
        };
        let places = places(self.document, symbol);
        format!(
            "{}\n\nA local variable of `{owner}`: {whose}.{first}\n\n{places}",
            declaration(name, domain)
        )
    }

    fn parameter(&self, name: &str, body: usize) -> String {
        let Some((word, owner, parameters)) = self.body(body) else { return code(name) };
        let domain = self.domains.bodies.get(body).and_then(|names| names.get(name));
        let written = parameters.and_then(|all| all.iter().find(|it| it.name.text == *name));
        let Some(written) = written else {
            let words = format!(
                "A parameter of the function `{}`: a copy of what it is given.",
                owner.text
            );
            return format!("{}\n\n{words}", declaration(name, domain));
        };
        let head = self.item(written.span);
        let values = match domain {
            Some(domain) if !head.ends_with(&domain.to_string()) => {
                format!(" Its values are {domain}.")
            }
            _ => String::new(),
        };
        format!(
            "{}\n\nA parameter of `{}`: each of its values is a {word} of its own.{values}",
            code(&head),
            owner.text
        )
    }

    fn process(&self, name: &str) -> String {
        let all = &self.document.parse.tree.processes;
        let Some(process) = all.iter().find(|it| it.name.text == *name) else { return code(name) };
        let head = self.item(Span::new(process.span.start, process.body.span.start));
        let words = match process.parameters.is_empty() {
            true => "A process: it runs once.",
            false => "A process for each value of its parameters; each runs once.",
        };
        format!("{}\n\n{words}", code(head.trim_end()))
    }

    fn function(&self, symbol: &Symbol) -> String {
        let program = &self.document.parse.tree;
        let found = program.functions.iter().position(|it| it.name.text == symbol.name);
        let Some((at, item)) = found.and_then(|at| Some((at, program.functions.get(at)?))) else {
            return code(&symbol.name);
        };
        let names = self.domains.bodies.get(program.requests.len() + at);
        let parameters = item.parameters.iter().map(|(name, _)| {
            match names.and_then(|names| names.get(&name.text)) {
                Some(domain) => format!("{}: {domain}", name.text),
                None => name.text.clone(),
            }
        });
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        let result = self.domains.results.get(&symbol.name);
        let result = result.map_or(String::new(), |domain| format!(": {domain}"));
        let head = format!("fn {}({parameters}){result}", symbol.name);
        format!("{}\n\nA function: it is put in place wherever it is called.", code(&head))
    }
}

/// Who starts and takes values.
fn subject(domain: Option<&Domain>) -> &'static str {
    match domain {
        Some(Domain::Array(..)) => "Each element",
        _ => "It",
    }
}

/// `var X: 0..3`, as far as that is known.
fn declaration(name: &str, domain: Option<&Domain>) -> String {
    code(&match domain {
        Some(domain) => format!("var {name}: {domain}"),
        None => format!("var {name}"),
    })
}

fn list<'n>(names: impl Iterator<Item = &'n Name>) -> String {
    names.map(|name| format!("`{}`", name.text)).collect::<Vec<_>>().join(" and of ")
}

fn on_request(document: &Document, name: &str) -> String {
    let requests = &document.parse.tree.requests;
    let found = requests.iter().enumerate().find(|(_, r)| r.name.text == *name);
    let Some((index, request)) = found else { return code(&format!("request {name}")) };
    let pauses = document.symbols.yields().iter().filter(|(_, r)| *r == index).count();
    let pauses = match pauses {
        0 => "It never pauses.".to_owned(),
        n => format!("It has {}.", count(n, "pause")),
    };
    let head = Span::new(request.span.start, request.body.span.start);
    let head = document.whole.as_str().get(head.range()).unwrap_or(name).trim_end();
    let report = document.of_program();
    let summary = report.map_or(String::new(), |report| format!("\n\n{}", sentence(report)));
    format!("{}\n\nA request handler. {pauses}{summary}", code(head))
}

/// `Written on lines 3, 7; read on line 2.`
fn places(document: &Document, symbol: &Symbol) -> String {
    let lines = |role: Role| -> BTreeSet<Line> {
        let places = symbol.occurrences.iter().filter(|o| o.role == role);
        places.map(|o| document.line(o.span.start)).collect()
    };
    let words = |lines: BTreeSet<Line>, how: &str| {
        let list: Vec<String> = lines.iter().map(ToString::to_string).collect();
        match list.len() {
            0 => format!("never {how}"),
            1 => format!("{how} on line {}", list.join("")),
            _ => format!("{how} on lines {}", list.join(", ")),
        }
    };
    let written = words(lines(Role::Write), "written");
    capitalised(&format!("{written}; {}.", words(lines(Role::Read), "read")))
}

fn code(text: &str) -> String {
    format!("```ser\n{text}\n```")
}
