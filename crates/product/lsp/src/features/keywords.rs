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
pub const KEYWORDS: [Keyword; 47] = [
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
        word: "assert",
        meaning: "Says that the condition is true here; whether that can fail is asked of every program.",
        example: "assert(Stock >= 0)",
        snippet: "assert(${1:condition})",
    },
    Keyword {
        word: "assume",
        meaning: "Goes on if the condition is true; otherwise this path does not exist.",
        example: "assume(Stock > 0)",
        snippet: "assume(${1:condition})",
    },
    Keyword {
        word: "atomic",
        meaning: "All of the block happens in one step.",
        example: "atomic { X := X + 1; Y := X }",
        snippet: "atomic {\n\t$0\n}",
    },
    Keyword {
        word: "await",
        meaning: "Waits until the condition is true, and goes on in the same step.",
        example: "await X == 1 { X := 0 }",
        snippet: "await ${1:condition}",
    },
    Keyword {
        word: "bits",
        meaning: "Numbers of so many bits, which wrap around.",
        example: "var X: bits 8 = 255",
        snippet: "bits ${1:8}",
    },
    Keyword {
        word: "bool",
        meaning: "The truth values `false` and `true`.",
        example: "var Open: bool = true",
        snippet: "bool",
    },
    Keyword {
        word: "break",
        meaning: "Leaves the loop around it.",
        example: "loop { if (X == 1) { break }; yield }",
        snippet: "break",
    },
    Keyword {
        word: "choose",
        meaning: "Any value of a range or of a type, or any of several blocks: every choice is looked at.",
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
        word: "continue",
        meaning: "Goes on with the next round of the loop around it.",
        example: "for i in 0..2 { if (i == 1) { continue }; yield }",
        snippet: "continue",
    },
    Keyword {
        word: "deadlock",
        meaning: "Asks whether somebody can wait forever.",
        example: "deadlock",
        snippet: "deadlock",
    },
    Keyword {
        word: "done",
        meaning: "In goals: whether all processes have ended, or the one that is named.",
        example: "reach done && X == 1",
        snippet: "done",
    },
    Keyword {
        word: "else",
        meaning: "What happens if the condition of the `if` is false.",
        example: "if (X == 0) { 1 } else { 2 }",
        snippet: "else { $0 }",
    },
    Keyword {
        word: "enum",
        meaning: "A type with these members, the first of which is where its variables start.",
        example: "enum Seat { free, held, sold }",
        snippet: "enum ${1:Name} { ${2:first}, ${3:second} }",
    },
    Keyword {
        word: "exit",
        meaning: "Reserved; to respond and end the request, write `return`.",
        example: "return 1",
        snippet: "return $0",
    },
    Keyword {
        word: "false",
        meaning: "The truth value that is not true; as a number, it is 0.",
        example: "Open := false",
        snippet: "false",
    },
    Keyword {
        word: "fn",
        meaning: "A function: it is put in place wherever it is called.",
        example: "fn larger(a, b) { if (a > b) { a } else { b } }",
        snippet: "fn ${1:name}(${2:x}) {\n\t$0\n}",
    },
    Keyword {
        word: "for",
        meaning: "Once for each value of a range or of a type, in order.",
        example: "for i in 0..2 { X := X + i }",
        snippet: "for ${1:i} in ${2:0}..${3:1} {\n\t$0\n}",
    },
    Keyword {
        word: "if",
        meaning: "Chooses by a condition: 0 is false, anything else is true. Its value is that of the branch taken.",
        example: "if (Stock > 0) { Stock := Stock - 1; 1 } else { 0 }",
        snippet: "if (${1:condition}) {\n\t$0\n}",
    },
    Keyword {
        word: "in",
        meaning: "The values of a parameter, both ends included: each is a request or process of its own. In a `for`, what it goes through.",
        example: "request read(cell in 0..2) { cell }",
        snippet: "in ${1:0}..${2:1}",
    },
    Keyword {
        word: "int",
        meaning: "Whole numbers; a range such as `0..3` says more.",
        example: "var Total: int = 0",
        snippet: "int",
    },
    Keyword {
        word: "invariant",
        meaning: "Asks whether something is always true.",
        example: "invariant room: Stock >= 0",
        snippet: "invariant ${1:name}: ${2:condition}",
    },
    Keyword {
        word: "len",
        meaning: "How many items are in a queue.",
        example: "await len(Q) < 2",
        snippet: "len(${1:queue})",
    },
    Keyword {
        word: "lock",
        meaning: "A lock, or one for each index: `lock Door: [0..2]`. Only `with` takes it.",
        example: "lock Till",
        snippet: "lock ${1:Name}",
    },
    Keyword {
        word: "loop",
        meaning: "Repeats until a `break` or a `return`.",
        example: "loop { if (X == 1) { break }; yield }",
        snippet: "loop {\n\t$0\n}",
    },
    Keyword {
        word: "match",
        meaning: "The first case that fits; together they cover everything.",
        example: "match X { 0 => 1, 1..5 => 2, _ => 3 }",
        snippet: "match ${1:value} {\n\t${2:0} => ${3:1},\n\t_ => $0,\n}",
    },
    Keyword {
        word: "not",
        meaning: "1 if the operand is 0, otherwise 0. The same as `!`.",
        example: "if (not Locked) { 1 } else { 0 }",
        snippet: "not ",
    },
    Keyword {
        word: "of",
        meaning: "What the elements of an array or the items of a queue are.",
        example: "var Plan: [0..2] of bool",
        snippet: "of ",
    },
    Keyword {
        word: "or",
        meaning: "True if one side is; the right side is evaluated only if the left side is false. The same as `||`.",
        example: "if (A == 1 or B == 1) { 1 } else { 0 }",
        snippet: "or ",
    },
    Keyword {
        word: "process",
        meaning: "A process, or one for each value of its parameters: it runs once, beside the others.",
        example: "process Put(id in 0..1) { X := id }",
        snippet: "process ${1:Name} {\n\t$0\n}",
    },
    Keyword {
        word: "queue",
        meaning: "Items in their order, so many at most: `send` puts one in, `recv` takes one out.",
        example: "var Q: queue[2] of 0..3",
        snippet: "queue[${1:2}] of ${2:0}..${3:1}",
    },
    Keyword {
        word: "reach",
        meaning: "Asks whether something can be true.",
        example: "reach \"sold out\": Stock == 0",
        snippet: "reach \"${1:name}\": ${2:condition}",
    },
    Keyword {
        word: "record",
        meaning: "A type with several values in one.",
        example: "record Order { amount: 0..3, paid: bool }",
        snippet: "record ${1:Name} { ${2:field}: ${3:bool} }",
    },
    Keyword {
        word: "recv",
        meaning: "Takes the oldest item of a queue; waits while there is none.",
        example: "x := recv Q",
        snippet: "recv ${1:queue}",
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
        word: "send",
        meaning: "Puts an item into a queue; waits while it is full.",
        example: "send 1 to Q",
        snippet: "send ${1:value} to ${2:queue}",
    },
    Keyword { word: "skip", meaning: "Does nothing.", example: "skip", snippet: "skip" },
    Keyword {
        word: "to",
        meaning: "The queue that an item is sent to.",
        example: "send 1 to Q",
        snippet: "to ",
    },
    Keyword {
        word: "true",
        meaning: "The truth value that is true; as a number, it is 1.",
        example: "Open := true",
        snippet: "true",
    },
    Keyword {
        word: "type",
        meaning: "Another name for a type.",
        example: "type Row = 0..3",
        snippet: "type ${1:Name} = ${2:0}..${3:1}",
    },
    Keyword {
        word: "var",
        meaning: "Declares a variable with its type, its first value, or both.",
        example: "var Stock: 0..3 = 3",
        snippet: "var ${1:Name}: ${2:0}..${3:1}",
    },
    Keyword {
        word: "while",
        meaning: "Repeats as long as the condition is true; with `yield` in it, that is how to wait.",
        example: "while (Lock == 1) { yield }",
        snippet: "while (${1:condition}) {\n\t${0:yield}\n}",
    },
    Keyword {
        word: "with",
        meaning: "Takes a lock, and gives it back on every way out of the block.",
        example: "with Till { Stock := Stock - 1 }",
        snippet: "with ${1:lock} {\n\t$0\n}",
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
    fn all_words_that_cannot_be_names_are_here_in_order() {
        assert!(KEYWORDS.is_sorted_by_key(|k| k.word));
        assert!(KEYWORDS.iter().all(|k| lex(k.word).len() == 1));
        for word in
            ["abort", "assert", "break", "false", "match", "not", "request", "with", "yield"]
        {
            assert!(keyword(word).is_some(), "{word}");
        }
    }

    #[test]
    fn examples_are_programs() {
        const PROCESSES: [&str; 12] = [
            "atomic", "await", "bits", "done", "len", "of", "process", "queue", "recv", "send",
            "skip", "to",
        ];
        const ITEMS: [&str; 12] = [
            "bool",
            "const",
            "deadlock",
            "enum",
            "fn",
            "int",
            "invariant",
            "lock",
            "reach",
            "record",
            "type",
            "var",
        ];
        for keyword in KEYWORDS.into_iter().chain([QUESTION]) {
            let example = keyword.example;
            let text = match keyword.word {
                "in" | "request" => example.to_owned(),
                "of" => format!("{example} request other {{ Plan[0] }}"),
                "process" => format!("var X: 0..1 {example} reach X == 1"),
                "done" => format!("var X: 0..1 process P {{ X := 1 }} {example}"),
                "queue" => format!("{example} process P {{ send 1 to Q }} reach done"),
                "bits" => format!("{example} process P {{ X := 1 }} reach done"),
                word if PROCESSES.contains(&word) => {
                    let variables = "var Q: queue[2] of 0..3 var X: 0..9 var Y: 0..9";
                    format!("{variables} process P {{ {example} }} reach done")
                }
                word if ITEMS.contains(&word) => {
                    format!("{example} request other {{ Stock := 1 }}")
                }
                "with" => format!("lock Till request main {{ {example} }}"),
                _ => format!("request main {{ {example} }}"),
            };
            let file = ser_syntax::read(&text);
            assert!(!file.has_errors(), "{text}: {:?}", file.diagnostics());
        }
    }
}
