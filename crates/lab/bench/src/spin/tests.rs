//! What `pan` says, and programs that are not Spin. No test here needs Spin.

use super::*;

const CLEAN: &str = "
State-vector 332 byte, depth reached 55, errors: 0
     2473 states, stored
     1487 states, matched

  128.000\tmemory used for hash table (-w24)
  187.656\ttotal actual memory usage
";

fn said(ended: Ended, stdout: &str) -> Result<Said, SpinError> {
    let run = Run {
        ended,
        time: Duration::from_millis(1500),
        peak_kib: Some(2048),
        stdout: stdout.to_owned(),
        stderr: String::new(),
    };
    read(&run, 4, 2.5)
}

fn done(ended: Ended, stdout: &str) -> SpinRun {
    match said(ended, stdout) {
        Ok(Said::Done(run)) => run,
        Ok(Said::ChannelFull(_)) => panic!("a full channel"),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn numbers_are_read() {
    let run = done(Ended::Code(0), CLEAN);
    assert_eq!((run.end, run.states, run.depth), (SpinEnd::Clean, Some(2473), Some(55)));
    assert_eq!((run.memory_mib, run.pan_seconds), (Some(187.656), Some(1.5)));
    assert_eq!((run.capacity, run.compile_seconds), (4, 2.5));
    let large = done(Ended::Code(0), &CLEAN.replace("2473", "1.2345678e+08"));
    assert_eq!(large.states, Some(123_456_780));
}

#[test]
fn limits_are_no_answers() {
    let late = done(Ended::OutOfTime, "");
    assert_eq!((&late.end, late.memory_mib), (&SpinEnd::OutOfTime, Some(2.0)));
    assert!(late.gave_up());
    // Pan says `errors: 0` there, too.
    let full = done(Ended::Code(0), &format!("pan: reached -DMEMLIM bound\n{CLEAN}"));
    assert_eq!(full.end, SpinEnd::OutOfMemory);
    assert!(full.gave_up());
}

#[test]
fn errors_are_told_from_full_channels() {
    let wrong = CLEAN.replace("errors: 0", "errors: 1");
    let deadlock = done(Ended::Code(0), &format!("pan:1: invalid end state (at depth 8)\n{wrong}"));
    assert_eq!(deadlock.end, SpinEnd::Error("invalid end state (at depth 8)".into()));
    assert!(!deadlock.gave_up());
    // Spin 6.5 does not call it as the model does.
    for words in ["nfull(c_A[0])", "( !(q_full(c_A[0])))", "(!q_full(c_A[((me-2)*2)]))"] {
        let full = format!("pan:1: assertion violated {words} (at depth 8)\n{wrong}");
        assert!(matches!(said(Ended::Code(0), &full), Ok(Said::ChannelFull(_))), "{words}");
    }
}

#[test]
fn what_nobody_has_heard_of_is_not_taken_for_an_answer() {
    let error = said(Ended::Signal, "\n  Segmentation fault\n").err().map(|it| it.to_string());
    assert_eq!(error.as_deref(), Some("pan failed: Segmentation fault"));
    assert!(said(Ended::Code(1), "").is_err());
}

#[test]
fn without_spin_or_a_compiler_it_is_told_what_is_missing() {
    assert_eq!(Spin::find_in(&OsString::new()), Err(Missing::Spin));
    assert!(Missing::Spin.help().contains("--no-spin"));
}

#[cfg(unix)]
mod with_scripts {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn script(folder: &Path, name: &str, lines: &str) {
        let path = folder.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{lines}\n")).expect("a script");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    }

    const VERSION: &str = "if [ \"$1\" = -V ]; then echo 'Spin Version 6.5.2'; exit; fi";

    /// A compiler whose program does this.
    fn compiler(lines: &str) -> String {
        format!("cat > pan <<'END'\n#!/bin/sh\n{lines}\nEND\nchmod +x pan")
    }

    fn limits(milliseconds: u64) -> PanLimits {
        PanLimits { time: Duration::from_millis(milliseconds), memory_mib: 1000 }
    }

    #[test]
    fn another_program_of_that_name_is_not_spin() {
        let folder = tempfile::tempdir().expect("a folder");
        script(folder.path(), "spin", "echo 'spin 2.7.0 (a tool for the cloud)'");
        script(folder.path(), "cc", "");
        assert_eq!(Spin::find_in(&folder.path().into()), Err(Missing::Spin));
        script(folder.path(), "spin", VERSION);
        std::fs::remove_file(folder.path().join("cc")).expect("it was there");
        assert_eq!(Spin::find_in(&folder.path().into()), Err(Missing::Compiler));
    }

    #[test]
    fn channels_grow_until_they_are_large_enough() {
        let folder = tempfile::tempdir().expect("a folder");
        script(folder.path(), "spin", VERSION);
        // The model is its capacity; eight is enough.
        let pan =
            "if [ \"$(cat model.pml)\" -lt 8 ]; then echo 'pan:1: assertion violated nfull(c)'
            echo 'errors: 1'; else echo 'errors: 0'; fi";
        script(folder.path(), "cc", &compiler(pan));
        let spin = Spin::find_in(&folder.path().into()).expect("both are there");
        assert_eq!(spin.version(), "Spin Version 6.5.2");
        let model = |capacity: u32| Ok::<_, SpinError>(capacity.to_string());
        let run = spin.run(model, Wanted::Everything, limits(60_000), &AtomicBool::new(false));
        let run = run.expect("a run");
        assert_eq!((run.end, run.capacity), (SpinEnd::Clean, 8));
        let never = |_| Ok::<_, SpinError>("0".to_owned());
        let run = spin.run(never, Wanted::Everything, limits(60_000), &AtomicBool::new(false));
        assert!(matches!(run.expect("a run").end, SpinEnd::Refused(_)));
    }

    #[test]
    fn pan_is_ended_at_its_limit_and_nothing_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        script(folder.path(), "spin", VERSION);
        let place = folder.path().join("place");
        let pan = format!("pwd > {}; while :; do :; done", place.display());
        script(folder.path(), "cc", &compiler(&pan));
        let spin = Spin::find_in(&folder.path().into()).expect("both are there");
        let model = |_| Ok::<_, SpinError>(String::new());
        let run = spin.run(model, Wanted::Progress, limits(500), &AtomicBool::new(false));
        assert_eq!(run.expect("a run").end, SpinEnd::OutOfTime);
        let place = std::fs::read_to_string(place).expect("pan was there");
        assert!(!Path::new(place.trim()).exists(), "{place}");
        let off = spin.run(model, Wanted::Progress, limits(500), &AtomicBool::new(true));
        assert!(matches!(off, Err(SpinError::Cancelled)));
    }

    #[test]
    fn a_model_that_is_refused_is_told_with_spins_words() {
        let folder = tempfile::tempdir().expect("a folder");
        let words = "echo 'spin: model.pml:11, Error: too many channel types'; exit 1";
        script(folder.path(), "spin", &format!("{VERSION}\n{words}"));
        script(folder.path(), "cc", "exit 1");
        let spin = Spin::find_in(&folder.path().into()).expect("both are there");
        let model = |_| Ok::<_, SpinError>(String::new());
        let run = spin.run(model, Wanted::Progress, limits(500), &AtomicBool::new(false));
        let end = run.expect("a run").end;
        assert_eq!(end, SpinEnd::Refused("too many channel types".into()));
        assert_eq!(end.name(), "refused");
    }
}
