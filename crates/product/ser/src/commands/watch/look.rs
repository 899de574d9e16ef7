//! What is seen of a file that is being watched.
//!
//! Files are polled a few times a second. That works on every file system, needs no help from
//! the operating system, and sees what matters: the content. Editors save in many ways: some write
//! in place, others write a new file and rename it, so that briefly there is no file, or half
//! of one. A file has therefore changed when it has stayed the same between two looks, and counts
//! as missing only when it has been away for a while.

use ser_session::source::used::used_files;
use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher as _;
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A file that has been away for so many looks is missing, and not just being saved.
const AWAY: u32 = 6;

/// A file that was changed so recently may change again without its time telling.
const RECENT: Duration = Duration::from_secs(3);

/// What can be seen of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Look {
    /// There is none, or it cannot be read.
    Away,
    /// A hash of its content.
    Content(u64),
}

/// A file, and what was seen of it.
pub struct Watched {
    pub name: String,
    /// What was checked last.
    checked: Look,
    /// What was seen last.
    seen: Look,
    /// The time and size for which `seen` is known to hold.
    settled: Option<(SystemTime, u64)>,
    /// For how many looks it has been away.
    away: u32,
    /// The files that it uses, as far as is known.
    used: Vec<Watched>,
}

impl Watched {
    /// A file as it is now.
    pub fn new(name: &str) -> Watched {
        let mut file = Watched {
            name: name.to_owned(),
            checked: Look::Away,
            seen: Look::Away,
            settled: None,
            away: 0,
            used: Vec::new(),
        };
        file.checked = file.look();
        file.seen = file.checked;
        file
    }

    /// The same, with all that it uses.
    pub fn with_used(name: &str) -> Watched {
        let mut file = Watched::new(name);
        file.find_used();
        file
    }

    /// Looks again, and at what it uses. What has changed, if there is something new to check.
    pub fn changed(&mut self) -> Option<String> {
        let used = self.used.iter_mut().filter_map(|it| it.has_changed().then(|| it.name.clone()));
        // All of them, so that what was saved together is checked together.
        let used = used.collect::<Vec<String>>().into_iter().next();
        let changed = self.has_changed().then(|| self.name.clone()).or(used)?;
        self.find_used();
        Some(changed)
    }

    fn find_used(&mut self) {
        let mut known = std::mem::take(&mut self.used);
        for path in used_files(&self.name) {
            let name = path.to_string_lossy();
            let file = known.iter().position(|it| it.name == name);
            let file = file.map(|at| known.swap_remove(at));
            self.used.push(file.unwrap_or_else(|| Watched::new(&name)));
        }
    }

    /// Looks again. True if there is something new to check, and it has settled.
    fn has_changed(&mut self) -> bool {
        let now = self.look();
        let steady = now == self.seen;
        self.seen = now;
        self.away = if now == Look::Away { self.away + 1 } else { 0 };
        let ready = steady && (now != Look::Away || self.away >= AWAY);
        if ready && now != self.checked {
            self.checked = now;
            return true;
        }
        false
    }

    fn look(&mut self) -> Look {
        let stamp = std::fs::metadata(Path::new(&self.name))
            .ok()
            .filter(std::fs::Metadata::is_file)
            .and_then(|m| Some((m.modified().ok()?, m.len())));
        if stamp.is_some() && stamp == self.settled {
            return self.seen;
        }
        let look = content(&self.name).map_or(Look::Away, Look::Content);
        let old = stamp.and_then(|(at, _)| at.elapsed().ok()).is_some_and(|age| age > RECENT);
        self.settled = stamp.filter(|_| old && look != Look::Away);
        look
    }
}

/// A hash of the content of a file, to detect changes.
fn content(name: &str) -> Option<u64> {
    if !Path::new(name).is_file() {
        return None;
    }
    let mut file = std::fs::File::open(name).ok()?;
    let mut hasher = DefaultHasher::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Some(hasher.finish()),
            Ok(n) => hasher.write(buffer.get(..n)?),
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("ser-watch-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        path
    }

    #[test]
    fn a_change_is_seen_once_it_has_settled() {
        let path = folder("settled").join("a.ser");
        std::fs::write(&path, "one").expect("written");
        let mut file = Watched::new(&path.to_string_lossy());
        assert!(!file.has_changed());
        std::fs::write(&path, "two").expect("written");
        assert!(!file.has_changed(), "it may be half of it");
        assert!(file.has_changed());
        assert!(!file.has_changed(), "once is enough");
        // The same content again is not a change.
        std::fs::write(&path, "two").expect("written");
        assert!(!file.has_changed() && !file.has_changed());
    }

    #[test]
    fn a_file_that_is_replaced_is_not_missing() {
        let folder = folder("replaced");
        let (path, other) = (folder.join("a.ser"), folder.join("b.ser"));
        std::fs::write(&path, "one").expect("written");
        let mut file = Watched::new(&path.to_string_lossy());
        std::fs::remove_file(&path).expect("removed");
        assert!(!file.has_changed() && !file.has_changed());
        std::fs::write(&other, "two").expect("written");
        std::fs::rename(&other, &path).expect("renamed");
        assert!(!file.has_changed());
        assert!(file.has_changed());
    }

    #[test]
    fn a_file_that_is_used_is_watched_too() {
        let folder = folder("used");
        let (path, used) = (folder.join("a.ser"), folder.join("b.ser"));
        std::fs::write(&path, "use \"b.ser\"").expect("written");
        let _ = std::fs::remove_file(&used);
        let name = path.to_string_lossy();
        let mut file = Watched::with_used(&name);
        assert_eq!(file.changed(), None);
        std::fs::write(&used, "const N = 1").expect("written");
        assert_eq!(
            [file.changed(), file.changed()].into_iter().flatten().collect::<String>(),
            used.to_string_lossy()
        );
        std::fs::write(&path, "").expect("written");
        assert_eq!(
            [file.changed(), file.changed()].into_iter().flatten().collect::<String>(),
            name
        );
        std::fs::write(&used, "const N = 2").expect("written");
        assert_eq!([file.changed(), file.changed()], [None, None], "it is not used any more");
    }

    #[test]
    fn a_file_that_stays_away_is_missing() {
        let path = folder("missing").join("a.ser");
        std::fs::write(&path, "one").expect("written");
        let mut file = Watched::new(&path.to_string_lossy());
        std::fs::remove_file(&path).expect("removed");
        let looks = (0..2 * AWAY).filter(|_| file.has_changed()).count();
        assert_eq!(looks, 1);
    }
}
