//! Writing files so that a reader never sees half of one.

use std::io::{self, Write as _};
use std::path::Path;

/// Replaces a file by a new version of itself, as a whole or not at all. One that must not be written
/// stays as it is.
pub fn replace(path: &Path, content: &str) -> io::Result<()> {
    if std::fs::metadata(path)?.permissions().readonly() {
        let why = "the file is read-only";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    write_whole(path, content, "")
}

/// Writes to a temporary name in the same folder and renames it when it is complete. What is there
/// already is replaced only if it is an ordinary file, and not the `input`; its permissions stay. A link
/// is followed.
pub fn write_whole(path: &Path, content: &str, input: &str) -> io::Result<()> {
    let refuse = |why: &str| Err(io::Error::new(io::ErrorKind::AlreadyExists, why.to_owned()));
    let target = match std::fs::canonicalize(path) {
        Ok(existing) => {
            if !existing.is_file() {
                return refuse("there is something that is not an ordinary file");
            }
            if std::fs::canonicalize(input).is_ok_and(|input| input == existing) {
                return refuse("this is the input itself");
            }
            existing
        }
        Err(_) => path.to_path_buf(),
    };
    let path = target.as_path();
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "this is not a file name"))?;
    let mut temporary = name.to_os_string();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary);
    let result = (|| {
        let mut file = std::fs::File::create(&temporary)?;
        if let Ok(existing) = std::fs::metadata(path) {
            file.set_permissions(existing.permissions())?;
        }
        file.write_all(content.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    })();
    if result.is_err() {
        // The error that matters is the first one.
        let _ = std::fs::remove_file(&temporary);
    }
    result
}
