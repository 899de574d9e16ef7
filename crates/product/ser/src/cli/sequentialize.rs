//! Arguments of `ser sequentialize`.

use super::AnswerArgs;
use clap::Args;

/// Arguments of `ser sequentialize`.
#[derive(Args, Debug)]
#[command(
    after_help = "For example:\n  ser sequentialize examples/messages/map-reduce.ser\n  ser sequentialize --sizes Q=2 FILE                    try all runs with this many processes\n  ser sequentialize --certificate c.json FILE           keep the derivation; `ser verify c.json`\n  ser sequentialize --promela m.pml --sizes Q=3 FILE    the same question for Spin\n\nExit codes: 0 sequentialized and everything proved, 1 a run goes wrong, 2 usage or input error, 3 unknown. Over several files the most serious one wins, in the order 2, 1, 3, 0."
)]
pub struct SequentializeArgs {
    /// Protocols (.ser files with messages); `-` is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,

    /// Try all runs with exactly these sizes of the sets instead: `Q=2,K=3`, or `none` if there are
    /// no sets
    #[arg(long, value_name = "SIZES")]
    pub sizes: Option<String>,

    /// Write the protocol here in Promela, for Spin, with these sizes; with several files, the name
    /// of a folder
    #[arg(long, value_name = "PATH", requires = "sizes")]
    pub promela: Option<String>,

    /// Show the sequential program with everything that the derivation needs
    #[arg(long)]
    pub raw: bool,

    #[command(flatten)]
    pub answer: AnswerArgs,
}

impl SequentializeArgs {
    /// The sizes that were given, by set.
    pub fn sizes(&self) -> Result<Option<Vec<(String, u32)>>, String> {
        let Some(text) = self.sizes.as_deref().map(str::trim) else { return Ok(None) };
        if text == "none" {
            return Ok(Some(Vec::new()));
        }
        let mut sizes: Vec<(String, u32)> = Vec::new();
        for part in text.split(',') {
            let wrong = || {
                format!(
                    "--sizes: expected a set and its size, such as Q=2, but found `{}`",
                    part.trim().escape_debug()
                )
            };
            let (name, size) = part.split_once('=').ok_or_else(wrong)?;
            let (name, size) = (name.trim(), size.trim().parse::<u32>().map_err(|_| wrong())?);
            if sizes.iter().any(|(it, _)| it == name) {
                return Err(format!("--sizes: the set `{}` has two sizes", name.escape_debug()));
            }
            sizes.push((name.to_owned(), size));
        }
        Ok(Some(sizes))
    }
}
