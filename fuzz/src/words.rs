//! Mutations of text: words and signs are exchanged, repeated, left out, and numbers are changed.

use ser_fuzz::Random;

/// Texts with more words are left to libFuzzer.
const MAX_WORDS: usize = 4000;

/// Changes a few words of a text; nothing if it has none.
pub fn words(text: &str, random: &mut Random) -> Option<String> {
    let mut words = split(text);
    if words.is_empty() || words.len() > MAX_WORDS {
        return None;
    }
    for _ in 0..random.between(1, 3) {
        let at = random.below(words.len());
        let other = words[random.below(words.len())].clone();
        // A stretch of words, short ones first: an arc, a statement, an element.
        let longest = 1 << random.below(6);
        let end = (at + 1 + random.below(longest)).min(words.len());
        match random.below(6) {
            0 if words.len() > end - at => drop(words.drain(at..end)),
            1 => words[at] = other,
            2 => words.insert(at, other),
            3 => {
                let stretch = words[at..end].to_vec();
                let to = random.below(words.len());
                words.splice(to..to, stretch);
            }
            4 => {
                let with = random.below(words.len());
                words.swap(at, with);
            }
            _ => {
                let numbers =
                    ["0", "1", "2", "9223372036854775807", "18446744073709551615", "4294967296"];
                let is_number = |w: &String| w.starts_with(|c: char| c.is_ascii_digit());
                let at = words.iter().skip(at).position(is_number).map_or(at, |i| at + i);
                words[at] = numbers[random.below(numbers.len())].to_owned();
            }
        }
    }
    Some(words.concat())
}

/// Runs of letters and digits, runs of blanks, and all other characters one by one.
fn split(text: &str) -> Vec<String> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 1,
        c if c.is_whitespace() => 2,
        _ => 0,
    };
    let mut words: Vec<String> = Vec::new();
    let mut last = 0;
    for c in text.chars() {
        match words.last_mut() {
            Some(word) if kind(c) == last && last > 0 => word.push(c),
            _ => words.push(c.to_string()),
        }
        last = kind(c);
    }
    words
}
