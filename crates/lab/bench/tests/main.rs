//! The tests of `ser-bench`, in one binary.

/// The program that is tested.
const PROGRAM: &str = env!("CARGO_BIN_EXE_ser-bench");

#[path = "../../../product/ser/tests/common/mod.rs"]
mod common;
mod events;
mod families;
#[cfg(target_os = "linux")]
mod interrupt;
mod prove;
mod sequentialize;
mod suite;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The `ser` beside the program: it is built with the other tests, or else now.
fn ser() -> &'static Path {
    static SER: OnceLock<PathBuf> = OnceLock::new();
    SER.get_or_init(|| {
        let path =
            Path::new(PROGRAM).with_file_name(format!("ser{}", std::env::consts::EXE_SUFFIX));
        if !path.is_file() {
            let built = Command::new(env!("CARGO")).args(["build", "--package", "ser"]).status();
            assert!(built.expect("cargo runs").success());
        }
        path
    })
}

/// Runs the program, which measures [`ser`].
fn bench(arguments: &[&str]) -> common::Output {
    assert!(ser().is_file());
    common::ser(arguments)
}

fn json(output: &common::Output) -> serde_json::Value {
    serde_json::from_str(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}
