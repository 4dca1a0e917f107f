//! The state of repositories of every kind.

use std::fs;

use super::Scratch;
use crate::git::GitContext;

#[test]
fn a_clean_repository() {
    let scratch = Scratch::with_commit();
    let told = scratch.look();
    assert!(told.is_git_repo && told.status.clean);
    assert_eq!(told.branch.as_deref(), Some("main"));
    let [commit] = told.recent_commits.as_slice() else { panic!("{told:?}") };
    assert_eq!((commit.author.as_str(), commit.message.as_str()), ("Ada", "the first"));
    assert!(commit.timestamp.ends_with('Z'), "{}", commit.timestamp);
    assert!(scratch.git(&["rev-parse", "HEAD"]).starts_with(&commit.sha));
}

#[test]
fn both_names_of_what_was_renamed_and_what_was_removed() {
    let scratch = Scratch::with_commit();
    scratch.git(&["mv", "first.txt", "second.txt"]);
    assert_eq!(scratch.look().status.modified_files, ["first.txt", "second.txt"]);
    fs::remove_file(scratch.root().join("second.txt")).unwrap();
    assert_eq!(scratch.look().status.modified_files, ["first.txt", "second.txt"]);
}

#[test]
fn no_branch_no_commit_no_repository_no_files() {
    let unborn = Scratch::unborn().look();
    assert_eq!((unborn.branch.as_deref(), unborn.recent_commits.len()), (Some("main"), 0));
    let scratch = Scratch::with_commit();
    scratch.git(&["checkout", "--quiet", "--detach"]);
    let detached = scratch.look();
    assert_eq!((detached.branch, detached.recent_commits.len()), (None, 1));
    scratch.git(&["clone", "--quiet", "--bare", ".", "../bare"]);
    let bare = scratch.look_in(&scratch.beside("bare"));
    assert_eq!(bare, GitContext::default());
    assert_eq!(scratch.look_in(&scratch.beside("home")), GitContext::default());
    assert_eq!(scratch.look_in(&scratch.beside("nowhere")), GitContext::default());
    fs::write(scratch.root().join(".git/config"), "[broken").unwrap();
    assert_eq!(scratch.look(), GitContext::default());
}

#[test]
fn a_commit_has_the_time_it_was_committed() {
    let scratch = Scratch::with_commit();
    scratch.git(&["commit", "--quiet", "--amend", "--no-edit", "--date=2001-01-01T00:00:00Z"]);
    assert!(!scratch.look().recent_commits[0].timestamp.starts_with("2001"));
}

#[test]
fn a_submodule_is_not_entered() {
    let scratch = Scratch::with_commit();
    scratch.git(&["clone", "--quiet", ".", "../other"]);
    scratch.git(&["submodule", "--quiet", "add", "../other", "sub"]);
    scratch.git(&["commit", "--quiet", "-m", "sub"]);
    scratch.write("sub/first.txt", "changed");
    let config = scratch.root().join(".git/modules/sub/config");
    let text = fs::read_to_string(&config).unwrap();
    let monitor = format!("{text}[core]\n\tfsmonitor = {}\n", scratch.witness("monitor"));
    fs::write(config, monitor).unwrap();
    assert!(scratch.look().status.clean);
    assert!(!scratch.has_run());
}

#[test]
fn a_repositorys_configuration_starts_nothing() {
    let scratch = Scratch::with_commit();
    scratch.write(".gitattributes", "* filter=own diff=own\n");
    scratch.git(&["add", "."]);
    scratch.git(&["commit", "--quiet", "-m", "x"]);
    let program = scratch.witness("program");
    let hooks = scratch.beside("hooks");
    fs::create_dir(&hooks).unwrap();
    for hook in ["post-index-change", "fsmonitor-watchman", "pre-commit"] {
        fs::copy(&program, hooks.join(hook)).unwrap();
    }
    for (key, value) in [
        ("core.fsmonitor", program.as_str()),
        ("core.hooksPath", hooks.to_str().unwrap()),
        ("core.pager", &program),
        ("pager.log", "true"),
        ("pager.status", "true"),
        ("alias.status", &format!("!{program}")),
        ("alias.log", &format!("!{program}")),
        ("diff.own.textconv", &program),
        ("diff.external", &program),
        ("filter.own.clean", &program),
        ("filter.own.smudge", &program),
        ("filter.own.required", "true"),
        ("log.showSignature", "true"),
        ("gpg.program", &program),
        ("status.showStash", "true"),
    ] {
        scratch.git(&["config", key, value]);
    }
    // The same bytes with another time: git has to compare them.
    scratch.write("first.txt", "one\n");
    let told = scratch.look();
    assert!(told.is_git_repo && told.status.clean, "{told:?}");
    assert_eq!(told.recent_commits.len(), 2);
    assert!(!scratch.has_run());
    scratch.git(&["config", "filter.a=b.clean", &program]);
    assert_eq!(scratch.look(), GitContext::default());
    assert!(!scratch.has_run());
    let _ = scratch.try_git(&["status"]);
    assert!(scratch.has_run(), "git by itself starts them");
}
