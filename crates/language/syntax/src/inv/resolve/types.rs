//! What types mean and are called, and what to say if one does not fit.

use super::expressions::{bare, number_in};
use super::{Context, Resolver, Thing};
use crate::ast::{self, Name, TypeKind};
use crate::check::Checker;
use crate::inv::ast::{Expr, ExprKind, Scalar, Type};
use crate::inv::symbols::Symbol;
use crate::report::{Messages as _, error};
use ser_base::{Diagnostic, Span};

pub(super) const INT: Type = Type::Scalar(Scalar::Int);
pub(super) const TID: Type = Type::Scalar(Scalar::Tid);
pub(super) const ADDR: Type = Type::Scalar(Scalar::Addr);
pub(super) const ELEM: Type = Type::Scalar(Scalar::Elem);

/// Why numbers of threads make no sense; the same words everywhere.
pub(super) const ALIKE: &str = "threads are all alike: they are only compared with `==` and `!=`, which is what makes a proof valid for any number of threads";

/// Which sets there are.
pub(super) const SETS: &str =
    "sets are `set of int`, `set of addr`, `set of elem`, and sets of threads";

/// Which values a variable can have. Members of an enumeration are the numbers from 0 on, and a
/// range is one of numbers, so methods know numbers only. What does not stay in its range is found
/// by them; members of different enumerations are told apart here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Values {
    pub(super) ty: Type,
    pub(super) range: Option<(i64, i64)>,
    pub(super) enumeration: Option<u32>,
}

impl From<Type> for Values {
    fn from(ty: Type) -> Values {
        Values { ty, range: None, enumeration: None }
    }
}

/// What a type is called in messages.
pub(super) fn describe(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "a truth value",
        INT => "a number",
        TID => "a thread",
        ADDR => "an address",
        ELEM => "an element",
        Type::Set(Scalar::Int) => "a set of numbers",
        Type::Set(Scalar::Tid) => "a set of threads",
        Type::Set(Scalar::Addr) => "a set of addresses",
        Type::Set(Scalar::Elem) => "a set of elements",
    }
}

impl<'f> Resolver<'f, '_> {
    /// A type of something that is declared: without it, a name is missing.
    pub(super) fn declared_type(&mut self, ty: &'f ast::Type) -> Option<Values> {
        let found = self.values(ty);
        self.holes |= found.is_none();
        found
    }

    /// What a type means; nothing if it means nothing, which is reported.
    pub(super) fn values(&mut self, ty: &'f ast::Type) -> Option<Values> {
        let (what, help) = match &ty.kind {
            TypeKind::Int => return Some(INT.into()),
            TypeKind::Bool => return Some(Type::Bool.into()),
            TypeKind::Error => return None,
            TypeKind::Named(name) => return self.type_named(name),
            TypeKind::Range(low, high) => {
                let range = self.bounds(low, high);
                return Some(Values { range: Some(range?), ..INT.into() });
            }
            TypeKind::Set(element) => {
                let what = match &element.kind {
                    TypeKind::Range(..) => "ranges",
                    TypeKind::Bool => "truth values",
                    TypeKind::Set(_) => "sets",
                    _ => match self.values(element)? {
                        Values { ty: Type::Scalar(scalar), range: None, .. } => {
                            return Some(Type::Set(scalar).into());
                        }
                        Values { range: Some(_), .. } => "ranges and enumerations",
                        _ => "this",
                    },
                };
                let message = format!("there are no sets of {what}");
                return error("expected-type", message, element.span, "not a type of elements")
                    .with_help(SETS)
                    .none(self.form);
            }
            TypeKind::Bits(_) => (
                "`bits`",
                "write a range, like `0..255`: leaving it is an error, not wrapping around",
            ),
            TypeKind::Array(..) => (
                "array",
                "every thread has variables of its own, those of its process; for several values there are sets",
            ),
            TypeKind::Tuple(_) => ("tuple", "take several variables"),
            TypeKind::Queue(..) => {
                ("queue", "threads share variables, sets, and cells of the heap")
            }
        };
        self.not_here(what, ty.span, help);
        None
    }

    /// The ends of a range; nothing if there are none, which is reported.
    pub(super) fn bounds(&mut self, low: &'f ast::Expr, high: &'f ast::Expr) -> Option<(i64, i64)> {
        self.constants_in(low);
        self.constants_in(high);
        let mut checker = Checker::knowing(std::mem::take(&mut self.constants), self.form);
        let range = checker.bounds(low, high, u64::MAX);
        self.constants = checker.constants;
        range
    }

    fn type_named(&mut self, name: &'f Name) -> Option<Values> {
        let (text, set) = (name.text.as_str(), self.set);
        match (text, self.thing(text)) {
            ("addr", _) => return Some(ADDR.into()),
            ("elem", _) => return Some(ELEM.into()),
            _ if self.tree.sets.first().is_some_and(|set| set.name.text == text) => {
                return Some(TID.into());
            }
            (_, Some((Thing::Enumeration(id), _))) => {
                self.occurs(name.span, Symbol::Enumeration(id), false);
                let members = self.tree.enumerations[id as usize].members.len() as i64;
                let range = Some((0, members - 1));
                return Some(Values { ty: INT, range, enumeration: Some(id) });
            }
            (_, Some((Thing::Alias(id), _))) => {
                self.occurs(name.span, Symbol::Alias(id), false);
                return *self.aliases.get(id as usize)?;
            }
            _ => {}
        }
        if let Some(below) = self.tree.aliases.iter().find(|alias| alias.name.text == text) {
            return error("type-order", "this type is not known here yet", name.span, "too early")
                .declared(below.name.span)
                .with_help("a type is made of types above it, and not of itself")
                .none(self.form);
        }
        let right = match text {
            "integer" | "nat" | "number" | "Int" | "i64" => Some("int"),
            "boolean" | "Bool" => Some("bool"),
            "address" | "ptr" | "pointer" | "cell" | "node" => Some("addr"),
            "element" | "value" => Some("elem"),
            "tid" | "pid" | "process" | "thread" => Some(set),
            _ => {
                let own = self.tree.enumerations.iter().map(|it| it.name.text.as_str());
                let own = own.chain(self.tree.aliases.iter().map(|it| it.name.text.as_str()));
                let known = ["int", "bool", "addr", "elem", set].into_iter().chain(own);
                self.form.closest(text, known)
            }
        };
        let diagnostic = name.missing("expected-type", "type", "not a type");
        match right {
            Some(right) => diagnostic.meant(right),
            None => diagnostic.with_help(format!(
                "types are `bool`, `int`, `addr`, `elem`, `{set}` (a thread), and sets like `set of int`"
            )),
        }
        .none(self.form)
    }

    /// A type as it is written.
    pub(super) fn type_name(&self, ty: Type) -> String {
        match ty {
            TID => self.set.to_owned(),
            Type::Set(Scalar::Tid) => format!("set of {}", self.set),
            ty => ty.to_string(),
        }
    }

    /// The enumeration that the value of an expression is from.
    pub(super) fn enumeration(&self, expr: &Expr) -> Option<u32> {
        match expr.kind {
            ExprKind::Int(_) => self.written.get(&expr.span).copied(),
            _ => self.system.enumeration(expr),
        }
    }

    /// Whether two values of the same type can be compared. In formulas, members of enumerations
    /// are numbers, unless one is written that is of another enumeration.
    pub(super) fn are_alike(&self, left: &Expr, right: &Expr) -> bool {
        let of = [self.enumeration(left), self.enumeration(right)];
        match self.context {
            Context::Invariant(_) | Context::Let(_) | Context::Assumption => {
                let is_written = [left, right].map(|it| matches!(it.kind, ExprKind::Int(_)));
                of[0] == of[1] || of.contains(&None) || is_written == [false; 2]
            }
            _ => of[0] == of[1],
        }
    }

    /// What an expression is, in messages.
    pub(super) fn described(&self, ty: Type, enumeration: Option<u32>) -> String {
        match enumeration.and_then(|id| self.tree.enumerations.get(id as usize)) {
            Some(item) => format!("a value of {}", item.name),
            None => describe(ty).to_owned(),
        }
    }

    /// Whether the value of an expression, of the right type, is from this enumeration, or a
    /// number.
    pub(super) fn is_from(&mut self, expr: &Expr, wanted: Option<u32>) -> Option<()> {
        let found = self.enumeration(expr);
        if found == wanted {
            return Some(());
        }
        let (wanted, is) = (self.described(INT, wanted), self.described(INT, found));
        let message = format!("expected {wanted}, found {is}");
        error("type-mismatch", message, expr.span, format!("this is {is}")).none(self)
    }

    /// Something has another type than it should.
    pub(super) fn mismatch(&self, wanted: Type, found: Type, span: Span) -> Diagnostic {
        let (expected, is) = (describe(wanted), describe(found));
        let label = format!("this is {is} (`{}`)", self.type_name(found));
        let diagnostic =
            error("type-mismatch", format!("expected {expected}, found {is}"), span, label);
        diagnostic.with_helps(match (wanted, found) {
            (Type::Bool, INT) => &["compare it with something, for example `x == 1`"],
            (Type::Set(wanted), Type::Scalar(found)) if wanted == found => {
                &["for the set with this one element, write `{...}` around it"]
            }
            (ELEM, INT) => {
                &["elements have an order, and no arithmetic: there are `lowest` and `highest`"]
            }
            (ADDR, ELEM) => &["the data of a cell is `a.data`, the address `a`"],
            _ => &[],
        })
    }

    /// Whether this is a number where a thread should be, which is reported.
    pub(super) fn thread_constant<T>(&mut self, expr: &ast::Expr) -> Option<T> {
        let shown = match number_in(bare(expr)) {
            Some(number) => format!("`{number}`"),
            None => "a number".to_owned(),
        };
        let message = format!("threads have no numbers: {shown} is not a thread");
        error("thread-constant", message, expr.span, "expected a thread")
            .with_help(ALIKE)
            .with_help(format!("for one certain thread, declare `var chosen: {}`", self.set))
            .none(self)
    }
}
