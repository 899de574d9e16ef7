//! Whether a command printed what a page says.

/// Whether the output is the expected one, up to times, blanks at the ends, and `...`, which stands
/// for any lines where it is a line of its own, and for any characters within a line.
pub fn matches(expected: &str, actual: &str) -> bool {
    let (expected, actual) = (tidy(expected), tidy(actual));
    let vacuous = expected.iter().all(|line| line.trim() == "..." || line.is_empty());
    if vacuous && !expected.is_empty() {
        return false;
    }
    wildcard(&expected, &actual, &|e| e.trim() == "...", &|e, a| {
        let pieces: Vec<&str> = e.split("...").collect();
        line_matches(&pieces, a)
    })
}

/// Lines without times and without blanks at their ends, and no empty lines around them.
fn tidy(text: &str) -> Vec<String> {
    let text = without_times(text);
    let mut lines: Vec<String> = text.lines().map(|line| line.trim_end().to_owned()).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let blank = lines.iter().take_while(|line| line.is_empty()).count();
    lines.split_off(blank)
}

/// Whether lines match, where some patterns stand for any number of lines.
fn wildcard(
    expected: &[String],
    actual: &[String],
    any: &dyn Fn(&str) -> bool,
    same: &dyn Fn(&str, &str) -> bool,
) -> bool {
    // possible[j]: the patterns so far match the first j lines.
    let mut possible = vec![false; actual.len() + 1];
    possible[0] = true;
    for pattern in expected {
        let mut next = vec![false; actual.len() + 1];
        for j in 0..=actual.len() {
            next[j] = if any(pattern) {
                possible[j] || (j > 0 && next[j - 1])
            } else {
                j > 0 && possible[j - 1] && same(pattern, &actual[j - 1])
            };
        }
        possible = next;
    }
    possible[actual.len()]
}

/// Whether the pieces occur in this order, the first at the start and the last at the end.
fn line_matches(pieces: &[&str], line: &str) -> bool {
    match pieces {
        [] => false,
        [all] => *all == line,
        [first, rest @ ..] => {
            let Some(line) = line.strip_prefix(first) else { return false };
            (0..=line.len())
                .filter(|i| line.is_char_boundary(*i))
                .any(|i| line_matches(rest, &line[i..]))
        }
    }
}

/// Replaces numbers that are followed by ` ms` or ` s`.
pub fn without_times(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        result.push_str(before);
        let end = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
        let (digits, after) = number.split_at(end);
        let unit = [" ms", " s"].iter().find_map(|unit| after.strip_prefix(unit));
        match unit.filter(|next| !next.starts_with(|c: char| c.is_alphanumeric())) {
            Some(next) => {
                result.push_str("TIME");
                rest = next;
            }
            None => {
                result.push_str(digits);
                rest = after;
            }
        }
    }
    result.push_str(rest);
    result
}
