//! Suites: programs in folders, and what is expected of them.

use crate::Failure;
use crate::verdict::{SERIALIZABILITY, Verdict};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// A program of a suite.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// Where it is.
    pub path: String,
    /// What it is called in reports.
    pub name: String,
    /// What is expected of it, if anybody says.
    pub expected: Option<Verdict>,
    /// What a paper says about it.
    pub published: Published,
}

/// Published times in milliseconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Published {
    /// Until there was a certificate.
    pub certificate: Option<f64>,
    /// All in all.
    pub total: Option<f64>,
}

/// The most levels of folders to look into: a guard against links that lead in circles.
const MAX_DEPTH: usize = 32;

/// What is expected of programs, by name.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Expectations(Vec<(PathBuf, Option<Verdict>, Published)>);

impl Expectations {
    /// Reads a list: comma-separated values with the columns `file` and `serializable` (`yes` or
    /// `no`), and perhaps `paper_certificate_ms` and `paper_total_ms` (numbers, or `TIMEOUT`).
    pub fn read(path: &str) -> Result<Expectations, Failure> {
        let text = std::fs::read_to_string(path).map_err(|e| unreadable(Path::new(path), e))?;
        Expectations::parse(path, &text)
    }

    /// The same, from the text of a list.
    pub fn parse(path: &str, text: &str) -> Result<Expectations, Failure> {
        let mut reader = csv::ReaderBuilder::new();
        let mut reader = reader.flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
        let bad =
            |row: usize, message: String| Failure::new(format!("{path}, row {row}: {message}"));
        let names = reader.headers().map_err(|e| bad(1, e.to_string()))?.clone();
        let column = |name: &str| names.iter().position(|it| it == name);
        let needed = |name: &str| {
            let help = "the first line names the columns: file,serializable";
            let missing = format!("{path} has no column `{name}` in its first line");
            column(name).ok_or_else(|| Failure::new(missing).help(help))
        };
        let (file, verdict) = (needed("file")?, needed("serializable")?);
        let (certificate, total) = (column("paper_certificate_ms"), column("paper_total_ms"));
        let mut list = Vec::new();
        for (at, row) in reader.records().enumerate() {
            let bad = |message: String| bad(at + 2, message);
            let row = row.map_err(|e| bad(e.to_string()))?;
            let cell = |column: usize| row.get(column).unwrap_or_default();
            let expected = match cell(verdict) {
                "" | "?" | "unknown" => None,
                text => Some(Verdict::named(text, SERIALIZABILITY).ok_or_else(|| {
                    bad(format!("`serializable` is `{text}`; it can be yes, no or empty"))
                })?),
            };
            let time = |column: Option<usize>| match column.map(cell) {
                None | Some("") => Ok(None),
                Some(text) if text.eq_ignore_ascii_case("timeout") => Ok(None),
                Some(text) => match text.parse::<f64>() {
                    Ok(ms) if ms.is_finite() && ms >= 0.0 => Ok(Some(ms)),
                    _ => Err(bad(format!("`{text}` is not a time in milliseconds"))),
                },
            };
            let published = Published { certificate: time(certificate)?, total: time(total)? };
            if cell(file).is_empty() {
                return Err(bad("`file` is empty".into()));
            }
            list.push((PathBuf::from(cell(file)), expected, published));
        }
        Ok(Expectations(list))
    }

    /// What is expected of a program: the entry whose name is the end of its path.
    fn of(&self, path: &Path) -> Option<(Option<Verdict>, Published)> {
        let found = self.0.iter().find(|(name, ..)| path.ends_with(name));
        found.map(|(_, expected, published)| (*expected, *published))
    }
}

/// All programs at these paths: files as they are, folders with all they contain, sorted.
pub fn find(paths: &[String], expectations: &Expectations) -> Result<Vec<Entry>, Failure> {
    let mut files = Vec::new();
    let mut known = BTreeSet::new();
    for path in paths {
        let mut found = Vec::new();
        let path = Path::new(path);
        if path.is_dir() {
            walk(path, 0, &mut found)?;
            found.sort();
        } else {
            std::fs::metadata(path).map_err(|e| unreadable(path, e))?;
            found.push(path.to_owned());
        }
        files.extend(found.into_iter().filter(|file| known.insert(file.clone())));
    }
    if files.is_empty() {
        let message = format!("there are no programs (.ser or .json) in {}", paths.join(", "));
        return Err(Failure::new(message).help("name files, or folders that contain some"));
    }
    let shared = common_folder(&files);
    let entries = files.iter().map(|file| {
        let (expected, published) = expectations.of(file).unwrap_or_default();
        Entry {
            path: file.to_string_lossy().into_owned(),
            name: file.strip_prefix(&shared).unwrap_or(file).to_string_lossy().into_owned(),
            expected: expected.or_else(|| expected_in(file)),
            published,
        }
    });
    Ok(entries.collect())
}

fn unreadable(path: &Path, error: io::Error) -> Failure {
    Failure::new(format!("cannot read {}: {error}", path.display()))
}

fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    if depth > MAX_DEPTH {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder).map_err(|e| unreadable(folder, e))? {
        let path = entry.map_err(|e| unreadable(folder, e))?.path();
        if path.is_dir() {
            walk(&path, depth + 1, found)?;
        } else if path.extension().is_some_and(|e| e == "ser" || e == "json") {
            found.push(path);
        }
    }
    Ok(())
}

/// The longest folder that all files are in; names in reports begin after it.
fn common_folder(files: &[PathBuf]) -> PathBuf {
    let mut shared = files.first().and_then(|f| f.parent()).unwrap_or(Path::new("")).to_owned();
    for file in files {
        while !file.starts_with(&shared) {
            if !shared.pop() {
                break;
            }
        }
    }
    shared
}

/// What a program says about itself: `// expect: ...` on a line of its own in the leading comment,
/// or `"_expect"` in JSON.
fn expected_in(file: &Path) -> Option<Verdict> {
    let text = std::fs::read_to_string(file).ok()?;
    if file.extension().is_some_and(|e| e == "json") {
        let value: serde_json::Value = serde_json::from_str(&text).ok()?;
        return Verdict::named(value.get("_expect")?.as_str()?, SERIALIZABILITY);
    }
    let comments = text.lines().map(str::trim).take_while(|l| l.starts_with("//") || l.is_empty());
    comments
        .filter_map(|line| line.trim_start_matches('/').trim().strip_prefix("expect:"))
        .find_map(|words| Verdict::named(words, SERIALIZABILITY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_expected_verdicts_are_read() {
        let text =
            "file,serializable,paper_total_ms\na.ser,yes,12\n\"b,c.ser\",no,TIMEOUT\nd.ser,,\n";
        let list = Expectations::parse("list", text).unwrap();
        let of = |name: &str| list.of(Path::new(name));
        let (expected, published) = of("x/a.ser").unwrap();
        assert_eq!((expected, published.total), (Some(Verdict::Yes), Some(12.0)));
        let (expected, published) = of("b,c.ser").unwrap();
        assert_eq!((expected, published.total), (Some(Verdict::No), None));
        assert_eq!(of("d.ser").unwrap().0, None);
        assert_eq!(of("xa.ser"), None);
    }

    #[test]
    fn nonsense_in_lists_is_told_with_its_place() {
        let message = |text: &str| Expectations::parse("l.csv", text).unwrap_err().to_string();
        assert_eq!(message(""), "l.csv has no column `file` in its first line");
        assert!(message("file\n").contains("`serializable`"));
        let head = "file,serializable,paper_total_ms\n";
        assert!(message(&format!("{head}a.ser,maybe,1\n")).starts_with("l.csv, row 2: "));
        assert!(message(&format!("{head}a.ser,yes,soon\n")).contains("`soon` is not a time"));
        assert!(message(&format!("{head},yes,1\n")).contains("`file` is empty"));
    }

    #[test]
    fn names_begin_after_the_shared_folder() {
        let files = ["/s/a/x.ser", "/s/b/y.ser"].map(PathBuf::from);
        assert_eq!(common_folder(&files), PathBuf::from("/s"));
        assert_eq!(common_folder(&files[..1]), PathBuf::from("/s/a"));
        assert_eq!(common_folder(&["x.ser", "b/y.ser"].map(PathBuf::from)), PathBuf::from(""));
    }
}
