//! What names mean: tables and columns of the query, variables of the transaction.

use super::types::{Declared, Ty, Typed};
use super::{Reader, Res};
use crate::ast::{
    ColumnId, Expr, ExprKind, Join, Name, Source, Table, TableId, Variable, VariableId,
};
use crate::value::Value;
use ser_base::{Diagnostic, Span, did_you_mean};

/// The row sources of a query.
#[derive(Default)]
pub(super) struct Scope {
    pub sources: Vec<Source>,
}

/// Which language a transaction is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Language {
    /// Outside of transactions: there are no variables.
    #[default]
    None,
    /// Parameters are found where they are used.
    Section,
    /// A column goes before a parameter of the same name.
    Sql,
    /// A name that is both a column and a variable is an error.
    PlPgSql,
}

/// What a function gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Returns {
    #[default]
    Nothing,
    One(Ty),
    /// `SETOF`, `TABLE`.
    Rows,
}

/// The transaction that is being read.
#[derive(Default)]
pub(super) struct Frame {
    pub language: Language,
    pub returns: Returns,
    /// The columns of [`Returns::Rows`], if they are known.
    pub row: Option<Vec<Ty>>,
    /// `STABLE`: it must not write.
    pub stable: bool,
    /// The name of a function can stand before a parameter.
    pub name: String,
    pub variables: Vec<Variable>,
    pub types: Vec<Ty>,
    pub parameters: usize,
    pub constants: Vec<VariableId>,
    /// Names of blocks, from the outside.
    pub blocks: Vec<Vec<(String, Target)>>,
    pub records: Vec<Record>,
    /// Labels of loops, from the outside; `None` without one.
    pub loops: Vec<Option<String>>,
}

/// What a variable's name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Variable(VariableId),
    /// One of [`Frame::records`].
    Record(usize),
}

/// A variable with fields, each of which is a variable of the tree.
pub(super) struct Record {
    pub name: String,
    pub span: Span,
    /// Not known before something is stored in a `RECORD`.
    pub fields: Option<Vec<(String, VariableId)>>,
    /// The table has the fields, as in `account%ROWTYPE`; otherwise, what is stored has them.
    pub is_row: bool,
}

impl Frame {
    pub(super) fn add(&mut self, name: &str, declared: Declared, span: Span) -> VariableId {
        let id = VariableId(self.variables.len() as u32);
        let Declared { ty, scale, .. } = declared;
        self.variables.push(Variable {
            name: name.to_owned(),
            ty: ty.value(),
            first: None,
            scale,
            span,
        });
        self.types.push(ty);
        id
    }

    pub(super) fn type_of(&self, variable: VariableId) -> Ty {
        self.types[variable.0 as usize]
    }

    /// The innermost variable of that name.
    pub(super) fn find(&self, name: &str) -> Option<Target> {
        let names = self.blocks.iter().rev().flat_map(|block| block.iter().rev());
        names.into_iter().find(|(it, _)| it == name).map(|(_, target)| *target)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().flatten().map(|(name, _)| name.as_str())
    }
}

/// What a name may stand for.
struct Found {
    kind: ExprKind,
    ty: Ty,
}

impl Reader<'_> {
    pub(super) fn table(&self, id: TableId) -> &Table {
        &self.program.tables[id.0 as usize]
    }

    pub(super) fn type_of(&self, table: TableId, column: ColumnId) -> Ty {
        self.details[table.0 as usize].types[column.0 as usize]
    }

    pub(super) fn declared_of(&self, table: TableId, column: ColumnId) -> Declared {
        let it = &self.table(table).columns[column.0 as usize];
        Declared {
            length: it.length,
            scale: it.scale,
            ..Declared::from(self.type_of(table, column))
        }
    }

    /// A table that is there.
    pub(super) fn known_table(&mut self) -> Res<(Name, TableId)> {
        let name = self.object("the name of a table")?;
        let table = self.table_called(&name)?;
        Ok((name, table))
    }

    pub(super) fn table_called(&mut self, name: &Name) -> Res<TableId> {
        let tables = &self.program.tables;
        if let Some(at) = tables.iter().position(|it| it.name.text == name.text) {
            return Ok(TableId(at as u32));
        }
        let names = tables.iter().map(|it| it.name.text.as_str());
        let help = did_you_mean(&name.text, names).unwrap_or_else(|| {
            if name.text.starts_with("pg_") || name.text == "information_schema" {
                "the server's own tables cannot be read here".into()
            } else {
                "write its `CREATE TABLE` into this file".into()
            }
        });
        let message = format!("there is no table `{}`", name.text);
        Err(self.fail_with("unknown-table", message, name.span, help))
    }

    /// A column of a table that is there.
    pub(super) fn known_column(&mut self, table: TableId, name: &Name) -> Option<ColumnId> {
        let found = self.column_of(table, &name.text);
        if found.is_none() {
            let it = self.no_column(table, name);
            self.report(it);
        }
        found
    }

    fn no_column(&self, table: TableId, name: &Name) -> Diagnostic {
        let table = self.table(table);
        let message = format!("`{}` has no column `{}`", table.name.text, name.text);
        let names: Vec<&str> = table.columns.iter().map(|it| it.name.text.as_str()).collect();
        let help = did_you_mean(&name.text, names.iter().copied())
            .unwrap_or_else(|| format!("its columns are {}", names.join(", ")));
        Diagnostic::error("unknown-column", message, name.span)
            .with_secondary(table.name.span, "the table is declared here")
            .with_help(help)
    }

    pub(super) fn column_of(&self, table: TableId, name: &str) -> Option<ColumnId> {
        let at = self.table(table).columns.iter().position(|it| it.name.text == name)?;
        Some(ColumnId(at as u32))
    }

    /// Adds a row source to the innermost query.
    pub(super) fn add_source(&mut self, table: TableId, name: Name) {
        let span = name.span;
        let join = Join::Cross;
        let source = Source { table, name: name.text, join, span };
        let Some(scope) = self.scopes.last_mut() else {
            return;
        };
        let twice = scope.sources.iter().find(|it| it.name == source.name).map(|it| it.span);
        if let Some(first) = twice {
            let message = format!("two row sources are called `{}`", source.name);
            let it = Diagnostic::error("same-name", message, span)
                .with_secondary(first, "the first one")
                .with_help("give one of them another name, as in `account AS other`");
            self.report(it);
        } else {
            scope.sources.push(source);
        }
    }

    /// An expression that stands for something that could not be read.
    pub(super) fn nothing(span: Span) -> Typed {
        Typed::value(Value::Null, span, Ty::Unknown)
    }

    /// `balance`.
    pub(super) fn bare(&mut self, name: &Name) -> Typed {
        let column = match self.column_in_scopes(name) {
            Ok(column) => column,
            Err(()) => return Reader::nothing(name.span),
        };
        let variable = self.variable(&name.text);
        match (column, variable) {
            (Some(_), Some(_)) if self.frame.language == Language::PlPgSql => {
                self.both(name, &name.text);
                Reader::nothing(name.span)
            }
            (Some(it), _) | (None, Some(it)) => Typed::new(it.kind, name.span, it.ty),
            (None, None) => {
                self.no_name(name);
                Reader::nothing(name.span)
            }
        }
    }

    fn both(&mut self, name: &Name, text: &str) {
        let message = format!("`{text}` is both a column and a variable");
        let it = Diagnostic::error("ambiguous-name", message, name.span);
        self.report(it.with_help(format!(
            "PostgreSQL refuses this, too: put the name of the table before it, as in \
             `account.{text}`, and call the variable `p_{text}` or `v_{text}`"
        )));
    }

    /// The column of that name in the innermost query that has one.
    fn column_in_scopes(&mut self, name: &Name) -> Result<Option<Found>, ()> {
        for (up, scope) in self.scopes.iter().rev().enumerate() {
            let found: Vec<(usize, ColumnId)> = (scope.sources.iter().enumerate())
                .filter_map(|(at, it)| Some((at, self.column_of(it.table, &name.text)?)))
                .collect();
            match found[..] {
                [] => {}
                [(source, column)] => return Ok(Some(self.column(up, source, column))),
                _ => {
                    let names: Vec<String> = found
                        .iter()
                        .map(|(at, _)| format!("`{}.{}`", scope.sources[*at].name, name.text))
                        .collect();
                    let message = format!("`{}` may be {}", name.text, names.join(" or "));
                    let it = Diagnostic::error("ambiguous-name", message, name.span);
                    self.report(it.with_help("put the name of the table before it"));
                    return Err(());
                }
            }
        }
        Ok(None)
    }

    fn column(&self, up: usize, source: usize, column: ColumnId) -> Found {
        let scope = &self.scopes[self.scopes.len() - 1 - up];
        let ty = self.type_of(scope.sources[source].table, column);
        let (up, source) = (up as u32, source as u32);
        Found { kind: ExprKind::Column { up, source, column }, ty }
    }

    fn variable(&self, name: &str) -> Option<Found> {
        match self.frame.find(name) {
            Some(Target::Variable(it)) => Some(self.variable_itself(it)),
            Some(Target::Record(_)) => None,
            None if name == "found" && self.frame.language == Language::PlPgSql => {
                Some(Found { kind: ExprKind::Found, ty: Ty::Bool })
            }
            None => None,
        }
    }

    fn variable_itself(&self, it: VariableId) -> Found {
        Found { kind: ExprKind::Variable(it), ty: self.frame.type_of(it) }
    }

    fn no_name(&mut self, name: &Name) {
        let text = &name.text;
        let sources = || self.scopes.iter().flat_map(|it| &it.sources);
        let diagnostic = if sources().any(|it| it.name == *text) {
            let message = format!("`{text}` is a table, and rows as values are not understood");
            Diagnostic::error("unknown-name", message, name.span)
                .with_help(format!("write one of its columns, as in `{text}.id`"))
        } else if let Some(Target::Record(_)) = self.frame.find(text) {
            let message = format!("`{text}` is a record, and records as values are not understood");
            Diagnostic::error("unknown-name", message, name.span)
                .with_help(format!("write one of its fields, as in `{text}.id`"))
        } else {
            let columns = sources()
                .flat_map(|it| &self.table(it.table).columns)
                .map(|it| it.name.text.as_str());
            let known: Vec<&str> = columns.chain(self.frame.names()).collect();
            let (what, else_) = match (self.frame.language, self.scopes.is_empty()) {
                (Language::PlPgSql | Language::Sql, true) => {
                    ("variable", "declare it, or make it a parameter".to_owned())
                }
                (Language::PlPgSql | Language::Sql, false) => (
                    "column or variable",
                    "a variable must be declared, and a table must be in `FROM`".to_owned(),
                ),
                (Language::Section, _) => {
                    ("column", format!("a parameter is written `:{text}`, `@{text}` or `$1`"))
                }
                (Language::None, _) => ("column", "only columns can stand here".to_owned()),
            };
            let quoted = self.text[name.span.range()].starts_with('"');
            let else_ = if quoted { format!("a text is written `'{text}'`") } else { else_ };
            let message = format!("there is no {what} `{text}` here");
            let help = did_you_mean(text, known.into_iter()).unwrap_or(else_);
            Diagnostic::error("unknown-name", message, name.span).with_help(help)
        };
        self.report(diagnostic);
    }

    /// `account.balance`, `record.field`, `function.parameter`.
    pub(super) fn qualified(&mut self, first: &Name, second: &Name) -> Typed {
        let span = first.span.to(second.span);
        let source = self.source_in_scopes(&first.text);
        let record = match self.frame.find(&first.text) {
            Some(Target::Record(it)) => Some(it),
            _ => None,
        };
        if let (Some((up, source, table)), None) = (source, record) {
            return match self.known_column(table, second) {
                Some(column) => {
                    let it = self.column(up, source, column);
                    Typed::new(it.kind, span, it.ty)
                }
                None => Reader::nothing(span),
            };
        }
        if let (None, Some(record)) = (source, record) {
            return self.field(record, second, span);
        }
        let name = Name { text: first.text.clone(), span };
        if source.is_some() {
            let message = format!("`{}` is both a table and a record", first.text);
            let it = Diagnostic::error("ambiguous-name", message, span);
            self.report(it.with_help("give one of them another name"));
            return Reader::nothing(span);
        }
        let parameter = (self.frame.blocks.first().into_iter().flatten())
            .find(|(it, _)| *it == second.text && first.text == self.frame.name);
        if let Some((_, Target::Variable(it))) = parameter {
            let it = self.variable_itself(*it);
            return Typed::new(it.kind, span, it.ty);
        }
        self.no_source(&name);
        Reader::nothing(span)
    }

    fn no_source(&mut self, name: &Name) {
        let text = &name.text;
        let is_table = self.program.tables.iter().any(|it| it.name.text == *text);
        let renamed = self
            .scopes
            .iter()
            .flat_map(|it| &it.sources)
            .find(|it| self.table(it.table).name.text == *text);
        let message = match (is_table, self.scopes.is_empty()) {
            (true, _) => format!("`{text}` is not in `FROM` here"),
            (false, _) => format!("there is no table or record `{text}` here"),
        };
        let known: Vec<&str> = (self.scopes.iter().flat_map(|it| &it.sources))
            .map(|it| it.name.as_str())
            .chain(self.frame.names())
            .collect();
        let help = match renamed {
            Some(it) => format!("it is called `{}` here", it.name),
            None => did_you_mean(text, known.into_iter())
                .unwrap_or_else(|| "put the table into `FROM`, or join it".into()),
        };
        let it = Diagnostic::error("unknown-name", message, name.span).with_help(help);
        self.report(it);
    }

    fn source_in_scopes(&self, name: &str) -> Option<(usize, usize, TableId)> {
        self.scopes.iter().rev().enumerate().find_map(|(up, scope)| {
            let at = scope.sources.iter().position(|it| it.name == name)?;
            Some((up, at, scope.sources[at].table))
        })
    }

    /// `record.field`.
    fn field(&mut self, record: usize, name: &Name, span: Span) -> Typed {
        let Record { name: record, span: declared, fields, .. } = &self.frame.records[record];
        let Some(fields) = fields else {
            let message = format!("nothing has been stored in `{record}` before this");
            let it = Diagnostic::error("unknown-field", message, span)
                .with_secondary(*declared, "it is declared here")
                .with_help("store a row in it first, with `SELECT ... INTO`");
            self.report(it);
            return Reader::nothing(span);
        };
        if let Some((_, it)) = fields.iter().find(|(it, _)| *it == name.text) {
            let it = self.variable_itself(*it);
            return Typed::new(it.kind, span, it.ty);
        }
        let names: Vec<&str> = fields.iter().map(|(it, _)| it.as_str()).collect();
        let message = format!("`{record}` has no field `{}`", name.text);
        let help = did_you_mean(&name.text, names.iter().copied())
            .unwrap_or_else(|| format!("its fields are {}", names.join(", ")));
        let it = Diagnostic::error("unknown-field", message, span).with_help(help);
        self.report(it);
        Reader::nothing(span)
    }

    /// `$1`.
    pub(super) fn positional(&mut self, position: u32, span: Span) -> Typed {
        match self.frame.language {
            Language::None => {
                let it = Diagnostic::error("no-parameters", "there are no parameters here", span);
                self.report(it.with_help("write a value; parameters are those of transactions"));
                return Reader::nothing(span);
            }
            Language::Section => {
                if !self.same_kind(true, span) {
                    return Reader::nothing(span);
                }
                while self.frame.variables.len() < position as usize {
                    let name = format!("${}", self.frame.variables.len() + 1);
                    self.frame.add(&name, Ty::Unknown.into(), Span::default());
                }
            }
            Language::Sql | Language::PlPgSql => {
                if position as usize > self.frame.parameters {
                    let message = format!("there is no parameter `${position}`");
                    let has = self.frame.parameters;
                    let it = Diagnostic::error("no-parameters", message, span);
                    self.report(it.with_help(format!("the function has {has} parameters")));
                    return Reader::nothing(span);
                }
            }
        }
        let it = VariableId(position - 1);
        let place = &mut self.frame.variables[it.0 as usize].span;
        if *place == Span::default() {
            *place = span;
        }
        let it = self.variable_itself(it);
        Typed::new(it.kind, span, it.ty)
    }

    /// Whether the parameters so far are all numbered, or all named.
    fn same_kind(&mut self, numbered: bool, span: Span) -> bool {
        let same = self.frame.variables.iter().all(|it| it.name.starts_with('$') == numbered);
        if !same {
            let message = "some parameters are numbered, and others are named";
            let it = Diagnostic::error("no-parameters", message, span);
            self.report(it.with_help("write all of them as `$1`, or all of them as `:name`"));
        }
        same
    }

    /// `:name`, `@name`, `sqlc.arg(name)`.
    pub(super) fn named(&mut self, name: &str, span: Span) -> Typed {
        if self.frame.language != Language::Section {
            let message = "parameters are written like this in sections only";
            let it = Diagnostic::error("no-parameters", message, span);
            self.report(match self.frame.language {
                Language::None => it.with_help("write a value"),
                _ => it.with_help(format!("write `{name}`")),
            });
            return Reader::nothing(span);
        }
        if !self.same_kind(false, span) {
            return Reader::nothing(span);
        }
        let known = self.frame.variables.iter().position(|it| it.name == name);
        let it = match known {
            Some(it) => VariableId(it as u32),
            None => self.frame.add(name, Ty::Unknown.into(), span),
        };
        let it = self.variable_itself(it);
        Typed::new(it.kind, span, it.ty)
    }

    /// Every column of a source of the innermost query.
    pub(super) fn all_columns(&self, source: usize, span: Span) -> Vec<(String, Typed)> {
        let Some(it) = self.scopes.last().and_then(|it| it.sources.get(source)) else {
            return Vec::new();
        };
        let columns = &self.table(it.table).columns;
        (columns.iter().enumerate())
            .map(|(at, column)| {
                let it = self.column(0, source, ColumnId(at as u32));
                let expr = Expr { kind: it.kind, span };
                (column.name.text.clone(), Typed { expr, ty: it.ty })
            })
            .collect()
    }
}
