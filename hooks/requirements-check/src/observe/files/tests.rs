//! Files as evidence: which lack something, and what.

use std::fs::{self, File as Disk};
use std::time::{Duration, SystemTime};

use shared::host::Timestamp;

use super::{lacking, must_be};
use crate::settings::{Evidence, File, Requirement, Terms};

fn wanted(file: &str) -> File {
    let yaml = format!("{{enabled: true, type: evidence, file: {file}}}");
    let set: Requirement = shared::config::read_typed(&yaml).unwrap();
    let Terms::Evidence(Evidence { file: Some(file), .. }) = set.terms else { panic!("{yaml}") };
    file
}

#[test]
fn a_file_counts_while_it_is_there_new_enough_and_holds_what_it_must() {
    let wanted =
        wanted("{file: 'docs/review*.md', newer_than: 1h, contains: ['^# Review', 'verdict: (good|fair)']}");
    let good = "# Review\nverdict: good\n";
    for (content, age, lacks) in [
        (None, 0, Some("there is no file docs/review*.md")),
        (Some("# Review\n"), 60, Some("docs/review-1.md has no match of /verdict: (good|fair)/")),
        (Some("verdict: good\n"), 60, Some("docs/review-1.md has no match of /^# Review/")),
        (Some(good), 7200, Some("docs/review-1.md is not newer than asked")),
        (Some(good), 60, None),
    ] {
        let scratch = tempfile::tempdir().unwrap();
        fs::create_dir_all(scratch.path().join("docs")).unwrap();
        // One of several is enough; what git or a package manager keeps is no evidence.
        fs::create_dir_all(scratch.path().join("node_modules/docs")).unwrap();
        let now = SystemTime::now();
        if let Some(content) = content {
            let file = scratch.path().join("docs/review-1.md");
            fs::write(&file, content).unwrap();
            let then = now - Duration::from_secs(age);
            Disk::options().write(true).open(file).unwrap().set_modified(then).unwrap();
        }
        let since = Some(Timestamp::from(now - Duration::from_secs(3600)));
        let found = lacking(scratch.path(), &wanted, since);
        assert_eq!(found.as_deref(), lacks, "{content:?} {age}");
    }
}

#[test]
fn one_of_several_files_is_enough_and_links_are_not_followed() {
    let scratch = tempfile::tempdir().unwrap();
    fs::write(scratch.path().join("a.md"), "draft").unwrap();
    let wanted = wanted("{file: '*.md', contains: [done]}");
    assert!(lacking(scratch.path(), &wanted, None).is_some());
    #[cfg(unix)]
    {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("b.md"), "done").unwrap();
        std::os::unix::fs::symlink(outside.path().join("b.md"), scratch.path().join("b.md")).unwrap();
        assert!(lacking(scratch.path(), &wanted, None).is_some());
    }
    fs::write(scratch.path().join("c.md"), "done").unwrap();
    assert_eq!(lacking(scratch.path(), &wanted, None), None);
}

#[test]
fn the_conditions_of_a_file_are_put_in_words() {
    for (file, words) in [
        ("notes.md", "is there"),
        ("{file: notes.md, newer_than: HEAD}", "is newer than the last commit"),
        (
            "{file: notes.md, newer_than: 30m, contains: [done]}",
            "is newer than 30 min and contains a match of /done/",
        ),
    ] {
        assert_eq!(must_be(&wanted(file)), words);
    }
}
