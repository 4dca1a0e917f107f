//! Repositories made and changed by the real git, with nothing of the developer's own settings.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use shared::host::{Clock, Environment, Host, Timestamp};

use super::committing::commit;
use super::{GitContext, look};

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

    /// A program that says in a file that it was run, and passes on what it is input.
    fn witness(&self, name: &str) -> String {
        let program = self.beside(name);
        let text = format!("#!/bin/sh\necho run >> {}\ncat\n", self.beside("witnesses").display());
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        program.to_str().unwrap().to_owned()
    }

    fn has_run(&self) -> bool {
        self.beside("witnesses").exists()
    }

    fn git(&self, arguments: &[&str]) -> String {
        let (is_done, said) = self.try_git(arguments);
        assert!(is_done, "git {arguments:?}: {said}");
        said
    }

    fn try_git(&self, arguments: &[&str]) -> (bool, String) {
        let mut command = Command::new("git");
        command.current_dir(self.root()).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command.env("HOME", self.beside("home")).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_OPTIONAL_LOCKS", "0");
        let output = command.args(["-c", "protocol.file.allow=always"]).args(arguments).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&said).into_owned())
    }

    fn environment(&self) -> Environment {
        Environment {
            home: Some(self.beside("home")),
            search_path: std::env::var_os("PATH"),
            ..Environment::default()
        }
    }

    fn look_in(&self, root: &Path) -> GitContext {
        let now = Timestamp::from_secs(1);
        let host = Host { started: now, clock: Clock::Fixed(now), environment: self.environment() };
        look(&host, root, PATIENCE).unwrap()
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

    /// Whether git knows of our files otherwise than as they are committed.
    fn is_ours_in_index(&self) -> bool {
        !self.git(&["ls-files", "--", ".claude"]).is_empty()
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
    scratch.git(&["commit", "--quiet", "--amend", "--no-edit", "--date=2001-01-01T00:00:00Z"]);
    assert!(!scratch.look().recent_commits[0].timestamp.starts_with("2001"), "when it was committed");
}

#[test]
fn look_without_a_branch_a_commit_a_repository_or_files() {
    let unborn = Scratch::unborn().look();
    assert_eq!((unborn.branch.as_deref(), unborn.recent_commits.len()), (Some("main"), 0));
    let scratch = Scratch::with_commit();
    scratch.git(&["checkout", "--quiet", "--detach"]);
    let detached = scratch.look();
    assert_eq!((detached.branch, detached.recent_commits.len()), (None, 1));
    scratch.git(&["clone", "--quiet", "--bare", ".", "../bare"]);
    for folder in ["bare", "home", "nowhere"] {
        assert_eq!(scratch.look_in(&scratch.beside(folder)), GitContext::default(), "{folder}");
    }
    fs::write(scratch.root().join(".git/config"), "[broken").unwrap();
    assert_eq!(scratch.look(), GitContext::default());
}

#[test]
fn look_starts_nothing_of_the_repositorys() {
    let scratch = Scratch::with_commit();
    scratch.git(&["clone", "--quiet", ".", "../other"]);
    scratch.git(&["submodule", "--quiet", "add", "../other", "sub"]);
    scratch.write(".gitattributes", "* filter=own diff=own\n");
    scratch.git(&["add", "."]);
    scratch.git(&["commit", "--quiet", "-m", "x"]);
    scratch.write("sub/first.txt", "changed");
    let program = scratch.witness("program");
    let config = scratch.root().join(".git/modules/sub/config");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(config, format!("{text}[core]\n\tfsmonitor = {program}\n")).unwrap();
    for (key, value) in [
        ("core.fsmonitor", program.as_str()),
        ("alias.status", &format!("!{program}")),
        ("diff.own.textconv", &program),
        ("filter.own.clean", &program),
        ("filter.own.required", "true"),
        ("log.showSignature", "true"),
        ("gpg.program", &program),
    ] {
        scratch.git(&["config", key, value]);
    }
    // The same bytes with another time: git has to compare them.
    scratch.write("first.txt", "one\n");
    let told = scratch.look();
    assert!(told.is_git_repo && told.status.clean && told.recent_commits.len() == 2, "{told:?}");
    scratch.git(&["config", "filter.a=b.clean", &program]);
    assert_eq!(scratch.look(), GitContext::default(), "no command line can switch this one off");
    assert!(!scratch.has_run());
    let _ = scratch.try_git(&["status"]);
    assert!(scratch.has_run(), "git by itself starts them");
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
    let names = ["LATEST-SESSION.txt".to_owned(), format!("{ID}.json"), format!("{ID}.yaml")];
    assert_eq!(scratch.committed(), names.map(|name| format!(".claude/sessions/{name}")));
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
    for hook in ["pre-commit", "commit-msg", "post-commit"] {
        fs::copy(&program, hooks.join(hook)).unwrap();
    }
    for (key, value) in [
        ("commit.gpgSign", "true"),
        ("gpg.program", program.as_str()),
        ("core.editor", &program),
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
    assert_eq!(committed.len(), 3);
}

#[test]
fn identity_and_ignored_files_may_stand_beside_the_home() {
    let scratch = Scratch::with_commit();
    let folder = scratch.beside("settings/git");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config"), "[user]\nname = Grace\nemail = grace@example.org\n").unwrap();
    for key in ["user.name", "user.email"] {
        scratch.git(&["config", "--unset", key]);
    }
    let files = scratch.snapshot("one");
    let commit = |folder| {
        let surroundings = Environment { xdg_config_home: Some(folder), ..scratch.environment() };
        commit(&surroundings, &scratch.root(), &files, "Pause snapshot", PATIENCE)
    };
    assert!(commit("settings".into()).is_err(), "it is relative");
    assert_eq!(commit(scratch.beside("settings")), Ok(()));
    assert_eq!(scratch.git(&["log", "-1", "--format=%an"]), "Grace\n");
}
