//! Types as the reader tells them apart: more finely than values need, so that what is compared
//! with what is understood before it is run.

use super::lexer::Tok;
use super::{Reader, Res};
use crate::ast::{Expr, ExprKind};
use crate::value::{Decimal, Type, Value};
use ser_base::{Diagnostic, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    /// `NULL`, a text that may be anything, a parameter of a section.
    Unknown,
    /// `integer` and `smallint`.
    Int,
    /// `bigint`: its sum is `numeric`.
    Big,
    Decimal,
    Text,
    Bool,
    Timestamp,
    Date,
    Clock,
    /// One of [`Reader::enums`].
    Enum(usize),
    /// `json`, `bytea` and so on: only stored.
    Opaque,
}

/// A type with what stands behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    pub ty: Ty,
    pub length: Option<u32>,
    pub scale: Option<u32>,
    pub serial: bool,
}

impl From<Ty> for Declared {
    fn from(ty: Ty) -> Declared {
        Declared { ty, length: None, scale: None, serial: false }
    }
}

/// `CREATE TYPE ... AS ENUM`.
pub(super) struct Enum {
    pub name: String,
    pub members: Vec<String>,
}

/// An expression and its type.
pub(super) struct Typed {
    pub expr: Expr,
    pub ty: Ty,
}

impl Ty {
    pub(super) fn is_whole(self) -> bool {
        matches!(self, Ty::Int | Ty::Big)
    }

    pub(super) fn is_number(self) -> bool {
        self.is_whole() || self == Ty::Decimal
    }

    /// The type of values.
    pub(super) fn value(self) -> Type {
        match self {
            Ty::Int | Ty::Big => Type::Int,
            Ty::Decimal => Type::Decimal,
            Ty::Unknown | Ty::Text | Ty::Enum(_) | Ty::Opaque => Type::Text,
            Ty::Bool => Type::Bool,
            Ty::Timestamp | Ty::Date | Ty::Clock => Type::Time,
        }
    }
}

impl Typed {
    pub(super) fn new(kind: ExprKind, span: Span, ty: Ty) -> Typed {
        Typed { expr: Expr { kind, span }, ty }
    }

    pub(super) fn value(value: Value, span: Span, ty: Ty) -> Typed {
        Typed::new(ExprKind::Value(value), span, ty)
    }

    fn cast(self, ty: Ty) -> Typed {
        let span = self.expr.span;
        // A literal is simply one of the other type.
        if let ExprKind::Value(Value::Int(it)) = self.expr.kind
            && ty == Ty::Decimal
        {
            return Typed::value(Value::Decimal(Decimal::from(it)), span, ty);
        }
        Typed::new(ExprKind::Cast(Box::new(self.expr), ty.value()), span, ty)
    }
}

/// `2024-01-31`.
fn date(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else {
        return None;
    };
    let number =
        |it: &str| it.bytes().all(|b| b.is_ascii_digit()).then(|| it.parse::<u32>().ok())?;
    let (y, m, d) = (number(year)?, number(month)?, number(day)?);
    let leap = y.is_multiple_of(4) && (!y.is_multiple_of(100) || y.is_multiple_of(400));
    let days = match m {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let right = year.len() == 4
        && month.len() <= 2
        && day.len() <= 2
        && y > 0
        && (1..=12).contains(&m)
        && (1..=days).contains(&d);
    right.then(|| format!("{year}-{m:02}-{d:02}"))
}

/// `12:30`, `12:30:59.5`.
fn clock(text: &str) -> Option<String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let parts: Vec<u32> = whole
        .split(':')
        .map(|it| (!it.is_empty() && it.len() <= 2).then(|| it.parse().ok())?)
        .collect::<Option<_>>()?;
    let (h, m, s) = match parts[..] {
        [h, m] if fraction.is_empty() => (h, m, 0),
        [h, m, s] => (h, m, s),
        _ => return None,
    };
    let plain = fraction.len() <= 6 && fraction.bytes().all(|b| b.is_ascii_digit());
    if h > 23 || m > 59 || s > 59 || !plain {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    Some(format!("{h:02}:{m:02}:{s:02}{point}{fraction}"))
}

fn timestamp(text: &str) -> Option<String> {
    let (day, time) = text.split_once([' ', 'T']).unwrap_or((text, "00:00"));
    Some(format!("{} {}", date(day)?, clock(time)?))
}

/// The value of a text where another type is wanted, as the server reads it.
fn literal(text: &str, ty: Ty) -> Option<Value> {
    let trimmed = text.trim();
    let unsigned = trimmed.strip_prefix(['-', '+']).unwrap_or(trimmed);
    match ty {
        Ty::Unknown | Ty::Text | Ty::Opaque | Ty::Enum(_) => Some(Value::text(text)),
        Ty::Int => Some(Value::Int(trimmed.parse::<i32>().ok()?.into())),
        Ty::Big => Some(Value::Int(trimmed.parse().ok()?)),
        Ty::Decimal => {
            let plain = unsigned.bytes().all(|b| b.is_ascii_digit() || b == b'.');
            let digits = unsigned.bytes().any(|b| b.is_ascii_digit());
            let wanted = plain && digits && unsigned.matches('.').count() <= 1;
            wanted.then(|| Decimal::read(trimmed).map(Value::Decimal))?
        }
        Ty::Bool => match trimmed.to_ascii_lowercase().as_str() {
            "t" | "true" | "y" | "yes" | "on" | "1" => Some(Value::Bool(true)),
            "f" | "false" | "n" | "no" | "off" | "0" => Some(Value::Bool(false)),
            _ => None,
        },
        Ty::Timestamp => timestamp(trimmed).map(|it| Value::text(&it)),
        Ty::Date => date(trimmed).map(|it| Value::text(&it)),
        Ty::Clock => clock(trimmed).map(|it| Value::text(&it)),
    }
}

impl Reader<'_> {
    /// What a user calls a type.
    pub(super) fn type_name(&self, ty: Ty) -> String {
        match ty {
            Ty::Unknown => "unknown",
            Ty::Int => "integer",
            Ty::Big => "bigint",
            Ty::Decimal => "numeric",
            Ty::Text => "text",
            Ty::Bool => "boolean",
            Ty::Timestamp => "timestamp",
            Ty::Date => "date",
            Ty::Clock => "time",
            Ty::Enum(it) => return self.enums[it].name.clone(),
            Ty::Opaque => "json (or another type that is only stored)",
        }
        .to_owned()
    }

    /// A text, `NULL` or a parameter becomes what is wanted where it stands.
    pub(super) fn settle(&mut self, mut typed: Typed, ty: Ty) -> Typed {
        if typed.ty != Ty::Unknown || ty == Ty::Unknown {
            return typed;
        }
        match &mut typed.expr.kind {
            // What it is has been found out since it was read.
            ExprKind::Variable(it) if self.frame.type_of(*it) != Ty::Unknown => {
                typed.ty = self.frame.type_of(*it);
                return typed;
            }
            ExprKind::Value(Value::Text(text)) => {
                let text = text.clone();
                match literal(&text, ty) {
                    Some(value) => typed.expr.kind = ExprKind::Value(value),
                    None => self.no_literal(&text, ty, typed.expr.span),
                }
                if let Ty::Enum(it) = ty {
                    self.member_of(it, &text, typed.expr.span);
                }
            }
            ExprKind::Variable(variable) => {
                let at = variable.0 as usize;
                self.frame.variables[at].ty = ty.value();
                self.frame.types[at] = ty;
            }
            _ => {}
        }
        typed.ty = ty;
        typed
    }

    fn no_literal(&mut self, text: &str, ty: Ty, span: Span) {
        let name = self.type_name(ty);
        let message = format!("`'{text}'` is no {name}");
        let it = Diagnostic::error("bad-literal", message, span);
        self.diagnostics.push(match ty {
            Ty::Timestamp => {
                it.with_help("write it as `'2024-01-31 12:00:00'`, without a time zone")
            }
            Ty::Date => it.with_help("write it as `'2024-01-31'`"),
            Ty::Clock => it.with_help("write it as `'12:00:00'`"),
            _ => it.with_help(format!("write a value of type {name}")),
        });
    }

    fn member_of(&mut self, it: usize, text: &str, span: Span) {
        let Enum { name, members } = &self.enums[it];
        if members.iter().any(|it| it == text) {
            return;
        }
        let message = format!("`{name}` has no value `'{text}'`");
        let it = Diagnostic::error("bad-literal", message, span);
        let guess = ser_base::did_you_mean(text, members.iter().map(String::as_str));
        let help = guess.unwrap_or_else(|| format!("its values are {}", members.join(", ")));
        self.diagnostics.push(it.with_help(help));
    }

    /// Two expressions that are compared, or that are values of the same thing.
    pub(super) fn meet(&mut self, left: Typed, right: Typed, what: &str) -> (Typed, Typed) {
        let (left, right) = match (left.ty, right.ty) {
            (Ty::Unknown, Ty::Unknown) => return (left, right),
            (Ty::Unknown, ty) => (self.settle(left, ty), right),
            (ty, Ty::Unknown) => (left, self.settle(right, ty)),
            _ => (left, right),
        };
        match (left.ty, right.ty) {
            (l, r) if l == r || (l.is_whole() && r.is_whole()) => (left, right),
            (l, Ty::Decimal) if l.is_whole() => (left.cast(Ty::Decimal), right),
            (Ty::Decimal, r) if r.is_whole() => (left, right.cast(Ty::Decimal)),
            (l, r) => {
                let (l, r) = (self.type_name(l), self.type_name(r));
                let span = left.expr.span.to(right.expr.span);
                let message = format!("{l} cannot be {what} {r}");
                let it = Diagnostic::error("type-mismatch", message, span)
                    .with_secondary(left.expr.span, format!("this is {l}"))
                    .with_secondary(right.expr.span, format!("this is {r}"))
                    .with_help(format!("cast one of them, as in `x::{l}`, or compare others"));
                self.diagnostics.push(it);
                (left, right)
            }
        }
    }

    /// What is stored where another type is declared: the server casts it.
    pub(super) fn store(&mut self, typed: Typed, ty: Ty, place: &str) -> Typed {
        let typed = self.settle(typed, ty);
        match (typed.ty, ty) {
            (from, to) if from == to || to == Ty::Unknown || from == Ty::Unknown => typed,
            (from, to) if from.is_whole() && to.is_whole() => typed,
            (from, to) if from.is_number() && to.is_number() => typed.cast(to),
            (Ty::Int | Ty::Big | Ty::Decimal | Ty::Enum(_), Ty::Text) => typed.cast(Ty::Text),
            (from, to) => {
                let (from, to) = (self.type_name(from), self.type_name(to));
                let message = format!("{place} is {to}, but this is {from}");
                let it = Diagnostic::error("type-mismatch", message, typed.expr.span);
                self.diagnostics.push(it.with_help(format!("write a value of type {to}")));
                typed
            }
        }
    }

    /// `expression::type`.
    pub(super) fn cast(&mut self, typed: Typed, to: Declared, span: Span) -> Typed {
        let mut typed = self.settle(typed, to.ty);
        let limited = to.length.is_some() || to.scale.is_some();
        if limited && !matches!(typed.expr.kind, ExprKind::Value(Value::Null)) {
            let message = "a cast that rounds or cuts off is not understood";
            let it = Diagnostic::error("unsupported-cast", message, span);
            self.diagnostics.push(
                it.with_help("cast to the plain type; what is stored in a column is rounded there"),
            );
        }
        let known = match (typed.ty, to.ty) {
            (from, to) if from == to => true,
            (from, to) if from.is_whole() && to.is_whole() => {
                typed.ty = to;
                true
            }
            (from, to) if from.is_number() && to.is_number() => {
                typed = typed.cast(to);
                true
            }
            (Ty::Text, to) if to.is_number() || to == Ty::Bool => {
                typed = typed.cast(to);
                true
            }
            (Ty::Int | Ty::Big | Ty::Decimal | Ty::Bool | Ty::Enum(_), Ty::Text)
            | (Ty::Int, Ty::Bool)
            | (Ty::Bool, Ty::Int) => {
                typed = typed.cast(to.ty);
                true
            }
            _ => false,
        };
        if !known {
            let (from, to) = (self.type_name(typed.ty), self.type_name(to.ty));
            let message = format!("a cast from {from} to {to} is not understood");
            let it = Diagnostic::error("unsupported-cast", message, span);
            let help = "leave the cast out, or pass the value as a parameter of the right type";
            self.diagnostics.push(it.with_help(help));
        }
        typed
    }

    /// `true`, `false` or unknown.
    pub(super) fn condition(&mut self, typed: Typed) -> Expr {
        let typed = self.settle(typed, Ty::Bool);
        if typed.ty != Ty::Bool {
            let ty = self.type_name(typed.ty);
            let message = format!("this is {ty}, but a condition is needed");
            let it = Diagnostic::error("no-condition", message, typed.expr.span);
            self.diagnostics.push(it.with_help("compare it with something, as in `x <> 0`"));
        }
        typed.expr
    }

    /// `numeric(12, 2)`.
    pub(super) fn declared(&mut self) -> Res<Declared> {
        let start = self.span();
        if (self.is_word("pg_catalog") || self.is_word("public"))
            && self.symbol_at(1, ".")
            && !self.symbol_at(3, "%")
        {
            self.at += 2;
        }
        let name = self.name("a type")?;
        let declared = self.declared_as(&name.text, start)?;
        if self.is_symbol("[") || self.is_word("array") {
            return Err(self.fail_with(
                "unsupported-type",
                "arrays are not understood",
                self.span(),
                "use a table with one row for each element",
            ));
        }
        Ok(declared)
    }

    fn declared_as(&mut self, name: &str, span: Span) -> Res<Declared> {
        let plain = |ty: Ty| Ok(Declared::from(ty));
        let serial = |ty: Ty| Ok(Declared { serial: true, ..Declared::from(ty) });
        match name {
            "smallint" | "int2" | "integer" | "int" | "int4" => plain(Ty::Int),
            "bigint" | "int8" => plain(Ty::Big),
            "smallserial" | "serial2" | "serial" | "serial4" => serial(Ty::Int),
            "bigserial" | "serial8" => serial(Ty::Big),
            "numeric" | "decimal" | "dec" => {
                let digits = self.type_arguments(2)?;
                let most = if digits.first().is_some_and(|it| *it > 1000) {
                    Some("`numeric` has at most 1000 digits")
                } else if digits.get(1) > digits.first() && digits.len() == 2 {
                    // The server knows what this means, but hardly anyone who writes it.
                    Some("more digits behind the point than digits are not understood")
                } else {
                    None
                };
                if let Some(message) = most {
                    return Err(self.fail("unknown-type", message, self.since(span)));
                }
                let scale = digits.first().map(|_| digits.get(1).copied().unwrap_or(0));
                Ok(Declared { scale, ..Declared::from(Ty::Decimal) })
            }
            "text" | "uuid" => plain(Ty::Text),
            "varchar" | "character" | "char" | "bpchar" | "nchar" => {
                let varying = self.eat_word("varying") || name == "varchar";
                let mut length = self.type_arguments(1)?.first().copied();
                if !varying && name != "bpchar" {
                    length = length.or(Some(1));
                }
                Ok(Declared { length, ..Declared::from(Ty::Text) })
            }
            "boolean" | "bool" => plain(Ty::Bool),
            "date" => plain(Ty::Date),
            "timestamp" | "timestamptz" | "time" | "timetz" => {
                if self.is_symbol("(") {
                    let message = "times that are rounded are not understood";
                    let help = "leave the number of digits out";
                    return Err(self.fail_with("unsupported", message, self.span(), help));
                }
                if self.eat_word("with") || self.eat_word("without") {
                    self.expect_word("time")?;
                    self.expect_word("zone")?;
                }
                plain(if name.starts_with("timestamp") { Ty::Timestamp } else { Ty::Clock })
            }
            "json" | "jsonb" | "bytea" | "xml" | "inet" | "cidr" | "tsvector" => plain(Ty::Opaque),
            _ => self.other_type(name, span),
        }
    }

    fn other_type(&mut self, name: &str, span: Span) -> Res<Declared> {
        if name == "double" {
            self.eat_word("precision");
        }
        if let Some(it) = self.enums.iter().position(|it| it.name == name) {
            return Ok(Declared::from(Ty::Enum(it)));
        }
        let wrong = |message: String, help: &str| (message, help.to_owned());
        let (message, help) = match name {
            "real" | "float" | "float4" | "float8" | "double" => wrong(
                "floating-point numbers are not understood: their sums depend on the order".into(),
                "use `numeric`, which is exact",
            ),
            "money" => wrong(
                "`money` is not understood: what it means depends on the server".into(),
                "use `numeric(12, 2)`",
            ),
            "interval" => wrong(
                "intervals are not understood".into(),
                "store a number of seconds, or pass the time that is meant as a parameter",
            ),
            "citext" => wrong("`citext` is not understood".into(), "use `text` and `lower(...)`"),
            "tinyint" | "mediumint" => {
                wrong(format!("`{name}` is a type of MySQL"), "PostgreSQL has `smallint`")
            }
            "datetime" => wrong(
                "`datetime` is a type of MySQL and SQL Server".into(),
                "PostgreSQL has `timestamp`",
            ),
            "nvarchar" | "varchar2" | "nvarchar2" => {
                wrong(format!("`{name}` is no type of PostgreSQL"), "use `varchar` or `text`")
            }
            "number" => wrong("`number` is a type of Oracle".into(), "use `numeric`"),
            "blob" | "longtext" | "mediumtext" => {
                wrong(format!("`{name}` is a type of MySQL"), "use `text` or `bytea`")
            }
            "bit" => wrong("bits are not understood".into(), "use `boolean`"),
            _ => {
                let known = [
                    "integer",
                    "bigint",
                    "smallint",
                    "numeric",
                    "text",
                    "varchar",
                    "boolean",
                    "timestamp",
                    "timestamptz",
                    "date",
                    "time",
                    "uuid",
                    "jsonb",
                    "serial",
                    "bigserial",
                ];
                let enums = self.enums.iter().map(|it| it.name.as_str());
                let guess = ser_base::did_you_mean(name, known.into_iter().chain(enums));
                let help = guess.unwrap_or_else(|| {
                    "types are integer, bigint, numeric, text, varchar, boolean, timestamp, date, \
                     uuid, jsonb and those of `CREATE TYPE ... AS ENUM`"
                        .into()
                });
                (format!("there is no type `{name}`"), help)
            }
        };
        self.report(Diagnostic::error("unknown-type", message, span).with_help(help));
        Ok(Declared::from(Ty::Unknown))
    }

    /// `(12, 2)`, if it is there.
    fn type_arguments(&mut self, most: usize) -> Res<Vec<u32>> {
        let mut arguments = Vec::new();
        if self.eat_symbol("(") {
            loop {
                let span = self.span();
                let number =
                    (self.peek() == &Tok::Number).then(|| self.text[span.range()].parse().ok());
                let first = arguments.is_empty();
                let Some(number) = number.flatten().filter(|it| {
                    // A scale may be 0.
                    *it <= 10_485_760 && (*it > 0 || !first)
                }) else {
                    return Err(self.expected("a number of digits or characters"));
                };
                self.at += 1;
                arguments.push(number);
                if arguments.len() == most || !self.eat_symbol(",") {
                    break;
                }
            }
            self.expect_symbol(")")?;
        }
        Ok(arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_values_as_the_server_reads_them() {
        let read = |text, ty| literal(text, ty).map(|it| it.to_string());
        assert_eq!(read(" 12 ", Ty::Int).as_deref(), Some("12"));
        assert_eq!(read("3000000000", Ty::Int), None);
        assert_eq!(read("-1.50", Ty::Decimal).as_deref(), Some("-1.50"));
        assert_eq!(read("1.5.0", Ty::Decimal), None);
        assert_eq!(read("-", Ty::Decimal), None);
        assert_eq!(read("Yes", Ty::Bool).as_deref(), Some("true"));
        assert_eq!(read("2024-2-29", Ty::Date).as_deref(), Some("'2024-02-29'"));
        assert_eq!(read("2023-02-29", Ty::Date), None);
        let time = read("2024-01-31T7:05", Ty::Timestamp);
        assert_eq!(time.as_deref(), Some("'2024-01-31 07:05:00'"));
        assert_eq!(read("2024-01-31 12:00:00+01", Ty::Timestamp), None);
    }
}
