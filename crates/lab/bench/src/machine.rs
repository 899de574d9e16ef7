//! Where and when something was measured.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The machine: what a reader needs to judge times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    /// The processor, as it calls itself.
    pub processor: String,
    /// How many threads can run at once.
    pub cores: usize,
    /// The operating system and the architecture.
    pub system: String,
}

impl Machine {
    /// This machine.
    pub fn this() -> Machine {
        let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let processor = information
            .lines()
            .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
            .map_or("unknown processor", |(_, name)| name.trim());
        Machine {
            processor: processor.to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }

    /// The machine in a line.
    pub fn line(&self) -> String {
        let cores = if self.cores == 1 { "core" } else { "cores" };
        format!("{}, {} {cores}, {}", self.processor, self.cores, self.system)
    }
}

/// How time is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Clock {
    /// The time that goes by
    Wall,
    /// The time that the processor works for it: for machines that are busy with other things
    // Where the system does not tell, it is the time that goes by.
    Cpu,
}

impl Clock {
    /// What to say about it in a report.
    pub fn fact(self) -> Option<(&'static str, String)> {
        let words = "the time that the processor worked for it";
        (self == Clock::Cpu).then(|| ("clock", words.to_owned()))
    }
}

/// Something that is being measured in this thread.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    wall: Instant,
    cpu: Option<Duration>,
}

impl Stopwatch {
    /// Starts.
    pub fn start(clock: Clock) -> Stopwatch {
        let cpu = if clock == Clock::Cpu { thread_time() } else { None };
        Stopwatch { wall: Instant::now(), cpu }
    }

    /// How long it has been.
    pub fn elapsed(&self) -> Duration {
        match self.cpu.zip(self.cpu.and_then(|_| thread_time())) {
            Some((before, now)) => now.saturating_sub(before),
            None => self.wall.elapsed(),
        }
    }
}

/// How long a processor has worked for this thread.
#[cfg(unix)]
fn thread_time() -> Option<Duration> {
    Duration::try_from(rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime)).ok()
}

#[cfg(not(unix))]
fn thread_time() -> Option<Duration> {
    None
}

/// Today in universal time, as YYYY-MM-DD.
pub fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    date(seconds / 86_400)
}

/// The date so many days after 1970-01-01. Whole years and months are taken off one by one, which
/// is slow for the far future and easy to get right.
fn date(mut days: u64) -> String {
    let leap = |year: u64| {
        (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400)
    };
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_become_dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(59), "1970-03-01");
        assert_eq!(date(10_957), "2000-01-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(11_017), "2000-03-01");
        assert_eq!(date(11_322), "2000-12-31");
        assert_eq!(date(20_453), "2025-12-31");
    }
}
