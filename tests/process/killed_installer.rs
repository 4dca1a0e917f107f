//! The installer, killed before and after each change that another process can see, and in the middle of each write: the user's
//! files are the old ones or the new ones, and the same command again ends where it would have ended. A kill before one change is a
//! kill after the change before it. Calls that repeat for each program count once, and the last time.

use crate::driver::tree;
use crate::installer::User;
use installer::catalog::Catalog;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use tempfile::TempDir;
use tests::binaries;
use tests::process::Outcome;
use tests::sandbox::Level;

const SIGKILL: i32 = 9;

/// Steps are counted from 1.
const NEVER: usize = 0;

/// The calls after which another process sees something else; a write only reaches a file that has no name yet.
const CHANGES: [&str; 9] =
    ["link", "linkat", "mkdir", "rename", "renameat", "renameat2", "rmdir", "symlink", "unlink"];

const INSTALL: &str = "install --prebuilt PREBUILT --hooks credit-pacer --statusline --allow-rules --yes";

/// A status line of the user's, and places where ours goes.
const SETTINGS: &str = "{ \"statusLine\": {\"padding\": 0, \"type\": \"command\", \"command\": \"mine --x\"},\n  \"hooks\": { \"Stop\": [ ] },\n  \"permissions\": { \"allow\": [ ] }, \"n\": 1.50e+0 }\n";

/// The library that kills, compiled once for all tests.
fn killer() -> &'static Path {
    static COMPILED: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, library) = COMPILED.get_or_init(|| {
        let folder = TempDir::with_prefix("barbless-").expect("a temporary folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/kill_at_step.c");
        let library = folder.path().join("kill_at_step.so");
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&library).arg(&source);
        let status = cc.arg("-ldl").status().expect("cc, which rustc needs as well");
        assert!(status.success(), "{cc:?} ended with {status}");
        (folder, library)
    });
    library
}

/// The files of a user by path; backups without their times.
type Home = BTreeMap<String, Vec<String>>;

/// The files that must never be torn.
const WHOLE: [&str; 2] = [".claude/settings.json", ".claude/requirements.yaml"];

/// A user with settings of their own, a status line and some of our hooks, as these commands leave it.
fn user(before: &[&str]) -> User {
    let user = User::with(SETTINGS);
    user.sandbox.requirements(Level::User, "# mine\nversion: \"1.0\"   # kept\n");
    for line in before {
        user.types(line);
    }
    copy(&user.sandbox.home(), &user.sandbox.root().join("kept"));
    user
}

impl User {
    fn put_back(&self) {
        fs::remove_dir_all(self.sandbox.home()).unwrap();
        copy(&self.sandbox.root().join("kept"), &self.sandbox.home());
    }

    /// Runs it up to this step. Returns the calls it got to, the last one unmade if it was killed.
    fn killed(&self, line: &str, step: usize, in_the_middle: bool) -> (Outcome, Vec<String>) {
        let log = self.sandbox.temporary_dir().join("calls");
        let _ = fs::remove_file(&log);
        let name = binaries::installer().file_name().unwrap().to_str().unwrap().to_owned();
        let mut command = self
            .command(line)
            .env("LD_PRELOAD", killer().display().to_string())
            .env("KILL_EXECUTABLE", name)
            .env("KILL_FOLDER", self.sandbox.home().display().to_string())
            .env("KILL_STEP", step.to_string())
            .env("KILL_LOG", log.display().to_string());
        if in_the_middle {
            command = command.env("KILL_HALF", "1");
        }
        let outcome = command.run();
        let calls = fs::read_to_string(&log).unwrap_or_default();
        let home = format!("{}/", self.sandbox.home().display());
        (outcome, calls.lines().map(|call| call.replace(&home, "")).collect())
    }

    fn everything(&self) -> Home {
        let (home, mut files) = (self.sandbox.home(), Home::new());
        for (path, content) in tree(&home) {
            let name = path.strip_prefix(&home).unwrap().to_str().unwrap();
            if !name.starts_with(".claude/hook-state") {
                files.entry(without_time(name)).or_default().push(content);
            }
        }
        files
    }
}

/// Linked, not copied: nothing of it may ever be written into, only replaced.
fn copy(from: &Path, to: &Path) {
    let status = Command::new("cp").arg("-al").args([from, to]).status().expect("cp");
    assert!(status.success());
}

/// A backup's name ends in its time.
fn without_time(name: &str) -> String {
    let Some((file, time)) = name.split_once(".barbless-backup-") else { return name.to_owned() };
    format!("{file}.barbless-backup-{}", time.trim_start_matches(|letter: char| letter != 'Z'))
}

/// The steps at which it is killed, the first and the last of each shape, each with whether it is the middle of a write.
fn steps(calls: &[String]) -> BTreeMap<usize, bool> {
    let mut shapes: BTreeMap<String, Vec<(usize, bool)>> = BTreeMap::new();
    for (call, step) in calls.iter().zip(1..) {
        let (name, is_write) = (call.split(' ').next().unwrap_or_default(), call.starts_with("write "));
        if is_write || CHANGES.contains(&name) {
            shapes.entry(shape(call)).or_default().push((step, is_write));
        }
    }
    shapes.values().flat_map(|steps| [steps.first(), steps.last()]).flatten().copied().collect()
}

/// A call without what differs from program to program and from run to run.
fn shape(call: &str) -> String {
    static PROGRAMS: OnceLock<BTreeSet<String>> = OnceLock::new();
    let programs = PROGRAMS.get_or_init(|| {
        let hooks = Catalog::built_in().unwrap().hooks.iter().cloned();
        hooks.flat_map(|hook| hook.commands.into_iter().chain(hook.helpers).chain([hook.name])).collect()
    });
    let (folder, file) = call.rsplit_once('/').unwrap_or(("", call));
    let (name, rest) = file.split_once(".barbless").unwrap_or((file, ""));
    let name = if programs.contains(name) { "a program" } else { name };
    format!("{folder}/{name}{rest}").chars().filter(|letter| !letter.is_ascii_digit()).collect()
}

/// Kills the command at every step, looks, and completes it. `undoes`: a second time does the opposite of the first. `back` is a
/// command that leads back: what it leaves tells whether all of ours is still known to be ours.
#[track_caller]
fn survives_being_killed(user: &User, line: &str, undoes: bool, back: Option<&str>, at_least: usize) {
    let old = user.everything();
    let (outcome, calls) = user.killed(line, NEVER, false);
    outcome.assert_exit(0);
    let new = user.everything();
    let steps = steps(&calls);
    assert!(steps.len() >= at_least, "only {} kills: does the library see the calls?", steps.len());
    for (step, in_the_middle) in steps {
        user.put_back();
        let (outcome, calls) = user.killed(line, step, in_the_middle);
        let when = format!("`{line}`, killed at step {step}, {:?}", calls.last());
        assert_eq!(outcome.status.signal(), Some(SIGKILL), "{when}");
        let left = user.everything();
        for file in WHOLE {
            assert!([old.get(file), new.get(file)].contains(&left.get(file)), "{when}: {:?}", left.get(file));
        }
        user.types(line);
        let end = user.everything();
        let is_taken_back = undoes && left.get(WHOLE[0]) == new.get(WHOLE[0]);
        if is_taken_back {
            assert_eq!(WHOLE.map(|file| end.get(file)), WHOLE.map(|file| old.get(file)), "{when}");
            assert!(end.keys().eq(new.keys()), "{when}");
        } else {
            assert_eq!(end, new, "{when}");
        }
        if let Some(back) = back {
            user.types(back);
            let home = user.everything();
            assert_eq!(home.get(WHOLE[0]), old.get(WHOLE[0]), "{when}, completed, and then `{back}`");
            assert!(!home[WHOLE[1]].concat().contains("chain"), "{when}, completed, and then `{back}`");
        }
    }
}

#[test]
fn install() {
    survives_being_killed(&user(&[]), INSTALL, false, Some("uninstall --yes"), 20);
}

#[test]
fn undo_that_gives_a_status_line_back() {
    survives_being_killed(&user(&[INSTALL]), "undo --yes", true, None, 10);
}

#[test]
fn uninstall_that_gives_a_status_line_back() {
    survives_being_killed(&user(&[INSTALL]), "uninstall --yes", false, None, 10);
}
