//! Guessing what a mistyped name was meant to be.

/// Names that are longer are not typed by hand, and neither are more names than this.
const LONG_NAME: usize = 64;
const MAX_GUESSES: usize = 1000;

/// `did you mean ...?` if a known name is close.
///
/// ```
/// let help = ser_base::did_you_mean("mian", ["main", "other"].into_iter());
/// assert_eq!(help.as_deref(), Some("did you mean `main`?"));
/// ```
pub fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    closest_name(name, known).map(|known| format!("did you mean `{known}`?"))
}

/// The known name that is closest to this one, if one is close enough.
pub fn closest_name<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONG_NAME {
        return None;
    }
    let close = known
        .take(MAX_GUESSES)
        .filter(|k| k.len().abs_diff(name.len()) <= 2)
        .map(|k| (edit_distance(name, k), k))
        .min()?;
    // Of a short name, two other characters leave too little, unless they are just swapped.
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    let is_short = name.chars().count() < 4 && sorted(name) != sorted(close.1);
    let most = if is_short { 1 } else { 2 };
    (close.0 <= most && close.0 < name.chars().count()).then_some(close.1)
}

/// Levenshtein's distance; names are short.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
