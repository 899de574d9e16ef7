//! `CREATE FUNCTION` and `CREATE PROCEDURE`.

use super::file::Piece;
use super::lexer::{Tok, lex};
use super::names::{Frame, Language, Returns, Target};
use super::types::{Declared, Ty};
use super::{Reader, Res};
use crate::ast::{Block, Expr, ExprKind, Level, Rows, Statement, StatementKind, VariableId};
use ser_base::{Diagnostic, Span};

/// What stands around a body.
#[derive(Default)]
struct Header {
    language: Option<(String, Span)>,
    body: Option<Span>,
}

impl Reader<'_> {
    pub(super) fn function(&mut self, piece: &Piece, level: Option<Level>) -> Res<()> {
        let start = self.span();
        self.at += 1;
        self.eat_words(&["or", "replace"]);
        let procedure = self.eat_word("procedure");
        if !procedure {
            self.expect_word("function")?;
        }
        let name = self.object("the name of a function")?;
        self.frame = Frame { name: name.text.clone(), ..Frame::default() };
        self.frame.blocks.push(Vec::new());
        self.parameters()?;
        if self.is_word("returns") && !procedure {
            self.at += 1;
            self.returns()?;
        }
        let mut header = Header::default();
        while !self.is_end() && !self.is_symbol(";") {
            self.option(&mut header)?;
        }
        let span = self.since(start);
        let Some(body) = header.body else {
            let message = "this function has no body";
            let help = "write `LANGUAGE plpgsql AS $$ BEGIN ... END $$`";
            return Err(self.fail_with("no-body", message, name.span, help));
        };
        let language = match header.language {
            Some((it, span)) => match it.as_str() {
                "plpgsql" => Language::PlPgSql,
                "sql" => Language::Sql,
                _ => {
                    let message = format!("functions in `{it}` are not understood");
                    return Err(self.fail_with(
                        "unsupported",
                        message,
                        span,
                        "write it in `plpgsql` or `sql`",
                    ));
                }
            },
            None => {
                let message = "it is not said which language this function is written in";
                let help = "write `LANGUAGE plpgsql`, or `LANGUAGE sql`";
                return Err(self.fail_with("no-language", message, name.span, help));
            }
        };
        self.frame.language = language;
        let lexed = lex(self.text, body, &mut self.diagnostics);
        for it in &lexed.comments {
            if it.text.to_ascii_lowercase().starts_with("isolation:") {
                let message = "a level within a function has no effect";
                let it = Diagnostic::error("misplaced-level", message, it.span);
                self.report(it.with_help("write it before `CREATE FUNCTION`"));
            }
        }
        let tokens = std::mem::replace(&mut self.tokens, lexed.tokens);
        self.at = 0;
        let block = match language {
            Language::Sql => self.sql_body(),
            _ => self.body(),
        };
        self.tokens = tokens;
        self.at = piece.end;
        self.scopes.clear();
        let block = block?;
        self.add_transaction(name, block, level, span);
        Ok(())
    }

    fn parameters(&mut self) -> Res<()> {
        self.expect_symbol("(")?;
        if self.eat_symbol(")") {
            return Ok(());
        }
        loop {
            let start = self.span();
            self.eat_word("in");
            if ["out", "inout", "variadic"].iter().any(|it| self.is_word(it)) {
                let word = self.found().to_ascii_uppercase();
                let message = format!("parameters that are {word} are not understood");
                let help = "return the values: `RETURNS TABLE (balance numeric)`";
                return Err(self.fail_with("unsupported", message, start, help));
            }
            // `integer` alone is the type of a parameter without a name.
            let unnamed =
                self.symbol_at(1, ",") || self.symbol_at(1, ")") || self.symbol_at(1, "(");
            let (text, span) = if unnamed {
                (format!("${}", self.frame.variables.len() + 1), start)
            } else {
                let name = self.name("the name of a parameter")?;
                (name.text, name.span)
            };
            let declared = self.type_or_column()?;
            if self.is_word("default") || self.is_symbol("=") || self.is_symbol(":=") {
                let message = "parameters with defaults are not understood";
                let help = "leave the default out, and pass the value";
                return Err(self.fail_with("unsupported", message, self.span(), help));
            }
            if self.frame.find(&text).is_some() {
                let message = format!("two parameters are called `{text}`");
                self.report(Diagnostic::error("same-name", message, span));
            }
            // What is between the parentheses of a parameter's type is ignored by the server.
            let id = self.frame.add(&text, declared.ty.into(), span);
            self.frame.blocks[0].push((text, Target::Variable(id)));
            self.frame.parameters += 1;
            if !self.eat_symbol(",") {
                break;
            }
        }
        self.expect_symbol(")")
    }

    /// A type, or `account.balance%TYPE`.
    pub(super) fn type_or_column(&mut self) -> Res<Declared> {
        let column = |at: usize, it: &Reader<'_>| {
            it.symbol_at(at, ".") && it.symbol_at(at + 2, "%") && it.word_at(at + 3, "type")
        };
        if column(3, self) && self.is_word("public") {
            self.at += 2;
        }
        if column(1, self) {
            let table = self.name("the name of a table")?;
            let table = self.table_called(&table)?;
            self.at += 1;
            let name = self.any_name("the name of a column")?;
            self.at += 2;
            return Ok(match self.known_column(table, &name) {
                Some(it) => self.declared_of(table, it),
                None => Ty::Unknown.into(),
            });
        }
        self.declared()
    }

    fn returns(&mut self) -> Res<()> {
        let start = self.span();
        if self.eat_word("table") {
            self.expect_symbol("(")?;
            let mut row = Vec::new();
            loop {
                let name = self.any_name("the name of a column")?;
                let declared = self.type_or_column()?;
                row.push(declared.ty);
                // They are variables of the function, too.
                let id = self.frame.add(&name.text, declared.ty.into(), name.span);
                if self.frame.find(&name.text).is_some() {
                    let message = format!("`{}` is declared twice", name.text);
                    self.report(Diagnostic::error("same-name", message, name.span));
                }
                self.frame.blocks[0].push((name.text, Target::Variable(id)));
                if !self.eat_symbol(",") {
                    break;
                }
            }
            self.expect_symbol(")")?;
            self.frame.returns = Returns::Rows;
            self.frame.row = Some(row);
        } else if self.eat_word("void") {
            self.frame.returns = Returns::Nothing;
        } else if self.eat_word("setof") {
            self.frame.returns = Returns::Rows;
            let table = match self.peek() {
                Tok::Word(name) | Tok::Quoted(name) => {
                    self.program.tables.iter().position(|it| it.name.text == *name)
                }
                _ => None,
            };
            if let Some(table) = table.filter(|_| !self.symbol_at(1, ".")) {
                self.at += 1;
                self.frame.row = Some(self.details[table].types.clone());
            } else if !self.eat_word("record") {
                self.frame.row = Some(vec![self.type_or_column()?.ty]);
            }
        } else if self.is_word("trigger") || self.is_word("event_trigger") {
            return Err(self.fail_with(
                "unsupported",
                "triggers are not understood",
                start,
                "do what the trigger does in the transactions themselves",
            ));
        } else if self.is_word("record") || self.is_word("refcursor") {
            let message = format!("functions that return {} are not understood", self.found());
            let help = "return a value, or rows with `RETURNS TABLE (balance numeric)`";
            return Err(self.fail_with("unsupported", message, start, help));
        } else if let Tok::Word(name) | Tok::Quoted(name) = self.peek()
            && self.program.tables.iter().any(|it| it.name.text == *name)
            && !self.symbol_at(1, ".")
        {
            let message = format!("functions that return a row of `{name}` are not understood");
            let help = "return rows: `RETURNS SETOF` and the name of the table";
            return Err(self.fail_with("unsupported", message, start, help));
        } else {
            self.frame.returns = Returns::One(self.type_or_column()?.ty);
        }
        Ok(())
    }

    /// `LANGUAGE plpgsql`, `AS $$ ... $$`, `STABLE` and so on.
    fn option(&mut self, header: &mut Header) -> Res<()> {
        let start = self.span();
        let Tok::Word(word) = self.peek().clone() else {
            return Err(self.expected("`LANGUAGE` or `AS`"));
        };
        self.at += 1;
        match word.as_str() {
            "language" => {
                let name = match self.peek().clone() {
                    Tok::Text(text) => {
                        self.at += 1;
                        text.to_ascii_lowercase()
                    }
                    _ => self.any_name("the name of a language")?.text,
                };
                header.language = Some((name, self.last_span()));
            }
            "as" => {
                let span = self.span();
                match self.peek().clone() {
                    Tok::Dollar(body) => header.body = Some(body),
                    Tok::Text(text) => {
                        let inner = Span::new(span.start + 1, span.end.saturating_sub(1));
                        if self.text.get(inner.range()) != Some(text.as_str()) {
                            let message = "a body with quotes in it is not understood here";
                            let help = "write it between `$$` and `$$`";
                            return Err(self.fail_with("unsupported", message, span, help));
                        }
                        header.body = Some(inner);
                    }
                    _ => return Err(self.expected("a body between `$$` and `$$`")),
                }
                self.at += 1;
            }
            "volatile" => self.frame.stable = false,
            "stable" | "immutable" => self.frame.stable = true,
            "security" => {
                if !self.eat_word("definer") {
                    self.expect_word("invoker")?;
                }
            }
            "parallel" => {
                self.any_name("`SAFE`, `RESTRICTED` or `UNSAFE`")?;
            }
            "leakproof" => {}
            "cost" | "rows" => {
                if *self.peek() != Tok::Number {
                    return Err(self.expected("a number"));
                }
                self.at += 1;
            }
            "called" => {
                for word in ["on", "null", "input"] {
                    self.expect_word(word)?;
                }
            }
            "strict" | "returns" => {
                return Err(self.fail_with(
                    "unsupported",
                    "functions that do nothing if a parameter is `NULL` are not understood",
                    start,
                    "leave this out, and write `IF x IS NULL THEN RETURN NULL; END IF;`",
                ));
            }
            "set" if self.is_word("search_path") => {
                self.at += 1;
                if !self.eat_symbol("=") {
                    self.expect_word("to")?;
                }
                loop {
                    if matches!(self.peek(), Tok::Text(_)) {
                        self.at += 1;
                    } else {
                        self.any_name("the name of a schema")?;
                    }
                    if !self.eat_symbol(",") {
                        break;
                    }
                }
            }
            "begin" | "return" => {
                return Err(self.fail_with(
                    "unsupported",
                    "bodies without quotes are not understood",
                    start,
                    "write the body between `$$` and `$$`",
                ));
            }
            _ => {
                self.at -= 1;
                return Err(self.unexpected());
            }
        }
        Ok(())
    }

    /// Statements one after another; what the last one gives is the result.
    fn sql_body(&mut self) -> Res<Block> {
        let mut block = Vec::new();
        let mut last = None;
        while !self.is_end() {
            if self.eat_symbol(";") {
                continue;
            }
            let start = self.span();
            let asked = self.ask()?;
            let span = self.since(start);
            self.expect_done()?;
            last = Some(asked.types.clone().unwrap_or_default());
            let rows = Rows::Nowhere;
            block.push(Statement { kind: StatementKind::Sql(asked.sql(rows, span)), span });
        }
        let end = self.span();
        let Some(Statement { kind: StatementKind::Sql(sql), span }) = block.last_mut() else {
            return Ok(block);
        };
        let span = *span;
        let types = last.unwrap_or_default();
        match self.frame.returns {
            Returns::Nothing => {}
            _ if types.is_empty() => {
                let message =
                    "the function returns something, but its last statement gives nothing";
                let help = "end it with `SELECT`, or write `RETURNING`";
                self.fail_with("no-rows", message, span, help);
            }
            Returns::Rows => sql.rows = Rows::Client,
            Returns::One(ty) => {
                if types.len() > 1 {
                    let message = format!("one value is returned, but there are {}", types.len());
                    self.fail_with("column-count", message, span, "select the one that is meant");
                }
                // The first row, or `NULL`.
                let variable = self.frame.add("result", ty.into(), span);
                sql.rows = Rows::Into { variables: vec![variable], strict: false };
                self.check_into(&types, &[variable], span);
                let value = Expr { kind: ExprKind::Variable(variable), span: end };
                let kind = StatementKind::Return(Some(value));
                block.push(Statement { kind, span });
            }
        }
        Ok(block)
    }

    /// Whether what a statement gives can be stored in variables.
    pub(super) fn check_into(&mut self, types: &[Ty], variables: &[VariableId], span: Span) {
        if types.len() != variables.len() {
            let (given, wanted) = (types.len(), variables.len());
            let values = if given == 1 { "value is" } else { "values are" };
            let message = format!("{given} {values} given, but {wanted} can be stored");
            let it = Diagnostic::error("column-count", message, span);
            self.report(it.with_help("name a variable for each value"));
            return;
        }
        for (ty, variable) in types.iter().zip(variables) {
            let name = self.frame.variables[variable.0 as usize].name.clone();
            let value = super::types::Typed::new(ExprKind::Found, span, *ty);
            self.store(value, self.frame.type_of(*variable), &format!("`{name}`"));
        }
    }
}
