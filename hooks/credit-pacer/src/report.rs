//! `credit-pacer report`: one page in one file that needs nothing else: usage against the safe line, and the delays.
//!
//! The page never replaces a file that is no report.

mod page;

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use shared::cli;
use shared::host::Host;
use shared::state::{SharedMode, write_durable};

use crate::history::{Refusal, days_of, look_back};
use page::MARK;

const DAYS: u32 = 30;

/// Writes the report; `words` are those after `report`.
pub(crate) fn run(host: &Host, words: &[&str]) -> ExitCode {
    let written = parse(words).and_then(|(file, days)| {
        let past = look_back(host, days, DAYS)?;
        Ok(write(Path::new(file), &page::page(&past))?)
    });
    match written {
        Ok(path) => cli::say(&path.display().to_string()),
        Err(refusal) => refusal.report("report"),
    }
}

/// The file, and the number of days if one is given.
fn parse<'a>(words: &[&'a str]) -> Result<(&'a str, Option<u32>), Refusal> {
    match words {
        ["--html", file] if !file.is_empty() => Ok((file, None)),
        ["--html", file, "--days", days] | ["--days", days, "--html", file] if !file.is_empty() => {
            Ok((file, Some(days_of(days)?)))
        }
        _ => Err(Refusal::Usage("it takes --html FILE, and perhaps --days N".to_owned())),
    }
}

/// Writes the page, and returns its path. Its name ends in `.html`, so it is no file that switches a hook off.
fn write(path: &Path, page: &str) -> Result<PathBuf, String> {
    let shown = path.display();
    if !path.extension().is_some_and(|end| end.eq_ignore_ascii_case("html")) {
        return Err(format!("{shown} must end in .html"));
    }
    if fs::symlink_metadata(path).is_ok() && !is_report(path) {
        return Err(format!("{shown} is there and is no report of credit-pacer; name another file"));
    }
    let cannot = |error| format!("{shown} cannot be written: {error}");
    write_durable(path, page.as_bytes(), SharedMode::default()).map_err(cannot)?;
    fs::canonicalize(path).map_err(cannot)
}

fn is_report(path: &Path) -> bool {
    let mut start = [0; MARK.len()];
    let is_file = fs::symlink_metadata(path).is_ok_and(|file| file.is_file());
    is_file
        && File::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok())
        && start == MARK.as_bytes()
}

#[cfg(test)]
mod tests;
