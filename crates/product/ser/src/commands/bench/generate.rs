//! `ser bench families` and `ser bench generate`.

use crate::cli::GenerateArgs;
use crate::commands::files::write_whole;
use crate::commands::streams::{err, out, plain_out};
use ser_bench::families::{ALL, Family, FamilyError, Variant};
use std::io::{self, Write as _};
use std::path::Path;

/// Lists the families.
pub fn list() -> io::Result<u8> {
    let mut out = out();
    for family in ALL {
        writeln!(out, "{:18} {}", family.name, family.summary)?;
    }
    Ok(0)
}

/// Prints or writes programs.
pub fn run(args: &GenerateArgs) -> io::Result<u8> {
    match programs(args) {
        Ok(programs) => match &args.out {
            None => {
                let texts: Vec<String> = programs.into_iter().map(|(_, text)| text).collect();
                write!(plain_out(), "{}", texts.join("\n"))?;
                Ok(0)
            }
            Some(folder) => write_all(Path::new(folder), &programs),
        },
        Err(error) => {
            writeln!(err(), "error: {error}")?;
            if matches!(error, FamilyError::NoSuchFamily(_)) {
                writeln!(err(), "help: `ser bench families` lists them")?;
            }
            Ok(2)
        }
    }
}

/// The programs asked for, with the names of their files.
fn programs(args: &GenerateArgs) -> Result<Vec<(String, String)>, FamilyError> {
    let families = match args.family.as_str() {
        "all" => ALL.to_vec(),
        name => vec![Family::named(name)?],
    };
    let variants: &[Variant] = match (args.broken, &args.out) {
        (true, _) => &[Variant::Broken],
        (false, None) => &[Variant::Serializable],
        (false, Some(_)) => &Variant::ALL,
    };
    let mut programs = Vec::new();
    for family in families {
        for variant in variants {
            let text = family.program(args.n, *variant)?;
            programs.push((family.file_name(args.n, *variant), text));
        }
    }
    Ok(programs)
}

fn write_all(folder: &Path, programs: &[(String, String)]) -> io::Result<u8> {
    if let Err(error) = std::fs::create_dir_all(folder) {
        writeln!(err(), "error: cannot make the folder {}: {error}", folder.display())?;
        return Ok(2);
    }
    for (name, text) in programs {
        let path = folder.join(name);
        if let Err(error) = write_whole(&path, text, "-") {
            writeln!(err(), "error: cannot write {}: {error}", path.display())?;
            return Ok(2);
        }
        writeln!(out(), "{}", path.display())?;
    }
    Ok(0)
}
