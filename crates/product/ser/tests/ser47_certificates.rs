//! Certificates of the 47 benchmarks of the SER paper, where the folder with them is at hand: every
//! verdict as the paper says, small enough to be kept, and accepted after a trip through text.

use crate::ser47::folder;
use ser_base::Limits;
use ser_model::{NetworkSystem, ProgramModel, read_json};
use ser_serializability_search::{Answer, Options, certify, decide};
use std::path::Path;

/// The largest certificate, in bytes.
const MAX_BYTES: usize = 50 * 1024;

fn system(path: &Path, text: &str) -> NetworkSystem {
    if path.extension().is_some_and(|e| e == "json") {
        return read_json(text).expect("a system");
    }
    let parse = ser_syntax::parse(text);
    assert!(!parse.has_errors(), "{}", path.display());
    let model = ProgramModel::new(&parse.program, text, &Limits::default());
    model.expect("finitely many states").system().clone()
}

/// What is wrong with this benchmark; nothing, we hope.
fn judge(path: &Path, serializable: bool) -> Result<usize, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let system = system(path, &text);
    let (answer, _) = decide(&system, &Options::default(), &Limits::default(), &|_| {});
    match (&answer, serializable) {
        (Answer::Serializable(_), true) | (Answer::NotSerializable(_), false) => {}
        (Answer::Unknown(unknown), _) => return Err(format!("unknown: {:?}", unknown.tried)),
        _ => return Err("the paper says otherwise".into()),
    }
    let certificate =
        certify(&answer, &system, "benchmark", text.as_bytes()).ok_or("no certificate")?;
    let written = certificate.to_text();
    if written.len() > MAX_BYTES {
        return Err(format!("the certificate has {} bytes", written.len()));
    }
    let read =
        ser_serializability_checker::read(&written).map_err(|e| format!("unreadable: {e}"))?;
    if read != certificate {
        return Err("the certificate changes on its way through text".into());
    }
    // The checker gets a system of its own, made from the source again.
    let again = self::system(path, &text);
    let accepted =
        ser_serializability_checker::check(&read, text.as_bytes(), &again, &Limits::default())
            .map_err(|rejection| format!("rejected: {rejection}"))?;
    match (accepted, serializable) {
        (ser_serializability_checker::Accepted::Serializable { .. }, true)
        | (ser_serializability_checker::Accepted::NotSerializable { .. }, false) => {
            Ok(written.len())
        }
        (other, _) => Err(format!("accepted, but as {other}")),
    }
}

#[test]
fn all_47_have_certificates_that_are_small_and_accepted() {
    let Some(folder) = folder() else { return };
    let table = std::fs::read_to_string(folder.join("expected.csv")).expect("expected.csv");
    let rows: Vec<&str> = table.lines().skip(1).filter(|line| !line.trim().is_empty()).collect();
    assert_eq!(rows.len(), 47);
    let (mut wrong, mut largest) = (Vec::new(), (0, ""));
    for row in rows {
        let mut cells = row.split(',');
        let (file, answer) = (cells.next().expect("a file"), cells.next().expect("an answer"));
        assert!(["yes", "no"].contains(&answer), "{row}");
        match judge(&folder.join(file), answer == "yes") {
            Ok(bytes) => largest = largest.max((bytes, file)),
            Err(message) => wrong.push(format!("{file}: {message}")),
        }
    }
    eprintln!("the largest certificate: {} bytes, of {}", largest.0, largest.1);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
