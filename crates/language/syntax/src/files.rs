//! `use "stock.ser"`: the files that a program is made of.
//!
//! Whoever reads files puts all of them into one text ([`ser_base::parts`]). Here each is parsed by
//! itself, so that a brace that is missing in one does not swallow the next, and their items become
//! one tree, in which what a file uses comes before the file. Names know no files: everything that
//! comes later (names, types, the core) sees one program.
//!
//! What a used file asks (`reach`, `invariant`, `deadlock`, with its proofs) is asked of that file
//! alone. It is left out here; everything else counts.

use crate::ast::{Program, Use};
use crate::lexer::{Token, TokenKind, lex};
use crate::parser;
use crate::report::{Messages as _, error};
use ser_base::{Content, Part, Sink, Span, parts, path_from};

/// The most files that a program can use.
pub const MAX_FILES: usize = 100;

/// What a file uses: each path as it is written, and its place.
///
/// ```
/// let uses = ser_syntax::uses("use \"a.ser\"  use \"../b.ser\"  request main { 0 }");
/// assert_eq!(uses.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), ["a.ser", "../b.ser"]);
/// ```
pub fn uses(text: &str) -> Vec<Use> {
    let tokens = lex(text);
    let mut depth = 0_usize;
    let mut before: Option<&Token> = None;
    let mut found = Vec::new();
    for token in tokens.iter().filter(|token| !token.kind.is_trivia()) {
        match (token.kind, before) {
            (TokenKind::LeftBrace, _) => depth += 1,
            (TokenKind::RightBrace, _) => depth = depth.saturating_sub(1),
            (TokenKind::Quoted, Some(word)) if depth == 0 && word.text(text) == "use" => {
                found.push(Use::new(word.span, token.span, text));
            }
            _ => {}
        }
        before = Some(token);
    }
    found
}

impl Use {
    /// `use` at a place with a path in quotes at another.
    pub(crate) fn new(word: Span, quoted: Span, text: &str) -> Use {
        let path = text.get(quoted.range()).unwrap_or_default().trim_matches('"').to_owned();
        Use { path, span: word.to(quoted) }
    }
}

/// The `use` in the first file of a text through which the file at a place has come.
pub fn use_of(text: &str, place: u32) -> Option<Span> {
    let parts = parts(text);
    let target = parts.iter().skip(1).position(|part| place <= part.span.end)? + 1;
    let mut reached = vec![false; parts.len()];
    let mut first = uses(text_of(text, parts.first()?)).into_iter().filter_map(|it| {
        let through = Some(it.span);
        target_of(&parts, 0, &it.path).map(|part| (part, through))
    });
    first.find_map(|(part, through)| {
        let mut next = vec![part];
        while let Some(part) = next.pop() {
            if part == target {
                return through;
            }
            if std::mem::replace(reached.get_mut(part)?, true) {
                continue;
            }
            let uses = uses(text_of(text, parts.get(part)?));
            next.extend(uses.iter().filter_map(|it| target_of(&parts, part, &it.path)));
        }
        None
    })
}

/// The text of a file.
fn text_of<'t>(text: &'t str, part: &Part<'_>) -> &'t str {
    text.get(part.span.range()).unwrap_or_default()
}

/// The index of the file that a path means which is written in another one of them.
fn target_of(parts: &[Part<'_>], from: usize, path: &str) -> Option<usize> {
    let name = path_from(parts.get(from)?.name, path);
    let at = parts.iter().skip(1).position(|part| part.name == name)? + 1;
    match parts.get(at)?.content {
        Content::Same(part) => Some(part),
        Content::Text | Content::Missing => Some(at),
    }
}

/// Parses all files of a text, and makes one program of them.
pub(crate) fn parse(text: &str, tokens: &[Token], sink: &mut Sink) -> Program {
    let world = crate::world_of(text, tokens);
    let mut files = tokens.split(|token| token.kind == TokenKind::File);
    let mut parse = |part: &Part<'_>, sink: &mut Sink| {
        // Where this file ends, the text does.
        let text = text.get(..part.span.end as usize).unwrap_or_default();
        parser::parse_tokens(text, files.next().unwrap_or_default(), world, sink)
    };
    let parts = parts(text);
    if parts.len() == 1 && !has_use(text, tokens) {
        return parts.first().map(|part| parse(part, sink)).unwrap_or_default();
    }
    let trees = parts.iter().map(|part| Some(parse(part, sink))).collect();
    let mut joined =
        Joined { parts: &parts, trees, path: Vec::new(), whole: Program::default(), sink };
    joined.add(0);
    joined.whole
}

/// Whether there is anything to look for.
fn has_use(text: &str, tokens: &[Token]) -> bool {
    tokens.iter().any(|it| it.kind == TokenKind::Name && it.text(text) == "use")
}

/// The files, and the program that they become.
struct Joined<'a> {
    parts: &'a [Part<'a>],
    /// Those that have not become part of it.
    trees: Vec<Option<Program>>,
    /// From the first file to the one that is being added: what uses what.
    path: Vec<usize>,
    whole: Program,
    sink: &'a mut Sink,
}

impl Joined<'_> {
    /// Adds a file behind all that it uses. The recursion is as deep as there are files.
    fn add(&mut self, part: usize) {
        let Some(mut tree) = self.trees.get_mut(part).and_then(Option::take) else { return };
        self.path.push(part);
        for it in &tree.uses {
            let target = target_of(self.parts, part, &it.path);
            let found = target.and_then(|at| Some((at, self.parts.get(at)?)));
            match found {
                Some((at, _)) if self.path.contains(&at) => self.circle(it, at),
                Some((at, Part { content: Content::Text, .. })) => self.add(at),
                Some((_, part)) => {
                    let message = format!("`{}` cannot be used", it.path);
                    error("unusable-file", message, it.span, part.trouble).report(self.sink);
                }
                // Only if nobody has looked for it.
                None => {
                    let message = format!("`{}` has not been read", it.path);
                    error("unusable-file", message, it.span, "another file").report(self.sink);
                }
            }
        }
        self.path.pop();
        if part != 0 {
            (tree.claims, tree.proofs) = (Vec::new(), Vec::new());
        }
        self.whole.append(tree);
    }

    /// Reports that a file uses itself, through others or not.
    fn circle(&mut self, it: &Use, at: usize) {
        let start = self.path.iter().position(|part| *part == at).unwrap_or(0);
        let chain = self.path.get(start..).unwrap_or_default();
        let names: Vec<String> = chain.iter().chain([&at]).map(|part| self.name(*part)).collect();
        match chain.len() {
            1 => error("circular-use", "this file uses itself", it.span, "this very file")
                .with_help("leave this line out"),
            _ => {
                let message = format!("files use each other in a circle: {}", told(&names));
                error("circular-use", message, it.span, "closes the circle")
                    .with_help("move what both need into a file of its own, and use that")
            }
        }
        .report(self.sink);
    }

    /// What messages call a file; the first one is known if others use it.
    fn name(&self, part: usize) -> String {
        let others = self.parts.iter();
        let own = others.clone().find(|it| part == 0 && it.content == Content::Same(0));
        let part = own.or_else(|| others.clone().nth(part));
        part.map_or(String::new(), |it| format!("`{}`", it.name))
    }
}

/// `a` uses `b`, which uses `c`.
fn told(names: &[String]) -> String {
    let (first, others) = names.split_first().map_or(("", names), |(it, rest)| (it.as_str(), rest));
    format!("{first} uses {}", others.join(", which uses "))
}

impl Program {
    /// Puts all items of another file behind these.
    fn append(&mut self, mut other: Program) {
        self.uses.append(&mut other.uses);
        self.constants.append(&mut other.constants);
        self.enumerations.append(&mut other.enumerations);
        self.records.append(&mut other.records);
        self.aliases.append(&mut other.aliases);
        self.globals.append(&mut other.globals);
        self.functions.append(&mut other.functions);
        self.requests.append(&mut other.requests);
        self.sets.append(&mut other.sets);
        self.messages.append(&mut other.messages);
        self.processes.append(&mut other.processes);
        self.assumptions.append(&mut other.assumptions);
        self.claims.append(&mut other.claims);
        self.proofs.append(&mut other.proofs);
        self.holes |= other.holes;
    }
}
