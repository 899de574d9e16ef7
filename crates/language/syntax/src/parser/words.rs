//! Words and habits of other languages, each with how it is said here.
//!
//! Words of [`HABITS`] may be names of variables that are assigned. Where they stand like a word of
//! another language, or are never assigned, they are errors: a program in which `null` or `pass` is
//! a variable means something else than its author believes.

use super::Parser;
use super::expressions::starts_expression;
use crate::ast::{Name, Type};
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Report as _, Reported, error};

/// Words, what they are called, and how it is said here.
type Habit = (&'static [&'static str], &'static str, &'static str);

/// Where expressions stand.
const HABITS: &[Habit] = &[
    (
        &["null", "None", "nil", "NULL", "undefined", "nullptr"],
        "there is no `{}`",
        "use a number that means \"nothing\", such as -1, or a member of an `enum`: `enum Owner { nobody, alice, bob }`",
    ),
    (&["True", "TRUE"], "`{}` is written `true`", ""),
    (&["False", "FALSE"], "`{}` is written `false`", ""),
    (&["pass", "noop", "nop"], "there is no `{}`", "to do nothing, write an empty block: `{ }`"),
    (
        &["atomic", "d_step", "critical", "transaction", "synchronized"],
        "there is no `{}`",
        "what stands between two `yield`s is one step already; to keep others out beyond that, write `with L { ... }`",
    ),
    (&["either"], "there is no `{}`", "write `choose { a } or { b }`"),
    (
        &["go", "spawn", "fork"],
        "nothing is started here",
        "requests come by themselves, in any number; a function is called by its name",
    ),
    (&["defer"], "there is no `{}`", "`with L { ... }` gives the lock back on every way out"),
    (
        &["let", "mut", "auto", "val", "local", "global", "nonlocal", "static", "shared"],
        "variables need no `{}`",
        "just assign: `x := 1`; to say which values it takes, write `var x: 0..3 = 1`",
    ),
    (
        &["int", "bool", "boolean", "long", "uint", "float", "double", "string", "char", "void"],
        "a type cannot stand here",
        "just assign: `x := 1`; to say which values it takes, write `var x: 0..3 = 1`",
    ),
    (
        &["send", "recv", "receive"],
        "requests send no messages",
        "a message is a variable that holds it, or an array with two counters",
    ),
    (
        &["async", "await"],
        "there is no `{}`",
        "other requests run where a handler says `yield`; to wait for a condition, write `while (!condition) { yield }` or `assume(condition)`",
    ),
    (
        &["do", "begin"],
        "there is no `{}`",
        "blocks stand in braces; `loop { ...; if (c) { break } }` tests at the end of a round",
    ),
    (&["then"], "there is no `{}`", "write `if (condition) { ... } else { ... }`"),
    (
        &["switch", "case", "select", "when"],
        "there is no `{}`",
        "write `match x { 0 => a, 1 | 2 => b, _ => c }`",
    ),
    (
        &["try", "catch", "except", "finally", "throw", "raise", "panic"],
        "there are no exceptions",
        "respond with a value that says what went wrong, or give up with `abort`; what must hold is said with `assert(...)`",
    ),
    (
        &["def", "func", "function", "lambda", "procedure"],
        "a function is written `fn name(x) { ... }`",
        "functions stand at top level, outside of requests",
    ),
    (
        &["class", "struct", "interface", "object"],
        "there is no `{}`",
        "several values in one are a record: `record Order { amount: 0..3, paid: bool }` at top level",
    ),
    (
        &["new", "malloc", "alloc", "delete", "del", "free_memory"],
        "nothing is allocated here",
        "a global array holds what may exist: `var Orders: [0..2] of Order`",
    ),
    (&["foreach"], "there is no `{}`", "write `for i in 0..2 { ... }`"),
    (
        &["forall", "exists", "all", "any"],
        "there is no `{}`",
        "write `for all i in 0..2: A[i] > 0`, or `for some i in 0..2: A[i] > 0`",
    ),
    (
        &["until", "unless"],
        "there is no `{}`",
        "write `while (!condition) { ... }` or `if (!condition) { ... }`",
    ),
    (
        &["repeat"],
        "there is no `{}`",
        "write `for i in 1..3 { ... }`, or `loop { ... }` and `break`",
    ),
    (&["receive"], "`{}` is written `recv`", "write `x := recv Q`"),
    (
        &["goto"],
        "there is no `{}`",
        "loops are left with `break`, functions and requests with `return`",
    ),
    (
        &["import", "include", "from_file"],
        "there is no `{}`",
        "outside of requests and processes, write `use \"stock.ser\"`",
    ),
    (
        &["self", "this"],
        "there is no `{}`",
        "what belongs to one request is in its local variables, what all share is in global ones",
    ),
    (&["elif", "elseif", "elsif"], "`{}` is written `else if`", ""),
    (
        &["mod", "div"],
        "`{}` is a sign here",
        "write `a % b` for what is left after division, `a / b` for division without a rest",
    ),
];

/// The same in processes, where these words mean nothing else.
const OF_PROCESSES: &[Habit] = &[
    (
        &["local"],
        "variables of a process are declared with `var`",
        "write `var x: int = 0` at the start of the body",
    ),
    (&["label"], "a place is named with `:`", "write `crit: { ... }`"),
    (&["call"], "a function is called by its name", "write `p(x)`, or `y := p(x)`"),
    (
        &["havoc"],
        "any value is written `choose(...)`",
        "write `x := choose(int)`, or `x := choose(int) where x > 0`",
    ),
    (&["choice"], "a choice is written `choose { ... } or { ... }`", ""),
    (
        &["critical", "noncritical"],
        "there is no `{}`",
        "for a step that does nothing, write `skip`",
    ),
    (
        &["ghost"],
        "ghost code stands behind a statement, and is done in its step",
        "write it without `;` before it: `x := 1 ghost { y := 2 }`; for a step of its own, `skip ghost { ... }`",
    ),
    (
        &["forall", "exists"],
        "there is no `{}`",
        "write `for all i in 0..2: A[i] > 0`, or `for some`; for all threads stand the parameters of an invariant: `invariant mutex(i, j): i != j -> ...`",
    ),
];

/// Where items stand.
const ITEMS: &[Habit] = &[
    (
        &["def", "func", "function", "procedure", "proc"],
        "a function is written `fn name(x) { ... }`",
        "what clients call is a `request name(x in 0..3) { ... }`",
    ),
    (
        &[
            "handler",
            "transaction",
            "BEGIN",
            "SELECT",
            "UPDATE",
            "INSERT",
            "DELETE",
            "endpoint",
            "api",
            "rpc",
            "operation",
            "method",
            "async",
            "pub",
            "public",
            "export",
        ],
        "what clients call is a `request`",
        "write `request name(x in 0..3) { ... }`",
    ),
    (
        &["thread"],
        "threads are one process for each member of a set",
        "write `set Threads` and `process thread for self in Threads { ... }`",
    ),
    (
        &["threads"],
        "how many threads there are is said with their set",
        "write `set Threads == 2`; for any number, `set Threads`",
    ),
    (&["system"], "a model has no name", "leave this line out"),
    (&["ghost"], "a ghost variable is declared with `ghost var`", "write `ghost var x: int = 0`"),
    (
        &["process", "proctype", "active"],
        "a process is written `process name { ... }`",
        "what clients call, in any number, is a `request name { ... }`",
    ),
    (
        &[
            "let",
            "global",
            "local",
            "shared",
            "static",
            "volatile",
            "int",
            "bool",
            "long",
            "atomic",
            "byte",
            "bit",
            "short",
            "unsigned",
            "char",
            "float",
            "double",
            "VARIABLE",
            "VARIABLES",
            "variable",
            "variables",
        ],
        "shared variables are declared with `var`",
        "write `var Name: 0..3 = 0`; a shorthand is `fn name(x) = value`",
    ),
    (
        &["mutex", "Mutex", "semaphore", "Lock"],
        "a lock is declared with `lock`",
        "write `lock Name`, and `with Name { ... }` where it is held",
    ),
    (
        &["struct", "class", "data", "message"],
        "several values in one are a `record`",
        "write `record Name { field: 0..3, other: bool }`",
    ),
    (
        &["define", "final", "let_const", "immutable"],
        "a constant is declared with `const`",
        "write `const NAME = 3`",
    ),
    (
        &["CREATE", "TABLE", "create", "table"],
        "a table is an array of records",
        "write `record Account { balance: 0..9, open: bool }` and `var Accounts: [0..2] of Account`",
    ),
    (
        &["typedef", "alias", "newtype", "subtype", "mtype"],
        "a type is declared with `type`",
        "write `type Name = 0..3`",
    ),
    (
        &["import", "include", "from", "package", "module", "MODULE", "EXTENDS"],
        "what another file declares is there with `use`",
        "write `use \"stock.ser\"`",
    ),
    (
        &["assert", "property", "ltl", "check", "always", "never", "safety", "spec", "claim"],
        "what is asked of a file is called `invariant`, `reach` or `deadlock`",
        "write `invariant name: X >= 0`; inside of requests, `assert(...)` says what must hold",
    ),
];

/// What to say about a name that is never assigned and is a word of other languages: what is wrong,
/// and how it is said here.
pub(crate) fn instead_of(word: &str) -> Option<(String, &'static str)> {
    let (_, message, help) = HABITS.iter().find(|(words, ..)| words.contains(&word))?;
    Some((message.replace("{}", word), help))
}

/// The same about names in processes.
pub(crate) fn instead_in_processes(word: &str) -> Option<(String, &'static str)> {
    let (_, message, help) = OF_PROCESSES.iter().find(|(words, ..)| words.contains(&word))?;
    Some((message.replace("{}", word), help))
}

impl Parser<'_> {
    fn habit(&self, habits: &'static [Habit]) -> Option<&'static Habit> {
        let word = self.word_at(0)?;
        habits.iter().find(|(words, ..)| words.contains(&word))
    }

    fn report_habit(&mut self, (_, message, help): &Habit) -> Reported {
        let message = message.replace("{}", self.here_text());
        let help = if help.is_empty() { &[][..] } else { &[*help] };
        let diagnostic = error("other-language", &message, self.here(), "not part of the language");
        let diagnostic = diagnostic.with_helps(help);
        self.report(match message.split('`').nth(3).filter(|_| help.is_empty()) {
            Some(right) => diagnostic.with_right(right),
            None => diagnostic,
        })
    }

    /// A word of other languages where an expression stands.
    pub(super) fn foreign_word(&mut self) -> Result<(), Reported> {
        let next = self.peek_at(1);
        if matches!(self.here_text(), "lock" | "acquire" | "unlock" | "release")
            && next == Some(TokenKind::Name)
        {
            let message = format!("there is no `{}`", self.here_text());
            let help = "a lock is held for as long as a block runs: `with L { ... }`";
            return Err(self.wrong("other-language", message, "not part of the language", &[help]));
        }
        // Behind the name of a variable, nothing of this can stand.
        let follows = next.is_some_and(|kind| {
            starts_expression(kind)
                && !matches!(kind, TokenKind::Minus | TokenKind::LeftBracket | TokenKind::Not)
                && kind != TokenKind::Question
                && kind != TokenKind::Bang
        });
        // `send None to p`.
        let follows = follows
            && (!self.in_processes
                || !matches!(self.word_at(1), Some("to" | "from" | "where" | "ghost" | "subset")));
        let of_processes = match self.in_processes {
            false => None,
            true => self.habit(OF_PROCESSES),
        };
        match of_processes.or_else(|| self.habit(HABITS)) {
            Some(habit) if follows || next == Some(TokenKind::LeftBrace) => {
                Err(self.report_habit(habit))
            }
            _ => Ok(()),
        }
    }

    /// A word of other languages where an item stands.
    pub(super) fn foreign_item(&mut self) -> Option<Reported> {
        if !self.at(TokenKind::Name) || self.peek_at(1) == Some(TokenKind::Assign) {
            return None;
        }
        let habit = self.habit(ITEMS)?;
        let reported = self.report_habit(habit);
        self.bump();
        Some(reported)
    }

    /// Whether a type of other languages stands here, which is reported.
    pub(super) fn foreign_type(&mut self) -> bool {
        let help = match self.here_text() {
            "string" | "String" | "str" | "text" => {
                "name the values that matter: `enum Name { alice, bob }`"
            }
            "float" | "double" | "real" => "count in a smaller unit: `0..100` cents",
            "byte" | "u8" | "uint8" => "a byte is `0..255`",
            "u32" | "i32" | "i64" | "u64" | "usize" | "long" | "uint" | "nat" | "Int" | "Nat"
            | "number" | "Integer" => "numbers are `int`, or better a range such as `0..10`",
            "list" | "List" | "array" | "Array" | "Vec" | "vector" | "slice" => {
                "an array has an index: `[0..3] of bool`"
            }
            "map" | "Map" | "dict" | "HashMap" | "hash" => {
                "a map is an array over its keys: `[0..3] of bool`, `[Seat] of 0..9`"
            }
            "queue" | "chan" | "channel" => {
                "processes have queues, `queue[2] of 0..9`; for requests, a queue is an array with two counters: `var Slot: [0..3] of 0..9`, `var Head: 0..3`, `var Count: 0..4`"
            }
            "range" => "a range is written `0..2`, which is 0, 1 and 2",
            "set" | "Set" => {
                "threads have sets, like `set of int`; for requests, a set is an array of truth values: `[0..3] of bool`"
            }
            "void" | "unit" | "None" => "leave the type out",
            "mutex" | "Mutex" | "Lock" => "a lock is declared with `lock Name`",
            _ => return false,
        };
        let message = format!("there is no type `{}`", self.here_text());
        self.wrong("undefined-type", message, "not part of the language", &[help]);
        self.bump();
        if self.at(TokenKind::LeftParenthesis) {
            self.skip_to(&[TokenKind::LeftBrace, TokenKind::Semicolon]);
        }
        true
    }

    /// `queue.append(x)`, `lock.acquire()`.
    pub(super) fn foreign_method(&mut self, field: &Name) -> Result<(), Reported> {
        if !self.at(TokenKind::LeftParenthesis) {
            return Ok(());
        }
        let help = match field.text.as_str() {
            "lock" | "acquire" | "unlock" | "release" | "Lock" | "Unlock" => {
                "a lock is held for as long as a block runs: `with L { ... }`"
            }
            "len" | "length" | "size" | "count" => "keep the number in a variable of its own",
            "append" | "push" | "add" | "pop" | "remove" | "insert" | "put" | "send" => {
                "arrays have a fixed size: assign to an element, `A[i] := x`, and keep the count in a variable"
            }
            _ => "a function is called by its name: `f(x)`",
        };
        Err(error("no-methods", "there are no methods", field.span, "looks like one")
            .with_help(help)
            .report(self))
    }

    /// `for (...)`.
    pub(super) fn foreign_for(&mut self) -> Result<(), Reported> {
        if !self.at(TokenKind::LeftParenthesis) {
            return Ok(());
        }
        let help = "a loop over 0, 1 and 2 is `for i in 0..2 { ... }`";
        Err(self.wrong("malformed-for", "`for` has no parentheses", "unexpected `(`", &[help]))
    }

    /// `: type` behind the parameters of a function.
    pub(super) fn function_result(&mut self) -> Result<Option<Type>, Reported> {
        if self.together(&[TokenKind::Minus, TokenKind::Greater]) {
            let message = "what a function gives stands behind `:`";
            self.write_instead("function-result", message, 2, ":");
            self.bump_all(2);
        } else if !self.at(TokenKind::Colon) || self.peek_at(1) == Some(TokenKind::LeftBrace) {
            return Ok(None);
        } else {
            self.bump();
        }
        self.a_type().map(Some)
    }
}
