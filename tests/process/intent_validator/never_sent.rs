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

#[cfg(unix)]
#[test]
fn neither_a_link_nor_a_spelling_is_a_way_round() {
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
    check(&judged, 5, "config/.ENV.PY", "config/.ENV.PY");
    check(&judged, 6, "tools/../config/.env.py", "config/.env.py");
}
