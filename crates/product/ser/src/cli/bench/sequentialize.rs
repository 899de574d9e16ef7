//! The command line of `ser bench sequentialize`.

use super::ReportArgs;
use clap::Args;
use ser_sequentialization_search::explore::MAX_MEMBERS;

/// Arguments of `ser bench sequentialize`.
#[derive(Args, Debug)]
#[command(
    after_help = "For example:\n  ser bench sequentialize                            the 17 protocols of the paper's Table 1\n  ser bench sequentialize --spin-timeout 5           a quick look\n  ser bench sequentialize examples/icet --broken --no-spin\n\nSpin and a C compiler are looked for in PATH. A search of Spin that needs more than --spin-timeout or\n--spin-memory is ended; compiling is not part of it. Times are best on a quiet machine.\n\nExit codes: 0, or 1 if an answer contradicts Spin or is not the one that the first line of its file\nexpects, 2 usage or input error, 3 if there is no answer or Spin had trouble."
)]
pub struct SequentializeBenchArgs {
    /// Protocols (.icet), and folders of them; without any, the 17 of Table 1 in ./examples/icet
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,

    /// Also the protocols in the folder `broken` of each folder
    #[arg(long)]
    pub broken: bool,

    /// Answer each protocol so many times; the time in the middle counts
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub repeat: u32,

    /// Measure ours only
    #[arg(long, conflicts_with_all = ["spin_timeout", "spin_memory", "max_size", "any_order"], help_heading = "Spin")]
    pub no_spin: bool,

    /// Spin gives up after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = crate::cli::seconds, help_heading = "Spin")]
    pub spin_timeout: f64,

    /// Spin gives up when it needs more memory than this
    #[arg(long, value_name = "MIB", default_value_t = 8192, value_parser = clap::value_parser!(u64).range(256..=1 << 30), help_heading = "Spin")]
    pub spin_memory: u64,

    /// The largest size of sets to try
    #[arg(long, value_name = "N", default_value_t = MAX_MEMBERS - 1, value_parser = clap::value_parser!(u32).range(1..i64::from(MAX_MEMBERS)), help_heading = "Spin")]
    pub max_size: u32,

    /// Let Spin visit the members of sets in any order, as the language says, and not one after the other, which
    /// has far fewer states
    #[arg(long, help_heading = "Spin")]
    pub any_order: bool,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub report: ReportArgs,
}

impl SequentializeBenchArgs {
    /// The limits in a line.
    pub fn limits(&self) -> String {
        let ours = format!("median of {}", self.repeat);
        if self.no_spin {
            return ours;
        }
        let (time, memory) = (self.spin_timeout, self.spin_memory);
        format!("{ours}; {time} s and {memory} MiB for Spin, sizes up to {}", self.max_size)
    }
}
