//! `ser-bench families` and `ser-bench generate`.

use crate::Failure;
use crate::cli::GenerateArgs;
use ser_generators::families::{ALL, Family, FamilyError, Variant};
use std::io::Write as _;
use std::path::Path;

impl From<FamilyError> for Failure {
    fn from(error: FamilyError) -> Failure {
        let failure = Failure::new(error.to_string());
        match error {
            FamilyError::NoSuchFamily(_) => failure.help("`ser-bench families` lists them"),
            FamilyError::OutOfRange(_) => failure,
        }
    }
}

/// Lists the families.
pub fn list() -> Result<u8, Failure> {
    let lines = ALL.iter().map(|family| format!("{:18} {}\n", family.name, family.summary));
    print(&lines.collect::<String>())
}

/// Prints or writes programs.
pub fn run(args: &GenerateArgs) -> Result<u8, Failure> {
    let families = match args.family.as_str() {
        "all" => ALL.to_vec(),
        name => vec![Family::named(name)?],
    };
    let variants: &[Variant] = match (args.broken, &args.out) {
        (true, _) => &[Variant::Broken],
        (false, None) => &[Variant::Serializable],
        (false, Some(_)) => &Variant::ALL,
    };
    let mut printed = Vec::new();
    for family in families {
        for variant in variants {
            let text = family.program(args.n, *variant)?;
            printed.push(match &args.out {
                None => text,
                Some(folder) => {
                    write(Path::new(folder), &family.file_name(args.n, *variant), &text)?
                }
            });
        }
    }
    print(&printed.join(if args.out.is_some() { "" } else { "\n" }))
}

/// Writes a program to a folder, and gives its path in a line.
fn write(folder: &Path, name: &str, text: &str) -> Result<String, Failure> {
    let path = folder.join(name);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&path, text))
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))?;
    Ok(format!("{}\n", path.display()))
}

fn print(text: &str) -> Result<u8, Failure> {
    let written = std::io::stdout().write_all(text.as_bytes());
    written.map_err(|error| Failure::new(format!("cannot write the output: {error}")))?;
    Ok(0)
}
