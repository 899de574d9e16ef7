//! PL/pgSQL: blocks, variables and control flow.
//!
//! An expression with a query in it becomes a statement of its own, which stores its value in a
//! variable that nobody else sees: so does the server, which sends every expression as `SELECT`.

use super::lexer::{Tok, Token};
use super::names::{Record, Returns, Target};
use super::types::{Declared, Ty, Typed};
use super::{Reader, Res, Stop};
use crate::ast::{
    BinaryOp, Block, Expr, ExprKind, Function, Item, Query, Rows, Sql, SqlKind, Statement,
    StatementKind, TableId, VariableId,
};
use crate::value::Value;
use ser_base::{Diagnostic, Span, did_you_mean};

/// What a variable is declared as.
enum Kind {
    Scalar(Declared),
    /// `RECORD`.
    Record,
    /// `account%ROWTYPE`.
    Row(TableId),
}

/// Where a value is stored.
enum Place {
    Variables(Vec<VariableId>),
    /// A record whose fields are those of what is stored.
    Record(usize),
}

/// The `INTO` of a statement.
struct Into {
    place: Place,
    strict: bool,
    span: Span,
}

impl Reader<'_> {
    pub(super) fn body(&mut self) -> Res<Block> {
        let label = self.label()?;
        let mut block = self.block(label, true)?;
        let end = self.last_span();
        self.eat_symbol(";");
        // The server fails where a function with a result comes to its end without one.
        if matches!(self.frame.returns, Returns::One(_)) && falls_through(&block) {
            let message = "control reached end of function without RETURN".into();
            block
                .push(Statement { kind: StatementKind::Fail { unless: None, message }, span: end });
        }
        if !self.is_end() {
            return Err(self.fail_with(
                "syntax",
                format!("{} stands behind the end of the function", self.found()),
                self.span(),
                "an `END` too many may stand before it",
            ));
        }
        Ok(block)
    }

    /// `<<name>>`.
    fn label(&mut self) -> Res<Option<String>> {
        if !self.eat_symbol("<<") {
            return Ok(None);
        }
        let name = self.any_name("a label")?;
        self.expect_symbol(">>")?;
        Ok(Some(name.text))
    }

    /// `DECLARE ... BEGIN ... END`.
    fn block(&mut self, label: Option<String>, outermost: bool) -> Res<Block> {
        self.frame.blocks.push(Vec::new());
        let result = self.deeper(|it| it.block_inside(label, outermost));
        self.frame.blocks.pop();
        result
    }

    fn block_inside(&mut self, label: Option<String>, outermost: bool) -> Res<Block> {
        let mut block = Vec::new();
        if self.eat_word("declare") {
            while !self.is_word("begin") {
                if self.eat_word("declare") {
                    continue;
                }
                self.declaration(outermost, &mut block)?;
            }
        }
        if !self.eat_word("begin") {
            return Err(self.expected("`BEGIN`"));
        }
        if self.is_word("atomic") {
            return Err(self.unexpected());
        }
        self.statements(&mut block, &["end", "exception"])?;
        if self.is_word("exception") {
            return Err(self.fail_with(
                "unsupported",
                "`EXCEPTION` is not understood",
                self.span(),
                "leave it out: a transaction that fails has not happened; where a duplicate is \
                 expected, use `ON CONFLICT DO NOTHING` and `FOUND`",
            ));
        }
        self.expect_word("end")?;
        self.end_label(label.as_deref())?;
        if !outermost {
            self.expect_symbol(";")?;
        }
        Ok(block)
    }

    /// `END LOOP name`: the label again.
    fn end_label(&mut self, label: Option<&str>) -> Res<()> {
        if let Tok::Word(name) | Tok::Quoted(name) = self.peek().clone() {
            if label != Some(name.as_str()) {
                let message = format!("expected `;`, but found {}", self.found());
                let help = match label {
                    Some(label) => format!("the label is `{label}`"),
                    None => "end the statement with `;`".into(),
                };
                return Err(self.fail_with("syntax", message, self.span(), help));
            }
            self.at += 1;
        }
        Ok(())
    }

    /// `balance CONSTANT numeric(12, 2) NOT NULL := 0;`
    fn declaration(&mut self, outermost: bool, block: &mut Block) -> Res<()> {
        let name = self.any_name("a variable or `BEGIN`")?;
        let constant = self.eat_word("constant");
        if self.is_word("alias") || self.is_word("cursor") {
            let message = format!("{} is not understood", self.found().to_ascii_uppercase());
            let help = if self.is_word("alias") {
                "use the name itself"
            } else {
                "use `FOR row IN SELECT ... LOOP`"
            };
            return Err(self.fail_with("unsupported", message, self.span(), help));
        }
        let kind = self.kind()?;
        if self.eat_word("collate") {
            return Err(self.fail("unsupported", "`COLLATE` is not understood", self.last_span()));
        }
        if self.is_word("not") {
            let span = self.span();
            self.at += 1;
            self.expect_word("null")?;
            let message = "variables that must not be `NULL` are not understood";
            return Err(self.fail_with("unsupported", message, span, "leave `NOT NULL` out"));
        }
        let span = name.span;
        let taken =
            self.frame.blocks.last().is_some_and(|it| it.iter().any(|it| it.0 == name.text));
        if taken {
            let message = format!("`{}` is declared twice", name.text);
            self.report(Diagnostic::error("same-name", message, span));
        }
        let has_value = self.is_word("default") || self.is_symbol(":=") || self.is_symbol("=");
        let target = match kind {
            Kind::Scalar(declared) => {
                // The value is computed before the name is known.
                let value = if has_value {
                    self.at += 1;
                    Some(self.computed(declared.ty, &name.text, block)?)
                } else {
                    None
                };
                let variable = self.frame.add(&name.text, declared, span);
                if constant {
                    self.frame.constants.push(variable);
                }
                match value {
                    Some(it) if outermost && block.is_empty() => {
                        self.frame.variables[variable.0 as usize].first = Some(it);
                    }
                    // A block may be entered many times.
                    Some(it) => block.push(assign(variable, it, span.to(self.last_span()))),
                    None if !outermost => block.push(assign(variable, null(span), span)),
                    None => {}
                }
                Target::Variable(variable)
            }
            Kind::Record | Kind::Row(_) if has_value => {
                let message = "records with a value at the start are not understood";
                let help = "store a row in it with `SELECT ... INTO`";
                return Err(self.fail_with("unsupported", message, self.span(), help));
            }
            Kind::Record => {
                let name = name.text.clone();
                let record = Record { name, span, fields: None, is_row: false };
                self.frame.records.push(record);
                Target::Record(self.frame.records.len() - 1)
            }
            Kind::Row(table) => {
                let columns = self.table(table).columns.clone();
                let mut fields = Vec::new();
                for (at, column) in columns.iter().enumerate() {
                    let declared = self.declared_of(table, crate::ast::ColumnId(at as u32));
                    let field = format!("{}.{}", name.text, column.name.text);
                    let variable = self.frame.add(&field, declared, span);
                    if !outermost {
                        block.push(assign(variable, null(span), span));
                    }
                    fields.push((column.name.text.clone(), variable));
                }
                let (name, fields) = (name.text.clone(), Some(fields));
                let record = Record { name, span, fields, is_row: true };
                self.frame.records.push(record);
                Target::Record(self.frame.records.len() - 1)
            }
        };
        self.expect_symbol(";")?;
        if let Some(block) = self.frame.blocks.last_mut() {
            block.push((name.text, target));
        }
        Ok(())
    }

    fn kind(&mut self) -> Res<Kind> {
        if self.eat_word("record") {
            return Ok(Kind::Record);
        }
        let is_table = matches!(self.peek(), Tok::Word(name) | Tok::Quoted(name)
            if self.program.tables.iter().any(|it| it.name.text == *name));
        let is_row = self.symbol_at(1, "%") && self.word_at(2, "rowtype");
        if is_row || (is_table && !self.symbol_at(1, ".")) {
            let (_, table) = self.known_table()?;
            if is_row {
                self.at += 2;
            }
            return Ok(Kind::Row(table));
        }
        // The type of a variable.
        if self.symbol_at(1, "%") && self.word_at(2, "type") {
            let name = self.name("a type")?;
            self.at += 2;
            return match self.frame.find(&name.text) {
                Some(Target::Variable(it)) => {
                    let scale = self.frame.variables[it.0 as usize].scale;
                    Ok(Kind::Scalar(Declared { scale, ..self.frame.type_of(it).into() }))
                }
                _ => {
                    let message = format!("there is no variable `{}`", name.text);
                    Err(self.fail("unknown-name", message, name.span))
                }
            };
        }
        let declared = self.type_or_column()?;
        if declared.serial {
            let message = "a variable cannot count by itself";
            return Err(self.fail_with("unknown-type", message, self.last_span(), "use `bigint`"));
        }
        Ok(Kind::Scalar(declared))
    }

    /// Statements up to one of these words.
    fn statements(&mut self, block: &mut Block, ends: &[&str]) -> Res<()> {
        loop {
            if ends.iter().any(|it| self.is_word(it)) && !self.symbol_at(1, ":=") {
                return Ok(());
            }
            if self.is_end() {
                let wanted = ends.first().map_or("END".into(), |it| it.to_ascii_uppercase());
                let message = format!("`{wanted}` is missing");
                let help = "every `IF`, `LOOP`, `CASE` and `BEGIN` has an end of its own";
                return Err(self.fail_with("syntax", message, self.last_span(), help));
            }
            self.statement(block)?;
        }
    }

    fn is_assignment(&self) -> bool {
        let equals = |at| self.symbol_at(at, ":=") || self.symbol_at(at, "=");
        matches!(self.peek(), Tok::Word(_) | Tok::Quoted(_))
            && (equals(1) || (self.symbol_at(1, ".") && equals(3)) || self.symbol_at(1, "["))
    }

    fn statement(&mut self, block: &mut Block) -> Res<()> {
        let start = self.span();
        if self.is_assignment() {
            return self.assignment(block);
        }
        let label = self.label()?;
        let Tok::Word(word) = self.peek().clone() else {
            return Err(self.expected("a statement"));
        };
        let loops = matches!(word.as_str(), "loop" | "while" | "for" | "begin" | "declare");
        if label.is_some() && !loops {
            return Err(self.expected("`LOOP`, `WHILE`, `FOR` or `BEGIN` behind the label"));
        }
        match word.as_str() {
            "begin" | "declare" => {
                let inner = self.block(label, false)?;
                block.extend(inner);
                return Ok(());
            }
            "if" => return self.deeper(|it| it.if_statement(block)),
            "case" => return self.deeper(|it| it.case_statement(block)),
            "loop" | "while" | "for" => return self.deeper(|it| it.loop_statement(label, block)),
            "foreach" => {
                let message = "`FOREACH` is not understood: there are no arrays";
                let help = "use `FOR row IN SELECT ... LOOP`";
                return Err(self.fail_with("unsupported", message, start, help));
            }
            "exit" | "continue" => self.exit(block)?,
            "return" => self.return_statement(block)?,
            "raise" => self.raise(block)?,
            "assert" => self.assert(block)?,
            "null" => {
                self.at += 1;
                block.push(Statement { kind: StatementKind::Nothing, span: start });
            }
            "get" => self.diagnostics_statement(block)?,
            "perform" => self.perform(block)?,
            "select" | "insert" | "update" | "delete" => {
                let end = self.statement_end();
                let (errors, before) = (self.diagnostics.len(), self.tokens.len());
                let (scopes, within) = (self.scopes.len(), self.within);
                let nesting = self.nesting;
                if self.sql_statement(block).is_err() {
                    if self.diagnostics.len() == errors {
                        return Err(Stop);
                    }
                    // The next statement can be read nevertheless.
                    self.scopes.truncate(scopes);
                    (self.within, self.nesting) = (within, nesting);
                    self.at = end - (before - self.tokens.len());
                }
            }
            "set" => {
                let message = "settings within a function are not understood";
                let help = "the level of a transaction is written before `CREATE FUNCTION`: \
                            `-- isolation: serializable`";
                return Err(self.fail_with("unsupported", message, start, help));
            }
            "end" | "else" | "elsif" | "elseif" | "elif" | "when" => {
                let message = format!("{} ends nothing here", self.found());
                let help = match word.as_str() {
                    "elif" => "PL/pgSQL writes `ELSIF`",
                    _ => "every `IF`, `LOOP`, `CASE` and `BEGIN` has an end of its own",
                };
                return Err(self.fail_with("syntax", message, start, help));
            }
            _ => return Err(self.no_statement(&word)),
        }
        if self.eat_symbol(";") {
            return Ok(());
        }
        if matches!(self.peek(), Tok::Word(_)) && matches!(word.as_str(), "null" | "return") {
            return Err(self.expected("`;`"));
        }
        Err(if self.is_end() { self.expected("`;`") } else { self.unexpected() })
    }

    /// An expression of its own; with a query in it, its value is that of a variable.
    fn pure(&mut self, block: &mut Block) -> Res<Typed> {
        let start = self.span();
        let outer = std::mem::replace(&mut self.asks, false);
        let result = self.expr();
        let asks = std::mem::replace(&mut self.asks, outer);
        let typed = result?;
        if matches!(self.peek(), Tok::Word(it) if it == "from" || it == "where") {
            return Err(self.fail_with(
                "syntax",
                "a query within an expression needs parentheses",
                start.to(self.span()),
                "write `(SELECT ... FROM ...)`",
            ));
        }
        self.no_aggregate(&typed.expr, "expressions of PL/pgSQL");
        Ok(if asks { self.asked(typed, self.since(start), block) } else { typed })
    }

    /// Asks the server for the value of an expression.
    fn asked(&mut self, typed: Typed, span: Span, block: &mut Block) -> Typed {
        let Typed { expr, ty } = typed;
        let name: String = self.text[span.range()].split_whitespace().collect::<Vec<_>>().join(" ");
        let declared = Declared::from(if ty == Ty::Unknown { Ty::Text } else { ty });
        let variable = self.frame.add(&name, declared, span);
        let rows = Rows::Into { variables: vec![variable], strict: false };
        block.push(Statement { kind: StatementKind::Sql(select(vec![expr], rows, span)), span });
        Typed::new(ExprKind::Variable(variable), span, ty)
    }

    /// A value for something of this type.
    fn computed(&mut self, ty: Ty, name: &str, block: &mut Block) -> Res<Expr> {
        let value = self.pure(block)?;
        Ok(self.store(value, ty, &format!("`{name}`")).expr)
    }

    fn pure_condition(&mut self, block: &mut Block) -> Res<Expr> {
        let value = self.pure(block)?;
        Ok(self.condition(value))
    }

    /// `balance := balance + 1`.
    fn assignment(&mut self, block: &mut Block) -> Res<()> {
        let start = self.span();
        let place = self.place()?;
        if self.is_symbol("[") {
            return Err(self.fail_with(
                "unsupported",
                "arrays are not understood",
                self.span(),
                "use a table with one row for each element",
            ));
        }
        self.at += 1;
        let variable = match place {
            Place::Variables(it) if it.len() == 1 => it[0],
            _ => {
                let message = "records are not understood as values";
                let help = "store a row in it with `SELECT ... INTO`";
                return Err(self.fail_with("unsupported", message, start, help));
            }
        };
        let name = self.frame.variables[variable.0 as usize].name.clone();
        let value = self.computed(self.frame.type_of(variable), &name, block)?;
        let span = self.since(start);
        if self.frame.constants.contains(&variable) {
            let message = format!("`{name}` is a constant");
            self.report(Diagnostic::error("constant", message, start));
        }
        block.push(assign(variable, value, span));
        self.expect_symbol(";")
    }

    /// Variables with commas between them, or one record.
    fn places(&mut self) -> Res<Place> {
        let mut all = Vec::new();
        loop {
            match self.place()? {
                Place::Variables(it) => all.extend(it),
                Place::Record(it) if all.is_empty() => return Ok(Place::Record(it)),
                Place::Record(_) => {
                    let message = "a record cannot stand beside other variables";
                    return Err(self.fail("syntax", message, self.last_span()));
                }
            }
            if !self.eat_symbol(",") {
                return Ok(Place::Variables(all));
            }
        }
    }

    /// A variable, a field, or a whole record.
    fn place(&mut self) -> Res<Place> {
        let name = self.any_name("a variable")?;
        if name.text == self.frame.name
            && self.symbol_at(0, ".")
            && self.frame.find(&name.text).is_none()
        {
            self.at += 1;
            return self.place();
        }
        match self.frame.find(&name.text) {
            Some(Target::Variable(it)) => Ok(Place::Variables(vec![it])),
            Some(Target::Record(it)) if self.eat_symbol(".") => {
                let field = self.any_name("a field")?;
                let Record { name, fields, .. } = &self.frame.records[it];
                let fields = fields.as_deref().unwrap_or_default();
                if let Some((_, it)) = fields.iter().find(|it| it.0 == field.text) {
                    return Ok(Place::Variables(vec![*it]));
                }
                let message = format!("`{name}` has no field `{}`", field.text);
                let known = fields.iter().map(|it| it.0.as_str());
                let help = did_you_mean(&field.text, known)
                    .unwrap_or_else(|| "store a row in it first, with `SELECT ... INTO`".into());
                Err(self.fail_with("unknown-field", message, field.span, help))
            }
            Some(Target::Record(it)) => Ok(match &self.frame.records[it].fields {
                Some(fields) => Place::Variables(fields.iter().map(|it| it.1).collect()),
                None => Place::Record(it),
            }),
            None => {
                let message = format!("there is no variable `{}`", name.text);
                let help = did_you_mean(&name.text, self.frame.names())
                    .unwrap_or_else(|| format!("declare it: `{} bigint;`", name.text));
                Err(self.fail_with("unknown-name", message, name.span, help))
            }
        }
    }

    /// A record gets the fields of what is stored in it.
    fn fields(&mut self, record: usize, names: &[String], types: &[Ty]) -> Vec<VariableId> {
        let Record { name, span, .. } = &self.frame.records[record];
        let (name, span) = (name.clone(), *span);
        let mut fields = Vec::new();
        for (field, ty) in names.iter().zip(types) {
            let ty = if *ty == Ty::Unknown { Ty::Text } else { *ty };
            let variable = self.frame.add(&format!("{name}.{field}"), ty.into(), span);
            fields.push((field.clone(), variable));
        }
        let variables = fields.iter().map(|it| it.1).collect();
        self.frame.records[record].fields = Some(fields);
        variables
    }

    /// The variables of a place for rows of these columns.
    fn place_for(
        &mut self,
        place: Place,
        names: &[String],
        types: &[Ty],
        span: Span,
    ) -> Vec<VariableId> {
        let variables = match place {
            Place::Record(record) => return self.fields(record, names, types),
            Place::Variables(it) => it,
        };
        // A record that gets other fields than before would have to forget the old ones.
        let same = |it: &Record| {
            let fields = it.fields.as_deref().unwrap_or_default();
            fields.iter().map(|it| it.1).eq(variables.iter().copied())
        };
        let record = self.frame.records.iter().find(|it| same(it));
        if let Some(record) = record
            && let Some(fields) = &record.fields
            && !record.is_row
            && !fields.iter().map(|it| &it.0).eq(names)
        {
            let message = format!("`{}` has other fields than what is stored here", record.name);
            let has: Vec<&str> = fields.iter().map(|it| it.0.as_str()).collect();
            let help = format!("its fields are {}; use another record", has.join(", "));
            self.report(Diagnostic::error("other-fields", message, span).with_help(help));
            return variables;
        }
        self.check_into(types, &variables, span);
        for variable in &variables {
            if self.frame.constants.contains(variable) {
                let name = &self.frame.variables[variable.0 as usize].name;
                let message = format!("`{name}` is a constant");
                self.report(Diagnostic::error("constant", message, span));
            }
        }
        variables
    }

    /// Takes `INTO` out of a statement, wherever it stands: so does the server.
    fn take_into(&mut self) -> Res<Option<Into>> {
        let (start, end) = (self.at, self.statement_end());
        let mut depth = 0;
        let mut found = None;
        for at in start..end {
            match &self.tokens[at].kind {
                Tok::Symbol("(") => depth += 1,
                Tok::Symbol(")") => depth -= 1,
                Tok::Word(word) if word == "into" && depth == 0 => {
                    let after = at.checked_sub(1).map(|it| &self.tokens[it].kind);
                    if !matches!(after, Some(Tok::Word(it)) if it == "insert" || it == "merge") {
                        found = Some(at);
                        break;
                    }
                }
                _ => {}
            }
        }
        let Some(at) = found else {
            return Ok(None);
        };
        self.at = at + 1;
        let open = self.tokens[at].span;
        let strict = self.eat_word("strict");
        let place = self.places()?;
        let span = self.since(open);
        self.tokens.drain(at..self.at);
        self.at = start;
        Ok(Some(Into { place, strict, span }))
    }

    /// `SELECT ... INTO ...;` and so on.
    fn sql_statement(&mut self, block: &mut Block) -> Res<()> {
        let start = self.span();
        let is_select = self.is_word("select");
        let into = self.take_into()?;
        let asked = self.ask()?;
        let mut span = self.since(start);
        if let Some(into) = &into {
            span = span.to(into.span);
        }
        self.expect_done()?;
        let names = asked.names();
        let mut cut = None;
        let rows = match (into, &asked.types) {
            (Some(into), Some(types)) => {
                let types = types.clone();
                cut = Some(into.span);
                let variables = self.place_for(into.place, &names, &types, into.span);
                Rows::Into { variables, strict: into.strict }
            }
            (Some(into), None) => {
                let message = "nothing is given that could be stored";
                let help = "write `RETURNING` and what is wanted";
                return Err(self.fail_with("no-rows", message, into.span, help));
            }
            (None, Some(_)) => {
                let message = "it is not said where the rows of this go";
                let help = if is_select {
                    "write `INTO` and variables, or `PERFORM` instead of `SELECT`"
                } else {
                    "write `INTO` and variables, or leave `RETURNING` out"
                };
                return Err(self.fail_with("no-place", message, span, help));
            }
            (None, None) => Rows::Nowhere,
        };
        let sql = Sql { into: cut, ..asked.sql(rows, span) };
        block.push(Statement { kind: StatementKind::Sql(sql), span });
        Ok(())
    }

    /// `PERFORM` is `SELECT` whose rows nobody needs.
    fn perform(&mut self, block: &mut Block) -> Res<()> {
        let start = self.span();
        // What follows is read as a query: its text begins behind the word.
        if let Some(Token { kind, .. }) = self.tokens.get_mut(self.at) {
            *kind = Tok::Word("select".into());
        }
        let inner = self.tokens.get(self.at + 1).map_or(start, |it| it.span);
        let asked = self.ask()?;
        let span = self.since(inner);
        self.expect_done()?;
        let sql = Sql { head: "SELECT ", ..asked.sql(Rows::Nowhere, span) };
        block.push(Statement { kind: StatementKind::Sql(sql), span: start.to(span) });
        Ok(())
    }

    fn if_statement(&mut self, block: &mut Block) -> Res<()> {
        let start = self.span();
        self.at += 1;
        self.arms(start, block)?;
        self.expect_end("if", start)?;
        self.expect_symbol(";")
    }

    /// From a condition on, up to `END`.
    fn arms(&mut self, start: Span, block: &mut Block) -> Res<()> {
        let (mut cases, mut otherwise) = (Vec::new(), Vec::new());
        loop {
            let mut before = Vec::new();
            let condition = self.pure_condition(&mut before)?;
            if !before.is_empty() && !cases.is_empty() {
                // What is asked is asked only if the conditions before it do not hold.
                let body = self.arm()?;
                let inner = self.more_arms(start, vec![(condition, body)])?;
                before.push(inner);
                otherwise = before;
                break;
            }
            block.extend(before);
            cases.push((condition, self.arm()?));
            if !self.eat_word("elsif") && !self.eat_word("elseif") {
                if self.eat_word("else") {
                    self.statements(&mut otherwise, &["end"])?;
                }
                break;
            }
        }
        let span = self.since(start);
        block.push(Statement { kind: StatementKind::If(cases, otherwise), span });
        Ok(())
    }

    fn arm(&mut self) -> Res<Block> {
        self.expect_word("then")?;
        let mut body = Vec::new();
        self.statements(&mut body, &["end", "elsif", "elseif", "else"])?;
        Ok(body)
    }

    /// What follows an arm whose condition asks the server.
    fn more_arms(&mut self, start: Span, mut cases: Vec<(Expr, Block)>) -> Res<Statement> {
        let mut otherwise = Vec::new();
        if self.eat_word("elsif") || self.eat_word("elseif") {
            self.deeper(|it| it.arms(start, &mut otherwise))?;
            // Without statements before it, what follows is simply more of the same.
            if let [Statement { kind: StatementKind::If(more, last), .. }] = &mut otherwise[..] {
                cases.append(more);
                otherwise = std::mem::take(last);
            }
        } else if self.eat_word("else") {
            self.statements(&mut otherwise, &["end"])?;
        }
        let span = self.since(start);
        Ok(Statement { kind: StatementKind::If(cases, otherwise), span })
    }

    /// `CASE x WHEN 1, 2 THEN ... END CASE`.
    fn case_statement(&mut self, block: &mut Block) -> Res<()> {
        let start = self.span();
        self.at += 1;
        let subject = if self.is_word("when") { None } else { Some(self.pure(block)?) };
        let (mut cases, mut otherwise) = (Vec::new(), None);
        while self.eat_word("when") {
            let mut condition: Option<Expr> = None;
            loop {
                let mut before = Vec::new();
                let it = self.pure(&mut before)?;
                if !before.is_empty() {
                    let message = "a query in a `CASE` statement is not understood";
                    let help = "store its value in a variable first, or write `IF`";
                    return Err(self.fail_with("unsupported", message, it.expr.span, help));
                }
                let span = it.expr.span;
                let one = match &subject {
                    Some(Typed { expr, ty }) => {
                        let subject = Typed { expr: expr.clone(), ty: *ty };
                        let (left, right) = self.meet(subject, it, "compared with");
                        super::expr::binary(BinaryOp::Equal, left.expr, right.expr, span)
                    }
                    None => self.condition(it),
                };
                condition = Some(match condition {
                    Some(before) => super::expr::binary(BinaryOp::Or, before, one, span),
                    None => one,
                });
                if !self.eat_symbol(",") {
                    break;
                }
            }
            self.expect_word("then")?;
            let mut body = Vec::new();
            self.statements(&mut body, &["when", "else", "end"])?;
            cases.extend(condition.map(|it| (it, body)));
        }
        if cases.is_empty() {
            return Err(self.expected("`WHEN`"));
        }
        if self.eat_word("else") {
            let mut body = Vec::new();
            self.statements(&mut body, &["end"])?;
            otherwise = Some(body);
        }
        self.expect_end("case", start)?;
        let span = self.since(start);
        let otherwise = otherwise.unwrap_or_else(|| {
            let message = "case not found".into();
            vec![Statement { kind: StatementKind::Fail { unless: None, message }, span }]
        });
        block.push(Statement { kind: StatementKind::If(cases, otherwise), span });
        self.expect_symbol(";")
    }

    fn loop_statement(&mut self, label: Option<String>, block: &mut Block) -> Res<()> {
        let start = self.span();
        if self.eat_word("for") {
            return self.for_statement(label, start, block);
        }
        let mut condition = None;
        let mut body = Vec::new();
        if self.eat_word("while") {
            let it = self.pure_condition(&mut body)?;
            if body.is_empty() {
                condition = Some(it);
            } else {
                // What is asked is asked in each round: `EXIT WHEN condition IS NOT TRUE`.
                let span = it.span;
                let no = Expr { kind: ExprKind::Value(Value::Bool(false)), span };
                let kind = ExprKind::Call(Function::Coalesce, vec![it, no]);
                let when = Some(super::expr::not(Expr { kind, span }, span).expr);
                body.push(Statement { kind: StatementKind::Exit { label: None, when }, span });
            }
        }
        self.loop_body(&label, &mut body)?;
        let span = self.since(start);
        block.push(Statement { kind: StatementKind::Loop { label, condition, body }, span });
        self.expect_symbol(";")
    }

    /// `LOOP ... END LOOP`.
    fn loop_body(&mut self, label: &Option<String>, body: &mut Block) -> Res<()> {
        let start = self.span();
        self.expect_word("loop")?;
        self.frame.loops.push(label.clone());
        let result = self.statements(body, &["end"]);
        self.frame.loops.pop();
        result?;
        self.expect_end("loop", start)?;
        self.end_label(label.as_deref())
    }

    fn for_statement(&mut self, label: Option<String>, start: Span, block: &mut Block) -> Res<()> {
        let targets_at = self.at;
        let first = self.any_name("a variable")?;
        if matches!(self.peek(), Tok::Symbol("," | ".")) {
            while !self.is_word("in") && !self.is_end() && !self.is_symbol(";") {
                self.at += 1;
            }
        }
        self.expect_word("in")?;
        if self.is_word("execute") {
            return Err(self.no_statement("execute"));
        }
        let statement = ["select", "insert", "update", "delete", "with", "values"];
        if !statement.iter().any(|it| self.is_word(it)) && !self.is_symbol("(") {
            return self.for_range(label, first, start, block);
        }
        if self.is_symbol("(") && !self.word_at(1, "select") {
            return self.for_range(label, first, start, block);
        }
        let parenthesis = self.eat_symbol("(");
        let at = self.span();
        let asked = self.ask()?;
        let span = self.since(at);
        if parenthesis {
            self.expect_symbol(")")?;
        }
        let Some(types) = asked.types.clone() else {
            let message = "nothing is given that a loop could go through";
            let help = "write `RETURNING` and what is wanted";
            return Err(self.fail_with("no-rows", message, span, help));
        };
        let after = self.at;
        self.at = targets_at;
        if self.frame.find(&first.text).is_none() {
            let message = format!("there is no variable `{}`", first.text);
            let help = format!("declare it: `{} record;`", first.text);
            return Err(self.fail_with("unknown-name", message, first.span, help));
        }
        let place = self.places()?;
        if !self.is_word("in") {
            return Err(self.expected("`IN`"));
        }
        self.at = after;
        let variables = self.place_for(place, &asked.names(), &types, span);
        let sql = asked.sql(Rows::Into { variables, strict: false }, span);
        let mut body = Vec::new();
        self.loop_body(&label, &mut body)?;
        let span = self.since(start);
        block.push(Statement { kind: StatementKind::ForRows { label, sql, body }, span });
        self.expect_symbol(";")
    }

    /// `FOR i IN REVERSE 10..1 BY 2 LOOP`.
    fn for_range(
        &mut self,
        label: Option<String>,
        name: crate::ast::Name,
        start: Span,
        block: &mut Block,
    ) -> Res<()> {
        let reverse = self.eat_word("reverse");
        let mut bound = |it: &mut Self| {
            let value = it.pure(block)?;
            Ok(it.store(value, Ty::Int, "where a loop begins and ends").expr)
        };
        let from = bound(self)?;
        if !self.eat_symbol("..") {
            return Err(self.expected("`..`, or a query to go through"));
        }
        let to = bound(self)?;
        let step = if self.eat_word("by") { Some(bound(self)?) } else { None };
        let variable = self.frame.add(&name.text, Ty::Int.into(), name.span);
        self.frame.blocks.push(vec![(name.text, Target::Variable(variable))]);
        let mut body = Vec::new();
        let result = self.loop_body(&label, &mut body);
        self.frame.blocks.pop();
        result?;
        let span = self.since(start);
        let kind = StatementKind::ForRange { label, variable, from, to, step, reverse, body };
        block.push(Statement { kind, span });
        self.expect_symbol(";")
    }

    /// `EXIT label WHEN condition`.
    fn exit(&mut self, block: &mut Block) -> Res<()> {
        let start = self.span();
        let is_exit = self.is_word("exit");
        self.at += 1;
        let label = match self.peek() {
            Tok::Word(word) if word != "when" => Some(self.any_name("a label")?),
            Tok::Quoted(_) => Some(self.any_name("a label")?),
            _ => None,
        };
        let when = if self.eat_word("when") { Some(self.pure_condition(block)?) } else { None };
        let span = self.since(start);
        let loops = &self.frame.loops;
        match &label {
            None if loops.is_empty() => {
                let message = "there is no loop around this";
                return Err(self.fail_with("no-loop", message, span, "use `RETURN` or `IF`"));
            }
            Some(name) if !loops.iter().any(|it| it.as_ref() == Some(&name.text)) => {
                let message = format!("no loop around this is called `{}`", name.text);
                let known = loops.iter().flatten().map(String::as_str);
                let help = did_you_mean(&name.text, known)
                    .unwrap_or_else(|| "a label stands before a loop: `<<name>> LOOP`".into());
                return Err(self.fail_with("no-loop", message, name.span, help));
            }
            _ => {}
        }
        let label = label.map(|it| it.text);
        let kind = if is_exit {
            StatementKind::Exit { label, when }
        } else {
            StatementKind::Continue { label, when }
        };
        block.push(Statement { kind, span });
        Ok(())
    }

    fn return_statement(&mut self, block: &mut Block) -> Res<()> {
        let start = self.span();
        self.at += 1;
        if self.is_word("query") && !self.symbol_at(1, ";") {
            self.at += 1;
            if self.is_word("execute") {
                return Err(self.no_statement("execute"));
            }
            self.needs_rows(start)?;
            let at = self.span();
            let parenthesis = self.is_symbol("(");
            if parenthesis {
                let message = "parentheses around a query are not understood here";
                return Err(self.fail_with("unsupported", message, at, "leave them out"));
            }
            let asked = self.ask()?;
            let span = self.since(at);
            let Some(types) = &asked.types else {
                let message = "this gives no rows";
                let help = "write `RETURNING` and what is wanted";
                return Err(self.fail_with("no-rows", message, span, help));
            };
            self.check_rows(types, span);
            let kind = StatementKind::Sql(asked.sql(Rows::Client, span));
            block.push(Statement { kind, span: self.since(start) });
            return Ok(());
        }
        if self.is_word("next") && !self.symbol_at(1, ";") {
            self.at += 1;
            self.needs_rows(start)?;
            let at = self.span();
            let it = self.expr()?;
            let span = self.since(at);
            self.check_rows(&[it.ty], span);
            let sql = select(vec![it.expr], Rows::Client, span);
            // Whether there was a row is that of the last statement, as for any expression.
            block.push(Statement { kind: StatementKind::Sql(sql), span: self.since(start) });
            return Ok(());
        }
        if self.eat_word("next") {
            let message = "`RETURN NEXT` without a value is not understood";
            let help = "write the row: `RETURN QUERY SELECT id, balance`";
            return Err(self.fail_with("unsupported", message, start, help));
        }
        let value = match self.frame.returns {
            _ if self.is_symbol(";") => {
                if let Returns::One(_) = self.frame.returns {
                    let message = "the function returns a value, but there is none here";
                    self.fail_with("no-value", message, start, "write it behind `RETURN`");
                }
                None
            }
            Returns::One(ty) => Some(self.computed(ty, "the result", block)?),
            Returns::Nothing => {
                let message = "the function returns nothing, but there is a value here";
                let help = "write `RETURNS` and a type in its head, or `RETURN;`";
                return Err(self.fail_with("no-value", message, self.span(), help));
            }
            Returns::Rows => {
                let message = "the function returns rows";
                let help = "write `RETURN QUERY SELECT ...` or `RETURN NEXT value`";
                return Err(self.fail_with("no-value", message, self.span(), help));
            }
        };
        block.push(Statement { kind: StatementKind::Return(value), span: self.since(start) });
        Ok(())
    }

    /// The rows that are returned must be just those that the head of the function promises.
    fn check_rows(&mut self, types: &[Ty], span: Span) {
        let Some(wanted) = self.frame.row.clone() else {
            return;
        };
        if wanted.len() != types.len() {
            let (given, wanted) = (types.len(), wanted.len());
            let message =
                format!("the function returns rows of {wanted} columns, but here are {given}");
            let help = "return just the columns that its head names";
            return self.report(Diagnostic::error("column-count", message, span).with_help(help));
        }
        for (at, (ty, wanted)) in types.iter().zip(wanted).enumerate() {
            let same = *ty == wanted || (*ty == Ty::Unknown && wanted == Ty::Text);
            if !same && wanted != Ty::Unknown {
                let (ty, wanted) = (self.type_name(*ty), self.type_name(wanted));
                let column = at + 1;
                let message = format!("column {column} is {ty}, but the function returns {wanted}");
                let it = Diagnostic::error("type-mismatch", message, span);
                self.report(it.with_help(format!("cast it, as in `x::{wanted}`")));
            }
        }
    }

    fn needs_rows(&mut self, start: Span) -> Res<()> {
        if self.frame.returns == Returns::Rows {
            return Ok(());
        }
        let message = "the function does not return rows";
        let help = "write `RETURNS TABLE (column type)` or `RETURNS SETOF type` in its head";
        Err(self.fail_with("no-value", message, start.to(self.last_span()), help))
    }

    /// `RAISE EXCEPTION 'not enough: %', balance USING ERRCODE = 'P0001'`.
    fn raise(&mut self, block: &mut Block) -> Res<()> {
        let start = self.span();
        self.at += 1;
        let word = match self.peek() {
            Tok::Word(word) => word.clone(),
            _ => String::new(),
        };
        let harmless = ["notice", "warning", "info", "log", "debug"].contains(&word.as_str());
        if harmless || word == "exception" {
            self.at += 1;
        } else if self.is_symbol(";") {
            let message = "`RAISE` without more is only understood in `EXCEPTION`, which is not";
            let help = "write `RAISE EXCEPTION 'what is wrong'`";
            return Err(self.fail_with("unsupported", message, start, help));
        }
        let mut message = word.clone();
        if self.eat_word("sqlstate") || matches!(self.peek(), Tok::Text(_)) {
            let Tok::Text(text) = self.peek().clone() else {
                return Err(self.expected("a text"));
            };
            let at = self.span();
            self.at += 1;
            let holes = text.replace("%%", "").matches('%').count();
            let mut values = 0;
            while self.eat_symbol(",") {
                self.pure(block)?;
                values += 1;
            }
            if holes != values {
                let it = format!("the text has {holes} places for values, but there are {values}");
                let it = Diagnostic::error("argument-count", it, at);
                self.report(it.with_help("write a `%` for each value"));
            }
            message = text;
        } else if !harmless && !message.is_empty() && !self.is_word("using") {
            // The name of a condition, as in `RAISE unique_violation`.
            if word != "exception" {
                self.any_name("a text")?;
            } else if !self.is_symbol(";") {
                message = self.any_name("a text")?.text;
            }
        }
        if self.eat_word("using") {
            loop {
                let option = self.any_name("`ERRCODE`, `MESSAGE`, `DETAIL` or `HINT`")?;
                if !self.eat_symbol("=") {
                    self.expect_symbol(":=")?;
                }
                let value = self.pure(block)?;
                if option.text == "message"
                    && let ExprKind::Value(Value::Text(text)) = &value.expr.kind
                {
                    message = text.to_string();
                }
                if !self.eat_symbol(",") {
                    break;
                }
            }
        }
        let kind = if harmless {
            StatementKind::Nothing
        } else {
            StatementKind::Fail { unless: None, message }
        };
        block.push(Statement { kind, span: self.since(start) });
        Ok(())
    }

    /// `ASSERT condition, 'what is wrong'`.
    fn assert(&mut self, block: &mut Block) -> Res<()> {
        let start = self.span();
        self.at += 1;
        let unless = Some(self.pure_condition(block)?);
        let mut message = "assertion failed".to_owned();
        if self.eat_symbol(",") {
            let it = self.pure(block)?;
            if let ExprKind::Value(Value::Text(text)) = &it.expr.kind {
                message = text.to_string();
            }
        }
        let kind = StatementKind::Fail { unless, message };
        block.push(Statement { kind, span: self.since(start) });
        Ok(())
    }

    /// `GET DIAGNOSTICS count = ROW_COUNT`.
    fn diagnostics_statement(&mut self, block: &mut Block) -> Res<()> {
        let start = self.span();
        self.at += 1;
        self.eat_word("current");
        if self.is_word("stacked") {
            return Err(self.unexpected());
        }
        self.expect_word("diagnostics")?;
        loop {
            let place = self.place()?;
            if !self.eat_symbol("=") {
                self.expect_symbol(":=")?;
            }
            let what = self.any_name("`ROW_COUNT`")?;
            if what.text != "row_count" {
                let message = format!("`{}` is not understood here", what.text);
                let help = "`ROW_COUNT` is: how many rows the last statement had";
                return Err(self.fail_with("unsupported", message, what.span, help));
            }
            let span = self.since(start);
            match place {
                Place::Variables(it) if it.len() == 1 => {
                    self.check_into(&[Ty::Big], &it, span);
                    block.push(Statement { kind: StatementKind::RowCount(it[0]), span });
                }
                _ => return Err(self.fail("syntax", "a variable is needed here", span)),
            }
            if !self.eat_symbol(",") {
                return Ok(());
            }
        }
    }
}

/// Whether a block may come to its end; of loops, this is not found out.
fn falls_through(block: &Block) -> bool {
    match block.last().map(|it| &it.kind) {
        Some(StatementKind::Return(_) | StatementKind::Fail { unless: None, .. }) => false,
        Some(StatementKind::If(cases, otherwise)) => {
            falls_through(otherwise) || cases.iter().any(|(_, it)| falls_through(it))
        }
        _ => true,
    }
}

fn assign(variable: VariableId, value: Expr, span: Span) -> Statement {
    Statement { kind: StatementKind::Assign(variable, value), span }
}

fn null(span: Span) -> Expr {
    Expr { kind: ExprKind::Value(Value::Null), span }
}

/// `SELECT` of expressions, without a table.
fn select(exprs: Vec<Expr>, rows: Rows, span: Span) -> Sql {
    let items = exprs.into_iter().map(|expr| Item { expr, name: "?column?".into() }).collect();
    let query = Query {
        sources: Vec::new(),
        filter: None,
        items,
        distinct: false,
        group_by: Vec::new(),
        having: None,
        order_by: Vec::new(),
        limit: None,
        offset: None,
        locks: Vec::new(),
    };
    Sql { kind: SqlKind::Select(query), rows, span, into: None, head: "SELECT ", quiet: true }
}
