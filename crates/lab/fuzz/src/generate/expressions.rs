//! Random programs with every construct of the language, in every place where the grammar allows
//! it.
//!
//! `yield` in operands and conditions, nested loops, loops that never end, `return` anywhere,
//! short-circuit operators with effects, parameters, constants, initial values. Values stay small.
//! The printer writes only the parentheses that the grammar needs, so that a parser that reads them
//! differently is noticed.

use super::printer::Printer;
use crate::Random;
use ser_oracle::Term::{self, *};
use ser_oracle::{CoreProgram, CoreRequest, Store};
use ser_syntax::core::{BinaryOp, UnaryOp};
use std::rc::Rc;

/// The source of such a program.
///
/// ```
/// let text = ser_fuzz::expressions(&mut ser_fuzz::Random::new(1));
/// assert!(!ser_syntax::parse(&text).has_errors());
/// ```
pub fn expressions(random: &mut Random) -> String {
    random_core(random).1
}

/// Such a program, as terms and as text.
pub fn random_core(random: &mut Random) -> (CoreProgram, String) {
    let mut program = CoreProgram { requests: Vec::new(), initial: Store::new() };
    let mut text = String::from("const MINUS = -1 const TWO = 4 + 2 * MINUS\n");
    if random.chance(30) {
        program.initial.insert("X".into(), 2);
        text.push_str("X := TWO\n");
    }
    for i in 0..random.between(1, 2) {
        let parameter = random.chance(25);
        let mut writer = Writer { random: random.clone(), parameter, fuel: 0 };
        let body = Rc::new(writer.handler());
        let mut printer = Printer::new(writer.random);
        printer.block(&body);
        let name = format!("r{i}");
        let parameters = if parameter { "(p in MINUS..MINUS + 1)" } else { "" };
        text.push_str(&format!("request {name}{parameters} {}\n", printer.text));
        *random = printer.random;
        let parameters = if parameter { vec![("p".into(), -1, 0)] } else { Vec::new() };
        program.requests.push(CoreRequest { name, parameters, body });
    }
    (program, text)
}

/// `e1; e2; ...; en`, associated to the right; 0 if there is none.
fn sequence(mut list: Vec<Term>) -> Term {
    let Some(last) = list.pop() else { return Value(0) };
    list.into_iter().rev().fold(last, |rest, e| Sequence(Rc::new(e), Rc::new(rest)))
}

const GLOBALS: [&str; 2] = ["X", "Y"];
const LOCALS: [&str; 2] = ["a", "b"];

struct Writer {
    random: Random,
    parameter: bool,
    /// How many more expressions the handler may have.
    fuel: usize,
}

impl Writer {
    fn one_of<'a>(&mut self, names: &[&'a str]) -> &'a str {
        names[self.random.below(names.len())]
    }

    /// An expression whose value is between -2 and 2, so that variables stay small.
    fn small(&mut self, depth: usize) -> Term {
        self.fuel = self.fuel.saturating_sub(1);
        if depth == 0 || self.fuel == 0 {
            return self.leaf();
        }
        let depth = depth - 1;
        match self.random.below(22) {
            0..=5 => self.leaf(),
            6 => Yield,
            7 => Sequence(Rc::new(Yield), Rc::new(self.small(depth))),
            8 => {
                let op = if self.random.chance(50) { UnaryOp::Negate } else { UnaryOp::Not };
                Unary(op, Rc::new(self.small(depth)))
            }
            9..=11 => {
                let comparisons = [
                    BinaryOp::Equal,
                    BinaryOp::NotEqual,
                    BinaryOp::Less,
                    BinaryOp::LessEqual,
                    BinaryOp::Greater,
                    BinaryOp::GreaterEqual,
                ];
                let op = *self.random.pick(&comparisons);
                Binary(op, Rc::new(self.any(depth)), Rc::new(self.any(depth)))
            }
            12 => Binary(BinaryOp::And, Rc::new(self.any(depth)), Rc::new(self.any(depth))),
            13 => Binary(BinaryOp::Or, Rc::new(self.any(depth)), Rc::new(self.any(depth))),
            14 | 15 => self.assignment(depth),
            16 => {
                If(Rc::new(self.any(depth)), Rc::new(self.small(depth)), Rc::new(self.small(depth)))
            }
            17 => self.looping(depth),
            18 => Sequence(Rc::new(self.any(depth)), Rc::new(self.small(depth))),
            19 if self.random.chance(50) => Return(Rc::new(self.any(depth))),
            20 if self.random.chance(15) => Abort,
            20 if self.random.chance(40) => Assume(Rc::new(self.any(depth))),
            19 | 20 => Global(self.one_of(&GLOBALS).into()),
            _ => Choose(-1, 1),
        }
    }

    /// An expression with any value.
    fn any(&mut self, depth: usize) -> Term {
        if depth > 0 && self.fuel > 0 && self.random.chance(25) {
            self.fuel -= 1;
            let op = *self.random.pick(&[BinaryOp::Add, BinaryOp::Subtract, BinaryOp::Multiply]);
            return Binary(op, Rc::new(self.any(depth - 1)), Rc::new(self.any(depth - 1)));
        }
        self.small(depth)
    }

    fn leaf(&mut self) -> Term {
        match self.random.below(8) {
            0 => Value(self.random.below(3) as i64),
            1 if self.random.chance(50) => Coin,
            1 => Choose(-1, 0),
            2 => Value(-1),
            3 | 4 => Local(if self.parameter && self.random.chance(30) {
                "p".into()
            } else {
                self.one_of(&LOCALS).into()
            }),
            _ => Global(self.one_of(&GLOBALS).into()),
        }
    }

    fn assignment(&mut self, depth: usize) -> Term {
        let value = Rc::new(self.small(depth));
        if self.random.chance(60) {
            SetGlobal(self.one_of(&GLOBALS).into(), value)
        } else {
            SetLocal(self.one_of(&LOCALS).into(), value)
        }
    }

    fn looping(&mut self, depth: usize) -> Term {
        let condition = self.any(depth);
        // Mostly loops that pause or change something; now and then one that spins forever.
        let mut body = vec![self.any(depth)];
        match self.random.below(5) {
            0 | 1 => body.push(Yield),
            2 => body.insert(0, Yield),
            3 => body.push(self.assignment(depth)),
            _ => {}
        }
        While(Rc::new(condition), Rc::new(sequence(body)))
    }

    fn handler(&mut self) -> Term {
        self.fuel = self.random.between(8, 40);
        let count = self.random.between(2, 4);
        let mut body = Vec::new();
        for _ in 0..count {
            let e = match self.random.below(8) {
                0 => self.any(3),
                1 => self.looping(2),
                2 => {
                    // Waiting, which is what most loops are for.
                    let global = Rc::new(Global(self.one_of(&GLOBALS).into()));
                    let value = Rc::new(Value(self.random.below(3) as i64));
                    While(Rc::new(Binary(BinaryOp::Equal, global, value)), Rc::new(Yield))
                }
                3 => {
                    let global = Global(self.one_of(&GLOBALS).into());
                    SetLocal(self.one_of(&LOCALS).into(), Rc::new(global))
                }
                _ => self.assignment(3),
            };
            body.push(e);
            if self.random.chance(40) {
                body.push(Yield);
            }
        }
        let read = |name: &str| match GLOBALS.contains(&name) {
            true => Global(name.into()),
            false => Local(name.into()),
        };
        body.push(match self.random.below(4) {
            0 => self.any(2),
            1 => read(self.one_of(&GLOBALS)),
            2 => read(self.one_of(&LOCALS)),
            _ => {
                let (a, x) = (read(self.one_of(&LOCALS)), read(self.one_of(&GLOBALS)));
                Binary(BinaryOp::Add, Rc::new(a), Rc::new(x))
            }
        });
        sequence(body)
    }
}
