//! The text syntax for queries: `EF P1 + 2*P2 >= 3 && !(P3 = 0) || P4 <= 1`.
//!
//! | | |
//! | --- | --- |
//! | in front | `EF` (some reachable marking, the default), `AG` (all of them) |
//! | conditions | `&&` `and`, `\|\|` `or`, `!` `not`, `true`, `false`, parentheses |
//! | comparisons | `=` `==` `!=` `<` `<=` `>` `>=`, also in a row: `1 <= P1 <= 3` |
//! | sums | `P1 + 2*P2 - 3`, the tokens on places |
//! | atoms | `deadlock`, `fireable(t1, t2)`: none, or one of these, can fire |
//! | names | `P1`, or `{odd name}` or `"odd name"` with `\` in front of a brace, quote or `\` |
//!
//! One grammar for conditions and sums, told apart by what comes out: a parenthesis may open
//! either, and no input is looked at twice.

mod lexer;

use crate::atoms::{Atoms, TooLong};
use crate::error::{ReadError, check_length};
use crate::total::Total;
use crate::{Formula, Names, PetriNet, Quantifier, Query, Relation, Sum};
use lexer::{Kind, Token};

/// The deepest nesting of parentheses and negations.
pub(crate) const MAX_DEPTH: usize = 200;

/// Reads a query about a net.
///
/// ```
/// let net = ser_petri::read_net("pl P1 (1)\n")?;
/// let error = ser_petri::read_query("P2 >= 1", &net).unwrap_err();
/// assert_eq!(error.column, 1);
/// assert_eq!(error.help.as_deref(), Some("did you mean `P1`?"));
/// # Ok::<(), ser_petri::ReadError>(())
/// ```
pub fn read_query(text: &str, net: &PetriNet) -> Result<Query, ReadError> {
    read_query_with(text, net, &Names::of(net))
}

/// Reads a query about a net whose names are known already.
pub fn read_query_with(text: &str, net: &PetriNet, names: &Names) -> Result<Query, ReadError> {
    check_length(text)?;
    let tokens = lexer::tokens(text)?;
    let mut parser = Parser { text, tokens, next: 0, atoms: Atoms::new(net), names, depth: 0 };
    let quantifier = match parser.peek() {
        Kind::Word("EF") => Quantifier::Possibly,
        Kind::Word("AG") => Quantifier::Always,
        _ => {
            let formula = parser.whole()?;
            return Ok(query(Quantifier::Possibly, formula));
        }
    };
    parser.next += 1;
    let formula = parser.whole()?;
    Ok(query(quantifier, formula))
}

fn query(quantifier: Quantifier, formula: Formula) -> Query {
    Query { name: "query".into(), quantifier, formula }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    next: usize,
    atoms: Atoms<'a>,
    names: &'a Names,
    depth: usize,
}

/// A condition or a number, and where it starts.
enum Value {
    Formula(Formula),
    Sum(Sum),
}

type Parsed = Result<(Value, usize), ReadError>;

impl<'a> Parser<'a> {
    fn peek(&self) -> Kind<'a> {
        self.tokens.get(self.next).map_or(Kind::End, |t| t.kind.clone())
    }

    fn at(&self) -> usize {
        self.tokens.get(self.next).map_or(self.text.len(), |t| t.at)
    }

    fn eat(&mut self, symbols: &[&str]) -> bool {
        let there = match self.peek() {
            Kind::Symbol(s) | Kind::Word(s) => symbols.contains(&s),
            _ => false,
        };
        self.next += usize::from(there);
        there
    }

    fn error(&self, at: usize, message: impl Into<String>) -> ReadError {
        ReadError::at(self.text, at, message)
    }

    fn unexpected(&self, expected: &str) -> ReadError {
        let found = match self.peek() {
            Kind::End => "the end".to_owned(),
            Kind::Name(name) => format!("the name `{name}`"),
            Kind::Number(n) => format!("the number {n}"),
            Kind::Symbol(s) | Kind::Word(s) => format!("`{s}`"),
        };
        self.error(self.at(), format!("expected {expected}, found {found}"))
    }

    fn whole(&mut self) -> Result<Formula, ReadError> {
        let value = self.or()?;
        if self.peek() != Kind::End {
            let mut error = self.unexpected("an operator or the end");
            if matches!(self.peek(), Kind::Symbol("&" | "|")) {
                error = error.help("write `&&` and `||`");
            }
            return Err(error);
        }
        self.formula(value)
    }

    fn formula(&self, (value, at): (Value, usize)) -> Result<Formula, ReadError> {
        match value {
            Value::Formula(formula) => Ok(formula),
            Value::Sum(_) => Err(self
                .error(at, "this is a number where a condition is needed")
                .help("compare it with something: `P1 >= 1`")),
        }
    }

    fn sum(&self, (value, at): (Value, usize)) -> Result<Sum, ReadError> {
        match value {
            Value::Sum(sum) => Ok(sum),
            Value::Formula(_) => {
                Err(self.error(at, "this is a condition where a number is needed"))
            }
        }
    }

    fn or(&mut self) -> Parsed {
        self.chain(&["||", "or"], Parser::and, Formula::Or)
    }

    fn and(&mut self) -> Parsed {
        self.chain(&["&&", "and"], Parser::not, Formula::And)
    }

    fn chain(
        &mut self,
        operators: &[&str],
        part: fn(&mut Self) -> Parsed,
        join: fn(Vec<Formula>) -> Formula,
    ) -> Parsed {
        let first = part(self)?;
        if !matches!(self.peek(), Kind::Symbol(s) | Kind::Word(s) if operators.contains(&s)) {
            return Ok(first);
        }
        let at = first.1;
        let mut parts = vec![self.formula(first)?];
        while self.eat(operators) {
            let next = part(self)?;
            parts.push(self.formula(next)?);
        }
        Ok((Value::Formula(join(parts)), at))
    }

    fn deeper(&mut self) -> Result<(), ReadError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} parentheses and negations in each other");
            return Err(self.error(self.at(), message));
        }
        Ok(())
    }

    fn not(&mut self) -> Parsed {
        let at = self.at();
        if !self.eat(&["!", "not"]) {
            return self.comparison();
        }
        self.deeper()?;
        let inner = self.not()?;
        self.depth -= 1;
        let inner = self.formula(inner)?;
        Ok((Value::Formula(Formula::Not(Box::new(inner))), at))
    }

    fn comparison(&mut self) -> Parsed {
        let first = self.additive()?;
        let at = first.1;
        let Some(mut relation) = self.relation() else { return Ok(first) };
        let mut left = self.sum(first)?;
        let mut parts = Vec::new();
        loop {
            let right = self.additive()?;
            let right = self.sum(right)?;
            parts.push(Formula::Compare(left, relation, right.clone()));
            left = right;
            match self.relation() {
                Some(next) => relation = next,
                None => break,
            }
        }
        let formula = match parts.len() {
            1 => parts.swap_remove(0),
            _ => Formula::And(parts),
        };
        Ok((Value::Formula(formula), at))
    }

    fn relation(&mut self) -> Option<Relation> {
        let Kind::Symbol(symbol) = self.peek() else { return None };
        let relation = match symbol {
            "=" | "==" => Relation::Equal,
            "!=" => Relation::Different,
            "<" => Relation::Less,
            "<=" => Relation::AtMost,
            ">" => Relation::Greater,
            ">=" => Relation::AtLeast,
            _ => return None,
        };
        self.next += 1;
        Some(relation)
    }

    fn additive(&mut self) -> Parsed {
        let at = self.at();
        let negative = self.eat(&["-"]);
        let first = self.product()?;
        if !negative && !matches!(self.peek(), Kind::Symbol("+" | "-")) {
            return Ok(first);
        }
        let first = self.sum(first)?;
        let mut total = Total::default();
        let sign = if negative { -1 } else { 1 };
        total.add(sign, &first).ok_or_else(|| self.too_large(at))?;
        loop {
            let operator = self.at();
            let factor = match self.peek() {
                Kind::Symbol("+") => 1,
                Kind::Symbol("-") => -1,
                _ => return Ok((Value::Sum(total.finish()), at)),
            };
            self.next += 1;
            let next = self.product()?;
            let next = self.sum(next)?;
            total.add(factor, &next).ok_or_else(|| self.too_large(operator))?;
        }
    }

    fn scaled(&self, at: usize, factor: i64, sum: &Sum) -> Result<Sum, ReadError> {
        sum.scaled(factor).ok_or_else(|| self.too_large(at))
    }

    fn too_large(&self, at: usize) -> ReadError {
        self.error(at, "the numbers in this sum are too large")
    }

    fn too_long(&self, at: usize, error: TooLong) -> ReadError {
        self.error(at, error.to_string()).help("split the query into several ones")
    }

    fn product(&mut self) -> Parsed {
        let first = self.primary()?;
        if self.peek() != Kind::Symbol("*") {
            return Ok(first);
        }
        let at = first.1;
        let mut total = self.sum(first)?;
        while self.eat(&["*"]) {
            let next = self.primary()?;
            let next = self.sum(next)?;
            total = match (total.terms.is_empty(), next.terms.is_empty()) {
                (true, _) => self.scaled(at, total.constant, &next)?,
                (false, true) => self.scaled(at, next.constant, &total)?,
                (false, false) => {
                    return Err(self
                        .error(at, "a product of token counts")
                        .help("only products with a number can be answered: `2*P1`"));
                }
            };
        }
        Ok((Value::Sum(total), at))
    }

    fn primary(&mut self) -> Parsed {
        let at = self.at();
        let kind = self.peek();
        let value = match kind {
            Kind::Number(n) => Value::Sum(Sum::constant(n)),
            Kind::Name(name) => {
                let place = self.names.place(&name).ok_or_else(|| {
                    self.error(at, format!("the net has no place `{name}`"))
                        .maybe_help(self.names.guess_place(&name))
                })?;
                Value::Sum(Sum::tokens(place))
            }
            Kind::Word("true") => Value::Formula(Formula::always()),
            Kind::Word("false") => Value::Formula(Formula::never()),
            Kind::Word("deadlock") => {
                Value::Formula(self.atoms.deadlock().map_err(|e| self.too_long(at, e))?)
            }
            Kind::Word("fireable") => {
                self.next += 1;
                return Ok((Value::Formula(self.fireable()?), at));
            }
            Kind::Symbol("(") => {
                self.next += 1;
                self.deeper()?;
                let (value, _) = self.or()?;
                self.depth -= 1;
                if !self.eat(&[")"]) {
                    return Err(self.unexpected("`)`"));
                }
                return Ok((value, at));
            }
            Kind::Word(word) if word == "EF" || word == "AG" => {
                return Err(self
                    .error(at, format!("`{word}` can only stand in front of the whole query"))
                    .help(format!("a place of that name is written `{{{word}}}`")));
            }
            _ => return Err(self.unexpected("a place, a number or a condition")),
        };
        self.next += 1;
        Ok((value, at))
    }

    /// `(t1, t2)` after `fireable`.
    fn fireable(&mut self) -> Result<Formula, ReadError> {
        if !self.eat(&["("]) {
            return Err(self.unexpected("`(` and the names of transitions"));
        }
        let start = self.at();
        let mut transitions = Vec::new();
        loop {
            let at = self.at();
            let Kind::Name(name) = self.peek() else {
                return Err(self.unexpected("the name of a transition"));
            };
            self.next += 1;
            transitions.push(self.names.transition(&name).ok_or_else(|| {
                self.error(at, format!("the net has no transition `{name}`"))
                    .maybe_help(self.names.guess_transition(&name))
            })?);
            if self.eat(&[")"]) {
                return self.atoms.fireable(&transitions).map_err(|e| self.too_long(start, e));
            }
            if !self.eat(&[","]) {
                return Err(self.unexpected("`,` or `)`"));
            }
        }
    }
}
