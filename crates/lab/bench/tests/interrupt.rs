//! Signals end a measurement, and whatever it has started.

use crate::common::{PATIENCE, file, folder};
use crate::{PROGRAM, ser};
use rustix::process::{Pid, Signal, kill_process};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn an_interrupted_measurement_ends_the_other_tool_too() {
    let folder = folder("bench_interrupt");
    let program = file(&folder, "p.ser", "request r { X := 1 }");
    let other = "sh -c 'sleep 98.7654 & sleep 98.7654' {file}";
    assert!(ser().is_file());
    let child = Command::new(PROGRAM)
        .args([&program, "--timeout", "100", "--against", other])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    // Until signals are listened to and the work has begun.
    std::thread::sleep(Duration::from_millis(700));
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(process, Signal::TERM).expect("it is still running");
    let started = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert!(started.elapsed() < PATIENCE, "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("interrupted"), "{text}");
    let sleeps = |process: std::fs::DirEntry| {
        std::fs::read(process.path().join("cmdline"))
            .is_ok_and(|line| line == b"sleep\x0098.7654\x00")
    };
    let left = std::fs::read_dir("/proc").expect("processes").flatten().any(sleeps);
    assert!(!left, "the other tool is still running");
}
