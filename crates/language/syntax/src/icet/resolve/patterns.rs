//! What becomes of a message: patterns before `:=`, and arms of `match`.

use super::statements::Binder;
use super::{NamedValue, Resolver};
use crate::ast::{self, Block, Expr, ExprKind, Name};
use crate::icet::ast::{Arm, ConstructorId, MessageId, Pattern, Stmt, StmtKind, Type, VarId};
use crate::icet::symbols::Symbol;
use crate::report::{Messages as _, Report as _, error};
use ser_base::Span;

/// `_`, `x`, `None`, `Task(m, _)`.
pub(super) struct Shape<'f> {
    pub(super) span: Span,
    kind: ShapeKind<'f>,
}

/// The variables for the fields of a message; nothing for `_`.
type Fields<'f> = [Option<&'f Name>];

enum ShapeKind<'f> {
    Ignore,
    /// A variable, or a constructor without fields.
    Name(&'f Name),
    Constructor(&'f Name, Vec<Option<&'f Name>>),
}

/// What an arm covers, with the variables for the fields.
type Covered = (Vec<ConstructorId>, Vec<Option<VarId>>);

impl<'f> Shape<'f> {
    /// A name alone.
    pub(super) fn of_name(name: &'f Name) -> Shape<'f> {
        let kind = match name.text.as_str() {
            "_" => ShapeKind::Ignore,
            _ => ShapeKind::Name(name),
        };
        Shape { span: name.span, kind }
    }
}

impl<'f> Resolver<'f, '_> {
    /// The pattern that is written there.
    pub(super) fn shape(&mut self, pattern: &'f Expr) -> Option<Shape<'f>> {
        let (name, arguments) = match &pattern.kind {
            ExprKind::Read(name) => return Some(Shape::of_name(name)),
            ExprKind::Call(name, arguments) => (name, arguments),
            ExprKind::Error => return None,
            _ => {
                let message = "expected a variable or a constructor";
                return error("malformed-pattern", message, pattern.span, "not a pattern")
                    .with_help("a message is taken apart with its constructor: `Task(m, _)`")
                    .none(self);
            }
        };
        self.fields_without_names(arguments)?;
        let mut fields = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let value = &argument.value;
            match &value.kind {
                ExprKind::Read(name) if name.text == "_" => fields.push(None),
                ExprKind::Read(name) => fields.push(Some(name)),
                ExprKind::Error => return None,
                _ => {
                    let message = "expected a variable or `_`";
                    let help =
                        "take the field into a variable, and compare it with `if` or `assert`";
                    return error(
                        "value-in-pattern",
                        message,
                        value.span,
                        "a pattern does not compare",
                    )
                    .with_help(help)
                    .none(self);
                }
            }
        }
        Some(Shape { span: pattern.span, kind: ShapeKind::Constructor(name, fields) })
    }

    /// The pattern of a `recv` of messages of this type, if that is known.
    pub(super) fn received(
        &mut self,
        pattern: &Shape<'f>,
        message: Option<MessageId>,
    ) -> Option<Pattern> {
        match &pattern.kind {
            ShapeKind::Ignore => Some(Pattern::Ignore),
            ShapeKind::Name(name) if !self.is_constructor(name) => {
                let ty = message.map(Type::Message);
                let variable = self.bind(name, ty, name.span, Binder::Pattern)?;
                Some(Pattern::Variable(variable))
            }
            ShapeKind::Name(name) => {
                let constructor = self.constructor_of(name, message)?;
                let fields = self.fields(name, message?, constructor, &[], pattern.span)?;
                Some(Pattern::Constructor { constructor, fields })
            }
            ShapeKind::Constructor(name, fields) => {
                let constructor = self.constructor_of(name, message);
                let (Some(message), Some(constructor)) = (message, constructor) else {
                    self.bind_unknown(fields);
                    return None;
                };
                let fields = self.fields(name, message, constructor, fields, pattern.span)?;
                Some(Pattern::Constructor { constructor, fields })
            }
        }
    }

    fn is_constructor(&self, name: &Name) -> bool {
        !self.scope.knows(&name.text)
            && matches!(self.values.get(name.text.as_str()), Some((NamedValue::Constructor(..), _)))
    }

    /// Variables of a pattern that was not understood.
    fn bind_unknown(&mut self, fields: &Fields<'f>) {
        for name in fields.iter().flatten() {
            self.bind(name, None, name.span, Binder::Pattern);
        }
    }

    /// The constructor with that name, which has to belong to `message`.
    fn constructor_of(&mut self, name: &Name, message: Option<MessageId>) -> Option<ConstructorId> {
        let found = self.values.get(name.text.as_str()).copied();
        let Some((NamedValue::Constructor(owner, constructor), declared)) = found else {
            self.unknown_constructor(name, message);
            return None;
        };
        self.occurs(name.span, Symbol::Constructor(owner, constructor), false);
        let message = message?;
        if owner == message {
            return Some(constructor);
        }
        let (has, wanted) =
            (&self.protocol.message(owner).name.text, &self.protocol.message(message).name.text);
        let said =
            format!("`{}` makes messages of type `{has}`, not of type `{wanted}`", name.text);
        error("type-mismatch", said, name.span, format!("expected a constructor of `{wanted}`"))
            .declared(declared)
            .report(self);
        None
    }

    /// There is no such constructor; `message` is the type that it should belong to, if that is
    /// known.
    pub(super) fn unknown_constructor(&mut self, name: &Name, message: Option<MessageId>) {
        let said = format!("there is no constructor `{}`", name.text);
        let diagnostic = error("unknown-constructor", said, name.span, "not declared");
        let mut known: Vec<&str> = match message {
            Some(message) => {
                let constructors = &self.protocol.message(message).constructors;
                constructors.iter().map(|constructor| constructor.name.text.as_str()).collect()
            }
            None => self
                .values
                .iter()
                .filter(|(_, (value, _))| matches!(value, NamedValue::Constructor(..)))
                .map(|(name, _)| *name)
                .collect(),
        };
        known.sort_unstable();
        let closest = self.sink.closest(&name.text, known.iter().copied());
        let diagnostic = match (closest, message) {
            (Some(right), _) => diagnostic.meant(right),
            (None, Some(_)) if known.len() <= 8 => {
                diagnostic.with_help(format!("expected one of `{}`", known.join("`, `")))
            }
            _ => diagnostic.with_help(
                "constructors are declared with their message type: `msg Work = Task(int) | None`",
            ),
        };
        let diagnostic = match (name.text.starts_with(char::is_lowercase), message) {
            (true, None) => {
                diagnostic.with_help("there are no procedures; repeat with `loop { ... }`")
            }
            (true, Some(_)) => diagnostic.with_help("`_` stands for whatever else it may be"),
            (false, _) => diagnostic,
        };
        self.report(diagnostic);
    }

    /// The variables for the fields of a message.
    fn fields(
        &mut self,
        name: &Name,
        message: MessageId,
        constructor: ConstructorId,
        fields: &Fields<'f>,
        span: Span,
    ) -> Option<Vec<Option<VarId>>> {
        let types = self.field_types(message, constructor);
        if types.len() != fields.len() {
            self.wrong_number_of_fields(name, message, constructor, fields.len(), span);
            self.bind_unknown(fields);
            return None;
        }
        let mut bound = Vec::with_capacity(fields.len());
        let mut all = true;
        for (place, (field, ty)) in fields.iter().zip(types).enumerate() {
            let Some(field) = field else {
                bound.push(None);
                continue;
            };
            let earlier = fields.get(..place).unwrap_or_default();
            if let Some(twin) = earlier.iter().flatten().find(|it| it.text == field.text) {
                let said = format!("`{}` takes two fields of one message", field.text);
                error("name-clash", said, field.span, "used again here")
                    .with_secondary(twin.span, "first used here")
                    .with_fix("write `_` for a field that is not needed", field.span, "_")
                    .report(self);
                all = false;
                continue;
            }
            match self.bind(field, Some(ty), field.span, Binder::Pattern) {
                Some(id) => bound.push(Some(id)),
                None => all = false,
            }
        }
        all.then_some(bound)
    }

    pub(super) fn field_types(&self, message: MessageId, constructor: ConstructorId) -> Vec<Type> {
        let constructors = &self.protocol.message(message).constructors;
        constructors.get(constructor.0 as usize).map_or(Vec::new(), |it| it.fields.clone())
    }

    pub(super) fn wrong_number_of_fields(
        &mut self,
        name: &Name,
        message: MessageId,
        constructor: ConstructorId,
        found: usize,
        span: Span,
    ) {
        let wanted = self.field_types(message, constructor).len();
        let fields = if wanted == 1 { "field" } else { "fields" };
        let said = format!("`{}` has {wanted} {fields}, found {found}", name.text);
        let constructors = &self.protocol.message(message).constructors;
        let declared = constructors.get(constructor.0 as usize).map(|it| it.name.span);
        let help: &[&str] = match wanted > found {
            true => &["in a pattern, `_` stands for a field that is not needed"],
            false => &[],
        };
        error("wrong-number-of-fields", said, span, format!("expected {wanted} {fields}"))
            .declared(declared)
            .with_helps(help)
            .report(self);
    }

    /// `match value { ... }`.
    pub(super) fn matching(
        &mut self,
        value: &'f Expr,
        arms: &'f [ast::Arm],
        span: Span,
    ) -> Option<StmtKind> {
        let variable = self.matched(value);
        let message = variable.map(|(_, message)| message);
        let total = message.map_or(0, |message| self.protocol.message(message).constructors.len());
        // The arm that covers each constructor.
        let mut covered: Vec<Option<Span>> = vec![None; total];
        let mut resolved = Vec::new();
        let mut complete = true;
        let mut rest: Option<Span> = None;
        for arm in arms {
            let end = arm.patterns.last().map_or(span, pattern_span);
            let place = arm.patterns.first().map_or(span, pattern_span).to(end);
            if let Some(rest) = rest {
                let said = "this arm is never reached: `_` takes everything";
                error("duplicate-arm", said, place, "comes too late")
                    .with_secondary(rest, "everything else is taken here")
                    .with_help("`_ => { ... }` is the last arm")
                    .report(self);
                self.body_of_arm(&arm.body);
                complete = false;
                continue;
            }
            let pattern = self.patterns_of_arm(&arm.patterns, message, &mut covered);
            if arm.patterns.iter().any(|it| matches!(it, ast::Pattern::Anything(_))) {
                rest = Some(place);
            }
            let body = self.body_of_arm(&arm.body);
            match pattern {
                Some((constructors, fields)) => resolved.push(Arm { constructors, fields, body }),
                None => complete = false,
            }
        }
        let (variable, message) = variable?;
        if complete && covered.contains(&None) {
            self.missing_arms(message, &covered, span);
            complete = false;
        }
        complete.then_some(StmtKind::Match { variable, arms: resolved })
    }

    /// What is done in an arm: a block, or one statement.
    fn body_of_arm(&mut self, body: &'f Expr) -> Vec<Stmt> {
        match &body.kind {
            ExprKind::Group(Block { exprs, .. }) => self.statements(exprs),
            _ => self.statements(std::slice::from_ref(body)),
        }
    }

    /// The variable of a `match`.
    fn matched(&mut self, value: &'f Expr) -> Option<(VarId, MessageId)> {
        let ExprKind::Read(name) = &value.kind else {
            if matches!(value.kind, ExprKind::Error) {
                return None;
            }
            let message = "expected a variable after `match`";
            return error("malformed-match", message, value.span, "not a variable")
                .with_help("receive into a variable first: `w := recv Work; match w { ... }`")
                .none(self);
        };
        let (id, ty) = self.variable(name)?;
        if let Type::Message(message) = ty {
            return Some((id, message));
        }
        let found = self.describe(ty);
        let said = format!("`match` looks at messages, and `{}` is {found}", name.text);
        error("match-no-message", said, name.span, "not a message")
            .with_help(format!("write `if {} == ... {{ ... }} else {{ ... }}`", name.text))
            .none(self)
    }

    /// What the patterns of an arm cover, and its variables.
    fn patterns_of_arm(
        &mut self,
        patterns: &'f [ast::Pattern],
        message: Option<MessageId>,
        covered: &mut [Option<Span>],
    ) -> Option<Covered> {
        if let [pattern] = patterns {
            let shape = self.shape_of_arm(pattern)?;
            return self.arm_pattern(&shape, message, covered);
        }
        // Several constructors, without variables: which of them it is, nobody asks.
        let mut all = Vec::new();
        let mut complete = true;
        for pattern in patterns {
            let Some(shape) = self.shape_of_arm(pattern) else {
                complete = false;
                continue;
            };
            if let ShapeKind::Constructor(_, fields) = &shape.kind
                && let Some(field) = fields.iter().flatten().next()
            {
                let said = "an arm for several constructors has no variables";
                error("variable-of-alternatives", said, field.span, "not there in the others")
                    .with_fix("write `_` for a field that is not needed", field.span, "_")
                    .with_help("write an arm for each of the constructors")
                    .report(self);
                complete = false;
                continue;
            }
            match self.arm_pattern(&shape, message, covered) {
                Some((constructors, _)) => all.extend(constructors),
                None => complete = false,
            }
        }
        all.sort_unstable();
        complete.then_some((all, Vec::new()))
    }

    fn shape_of_arm(&mut self, pattern: &'f ast::Pattern) -> Option<Shape<'f>> {
        match pattern {
            ast::Pattern::Anything(span) => Some(Shape { span: *span, kind: ShapeKind::Ignore }),
            ast::Pattern::Value(pattern) => self.shape(pattern),
            ast::Pattern::Range(low, high) => {
                let message = "`match` looks at messages, and this is a range of numbers";
                let span = low.span.to(high.span);
                error("malformed-pattern", message, span, "expected a constructor")
                    .with_help("compare numbers with `if`")
                    .none(self)
            }
        }
    }

    /// What a pattern of an arm covers, and its variables.
    fn arm_pattern(
        &mut self,
        pattern: &Shape<'f>,
        message: Option<MessageId>,
        covered: &mut [Option<Span>],
    ) -> Option<Covered> {
        let (name, names): (&Name, &Fields<'f>) = match &pattern.kind {
            ShapeKind::Ignore => {
                message?;
                let mut rest = Vec::new();
                for (place, slot) in covered.iter_mut().enumerate() {
                    if slot.is_none() {
                        *slot = Some(pattern.span);
                        rest.push(ConstructorId(place as u32));
                    }
                }
                if rest.is_empty() {
                    let said = "this arm is never reached: all constructors have one";
                    return error("duplicate-arm", said, pattern.span, "nothing is left for it")
                        .with_help("leave it out")
                        .none(self);
                }
                return Some((rest, Vec::new()));
            }
            ShapeKind::Name(name) => (name, &[]),
            ShapeKind::Constructor(name, names) => (name, names),
        };
        let constructor = self.constructor_of(name, message);
        let (Some(message), Some(constructor)) = (message, constructor) else {
            self.bind_unknown(names);
            return None;
        };
        let fields = self.fields(name, message, constructor, names, pattern.span);
        let slot = covered.get_mut(constructor.0 as usize)?;
        if let Some(first) = *slot {
            let said = format!("`{}` has two arms", name.text);
            return error("duplicate-arm", said, pattern.span, "the second one")
                .with_secondary(first, "the first one")
                .none(self);
        }
        *slot = Some(pattern.span);
        Some((vec![constructor], fields?))
    }

    fn missing_arms(&mut self, message: MessageId, covered: &[Option<Span>], span: Span) {
        let constructors = &self.protocol.message(message).constructors;
        let missing: Vec<&str> = constructors
            .iter()
            .zip(covered)
            .filter(|(_, slot)| slot.is_none())
            .map(|(constructor, _)| constructor.name.text.as_str())
            .take(4)
            .collect();
        let said = format!("this `match` does not say what to do with `{}`", missing.join("`, `"));
        let keyword = Span::new(span.start, span.start + "match".len() as u32);
        error("missing-arm", said, keyword, "not all constructors are covered")
            .with_help("add an arm for it; `_ => { }` covers all the others")
            .with_help("if it cannot come, say so: `_ => { assert false }`")
            .report(self);
    }
}

fn pattern_span(pattern: &ast::Pattern) -> Span {
    match pattern {
        ast::Pattern::Value(value) => value.span,
        ast::Pattern::Range(low, high) => low.span.to(high.span),
        ast::Pattern::Anything(span) => *span,
    }
}
