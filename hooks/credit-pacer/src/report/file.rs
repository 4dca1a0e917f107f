//! The report's file: written beside and renamed, never over something that is none of ours.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::report::page::MARK;

/// Writes the page and tells where it is. Another file is overwritten only by `force`, anything that is no file never.
pub(crate) fn write(path: &Path, page: &str, force: bool) -> Result<PathBuf, String> {
    let shown = path.display();
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => return Err(format!("{shown} is a folder; name a file in it")),
        Ok(there) if !there.is_file() => return Err(format!("{shown} is no file")),
        Ok(_) if !force && !is_report(path) => {
            return Err(format!("{shown} is there and is no report of ours; --force overwrites it"));
        }
        _ => {}
    }
    // What a link points to is replaced, not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    replace(&target, page).map_err(|error| format!("{shown} cannot be written: {error}"))?;
    Ok(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()))
}

fn is_report(path: &Path) -> bool {
    let mut start = Vec::new();
    let length = u64::try_from(MARK.len()).unwrap_or(u64::MAX);
    let read = File::open(path).and_then(|file| file.take(length).read_to_end(&mut start));
    read.is_ok() && start == MARK.as_bytes()
}

fn replace(path: &Path, page: &str) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = PathBuf::from(beside);
    let file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
    let written = fill(file, page).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn fill(mut file: File, page: &str) -> io::Result<()> {
    file.write_all(page.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::write;
    use crate::report::page::MARK;

    #[test]
    fn only_a_report_of_ours_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let page = format!("{MARK}new");
        let ours = format!("{MARK}old");
        for (name, there, force, is_written) in [
            ("new.html", None, false, true),
            ("ours.html", Some(ours.as_str()), false, true),
            ("other.html", Some("<!DOCTYPE html>\n<p>mine</p>"), false, false),
            ("forced.html", Some("<!DOCTYPE html>\n<p>mine</p>"), true, true),
            ("empty.html", Some(""), false, false),
        ] {
            let path = folder.path().join(name);
            if let Some(there) = there {
                fs::write(&path, there).unwrap();
            }
            let written = write(&path, &page, force);
            assert_eq!(written.is_ok(), is_written, "{name}: {written:?}");
            let expected = if is_written { page.as_str() } else { there.unwrap_or_default() };
            assert_eq!(fs::read_to_string(&path).unwrap(), expected, "{name}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 5, "nothing is left beside");
    }

    #[test]
    fn a_folder_is_refused_even_by_force() {
        let folder = tempfile::tempdir().unwrap();
        let refused = write(folder.path(), "page", true).unwrap_err();
        assert!(refused.ends_with("is a folder; name a file in it"), "{refused}");
        assert!(write(&folder.path().join("missing").join("report.html"), "page", true).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_what_it_points_to_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file.html"), folder.path().join("link.html"));
        fs::write(&file, MARK).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let page = format!("{MARK}new");
        write(&link, &page, false).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), page);
    }
}
