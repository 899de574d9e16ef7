//! Which format suits which stage, and which option belongs to which.

use crate::cli::{ShowArgs, ShowFormat, Stage};
use clap::ValueEnum;

/// The formats of a stage; the first one is the default.
pub fn formats(stage: Stage) -> &'static [ShowFormat] {
    use ShowFormat::{Dot, Json, Net, Pnml, Smtlib, Svg, Text, Xml};
    match stage {
        Stage::Ast | Stage::Ns | Stage::Automaton => &[Text, Json, Dot, Svg],
        Stage::PaperNet | Stage::Net => &[Text, Json, Dot, Svg, Net, Pnml],
        Stage::Rules | Stage::Outcomes => &[Text, Json],
        Stage::Query => &[Text, Json, Xml, Smtlib],
        Stage::Triples => &[Text, Json, Smtlib],
        Stage::Certificate => &[Json, Smtlib],
    }
}

/// The format to use; a sentence if the arguments do not belong together.
pub fn usage(args: &ShowArgs) -> Result<ShowFormat, String> {
    let formats = formats(args.stage);
    let stage = name(&args.stage);
    let wrong = |option: &str, stages: &str| {
        Err(format!("{option} is for {stages}, not for the stage `{stage}`"))
    };
    if args.about.is_some() && args.stage != Stage::Query {
        return wrong("--for", "the stage `query`");
    }
    if args.steps && args.stage != Stage::Net {
        return wrong("--steps", "the stage `net`");
    }
    let of_nets = matches!(args.stage, Stage::Net | Stage::Query);
    if args.raw && !of_nets {
        return wrong("--raw", "the stages `net` and `query`");
    }
    if args.after.is_some() && !of_nets {
        return wrong("--after", "the stages `net` and `query`");
    }
    let Some(format) = args.format else { return Ok(formats[0]) };
    if !formats.contains(&format) {
        let names: Vec<String> = formats.iter().map(name).collect();
        return Err(format!(
            "the stage `{stage}` cannot be shown as `{}`\nhelp: its formats are {}",
            name(&format),
            names.join(", ")
        ));
    }
    if args.steps && !matches!(format, ShowFormat::Text | ShowFormat::Json) {
        return Err(format!(
            "--steps cannot be shown as `{}`\nhelp: use text or json, and --after for one net",
            name(&format)
        ));
    }
    Ok(format)
}

fn name<T: ValueEnum>(value: &T) -> String {
    value.to_possible_value().map_or(String::new(), |v| v.get_name().to_owned())
}
