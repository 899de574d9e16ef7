//! Writing files so that a reader never sees half of one.
//!
//! A new version is written under a temporary name in the same folder and renamed when it is
//! complete. The system renames in one step, so whatever happens in between (a full disk, a signal,
//! a second process that writes the same file), the final name has the old version or the new one,
//! as a whole. Temporary names are new ones: no other process writes to them, and no link leads
//! elsewhere. After a failure or an interrupt the temporary file is removed; only a process that is
//! killed leaves it behind, as `NAME.PID.N.tmp`.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Temporary files that are being written.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// How many temporary names to try: those that are taken were left behind, or belong to processes
/// on other machines that share the folder.
const MAX_NAMES: usize = 1000;

/// File systems have room for 255 bytes in a name; this leaves enough for the rest of a temporary
/// one.
const MAX_STEM: usize = 180;

/// Replaces a user's file with a new version of itself, as a whole or not at all. One that must not
/// be written is left as it is.
pub fn replace(path: &Path, content: &str) -> io::Result<()> {
    std::fs::metadata(path)?;
    write(path, content, "", Care::Disk)
}

/// Writes a file as a whole or not at all. What is there already is replaced only if it is an
/// ordinary file that may be written, and not the `input`; its permissions stay. A link is
/// followed.
pub fn write_whole(path: &Path, content: &str, input: &str) -> io::Result<()> {
    write(path, content, input, Care::System)
}

/// Who must have the new version before it takes the place of the old one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Care {
    /// The system. What `ser` writes can be made again after a power failure, and waiting for the
    /// disk takes longer than most checks.
    System,
    /// The disk: the old version is a user's work.
    Disk,
}

fn write(path: &Path, content: &str, input: &str, care: Care) -> io::Result<()> {
    let existing = existing(path)?;
    if let Some((existing, _)) = &existing
        && std::fs::canonicalize(input).is_ok_and(|input| input == *existing)
    {
        return refuse("this is the input itself");
    }
    let (target, permissions) = match &existing {
        Some((target, metadata)) => (target.as_path(), Some(metadata.permissions())),
        None => (path, None),
    };
    let mut temporary = Temporary::beside(target)?;
    if let Some(permissions) = permissions {
        temporary.file.set_permissions(permissions)?;
    }
    temporary.file.write_all(content.as_bytes())?;
    if care == Care::Disk {
        temporary.file.sync_all()?;
    }
    temporary.rename_to(target)
}

/// Writes a file that must not be there yet, as a whole or not at all. The system tests and creates
/// in one step: no file is lost in between.
pub fn create_whole(path: &Path, content: &str) -> io::Result<()> {
    let mut temporary = Temporary::beside(path)?;
    temporary.file.write_all(content.as_bytes())?;
    match std::fs::hard_link(&temporary.path, path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {}
        done => return done,
    }
    // Not every file system has hard links. Without them, half a file is removed again.
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let result = file.write_all(content.as_bytes());
    if result.is_err() {
        let _ = std::fs::remove_file(path);
    }
    result
}

/// Removes what was not finished. The process is about to end; as long as the guard lives, no
/// other file is started.
pub fn remove_unfinished() -> impl Drop {
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in unfinished.iter() {
        let _ = std::fs::remove_file(path);
    }
    unfinished
}

fn refuse<T>(why: &str) -> io::Result<T> {
    Err(io::Error::new(ErrorKind::AlreadyExists, why.to_owned()))
}

/// The file that is there already, behind all links, if it may be replaced. Nothing if there is
/// none.
fn existing(path: &Path) -> io::Result<Option<(PathBuf, Metadata)>> {
    if path == Path::new("-") {
        return Err(io::Error::new(ErrorKind::InvalidInput, "this is not a file; name one"));
    }
    // This follows links that only the system understands, such as those of /dev/stdout.
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Err(_) if std::fs::symlink_metadata(path).is_ok() => {
            return refuse("there is a link to a file that does not exist");
        }
        Err(_) => return Ok(None),
    };
    if !metadata.is_file() {
        return refuse("there is something that is not an ordinary file");
    }
    if is_standard_stream(&metadata) {
        return refuse("standard output or standard error goes there already");
    }
    if metadata.permissions().readonly() {
        return Err(io::Error::new(ErrorKind::PermissionDenied, "the file is read-only"));
    }
    Ok(Some((std::fs::canonicalize(path)?, metadata)))
}

/// Whether this is where standard output or standard error go.
#[cfg(unix)]
fn is_standard_stream(metadata: &Metadata) -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt as _;
    let is_same = |stream: &dyn AsFd| {
        let stream = stream.as_fd().try_clone_to_owned().and_then(|fd| File::from(fd).metadata());
        stream.is_ok_and(|m| (m.dev(), m.ino()) == (metadata.dev(), metadata.ino()))
    };
    is_same(&io::stdout()) || is_same(&io::stderr())
}

#[cfg(not(unix))]
fn is_standard_stream(_: &Metadata) -> bool {
    false
}

/// A file that goes away unless it is renamed.
struct Temporary {
    path: PathBuf,
    file: File,
}

impl Temporary {
    /// A new file in the same folder.
    fn beside(target: &Path) -> io::Result<Temporary> {
        let name = target
            .file_name()
            .ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "this is not a file name"))?;
        let stem = match name.len() <= MAX_STEM {
            true => name.to_owned(),
            false => OsString::from("ser"),
        };
        for number in 0..MAX_NAMES {
            let mut name = stem.clone();
            name.push(format!(".{}.{number}.tmp", std::process::id()));
            let path = target.with_file_name(name);
            // Removing unfinished files must not miss this one.
            let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    unfinished.insert(path.clone());
                    return Ok(Temporary { path, file });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        refuse("there are too many temporary files")
    }

    /// Gives it its name. From then on its old name may belong to another process.
    fn rename_to(self, target: &Path) -> io::Result<()> {
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        std::fs::rename(&self.path, target)?;
        unfinished.remove(&self.path);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // The error that matters is another one.
        if UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.path) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
