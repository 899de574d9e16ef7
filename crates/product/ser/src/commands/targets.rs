//! Where to write what is known about each file: one path for one file, a folder for several.
//!
//! In a folder each file of the command line has a name of its own, whatever folder it comes from,
//! and nothing that is read is ever written to.

use super::answer::Files;
use ser_session::source::used::used_files;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The name of the list of pages in a folder.
pub const LIST: &str = "index.html";

/// The names for the files of a command line.
#[derive(Clone, Debug)]
pub struct Targets {
    /// For each file, how the names of what is written about it begin.
    stems: BTreeMap<String, String>,
    is_folder: bool,
}

impl Targets {
    /// A name for each file. Names that differ only in upper and lower case are the same to some
    /// file systems.
    pub fn new(files: &[String]) -> Targets {
        let mut stems = BTreeMap::new();
        // A page must not take the place of the list.
        let mut taken: BTreeSet<String> = BTreeSet::from(["index".to_owned()]);
        for file in files {
            if stems.contains_key(file) {
                continue;
            }
            let name = if file == "-" { "stdin" } else { file.trim_start_matches(['.', '/']) };
            let flat = name.replace(['/', '\\'], "_");
            let mut stem = flat.clone();
            let mut twin = 2;
            while !taken.insert(stem.to_lowercase()) {
                stem = format!("{flat}-{twin}");
                twin += 1;
            }
            stems.insert(file.clone(), stem);
        }
        Targets { stems, is_folder: files.len() > 1 }
    }

    /// The file to write about an input: the path itself, or a file in the folder of that name,
    /// which is made.
    pub fn target(&self, input: &str, path: &str, extension: &str) -> Result<PathBuf, String> {
        let target = self.place(input, path, extension);
        if target != Path::new(path) {
            std::fs::create_dir_all(path)
                .map_err(|e| format!("cannot make the folder {path}: {e}"))?;
        }
        Ok(target)
    }

    fn place(&self, input: &str, path: &str, extension: &str) -> PathBuf {
        let path = PathBuf::from(path);
        if !self.is_folder && !path.is_dir() {
            return path;
        }
        let stem = self.stems.get(input).map_or("unnamed", String::as_str);
        path.join(format!("{stem}.{extension}"))
    }

    /// The file for the answer of this number, if there are several about an input.
    pub fn numbered(
        &self,
        input: &str,
        path: &str,
        extension: &str,
        number: Option<usize>,
    ) -> Result<PathBuf, String> {
        let Some(number) = number else { return self.target(input, path, extension) };
        let named = Path::new(path);
        let ending = named.extension().and_then(|it| it.to_str());
        match ending.filter(|_| !self.is_folder && !named.is_dir()) {
            Some(ending) => Ok(named.with_extension(format!("{number}.{ending}"))),
            None => {
                std::fs::create_dir_all(path)
                    .map_err(|e| format!("cannot make the folder {path}: {e}"))?;
                self.target(input, path, &format!("{number}.{extension}"))
            }
        }
    }

    /// An error if something that is to be written would take the place of some input.
    pub fn spare(&self, files: &[String], options: &[Files]) -> Result<(), String> {
        let inputs: BTreeMap<PathBuf, &String> = files
            .iter()
            .filter_map(|file| Some((std::fs::canonicalize(file).ok()?, file)))
            .collect();
        let spare = |option: &str, target: &Path| {
            let Ok(there) = std::fs::canonicalize(target) else { return Ok(()) };
            let input = inputs.get(&there).map(|it| (*it).clone());
            let Some(input) = input.or_else(|| used_at(files, &there)) else { return Ok(()) };
            Err(format!(
                "{option}: {} would be written, but this is the input itself: {input}\n  \
                 help: name another {}",
                target.display(),
                if self.is_folder { "folder" } else { "file" }
            ))
        };
        for Files { option, path, extension, .. } in options {
            let Some(path) = path else { continue };
            for file in files {
                spare(option, &self.place(file, path, extension))?;
            }
            if *option == "--html" && self.is_folder {
                spare(option, &Path::new(path).join(LIST))?;
            }
        }
        Ok(())
    }
}

/// The file at a place, if one of these uses it.
pub fn used_at(files: &[String], there: &Path) -> Option<String> {
    let used = files.iter().flat_map(|file| used_files(file));
    let mut found = used.filter(|it| std::fs::canonicalize(it).is_ok_and(|it| it == there));
    Some(found.next()?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_a_name_of_its_own() {
        let files = ["a/b.ser", "a_b.ser", "./a/b.ser", "A_B.ser", "index", "-", "a/b.ser"];
        let targets = Targets::new(&files.map(str::to_owned));
        let names = files.map(|file| targets.place(file, "out", "html"));
        let expected = [
            "out/a_b.ser.html",
            "out/a_b.ser-2.html",
            "out/a_b.ser-3.html",
            "out/A_B.ser-4.html",
            "out/index-2.html",
            "out/stdin.html",
            "out/a_b.ser.html",
        ];
        assert_eq!(names, expected.map(PathBuf::from));
    }
}
