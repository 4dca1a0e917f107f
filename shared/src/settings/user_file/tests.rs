//! Real files in a scratch folder: links, modes, backups, refusals, and writers that meet.

use std::fs;

use super::{FileError, KEEP_BACKUPS, UserFile};
use crate::host::Timestamp;

fn at(second: i64) -> Timestamp {
    Timestamp::from_secs(1_795_247_198 + second)
}

fn replace_with(text: &str) -> impl FnOnce(Option<&str>) -> Result<Option<String>, FileError> {
    let text = text.to_owned();
    move |_| Ok(Some(text))
}

fn names(folder: &std::path::Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_new_file_is_created_with_its_folders_and_leaves_nothing_beside_it() {
    let scratch = tempfile::tempdir().unwrap();
    let file = UserFile::at(&scratch.path().join("new/deep/settings.json")).unwrap();
    assert_eq!(file.read().unwrap(), None);
    assert!(file.change(replace_with("a")).unwrap());
    assert!(!file.change(replace_with("a")).unwrap(), "the same text is not written again");
    assert_eq!(file.read().unwrap().as_deref(), Some("a"));
    assert_eq!(names(&scratch.path().join("new/deep")), ["settings.json"]);
}

#[cfg(unix)]
#[test]
fn new_folders_and_files_are_private_and_an_existing_mode_stays() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("new/settings.json");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let file = UserFile::at(&path).unwrap();
    file.change(replace_with("a")).unwrap();
    assert_eq!((mode(path.parent().unwrap()), mode(&path)), (0o700, 0o600));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).unwrap();
    file.change(replace_with("b")).unwrap();
    assert_eq!(mode(&path), 0o664);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_its_target_is_replaced() {
    let scratch = tempfile::tempdir().unwrap();
    let (dotfiles, home) = (scratch.path().join("dotfiles"), scratch.path().join("home"));
    fs::create_dir_all(&dotfiles).unwrap();
    fs::create_dir_all(&home).unwrap();
    std::os::unix::fs::symlink("../dotfiles/s.json", home.join("settings.json")).unwrap();
    let file = UserFile::at(&home.join("settings.json")).unwrap();
    assert_eq!(file.read().unwrap(), None, "a link to nothing yet");
    file.change_with_backup(at(0), replace_with("a")).unwrap();
    file.change_with_backup(at(1), replace_with("b")).unwrap();
    assert_eq!(fs::read_to_string(dotfiles.join("s.json")).unwrap(), "b");
    assert!(fs::symlink_metadata(home.join("settings.json")).unwrap().is_symlink());
    assert_eq!(names(&dotfiles), ["s.json"], "backups stay out of the target's folder");

    std::os::unix::fs::symlink("loop", home.join("loop")).unwrap();
    assert!(UserFile::at(&home.join("loop")).is_err());
}

#[test]
fn backups_hold_what_was_there_newest_first_and_the_oldest_go() {
    let scratch = tempfile::tempdir().unwrap();
    let file = UserFile::at(&scratch.path().join("settings.json")).unwrap();
    let first = file.change_with_backup(at(0), replace_with("0")).unwrap().unwrap();
    assert!(
        first.ends_with("settings.json.barbless-backup-20261121T074638.000Z-absent"),
        "{}",
        first.display()
    );
    assert_eq!(file.backups()[0].text, None);
    for second in 1..8 {
        file.change_with_backup(at(second), replace_with(&second.to_string())).unwrap();
    }
    assert_eq!(file.change_with_backup(at(9), replace_with("7")).unwrap(), None, "no change, no backup");
    let texts: Vec<Option<String>> = file.backups().into_iter().map(|backup| backup.text).collect();
    assert_eq!(texts.len(), KEEP_BACKUPS);
    assert_eq!(texts, ["6", "5", "4", "3", "2"].map(|text| Some(text.to_owned())));
}

#[test]
fn a_refused_edit_and_an_unreadable_file_change_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("settings.json");
    fs::write(&path, [0xff, 0xfe]).unwrap();
    let file = UserFile::at(&path).unwrap();
    assert!(file.change_with_backup(at(0), replace_with("a")).is_err());
    fs::write(&path, "text").unwrap();
    let refused = file.change_with_backup(at(0), |_| {
        Err(file.refused(super::Refused { line: 2, column: 5, why: "no".into() }))
    });
    let said = refused.unwrap_err().to_string();
    assert!(said.ends_with("settings.json, line 2, column 5: no; the file was not changed"), "{said}");
    assert_eq!(names(scratch.path()), ["settings.json"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "text");
}

#[test]
fn many_writers_lose_no_change() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("count");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let file = UserFile::at(&path).unwrap();
                    let increment = |text: Option<&str>| -> Result<Option<String>, FileError> {
                        let count: u32 = text.map_or(0, |text| text.parse().unwrap());
                        Ok(Some((count + 1).to_string()))
                    };
                    file.change(increment).unwrap();
                }
            });
        }
    });
    assert_eq!(fs::read_to_string(&path).unwrap(), "80");
}
