//! Links in a scratch folder: made, kept, put right, and never over somebody else's.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::{Linked, place};

#[test]
fn a_link_is_made_kept_and_put_right_when_stale() {
    let scratch = tempfile::tempdir().unwrap();
    let hooks = scratch.path().join("hooks");
    let (path, target) = (scratch.path().join("bin/a-gate"), hooks.join("a-gate"));
    assert_eq!(place(&path, &target, &hooks).unwrap(), Linked::Made);
    assert_eq!(place(&path, &target, &hooks).unwrap(), Linked::Kept);
    assert_eq!(fs::read_link(&path).unwrap(), target);

    fs::remove_file(&path).unwrap();
    symlink("/gone/hooks/a-gate", &path).unwrap();
    assert_eq!(place(&path, &target, &hooks).unwrap(), Linked::Made);
    assert_eq!(place(&path, &hooks.join("another"), &hooks).unwrap(), Linked::Made, "ours may change");
}

#[test]
fn somebody_elses_file_or_link_stays() {
    let scratch = tempfile::tempdir().unwrap();
    let hooks = scratch.path().join("hooks");
    let target = hooks.join("a-gate");
    let file = scratch.path().join("file");
    fs::write(&file, "mine").unwrap();
    assert_eq!(place(&file, &target, &hooks).unwrap(), Linked::Foreign);
    for elsewhere in ["/bin/sh", "/gone/elsewhere/a-gate"] {
        let link = scratch.path().join("link");
        symlink(elsewhere, &link).unwrap();
        assert_eq!(place(&link, &target, &hooks).unwrap(), Linked::Foreign);
        assert_eq!(fs::read_link(&link).unwrap(), Path::new(elsewhere));
        fs::remove_file(&link).unwrap();
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}
