//! `credit-pacer report`: one page in one file that needs nothing else: usage against the safe line, and the delays.
//!
//! The page goes into a folder of the user's. It never overwrites a file that is no report, and never lies where Claude Code, Git
//! or these hooks keep their files: a file in there can switch hooks off.

mod page;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use shared::cli;
use shared::host::{Host, Places};

use crate::history::{Refusal, days_of, look_back};
use page::MARK;

/// Days that are shown by default.
const DAYS: u32 = 30;

/// Folders of these names are not written to, wherever they are.
const KEPT_NAMES: [&str; 2] = [".claude", ".git"];

/// Writes the report; `words` are those after `report`.
pub(crate) fn run(host: &Host, words: &[&str]) -> ExitCode {
    let places = Places::resolve(&host.environment, host.cwd().as_deref());
    let written = parse(words).and_then(|(file, days)| {
        let past = look_back(host, days, DAYS)?;
        write(Path::new(file), &page::page(&past), &places).map_err(Refusal::Failed)
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

/// Writes the page, and returns where it is. Only a report is overwritten.
fn write(path: &Path, page: &str, places: &Places) -> Result<PathBuf, String> {
    let shown = path.display();
    let cannot = |error: io::Error| format!("{shown} cannot be written: {error}");
    let is_page = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("html"));
    let name = path.file_name().filter(|_| is_page).ok_or_else(|| format!("{shown} must end in .html"))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = fs::canonicalize(folder).map_err(cannot)?;
    if is_kept(&folder, places) {
        return Err(format!(
            "{shown} is in a folder of Claude Code, Git or these hooks; name a file elsewhere"
        ));
    }
    let target = folder.join(name);
    let is_free = match fs::symlink_metadata(&target) {
        Ok(there) => there.is_file() && is_report(&target),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    if !is_free {
        return Err(format!("{shown} is there and is no report of credit-pacer; name another file"));
    }
    replace(&target, page).map_err(cannot)?;
    Ok(target)
}

/// The folder, which is spelled without links, belongs to Claude Code, Git or the hooks.
fn is_kept(folder: &Path, places: &Places) -> bool {
    let is_kept_name = |name: &str| KEPT_NAMES.iter().any(|kept| name.eq_ignore_ascii_case(kept));
    let mut names = folder.iter().filter_map(|name| name.to_str());
    let kept = [&places.config_dir, &places.state_dir, &places.default_state_dir];
    let real = kept.into_iter().flatten().filter_map(|kept| fs::canonicalize(kept).ok());
    names.any(is_kept_name) || real.into_iter().any(|kept| folder.starts_with(kept))
}

fn is_report(path: &Path) -> bool {
    let mut start = [0; MARK.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == MARK.as_bytes()
}

fn replace(path: &Path, page: &str) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = PathBuf::from(beside);
    let mut file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
    let written = file.write_all(page.as_bytes()).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

#[cfg(test)]
mod tests;
