//! Words that statements of other languages start with, and what a `.ser` program has for them.
//!
//! All of them are names like others. They matter only where it is clear that something is wrong,
//! and in warnings.

use super::{Dialect, Parser};
use crate::cursor::Habit;
use crate::lexer::TokenKind;
use crate::report::{Messages as _, error};

const HABIT: Habit = Habit {
    words: &[],
    code: "other-language",
    message: "there is no `{}`",
    label: "not a word of the language",
    help: "",
};

/// What is said about them.
pub(super) const HABITS: &[Habit] = &[
    Habit {
        words: &["for", "foreach", "loop", "repeat", "do", "until"],
        help: "write a loop as `while (i < 3) { ...; i := i + 1 }`",
        ..HABIT
    },
    Habit {
        words: &["break", "continue"],
        help: "a loop ends when its condition is 0; `return` ends the whole request",
        ..HABIT
    },
    Habit {
        words: &["let", "var", "val", "mut", "int", "bool", "auto", "local", "global"],
        help: "variables are not declared: write `x := 1`; a variable that all requests share \
               starts with an uppercase letter",
        ..HABIT
    },
    Habit {
        words: &["wait", "await", "when"],
        help: "to wait, write `assume(X == 1)`, or `while (X != 1) { yield }`",
        ..HABIT
    },
    Habit {
        words: &["lock", "unlock", "acquire", "release", "mutex", "synchronized", "atomic"],
        help: "a lock is a variable: `while (Lock) { yield }; Lock := 1` takes it, and `Lock := 0` \
               gives it back",
        ..HABIT
    },
    Habit {
        words: &["switch", "match", "case"],
        help: "write the cases out: `if (x == 1) { ... } else if (x == 2) { ... }`",
        ..HABIT
    },
    Habit {
        words: &["try", "catch", "throw", "raise", "rollback", "fail"],
        help: "to give up without a response that counts, write `abort`; it takes nothing back",
        ..HABIT
    },
    Habit {
        words: &["sleep", "print", "println", "printf", "log"],
        help: "leave it out: only variables, `yield` and the response matter",
        ..HABIT
    },
    Habit {
        words: &["random", "rand"],
        help: "to choose freely, write `?`, or `choose(0..9)`",
        ..HABIT
    },
];

fn find(word: &str) -> Option<&'static Habit> {
    HABITS.iter().find(|habit| habit.words.contains(&word))
}

/// What to write in a `.ser` program instead of a word of other languages.
///
/// ```
/// assert!(ser_syntax::instead_of("break").is_some());
/// assert!(ser_syntax::instead_of("count").is_none());
/// ```
pub fn instead_of(word: &str) -> Option<&'static str> {
    find(word).map(|habit| habit.help)
}

impl Parser<'_> {
    /// Whether the token before this one starts a statement of another language, which does not
    /// fit what follows. If so, that is reported.
    pub(super) fn habit(&mut self) -> bool {
        use TokenKind::{LeftBrace, LeftParenthesis, Name, RightBrace, Semicolon};
        let Some(word) = self.previous().filter(|token| token.kind == Name) else { return false };
        let before = self.position.checked_sub(2).and_then(|at| self.tokens.get(at));
        let starts = before.is_some_and(|token| {
            matches!(token.kind, LeftBrace | LeftParenthesis | RightBrace | Semicolon)
        });
        let habit = self.text.get(word.span.range()).and_then(find);
        let Some(habit) = habit.filter(|_| starts && self.dialect == Dialect::Requests) else {
            return false;
        };
        let text = self.text.get(word.span.range()).unwrap_or_default();
        error(habit.code, habit.message.replace("{}", text), word.span, habit.label)
            .with_help(habit.help)
            .report(self);
        true
    }
}
