//! `use "stock.ser"`: puts every file that a program uses behind it, into one text.
//!
//! Nothing here fails: why a file cannot be used stands in the text in its place, and is reported
//! where it is used, like any other mistake. Files that are the same (`a.ser`, `../b/a.ser`, links)
//! are there once.

use super::{read_bytes, read_text, text_of};
use ser_base::{FILE_MARK, Limits, add_file, add_same_file, parts, path_from};
use ser_report::Kind;
use ser_syntax::{MAX_FILES, MAX_SOURCE_BYTES, uses};
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

/// Whoever has the texts of files: the disk, or an editor that has not saved them.
pub type Reader<'a> = &'a dyn Fn(&Path) -> Result<String, String>;

/// A program with everything that it uses. `name` is how the user calls its file; paths are seen
/// from the folder of the file that they stand in, and of standard input from here.
pub fn with_used_files(name: &str, mut text: String, read: Reader<'_>) -> String {
    let own = if name == "-" { "" } else { name };
    // What is there: the names, and which files they are.
    let mut known = BTreeSet::new();
    let mut files: Vec<PathBuf> = vec![identity(Path::new(own))];
    let mut left: VecDeque<String> = uses(&text).iter().map(|it| path_from("", &it.path)).collect();
    while let Some(next) = left.pop_front() {
        // A name with control characters could say that another file begins.
        if next.contains(char::is_control) || !known.insert(next.clone()) {
            continue;
        }
        let path = beside(own, &next);
        let file = identity(&path);
        let is_program = Kind::of(&next) == Some(Kind::Program);
        if let Some(same) = files.iter().position(|it| is_program && *it == file) {
            add_same_file(&mut text, &next, same);
            files.push(PathBuf::new());
            continue;
        }
        let content = match is_program {
            _ if known.len() > MAX_FILES => {
                Err(format!("a program can use at most {MAX_FILES} other files"))
            }
            true => read(&path).and_then(|it| plain(it, text.len())),
            false => Err("only files whose names end in `.ser` can be used".to_owned()),
        };
        if let Ok(content) = &content {
            left.extend(uses(content).iter().map(|it| path_from(&next, &it.path)));
        }
        add_file(&mut text, &next, content.as_deref().map_err(String::as_str));
        files.push(file);
    }
    text
}

/// The files that a file on the disk uses now, those that cannot be read included.
pub fn used_files(name: &str) -> Vec<PathBuf> {
    if name == "-" {
        return Vec::new();
    }
    let whole = read_text(name, &Limits::default()).unwrap_or_default();
    parts(&whole).iter().skip(1).map(|part| beside(name, part.name)).collect()
}

/// The text of a file, if it can be put behind so many bytes.
fn plain(text: String, before: usize) -> Result<String, String> {
    if text.contains(FILE_MARK) {
        return Err(MARKED.to_owned());
    }
    match before + text.len() <= MAX_SOURCE_BYTES {
        true => Ok(text),
        false => {
            Err(format!("with it, there would be more than {} MiB to read", MAX_SOURCE_BYTES >> 20))
        }
    }
}

/// What is wrong with a text that could be taken for several files.
pub const MARKED: &str = "it has the control character U+001C, which separates files";

/// The text of a file on the disk.
pub fn from_disk(path: &Path) -> Result<String, String> {
    if path.exists() && !path.is_file() {
        return Err("this is not a file".to_owned());
    }
    let limits = Limits::default();
    let text = read_bytes(&path.to_string_lossy(), &limits).and_then(text_of);
    text.map_err(|error| error.sentence())
}

/// Where a file is that is called so as seen from the folder of another one.
pub fn beside(own: &str, name: &str) -> PathBuf {
    Path::new(own).parent().unwrap_or(Path::new("")).join(name)
}

/// What two names of one file have in common.
fn identity(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
