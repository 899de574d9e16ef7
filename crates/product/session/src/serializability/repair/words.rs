//! Edits change nothing but what they are for: no comment is lost, no code ends up in one.

use super::RepairKind;
use ser_syntax::lexer::{Token, TokenKind, lex};

/// Whether a change keeps all comments, and all other words in their order: to remove or move
/// yield points touches only `yield`, `;` and `0`; a lock only adds, apart from a `return` that is
/// rewritten.
pub(super) fn are_kept(kind: RepairKind, before: &str, after: &str) -> bool {
    comments(before) == comments(after)
        && match kind {
            RepairKind::RemoveYields | RepairKind::MoveYields => {
                code(before, is_fixed).eq(code(after, is_fixed))
            }
            RepairKind::Lock => {
                let mut after = code(after, is_any);
                code(before, is_not_return).all(|word| after.any(|other| other == word))
            }
        }
}

fn comments(text: &str) -> Vec<&str> {
    let is_comment = |k| matches!(k, TokenKind::LineComment | TokenKind::BlockComment);
    let mut found: Vec<&str> = lex(text)
        .into_iter()
        .filter(|t| is_comment(t.kind))
        .map(|t| t.text(text).trim_end())
        .collect();
    found.sort_unstable();
    found
}

fn code(text: &str, counts: fn(Token, &str) -> bool) -> impl Iterator<Item = &str> {
    let tokens = lex(text).into_iter().filter(|t| !t.kind.is_trivia());
    tokens.filter(move |t| counts(*t, text)).map(move |t| t.text(text))
}

fn is_fixed(token: Token, text: &str) -> bool {
    !matches!(token.kind, TokenKind::Yield | TokenKind::Semicolon) && token.text(text) != "0"
}

fn is_any(_: Token, _: &str) -> bool {
    true
}

fn is_not_return(token: Token, _: &str) -> bool {
    token.kind != TokenKind::Return
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_ends_up_in_a_comment_is_noticed() {
        let before = "request a { X := 1; Y := 2;\n yield; // why\n X }";
        let after = "request a { X := 1; yield; // why Y := 2;\n X }";
        assert!(!are_kept(RepairKind::MoveYields, before, after));
        assert!(are_kept(RepairKind::MoveYields, before, before));
    }

    #[test]
    fn a_lock_only_adds() {
        let before = "request a { x := X; yield; return x }";
        let after = "request a { L := 1; x := X; yield; L := 0; return x }";
        assert!(are_kept(RepairKind::Lock, before, after));
        assert!(!are_kept(RepairKind::Lock, after, before));
    }
}
