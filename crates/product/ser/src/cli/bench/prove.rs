//! The command line of `ser bench prove`.

use super::{ClockName, ReportArgs};
use clap::Args;

/// Arguments of `ser bench prove`.
#[derive(Args, Debug)]
#[command(
    after_help = "For example:\n  ser bench prove                       all 20 rows; takes minutes, mostly for times that are TO\n  ser bench prove --quick               the ticket locks and two rows of the list\n  ser bench prove list mutexS           these rows, by their names in the paper\n\nEverything runs in this process, on one core. A measurement that takes longer than --timeout is TO. Times are\nbest on a quiet machine.\n\nExit codes: 0, or 1 if a row is not proved with all tactics, 2 usage or input error, 3 if it takes longer than\n--timeout."
)]
pub struct ProveBenchArgs {
    /// Rows, by their names in the paper; all 20 if none is given
    #[arg(value_name = "ROW")]
    pub rows: Vec<String>,

    /// A few rows only: the two ticket locks, and two invariants of the list
    #[arg(long, conflicts_with = "rows")]
    pub quick: bool,

    /// The folder with the files
    #[arg(long, value_name = "DIR", default_value = "examples/invariants")]
    pub folder: String,

    /// Give up on a measurement after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0, value_parser = crate::cli::seconds)]
    pub timeout: f64,

    /// Measure what takes less than a second so many times; the time in the middle counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,

    /// What time is: that goes by, or that the processor works, for machines that are busy. --timeout is always
    /// the time that goes by
    #[arg(long, value_enum, default_value_t = ClockName::Wall)]
    pub clock: ClockName,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub report: ReportArgs,
}
