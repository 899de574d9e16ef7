//! `SELECT`.

use super::lexer::{Tok, Token};
use super::names::Scope;
use super::types::{Ty, Typed};
use super::{Reader, Res};
use crate::ast::{ExprKind, Item, Join, Locking, Name, Order, Query, Strength, Wait};
use ser_base::{Diagnostic, Span, did_you_mean};

/// Names that a column of a result can only have behind `AS`.
const NO_LABELS: [&str; 14] = [
    "char",
    "character",
    "day",
    "filter",
    "hour",
    "minute",
    "month",
    "over",
    "precision",
    "second",
    "varying",
    "within",
    "without",
    "year",
];

impl Reader<'_> {
    /// A query and the types of its columns.
    pub(super) fn query(&mut self) -> Res<(Query, Vec<Ty>)> {
        self.scopes.push(Scope::default());
        let result = self.deeper(Reader::select);
        let scope = self.scopes.pop().unwrap_or_default();
        let (mut query, types) = result?;
        query.sources = scope.sources;
        Ok((query, types))
    }

    fn select(&mut self) -> Res<(Query, Vec<Ty>)> {
        if !self.eat_word("select") {
            let what = match self.peek().clone() {
                Tok::Word(word) => super::unknown::statement(&word),
                _ => None,
            };
            return Err(match what {
                Some((message, help)) => self.fail_with("unsupported", message, self.span(), help),
                None => self.expected("`SELECT`"),
            });
        }
        if self.is_word("top") && *self.peek_at(1) == Tok::Number {
            return Err(self.unexpected());
        }
        let distinct = self.eat_word("distinct");
        if distinct && self.is_word("on") {
            return Err(self.fail_with(
                "unsupported",
                "`DISTINCT ON` is not understood",
                self.span(),
                "use `ORDER BY ... LIMIT 1`, or `GROUP BY`",
            ));
        }
        if !distinct {
            self.eat_word("all");
        }
        let items_at = self.at;
        let from = self.find_from();
        let mut after = None;
        if let Some(from) = from {
            self.at = from + 1;
            self.from()?;
            after = Some(self.at);
        }
        self.at = items_at;
        let (items, types) = self.items()?;
        match (from, after) {
            (Some(from), Some(after)) if self.at == from => self.at = after,
            (Some(_), _) => return Err(self.unexpected()),
            _ => {}
        }
        let filter = self.filter("`WHERE`")?;
        let mut group_by = Vec::new();
        if self.eat_word("group") {
            self.expect_word("by")?;
            loop {
                group_by.push(self.group()?);
                if !self.eat_symbol(",") {
                    break;
                }
            }
        }
        let having = if self.eat_word("having") { Some(self.condition_expr()?) } else { None };
        let mut query = Query {
            sources: Vec::new(),
            filter,
            items,
            distinct,
            group_by,
            having,
            order_by: Vec::new(),
            limit: None,
            offset: None,
            locks: Vec::new(),
        };
        if self.eat_word("order") {
            self.expect_word("by")?;
            loop {
                let order = self.order(&query.items, &types)?;
                query.order_by.push(order);
                if !self.eat_symbol(",") {
                    break;
                }
            }
        }
        self.ending(&mut query)?;
        self.check_grouping(&query);
        self.check_distinct(&query);
        Ok((query, types))
    }

    /// `LIMIT`, `OFFSET` and locks.
    fn ending(&mut self, query: &mut Query) -> Res<()> {
        loop {
            if query.limit.is_none() && self.eat_word("limit") {
                if !self.eat_word("all") {
                    query.limit = Some(self.count("`LIMIT`")?);
                }
            } else if query.offset.is_none() && self.eat_word("offset") {
                query.offset = Some(self.count("`OFFSET`")?);
                if !self.eat_word("rows") {
                    self.eat_word("row");
                }
            } else if self.is_word("for") {
                let start = self.span();
                let lock = self.locking()?;
                self.check_lock(query, &lock, self.since(start));
                query.locks.push(lock);
            } else {
                return Ok(());
            }
        }
    }

    /// How many rows: no column can stand in it.
    fn count(&mut self, place: &str) -> Res<crate::ast::Expr> {
        let it = self.expr()?;
        let it = self.store(it, Ty::Big, place);
        if let Some(column) = column_in(&it.expr) {
            let message = format!("{place} cannot depend on a column");
            self.report(Diagnostic::error("misplaced-column", message, column));
        }
        self.no_aggregate(&it.expr, place);
        Ok(it.expr)
    }

    /// Where the `FROM` of this `SELECT` stands: not one within parentheses, and not that of
    /// `IS DISTINCT FROM`.
    pub(super) fn find_from(&self) -> Option<usize> {
        let mut depth = 0;
        for (at, Token { kind, .. }) in self.tokens.iter().enumerate().skip(self.at) {
            match kind {
                Tok::Symbol("(") => depth += 1,
                Tok::Symbol(")") if depth == 0 => return None,
                Tok::Symbol(")") => depth -= 1,
                Tok::Symbol(";") | Tok::End => return None,
                Tok::Word(word) if depth == 0 => match word.as_str() {
                    "from" => {
                        let before = |ago: usize, word: &str| {
                            let it = at.checked_sub(ago).and_then(|it| self.tokens.get(it));
                            it.is_some_and(|it| matches!(&it.kind, Tok::Word(it) if it == word))
                        };
                        let is = before(2, "is") || (before(3, "is") && before(2, "not"));
                        if !(before(1, "distinct") && is) {
                            return Some(at);
                        }
                    }
                    "where" | "group" | "having" | "order" | "limit" | "union" | "except"
                    | "intersect" | "loop" | "for" | "returning" => return None,
                    _ => {}
                },
                _ => {}
            }
        }
        None
    }

    /// `account AS a JOIN savings AS s ON ...`, into the innermost scope.
    pub(super) fn from(&mut self) -> Res<()> {
        self.source()?;
        loop {
            if self.eat_symbol(",") {
                self.source()?;
                continue;
            }
            let start = self.span();
            if self.eat_words(&["cross", "join"]) {
                self.source()?;
                continue;
            }
            let left = self.eat_word("left");
            if left {
                self.eat_word("outer");
            } else if ["right", "full", "natural"].iter().any(|it| self.is_word(it)) {
                let word = self.found().to_ascii_uppercase();
                let help = match word.as_str() {
                    "`RIGHT`" => "swap the tables, and write `LEFT JOIN`",
                    "`FULL`" => "ask with two statements",
                    _ => "write the condition, as in `JOIN b ON a.id = b.id`",
                };
                let message = format!("{word} joins are not understood");
                return Err(self.fail_with("unsupported", message, start, help));
            } else if self.is_word("inner") {
                self.at += 1;
            } else if !self.is_word("join") {
                return Ok(());
            }
            self.expect_word("join")?;
            self.source()?;
            if self.is_word("using") {
                return Err(self.unexpected());
            }
            self.expect_word("on")?;
            let on = self.condition_expr()?;
            self.no_aggregate(&on, "`ON`");
            let join = if left { Join::Left(on) } else { Join::Inner(on) };
            if let Some(source) = self.scopes.last_mut().and_then(|it| it.sources.last_mut()) {
                source.join = join;
            }
        }
    }

    fn source(&mut self) -> Res<()> {
        let start = self.span();
        if self.is_symbol("(") {
            return Err(self.fail_with(
                "unsupported",
                "a query in `FROM` is not understood",
                start,
                "join the tables themselves, or put the query into the condition, \
                 as in `id IN (SELECT ...)`",
            ));
        }
        if self.is_word("lateral") || self.is_word("only") {
            let message = format!("{} is not understood here", self.found());
            return Err(self.fail_with("unsupported", message, start, "leave it out"));
        }
        if matches!(self.peek(), Tok::Word(_)) && self.symbol_at(1, "(") {
            let message = format!("the rows of a function are not understood: {}", self.found());
            let help = "in PL/pgSQL, use a loop: `FOR i IN 1..n LOOP`";
            return Err(self.fail_with("unsupported", message, start, help));
        }
        let (table, alias) = self.table_with_alias()?;
        self.add_source(table, alias);
        Ok(())
    }

    /// `account`, `account AS a`, `account a`.
    pub(super) fn table_with_alias(&mut self) -> Res<(crate::ast::TableId, Name)> {
        let (name, table) = self.known_table()?;
        let alias = if self.eat_word("as") {
            self.name("another name of the table")?
        } else {
            match self.peek() {
                Tok::Word(word) if word != "set" && !super::cursor::is_reserved(word) => {
                    self.name("another name of the table")?
                }
                Tok::Quoted(_) => self.name("another name of the table")?,
                _ => name,
            }
        };
        if self.is_symbol("(") && self.program.tables.len() > table.0 as usize {
            return Err(self.fail_with(
                "unsupported",
                "other names for columns are not understood",
                self.span(),
                "use the names of the table",
            ));
        }
        Ok((table, alias))
    }

    /// What a statement gives: its items with their types, `*` written out.
    pub(super) fn items(&mut self) -> Res<(Vec<Item>, Vec<Ty>)> {
        let (mut items, mut types) = (Vec::new(), Vec::new());
        let mut add = |name: String, it: Typed| {
            types.push(it.ty);
            items.push(Item { expr: it.expr, name });
        };
        loop {
            let span = self.span();
            if self.eat_symbol("*") {
                let count = self.scopes.last().map_or(0, |it| it.sources.len());
                if count == 0 {
                    return Err(self.fail_with(
                        "syntax",
                        "`*` needs a table",
                        span,
                        "write `FROM` and a table",
                    ));
                }
                for source in 0..count {
                    self.all_columns(source, span).into_iter().for_each(|(n, it)| add(n, it));
                }
            } else if let Some((source, span)) = self.star_of_source()? {
                self.all_columns(source, span).into_iter().for_each(|(n, it)| add(n, it));
            } else {
                let it = self.expr()?;
                let name = self.item_name(&it)?;
                add(name, it);
            }
            if !self.eat_symbol(",") {
                return Ok((items, types));
            }
        }
    }

    /// `account.*`.
    fn star_of_source(&mut self) -> Res<Option<(usize, Span)>> {
        if !(self.symbol_at(1, ".") && self.symbol_at(2, "*")) {
            return Ok(None);
        }
        let name = self.name("the name of a table")?;
        let sources = self.scopes.last().map_or(&[][..], |it| &it.sources);
        let Some(at) = sources.iter().position(|it| it.name == name.text) else {
            let known = sources.iter().map(|it| it.name.as_str());
            let help = did_you_mean(&name.text, known);
            let message = format!("`{}` is not in `FROM` here", name.text);
            let help = help.unwrap_or_else(|| "write the name that it has there".into());
            return Err(self.fail_with("unknown-name", message, name.span, help));
        };
        self.at += 2;
        Ok(Some((at, self.since(name.span))))
    }

    /// `AS name`, or the name that the server gives.
    fn item_name(&mut self, it: &Typed) -> Res<String> {
        if self.eat_word("as") {
            return Ok(self.any_name("a name for the column")?.text);
        }
        match self.peek() {
            Tok::Word(word) if NO_LABELS.contains(&word.as_str()) => return Err(self.unexpected()),
            Tok::Word(word) if !super::cursor::is_reserved(word) => {
                return Ok(self.name("a name for the column")?.text);
            }
            Tok::Quoted(_) => return Ok(self.name("a name for the column")?.text),
            _ => {}
        }
        Ok(match &it.expr.kind {
            ExprKind::Column { .. } | ExprKind::Variable(_) | ExprKind::Found => {
                let text = &self.text[it.expr.span.range()];
                let last =
                    text.rsplit('.').next().unwrap_or(text).trim_matches([' ', '"', ')', '(']);
                last.to_owned()
            }
            ExprKind::Call(..) | ExprKind::Aggregate { .. } => {
                let text = &self.text[it.expr.span.range()];
                text.split('(').next().unwrap_or(text).trim().to_ascii_lowercase()
            }
            ExprKind::Case(..) => "case".into(),
            ExprKind::Exists(_) => "exists".into(),
            _ => "?column?".into(),
        })
    }

    /// `WHERE condition`, if it is there.
    pub(super) fn filter(&mut self, place: &str) -> Res<Option<crate::ast::Expr>> {
        if !self.eat_word("where") {
            return Ok(None);
        }
        if self.eat_words(&["current", "of"]) {
            return Err(self.fail_with(
                "unsupported",
                "cursors are not understood",
                self.last_span(),
                "write the key of the row, as in `WHERE id = r.id`",
            ));
        }
        let filter = self.condition_expr()?;
        self.no_aggregate(&filter, place);
        Ok(Some(filter))
    }

    fn group(&mut self) -> Res<crate::ast::Expr> {
        let it = self.expr()?;
        if !matches!(it.expr.kind, ExprKind::Column { up: 0, .. }) {
            let message = "`GROUP BY` is only understood with columns";
            let diagnostic = Diagnostic::error("unsupported", message, it.expr.span);
            self.report(diagnostic.with_help("write the names of columns"));
        }
        Ok(it.expr)
    }

    fn order(&mut self, items: &[Item], types: &[Ty]) -> Res<Order> {
        let start = self.span();
        // `ORDER BY 2`, `ORDER BY name`: a column of the result.
        let ends = |it: &Tok| {
            matches!(it, Tok::End | Tok::Symbol("," | ")" | ";"))
                || matches!(it, Tok::Word(it) if super::cursor::is_reserved(it) || it == "nulls")
        };
        let alone = ends(self.peek_at(1));
        let position = match self.peek() {
            Tok::Number if alone => {
                let number = self.text[start.range()].parse::<usize>().ok();
                match number.filter(|it| (1..=items.len()).contains(it)) {
                    Some(it) => Some(it - 1),
                    None => {
                        let message = format!("there is no column {} in the result", self.found());
                        return Err(self.fail("unknown-column", message, start));
                    }
                }
            }
            Tok::Word(word) | Tok::Quoted(word) if alone => {
                let mut named = items.iter().enumerate().filter(|(_, it)| it.name == *word);
                let first = named.next();
                if let Some((_, first)) = first
                    && named.any(|(_, it)| it.expr.kind != first.expr.kind)
                {
                    let message = format!("several columns of the result are called `{word}`");
                    let help = "give them different names with `AS`";
                    return Err(self.fail_with("ambiguous-name", message, start, help));
                }
                first.map(|(at, _)| at)
            }
            _ => None,
        };
        let it = match position {
            Some(at) => {
                self.at += 1;
                Typed { expr: items[at].expr.clone(), ty: types[at] }
            }
            None => {
                let it = self.expr()?;
                if let ExprKind::Value(_) = it.expr.kind {
                    let message = "the same value for every row is no order";
                    let diagnostic = Diagnostic::error("no-order", message, it.expr.span);
                    self.report(diagnostic.with_help("write a column"));
                }
                it
            }
        };
        self.ordered(it.ty, start);
        let descending = self.eat_word("desc");
        if !descending {
            self.eat_word("asc");
        }
        let mut nulls_first = descending;
        if self.eat_word("nulls") {
            nulls_first = self.eat_word("first");
            if !nulls_first {
                self.expect_word("last")?;
            }
        } else if self.is_word("using") {
            return Err(self.unexpected());
        }
        Ok(Order { expr: it.expr, descending, nulls_first })
    }

    /// `FOR UPDATE OF account SKIP LOCKED`.
    fn locking(&mut self) -> Res<Locking> {
        self.expect_word("for")?;
        let strength = if self.eat_word("update") {
            Strength::Update
        } else if self.eat_words(&["no", "key", "update"]) {
            Strength::NoKeyUpdate
        } else if self.eat_word("share") {
            Strength::Share
        } else if self.eat_words(&["key", "share"]) {
            Strength::KeyShare
        } else {
            return Err(self.expected("`UPDATE`, `NO KEY UPDATE`, `SHARE` or `KEY SHARE`"));
        };
        let mut of = Vec::new();
        if self.eat_word("of") {
            loop {
                let name = self.name("the name of a table")?;
                let sources = self.scopes.last().map_or(&[][..], |it| &it.sources);
                match sources.iter().position(|it| it.name == name.text) {
                    Some(at) => of.push(at),
                    None => {
                        let known = sources.iter().map(|it| it.name.as_str());
                        let help = did_you_mean(&name.text, known)
                            .unwrap_or_else(|| "write the name that it has there".into());
                        let message = format!("`{}` is not in `FROM` here", name.text);
                        let it = Diagnostic::error("unknown-name", message, name.span);
                        self.report(it.with_help(help));
                    }
                }
                if !self.eat_symbol(",") {
                    break;
                }
            }
        }
        let wait = if self.eat_word("nowait") {
            Wait::NoWait
        } else if self.eat_words(&["skip", "locked"]) {
            Wait::SkipLocked
        } else {
            Wait::Wait
        };
        Ok(Locking { strength, of, wait })
    }

    /// The server refuses locks where it cannot say which rows they are about.
    fn check_lock(&mut self, query: &Query, lock: &Locking, span: Span) {
        let sources = self.scopes.last().map_or(&[][..], |it| &it.sources);
        let optional =
            |at: usize| matches!(sources.get(at).map(|it| &it.join), Some(Join::Left(_)));
        let (message, help) = if query.distinct || query.is_grouped() {
            (
                "rows that are put together cannot be locked",
                "lock the rows with a statement of their own before this one",
            )
        } else if sources.is_empty() {
            ("there is no row to lock", "leave the lock out, or write `FROM`")
        } else if (0..sources.len())
            .any(|it| optional(it) && (lock.of.is_empty() || lock.of.contains(&it)))
        {
            (
                "rows that `LEFT JOIN` may not find cannot be locked",
                "say which table is meant, as in `FOR UPDATE OF account`",
            )
        } else {
            return;
        };
        self.report(Diagnostic::error("misplaced-lock", message, span).with_help(help));
    }

    /// Rows that are put together can only be ordered by what they agree on.
    fn check_distinct(&mut self, query: &Query) {
        if !query.distinct {
            return;
        }
        for order in &query.order_by {
            let column = matches!(order.expr.kind, ExprKind::Column { .. });
            let known = query
                .items
                .iter()
                .any(|it| it.expr == order.expr || (column && it.expr.kind == order.expr.kind));
            if !known {
                let message = "with `DISTINCT`, rows can only be ordered by columns of the result";
                let it = Diagnostic::error("not-grouped", message, order.expr.span);
                self.report(it.with_help("select what is ordered by, too"));
            }
        }
    }

    /// Where rows are put together, a column must be one that they agree on.
    fn check_grouping(&mut self, query: &Query) {
        if !query.is_grouped() {
            return;
        }
        let sources = self.scopes.last().map_or(&[][..], |it| &it.sources);
        let grouped = |source: u32, column| {
            query.group_by.iter().any(|it| {
                matches!(it.kind, ExprKind::Column { up: 0, source: s, column: c }
                    if s == source && c == column)
            })
        };
        // The columns of a row that is known by its primary key are known, too.
        let fixed: Vec<bool> = (sources.iter().enumerate())
            .map(|(at, it)| {
                let mut keys = self.table(it.table).keys.iter().filter(|it| it.primary);
                keys.any(|key| key.columns.iter().all(|it| grouped(at as u32, *it)))
            })
            .collect();
        let mut wrong = Vec::new();
        let exprs = query.items.iter().map(|it| &it.expr).chain(&query.having);
        for expr in exprs.chain(query.order_by.iter().map(|it| &it.expr)) {
            outside_aggregates(expr, &mut |span, source, column| {
                if !fixed.get(source as usize).is_some_and(|it| *it) && !grouped(source, column) {
                    wrong.push(span);
                }
            });
        }
        for span in wrong {
            let message = "this column may be different in the rows that are put together";
            let it = Diagnostic::error("not-grouped", message, span);
            self.report(it.with_help("put it into `GROUP BY`, or into `min`, `max` or `sum`"));
        }
    }
}

fn column_in(expr: &crate::ast::Expr) -> Option<Span> {
    let mut found = None;
    expr.walk(&mut |it| {
        if let ExprKind::Column { up: 0, .. } = it.kind {
            found = Some(it.span);
        }
    });
    found
}

/// Shows the columns of this query that are not within an aggregate.
fn outside_aggregates(
    expr: &crate::ast::Expr,
    see: &mut dyn FnMut(Span, u32, crate::ast::ColumnId),
) {
    let mut inside: Vec<Span> = Vec::new();
    expr.walk(&mut |it| match &it.kind {
        // What is within stands after it, and in its span.
        ExprKind::Aggregate { argument: Some(_), .. } => inside.push(it.span),
        ExprKind::Column { up: 0, source, column } => {
            let covered = |outer: &Span| outer.start <= it.span.start && it.span.end <= outer.end;
            if !inside.iter().any(covered) {
                see(it.span, *source, *column);
            }
        }
        _ => {}
    });
}
