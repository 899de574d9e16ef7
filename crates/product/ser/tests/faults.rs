//! Faults around the program: disks that are full, folders that cannot be written, readers that
//! leave, links that lead elsewhere. Whatever happens, a file under its final name is complete, the
//! message says what is wrong, and the exit code tells the truth.

use crate::common::{Output, example, file, folder, ser, ser_in, text};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const RACY: &str = "request increment { x := X; yield; if (x < 3) { X := x + 1 }; x }\n";
const UNTIDY: &str = "request main {X:=1;yield;X}\n";

/// What is in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn assert_refused(output: &Output, words: &str) {
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(output.stderr.contains("error: "), "{output:?}");
    assert!(output.stderr.contains(words), "{words}: {output:?}");
}

/// Runs `ser` in a shell: `$SER` is the binary.
fn shell(folder: &Path, script: &str) -> Output {
    let output = Command::new("sh")
        .current_dir(folder)
        .args(["-c", script])
        .env("SER", env!("CARGO_BIN_EXE_ser"))
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let output = Output {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
        time: Duration::ZERO,
        memory: 0,
    };
    assert!(!output.all().contains("panicked"), "{script}: {output:?}");
    output
}

/// Every command that writes a file, with the file that it writes.
const WRITERS: [(&str, &str); 6] = [
    ("$SER check --certificate out racy.ser", "out"),
    ("$SER check --html out racy.ser", "out"),
    ("$SER check --smtlib out calm.ser", "out"),
    ("$SER reach toy.net --query 'P1 >= 2 && P5 = 1' --certificate out", "out"),
    ("$SER fmt untidy.ser", "untidy.ser"),
    ("$SER repair --apply racy.ser", "racy.ser"),
];

/// A folder with all that the writers need.
fn workshop(name: &str) -> std::path::PathBuf {
    let folder = folder(name);
    file(&folder, "racy.ser", RACY);
    file(&folder, "untidy.ser", UNTIDY);
    file(&folder, "calm.ser", "request main { X := 1 - X; X }");
    std::fs::copy(example("nets/toy.net"), folder.join("toy.net")).expect("a net");
    folder
}

#[test]
fn a_full_disk_leaves_the_old_file_and_no_temporary_one() {
    for (command, target) in WRITERS {
        let folder = workshop("faults-full");
        let path = folder.join(target);
        if !path.exists() {
            std::fs::write(&path, "old").expect("an old file");
        }
        let (old, before) = (std::fs::read(&path).expect("the old file"), names(&folder));
        // No file may grow at all: the system says so with an error if the signal is ignored.
        let script = format!("trap '' XFSZ; ulimit -f 0; {command} 2>&1 | cat; exit 7");
        let output = shell(&folder, &script);
        assert_eq!(output.code, Some(7), "{output:?}");
        let is_told = |line: &str| line.starts_with("error: ") && line.contains("cannot write");
        assert!(output.stdout.lines().any(is_told), "{command}: {output:?}");
        assert_eq!(names(&folder), before, "{command}");
        assert!(std::fs::read(&path).expect("the old file") == old, "{command}");
    }
}

#[test]
fn a_full_disk_leaves_nothing_of_a_new_program() {
    let folder = folder("faults-new");
    let output = shell(&folder, "trap '' XFSZ; ulimit -f 0; $SER new bank 2>&1 | cat");
    assert!(output.stdout.contains("error: cannot write"), "{output:?}");
    assert_eq!(names(&folder), [""; 0]);
}

#[test]
fn output_that_does_not_fit_is_an_error() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let folder = workshop("faults-dev-full");
    shell(&folder, "$SER check --certificate c.json racy.ser");
    for command in [
        "$SER check racy.ser",
        "$SER check --format json racy.ser racy.ser",
        "$SER check --format sarif racy.ser",
        "$SER explain calm.ser",
        "$SER show racy.ser",
        "$SER verify c.json",
        "$SER repair racy.ser",
        "$SER fmt --check untidy.ser",
        "printf 'request a { 1 }' | $SER repair --apply -",
        "$SER reach toy.net --query 'P1 >= 2'",
        "$SER new -",
        "$SER man",
        "$SER completions bash",
    ] {
        let output = shell(&folder, &format!("{command} > /dev/full"));
        assert_eq!(output.code, Some(2), "{command}: {output:?}");
        assert!(output.stderr.contains("cannot write the output"), "{command}: {output:?}");
    }
}

#[test]
fn messages_that_nobody_can_read_change_nothing() {
    let folder = workshop("faults-stderr");
    file(&folder, "warned.ser", "request main { X := U; yield; X }");
    for (command, code) in [
        ("$SER check racy.ser", 1),
        ("$SER check warned.ser", 0),
        ("$SER check", 2),
        ("$SER fmt --check untidy.ser", 1),
        ("$SER verify nothing.json", 2),
    ] {
        for closed in ["2>&-", "2>/dev/full", "<&-", "<&- 2>&-", ">&- 2>&- <&-"] {
            let output = shell(&folder, &format!("{command} {closed}"));
            assert_eq!(output.code, Some(code), "{command} {closed}: {output:?}");
        }
    }
}

#[test]
fn a_reader_that_leaves_does_not_change_the_exit_code() {
    let folder = workshop("faults-pipe");
    file(&folder, "hopeless.ser", std::fs::read(example("flip_and_wait.ser")).expect("text"));
    shell(&folder, "$SER check --certificate c.json racy.ser");
    let certificate = std::fs::read_to_string(folder.join("c.json")).expect("a certificate");
    file(&folder, "wrong.json", certificate.replace("not-serializable", "serializable"));
    for command in [
        "check racy.ser",
        "check --format json racy.ser calm.ser",
        "check --format sarif racy.ser",
        "check nothing.ser",
        "check --only refute --max-requests 1 racy.ser",
        "repair hopeless.ser",
        "repair --format json hopeless.ser racy.ser",
        "fmt --check untidy.ser",
        "verify c.json",
        "verify --source untidy.ser c.json",
        "verify wrong.json",
        "show --stage net racy.ser",
        "show --stage outcomes nothing.ser",
        "reach toy.net --query 'P2 >= 1 && P3 >= 1'",
        "new --list",
        "man",
        "completions zsh",
    ] {
        let expected = shell(&folder, &format!("$SER {command} > /dev/null 2> /dev/null")).code;
        // The reader has left before the first byte.
        for streams in ["", "2>&1"] {
            let script = format!(
                "{{ sleep 0.2; $SER {command} {streams}; echo $? > code; }} 2> messages | true"
            );
            let output = shell(&folder, &script);
            let code = std::fs::read_to_string(folder.join("code")).expect("an exit code");
            assert_eq!(code.trim().parse().ok(), expected, "{command} {streams}: {output:?}");
            let messages = std::fs::read_to_string(folder.join("messages")).expect("messages");
            assert!(!messages.contains("panicked"), "{command}: {messages}");
            assert!(!messages.contains("pipe"), "{command}: {messages}");
        }
    }
}

#[test]
fn standard_output_is_not_replaced_by_a_certificate() {
    let folder = workshop("faults-stdout");
    // What /dev/stdout is on Linux, in a folder where nothing can be broken.
    symlink("/proc/self/fd/1", folder.join("stdout")).expect("a link");
    if !Path::new("/proc/self/fd/1").exists() {
        return;
    }
    for script in [
        "{ $SER check --certificate stdout racy.ser; echo $? > code; } | cat",
        "$SER check --certificate stdout racy.ser > answer; echo $? > code; cat answer",
        "$SER check --certificate stdout racy.ser >> answer; echo $? > code; cat answer",
    ] {
        let output = shell(&folder, script);
        assert_eq!(
            std::fs::read_to_string(folder.join("code")).expect("a code"),
            "2\n",
            "{script}"
        );
        assert!(output.stdout.contains("NOT serializable"), "{script}: {output:?}");
        assert!(
            output.stderr.contains("--certificate: cannot write stdout"),
            "{script}: {output:?}"
        );
        let link = std::fs::symlink_metadata(folder.join("stdout")).expect("the link");
        assert!(link.file_type().is_symlink(), "{script}");
    }
}

#[test]
fn what_is_no_ordinary_file_stays_as_it_is() {
    let folder = workshop("faults-targets");
    let write =
        |target: &str| ser_in(&folder, &["check", "--certificate", target, "racy.ser"], b"", &[]);
    symlink("nowhere", folder.join("dangling")).expect("a link");
    assert_refused(&write("dangling"), "a link to a file that does not exist");
    assert_refused(&write("missing/c.json"), "--certificate: cannot write missing/c.json");
    assert_refused(&write("-"), "name a file");
    assert_refused(&write("/dev/null"), "not an ordinary file");
    assert_refused(&write("racy.ser"), "the input itself");
    symlink("racy.ser", folder.join("link.ser")).expect("a link");
    assert_refused(&write("link.ser"), "the input itself");

    file(&folder, "precious.json", "precious");
    let locked = std::fs::Permissions::from_mode(0o444);
    std::fs::set_permissions(folder.join("precious.json"), locked.clone()).expect("read-only");
    assert_refused(&write("precious.json"), "read-only");
    assert_eq!(std::fs::read(folder.join("precious.json")).expect("a file"), b"precious");

    std::fs::set_permissions(folder.join("untidy.ser"), locked).expect("read-only");
    assert_refused(&ser_in(&folder, &["fmt", "untidy.ser"], b"", &[]), "read-only");

    // A link to an ordinary file is followed, and stays a link.
    file(&folder, "real.json", "old");
    symlink("real.json", folder.join("link.json")).expect("a link");
    assert_eq!(write("link.json").code, Some(1));
    assert!(folder.join("link.json").is_symlink());
    assert!(std::fs::read_to_string(folder.join("real.json")).expect("text").starts_with('{'));
    assert!(!names(&folder).iter().any(|name| name.ends_with(".tmp")), "{:?}", names(&folder));
}

#[test]
fn names_may_be_as_long_as_the_system_allows() {
    let folder = workshop("faults-long");
    let name = format!("{}.json", "c".repeat(250));
    let output = ser_in(&folder, &["check", "--certificate", &name, "racy.ser"], b"", &[]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(folder.join(name).is_file());
}

#[test]
fn several_processes_write_the_same_file_as_a_whole() {
    let folder = workshop("faults-race");
    let start = || {
        Command::new(env!("CARGO_BIN_EXE_ser"))
            .current_dir(&folder)
            .args(["check", "--certificate", "c.json", "--html", "r.html", "racy.ser"])
            .stdout(Stdio::null())
            .spawn()
            .expect("the binary starts")
    };
    let children: Vec<_> = (0..12).map(|_| start()).collect();
    for mut child in children {
        assert_eq!(child.wait().expect("it ends").code(), Some(1));
        assert_eq!(ser(&["verify", &text(&folder.join("c.json"))]).code, Some(0));
        let page = std::fs::read_to_string(folder.join("r.html")).expect("a page");
        assert!(page.trim_end().ends_with("</html>"));
    }
    assert!(!names(&folder).iter().any(|name| name.ends_with(".tmp")), "{:?}", names(&folder));
}

#[test]
fn a_temporary_file_that_was_left_behind_is_no_trouble() {
    let folder = workshop("faults-leftover");
    // Whatever the number of the process is, its first temporary names are taken, by links even.
    file(&folder, "victim", "untouched");
    let script = "for i in 0 1; do ln -s victim c.json.$$.$i.tmp; done; \
                  exec $SER check --certificate c.json racy.ser";
    let output = shell(&folder, script);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert_eq!(std::fs::read(folder.join("victim")).expect("a file"), b"untouched");
    assert!(folder.join("c.json").is_file());
}

#[test]
fn thousands_of_files_in_one_call() {
    const COUNT: usize = 2000;
    let folder = folder("faults-many");
    let files: Vec<String> = (0..COUNT)
        .map(|i| {
            let program = format!("request r {{ X := {}; X }}", i % 7);
            file(&folder, &format!("f{i}.ser"), program)
        })
        .collect();
    for jobs in ["1", "0", "64"] {
        let mut args = vec!["check", "--format", "json", "--jobs", jobs];
        args.extend(files.iter().map(String::as_str));
        let output = ser(&args);
        assert_eq!(output.code, Some(0), "{}", output.stderr);
        let order =
            output.stdout.lines().zip(&files).all(|(line, file)| line.contains(file.as_str()));
        assert!(order && output.stdout.lines().count() == COUNT);
    }
    // Pages for all of them do not take the square of the time.
    let pages = text(&folder.join("pages"));
    let mut args = vec!["check", "--html", &pages];
    args.extend(files.iter().map(String::as_str));
    assert_eq!(ser(&args).code, Some(0));
    assert_eq!(names(Path::new(&pages)).len(), COUNT + 1);
    // Few file descriptors, and more workers than anybody needs.
    let script = "ulimit -n 24; $SER check --jobs 2000 f*.ser | tail -1";
    let output = shell(&folder, script);
    assert!(output.stdout.starts_with("2,000 files: 2,000 serializable"), "{output:?}");
}

#[test]
fn the_same_file_twice_has_two_reports_and_one_page() {
    let folder = workshop("faults-twice");
    let args = ["check", "--html", "pages", "racy.ser", "calm.ser", "racy.ser"];
    let output = ser_in(&folder, &args, b"", &[]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stdout.contains("3 files: 1 serializable, 2 not serializable"), "{output:?}");
    assert_eq!(names(&folder.join("pages")), ["calm.ser.html", "index.html", "racy.ser.html"]);
}
