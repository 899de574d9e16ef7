//! Constant expressions: numbers, constants, and operators on them.
//!
//! Values of `const`, initial values, and the ends of ranges have to be known before the
//! program runs. A constant may use the constants defined *before* it, so there are no cycles
//! to look for; everything else may use all of them.

use std::collections::BTreeMap;

use crate::ast::{BinaryOp, Constant, Expr, ExprKind, Name, Program};
use crate::report::error;
use ser_base::{Diagnostic, Span};

/// The values of the `const` items: of those that have one. If a name is defined twice, which
/// is an error, the first definition counts.
///
/// ```
/// let program = ser_syntax::parse("const N = 3 const M = 2 * N + 1 request main { M }").tree;
/// let constants = ser_syntax::constants(&program);
/// assert_eq!(constants["M"], 7);
/// ```
pub fn constants(program: &Program) -> BTreeMap<String, i64> {
    let members = Constants::members_of(program);
    let known = Constants::above(members, &program.constants, |_| ());
    known.0.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// The value of a constant expression, or what is not constant about it.
#[allow(clippy::result_large_err, reason = "a diagnostic is the cold path and shown as it is")]
pub(crate) fn evaluate(expr: &Expr, constants: &BTreeMap<String, i64>) -> Result<i64, Diagnostic> {
    let value = fold(expr, &|name| constants.get(name).map(|value| Some(*value)));
    value.map_err(|failure| {
        failure.into_diagnostic().unwrap_or_else(|| {
            Diagnostic::error("not-constant", "this has no value because of an error", expr.span)
        })
    })
}

/// The value of an expression that is made of numbers and operators only.
pub fn constant_value(expr: &Expr) -> Option<i64> {
    evaluate(expr, &BTreeMap::new()).ok()
}

/// The constants of a program by name; `None` for one whose definition has an error.
#[derive(Default)]
pub(crate) struct Constants(pub(crate) BTreeMap<String, Option<i64>>);

impl Constants {
    /// The members of the enumerations of a program, as `member` and as `Enumeration.member`.
    pub(crate) fn members_of(program: &Program) -> Constants {
        let mut known = Constants::default();
        for item in &program.enumerations {
            for (index, member) in item.members.iter().enumerate() {
                let value = Some(index as i64);
                known.0.entry(format!("{}.{}", item.name.text, member.text)).or_insert(value);
                let of = known.0.entry(member.text.clone());
                // One that two enumerations have means nothing alone.
                of.and_modify(|before| *before = None).or_insert(value);
            }
        }
        known
    }

    /// Evaluates the `const` items in order, where some are known already, and tells `report`
    /// what is wrong with them.
    pub(crate) fn above(
        mut known: Constants,
        items: &[Constant],
        mut report: impl FnMut(Diagnostic),
    ) -> Constants {
        let mut defined = BTreeMap::new();
        for constant in items {
            defined.entry(constant.name.text.as_str()).or_insert(constant.name.span);
        }
        for constant in items {
            let value = known.value(&constant.value).map_err(|failure| match failure {
                Failure::Unknown(name) => report(undefined(&name, &defined)),
                Failure::Said(diagnostic) => report(*diagnostic),
                Failure::KnownBefore => {}
            });
            known.0.entry(constant.name.text.clone()).or_insert(value.ok());
        }
        known
    }

    /// Whether `name` is a constant, with or without a value.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The value of a constant expression.
    pub(crate) fn value(&self, expr: &Expr) -> Result<i64, Failure> {
        fold(expr, &|name| self.0.get(name).copied())
    }
}

/// The message about a name that is not one of the constants so far; `defined` has the place of
/// every constant of the program.
fn undefined(name: &Name, defined: &BTreeMap<&str, Span>) -> Diagnostic {
    let text = &name.text;
    let Some(definition) = defined.get(text.as_str()) else { return not_a_constant(name) };
    let message = format!("the constant `{text}` is used before it is defined");
    error("constant-used-early", message, name.span, "used here")
        .with_secondary(*definition, "defined here")
        .with_help("a constant is defined by numbers and the constants above it")
}

/// Why a constant expression has no value.
pub(crate) enum Failure {
    /// Because this is not the name of a constant.
    Unknown(Name),
    /// For another reason that has not been reported yet.
    Said(Box<Diagnostic>),
    /// Because of something that has been reported already.
    KnownBefore,
}

impl Failure {
    /// What to report, if there is anything left to report.
    pub(crate) fn into_diagnostic(self) -> Option<Diagnostic> {
        match self {
            Failure::Unknown(name) => Some(not_a_constant(&name)),
            Failure::Said(diagnostic) => Some(*diagnostic),
            Failure::KnownBefore => None,
        }
    }
}

const NOT_CONSTANT: &str = "not-constant";

/// Evaluates, where `lookup` knows the constants: `None` if the name is not one, `Some(None)`
/// if it is one without a value.
fn fold(expr: &Expr, lookup: &dyn Fn(&str) -> Option<Option<i64>>) -> Result<i64, Failure> {
    match &expr.kind {
        ExprKind::Number(value) => Ok(*value),
        ExprKind::Bool(value) => Ok(i64::from(*value)),
        ExprKind::Field(of, member) => match &of.kind {
            ExprKind::Read(name) => lookup(&format!("{}.{}", name.text, member.text))
                .flatten()
                .ok_or_else(|| not_constant(expr.span, "a field")),
            _ => Err(not_constant(expr.span, "a field")),
        },
        ExprKind::Read(name) => match lookup(&name.text) {
            Some(value) => value.ok_or(Failure::KnownBefore),
            None => Err(Failure::Unknown(name.clone())),
        },
        ExprKind::Unary(op, operand) => {
            let operand = fold(operand, lookup)?;
            op.apply(operand).ok_or_else(|| overflow(expr.span))
        }
        ExprKind::Binary(op, left, right) => {
            let left = fold(left, lookup)?;
            let right = fold(right, lookup)?;
            if right == 0 && matches!(op, BinaryOp::Divide | BinaryOp::Remainder) {
                let message = "this divides by 0";
                return Err(Failure::Said(Box::new(error("division", message, expr.span, "by 0"))));
            }
            op.apply(left, right).ok_or_else(|| overflow(expr.span))
        }
        ExprKind::Group(block) if block.exprs.len() == 1 => {
            block.exprs.first().map_or(Err(Failure::KnownBefore), |inside| fold(inside, lookup))
        }
        ExprKind::Error => Err(Failure::KnownBefore),
        ExprKind::Return(_) => Err(outside(expr.span, "return", "return from")),
        ExprKind::Abort => Err(outside(expr.span, "abort", "abort")),
        kind => Err(not_constant(expr.span, kind.described())),
    }
}

fn not_a_constant(name: &Name) -> Diagnostic {
    let text = &name.text;
    Diagnostic::error(NOT_CONSTANT, format!("`{text}` is not a constant"), name.span)
        .with_label("only numbers, constants and operators can stand here")
        .with_help(format!("define it at the top of the file: `const {text} = 1`"))
}

fn not_constant(span: Span, what: &str) -> Failure {
    let diagnostic = Diagnostic::error(NOT_CONSTANT, format!("{what} is not constant"), span)
        .with_label("only numbers, constants and operators can stand here");
    Failure::Said(Box::new(match what {
        "a list" => diagnostic.with_help(
            "a list can be a variable that nobody assigns: \
             `var Prices: [0..2] of 0..9 = [1, 2, 3]`",
        ),
        _ => diagnostic,
    }))
}

fn outside(span: Span, word: &str, what: &str) -> Failure {
    let code = match word {
        "return" => "return-outside-request",
        _ => "abort-outside-request",
    };
    Failure::Said(Box::new(
        Diagnostic::error(code, format!("`{word}` outside a request"), span)
            .with_label(format!("there is nothing to {what} here")),
    ))
}

fn overflow(span: Span) -> Failure {
    Failure::Said(Box::new(
        Diagnostic::error("number-out-of-range", "the result does not fit into 64 bits", span)
            .with_label("too large or too small")
            .with_help(format!("numbers go from {} to {}", i64::MIN, i64::MAX)),
    ))
}
