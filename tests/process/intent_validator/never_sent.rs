//! Files whose content goes to no model, whatever they are called on the way there.

use super::both;
use crate::driver::denial;
use crate::judged::{Judged, says, write};

const CONTENT: &str = "def value():\n    return 'seven'\n";

/// Nobody is asked about a change of this file, really called `real`, and it goes on.
#[track_caller]
fn check(judged: &Judged, number: usize, file: &str, real: &str) {
    let session = judged.another(number);
    says(&session, "Do it.", &format!("FILE: {real}\nCHANGES: add value()\nGOAL: others can ask for it"));
    let answer = judged.ask(&write(&session, file, CONTENT));
    assert_eq!(denial(answer.as_ref()), None, "{file}");
    assert!(judged.api.requests().is_empty(), "{file} went out: {}", judged.journal());
    let why = judged.texts("let-go");
    assert_eq!(why.last().map(String::as_str), Some("not sent to a model"), "{file}: {}", judged.journal());
}

#[test]
fn a_file_that_is_never_sent_costs_no_question() {
    let judged = both("", "", 1);
    for (number, file) in [".env.py", "config/.ENV.PY", "keys/id_ed25519.sh"].into_iter().enumerate() {
        check(&judged, number, file, file);
    }
    check(&judged, 20, "tools/../config/.env.py", "config/.env.py");
}

#[cfg(unix)]
#[test]
fn a_link_is_no_way_round() {
    use std::os::unix::fs::symlink;
    let judged = both("", "", 1);
    let project = judged.sandbox.project();
    for file in ["config/.env.py", "tools/plain.py", "keys/id_rsa.py"] {
        judged.sandbox.write(file, "");
    }
    symlink("../config/.env.py", project.join("tools/linked.py")).unwrap();
    symlink(project.join("keys"), project.join("tools/folder")).unwrap();
    symlink("linked.py", project.join("tools/twice.py")).unwrap();
    check(&judged, 1, "tools/linked.py", "config/.env.py");
    check(&judged, 2, "tools/twice.py", "config/.env.py");
    check(&judged, 3, "tools/folder/id_rsa.py", "keys/id_rsa.py");
    // The other way round: a name that says to keep back what it leads to.
    symlink("plain.py", project.join("tools/.env.py")).unwrap();
    check(&judged, 4, "tools/.env.py", "tools/plain.py");
}

#[test]
fn a_glob_of_the_users_is_held_against_the_path_in_the_project() {
    let judged = both("", "never_send: [\"private/**\", \"inner/own/*.py\", \"tools/a[.py\"]", 1);
    judged.sandbox.write("inner/.git/HEAD", "ref: refs/heads/main\n");
    for (number, file) in ["private/a.py", "private/deep/b.py"].into_iter().enumerate() {
        check(&judged, number, file, file);
    }
    // A repository in the project: what the user wrote is meant from the project's root.
    check(&judged, 5, "inner/own/a.py", "own/a.py");
}
