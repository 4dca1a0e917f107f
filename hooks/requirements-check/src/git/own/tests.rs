//! HOME as repository, the configuration folder as repository, and neither.

use std::fs;

use super::super::take_plain;
use super::*;

#[test]
fn leaves_out_what_tools_keep_but_never_the_whole_repository() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    for file in [
        ".claude.json",
        ".claude.json.backup",
        ".claude/CLAUDE.md",
        ".claude/hook-state/s.json",
        ".claude/hook-backups/settings.json",
        ".claude/projects/p/t.jsonl",
        "project/.claude/sessions/s.json",
        "project/src/a.rs",
    ] {
        fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
        fs::write(home.join(file), "").unwrap();
    }
    let (config_dir, linked) = (home.join(".claude"), home.join("linked"));
    std::os::unix::fs::symlink(&home, &linked).unwrap();
    for (root, given_home, counted) in [
        (home.clone(), &home, &["linked", "project/.claude/sessions/s.json", "project/src/a.rs"][..]),
        (home.clone(), &linked, &["linked", "project/.claude/sessions/s.json", "project/src/a.rs"]),
        (home.join("project"), &home, &["src/a.rs"]),
        (config_dir, &home, &["CLAUDE.md", "projects/p/t.jsonl"]),
    ] {
        let config_dir = Some(given_home.join(".claude"));
        let state_dir = Some(given_home.join(".claude/hook-state"));
        let default_state_dir = state_dir.clone();
        let places = Places { config_dir, state_dir, default_state_dir, ..Places::default() };
        let own = Own::of(&root, &places, Some(given_home));
        let found = take_plain(&root, None, &own).unwrap().changed;
        assert_eq!(found.keys().collect::<Vec<_>>(), counted, "{root:?} {given_home:?}");
    }
}
