//! Comments at the ends of lines.
//!
//! Consecutive trailing comments that stood in the same column stand in the same column again:
//! where they were, or further to the right if code needs the room. Comments one space after their
//! code were not aligned and stay one space after it. A comment at the right of which nothing
//! changed does not move, and so nothing moves twice.

/// Text without the blanks before trailing comments.
#[derive(Debug, Default)]
pub struct Printed {
    pub text: String,
    /// The trailing comments, in order.
    pub trailing: Vec<Trailing>,
}

/// A trailing comment.
#[derive(Clone, Copy, Debug)]
pub struct Trailing {
    /// Where it starts in the text.
    pub at: usize,
    /// The width of the line before it; `None` if it goes on with the one above.
    pub code: Option<usize>,
    /// Its column in the input.
    pub column: usize,
    /// How many columns were free before it in the input.
    pub room: usize,
    /// Whether its line of code, or the one it belongs to, is longer than lines should be. Nobody
    /// else moves for such a line.
    pub long: bool,
    /// Only comments of the same section are aligned.
    pub section: u32,
}

impl Trailing {
    /// The first column where it can stand.
    fn needed(&self) -> usize {
        self.code.map_or(0, |code| code + 1)
    }

    /// Whether it stands in the same column as the one before it.
    fn is_below(&self, above: &Trailing) -> bool {
        (self.section, self.column) == (above.section, above.column)
            && (self.code.is_none() || !self.long && !above.long)
    }

    /// Whether it stood further to the right than it had to.
    fn is_apart(&self) -> bool {
        self.code.is_some() && self.room > 1
    }
}

/// The text with the blanks.
pub fn align(printed: Printed) -> String {
    let Printed { text, trailing } = printed;
    let mut out = String::with_capacity(text.len() + 16 * trailing.len());
    let mut done = 0;
    for group in trailing.chunk_by(|above, below| below.is_below(above)) {
        let needed = group.iter().map(Trailing::needed).max().unwrap_or(0);
        let apart = group.iter().filter(|c| c.is_apart()).map(|c| c.column).max().unwrap_or(0);
        let column = needed.max(apart);
        for comment in group {
            out.push_str(text.get(done..comment.at).unwrap_or(""));
            let blanks = column.saturating_sub(comment.code.unwrap_or(0));
            out.extend(std::iter::repeat_n(' ', blanks));
            done = comment.at;
        }
    }
    out.push_str(text.get(done..).unwrap_or(""));
    out
}
