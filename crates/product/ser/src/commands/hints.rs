//! What to try next, for those who gave `ser check` nothing to check.

use ser_base::closest_name;
use ser_report::text::shell_file;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// How many files are named.
const MAX_FILES: usize = 3;

/// A message if there is no file, or one without a name.
pub fn nothing_to_do(files: &[String], command: &str) -> Option<String> {
    let problem = if files.is_empty() {
        "there is nothing to check: no file was named"
    } else if files.iter().any(|file| file.trim().is_empty()) {
        "the name of a file is empty"
    } else {
        return None;
    };
    let mut out = format!("error: {problem}\n");
    if command != "check" {
        let _ = writeln!(out, "\nUsage: ser {command} [OPTIONS] <FILE>...");
        return Some(out);
    }
    out.push_str("\nUsage: ser check [OPTIONS] <FILE>...\n\n");
    let mut tries: Vec<(String, &str)> = files_in(Path::new("."), &["ser"])
        .into_iter()
        .map(|path| shell_file(&path.display().to_string()))
        .map(|name| (format!("ser check {name}"), "a program in this folder"))
        .collect();
    if Path::new("examples/lost_update.ser").is_file() {
        tries.push(("ser check examples/lost_update.ser".into(), "an example, step by step"));
    }
    tries.push(("ser new".into(), "write a program to start from"));
    tries.push(("ser check -".into(), "read a program from standard input"));
    tries.push(("ser check --help".into(), "all options"));
    out.push_str("Try one of these:\n");
    let width = tries.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    for (command, why) in tries {
        let _ = writeln!(out, "  {command:width$}  {why}");
    }
    Some(out)
}

/// What may have been meant by a name that is not a file, for a command that reads files with these
/// extensions: lines to print, or nothing.
pub fn instead_of(name: &str, command: &str, extensions: &[&str]) -> String {
    let path = Path::new(name);
    let is_folder = path.is_dir();
    if name == "-" || path.exists() && !is_folder {
        return String::new();
    }
    let folder = match path.parent() {
        _ if is_folder => path,
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // Somebody who asks for a file of one kind wants one of that kind.
    let asked: Vec<&str> =
        extensions.iter().copied().filter(|it| has_extension(path, it)).collect();
    let extensions = if asked.is_empty() { extensions } else { &asked };
    let mut found = files_in(folder, extensions);
    if found.is_empty() && is_folder {
        found = folders_in(folder).iter().flat_map(|it| files_in(it, extensions)).collect();
        found.truncate(MAX_FILES);
    }
    let files: Vec<String> = found
        .iter()
        .map(|file| format!("`ser {command} {}`", shell_file(&file.display().to_string())))
        .collect();
    let mut longer = extensions.iter().map(|extension| path.with_extension(extension));
    if !is_folder
        && path.extension().is_none()
        && let Some(meant) = longer.find(|path| path.is_file())
    {
        let meant = meant.display().to_string();
        return format!("  help: did you mean `ser {command} {}`?\n", shell_file(&meant));
    }
    if let Some(meant) = with_a_slip(path, folder, extensions) {
        return format!("  help: did you mean `ser {command} {}`?\n", shell_file(&meant));
    }
    if !files.is_empty() {
        let there = if is_folder { "for example" } else { "there are others" };
        return format!("  help: {there}: {}\n", files.join(", "));
    }
    if command != "check" {
        return format!("  help: `ser {command} --help` says what it reads\n");
    }
    if is_folder {
        return "  help: there are no programs (.ser) in it; `ser new` writes one\n".into();
    }
    "  help: `ser new` writes a program to start from\n".into()
}

/// The file in a folder whose name is nearly that of `path`, without the extension.
fn with_a_slip(path: &Path, folder: &Path, extensions: &[&str]) -> Option<String> {
    let stem = |path: &Path| path.file_stem()?.to_str().map(str::to_owned);
    let mut files = entries(folder);
    files.retain(|path| path.is_file() && extensions.iter().any(|it| has_extension(path, it)));
    let stems: Vec<String> = files.iter().filter_map(|path| stem(path)).collect();
    let meant = closest_name(&stem(path)?, stems.iter().map(String::as_str))?;
    let meant = files.iter().find(|path| stem(path).as_deref() == Some(meant))?;
    Some(meant.display().to_string())
}

/// A few files in a folder that have one of these extensions, by name.
fn files_in(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut files = entries(folder);
    files.retain(|path| path.is_file() && extensions.iter().any(|it| has_extension(path, it)));
    files.truncate(MAX_FILES);
    files
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|it| it == extension)
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let mut folders = entries(folder);
    folders.retain(|path| path.is_dir());
    folders
}

/// What is in a folder and can be repeated in a message, by name.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> =
        names.filter(|name| !name.contains(char::is_control) && !name.starts_with('.')).collect();
    names.sort();
    let here = folder == Path::new(".");
    names.iter().map(|name| if here { name.into() } else { folder.join(name) }).collect()
}
