//! Unified diffs: what changes between two texts, for people and for `patch`.

use similar::TextDiff;
use std::fmt::Write as _;

/// How many lines around a change are shown.
const CONTEXT: usize = 3;

/// Finding the smallest difference can take as many steps as there are pairs of lines. Texts that
/// differ in more lines than this are shown as replaced from their first difference to their last.
const MAX_LINES: usize = 20_000;

/// The changes from `before` to `after`, both texts of the file `name`; nothing if there are none.
///
/// ```
/// let diff = ser::diff::unified("a.ser", "X := 1\n", "X := 2\n");
/// assert_eq!(diff, "--- a.ser\n+++ a.ser\n@@ -1 +1 @@\n-X := 1\n+X := 2\n");
/// ```
pub fn unified(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - same_start;
    let same_end =
        old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    if old.len() + new.len() - 2 * (same_start + same_end) > MAX_LINES {
        return replaced(name, &old, &new, same_start, same_end);
    }
    // `similar` looks for equal beginnings and ends itself.
    let diff = TextDiff::configure().newline_terminated(true).diff_slices(&old, &new);
    diff.unified_diff()
        .context_radius(CONTEXT)
        .header(name, name)
        .missing_newline_hint(true)
        .to_string()
}

/// One large change, without context.
fn replaced(name: &str, old: &[&str], new: &[&str], same_start: usize, same_end: usize) -> String {
    let old = old.get(same_start..old.len() - same_end).unwrap_or(&[]);
    let new = new.get(same_start..new.len() - same_end).unwrap_or(&[]);
    // An empty range is named after the line before it.
    let range = |lines: &[&str]| match lines.len() {
        0 => format!("{same_start},0"),
        n => format!("{},{n}", same_start + 1),
    };
    let mut out = format!("--- {name}\n+++ {name}\n@@ -{} +{} @@\n", range(old), range(new));
    for (sign, lines) in [('-', old), ('+', new)] {
        for line in lines {
            let _ = write!(out, "{sign}{line}");
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_no_diff() {
        assert_eq!(unified("a", "x\n", "x\n"), "");
    }

    #[test]
    fn changes_come_with_three_lines_around_them() {
        let before: String = (0..20).map(|i| format!("{i}\n")).collect();
        let after = before.replace("10\n", "ten\n");
        let expected = "--- a\n+++ a\n@@ -8,7 +8,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n";
        assert_eq!(unified("a", &before, &after), expected);
    }

    #[test]
    fn a_missing_end_of_line_is_told() {
        let expected = "--- a\n+++ a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n";
        assert_eq!(unified("a", "x", "x\n"), expected);
    }

    #[test]
    fn large_changes_take_little_time() {
        let before: String = (0..200_000).map(|i| format!("a{i}\n")).collect();
        let after = format!("{}z\n", before.replace('a', "b"));
        let diff = unified("a", &format!("same\n{before}"), &format!("same\n{after}"));
        assert!(diff.starts_with("--- a\n+++ a\n@@ -2,200000 +2,200001 @@\n-a0\n"));
        assert_eq!(diff.lines().count(), 400_004);
    }
}
