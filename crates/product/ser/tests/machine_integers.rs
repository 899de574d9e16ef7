//! Numbers at the ends of 64 bits, wherever a user may write one. A value that does not fit is an
//! error with a place, or `unknown` with its line; it never becomes another value.

use crate::common::{self, Output, file, folder, ser, ser_with};
use serde_json::Value;

const MAX: &str = "9223372036854775807";
const MIN: &str = "-9223372036854775808";

fn check(program: &str) -> Output {
    let program = program.replace("MAX", MAX).replace("MIN", MIN);
    ser_with(&["check", "--format", "json", "--timeout", "20", "-"], program.as_bytes(), &[])
}

fn json(output: &Output) -> Value {
    serde_json::from_str(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

#[test]
fn the_ends_of_the_range_are_ordinary_values() {
    for (program, verdict) in [
        ("request a { X := MAX; yield; X }", 0),
        ("request a { X := MIN; yield; X }", 0),
        ("const C = MAX request a { X := C; yield; X }", 0),
        ("request a(p in MAX - 2..MAX) { X := p; yield; X }", 1),
        ("request a(p in MIN..MIN + 2) { X := p; yield; X }", 1),
        ("X := MAX request a { x := X; yield; if (x > MAX - 3) { X := x - 1 }; x }", 1),
        ("X := MIN request a { x := X; yield; if (x < MIN + 3) { X := x + 1 }; x }", 1),
        ("request a { X := choose(MAX - 1..MAX); yield; X }", 0),
        ("request a { X := 1 - X; yield; if (X - MAX < 0) { 1 } else { 2 } }", 0),
        ("request a { X := 3037000499 * 3037000499; yield; X }", 0),
        ("request a { X := MIN / 1; X }", 0),
    ] {
        let output = check(program);
        assert_eq!(output.code, Some(verdict), "{program}: {output:?}");
    }
}

#[test]
fn responses_have_the_values_that_were_written() {
    let output = check("request a(p in MAX - 1..MAX) { X := p; yield; X }");
    let outcome = json(&output)["counterexample"]["outcome"].to_string();
    assert!(outcome.contains(MAX) || outcome.contains("9223372036854775806"), "{outcome}");
    assert!(!outcome.contains("-92"), "{outcome}");
}

#[test]
fn a_value_that_leaves_the_range_is_unknown_and_has_a_line() {
    for program in [
        "request a { X := MAX; yield; X := X + 1; X }",
        "request a { X := MIN; yield; X := X - 1; X }",
        "request a { X := MIN; yield; X := -X; X }",
        "request a { X := MIN; yield; X * -1 }",
        "request a { X := 4611686018427387904; yield; X := X + X; X }",
        "request a { X := 4611686018427387904; yield; X := X * 2; X }",
        "request a { X := 3037000500; yield; X := X * X; X }",
        "request a { X := MAX * 2; yield; X }",
        "request a { N := N + MAX; yield; N := N - MAX; N }",
        "request a(p in MAX - 2..MAX) { X := X + p; yield; X }",
        "request a { X := 1 - X; yield; if (X == 1 && MAX + X > 0) { 1 } else { 2 } }",
    ] {
        let output = check(program);
        assert_eq!(output.code, Some(3), "{program}: {output:?}");
        let report = json(&output);
        let reason = report["reason"].as_str().unwrap_or_default().to_owned();
        assert!(reason.contains("64-bit"), "{program}: {output:?}");
        assert_eq!(report["line"], 1, "{program}: {output:?}");
    }
}

#[test]
fn counters_near_the_end_of_the_range_still_count() {
    for program in [
        "request a { while (N > 0) { yield }; N := N + MAX; yield; N := N - MAX; 0 }",
        "request a { while (N < 0) { yield }; N := N - MAX; yield; N := N + MAX; 0 }",
    ] {
        assert_eq!(check(program).code, Some(0), "{program}");
    }
}

#[test]
fn numbers_that_do_not_fit_are_errors_at_their_place() {
    for program in [
        "request a { X := 9223372036854775808; X }",
        "request a { X := -9223372036854775809; X }",
        "request a { X := 99999999999999999999999999999999999999; X }",
        "const C = MAX + 1 request a { C }",
        "const C = MIN - 1 request a { C }",
        "const C = -MIN request a { C }",
        "const C = MAX * MAX request a { C }",
        "X := MAX + 1 request a { X }",
        "request a(p in 0..MAX) { p }",
        "request a(p in MIN..MAX) { p }",
        "request a(p in 0..99, q in 0..99, r in 0..MAX) { p }",
        "request a { choose(MIN..MAX) }",
        "request a { choose(0..MAX + 1) }",
        "request a { choose(MAX..MIN) }",
    ] {
        let output = check(program);
        assert_eq!(output.code, Some(2), "{program}: {output:?}");
        let error = &json(&output)["errors"][0];
        assert_eq!(error["line"], 1, "{program}: {output:?}");
        assert!(error["column"].as_u64() > Some(1), "{program}: {output:?}");
    }
}

#[test]
fn nets_with_very_many_tokens_are_not_mistaken() {
    let folder = folder("integers-nets");
    let numbers = ["2147483648", "4294967296", "9223372036854775807", "18446744073709551615"];
    for tokens in numbers {
        let text = format!("net n\npl a ({tokens})\npl b (0)\ntr t a -> b\ntr u b*2 -> a\n");
        let net = file(&folder, "tokens.net", text);
        let weight = format!("net n\npl a (1)\npl b (0)\ntr t a*{tokens} -> b*{tokens}\n");
        let weight = file(&folder, "weight.net", weight);
        let sum = format!("net n\npl a (1)\npl b (0)\ntr t a -> b*{tokens} b*{tokens}\n");
        let sum = file(&folder, "sum.net", sum);
        for (net, query) in [
            (&net, format!("a > {tokens}")),
            (&net, format!("a + b > {tokens}")),
            (&net, format!("{tokens} * a + {tokens} * b < 0")),
            (&weight, "b >= 1".to_owned()),
            (&weight, format!("b >= {tokens}")),
            (&sum, "b < 0".to_owned()),
        ] {
            let output = ser(&["reach", net, "--query", &query, "--timeout", "3"]);
            // None of these is reachable: there are never more tokens than at the start, or fewer
            // than none, and one token is not enough.
            assert!(matches!(output.code, Some(0 | 2 | 3)), "{tokens} {net} {query}: {output:?}");
        }
    }
    for tokens in ["18446744073709551616", "99999999999999999999999", "-1"] {
        let net = file(&folder, "large.net", format!("net n\npl a ({tokens})\ntr t a ->\n"));
        let output = ser(&["reach", &net, "--query", "a = 0"]);
        assert_eq!(output.code, Some(2), "{tokens}: {output:?}");
        assert!(output.stderr.contains("large.net:2:"), "{tokens}: {output:?}");
    }
}

#[test]
fn pnml_with_very_many_tokens_is_not_mistaken() {
    let folder = folder("integers-pnml");
    for tokens in ["4294967296", "9223372036854775807", "18446744073709551616"] {
        let text = format!(
            r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="a"><initialMarking><text>{tokens}</text></initialMarking></place><place id="b"/>
<transition id="t"/><arc id="x" source="a" target="t"/><arc id="y" source="t" target="b"/>
</page></net></pnml>"#
        );
        let net = file(&folder, "n.pnml", text);
        let output = ser(&["reach", &net, "--query", "a + b < 1", "--timeout", "3"]);
        assert!(matches!(output.code, Some(0 | 2 | 3)), "{tokens}: {output:?}");
    }
}

#[test]
fn certificates_with_very_large_numbers_are_rejected() {
    let folder = folder("integers-certificates");
    let mut tried = 0;
    for (name, program) in [
        ("racy.ser", "request up { x := X; yield; if (x < 2) { X := x + 1 }; x }"),
        (
            "calm.ser",
            "request a { while (L == 1) { yield }; L := 1; yield; X := 1 - X; L := 0; X }",
        ),
        ("sums.ser", "request a { X := 1 - X; yield; X := 1 - X }"),
    ] {
        let source = file(&folder, name, program);
        let path = common::text(&folder.join("c.json"));
        ser(&["check", "--without", "rules,movers", "--certificate", &path, &source]);
        let text = std::fs::read_to_string(&path).expect("a certificate");
        let digits: Vec<usize> = text
            .match_indices(|c: char| c.is_ascii_digit())
            .map(|(at, _)| at)
            .filter(|at| {
                !text[..*at].ends_with(|c: char| c.is_alphanumeric() || "\"@_".contains(c))
            })
            .collect();
        let large = ["9223372036854775807", "9223372036854775808", "18446744073709551615"];
        let more = ["18446744073709551616", "4294967296", "-9223372036854775808"];
        for at in digits.iter().step_by(digits.len() / 12 + 1) {
            let end =
                text[*at..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |i| at + i);
            for number in large.iter().chain(&more) {
                let changed = format!("{}{number}{}", &text[..*at], &text[end..]);
                let changed = file(&folder, "changed.json", changed);
                let output = ser(&["verify", "--source", &source, "--timeout", "10", &changed]);
                assert!(matches!(output.code, Some(1..=3)), "{name}: {number} at {at}: {output:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 60, "{tried}");
}

#[test]
fn limits_may_be_as_large_as_one_likes() {
    let program = b"request a { X := 1; yield; X }";
    let check = |option: &str, value: &str| {
        ser_with(&["check", &format!("{option}={value}"), "-"], program, &[]).code
    };
    for (option, value) in [
        ("--timeout", "1e300"),
        ("--timeout", "1e-300"),
        ("--memory", "18446744073709551615"),
        ("--max-states", "18446744073709551615"),
        ("--search-states", "18446744073709551615"),
        ("--max-requests", "18446744073709551615"),
        ("--max-in-flight", "4294967295"),
        ("--jobs", "18446744073709551615"),
    ] {
        assert!(matches!(check(option, value), Some(0 | 3)), "{option} {value}");
    }
    for (option, value) in [
        ("--timeout", "nan"),
        ("--timeout", "-1"),
        ("--timeout", "0"),
        ("--timeout", "inf"),
        ("--timeout", "1e999"),
        ("--memory", "0"),
        ("--memory", "-1"),
        ("--memory", "18446744073709551616"),
        ("--jobs", "-1"),
        ("--max-in-flight", "4294967296"),
    ] {
        assert_eq!(check(option, value), Some(2), "{option} {value}");
    }
}
