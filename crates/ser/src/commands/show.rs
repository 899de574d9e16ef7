//! `ser show`.

use super::tree;
use crate::check::{Report, Verdict};
use crate::cli::{ShowArgs, ShowFormat, Stage};
use crate::report::human;
use crate::source::{Kind, ModelError, Source, SourceError};
use ser_model::ExploreError;
use ser_net::{Reductions, SerialAutomaton, normal_form, reduce};
use std::io::{self, Write as _};

pub fn run(args: &ShowArgs) -> io::Result<u8> {
    let (text, code) = match show(args) {
        Ok(text) => (text, 0),
        Err(report) => {
            write!(anstream::stderr(), "{}", human::complaints(&report, true))?;
            if matches!(report.verdict, Verdict::TooLarge(_)) {
                write!(anstream::stderr(), "{}", human::report(&report, 100, false))?;
            }
            (String::new(), report.verdict.exit_code())
        }
    };
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(code)
}

fn show(args: &ShowArgs) -> Result<String, Box<Report>> {
    let failed = |source, verdict| Box::new(Report::failed(&args.file, source, verdict));
    let source = Source::read(&args.file).map_err(|e| failed(None, Verdict::Error(e)))?;
    if args.stage == Stage::Ast {
        return match syntax_tree(args, &source) {
            Ok(text) => Ok(text),
            Err(error) => Err(failed(Some(source), Verdict::Error(error))),
        };
    }
    let limits = args.limits.start();
    let model = match source.model(&limits) {
        Ok((model, _)) => model,
        Err(ModelError::Source(error)) => return Err(failed(Some(source), Verdict::Error(error))),
        Err(ModelError::Explore(error)) => {
            return Err(failed(Some(source), Verdict::TooLarge(error)));
        }
    };
    let system = model.system();
    let too_large = |stop| {
        let error = ExploreError::TooManyStates { stop, growing: None };
        failed(Some(source.clone()), Verdict::TooLarge(error))
    };
    let pretty = |value: serde_json::Value| format!("{value:#}\n");
    Ok(match args.stage {
        Stage::Ast | Stage::Ns => match args.format {
            ShowFormat::Text => ser_model::system_text(system),
            ShowFormat::Json => pretty(ser_model::write_json(system)),
            ShowFormat::Dot => ser_model::system_dot(system),
        },
        Stage::Net => {
            let nothing = Reductions::NONE;
            let which = if args.raw { nothing } else { args.without.reductions() };
            let net = match normal_form(system, &limits) {
                Ok(net) => reduce(&net, which, &limits).net,
                Err(stop) => return Err(too_large(stop)),
            };
            match args.format {
                ShowFormat::Text => ser_net::net_text(system, &net),
                ShowFormat::Json => pretty(ser_net::net_json(system, &net)),
                ShowFormat::Dot => ser_net::net_dot(system, &net),
            }
        }
        Stage::Automaton => {
            let automaton = match SerialAutomaton::new(system, &limits) {
                Ok(automaton) => automaton,
                Err(stop) => return Err(too_large(stop)),
            };
            match args.format {
                ShowFormat::Text => ser_net::automaton_text(system, &automaton),
                ShowFormat::Json => pretty(ser_net::automaton_json(system, &automaton)),
                ShowFormat::Dot => ser_net::automaton_dot(system, &automaton),
            }
        }
    })
}

fn syntax_tree(args: &ShowArgs, source: &Source) -> Result<String, SourceError> {
    if source.kind == Kind::System {
        let message = "a network system has no syntax tree".to_owned();
        return Err(SourceError::Unreadable(message, Some("use --stage ns".to_owned())));
    }
    let parse = ser_lang::parse(&source.text);
    if parse.has_errors() {
        return Err(SourceError::Program(parse.diagnostics));
    }
    let tree = tree::program(&parse.program);
    Ok(match args.format {
        ShowFormat::Text => tree.text(&source.lines),
        ShowFormat::Json => format!("{:#}\n", tree.json(&source.lines)),
        ShowFormat::Dot => tree.dot(),
    })
}
