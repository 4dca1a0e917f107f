//! Real files in a scratch folder: links, modes, backups, refusals, what killed processes leave behind, and writers that
//! meet.

use std::fs;
use std::path::{Path, PathBuf};

use shared::host::Timestamp;
use tempfile::TempDir;

use super::{FileError, KEEP_BACKUPS, UserFile};

fn at(second: i64) -> Timestamp {
    Timestamp::from_secs(1_795_247_198 + second)
}

fn replace_with(text: &str) -> impl FnOnce(Option<&str>) -> Result<Option<String>, FileError> {
    let text = text.to_owned();
    move |_| Ok(Some(text))
}

/// A scratch folder, and a file at this path in it.
fn scratch(path: &str) -> (TempDir, PathBuf, UserFile) {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join(path);
    (scratch, path.clone(), UserFile::at(&path).unwrap())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn texts(file: &UserFile) -> Vec<Option<String>> {
    file.backups().into_iter().map(|backup| backup.text).collect()
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    std::os::unix::fs::MetadataExt::mode(&fs::metadata(path).unwrap()) & 0o7777
}

#[cfg(unix)]
#[test]
fn new_folders_and_files_are_private_and_an_existing_mode_stays() {
    let (_scratch, path, file) = scratch("new/settings.json");
    assert!(file.change(replace_with("a")).unwrap());
    assert!(!file.change(replace_with("a")).unwrap(), "the same text is not written again");
    assert_eq!((mode(path.parent().unwrap()), mode(&path)), (0o700, 0o600));
    for kept in [0o664, 0o640, 0o200] {
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(kept)).unwrap();
        assert!(file.change(replace_with(&format!("{kept}"))).unwrap());
        assert_eq!(mode(&path), kept);
    }
    let backup = file.change_with_backup(at(0), replace_with("c")).unwrap().unwrap();
    assert_eq!(mode(&backup), 0o600, "whatever was in it is nobody else's");
}

#[cfg(unix)]
#[test]
fn a_projects_files_are_as_readable_as_others_and_their_backups_are_not_in_it() {
    let (scratch, path, file) = scratch("project/.claude/settings.json");
    let kept = scratch.path().join("kept/of/it");
    let file = file.of_a_project(&kept);
    file.change_with_backup(at(0), replace_with("a")).unwrap();
    file.change_with_backup(at(1), replace_with("b")).unwrap();
    fs::write(scratch.path().join("usual"), "").unwrap();
    assert_eq!(mode(&path), mode(&scratch.path().join("usual")));
    assert_eq!(mode(&kept), 0o700);
    assert_eq!(names(path.parent().unwrap()), ["settings.json"]);
    assert_eq!(texts(&file), [Some("a".to_owned()), None]);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_its_target_is_replaced() {
    use std::os::unix::fs::symlink;
    let scratch = tempfile::tempdir().unwrap();
    let (dotfiles, home) = (scratch.path().join("dotfiles/deep"), scratch.path().join("home"));
    fs::create_dir_all(&home).unwrap();
    symlink("../dotfiles/deep/s.json", home.join("relative")).unwrap();
    symlink("relative", home.join("chain")).unwrap();
    let links = names(&home);
    for name in ["relative", "chain"] {
        let file = UserFile::at(&home.join(name)).unwrap();
        assert_eq!(file.read().unwrap(), None, "{name}: a link to nothing yet");
        file.change_with_backup(at(0), replace_with("a")).unwrap();
        file.change_with_backup(at(1), replace_with("b")).unwrap();
        assert_eq!(fs::read_to_string(dotfiles.join("s.json")).unwrap(), "b", "{name}");
        assert_eq!(names(&dotfiles), ["s.json"], "backups stay out of the target's folder");
        assert_eq!(texts(&file), [Some("a".to_owned()), None]);
        file.change(|_| Ok::<_, FileError>(None)).unwrap();
        assert_eq!(names(&dotfiles), [""; 0]);
        for backup in file.backups() {
            fs::remove_file(backup.path).unwrap();
        }
        assert_eq!(names(&home), links, "{name}: nothing else is there");
        assert!(links.iter().all(|name| fs::symlink_metadata(home.join(name)).unwrap().is_symlink()));
    }
    symlink("loop", home.join("loop")).unwrap();
    let error = UserFile::at(&home.join("loop")).unwrap_err().to_string();
    assert!(error.ends_with("too many links, one to the next; the file was not changed"), "{error}");
}

#[test]
fn backups_hold_what_was_there_newest_first_and_the_first_is_never_removed() {
    let (scratch, _, file) = scratch("settings.json");
    let first = file.change_with_backup(at(0), replace_with("0")).unwrap().unwrap();
    assert_eq!(first.file_name().unwrap(), "settings.json.barbless-backup-20261121T074638.000Z-absent");
    assert_eq!(file.backups()[0].text, None);
    // Changes at one moment and a clock that goes back leave a backup each in their order.
    for (text, second) in [(1, 1), (2, 5), (3, 5), (4, 5), (5, 0), (6, -1_000_000), (7, 7)] {
        file.change_with_backup(at(second), replace_with(&text.to_string())).unwrap();
    }
    let torn = "settings.json.barbless-backup-20991121T074638.000Z-half";
    fs::write(scratch.path().join(torn), "torn").unwrap();
    assert_eq!(file.change_with_backup(at(9), replace_with("7")).unwrap(), None, "no change, no backup");
    let newest = ["6", "5", "4", "3", "2"].map(|text| Some(text.to_owned()));
    assert_eq!(newest.len(), KEEP_BACKUPS);
    assert_eq!(texts(&file), [&newest[..], &[None]].concat());
}

#[test]
fn leftovers_of_killed_processes_go_with_the_next_change() {
    let scratch = tempfile::tempdir().unwrap();
    let link = scratch.path().join("settings.json");
    let target = scratch.path().join("dotfiles/s.json");
    fs::create_dir(scratch.path().join("dotfiles")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&target, &link).unwrap();
    #[cfg(not(unix))]
    let target = link.clone();
    fs::write(&target, "a").unwrap();
    let beside = target.parent().unwrap();
    let abandoned = [
        link.with_file_name("settings.json.barbless-new"),
        beside.join("s.json.barbless-new"),
        beside.join("s.json.barbless.lock"),
    ];
    let theirs = beside.join("s.json.mine.barbless-new");
    let file = UserFile::at(&link).unwrap();
    for text in ["a", "b"] {
        for path in abandoned.iter().chain([&theirs]) {
            fs::write(path, "torn").unwrap();
        }
        file.change(replace_with(text)).unwrap();
        assert!(abandoned.iter().all(|path| !path.exists()), "{:?}", names(beside));
        assert!(theirs.exists(), "{:?}", names(beside));
        assert_eq!(fs::read_to_string(&target).unwrap(), text);
    }
}

#[test]
fn a_refused_edit_and_an_unreadable_file_change_nothing() {
    let (scratch, path, file) = scratch("settings.json");
    fs::write(&path, [0xff, 0xfe]).unwrap();
    assert!(file.change_with_backup(at(0), replace_with("a")).is_err());
    let unread = file.read().unwrap_err().to_string();
    assert!(!unread.contains("changed"), "nobody was about to change it: {unread}");
    fs::write(&path, "text").unwrap();
    let refused = file.change_with_backup(at(0), |_| {
        Err(file.refused(crate::Refused { line: 2, column: 5, why: "no".into() }))
    });
    let said = refused.unwrap_err().to_string();
    assert!(said.ends_with("settings.json, line 2, column 5: no; the file was not changed"), "{said}");
    assert_eq!(names(scratch.path()), ["settings.json"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "text");

    let folder = UserFile::at(scratch.path()).unwrap_err().to_string();
    assert!(folder.ends_with(" is not a regular file; move it away and try again"), "{folder}");
    let below = UserFile::at(&path.join("settings.json")).unwrap();
    assert!(below.change(replace_with("a")).is_err(), "there is nothing below a file");
    assert_eq!(names(scratch.path()), ["settings.json"]);
}

#[test]
fn there_is_no_change_without_its_backup_and_no_backup_without_its_change() {
    let (scratch, path, file) = scratch("settings.json");
    let kept = scratch.path().join("kept");
    let file = file.of_a_project(&kept);
    fs::write(&path, "text").unwrap();
    fs::write(&kept, "no folder").unwrap();
    assert!(file.change_with_backup(at(0), replace_with("a")).is_err());
    fs::remove_file(&kept).unwrap();
    fs::create_dir(scratch.path().join("settings.json.barbless-new")).unwrap();
    assert!(file.change_with_backup(at(0), replace_with("a")).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "text");
    assert_eq!(names(scratch.path()), ["kept", "settings.json", "settings.json.barbless-new"]);
    assert_eq!(names(&kept), [""; 0]);
}

#[test]
fn a_file_its_owner_made_read_only_stays_as_it_is() {
    let (scratch, path, file) = scratch("settings.json");
    fs::write(&path, "text").unwrap();
    let writable = fs::metadata(&path).unwrap().permissions();
    let mut read_only = writable.clone();
    read_only.set_readonly(true);
    fs::set_permissions(&path, read_only).unwrap();
    for error in [
        file.change(replace_with("a")).unwrap_err(),
        file.change(|_| Ok::<_, FileError>(None)).unwrap_err(),
        file.change_with_backup(at(0), replace_with("a")).unwrap_err(),
    ] {
        let said = error.to_string();
        assert!(said.ends_with("settings.json is read-only; make it writable and try again"), "{said}");
    }
    assert!(!file.change(replace_with("text")).unwrap(), "nothing to change is no reason to refuse");
    assert_eq!(fs::read_to_string(&path).unwrap(), "text");
    assert_eq!(names(scratch.path()), ["settings.json"]);
    fs::set_permissions(&path, writable).unwrap();
    assert!(file.change(replace_with("a")).unwrap());
}

#[cfg(unix)]
#[test]
fn temporary_file_never_follows_a_link() {
    let (scratch, _, file) = scratch("settings.json");
    let victim = scratch.path().join("victim");
    fs::write(&victim, "text").unwrap();
    std::os::unix::fs::symlink(&victim, scratch.path().join("settings.json.barbless-new")).unwrap();
    file.change(replace_with("a")).unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "text");
    assert_eq!(names(scratch.path()), ["settings.json", "victim"]);
}
