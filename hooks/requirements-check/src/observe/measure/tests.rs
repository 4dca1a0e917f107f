//! Files as evidence: which lack something, and what.

use std::fs::{self, File as Disk};
use std::time::{Duration, SystemTime};

use shared::host::Timestamp;

use super::{look_for, no_less};
use crate::git::Size;
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
    let (scratch, now) = (tempfile::tempdir().unwrap(), SystemTime::now());
    fs::create_dir_all(scratch.path().join("docs")).unwrap();
    let lacking = || look_for(scratch.path(), &wanted, Timestamp::from(now)).err();
    assert_eq!(lacking().as_deref(), Some("there is no file docs/review*.md"));
    let file = scratch.path().join("docs/review-1.md");
    for (content, age, lacks) in [
        ("# Review\n", 60, Some("docs/review-1.md has no match of /verdict: (good|fair)/")),
        ("verdict: good\n", 60, Some("docs/review-1.md has no match of /^# Review/")),
        (good, 7200, Some("docs/review-1.md is not newer than asked")),
        (good, 60, None),
    ] {
        fs::write(&file, content).unwrap();
        Disk::options()
            .write(true)
            .open(&file)
            .unwrap()
            .set_modified(now - Duration::from_secs(age))
            .unwrap();
        assert_eq!(lacking().as_deref(), lacks, "{content:?} {age}");
    }
    fs::write(scratch.path().join("docs/review-0.md"), "draft").unwrap();
    assert_eq!(lacking(), None, "one of several is enough");
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_project_is_no_evidence() {
    let (scratch, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(outside.path().join("b.md"), "done").unwrap();
    std::os::unix::fs::symlink(outside.path().join("b.md"), scratch.path().join("b.md")).unwrap();
    for file in ["b.md", "'*.md'"] {
        let wanted = wanted(&format!("{{file: {file}, contains: [done]}}"));
        let now = Timestamp::from(SystemTime::now());
        assert!(look_for(scratch.path(), &wanted, now).is_err(), "{file}");
    }
}

#[test]
fn a_count_that_ran_out_of_time_never_lowers_the_last_one() {
    let count = |lines, is_complete| Size { lines, is_complete, ..Size::default() };
    for (now, earlier, expected) in [
        (count(10, false), Some(count(2_102, true)), count(2_102, false)),
        (count(10, false), None, count(10, false)),
        (count(3_000, false), Some(count(2_102, true)), count(3_000, false)),
        (count(10, true), Some(count(2_102, true)), count(10, true)),
    ] {
        assert_eq!(no_less(now, earlier), expected);
    }
}
