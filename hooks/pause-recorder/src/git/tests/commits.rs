//! A commit takes our files and nothing else, and leaves everything of the user's as it was.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use shared::host::{Clock, Environment, Host, Timestamp};

use super::{PATIENCE, Scratch};
use crate::git::committing::commit;
use crate::git::look;

const ID: &str = "session-20260106-120000";

impl Scratch {
    fn snapshot(&self, text: &str) -> Vec<PathBuf> {
        self.write(".claude/sessions/.gitignore", "*\n");
        ["json", "yaml", "md"]
            .map(|end| self.write(&format!(".claude/sessions/{ID}.{end}"), text))
            .into_iter()
            .chain([self.write(".claude/sessions/LATEST-SESSION.txt", ID)])
            .collect()
    }

    fn commit(&self, files: &[PathBuf]) -> Result<(), String> {
        commit(&self.environment(), &self.root(), files, "Pause snapshot", PATIENCE)
    }

    fn standing(&self) -> String {
        let index = self.git(&["ls-files", "--stage", "--debug", "--", ":!.claude"]);
        let unimportant = |line: &&str| !line.starts_with("  ") || line.contains("flags");
        let index: Vec<&str> = index.lines().filter(unimportant).collect();
        format!("{index:?}{}", self.git(&["status", "--porcelain=v2", "--untracked-files=all"]))
    }

    /// The names in the last commit.
    fn committed(&self) -> Vec<String> {
        let names = self.git(&["show", "--format=", "--name-only", "HEAD"]);
        names.lines().map(ToOwned::to_owned).collect()
    }

    /// Whether git knows of our files otherwise than as they are committed.
    fn is_ours_in_index(&self) -> bool {
        !self.git(&["ls-files", "--", ".claude"]).is_empty()
    }
}

#[test]
fn nothing_of_the_users_is_taken_or_changed() {
    let scratch = Scratch::with_commit();
    scratch.write("staged.txt", "staged");
    scratch.write("removed.txt", "x");
    scratch.git(&["add", "removed.txt"]);
    scratch.git(&["commit", "--quiet", "-m", "second"]);
    scratch.git(&["rm", "--quiet", "removed.txt"]);
    scratch.git(&["add", "staged.txt"]);
    scratch.write("staged.txt", "staged, and changed since");
    scratch.write("intended.txt", "x");
    scratch.git(&["add", "--intent-to-add", "intended.txt"]);
    scratch.write("first.txt", "changed");
    scratch.write("un tracked", "x");
    let before = scratch.standing();
    let files = scratch.snapshot("one");
    assert_eq!(scratch.commit(&files), Ok(()));
    assert_eq!(scratch.standing(), before);
    let end = |end| format!(".claude/sessions/{ID}.{end}");
    let latest = ".claude/sessions/LATEST-SESSION.txt".to_owned();
    assert_eq!(scratch.committed(), [latest, end("json"), end("md"), end("yaml")]);
    assert_eq!(scratch.git(&["log", "-1", "--format=%s %an"]), "Pause snapshot Ada\n");
    // Again, with the same bytes, and with others.
    let head = scratch.git(&["rev-parse", "HEAD"]);
    assert_eq!(scratch.commit(&files), Ok(()));
    assert_eq!(scratch.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(scratch.commit(&scratch.snapshot("two")), Ok(()));
    assert_eq!(scratch.committed().len(), 3);
    assert_eq!(scratch.standing(), before);
}

#[test]
fn no_hook_editor_or_signature() {
    let scratch = Scratch::with_commit();
    let program = scratch.witness("program");
    let hooks = scratch.root().join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in [
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
        "post-index-change",
        "reference-transaction",
    ] {
        fs::copy(&program, hooks.join(hook)).unwrap();
        fs::set_permissions(hooks.join(hook), fs::Permissions::from_mode(0o755)).unwrap();
    }
    for (key, value) in [
        ("commit.gpgSign", "true"),
        ("gpg.program", program.as_str()),
        ("core.editor", &program),
        ("core.fsmonitor", &program),
        ("commit.verbose", "true"),
        ("diff.external", &program),
        ("alias.commit", &format!("!{program}")),
    ] {
        scratch.git(&["config", key, value]);
    }
    assert_eq!(scratch.commit(&scratch.snapshot("one")), Ok(()));
    assert!(!scratch.has_run());
    let _ = scratch.try_git(&["commit", "--allow-empty", "-m", "x"]);
    assert!(scratch.has_run(), "git by itself starts them");
}

#[test]
fn while_something_is_going_on_nothing_is_committed() {
    let check = |arguments: &[&str], expected: &str| {
        let scratch = Scratch::with_commit();
        scratch.git(&["checkout", "--quiet", "-b", "side"]);
        scratch.write("first.txt", "side\n");
        scratch.git(&["commit", "--quiet", "-am", "side"]);
        scratch.git(&["checkout", "--quiet", "main"]);
        scratch.write("first.txt", "main\n");
        scratch.git(&["commit", "--quiet", "-am", "main"]);
        let _ = scratch.try_git(arguments);
        let (before, head) = (scratch.standing(), scratch.git(&["rev-parse", "HEAD"]));
        let said = scratch.commit(&scratch.snapshot("one"));
        assert_eq!(said, Err(format!("{expected} is going on in the repository")), "{arguments:?}");
        assert_eq!(
            (scratch.standing(), scratch.git(&["rev-parse", "HEAD"])),
            (before, head),
            "{arguments:?}"
        );
        assert!(!scratch.is_ours_in_index());
    };
    check(&["merge", "side"], "a merge");
    check(&["merge", "--no-commit", "--no-ff", "-s", "ours", "side"], "a merge");
    check(&["merge", "--squash", "side"], "a merge");
    check(&["cherry-pick", "side"], "a cherry-pick");
    check(&["revert", "HEAD~1"], "a revert");
    check(&["rebase", "side"], "a rebase");
    check(&["bisect", "start"], "a bisection");
}

#[test]
fn why_it_is_not_committed_and_what_was_added_is_taken_out_again() {
    let check = |arrange: &dyn Fn(&Scratch), expected: &str| {
        let scratch = Scratch::with_commit();
        scratch.write("staged.txt", "x");
        scratch.git(&["add", "staged.txt"]);
        arrange(&scratch);
        let before = scratch.standing();
        let said = scratch.commit(&scratch.snapshot("one"));
        assert_eq!(
            said.map_err(|why| why.contains(expected).to_string()),
            Err("true".to_owned()),
            "{expected}"
        );
        assert_eq!(scratch.standing(), before, "{expected}");
        assert!(!scratch.is_ours_in_index(), "{expected}");
    };
    check(
        &|scratch| {
            scratch.git(&["config", "--unset", "user.name"]);
            scratch.git(&["config", "--unset", "user.email"]);
            scratch.git(&["config", "user.useConfigOnly", "true"]);
        },
        "git does not know who you are",
    );
    check(&|scratch| drop(scratch.write(".git/index.lock", "")), "another git command is at work");
    check(&|scratch| drop(scratch.write(".git/refs/heads/main.lock", "")), "git says: ");
}

#[test]
fn a_path_is_a_path() {
    let scratch = Scratch::with_commit();
    scratch.write("-x/a", "not ours");
    let file = scratch.write("-x/[a]*", "ours");
    assert_eq!(scratch.commit(&[file]), Ok(()));
    assert_eq!(scratch.committed(), ["-x/[a]*"]);
}

#[test]
fn at_its_deadline_git_takes_its_locks_away() {
    let scratch = Scratch::with_commit();
    scratch.write(".gitattributes", "* filter=slow\n");
    let program = scratch.witness("slow");
    fs::write(&program, "#!/bin/sh\nexec sleep 600\n").unwrap();
    scratch.git(&["config", "filter.slow.clean", &program]);
    let files = scratch.snapshot("one");
    let patience = Duration::from_secs(1);
    let said = commit(&scratch.environment(), &scratch.root(), &files, "Pause snapshot", patience);
    assert_eq!(said, Err("git did not come back in time".to_owned()));
    assert!(!scratch.root().join(".git/index.lock").exists());
    assert!(!scratch.is_ours_in_index());
}

#[test]
fn outside_of_a_repository_nothing_is_committed() {
    let scratch = Scratch::with_commit();
    let outside = scratch.beside("home/a.json");
    let said = scratch.commit(&[outside]);
    assert_eq!(said, Err("the folder of sessions lies outside of the repository".to_owned()));
    let plain = Scratch::empty();
    let said = plain.commit(&plain.snapshot("one"));
    assert!(said.is_err_and(|why| why.contains("not a git repository")));
    assert_eq!(scratch.commit(&[]), Ok(()));
}

#[test]
fn behind_a_link_that_stays_inside_files_have_their_real_names() {
    let scratch = Scratch::with_commit();
    fs::create_dir(scratch.root().join("inside")).unwrap();
    std::os::unix::fs::symlink("inside", scratch.root().join(".claude")).unwrap();
    let files = scratch.snapshot("one");
    assert_eq!(scratch.commit(&files), Ok(()));
    let mut committed = scratch.committed();
    committed.retain(|name| name.starts_with("inside/sessions/"));
    assert_eq!(committed.len(), 4);
}

#[test]
fn who_the_user_is_and_what_they_ignore_may_stand_beside_their_home() {
    let scratch = Scratch::with_commit();
    let folder = scratch.beside("settings/git");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config"), "[user]\nname = Grace\nemail = grace@example.org\n").unwrap();
    fs::write(folder.join("ignore"), "*.tmp\n").unwrap();
    for key in ["user.name", "user.email"] {
        scratch.git(&["config", "--unset", key]);
    }
    scratch.write("a.tmp", "x");
    scratch.write("b.txt", "x");
    let with = |folder: PathBuf| Environment { xdg_config_home: Some(folder), ..scratch.environment() };
    let files = scratch.snapshot("one");
    let commit = |folder| commit(&with(folder), &scratch.root(), &files, "Pause snapshot", PATIENCE);
    assert!(commit("settings".into()).is_err(), "it is relative");
    assert_eq!(commit(scratch.beside("settings")), Ok(()));
    assert_eq!(scratch.git(&["log", "-1", "--format=%an"]), "Grace\n");
    let now = Timestamp::from_secs(1);
    let environment = with(scratch.beside("settings"));
    let host = Host { started: now, clock: Clock::Fixed(now), environment };
    let told = look(&host, &scratch.root(), PATIENCE).unwrap();
    assert_eq!(told.status.untracked_files, ["b.txt"]);
}
