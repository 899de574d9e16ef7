//! `CREATE TABLE` and what else says which rows there can be.

use super::lexer::Tok;
use super::types::{Declared, Enum, Ty};
use super::{Details, Reader, Res};
use crate::ast::{
    Check, Column, ColumnId, Default_, Expr, ExprKind, ForeignKey, Key, Name, OnDelete, Table,
    TableId,
};
use crate::value::Value;
use ser_base::{Diagnostic, Span};

/// A constraint that is read when all columns are known.
enum Pending {
    Key { name: Option<Name>, columns: Vec<Name>, primary: bool, span: Span },
    Check { name: Option<Name>, at: usize },
    Foreign(Foreign),
}

struct Foreign {
    name: Option<Name>,
    columns: Vec<Name>,
    parent: Name,
    referenced: Vec<Name>,
    on_delete: OnDelete,
    span: Span,
}

impl Reader<'_> {
    pub(super) fn create_table(&mut self, start: Span) -> Res<()> {
        let quiet = self.eat_words(&["if", "not", "exists"]);
        let name = self.object("the name of a table")?;
        let known = self.program.tables.iter().find(|it| it.name.text == name.text);
        if let Some(known) = known {
            let first = known.name.span;
            let message = format!("the table `{}` is there already", name.text);
            let it = Diagnostic::error("same-name", message, name.span)
                .with_secondary(first, "it is created here")
                .with_help(if quiet {
                    "leave one of them out: it is not clear which one is meant"
                } else {
                    "leave one of them out"
                });
            self.report(it);
            return Err(super::Stop);
        }
        if !self.is_symbol("(") {
            let message = format!("expected the columns of the table, but found {}", self.found());
            let help = "write `CREATE TABLE name (column type, ...)`";
            return Err(self.fail_with("syntax", message, self.span(), help));
        }
        self.at += 1;
        let id = TableId(self.program.tables.len() as u32);
        self.program.tables.push(Table {
            name,
            columns: Vec::new(),
            keys: Vec::new(),
            checks: Vec::new(),
            foreign_keys: Vec::new(),
            span: start,
        });
        self.details.push(Details { types: Vec::new(), always: Vec::new() });
        let mut pending = Vec::new();
        while !self.is_symbol(")") {
            if self.begins_constraint() {
                let it = self.table_constraint()?;
                pending.push(it);
            } else {
                self.column_definition(id, &mut pending)?;
            }
            if !self.eat_symbol(",") {
                break;
            }
            if self.is_symbol(")") {
                let span = self.last_span();
                let it = Diagnostic::error("syntax", "there is a comma too many here", span);
                self.report(it.with_fix("leave it out", span, ""));
            }
        }
        self.expect_symbol(")")?;
        if let Tok::Word(word) = self.peek().clone()
            && matches!(word.as_str(), "inherits" | "partition" | "with" | "on" | "tablespace")
        {
            let message = format!("`{}` is not understood here", word.to_ascii_uppercase());
            return Err(self.fail_with("unsupported", message, self.span(), "leave it out"));
        }
        self.expect_done()?;
        let span = self.since(start);
        self.program.tables[id.0 as usize].span = span;
        let end = self.at;
        let result = self.finish(id, pending);
        self.at = end;
        result
    }

    fn begins_constraint(&self) -> bool {
        let word = |it: &str| self.is_word(it);
        word("constraint")
            || ((word("primary") || word("foreign")) && self.word_at(1, "key"))
            || ((word("unique") || word("check"))
                && (self.symbol_at(1, "(") || self.word_at(1, "nulls")))
            || word("exclude")
            || (word("like") && !self.symbol_at(1, ","))
            || ((word("key") || word("index"))
                && matches!(self.peek_at(1), Tok::Word(_))
                && self.symbol_at(2, "("))
    }

    /// `balance numeric(12, 2) NOT NULL DEFAULT 0 CHECK (balance >= 0)`.
    fn column_definition(&mut self, table: TableId, pending: &mut Vec<Pending>) -> Res<()> {
        let name = self.name("the name of a column")?;
        if self.column_of(table, &name.text).is_some() {
            let message = format!("two columns are called `{}`", name.text);
            self.report(Diagnostic::error("same-name", message, name.span));
        }
        let declared = self.declared()?;
        let Declared { ty, length, scale, serial } = declared;
        let at = table.0 as usize;
        self.program.tables[at].columns.push(Column {
            name: name.clone(),
            ty: ty.value(),
            not_null: serial,
            default: serial.then_some(Default_::Sequence),
            length,
            scale,
        });
        self.details[at].types.push(ty);
        self.details[at].always.push(false);
        let column = self.program.tables[at].columns.len() - 1;
        if let Ty::Enum(it) = ty {
            self.check_members(table, column, it, name.span);
        }
        loop {
            let label = if self.eat_word("constraint") { Some(self.name("a name")?) } else { None };
            let start = self.span();
            if self.eat_words(&["not", "null"]) {
                self.program.tables[at].columns[column].not_null = true;
            } else if self.eat_word("null") {
                if self.program.tables[at].columns[column].not_null {
                    let message = "this column is `NOT NULL` already";
                    self.fail_with("two-rules", message, start, "leave one of them out");
                }
            } else if self.eat_word("default") {
                let default = self.default(ty, &name)?;
                self.program.tables[at].columns[column].default = Some(default);
            } else if self.eat_word("generated") {
                self.generated(table, column, &name)?;
            } else if self.eat_words(&["primary", "key"]) {
                let columns = vec![name.clone()];
                pending.push(Pending::Key { name: label, columns, primary: true, span: start });
            } else if self.eat_word("unique") {
                self.no_null_rule()?;
                let columns = vec![name.clone()];
                pending.push(Pending::Key { name: label, columns, primary: false, span: start });
            } else if self.eat_word("check") {
                pending.push(self.check(label)?);
            } else if self.eat_word("references") {
                pending.push(self.references(label, vec![name.clone()], start)?);
            } else if label.is_some() {
                return Err(self.expected("a constraint"));
            } else if self.is_symbol(",") || self.is_symbol(")") || self.is_end() {
                return Ok(());
            } else if self.is_symbol(";") {
                return Err(self.expected("`,` or `)`"));
            } else {
                return Err(self.unexpected());
            }
            self.no_deferral()?;
        }
    }

    fn check_members(&mut self, table: TableId, column: usize, it: usize, span: Span) {
        let Enum { name, members } = &self.enums[it];
        let id = ColumnId(column as u32);
        let expr = |kind| Expr { kind, span };
        let left = expr(ExprKind::Column { up: 0, source: 0, column: id });
        let members = members.iter().map(|it| expr(ExprKind::Value(Value::text(it)))).collect();
        let condition = expr(ExprKind::InList(Box::new(left), members));
        let check = Check { name: name.clone(), condition };
        self.program.tables[table.0 as usize].checks.push(check);
    }

    fn default(&mut self, ty: Ty, name: &Name) -> Res<Default_> {
        if self.is_word("nextval") && self.symbol_at(1, "(") {
            self.at += 2;
            let span = self.span();
            let Tok::Text(sequence) = self.peek().clone() else {
                return Err(self.expected("the name of a sequence, as in `nextval('name')`"));
            };
            self.at += 1;
            let short = sequence.strip_prefix("public.").unwrap_or(&sequence);
            if !self.sequences.iter().any(|it| it == short) {
                let message = format!("there is no sequence `{short}`");
                let help = "write its `CREATE SEQUENCE` before this";
                self.report(Diagnostic::error("unknown-sequence", message, span).with_help(help));
            }
            if self.eat_symbol("::") {
                self.expect_word("regclass")?;
            }
            self.expect_symbol(")")?;
            return Ok(Default_::Sequence);
        }
        let it = self.expr()?;
        self.rowless(&it.expr, "a default");
        let it = self.store(it, ty, &format!("`{}`", name.text));
        Ok(Default_::Expr(it.expr))
    }

    /// `GENERATED ALWAYS AS IDENTITY`.
    fn generated(&mut self, table: TableId, column: usize, name: &Name) -> Res<()> {
        let always = self.eat_word("always");
        if !always {
            self.expect_word("by")?;
            self.expect_word("default")?;
        }
        self.expect_word("as")?;
        if self.is_symbol("(") {
            return Err(self.fail_with(
                "unsupported",
                "computed columns are not understood",
                self.span(),
                "compute the value where it is needed",
            ));
        }
        self.expect_word("identity")?;
        if self.eat_symbol("(") {
            self.sequence_options()?;
            self.expect_symbol(")")?;
        }
        let at = table.0 as usize;
        self.details[at].always[column] = always;
        let ty = self.details[at].types[column];
        if !ty.is_whole() {
            let it = Diagnostic::error("type-mismatch", "only numbers count", name.span);
            self.report(it.with_help("declare the column as `bigint`"));
        }
        let it = &mut self.program.tables[at].columns[column];
        (it.not_null, it.default) = (true, Some(Default_::Sequence));
        Ok(())
    }

    /// What `CREATE SEQUENCE` may say: only what it does anyway.
    pub(super) fn sequence_options(&mut self) -> Res<()> {
        let one = |it: &Reader<'_>| *it.peek() == Tok::Number && it.text[it.span().range()] == *"1";
        loop {
            let start = self.span();
            let known = if self.eat_word("start") {
                self.eat_word("with");
                one(self)
            } else if self.eat_word("increment") {
                self.eat_word("by");
                one(self)
            } else if self.eat_words(&["sequence", "name"]) {
                self.object("the name of a sequence")?;
                continue;
            } else if self.eat_word("cache") || self.eat_word("minvalue") {
                one(self)
            } else if self.eat_word("no") {
                self.is_word("minvalue") || self.is_word("maxvalue") || self.is_word("cycle")
            } else if self.eat_word("as") {
                self.is_word("bigint") || self.is_word("integer")
            } else {
                return Ok(());
            };
            if !known {
                let span = start.to(self.span());
                let message = "sequences only count from 1 in steps of 1 here";
                return Err(self.fail_with("unsupported", message, span, "leave this out"));
            }
            self.at += 1;
        }
    }

    fn no_null_rule(&mut self) -> Res<()> {
        if !self.is_word("nulls") {
            return Ok(());
        }
        if self.eat_words(&["nulls", "distinct"]) {
            return Ok(());
        }
        let message = "`NULLS NOT DISTINCT` is not understood";
        Err(self.fail_with("unsupported", message, self.span(), "declare the column `NOT NULL`"))
    }

    /// Constraints are checked at once.
    fn no_deferral(&mut self) -> Res<()> {
        if self.eat_words(&["not", "deferrable"]) {
            self.eat_words(&["initially", "immediate"]);
        }
        if self.is_word("deferrable") || self.is_word("initially") {
            let message = "constraints that are checked later are not understood";
            return Err(self.fail_with("unsupported", message, self.span(), "leave this out"));
        }
        if self.eat_words(&["not", "valid"]) {
            let message = "`NOT VALID` is not understood";
            return Err(self.fail_with("unsupported", message, self.last_span(), "leave it out"));
        }
        Ok(())
    }

    fn check(&mut self, name: Option<Name>) -> Res<Pending> {
        let at = self.at;
        self.expect_symbol("(")?;
        let mut depth = 1;
        while depth > 0 {
            match self.peek() {
                Tok::Symbol("(") => depth += 1,
                Tok::Symbol(")") => depth -= 1,
                Tok::End | Tok::Symbol(";") => return Err(self.expected("`)`")),
                _ => {}
            }
            self.at += 1;
        }
        Ok(Pending::Check { name, at })
    }

    /// `REFERENCES account (id) ON DELETE CASCADE`.
    fn references(&mut self, name: Option<Name>, columns: Vec<Name>, start: Span) -> Res<Pending> {
        let parent = self.object("the name of a table")?;
        let referenced = if self.is_symbol("(") { self.names_in_parentheses()? } else { vec![] };
        let mut on_delete = OnDelete::Refuse;
        loop {
            if self.eat_word("match") {
                if !self.eat_word("simple") {
                    let message = "only `MATCH SIMPLE` is understood";
                    let help = "declare the columns `NOT NULL`";
                    return Err(self.fail_with("unsupported", message, self.span(), help));
                }
            } else if self.eat_words(&["on", "delete"]) {
                on_delete = self.on_delete()?;
            } else if self.eat_words(&["on", "update"]) {
                let span = self.span();
                if self.on_delete()? != OnDelete::Refuse {
                    let message = "keys that change with those of another table are not understood";
                    let help = "leave `ON UPDATE` out, and keep keys as they are";
                    return Err(self.fail_with("unsupported", message, span, help));
                }
            } else {
                break;
            }
        }
        let span = self.since(start);
        Ok(Pending::Foreign(Foreign { name, columns, parent, referenced, on_delete, span }))
    }

    fn on_delete(&mut self) -> Res<OnDelete> {
        if self.eat_word("cascade") {
            Ok(OnDelete::Cascade)
        } else if self.eat_word("restrict") || self.eat_words(&["no", "action"]) {
            Ok(OnDelete::Refuse)
        } else if self.eat_words(&["set", "null"]) {
            if self.is_symbol("(") {
                return Err(self.unexpected());
            }
            Ok(OnDelete::SetNull)
        } else if self.eat_words(&["set", "default"]) {
            let message = "`SET DEFAULT` is not understood";
            Err(self.fail_with("unsupported", message, self.last_span(), "use `SET NULL`"))
        } else {
            Err(self.expected("`CASCADE`, `RESTRICT`, `NO ACTION` or `SET NULL`"))
        }
    }

    pub(super) fn names_in_parentheses(&mut self) -> Res<Vec<Name>> {
        self.expect_symbol("(")?;
        let mut names = Vec::new();
        loop {
            names.push(self.name("the name of a column")?);
            if !self.eat_symbol(",") {
                break;
            }
        }
        self.expect_symbol(")")?;
        Ok(names)
    }

    /// `PRIMARY KEY (a, b)` and so on.
    fn table_constraint(&mut self) -> Res<Pending> {
        let name = if self.eat_word("constraint") { Some(self.name("a name")?) } else { None };
        let start = self.span();
        let pending = if self.eat_words(&["primary", "key"]) {
            let columns = self.names_in_parentheses()?;
            Pending::Key { name, columns, primary: true, span: self.since(start) }
        } else if self.eat_word("unique") {
            self.no_null_rule()?;
            let columns = self.names_in_parentheses()?;
            Pending::Key { name, columns, primary: false, span: self.since(start) }
        } else if self.eat_word("check") {
            self.check(name)?
        } else if self.eat_words(&["foreign", "key"]) {
            let columns = self.names_in_parentheses()?;
            self.expect_word("references")?;
            self.references(name, columns, start)?
        } else {
            let (message, help) = match self.peek() {
                Tok::Word(it) if it == "key" || it == "index" => (
                    "indexes are not declared within tables in PostgreSQL",
                    "leave it out, or write `CREATE INDEX`",
                ),
                Tok::Word(it) if it == "like" => {
                    ("`LIKE` is not understood here", "write the columns out")
                }
                Tok::Word(it) if it == "exclude" => (
                    "exclusion constraints are not understood",
                    "use `UNIQUE`, or check it in the transactions",
                ),
                _ => return Err(self.expected("a constraint")),
            };
            return Err(self.fail_with("unsupported", message, self.span(), help));
        };
        self.no_deferral()?;
        if self.is_word("using") || self.is_word("include") {
            return Err(self.unexpected());
        }
        Ok(pending)
    }

    /// Adds constraints to a table whose columns are known.
    fn finish(&mut self, table: TableId, pending: Vec<Pending>) -> Res<()> {
        for it in pending {
            match it {
                Pending::Key { name, columns, primary, span } => {
                    self.add_key(table, name, &columns, primary, span);
                }
                Pending::Check { name, at } => {
                    self.at = at + 1;
                    let condition = self.over_table(table, Reader::condition_expr)?;
                    self.expect_symbol(")")?;
                    self.rowless(&condition, "`CHECK`");
                    self.add_check(table, name, condition);
                }
                Pending::Foreign(it) => self.add_foreign(table, it),
            }
        }
        Ok(())
    }

    /// A name that the server would give, made different from those that are there.
    fn constraint_name(&self, table: TableId, base: String) -> String {
        let it = self.table(table);
        let taken = |name: &str| {
            it.keys.iter().any(|it| it.name == name)
                || it.checks.iter().any(|it| it.name == name)
                || it.foreign_keys.iter().any(|it| it.name == name)
        };
        let numbered = (1..).map(|it| format!("{base}{it}"));
        let mut names = std::iter::once(base.clone()).chain(numbered);
        names.find(|it| !taken(it)).unwrap_or(base)
    }

    fn columns_of(&mut self, table: TableId, names: &[Name]) -> Vec<ColumnId> {
        names.iter().filter_map(|it| self.known_column(table, it)).collect()
    }

    pub(super) fn add_key(
        &mut self,
        table: TableId,
        name: Option<Name>,
        names: &[Name],
        primary: bool,
        span: Span,
    ) {
        let columns = self.columns_of(table, names);
        if columns.len() < names.len() {
            return;
        }
        if primary && self.table(table).keys.iter().any(|it| it.primary) {
            let it = Diagnostic::error("same-name", "a table has one primary key", span);
            self.report(it.with_help("write `UNIQUE` for the other one"));
            return;
        }
        let table_name = self.table(table).name.text.clone();
        let joined: Vec<&str> = names.iter().map(|it| it.text.as_str()).collect();
        let base = match (name, primary) {
            (Some(name), _) => name.text,
            (None, true) => format!("{table_name}_pkey"),
            (None, false) => format!("{table_name}_{}_key", joined.join("_")),
        };
        let name = self.constraint_name(table, base);
        for column in &columns {
            if self.type_of(table, *column) == Ty::Opaque {
                let message = "values of this type are only stored: they cannot be a key";
                self.report(Diagnostic::error("no-order", message, span));
            }
        }
        let it = &mut self.program.tables[table.0 as usize];
        if primary {
            columns.iter().for_each(|at| it.columns[at.0 as usize].not_null = true);
            it.keys.insert(0, Key { columns, primary, name });
        } else {
            it.keys.push(Key { columns, primary, name });
        }
    }

    fn add_check(&mut self, table: TableId, name: Option<Name>, condition: Expr) {
        let mut columns = Vec::new();
        condition.walk(&mut |it| {
            if let ExprKind::Column { column, .. } = it.kind {
                columns.push(column);
            }
        });
        columns.sort_unstable();
        columns.dedup();
        let it = self.table(table);
        let base = match (&name, &columns[..]) {
            (Some(name), _) => name.text.clone(),
            (None, [one]) => {
                format!("{}_{}_check", it.name.text, it.columns[one.0 as usize].name.text)
            }
            (None, _) => format!("{}_check", it.name.text),
        };
        let name = self.constraint_name(table, base);
        self.program.tables[table.0 as usize].checks.push(Check { name, condition });
    }

    fn add_foreign(&mut self, table: TableId, foreign: Foreign) {
        let Foreign { name, columns: names, parent: parent_name, referenced, on_delete, span } =
            foreign;
        let columns = self.columns_of(table, &names);
        let tables = &self.program.tables;
        let Some(at) = tables.iter().position(|it| it.name.text == parent_name.text) else {
            let known = tables.iter().map(|it| it.name.text.as_str());
            let help = ser_base::did_you_mean(&parent_name.text, known)
                .unwrap_or_else(|| "a table must be created before it is referenced".into());
            let message = format!("there is no table `{}`", parent_name.text);
            let it = Diagnostic::error("unknown-table", message, parent_name.span);
            return self.report(it.with_help(help));
        };
        let parent = TableId(at as u32);
        let referenced = if referenced.is_empty() {
            match self.table(parent).keys.first().filter(|it| it.primary) {
                Some(key) => key.columns.clone(),
                None => {
                    let message = format!("`{}` has no primary key", parent_name.text);
                    let it = Diagnostic::error("unknown-constraint", message, parent_name.span);
                    return self.report(it.with_help("name the columns of another key"));
                }
            }
        } else {
            let found = self.columns_of(parent, &referenced);
            if found.len() < referenced.len() {
                return;
            }
            found
        };
        if columns.len() < names.len() {
            return;
        }
        if columns.len() != referenced.len() {
            let message =
                format!("{} columns cannot refer to {} columns", columns.len(), referenced.len());
            let it = Diagnostic::error("column-count", message, span);
            return self.report(it.with_help("name as many columns as the key has"));
        }
        let is_key = self.table(parent).keys.iter().any(|it| {
            it.columns.len() == referenced.len()
                && it.columns.iter().all(|it| referenced.contains(it))
        });
        if !is_key {
            let message = format!("no key of `{}` has just these columns", parent_name.text);
            let it = Diagnostic::error("unknown-constraint", message, span);
            return self.report(it.with_help("refer to a primary key or to unique columns"));
        }
        for (column, to) in columns.iter().zip(&referenced) {
            let (from, to) = (self.type_of(table, *column), self.type_of(parent, *to));
            let alike = from == to || (from.is_number() && to.is_number());
            if !alike && from != Ty::Unknown && to != Ty::Unknown {
                let (from, to) = (self.type_name(from), self.type_name(to));
                let message = format!("this is {from}, but the column that it refers to is {to}");
                let it = Diagnostic::error("type-mismatch", message, span);
                self.report(it.with_help(format!("declare it as {to}")));
            }
        }
        let joined: Vec<&str> = names.iter().map(|it| it.text.as_str()).collect();
        let base = match name {
            Some(it) => it.text,
            None => format!("{}_{}_fkey", self.table(table).name.text, joined.join("_")),
        };
        let name = self.constraint_name(table, base);
        let it = ForeignKey { name, columns, parent, referenced, on_delete, span };
        self.program.tables[table.0 as usize].foreign_keys.push(it);
    }

    /// `CREATE UNIQUE INDEX name ON account (name)`. Other indexes change no result.
    pub(super) fn create_index(&mut self, unique: bool) -> Res<()> {
        let start = self.span();
        self.eat_word("concurrently");
        self.eat_words(&["if", "not", "exists"]);
        let name =
            if self.is_word("on") { None } else { Some(self.object("the name of an index")?) };
        self.expect_word("on")?;
        let (_, table) = self.known_table()?;
        if self.eat_word("using") {
            let kind = self.name("a kind of index")?;
            let known = ["btree", "hash", "gist", "gin", "brin", "spgist"];
            if !known.contains(&kind.text.as_str()) {
                let message = format!("there is no kind of index `{}`", kind.text);
                self.fail_with("unknown-name", message, kind.span, "leave `USING` out");
            }
        }
        let columns_at = self.span();
        self.expect_symbol("(")?;
        let mut names = Vec::new();
        loop {
            if self.is_symbol("(") || self.symbol_at(1, "(") {
                return Err(self.fail_with(
                    "unsupported",
                    "indexes of expressions are not understood",
                    self.span(),
                    "add a column for the value, or leave the index out if it is not unique",
                ));
            }
            let name = self.name("the name of a column")?;
            self.known_column(table, &name);
            names.push(name);
            if !self.eat_word("desc") {
                self.eat_word("asc");
            }
            if self.eat_word("nulls") && !self.eat_word("first") {
                self.expect_word("last")?;
            }
            if !self.eat_symbol(",") {
                break;
            }
        }
        self.expect_symbol(")")?;
        let span = self.since(columns_at);
        if self.eat_word("include") {
            for name in self.names_in_parentheses()? {
                self.known_column(table, &name);
            }
        }
        if unique {
            self.no_null_rule()?;
        }
        if self.is_word("where") {
            let at = self.span();
            if unique {
                let message = "a unique index of some rows is not understood";
                let help = "use one of all rows, or check it in the transactions";
                return Err(self.fail_with("unsupported", message, at, help));
            }
            self.at += 1;
            self.over_table(table, Reader::condition_expr)?;
        }
        self.expect_done()?;
        if unique {
            let base = names.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join("_");
            let text = format!("{}_{base}_idx", self.table(table).name.text);
            let name = name.unwrap_or(Name { text, span: start });
            self.add_key(table, Some(name), &names, false, span);
        }
        Ok(())
    }

    /// `ALTER TABLE account ADD PRIMARY KEY (name)`.
    pub(super) fn alter_table(&mut self) -> Res<()> {
        self.eat_words(&["if", "exists"]);
        self.eat_word("only");
        let (_, table) = self.known_table()?;
        let mut pending = Vec::new();
        loop {
            if self.eat_words(&["owner", "to"]) {
                self.any_name("a name")?;
            } else if self.eat_word("add") {
                if self.begins_constraint() {
                    let it = self.table_constraint()?;
                    pending.push(it);
                } else {
                    self.eat_word("column");
                    self.column_definition(table, &mut pending)?;
                }
            } else if self.eat_word("alter") {
                self.eat_word("column");
                self.alter_column(table)?;
            } else {
                let message = format!("{} is not understood here", self.found());
                let help = "write the table as it is at the end";
                return Err(self.fail_with("unsupported", message, self.span(), help));
            }
            if !self.eat_symbol(",") {
                break;
            }
        }
        self.expect_done()?;
        let end = self.at;
        let result = self.finish(table, pending);
        self.at = end;
        result
    }

    fn alter_column(&mut self, table: TableId) -> Res<()> {
        let name = self.name("the name of a column")?;
        let column = self.known_column(table, &name);
        let Some(column) = column else {
            return Err(super::Stop);
        };
        let at = (table.0 as usize, column.0 as usize);
        if self.eat_words(&["set", "not", "null"]) {
            self.program.tables[at.0].columns[at.1].not_null = true;
        } else if self.eat_words(&["set", "default"]) {
            let ty = self.type_of(table, column);
            let default = self.default(ty, &name)?;
            self.program.tables[at.0].columns[at.1].default = Some(default);
        } else if self.eat_word("add") {
            self.expect_word("generated")?;
            self.generated(table, at.1, &name)?;
        } else {
            let message = format!("{} is not understood here", self.found());
            let help = "write the column as it is at the end";
            return Err(self.fail_with("unsupported", message, self.span(), help));
        }
        Ok(())
    }

    /// `CREATE TYPE state AS ENUM ('new', 'paid')`.
    pub(super) fn create_type(&mut self) -> Res<()> {
        let name = self.object("the name of a type")?;
        self.expect_word("as")?;
        if !self.eat_word("enum") {
            let message = "only types that list their values are understood";
            let help = "use columns of plain types";
            return Err(self.fail_with("unsupported", message, name.span, help));
        }
        self.expect_symbol("(")?;
        let mut members = Vec::new();
        loop {
            let Tok::Text(text) = self.peek().clone() else {
                return Err(self.expected("a text such as `'new'`"));
            };
            self.at += 1;
            members.push(text);
            if !self.eat_symbol(",") {
                break;
            }
        }
        self.expect_symbol(")")?;
        self.expect_done()?;
        if self.enums.iter().any(|it| it.name == name.text) {
            let message = format!("the type `{}` is there already", name.text);
            return Err(self.fail("same-name", message, name.span));
        }
        self.enums.push(Enum { name: name.text, members });
        Ok(())
    }
}
