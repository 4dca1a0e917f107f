//! Counting instructions under valgrind: a number that does not change with the machine's load. It counts the program's
//! own instructions, not the kernel's.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use super::measure::Process;

/// Where valgrind is; `None` if it is not in the path.
pub(super) fn find() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join("valgrind")).find(|file| file.is_file())
}

/// How many instructions the process takes.
pub(super) fn instructions(process: &Process<'_>, valgrind: &Path) -> anyhow::Result<u64> {
    let program = process.program.to_str().context("the program's path is not readable text")?;
    let args = ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-fd=1", program];
    let run = Process { program: valgrind, args: &args, ..*process }.run()?;
    let printed = String::from_utf8_lossy(&run.stdout);
    ensure!(run.status.success(), "valgrind ended with {}: {printed}", run.status);
    collected(&printed).with_context(|| format!("valgrind printed no count: {printed}"))
}

/// The number behind `Collected :` in valgrind's summary.
fn collected(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.split_once("Collected :"))?.1;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::collected;

    #[test]
    fn the_count_is_read_from_the_summary() {
        let text = "==7== Callgrind\n==7== Events    : Ir\n==7== Collected : 123456\n==7==\n";
        assert_eq!(collected(text), Some(123_456));
        assert_eq!(collected("==7== Collected : many"), None);
    }
}
