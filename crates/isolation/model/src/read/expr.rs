//! Expressions, by the precedence of their operators (chapter 4.1.6 of the manual).

use super::lexer::Tok;
use super::names::Language;
use super::types::{Ty, Typed};
use super::{MOST_PARTS, Reader, Res};
use crate::ast::{Aggregate, BinaryOp, Expr, ExprKind, Function, Name, UnaryOp};
use crate::value::{Decimal, Value};
use ser_base::{Diagnostic, Span, did_you_mean};

/// How strongly operators bind; what is on their right binds more strongly.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const IS: u8 = 4;
const COMPARE: u8 = 5;
const RANGE: u8 = 6;
const OTHER: u8 = 7;
const ADD: u8 = 8;
const MULTIPLY: u8 = 9;
const SIGN: u8 = 11;
const CAST: u8 = 12;

/// The names that are understood, for guesses.
const FUNCTIONS: &[&str] = &[
    "coalesce",
    "greatest",
    "least",
    "nullif",
    "abs",
    "mod",
    "lower",
    "upper",
    "length",
    "char_length",
    "now",
    "count",
    "sum",
    "min",
    "max",
    "avg",
];

impl Reader<'_> {
    /// An expression that is not within another one.
    pub(super) fn expr(&mut self) -> Res<Typed> {
        if self.within == 0 {
            self.parts = 0;
        }
        self.within += 1;
        let result = self.expr_above(0);
        self.within -= 1;
        result
    }

    pub(super) fn condition_expr(&mut self) -> Res<Expr> {
        let it = self.expr()?;
        Ok(self.condition(it))
    }

    /// An expression of operators that bind at least so strongly.
    fn expr_above(&mut self, least: u8) -> Res<Typed> {
        self.deeper(|it| {
            let mut left = it.prefix()?;
            while let Some(next) = it.infix(&mut left, least)? {
                left = next;
            }
            Ok(left)
        })
    }

    fn part(&mut self) -> Res<()> {
        self.parts += 1;
        if self.parts <= MOST_PARTS {
            return Ok(());
        }
        let message = format!("an expression of more than {MOST_PARTS} parts is not understood");
        Err(self.fail_with("too-long", message, self.span(), "split it"))
    }

    fn prefix(&mut self) -> Res<Typed> {
        self.part()?;
        let start = self.span();
        match self.peek().clone() {
            Tok::Word(word) => self.word_prefix(&word, start),
            Tok::Quoted(_) => self.named_prefix(),
            Tok::Number => {
                self.at += 1;
                self.number(start)
            }
            Tok::Text(text) => {
                self.at += 1;
                Ok(Typed::value(Value::text(&text), start, Ty::Unknown))
            }
            Tok::Dollar(span) => {
                self.at += 1;
                Ok(Typed::value(Value::text(&self.text[span.range()]), start, Ty::Unknown))
            }
            Tok::Position(position) => {
                self.at += 1;
                Ok(self.positional(position, start))
            }
            Tok::Named(name) => {
                self.at += 1;
                Ok(self.named(&name, start))
            }
            Tok::Symbol("-") => {
                self.at += 1;
                let operand = self.expr_above(SIGN)?;
                Ok(self.minus(operand, start))
            }
            Tok::Symbol("+") => {
                self.at += 1;
                let operand = self.expr_above(SIGN)?;
                self.some_number(&operand, "+");
                Ok(operand)
            }
            Tok::Symbol("(") => self.parenthesis(),
            Tok::Symbol("*") => Err(self.fail_with(
                "syntax",
                "`*` stands for columns only right after `SELECT`, `RETURNING` or in `count(*)`",
                start,
                "write the columns",
            )),
            Tok::Symbol("[") => Err(self.fail_with(
                "syntax",
                "brackets around names are SQL Server's, and arrays are not understood",
                start,
                "PostgreSQL quotes names as in `\"name\"`, or not at all",
            )),
            _ => Err(self.expected("a value")),
        }
    }

    fn number(&mut self, span: Span) -> Res<Typed> {
        let text = &self.text[span.range()];
        if let Ok(it) = text.parse::<i64>() {
            let ty = if i32::try_from(it).is_ok() { Ty::Int } else { Ty::Big };
            return Ok(Typed::value(Value::Int(it), span, ty));
        }
        match Decimal::read(text) {
            Some(it) if it.scale <= 30 && text.len() <= 36 => {
                Ok(Typed::value(Value::Decimal(it), span, Ty::Decimal))
            }
            _ => Err(self.fail("bad-number", "this number has too many digits", span)),
        }
    }

    fn minus(&mut self, operand: Typed, start: Span) -> Typed {
        let span = start.to(operand.expr.span);
        self.some_number(&operand, "-");
        let ty = operand.ty;
        match operand.expr.kind {
            ExprKind::Value(Value::Int(it)) => Typed::value(Value::Int(-it), span, ty),
            ExprKind::Value(Value::Decimal(Decimal { digits, scale })) => {
                Typed::value(Value::Decimal(Decimal { digits: -digits, scale }), span, ty)
            }
            _ => Typed::new(ExprKind::Unary(UnaryOp::Minus, Box::new(operand.expr)), span, ty),
        }
    }

    fn number_only(&mut self, it: &Typed, operator: &str) {
        if it.ty.is_number() || it.ty == Ty::Unknown {
            return;
        }
        let ty = self.type_name(it.ty);
        let message = format!("`{operator}` needs a number, but this is {ty}");
        let diagnostic = Diagnostic::error("type-mismatch", message, it.expr.span);
        let help = match it.ty {
            Ty::Timestamp | Ty::Date | Ty::Clock => {
                "times are only stored and compared: pass the time that is meant as a parameter"
            }
            Ty::Text if operator == "+" => "texts are put together with `||`",
            _ => "use a number",
        };
        self.report(diagnostic.with_help(help));
    }

    /// The server would have to guess which number is meant.
    fn some_number(&mut self, it: &Typed, operator: &str) {
        self.number_only(it, operator);
        if it.ty == Ty::Unknown {
            let message = format!("it is not known which type of number `{operator}` gets here");
            let diagnostic = Diagnostic::error("unknown-type", message, it.expr.span);
            self.report(diagnostic.with_help("write it, as in `x::bigint`"));
        }
    }

    fn parenthesis(&mut self) -> Res<Typed> {
        let start = self.span();
        self.at += 1;
        if self.is_word("select") {
            let (query, ty) = self.one_column()?;
            self.expect_symbol(")")?;
            let kind = ExprKind::Scalar(Box::new(query));
            return Ok(Typed::new(kind, self.since(start), ty));
        }
        let mut inner = self.expr_above(0)?;
        if self.is_symbol(",") {
            return Err(self.fail_with(
                "unsupported-row",
                "rows in parentheses are not understood",
                start,
                "compare column by column: `a = 1 AND b = 2`",
            ));
        }
        self.expect_symbol(")")?;
        // Where a variable stands is what is replaced by its value, and parentheses around it stay.
        if !matches!(inner.expr.kind, ExprKind::Variable(_) | ExprKind::Found) {
            inner.expr.span = self.since(start);
        }
        Ok(inner)
    }

    /// A query of one column.
    fn one_column(&mut self) -> Res<(crate::ast::Query, Ty)> {
        let span = self.span();
        self.asks = true;
        let (query, types) = self.query()?;
        if let [ty] = types[..] {
            return Ok((query, ty));
        }
        let message = format!("this query has {} columns, but one value is needed", types.len());
        let it = Diagnostic::error("column-count", message, span.to(self.last_span()));
        self.report(it.with_help("select the one column that is meant"));
        Ok((query, Ty::Unknown))
    }

    fn word_prefix(&mut self, word: &str, start: Span) -> Res<Typed> {
        match word {
            "not" => {
                self.at += 1;
                let operand = self.expr_above(NOT)?;
                let operand = self.condition(operand);
                Ok(not(operand, self.since(start)))
            }
            "null" => {
                self.at += 1;
                Ok(Typed::value(Value::Null, start, Ty::Unknown))
            }
            "true" | "false" => {
                self.at += 1;
                Ok(Typed::value(Value::Bool(word == "true"), start, Ty::Bool))
            }
            "case" => self.case(),
            "cast" => {
                self.at += 1;
                self.expect_symbol("(")?;
                let inner = self.expr_above(0)?;
                self.expect_word("as")?;
                let to = self.declared()?;
                self.expect_symbol(")")?;
                Ok(self.cast(inner, to, self.since(start)))
            }
            "exists" if self.symbol_at(1, "(") => {
                self.at += 2;
                self.asks = true;
                let (query, _) = self.query()?;
                self.expect_symbol(")")?;
                let kind = ExprKind::Exists(Box::new(query));
                Ok(Typed::new(kind, self.since(start), Ty::Bool))
            }
            "current_timestamp" | "localtimestamp" => {
                self.at += 1;
                Ok(Typed::new(ExprKind::Call(Function::Now, vec![]), start, Ty::Timestamp))
            }
            "current_date" | "current_time" | "localtime" => Err(self.fail_with(
                "unsupported",
                format!("`{word}` is not understood"),
                start,
                "use `now()`, or pass the value as a parameter",
            )),
            "array" | "row" if !self.symbol_at(1, ".") => Err(self.fail_with(
                "unsupported",
                format!("`{}` is not understood", word.to_ascii_uppercase()),
                start,
                "write the values one by one",
            )),
            "date" | "timestamp" | "timestamptz" | "time" | "numeric" | "integer" | "bigint"
            | "text" | "boolean" | "bool"
                if matches!(self.peek_at(1), Tok::Text(_)) =>
            {
                let to = self.declared()?;
                let inner = self.prefix()?;
                let span = self.since(start);
                Ok(self.cast(inner, to, span))
            }
            "interval" if matches!(self.peek_at(1), Tok::Text(_)) => Err(self.fail_with(
                "unsupported",
                "intervals are not understood: times are only stored and compared",
                start,
                "pass the time that is meant as a parameter",
            )),
            "sqlc" if self.symbol_at(1, ".") => self.sqlc(),
            "select" => Err(self.fail_with(
                "syntax",
                "a query within an expression needs parentheses",
                start,
                "write `(SELECT ...)`",
            )),
            _ => self.named_prefix(),
        }
    }

    /// `sqlc.arg(name)`.
    fn sqlc(&mut self) -> Res<Typed> {
        let start = self.span();
        self.at += 2;
        let function = self.any_name("`arg` or `narg`")?;
        if !matches!(function.text.as_str(), "arg" | "narg") {
            return Err(self.fail_with(
                "unsupported",
                format!("`sqlc.{}` is not understood", function.text),
                start.to(function.span),
                "`sqlc.arg` and `sqlc.narg` are; write several values one by one",
            ));
        }
        self.expect_symbol("(")?;
        let name = match self.peek().clone() {
            Tok::Text(text) => {
                self.at += 1;
                text
            }
            _ => self.any_name("the name of a parameter")?.text,
        };
        self.expect_symbol(")")?;
        Ok(self.named(&name, self.since(start)))
    }

    /// A column, a variable or a function.
    fn named_prefix(&mut self) -> Res<Typed> {
        if let Tok::Word(word) = self.peek()
            && super::cursor::is_reserved(word)
        {
            let comma = self.at > 0 && self.tokens[self.at - 1].kind == Tok::Symbol(",");
            let stop = self.expected("a value");
            if comma && let Some(last) = self.diagnostics.pop() {
                let span = self.last_span();
                self.report(last.with_fix("there is a comma too many before it", span, ""));
            }
            return Err(stop);
        }
        let first = self.name("a value")?;
        if self.is_symbol("(") {
            return self.call(&first);
        }
        if !self.is_symbol(".") {
            return Ok(self.bare(&first));
        }
        self.at += 1;
        if self.is_symbol("*") {
            return Err(self.fail_with(
                "unsupported-row",
                "rows as values are not understood",
                first.span.to(self.span()),
                "write the columns one by one",
            ));
        }
        let mut second = self.any_name("the name of a column")?;
        let mut first = first;
        if first.text == "public" && self.is_symbol(".") {
            self.at += 1;
            let third = self.any_name("the name of a column")?;
            (first, second) = (Name { span: first.span, ..second }, third);
        }
        if self.is_symbol("(") {
            let name = format!("{}.{}", first.text, second.text);
            let span = first.span.to(second.span);
            self.no_function(&Name { text: name, span });
            return Err(super::Stop);
        }
        Ok(self.qualified(&first, &second))
    }

    fn case(&mut self) -> Res<Typed> {
        let start = self.span();
        self.at += 1;
        let subject = if self.is_word("when") { None } else { Some(self.expr_above(0)?) };
        let (mut conditions, mut values) = (Vec::new(), Vec::new());
        let mut subject = subject;
        while self.eat_word("when") {
            let when = self.expr_above(0)?;
            let condition = match subject.take() {
                Some(it) => {
                    let span = when.expr.span;
                    let (left, right) = self.meet(it, when, "compared with");
                    subject = Some(Typed { expr: left.expr.clone(), ty: left.ty });
                    binary(BinaryOp::Equal, left.expr, right.expr, span)
                }
                None => self.condition(when),
            };
            conditions.push(condition);
            self.expect_word("then")?;
            values.push(self.expr_above(0)?);
        }
        if conditions.is_empty() {
            return Err(self.expected("`WHEN`"));
        }
        let has_otherwise = self.eat_word("else");
        if has_otherwise {
            values.push(self.expr_above(0)?);
        }
        self.expect_word("end")?;
        let (mut values, ty) = self.alike(values, "in the same column as");
        let otherwise = if has_otherwise { values.pop().map(Box::new) } else { None };
        let cases = conditions.into_iter().zip(values).collect();
        Ok(Typed::new(ExprKind::Case(cases, otherwise), self.since(start), ty))
    }

    /// Expressions of which one is the value: they become one type.
    fn alike(&mut self, all: Vec<Typed>, what: &str) -> (Vec<Expr>, Ty) {
        let known = |it: &&Typed| it.ty != Ty::Unknown;
        let wanted = all.iter().filter(known).find(|it| it.ty == Ty::Decimal);
        let wanted = wanted.or(all.iter().filter(known).find(|it| it.ty == Ty::Big));
        let Some(wanted) = wanted.or(all.iter().find(known)) else {
            return (all.into_iter().map(|it| it.expr).collect(), Ty::Unknown);
        };
        let (ty, model) = (wanted.ty, wanted.expr.clone());
        let all = all.into_iter().map(|it| {
            let model = Typed { expr: model.clone(), ty };
            self.meet(it, model, what).0.expr
        });
        (all.collect(), ty)
    }

    fn arguments(&mut self) -> Res<Vec<Typed>> {
        self.expect_symbol("(")?;
        let mut arguments = Vec::new();
        if self.eat_symbol(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expr_above(0)?);
            if !self.eat_symbol(",") {
                break;
            }
        }
        self.expect_symbol(")")?;
        Ok(arguments)
    }

    fn call(&mut self, name: &Name) -> Res<Typed> {
        let function = match name.text.as_str() {
            "count" | "sum" | "min" | "max" | "avg" => return self.aggregate(name),
            "coalesce" => Function::Coalesce,
            "greatest" => Function::Greatest,
            "least" => Function::Least,
            "nullif" => Function::NullIf,
            "abs" => Function::Abs,
            "mod" => Function::Modulo,
            "lower" => Function::Lower,
            "upper" => Function::Upper,
            "length" | "char_length" | "character_length" => Function::Length,
            "now" | "transaction_timestamp" => Function::Now,
            _ => {
                self.no_function(name);
                return Err(super::Stop);
            }
        };
        let arguments = self.arguments()?;
        let span = self.since(name.span);
        let (least, most) = match function {
            Function::Coalesce | Function::Greatest | Function::Least => (1, usize::MAX),
            Function::NullIf | Function::Modulo => (2, 2),
            Function::Abs | Function::Lower | Function::Upper | Function::Length => (1, 1),
            Function::Now => (0, 0),
        };
        if !(least..=most).contains(&arguments.len()) {
            let values = if least == 1 { "value" } else { "values" };
            let count = if most == usize::MAX { "at least 1".into() } else { least.to_string() };
            let message = format!("`{}` takes {count} {values}", name.text);
            return Err(self.fail("argument-count", message, span));
        }
        let (arguments, ty) = match function {
            Function::Coalesce | Function::Greatest | Function::Least => {
                let (arguments, ty) = self.alike(arguments, "in the same place as");
                if function != Function::Coalesce {
                    self.ordered(ty, span);
                }
                (arguments, ty)
            }
            Function::NullIf => self.alike(arguments, "compared with"),
            Function::Modulo => {
                arguments.iter().for_each(|it| self.number_only(it, "mod"));
                self.alike(arguments, "divided by")
            }
            Function::Abs => {
                arguments.iter().for_each(|it| self.number_only(it, "abs"));
                self.alike(arguments, "")
            }
            Function::Now => (Vec::new(), Ty::Timestamp),
            Function::Lower | Function::Upper | Function::Length => {
                let settle = |it| self.store(it, Ty::Text, "what the function takes").expr;
                let texts = arguments.into_iter().map(settle).collect();
                (texts, if function == Function::Length { Ty::Int } else { Ty::Text })
            }
        };
        Ok(Typed::new(ExprKind::Call(function, arguments), span, ty))
    }

    fn no_function(&mut self, name: &Name) {
        let text = &name.text;
        if let Some((message, help)) = super::unknown::function(text) {
            self.report(Diagnostic::error("unknown-function", message, name.span).with_help(help));
            return;
        }
        let own = self.functions.contains(text);
        let (message, help) = if own {
            (
                format!("`{text}` is a transaction, and one cannot call another"),
                "write what it does here".to_owned(),
            )
        } else {
            let message = format!("the function `{text}` is not understood");
            let help = did_you_mean(text, FUNCTIONS.iter().copied()).unwrap_or_else(|| {
                "compute it in the application, and pass it as a parameter; what a function of \
                 your own does must be written here"
                    .into()
            });
            (message, help)
        };
        self.report(Diagnostic::error("unknown-function", message, name.span).with_help(help));
    }

    /// `count(*)`, `sum(DISTINCT x)`.
    fn aggregate(&mut self, name: &Name) -> Res<Typed> {
        let function = match name.text.as_str() {
            "count" => Aggregate::Count,
            "sum" => Aggregate::Sum,
            "min" => Aggregate::Min,
            "max" => Aggregate::Max,
            _ => Aggregate::Avg,
        };
        self.expect_symbol("(")?;
        if function == Aggregate::Count && self.eat_symbol("*") {
            self.expect_symbol(")")?;
            return self.aggregated(name, function, false, None);
        }
        let distinct = self.eat_word("distinct");
        if !distinct {
            self.eat_word("all");
        }
        let argument = self.expr_above(0)?;
        self.expect_symbol(")")?;
        if argument.expr.has_aggregate() {
            let it = Diagnostic::error(
                "misplaced-aggregate",
                "an aggregate within another one has no meaning",
                argument.expr.span,
            );
            self.report(it.with_help("use a subquery"));
        }
        // It would put together the rows of the query around.
        let (mut own, mut outer) = (false, false);
        argument.expr.visit(&mut |it| {
            if let ExprKind::Column { up, .. } = it.kind {
                (own, outer) = (own || up == 0, outer || up > 0);
            }
        });
        if outer && !own {
            let it = Diagnostic::error(
                "misplaced-aggregate",
                "this aggregate is about columns of the query around it",
                argument.expr.span,
            );
            self.report(it.with_help("use a column of the query that it stands in"));
        }
        self.aggregated(name, function, distinct, Some(argument))
    }

    fn aggregated(
        &mut self,
        name: &Name,
        function: Aggregate,
        distinct: bool,
        argument: Option<Typed>,
    ) -> Res<Typed> {
        if self.is_word("filter") || self.is_word("over") {
            return Err(self.unexpected());
        }
        let span = self.since(name.span);
        let argument = match (function, argument) {
            (Aggregate::Sum | Aggregate::Avg, Some(it)) => {
                self.some_number(&it, &name.text);
                Some(it)
            }
            (Aggregate::Min | Aggregate::Max, Some(it)) => {
                self.ordered(it.ty, it.expr.span);
                Some(it)
            }
            (_, it) => it,
        };
        let of = argument.as_ref().map_or(Ty::Unknown, |it| it.ty);
        let ty = match function {
            Aggregate::Count => Ty::Big,
            Aggregate::Sum if of == Ty::Int => Ty::Big,
            Aggregate::Sum | Aggregate::Avg => Ty::Decimal,
            Aggregate::Min | Aggregate::Max => of,
        };
        let argument = argument.map(|it| Box::new(it.expr));
        let kind = ExprKind::Aggregate { function, distinct, argument };
        let it = Typed::new(kind, span, ty);
        // The sum of `bigint`s is a `numeric`: it is divided differently.
        if function == Aggregate::Sum && of == Ty::Big {
            let kind = ExprKind::Cast(Box::new(it.expr), Ty::Decimal.value());
            return Ok(Typed::new(kind, span, ty));
        }
        Ok(it)
    }

    /// Values of some types have an order that is not known here.
    pub(super) fn ordered(&mut self, ty: Ty, span: Span) {
        let message = match ty {
            Ty::Enum(_) => "the order of the values of an enum is not understood",
            Ty::Opaque => "values of this type are only stored",
            _ => return,
        };
        let it = Diagnostic::error("no-order", message, span);
        self.report(it.with_help("compare with `=`, or store a number"));
    }

    /// One more operator on the right, if one stands there that binds strongly enough.
    fn infix(&mut self, left: &mut Typed, least: u8) -> Res<Option<Typed>> {
        let symbol = match self.peek() {
            Tok::Symbol(it) => *it,
            Tok::Word(word) => match word.as_str() {
                "or" => "or",
                "and" => "and",
                "is" | "isnull" | "notnull" => "is",
                "between" | "in" | "like" | "ilike" | "similar" => "in",
                "not"
                    if ["between", "in", "like", "ilike", "similar"]
                        .iter()
                        .any(|it| self.word_at(1, it)) =>
                {
                    "in"
                }
                "collate" | "at" | "overlaps" => return Err(self.unexpected()),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let power = match symbol {
            "or" => OR,
            "and" => AND,
            "is" => IS,
            "=" | "<>" | "!=" | "<" | "<=" | ">" | ">=" => COMPARE,
            "in" => RANGE,
            "||" => OTHER,
            "+" | "-" => ADD,
            "*" | "/" | "%" => MULTIPLY,
            "::" => CAST,
            "->" | "->>" => {
                return Err(self.fail_with(
                    "unsupported-operator",
                    "the inside of `json` is not understood",
                    self.span(),
                    "store what is compared in a column of its own",
                ));
            }
            "[" => {
                return Err(self.fail_with(
                    "unsupported-operator",
                    "arrays are not understood",
                    self.span(),
                    "use a table with one row for each element",
                ));
            }
            "^" | "~" | "&" | "|" | "#" => {
                let message = format!("the operator `{symbol}` is not understood");
                return Err(self.fail("unsupported-operator", message, self.span()));
            }
            _ => return Ok(None),
        };
        if power <= least {
            return Ok(None);
        }
        self.part()?;
        let operator = self.span();
        let start = left.expr.span;
        let taken = std::mem::replace(left, Reader::nothing(start));
        let it = match symbol {
            "is" => self.is(taken)?,
            "in" => self.range(taken)?,
            "::" => {
                self.at += 1;
                let to = self.declared()?;
                let span = start.to(self.last_span());
                self.cast(taken, to, span)
            }
            _ => {
                self.at += 1;
                self.operator(taken, symbol, power, operator)?
            }
        };
        Ok(Some(it))
    }

    fn operator(&mut self, left: Typed, symbol: &str, power: u8, operator: Span) -> Res<Typed> {
        if symbol == "=" && self.is_word("any") && self.is_array() {
            return self.any_of_array(left);
        }
        if power == COMPARE && (self.is_word("any") || self.is_word("some") || self.is_word("all"))
        {
            return Err(self.fail_with(
                "unsupported-operator",
                "`ANY` and `ALL` are not understood",
                self.span(),
                "write `IN (SELECT ...)`, or `IN ($1, $2)` with the values one by one",
            ));
        }
        let right = self.expr_above(power)?;
        let span = left.expr.span.to(right.expr.span);
        let op = match symbol {
            "or" | "and" => {
                let (left, right) = (self.condition(left), self.condition(right));
                let op = if symbol == "or" { BinaryOp::Or } else { BinaryOp::And };
                return Ok(Typed::new(binary(op, left, right, span).kind, span, Ty::Bool));
            }
            "=" => BinaryOp::Equal,
            "<>" | "!=" => BinaryOp::NotEqual,
            "<" => BinaryOp::Less,
            "<=" => BinaryOp::LessEqual,
            ">" => BinaryOp::Greater,
            ">=" => BinaryOp::GreaterEqual,
            "+" => BinaryOp::Add,
            "-" => BinaryOp::Subtract,
            "*" => BinaryOp::Multiply,
            "/" => BinaryOp::Divide,
            "%" => BinaryOp::Modulo,
            _ => {
                let text = |it: &Typed| matches!(it.ty, Ty::Text | Ty::Unknown);
                if !text(&left) && !text(&right) {
                    let message = "`||` puts texts together, and none of these is one";
                    let it = Diagnostic::error("type-mismatch", message, span);
                    self.report(it.with_help("cast one of them, as in `x::text`"));
                }
                let left = self.store(left, Ty::Text, "what is put together");
                let right = self.store(right, Ty::Text, "what is put together");
                let it = binary(BinaryOp::Concat, left.expr, right.expr, span);
                return Ok(Typed { expr: it, ty: Ty::Text });
            }
        };
        if power == COMPARE {
            let next =
                matches!(self.peek(), Tok::Symbol("=" | "<>" | "!=" | "<" | "<=" | ">" | ">="));
            if next {
                return Err(self.fail_with(
                    "syntax",
                    "comparisons cannot follow each other",
                    self.span(),
                    "write `a < b AND b < c`",
                ));
            }
            return Ok(self.compare(op, left, right, span, operator));
        }
        self.number_only(&left, symbol);
        self.number_only(&right, symbol);
        if !(left.ty.is_number() || left.ty == Ty::Unknown)
            || !(right.ty.is_number() || right.ty == Ty::Unknown)
        {
            return Ok(Reader::nothing(span));
        }
        if left.ty == Ty::Unknown && right.ty == Ty::Unknown {
            self.some_number(&left, symbol);
        }
        let (left, right) = self.meet(left, right, "computed with");
        let ty = match (left.ty, right.ty) {
            (Ty::Int, Ty::Big) => Ty::Big,
            (Ty::Unknown, it) => it,
            (it, _) => it,
        };
        Ok(Typed { expr: binary(op, left.expr, right.expr, span), ty })
    }

    fn compare(
        &mut self,
        op: BinaryOp,
        left: Typed,
        right: Typed,
        span: Span,
        operator: Span,
    ) -> Typed {
        let null = |it: &Typed| matches!(it.expr.kind, ExprKind::Value(Value::Null));
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual)
            && matches!(self.text[self.last_span().range()].to_ascii_lowercase().as_str(), "null")
            && null(&right)
        {
            let is = if op == BinaryOp::Equal { "IS" } else { "IS NOT" };
            let message = "nothing is equal to `NULL`, and nothing is different from it";
            let it = Diagnostic::warning("null-comparison", message, operator);
            let fixed = operator.to(right.expr.span);
            self.report(it.with_fix(format!("write `{is} NULL`"), fixed, format!("{is} NULL")));
        }
        let (left, right) = self.meet(left, right, "compared with");
        match op {
            BinaryOp::Equal | BinaryOp::NotEqual if left.ty == Ty::Opaque => {
                self.ordered(Ty::Opaque, span);
            }
            BinaryOp::Equal | BinaryOp::NotEqual => {}
            _ => self.ordered(left.ty, span),
        }
        Typed { expr: binary(op, left.expr, right.expr, span), ty: Ty::Bool }
    }

    /// `IS NULL` and its kin.
    fn is(&mut self, left: Typed) -> Res<Typed> {
        let start = left.expr.span;
        if self.eat_word("isnull") {
            let span = start.to(self.last_span());
            return Ok(Typed::new(ExprKind::IsNull(Box::new(left.expr)), span, Ty::Bool));
        }
        if self.eat_word("notnull") {
            let span = start.to(self.last_span());
            let inner = Expr { kind: ExprKind::IsNull(Box::new(left.expr)), span };
            return Ok(not(inner, span));
        }
        self.expect_word("is")?;
        let negated = self.eat_word("not");
        let kind = if self.eat_word("null") {
            ExprKind::IsNull(Box::new(left.expr))
        } else if self.eat_word("unknown") {
            ExprKind::IsNull(Box::new(self.condition(left)))
        } else if self.is_word("true") || self.is_word("false") {
            let value = Value::Bool(self.is_word("true"));
            self.at += 1;
            let value = Expr { kind: ExprKind::Value(value), span: self.last_span() };
            let left = self.condition(left);
            ExprKind::Binary(BinaryOp::Same, Box::new(left), Box::new(value))
        } else if self.eat_words(&["distinct", "from"]) {
            let right = self.expr_above(IS)?;
            let (left, right) = self.meet(left, right, "compared with");
            if left.ty == Ty::Opaque {
                self.ordered(Ty::Opaque, left.expr.span);
            }
            let span = start.to(right.expr.span);
            let same = binary(BinaryOp::Same, left.expr, right.expr, span);
            // `IS NOT DISTINCT FROM` is sameness.
            return Ok(if negated { Typed { expr: same, ty: Ty::Bool } } else { not(same, span) });
        } else {
            return Err(self.expected("`NULL`, `TRUE`, `FALSE` or `DISTINCT FROM`"));
        };
        let span = start.to(self.last_span());
        let it = Expr { kind, span };
        Ok(if negated { not(it, span) } else { Typed { expr: it, ty: Ty::Bool } })
    }

    /// `[NOT] IN` and `[NOT] BETWEEN`.
    fn range(&mut self, left: Typed) -> Res<Typed> {
        let start = left.expr.span;
        let negated = self.eat_word("not");
        if self.is_word("like") || self.is_word("ilike") || self.is_word("similar") {
            let word = self.found();
            return Err(self.fail_with(
                "unsupported-operator",
                format!("patterns are not understood: {word}"),
                self.span(),
                "compare with `=` or `<`, or leave the condition to the application",
            ));
        }
        let it = if self.eat_word("between") {
            if self.is_word("symmetric") {
                return Err(self.unexpected());
            }
            let low = self.expr_above(RANGE)?;
            self.expect_word("and")?;
            let high = self.expr_above(RANGE)?;
            let span = start.to(self.last_span());
            let again = Typed { expr: left.expr.clone(), ty: left.ty };
            let above = self.compare(BinaryOp::GreaterEqual, left, low, span, span);
            let below = self.compare(BinaryOp::LessEqual, again, high, span, span);
            binary(BinaryOp::And, above.expr, below.expr, span)
        } else {
            self.expect_word("in")?;
            self.expect_symbol("(")?;
            if self.is_word("select") {
                let (query, ty) = self.one_column()?;
                let span = start.to(self.last_span());
                let model = Typed::new(ExprKind::Value(Value::Null), span, ty);
                let (left, _) = self.meet(left, model, "compared with");
                self.expect_symbol(")")?;
                let span = start.to(self.last_span());
                let kind = ExprKind::InQuery(Box::new(left.expr), Box::new(query));
                Expr { kind, span }
            } else {
                let mut all = vec![left];
                loop {
                    self.part()?;
                    all.push(self.expr_above(0)?);
                    if !self.eat_symbol(",") {
                        break;
                    }
                }
                self.expect_symbol(")")?;
                let span = start.to(self.last_span());
                let (mut list, ty) = self.alike(all, "compared with");
                if ty == Ty::Opaque {
                    self.ordered(ty, span);
                }
                let left = list.remove(0);
                Expr { kind: ExprKind::InList(Box::new(left), list), span }
            }
        };
        let span = it.span;
        Ok(if negated { not(it, span) } else { Typed { expr: it, ty: Ty::Bool } })
    }

    /// `ANY (ARRAY[`, perhaps with more parentheses.
    fn is_array(&self) -> bool {
        let open = (1..4).take_while(|at| self.symbol_at(*at, "(")).count();
        open > 0 && self.word_at(open + 1, "array") && self.symbol_at(open + 2, "[")
    }

    /// `= ANY (ARRAY['a', 'b'])`: so does `pg_dump` write `IN ('a', 'b')`.
    fn any_of_array(&mut self, left: Typed) -> Res<Typed> {
        let start = left.expr.span;
        self.at += 1;
        let mut open = 0;
        while self.eat_symbol("(") {
            open += 1;
        }
        self.expect_word("array")?;
        self.expect_symbol("[")?;
        let mut all = vec![left];
        loop {
            self.part()?;
            all.push(self.expr_above(0)?);
            if !self.eat_symbol(",") {
                break;
            }
        }
        self.expect_symbol("]")?;
        while open > 0 {
            if self.eat_symbol("::") {
                let at = self.span();
                if !(self.eat_word("text") && self.eat_symbol("[") && self.eat_symbol("]")) {
                    return Err(self.fail("unsupported-cast", "only `text[]` is understood", at));
                }
            }
            self.expect_symbol(")")?;
            open -= 1;
        }
        let span = start.to(self.last_span());
        let (mut list, ty) = self.alike(all, "compared with");
        if ty == Ty::Opaque {
            self.ordered(ty, span);
        }
        let left = list.remove(0);
        let kind = ExprKind::InList(Box::new(left), list);
        Ok(Typed::new(kind, span, Ty::Bool))
    }

    /// Aggregates have a meaning only where rows are put together.
    pub(super) fn no_aggregate(&mut self, it: &Expr, place: &str) {
        if it.has_aggregate() {
            let message = format!("aggregates cannot stand in {place}");
            let it = Diagnostic::error("misplaced-aggregate", message, it.span);
            self.report(it.with_help("compare them in `HAVING`, or use a subquery"));
        }
    }

    /// Whether variables are those of PL/pgSQL.
    pub(super) fn is_plpgsql(&self) -> bool {
        self.frame.language == Language::PlPgSql
    }
}

pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span }
}

pub(super) fn not(it: Expr, span: Span) -> Typed {
    Typed::new(ExprKind::Unary(UnaryOp::Not, Box::new(it)), span, Ty::Bool)
}
