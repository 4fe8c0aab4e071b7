//! Data, programs and servers that a machine may lack. A test that needs one of them says so and passes; `.ci/run` counts and lists such
//! tests at its end, because the output of passing tests is not shown.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss
    )
)]

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The environment variable with the file to which tests that are skipped are written, a line each.
pub const SKIPPED: &str = "TOUCHSTONE_SKIPPED";

/// Notes that this test, or a part of it, cannot run here.
#[expect(clippy::print_stderr, reason = "a test that tests nothing has to say so")]
pub fn skipped(reason: &str) {
    eprintln!("skipped: {reason}");
    let Some(file) = std::env::var_os(SKIPPED) else { return };
    let thread = std::thread::current();
    let line = format!("{}: {reason}\n", thread.name().unwrap_or("a test"));
    let written = OpenOptions::new().create(true).append(true).open(&file).and_then(|mut file| {
        // One write: tests run side by side.
        file.write_all(line.as_bytes())
    });
    assert!(written.is_ok(), "cannot write to {}, which {SKIPPED} names: {written:?}", file.display());
}

/// A file or folder of the shared data, or a note that it is not there.
pub fn shared_data(path: &str) -> Option<PathBuf> {
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(path);
    if full.exists() {
        return Some(full);
    }
    skipped(&format!("there is no ../shared/data/{path}"));
    None
}

/// What an environment variable says of a program or a server, or a note that it is not set.
pub fn variable(name: &str) -> Option<OsString> {
    let value = std::env::var_os(name).filter(|value| !value.is_empty());
    if value.is_none() {
        skipped(&format!("{name} is not set"));
    }
    value
}

#[cfg(test)]
mod tests {
    use super::{SKIPPED, shared_data, skipped, variable};
    use std::process::Command;

    /// The notes of another process, which has the variable.
    #[test]
    fn notes_go_to_the_file() {
        const NAME: &str = "tests::notes_go_to_the_file";
        if std::env::var_os("TOUCHSTONE_TESTING_INNER").is_some() {
            skipped("no reason");
            assert_eq!(shared_data("no such data"), None);
            assert_eq!(variable("TOUCHSTONE_NO_SUCH_VARIABLE"), None);
            return;
        }
        let file = std::env::temp_dir().join(format!("touchstone-skipped-{}", std::process::id()));
        let program = std::env::current_exe().expect("this test");
        let status = Command::new(program)
            .args(["--exact", NAME])
            .env(SKIPPED, &file)
            .env("TOUCHSTONE_TESTING_INNER", "1")
            .status();
        let text = std::fs::read_to_string(&file).expect("notes");
        std::fs::remove_file(&file).expect("removed");
        assert!(status.expect("started").success());
        let reasons = [
            "no reason",
            "there is no ../shared/data/no such data",
            "TOUCHSTONE_NO_SUCH_VARIABLE is not set",
        ];
        assert_eq!(text, reasons.map(|reason| format!("{NAME}: {reason}\n")).concat());
    }
}
