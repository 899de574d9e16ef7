//! Verdicts of all methods, and how they compare with what is expected.

/// What somebody says about a question.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Verdict {
    Yes,
    No,
    #[default]
    Unknown,
}

/// What a method calls yes and no.
pub type Names = [&'static str; 2];

/// As in the JSON of `ser check`.
pub const SERIALIZABILITY: Names = ["serializable", "not_serializable"];
pub const REACHABILITY: Names = ["reachable", "unreachable"];
pub const SEQUENTIALIZATION: Names = ["verified", "refuted"];

impl Verdict {
    /// The verdict of somebody who always has one.
    pub fn of(yes: bool) -> Verdict {
        if yes { Verdict::Yes } else { Verdict::No }
    }

    pub fn known(self) -> Option<bool> {
        (self != Verdict::Unknown).then_some(self == Verdict::Yes)
    }

    /// The name in reports.
    pub fn name(self, [yes, no]: Names) -> &'static str {
        match self {
            Verdict::Yes => yes,
            Verdict::No => no,
            Verdict::Unknown => "unknown",
        }
    }

    /// The verdict of this name; also as `yes` and `no`. Whatever follows a comma is a remark.
    ///
    /// ```
    /// use ser_bench::verdict::{SEQUENTIALIZATION, Verdict};
    /// let named = |text| Verdict::named(text, SEQUENTIALIZATION);
    /// assert_eq!(named("refuted, race, line 2"), Some(Verdict::No));
    /// assert_eq!(named("serializable"), None);
    /// ```
    pub fn named(text: &str, [yes, no]: Names) -> Option<Verdict> {
        match text.split(',').next().unwrap_or_default().trim() {
            "yes" => Some(Verdict::Yes),
            "no" => Some(Verdict::No),
            name if name == yes => Some(Verdict::Yes),
            name if name == no => Some(Verdict::No),
            _ => None,
        }
    }
}

/// How a verdict compares with what is expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// As expected.
    Right,
    /// The opposite of what is expected.
    Wrong,
    /// No verdict.
    Unknown,
    /// A verdict, and nothing to compare it with.
    Unjudged,
}

impl Judgement {
    /// Compares a verdict with what is expected.
    pub fn of(verdict: Verdict, expected: Option<Verdict>) -> Judgement {
        match (verdict, expected) {
            (Verdict::Unknown, _) => Judgement::Unknown,
            (_, None) => Judgement::Unjudged,
            (verdict, Some(expected)) if verdict == expected => Judgement::Right,
            _ => Judgement::Wrong,
        }
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Judgement::Right => "yes",
            Judgement::Wrong => "WRONG",
            Judgement::Unknown => "unknown",
            Judgement::Unjudged => "",
        }
    }
}

/// How a process should end: 1 if something is wrong, 3 if there is something missing, otherwise 0.
pub fn exit_code(wrong: bool, missing: bool) -> u8 {
    match (wrong, missing) {
        (true, _) => 1,
        (false, true) => 3,
        (false, false) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_judged() {
        use Verdict::{No, Unknown, Yes};
        assert_eq!(Judgement::of(Yes, Some(Yes)), Judgement::Right);
        assert_eq!(Judgement::of(Yes, Some(No)), Judgement::Wrong);
        assert_eq!(Judgement::of(Unknown, Some(No)), Judgement::Unknown);
        assert_eq!(Judgement::of(No, None), Judgement::Unjudged);
    }

    #[test]
    fn wrong_is_worse_than_unknown() {
        assert_eq!(
            [exit_code(false, false), exit_code(false, true), exit_code(true, true)],
            [0, 3, 1]
        );
    }
}
