//! Writing files so that a reader never sees half of one.

use std::io::{self, Write as _};
use std::path::Path;

/// Writes to a temporary name in the same folder and renames it when it is complete.
pub fn write_whole(path: &Path, content: &str) -> io::Result<()> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "this is not a file name"))?;
    let mut temporary = name.to_os_string();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary);
    let result = (|| {
        let mut file = std::fs::File::create(&temporary)?;
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
