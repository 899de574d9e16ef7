//! Expressions in Promela. A message is several numbers, everything else is one.

use super::PromelaError;
use super::layout::Layout;
use crate::print::sign;
use ser_sequentialization_checker::run::Value;
use ser_syntax::icet::ast::{
    Expr, ExprKind, MessageId, Operator, Process, ProcessId, Protocol, Type, VarId,
};

/// Where expressions stand.
#[derive(Clone, Copy)]
pub(super) struct Context<'p> {
    pub(super) protocol: &'p Protocol,
    pub(super) layout: &'p Layout,
    pub(super) process: &'p Process,
}

impl Context<'_> {
    /// The most fields that a constructor of the type has.
    pub(super) fn fields(&self, MessageId(message): MessageId) -> usize {
        let ty = self.protocol.messages.get(message as usize);
        ty.map_or(0, |it| it.constructors.iter().map(|it| it.fields.len()).max().unwrap_or(0))
    }

    /// The types in Promela of the numbers that a message is.
    pub(super) fn message_types(&self, id: MessageId) -> Vec<&'static str> {
        let mut types = vec!["byte"];
        for field in 0..self.fields(id) {
            let constructors = self.protocol.messages.get(id.0 as usize).map(|it| &it.constructors);
            let mut constructors = constructors.into_iter().flatten();
            let int = constructors.any(|it| it.fields.get(field) == Some(&Type::Int));
            types.push(if int { "int" } else { "byte" });
        }
        types
    }

    /// The types in Promela of the numbers that a value is.
    pub(super) fn types(&self, ty: Type) -> Vec<&'static str> {
        match ty {
            Type::Int => vec!["int"],
            Type::Message(message) => self.message_types(message),
            _ => vec!["byte"],
        }
    }

    /// The names of the numbers that a variable is.
    pub(super) fn variable(&self, variable: VarId) -> Vec<String> {
        let Some(it) = self.process.variables.get(variable.0 as usize) else { return Vec::new() };
        let name = format!("v{}_{}", variable.0, it.name.text);
        match it.ty {
            Type::Message(message) => (0..=self.fields(message))
                .map(|part| match part {
                    0 => format!("{name}_c"),
                    _ => format!("{name}_{}", part - 1),
                })
                .collect(),
            _ => vec![name],
        }
    }

    /// The numbers that the value of an expression is.
    pub(super) fn parts(&self, expr: &Expr) -> Result<Vec<String>, PromelaError> {
        let one = match &expr.kind {
            ExprKind::Int(value) => number(*value)?,
            ExprKind::Bool(truth) => u8::from(*truth).to_string(),
            ExprKind::Enum(_, place) => place.to_string(),
            ExprKind::Message(message, constructor, fields) => {
                let mut parts = vec![constructor.0.to_string()];
                for field in fields {
                    parts.push(self.one(field)?);
                }
                parts.resize(1 + self.fields(*message), "0".to_owned());
                return Ok(parts);
            }
            ExprKind::Variable(variable) => return Ok(self.variable(*variable)),
            ExprKind::Me => "me".to_owned(),
            ExprKind::Process(process) => self.address(*process, 0),
            ExprKind::Not(inner) => format!("(!{})", self.one(inner)?),
            ExprKind::Negate(inner) => format!("(0 - {})", self.one(inner)?),
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right)?,
        };
        Ok(vec![one])
    }

    /// The number that the value of an expression is (not a message).
    pub(super) fn one(&self, expr: &Expr) -> Result<String, PromelaError> {
        Ok(self.parts(expr)?.into_iter().next().unwrap_or_default())
    }

    fn binary(
        &self,
        operator: Operator,
        left: &Expr,
        right: &Expr,
    ) -> Result<String, PromelaError> {
        let (left, right) = (self.parts(left)?, self.parts(right)?);
        if let Operator::Equal | Operator::NotEqual = operator {
            let pairs = left.iter().zip(&right).map(|(left, right)| format!("{left} == {right}"));
            let equal = pairs.collect::<Vec<_>>().join(" && ");
            let not = if operator == Operator::NotEqual { "!" } else { "" };
            return Ok(format!("({not}({equal}))"));
        }
        let (sign, _) = sign(operator);
        let first = |parts: &[String]| parts.first().cloned().unwrap_or_default();
        Ok(format!("({} {sign} {})", first(&left), first(&right)))
    }

    /// The address of a copy of a process.
    pub(super) fn address(&self, process: ProcessId, member: u32) -> String {
        self.layout.all.of(process).map_or(0, |it| it.base + member).to_string()
    }

    /// The numbers that a value is; a message is filled up to `length` numbers.
    pub(super) fn value(&self, value: &Value, length: usize) -> Result<Vec<String>, PromelaError> {
        let mut parts = match value {
            Value::Int(value) => vec![number(*value)?],
            Value::Bool(truth) => vec![u8::from(*truth).to_string()],
            Value::Enum(place) => vec![place.to_string()],
            Value::Pid(actor) => {
                vec![self.address(ProcessId(actor.process), actor.member.unwrap_or(0))]
            }
            Value::Message(constructor, fields) => {
                let mut parts = vec![constructor.to_string()];
                for field in fields {
                    parts.extend(self.value(field, 1)?);
                }
                parts
            }
        };
        parts.resize(length, "0".to_owned());
        Ok(parts)
    }
}

fn number(number: i64) -> Result<String, PromelaError> {
    let fits = i32::try_from(number).map_err(|_| PromelaError::Number { number })?;
    Ok(if fits < 0 { format!("({fits})") } else { fits.to_string() })
}
