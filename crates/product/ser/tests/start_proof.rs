//! `ser check --start-proof`: from a program without end to a file for `ser prove`.

use crate::common::{examples, file, folder, ser, text};
use ser_generators::samples::TICKET_REQUESTS;

#[test]
fn a_program_without_end_is_pointed_to_ser_prove_and_its_file_can_be_proved() {
    let folder = folder("start_proof");
    let program = file(&folder, "tickets.ser", TICKET_REQUESTS);
    let start = text(&folder.join("tickets_proof.ser"));
    let refused = ser(&["check", "--max-states", "2000", "--without", "symbolic", &program]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    let words: String = refused.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("`Next` keeps growing"), "{words}");
    assert!(words.contains("--start-proof") && words.contains("`ser prove`"), "{words}");

    let written = ser(&[
        "check",
        "--max-states",
        "2000",
        "--without",
        "symbolic",
        "--start-proof",
        &start,
        &program,
    ]);
    assert_eq!(written.code, Some(3), "{written:?}");
    let mut whole = std::fs::read_to_string(&start).expect("the file");
    whole.push_str(
        "invariant low(i): at(i, enter.line_4, enter.line_7) -> enter.ticket[i] < Next;
         invariant differ(i, j): i != j && at(i, enter.line_4, enter.line_7) && at(j, enter.line_4, enter.line_7)
             -> enter.ticket[i] != enter.ticket[j];
         invariant served(i): at(i, enter.line_7) -> enter.ticket[i] == Serving;
         invariant alone(i, j): i != j -> !(at(i, enter.line_7) && at(j, enter.line_7));\n",
    );
    let proved = ser(&["prove", &file(&folder, "whole.ser", whole)]);
    assert_eq!(proved.code, Some(0), "{proved:?}");
}

#[test]
fn several_programs_go_to_a_folder() {
    let folder = folder("start_proof_folder");
    let (one, two) =
        (file(&folder, "a.ser", "request r { X }"), file(&folder, "b.ser", TICKET_REQUESTS));
    let target = text(&folder.join("out"));
    ser(&["check", "--max-states", "2000", "--start-proof", &target, &one, &two]);
    let written = std::fs::read_dir(&target).expect("the folder").count();
    assert_eq!(written, 2);
}

#[test]
fn what_is_no_program_or_would_be_lost_is_told() {
    let folder = folder("start_proof_wrong");
    let program = file(&folder, "a.ser", "request r { X }");
    let own = ser(&["check", "--start-proof", &program, &program]);
    assert_eq!(own.code, Some(2), "{own:?}");
    assert!(own.stderr.contains("this is the input itself"), "{own:?}");
    let output = ser(&["check", "--start-proof", "-", &program]);
    assert_eq!(output.code, Some(2), "{output:?}");
    let system = text(&examples().join("login_session.json"));
    let target = text(&folder.join("b.ser"));
    let json = ser(&["check", "--start-proof", &target, &system]);
    // The question has its answer; only the file cannot be written.
    assert_eq!(json.code, Some(0), "{json:?}");
    let words = "--start-proof: nothing was written: this is not a program (.ser)";
    assert!(json.stderr.contains(words), "{json:?}");
    assert!(!std::path::Path::new(&target).exists());
}
