//! What stands between two tokens: a space, the end of a line, and the comments that are there.
//!
//! A line that ended next to a comment in the input ends there again; that keeps comments on the
//! kind of line that they stood on. Only where it did not end is it up to the kind of seam.

use super::plan::Op;
use super::words::{Comment, Gap};

/// The places between two tokens, by what they separate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seam {
    /// Nothing is needed.
    Glue,
    Space,
    /// A space; if a comment ends the line here, the next one is not indented further.
    Flush,
    /// A space, or the end of a line that ended here: before a formula.
    Value,
    /// Before an operator.
    Operator,
    /// After `{` or `(`.
    Open {
        brace: bool,
    },
    /// Before `}` or `)`.
    Close {
        brace: bool,
    },
    /// Between `{` and `}` with nothing but comments between them.
    Inside,
    /// Between parameters.
    List,
    /// Between names that have no brackets around them: as many as fit go on one line.
    Names,
    /// Between statements.
    Statement,
    /// Between items on the same line.
    SameLine,
    /// Between items, before the first and after the last.
    Item,
}

impl Seam {
    /// What is put here if nothing else asks for the end of a line.
    fn usual(self) -> Option<Op> {
        match self {
            Seam::Glue => None,
            Seam::Space | Seam::Flush | Seam::Value => Some(Op::Space),
            Seam::Operator | Seam::List | Seam::Statement | Seam::Inside => {
                Some(Op::Soft { space: true })
            }
            Seam::Open { brace } | Seam::Close { brace } => Some(Op::Soft { space: brace }),
            Seam::SameLine | Seam::Names => Some(Op::Fill),
            Seam::Item => Some(Op::Hard { blank: false, extra: false }),
        }
    }

    /// Between things that may be some way apart, so that a blank line is kept.
    fn separates(self) -> bool {
        matches!(self, Seam::Statement | Seam::Item | Seam::SameLine)
    }

    /// Whether a line that ended here ends here again, without a comment that asks for it.
    fn keeps_break(self) -> bool {
        let brace = matches!(self, Seam::Open { brace: true } | Seam::Close { brace: true });
        self.separates() || brace || self == Seam::Value
    }

    /// Whether there is a bracket before it.
    fn opens(self) -> bool {
        matches!(self, Seam::Open { .. } | Seam::Inside)
    }

    /// Whether there is a bracket after it.
    fn closes(self) -> bool {
        matches!(self, Seam::Close { .. } | Seam::Inside)
    }

    /// Whether the line ends before comments here, if it ends and it is all the same to them.
    fn breaks_before_comments(self) -> bool {
        self.opens() || matches!(self, Seam::Statement | Seam::SameLine | Seam::List | Seam::Names)
    }

    /// Whether the line ends after comments here, if it ends and it is all the same to them.
    fn breaks_after_comments(self) -> bool {
        self.closes() || !self.breaks_before_comments()
    }

    /// Adds what stands here to the plan.
    pub fn plan(self, gap: &Gap, comments: &[Comment], ops: &mut Vec<Op>) {
        if self.opens() {
            ops.push(Op::Indent);
        }
        match comments {
            [] => self.without_comments(gap, ops),
            _ => self.with_comments(gap, comments, ops),
        }
    }

    fn without_comments(self, gap: &Gap, ops: &mut Vec<Op>) {
        if self.closes() {
            ops.push(Op::Dedent);
        }
        if gap.newlines > 0 && self.keeps_break() {
            ops.push(Op::Hard { blank: self.separates() && gap.newlines > 1, extra: false });
        } else {
            ops.extend(self.usual());
        }
    }

    fn with_comments(self, gap: &Gap, comments: &[Comment], ops: &mut Vec<Op>) {
        let broken = gap.is_broken || comments.iter().any(|comment| comment.newlines > 0);
        let usual = self.usual().filter(|_| !broken);
        let extra = matches!(self, Seam::Glue | Seam::Space);
        let apart = self.separates() || self.opens() || self.closes();
        for (i, comment) in comments.iter().enumerate() {
            let is_first = i == 0;
            let blank = apart && comment.newlines > 1 && !(is_first && self.opens());
            ops.push(match usual {
                _ if comment.newlines > 0 => Op::Hard { blank, extra },
                Some(op) if is_first && self.breaks_before_comments() => op,
                _ => Op::Space,
            });
            ops.push(Op::Comment(*comment));
        }
        if self.closes() {
            ops.push(Op::Dedent);
        }
        let blank = apart && gap.newlines > 1 && !self.closes();
        ops.push(match usual {
            _ if gap.newlines > 0 => Op::Hard { blank, extra },
            Some(op) if self.breaks_after_comments() => op,
            _ => Op::Space,
        });
    }
}
