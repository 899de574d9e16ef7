//! One module for each subcommand.

mod answer;
mod check;
pub(crate) mod files;
mod fmt;
mod guard;
mod hints;
mod lsp;
mod new;
mod pages;
mod progress;
mod prove;
mod reach;
mod repair;
mod sequentialize;
mod show;
mod sql;
mod streams;
mod targets;
mod trace;
mod verify;
mod watch;
mod watchdog;

use crate::cli::{Cli, Color, Command};
use crate::process::Process;
use clap::CommandFactory as _;
use std::io::Write as _;
use std::process::ExitCode;
use streams::{err, plain_out};

/// Runs a command and says how the process should end.
pub fn run(cli: Cli, process: &Process) -> ExitCode {
    match cli.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    let result = match cli.command {
        Command::Check(args) => check::run(args, process),
        Command::Explain(mut args) => {
            args.explain = true;
            check::run(args, process)
        }
        Command::Fmt(args) => fmt::run(&args, process),
        Command::New(args) => new::run(&args),
        Command::Repair(args) => repair::run(args, process),
        Command::Verify(args) => verify::run(args, process),
        Command::Show(args) => show::run(args, process),
        Command::Reach(args) => reach::run(args, process),
        Command::Trace(args) => trace::run(args, process),
        Command::Sequentialize(args) => sequentialize::run(args, process),
        Command::Prove(args) => prove::run(args, process),
        Command::Sql(args) => sql::run(args, process),
        // The server looks after its connection itself.
        Command::Lsp(_) => return lsp::run(process).map_or(ExitCode::FAILURE, ExitCode::from),
        Command::Bench { .. } => {
            let help =
                "benchmarks have their own program: `cargo run --release -p ser-bench -- --help`";
            writeln!(err(), "error: there is no `ser bench`; {help}").map(|()| 2)
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "ser", &mut script);
            plain_out().write_all(&script).map(|()| 0)
        }
        Command::Man => man(),
    };
    // What is left in the buffer must arrive, too.
    match result.and_then(|code| plain_out().flush().map(|()| code)) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            let _ = writeln!(err(), "error: cannot write the output: {error}");
            ExitCode::from(2)
        }
    }
}

/// How many columns there are to print on.
fn width() -> usize {
    terminal_size::terminal_size().map_or(100, |(w, _)| usize::from(w.0)).clamp(60, 200)
}

/// The manual page: the main one, then one section for each subcommand.
fn man() -> std::io::Result<u8> {
    use clap_mangen::roff::{Roff, bold, roman};
    let command = Cli::command();
    let subcommands = || command.get_subcommands().filter(|sub| !sub.is_hide_set());
    let mut page = Vec::new();
    let main = clap_mangen::Man::new(command.clone());
    main.render_title(&mut page)?;
    main.render_name_section(&mut page)?;
    main.render_synopsis_section(&mut page)?;
    main.render_description_section(&mut page)?;
    main.render_options_section(&mut page)?;
    // Not the renderer's own list, which refers to a page for each subcommand.
    let mut list = Roff::new();
    list.control("SH", ["COMMANDS"]);
    for sub in subcommands() {
        list.control("TP", []);
        list.text([bold(sub.get_name())]);
        list.text([roman(sub.get_about().map(ToString::to_string).unwrap_or_default())]);
    }
    list.to_writer(&mut page)?;
    main.render_extra_section(&mut page)?;
    for sub in subcommands() {
        let man = clap_mangen::Man::new(sub.clone().bin_name(format!("ser {}", sub.get_name())));
        writeln!(page, ".SH \"SER {}\"", sub.get_name().to_uppercase())?;
        man.render_description_section(&mut page)?;
        man.render_synopsis_section(&mut page)?;
        man.render_options_section(&mut page)?;
        man.render_extra_section(&mut page)?;
    }
    plain_out().write_all(&page)?;
    Ok(0)
}
