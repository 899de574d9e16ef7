//! The top level: constants, types, variables, functions, requests.

use super::Parser;
use crate::ast::{
    Alias, Block, Constant, Declared, Enumeration, Function, Name, Parameter, Program, Record,
    Request, Type, TypeKind, Use, Variable,
};
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Reported, error};
use ser_base::{Diagnostic, Span};

impl Parser<'_> {
    /// A whole file: items in any order, with `;` or `,` between them or not.
    pub(super) fn all_items<T: Default>(
        &mut self,
        item: fn(&mut Self, TokenKind, &mut T) -> Result<(), Reported>,
    ) -> T {
        let mut items = T::default();
        while let Some(kind) = self.peek() {
            if matches!(kind, TokenKind::Semicolon | TokenKind::Comma) {
                self.bump();
            } else if let Err(Reported) = item(self, kind, &mut items) {
                self.skip_to_item(true);
            }
        }
        items
    }

    /// An item of a `.ser` program.
    pub(super) fn program_item(
        &mut self,
        kind: TokenKind,
        program: &mut Program,
    ) -> Result<(), Reported> {
        let word = if kind == TokenKind::Name { self.here_text() } else { "" };
        let named = self.peek_at(1) == Some(TokenKind::Name);
        match kind {
            _ if kind.is_keyword() && self.peek_at(1) == Some(TokenKind::Assign) => {
                program.globals.push(self.initial_value()?);
            }
            _ if word == "use" && self.peek_at(1) == Some(TokenKind::Quoted) => {
                let (word, path) = (self.bump(), self.bump());
                program.uses.push(Use::new(word, path, self.text));
            }
            _ if word == "use" && named => self.use_without_quotes(),
            TokenKind::Request => match self.request() {
                Ok(item) => program.requests.push(item),
                Err(Reported) => self.skip_to_item(false),
            },
            TokenKind::Const => program.constants.push(self.constant()?),
            TokenKind::Name if self.at_initial_value(!program.requests.is_empty()) => {
                program.globals.push(self.initial_value()?);
            }
            _ if word == "enum" && named => {
                let start = self.here();
                let (name, members) = self.names_of_enumeration()?;
                let span = self.since(start);
                program.enumerations.push(Enumeration { name, members, open: false, span });
            }
            _ if word == "record" && named => program.records.push(self.record()?),
            _ if word == "type" && named => match self.alias()? {
                Ok(alias) => program.aliases.push(alias),
                Err(open) => program.enumerations.push(open),
            },
            _ if word == "var" && named => program.globals.push(self.declared()?),
            _ if word == "lock" && named => program.globals.push(self.lock()?),
            _ if word == "fn" && named => program.functions.push(self.function()?),
            _ if self.item_of_processes(word, program)? => {}
            TokenKind::Name
                if matches!(self.peek_at(1), Some(TokenKind::Colon | TokenKind::In)) =>
            {
                program.globals.push(self.declared_without_var()?);
            }
            _ => {
                let other = self.other_item_of_messages();
                if let Some(reported) = other.or_else(|| self.foreign_item()) {
                    self.skip_to_item(false);
                    return Err(reported);
                }
                let requests = program.requests.iter().map(|it| ("request", &it.name, it.span));
                let processes = program.processes.iter().map(|it| ("process", &it.name, it.span));
                let last = requests.chain(processes).max_by_key(|(_, _, span)| span.end);
                let (expected, help) = self.expected_items();
                self.mistaken_item(last, expected, help);
                self.skip_to_item(false);
            }
        }
        Ok(())
    }

    /// `use stock.ser`.
    fn use_without_quotes(&mut self) {
        let start = self.bump().end;
        let line = self.text.get(start as usize..).unwrap_or_default().lines().next();
        let path = line.unwrap_or_default().trim().trim_end_matches([';', ',']);
        let path = path.split("//").next().unwrap_or_default().trim_end();
        let path = path.strip_suffix(".ser").unwrap_or(path);
        let right = format!("use \"{path}.ser\"");
        let help = format!("write `{right}`");
        let message = "the path of a file stands in quotes";
        self.wrong("path-without-quotes", message, "expected a path", &[&help]);
        let end = start as usize + line.unwrap_or_default().len();
        while self.peek().is_some() && (self.here().end as usize) <= end {
            self.bump();
        }
    }

    /// Whether `Name :=` stands here. If a request ended too early, `x := 1` is not the mistake
    /// of giving an initial value to a local variable.
    fn at_initial_value(&self, after_request: bool) -> bool {
        let local = self.here_text().starts_with(|c: char| c.is_ascii_lowercase());
        matches!(self.peek_at(1), Some(TokenKind::Assign | TokenKind::Equal))
            && !(local && after_request && self.extra_closer)
    }

    /// `const name = value`.
    pub(super) fn constant(&mut self) -> Result<Constant, Reported> {
        const CODE: &str = "constant-needs-equal";
        let start = self.bump();
        let name = self.name("a constant")?;
        if matches!(self.peek(), Some(TokenKind::Assign | TokenKind::EqualEqual)) {
            let message = format!("a constant is defined with `=`, not with {}", self.found());
            self.write_instead(CODE, message, 1, "=");
            self.bump();
        } else if !self.eat(TokenKind::Equal) {
            let help = format!("a constant looks like `const {} = 3`", name.text);
            return Err(self.expected(CODE, "`=` and a value", "expected `=`", &[&help]));
        }
        let value = self.expression(0)?.expr;
        let span = start.to(value.span);
        Ok(Constant { name, value, span })
    }

    /// `Name := value`; a `=` is reported and taken for a `:=`.
    fn initial_value(&mut self) -> Result<Variable, Reported> {
        let is_keyword = self.peek().is_some_and(TokenKind::is_keyword);
        let name = self.name("a variable")?;
        if !self.eat(TokenKind::Assign) {
            let message = "an initial value is given with `:=`, not with `=`";
            error("equals-for-assignment", message, self.here(), "expected `:=`")
                .with_right(":=")
                .with_help(format!("make it a constant: `const {} = ...`", name.text))
                .report(self);
            self.bump();
        }
        let value = self.expression(0)?.expr;
        if is_keyword {
            return Err(Reported);
        }
        let span = name.span.to(value.span);
        let value = Some(value);
        Ok(Variable { name, declared: Declared::Initial, ghost: false, value, span })
    }

    /// `record name { field: type, ... }`.
    fn record(&mut self) -> Result<Record, Reported> {
        let start = self.bump();
        let name = self.name("a record")?;
        let open = self.here();
        if !self.eat(TokenKind::LeftBrace) {
            let help =
                format!("it looks like `record {} {{ amount: 0..3, paid: bool }}`", name.text);
            return Err(self.missing("malformed-record", "`{` and fields", "{", &[&help]));
        }
        let fields = self.list(TokenKind::RightBrace, |parser| {
            let field = parser.name("a field")?;
            let values = parser.type_behind_colon(&field)?;
            Ok((field, values))
        })?;
        if !self.eat(TokenKind::RightBrace) {
            let message = format!("expected `,` or `}}`, found {}", self.found());
            return Err(error("malformed-record", message, self.gap(), "expected `}` here")
                .with_secondary(open, "to close this")
                .report(self));
        }
        if fields.is_empty() {
            let message = format!("the record {name} has no fields");
            let span = self.since(open);
            error("malformed-record", message, span, "expected fields here").report(self);
        }
        Ok(Record { name, fields, span: self.since(start) })
    }

    /// `type name = type`.
    /// `type name = type`, or `type name` alone.
    fn alias(&mut self) -> Result<Result<Alias, Enumeration>, Reported> {
        let start = self.bump();
        let name = self.name("a type")?;
        if self.item_follows() || self.at(TokenKind::Semicolon) || self.at(TokenKind::Comma) {
            let span = self.since(start);
            return Ok(Err(Enumeration { name, members: Vec::new(), open: true, span }));
        }
        if !self.at(TokenKind::Equal) {
            let help = format!("a type looks like `type {} = 0..3`", name.text);
            let code = "malformed-type";
            return Err(self.expected(
                code,
                "`=` and which values it has",
                "expected `=`",
                &[&help],
            ));
        }
        self.bump();
        let meaning = self.a_type()?;
        Ok(Ok(Alias { name, meaning, span: self.since(start) }))
    }

    /// `var name: type = value`, at top level or in a handler.
    pub(super) fn declared(&mut self) -> Result<Variable, Reported> {
        let start = self.here();
        let ghost = self.eat_word("ghost");
        self.bump();
        let name = self.name("a variable")?;
        let values = match self.at(TokenKind::Colon) || self.at(TokenKind::In) {
            true => Some(self.declared_type(&name)?),
            false => None,
        };
        if matches!(self.peek(), Some(TokenKind::Assign | TokenKind::EqualEqual)) {
            let message = "the first value of a `var` is given with `=`";
            self.write_instead("var-needs-equal", message, 1, "=");
            self.bump();
        } else if !self.eat(TokenKind::Equal) {
            if values.is_none() {
                let help =
                    format!("for example `var {}: 0..3` or `var {} = 0`", name.text, name.text);
                let what = "a type or a first value";
                return Err(self.expected("malformed-var", what, "expected `:` or `=`", &[&help]));
            }
            let span = self.since(start);
            return Ok(Variable {
                name,
                declared: Declared::Var(values),
                ghost,
                value: None,
                span,
            });
        }
        let value = Some(self.expression(0)?.expr);
        let span = self.since(start);
        Ok(Variable { name, declared: Declared::Var(values), ghost, value, span })
    }

    /// The type of a variable. Where it is not understood, the rest of an item is skipped: the name
    /// is worth knowing, and everything that uses it is fine.
    fn declared_type(&mut self, name: &Name) -> Result<Type, Reported> {
        match self.type_behind_colon(name) {
            Err(Reported) if self.depth == 0 => {
                self.holes = true;
                self.skip_to_item(true);
                Ok(Type { kind: TypeKind::Error, span: self.gap() })
            }
            values => values,
        }
    }

    /// `name: type = value` or `name in type := value` at top level, which is reported.
    fn declared_without_var(&mut self) -> Result<Variable, Reported> {
        let name = self.name("a variable")?;
        let values = self.declared_type(&name)?;
        let mut right = format!("var {}: ", name.text);
        right.push_str(self.text.get(values.span.range()).unwrap_or("0..1"));
        let has_value = matches!(self.peek(), Some(TokenKind::Assign | TokenKind::Equal));
        if has_value {
            self.bump();
            right.push_str(" =");
        }
        let message = format!("the variable {name} is declared with `var`");
        let diagnostic = error("missing-var", message, name.span, "expected `var` before this");
        let diagnostic = match values.kind {
            TypeKind::Error => diagnostic,
            _ => diagnostic.with_fix(format!("write `{right}`"), self.since(name.span), right),
        };
        // Not at the next token, where there may be another mistake.
        diagnostic.report(self.sink);
        let value = if has_value { Some(self.expression(0)?.expr) } else { None };
        let span = self.since(name.span);
        Ok(Variable { name, declared: Declared::Var(Some(values)), ghost: false, value, span })
    }

    /// `lock name`, `lock name: [index]`.
    fn lock(&mut self) -> Result<Variable, Reported> {
        let start = self.bump();
        let name = self.name("a lock")?;
        let mut index = None;
        if self.eat(TokenKind::Colon) {
            let Some(open) = self.accept(TokenKind::LeftBracket) else {
                let help = format!("one lock for each of 0 to 3 is `lock {}: [0..3]`", name.text);
                return Err(self.expected(
                    "malformed-lock",
                    "`[` and a range",
                    "expected `[`",
                    &[&help],
                ));
            };
            index = Some(self.index_behind(open)?);
        }
        let (declared, span) = (Declared::Lock(index), self.since(start));
        Ok(Variable { name, declared, ghost: false, value: None, span })
    }

    /// `fn name(parameter: type, ...) { body }`.
    fn function(&mut self) -> Result<Function, Reported> {
        let start = self.bump();
        let name = self.name("a function")?;
        let mut parameters = Vec::new();
        if let Some(open) = self.accept(TokenKind::LeftParenthesis) {
            let inside = self.list(TokenKind::RightParenthesis, Parser::function_parameter);
            parameters = match self.close_parenthesis(open, inside, true) {
                Err(Reported) if self.at(TokenKind::LeftBrace) => Vec::new(),
                inside => inside?,
            };
        }
        let result = self.function_result()?;
        let is_shorthand = self.at(TokenKind::Equal);
        let body: Block = if is_shorthand {
            self.bump();
            let value = self.in_processes(|parser| parser.expression(0))?.expr;
            let span = value.span;
            Block { exprs: vec![value], span }
        } else {
            self.body_follows(&name.text)?;
            self.block_of_any_world().0
        };
        let span = start.to(body.span);
        Ok(Function { name, parameters, result, body, is_shorthand, span })
    }

    fn function_parameter(&mut self) -> Result<(Name, Option<Type>), Reported> {
        let name = self.name("a parameter")?;
        let typed = self.at(TokenKind::Colon) || self.at(TokenKind::In);
        let values = if typed { Some(self.type_behind_colon(&name)?) } else { None };
        Ok((name, values))
    }

    /// `request name(parameters) { body }`.
    fn request(&mut self) -> Result<Request, Reported> {
        let start = self.bump();
        let name = self.name("a request")?;
        let parameters = self.parameters()?;
        self.body_follows(&name.text)?;
        let body: Block = self.block().0;
        let span = start.to(body.span);
        Ok(Request { name, parameters, body, span })
    }

    /// Whether the body of an item stands here; if not, it is reported.
    pub(super) fn body_follows(&mut self, name: &str) -> Result<(), Reported> {
        match self.peek() {
            Some(TokenKind::LeftBrace) => Ok(()),
            Some(TokenKind::Colon) => Err(self.colon()),
            _ => {
                let item = self.language.item;
                let help = format!("a {item} looks like `{item} {name} {{ ... }}`");
                Err(self.missing("expected-body", "`{` and a body", "{", &[&help]))
            }
        }
    }

    /// `(name in low..high, ...)`, or nothing.
    pub(super) fn parameters(&mut self) -> Result<Vec<Parameter>, Reported> {
        let Some(open) = self.accept(TokenKind::LeftParenthesis) else { return Ok(Vec::new()) };
        let inside = self.list(TokenKind::RightParenthesis, Parser::parameter);
        match self.close_parenthesis(open, inside, true) {
            // The body is worth reading even if the parameters are not.
            Err(Reported) if self.at(TokenKind::LeftBrace) => Ok(Vec::new()),
            inside => inside,
        }
    }

    /// `name in low..high`, `name in type`, `name: type`.
    fn parameter(&mut self) -> Result<Parameter, Reported> {
        let name = self.name("a parameter")?;
        let colon = self.language.has_signs && self.at(TokenKind::Colon);
        if !self.at(TokenKind::In) && !colon {
            let message = format!("the parameter `{}` needs a range of values", name.text);
            return Err(Diagnostic::error("parameter-without-range", message, name.span)
                .with_label("its values are not known")
                .with_fix("for example, for 0 and 1", Span::empty(name.span.end), " in 0..1")
                .report(self));
        }
        let values = self.type_behind_colon(&name)?;
        let span = name.span.to(values.span);
        Ok(Parameter { name, values, span })
    }
}
