//! The words of the language, each in one sentence with an example.

/// A word of the language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keyword {
    /// The word.
    pub word: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// An example.
    pub example: &'static str,
    /// What a completion inserts, with places to fill in.
    pub snippet: &'static str,
}

/// All words, in the order of the alphabet.
pub const KEYWORDS: [Keyword; 15] = [
    Keyword {
        word: "abort",
        meaning: "The request gives up and ends without a response that counts: it need not be explained by a serial run. What it has written stays.",
        example: "if (X != seen) { abort }",
        snippet: "abort",
    },
    Keyword {
        word: "and",
        meaning: "True if both sides are; the right side is evaluated only if the left side is true. The same as `&&`.",
        example: "if (A == 1 and B == 1) { 1 } else { 0 }",
        snippet: "and ",
    },
    Keyword {
        word: "assume",
        meaning: "Goes on if the condition is true; otherwise this path does not exist.",
        example: "assume(Stock > 0)",
        snippet: "assume(${1:condition})",
    },
    Keyword {
        word: "choose",
        meaning: "Any value of the range, both ends included: every choice is looked at.",
        example: "server := choose(0..2)",
        snippet: "choose(${1:0}..${2:1})",
    },
    Keyword {
        word: "const",
        meaning: "A name for a number that never changes.",
        example: "const LAST = 3",
        snippet: "const ${1:N} = ${2:1}",
    },
    Keyword {
        word: "else",
        meaning: "What happens if the condition of the `if` is false.",
        example: "if (X == 0) { 1 } else { 2 }",
        snippet: "else { $0 }",
    },
    Keyword {
        word: "exit",
        meaning: "Reserved; to respond and end the request, write `return`.",
        example: "return 1",
        snippet: "return $0",
    },
    Keyword {
        word: "if",
        meaning: "Chooses by a condition: 0 is false, anything else is true. Its value is that of the branch taken.",
        example: "if (Stock > 0) { Stock := Stock - 1; 1 } else { 0 }",
        snippet: "if (${1:condition}) {\n\t$0\n}",
    },
    Keyword {
        word: "in",
        meaning: "The values of a parameter, both ends included; each is a request of its own.",
        example: "request read(cell in 0..2) { cell }",
        snippet: "in ${1:0}..${2:1}",
    },
    Keyword {
        word: "not",
        meaning: "1 if the operand is 0, otherwise 0. The same as `!`.",
        example: "if (not Locked) { 1 } else { 0 }",
        snippet: "not ",
    },
    Keyword {
        word: "or",
        meaning: "True if one side is; the right side is evaluated only if the left side is false. The same as `||`.",
        example: "if (A == 1 or B == 1) { 1 } else { 0 }",
        snippet: "or ",
    },
    Keyword {
        word: "request",
        meaning: "A handler: any number of its requests run at the same time, and each ends with a response.",
        example: "request increment { x := X; yield; X := x + 1; x }",
        snippet: "request ${1:name} {\n\t$0\n}",
    },
    Keyword {
        word: "return",
        meaning: "The request responds and ends; without a value, the response is 0.",
        example: "if (Stock == 0) { return 0 }",
        snippet: "return $0",
    },
    Keyword {
        word: "while",
        meaning: "Repeats as long as the condition is true; with `yield` in it, that is how to wait.",
        example: "while (Lock == 1) { yield }",
        snippet: "while (${1:condition}) {\n\t${0:yield}\n}",
    },
    Keyword {
        word: "yield",
        meaning: "Other requests may run here; between two `yield`s, this request runs alone.",
        example: "x := X; yield; X := x + 1",
        snippet: "yield",
    },
];

/// The sign that chooses.
pub const QUESTION: Keyword = Keyword {
    word: "?",
    meaning: "Either 0 or 1: both choices are looked at. A coin that the environment tosses: a timeout, a failure, another server.",
    example: "if (?) { return 0 }",
    snippet: "?",
};

/// What there is to know about a word.
pub fn keyword(word: &str) -> Option<&'static Keyword> {
    KEYWORDS.iter().find(|k| k.word == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ser_syntax::lexer::lex;

    #[test]
    fn every_word_here_is_one_of_the_language() {
        for keyword in KEYWORDS {
            let tokens = lex(keyword.word);
            assert!(tokens.len() == 1 && tokens.iter().all(|t| t.kind.is_keyword()));
        }
        assert!(KEYWORDS.is_sorted_by_key(|k| k.word));
    }

    #[test]
    fn examples_are_programs() {
        for keyword in KEYWORDS.into_iter().chain([QUESTION]) {
            let text = match keyword.word {
                "in" | "request" => keyword.example.to_owned(),
                "const" => format!("{} request other {{ 0 }}", keyword.example),
                _ => format!("request main {{ {} }}", keyword.example),
            };
            let parse = ser_syntax::parse(&text);
            assert!(!parse.has_errors(), "{text}: {:?}", parse.diagnostics);
        }
    }
}
