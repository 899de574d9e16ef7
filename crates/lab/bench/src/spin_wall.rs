//! From which size on something is too much for a tool: sizes are doubled until it is, then the
//! range between the last good and the first bad one is halved.
//!
//! This takes for granted that the cost grows with the size. Where it does not, what comes out is
//! still a size that was too much right after one that was not.

use std::collections::BTreeMap;

/// What is known about where a tool gives up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wall {
    /// The smallest size that was too much.
    At(u32),
    /// Not even this size, the largest that was allowed, was too much.
    Above(u32),
    /// The search was called off.
    Unfinished,
}

impl Wall {
    /// The size in a table.
    ///
    /// ```
    /// use ser_bench::spin_wall::Wall;
    /// assert_eq!([Wall::At(7).text(), Wall::Above(30).text()], ["7", "> 30"]);
    /// ```
    pub fn text(self) -> String {
        match self {
            Wall::At(size) => size.to_string(),
            Wall::Above(size) => format!("> {size}"),
            Wall::Unfinished => "?".to_owned(),
        }
    }
}

/// All runs of a search, by size, and what they say.
#[derive(Clone, Debug)]
pub struct Search<R> {
    pub runs: BTreeMap<u32, R>,
    /// Where the tool gives up.
    pub wall: Wall,
}

/// Looks for the smallest size from 1 to `most` that is too much. `run` gives nothing if it was
/// called off.
///
/// ```
/// use ser_bench::spin_wall::{Wall, smallest};
/// let search = smallest(100, |size| Some(size * size), |cost| *cost > 150);
/// assert_eq!(search.wall, Wall::At(13));
/// assert_eq!(search.runs.into_keys().collect::<Vec<_>>(), [1, 2, 4, 8, 12, 13, 14, 16]);
/// ```
pub fn smallest<R>(
    most: u32,
    mut run: impl FnMut(u32) -> Option<R>,
    too_much: impl Fn(&R) -> bool,
) -> Search<R> {
    let mut runs = BTreeMap::new();
    let mut is_too_much = |size: u32| -> Option<bool> {
        let result = run(size)?;
        let verdict = too_much(&result);
        runs.insert(size, result);
        Some(verdict)
    };
    let wall = climb(most.max(1), &mut is_too_much).unwrap_or(Wall::Unfinished);
    Search { runs, wall }
}

fn climb(most: u32, is_too_much: &mut impl FnMut(u32) -> Option<bool>) -> Option<Wall> {
    // Everything up to `good` is good, as far as is known; `bad` is not.
    let (mut good, mut bad) = (0, 1);
    while !is_too_much(bad)? {
        if bad == most {
            return Some(Wall::Above(most));
        }
        (good, bad) = (bad, bad.saturating_mul(2).min(most));
    }
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if is_too_much(middle)? {
            bad = middle;
        } else {
            good = middle;
        }
    }
    Some(Wall::At(bad))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tool that copes with sizes below the wall.
    fn with_wall(wall: u32, most: u32) -> (Wall, Vec<u32>) {
        let mut order = Vec::new();
        let run = |size| {
            order.push(size);
            Some(size)
        };
        let search = smallest(most, run, |size| *size >= wall);
        assert_eq!(search.runs.len(), order.len(), "no size twice: {order:?}");
        (search.wall, order)
    }

    #[test]
    fn every_wall_is_found_and_no_size_is_tried_twice() {
        for most in 1..40 {
            for wall in 1..=most {
                assert_eq!(with_wall(wall, most).0, Wall::At(wall), "{wall} of {most}");
            }
            assert_eq!(with_wall(most + 1, most).0, Wall::Above(most));
        }
    }

    #[test]
    fn few_sizes_are_too_large() {
        // These are what costs time: as many seconds as the limit says, each.
        let (wall, order) = with_wall(11, 30);
        assert_eq!((wall, order), (Wall::At(11), vec![1, 2, 4, 8, 16, 12, 10, 11]));
    }

    #[test]
    fn a_search_that_is_called_off_keeps_what_it_has() {
        let search = smallest(30, |size| (size < 5).then_some(size), |_| false);
        assert_eq!(search.wall, Wall::Unfinished);
        assert_eq!(search.runs.into_keys().collect::<Vec<_>>(), [1, 2, 4]);
    }

    #[test]
    fn the_largest_size_is_never_passed() {
        assert_eq!(with_wall(u32::MAX, 0), (Wall::Above(1), vec![1]));
        assert_eq!(with_wall(u32::MAX, 5), (Wall::Above(5), vec![1, 2, 4, 5]));
    }
}
