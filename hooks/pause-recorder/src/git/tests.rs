//! Repositories made and changed by the real git, with nothing of the developer's own settings.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use shared::host::Environment;

use super::{GitContext, MAX_NAMES, commit, context, look};

const PATIENCE: Duration = Duration::from_secs(60);

const ID: &str = "session-20260106-120000";

/// A folder with a repository in `repo` and a home of its own.
struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    fn empty() -> Self {
        let scratch = Self { folder: tempfile::tempdir().unwrap() };
        for folder in ["home", "repo"] {
            fs::create_dir(scratch.beside(folder)).unwrap();
        }
        scratch
    }

    /// A repository without a commit.
    fn unborn() -> Self {
        let scratch = Self::empty();
        scratch.git(&["init", "--quiet", "--initial-branch=main", "."]);
        for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.org")] {
            scratch.git(&["config", key, value]);
        }
        scratch
    }

    fn with_commit() -> Self {
        let scratch = Self::unborn();
        scratch.write("first.txt", "one\n");
        scratch.git(&["add", "."]);
        scratch.git(&["commit", "--quiet", "-m", "the first"]);
        scratch
    }

    fn beside(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn root(&self) -> PathBuf {
        self.beside("repo")
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    /// A program of the repository's with this key of its configuration, and a file that it writes when it runs.
    fn witness(&self, key: &str) -> PathBuf {
        let (program, witness) = (self.beside("program"), self.beside("witness"));
        fs::write(&program, format!("#!/bin/sh\necho run >> {}\ncat\n", witness.display())).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        self.git(&["config", key, program.to_str().unwrap()]);
        witness
    }

    #[track_caller]
    fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.current_dir(self.root()).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command.env("HOME", self.beside("home")).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_OPTIONAL_LOCKS", "0");
        let output = command.args(["-c", "protocol.file.allow=always"]).args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn environment(&self) -> Environment {
        Environment {
            home: Some(self.beside("home")),
            search_path: std::env::var_os("PATH"),
            ..Environment::default()
        }
    }

    fn look_in(&self, root: &Path) -> GitContext {
        look(&self.environment(), root, PATIENCE).unwrap()
    }

    fn look(&self) -> GitContext {
        self.look_in(&self.root())
    }

    fn snapshot(&self, text: &str) -> Vec<PathBuf> {
        self.write(".claude/sessions/.gitignore", "*\n");
        let files = [format!("{ID}.json"), format!("{ID}.yaml"), "LATEST-SESSION.txt".to_owned()];
        files.map(|name| self.write(&format!(".claude/sessions/{name}"), text)).to_vec()
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
}

#[test]
fn look_tells_branch_commits_and_changes() {
    let scratch = Scratch::with_commit();
    let told = scratch.look();
    assert!(told.is_git_repo && told.status.clean);
    assert_eq!(told.branch.as_deref(), Some("main"));
    let [commit] = told.recent_commits.as_slice() else { panic!("{told:?}") };
    assert_eq!((commit.author.as_str(), commit.message.as_str()), ("Ada", "the first"));
    assert!(scratch.git(&["rev-parse", "HEAD"]).starts_with(&commit.sha));
    scratch.git(&["mv", "first.txt", "second.txt"]);
    fs::remove_file(scratch.root().join("second.txt")).unwrap();
    assert_eq!(scratch.look().status.modified_files, ["first.txt", "second.txt"]);
    let unborn = Scratch::unborn().look();
    assert_eq!((unborn.branch.as_deref(), unborn.recent_commits.len()), (Some("main"), 0));
    for folder in ["home", "nowhere"] {
        assert_eq!(scratch.look_in(&scratch.beside(folder)), GitContext::default(), "{folder}");
    }
}

#[test]
fn look_starts_nothing_of_a_submodule_and_checks_no_signature() {
    let scratch = Scratch::with_commit();
    scratch.git(&["clone", "--quiet", ".", "../other"]);
    scratch.git(&["submodule", "--quiet", "add", "../other", "sub"]);
    scratch.git(&["commit", "--quiet", "-m", "x"]);
    scratch.write("sub/first.txt", "changed");
    let witness = scratch.witness("gpg.program");
    scratch.git(&["config", "log.showSignature", "true"]);
    let program = scratch.beside("program").display().to_string();
    scratch.git(&["-C", "sub", "config", "core.fsmonitor", &program]);
    let told = scratch.look();
    assert!(told.is_git_repo && told.status.clean && told.recent_commits.len() == 2, "{told:?}");
    assert!(!witness.exists());
}

#[test]
fn git_commit_leaves_the_users_files_and_index_alone() {
    let scratch = Scratch::with_commit();
    scratch.write("staged.txt", "staged");
    scratch.git(&["add", "staged.txt"]);
    scratch.write("staged.txt", "staged, and changed since");
    scratch.write("intended.txt", "x");
    scratch.git(&["add", "--intent-to-add", "intended.txt"]);
    scratch.git(&["rm", "--quiet", "first.txt"]);
    scratch.write("un tracked", "x");
    let before = scratch.standing();
    let files = scratch.snapshot("one");
    assert_eq!(scratch.commit(&files), Ok(()));
    assert_eq!(scratch.standing(), before);
    let names = ["LATEST-SESSION.txt".to_owned(), format!("{ID}.json"), format!("{ID}.yaml")];
    assert_eq!(scratch.committed(), names.map(|name| format!(".claude/sessions/{name}")));
    assert_eq!(scratch.git(&["log", "-1", "--format=%s %an"]), "Pause snapshot Ada\n");
    assert_eq!(scratch.commit(&scratch.snapshot("two")), Ok(()));
    assert_eq!((scratch.committed().len(), scratch.standing()), (3, before));
    let file = scratch.write("-x/[a]*", "a path is no pattern");
    scratch.write("-x/a", "not ours");
    assert_eq!(scratch.commit(&[file]), Ok(()));
    assert_eq!(scratch.committed(), ["-x/[a]*"]);
}

#[test]
fn commit_has_no_editor_and_no_signature() {
    let scratch = Scratch::with_commit();
    scratch.witness("core.editor");
    let witness = scratch.witness("gpg.program");
    scratch.git(&["config", "commit.gpgSign", "true"]);
    assert_eq!(scratch.commit(&scratch.snapshot("one")), Ok(()));
    assert!(!witness.exists());
}

/// The commit fails for this reason, and the user's index and head are as before.
#[track_caller]
fn check_refused(expected: &str, arrange: impl FnOnce(&Scratch)) {
    let scratch = Scratch::with_commit();
    scratch.write("staged.txt", "x");
    scratch.git(&["add", "staged.txt"]);
    arrange(&scratch);
    let before = (scratch.standing(), scratch.git(&["rev-parse", "HEAD"]));
    let why = scratch.commit(&scratch.snapshot("one")).unwrap_err();
    assert!(why.contains(expected), "{why}");
    assert_eq!((scratch.standing(), scratch.git(&["rev-parse", "HEAD"])), before, "{expected}");
    assert!(scratch.git(&["ls-files", "--", ".claude"]).is_empty(), "{expected}");
}

#[test]
fn failed_commit_leaves_nothing_staged() {
    check_refused("not a symbolic ref", |scratch| drop(scratch.git(&["checkout", "--quiet", "--detach"])));
    check_refused("partial commit during a merge", |scratch| {
        let head = scratch.git(&["rev-parse", "HEAD"]);
        scratch.write(".git/MERGE_HEAD", head);
    });
    check_refused("git says: fatal: ", |scratch| {
        scratch.git(&["config", "--unset", "user.name"]);
        scratch.git(&["config", "--unset", "user.email"]);
        scratch.git(&["config", "user.useConfigOnly", "true"]);
    });
    check_refused("git says: fatal: ", |scratch| drop(scratch.write(".git/index.lock", "")));
    let plain = Scratch::empty();
    assert!(plain.commit(&plain.snapshot("one")).is_err_and(|why| why.contains("not a git repository")));
    assert!(plain.commit(&[plain.beside("home/a.json")]).is_err());
}

const BEHIND: &str = "N... 100644 100644 100644 1 2";

fn names(said: &str) -> (Vec<String>, Vec<String>) {
    let status = context(said.as_bytes()).status;
    assert_eq!(status.clean, status.modified_files.is_empty() && status.untracked_files.is_empty());
    (status.modified_files, status.untracked_files)
}

#[test]
fn names_come_out_whole_bounded_and_without_secrets() {
    let token = ["gh", "p_"].concat() + &"Ab1".repeat(12);
    let said = format!(
        "# branch.oid 1\01 .M {BEHIND} a b\nc {token}\0u UU {BEHIND} 3 4 5\0? \"q\"\0? -r\0! i\0\
         1 .M {BEHIND} .claude/sessions/a.json\0? .claude/sessions/b\0? .claude/sessionsx\0? cut",
    );
    let (modified, untracked) = names(&said);
    assert_eq!(modified, ["a b\nc [masked: GitHub token]", "5"]);
    assert_eq!(untracked, ["\"q\"", "-r", ".claude/sessionsx"]);
    assert_eq!(names("? a"), Default::default());
    assert_eq!(names(&"? a\0".repeat(MAX_NAMES + 1)).1.len(), MAX_NAMES);
    for (head, branch) in [("a/b", Some("a/b")), ("(detached)", None)] {
        assert_eq!(context(format!("# branch.head {head}\0").as_bytes()).branch.as_deref(), branch);
    }
}
