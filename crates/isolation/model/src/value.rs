//! Values of SQL, and what can be computed with them.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The types that are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `smallint`, `integer`, `bigint`, `serial` and so on.
    Int,
    /// `numeric`, `decimal`: exact, with digits behind the point.
    Decimal,
    /// `text`, `varchar`, `char`, `uuid`, `json`, and everything else that is only stored and
    /// compared.
    Text,
    Bool,
    /// `timestamp`, `date`, `time`: stored and compared. `now()` is one of them.
    Time,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Int => "bigint",
            Type::Decimal => "numeric",
            Type::Text => "text",
            Type::Bool => "boolean",
            Type::Time => "timestamptz",
        })
    }
}

/// A value. The order is that of the server within a type, for texts that of bytes; `NULL` comes
/// last.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    Bool(bool),
    Int(i64),
    Decimal(Decimal),
    #[serde(with = "texts")]
    Text(Arc<str>),
    Null,
}

impl Value {
    pub fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    pub fn is_null(&self) -> bool {
        *self == Value::Null
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("NULL"),
            Value::Bool(it) => write!(f, "{it}"),
            Value::Int(it) => write!(f, "{it}"),
            Value::Decimal(it) => write!(f, "{it}"),
            Value::Text(it) => write!(f, "'{}'", it.replace('\'', "''")),
        }
    }
}

/// `digits / 10^scale`, exactly. `1.50` and `1.5` are equal.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decimal {
    pub digits: i128,
    pub scale: u32,
}

impl Decimal {
    /// Reads `12.50`.
    pub fn read(text: &str) -> Option<Decimal> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = format!("{whole}{part}").parse().ok()?;
        Some(Decimal { digits, scale: u32::try_from(part.len()).ok()? })
    }

    /// Both with the same scale.
    pub fn aligned(self, other: Decimal) -> Option<(i128, i128, u32)> {
        let scale = self.scale.max(other.scale);
        let grown = |it: Decimal| it.digits.checked_mul(10i128.checked_pow(scale - it.scale)?);
        Some((grown(self)?, grown(other)?, scale))
    }

    /// Without zeros at the end.
    fn least(self) -> (i128, u32) {
        let Decimal { mut digits, mut scale } = self;
        while scale > 0 && digits % 10 == 0 {
            digits /= 10;
            scale -= 1;
        }
        (digits, scale)
    }
}

impl From<i64> for Decimal {
    fn from(it: i64) -> Decimal {
        Decimal { digits: it.into(), scale: 0 }
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Decimal) -> bool {
        self.least() == other.least()
    }
}

impl Eq for Decimal {}

impl Hash for Decimal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.least().hash(state);
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        match self.aligned(*other) {
            Some((left, right, _)) => left.cmp(&right),
            // Too many digits to align: the whole parts, which then differ by far.
            None => {
                let whole =
                    |it: &Decimal| it.digits / 10i128.checked_pow(it.scale).unwrap_or(i128::MAX);
                whole(self).cmp(&whole(other)).then(self.least().cmp(&other.least()))
            }
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.scale == 0 {
            return write!(f, "{}", self.digits);
        }
        let width = self.scale as usize + 1;
        let text = format!("{:0>width$}", self.digits.unsigned_abs());
        let (whole, part) = text.split_at(text.len() - self.scale as usize);
        let sign = if self.digits < 0 { "-" } else { "" };
        write!(f, "{sign}{whole}.{part}")
    }
}

/// Texts that are shared, as plain texts.
mod texts {
    use super::Arc;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(text: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(text)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Arc<str>, D::Error> {
        Ok(String::deserialize(from)?.into())
    }
}
