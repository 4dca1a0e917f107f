//! The installer, killed before and after each change that another process can see, and in the middle of each write: the user's
//! files are the old ones or the new ones, and the same command again ends where it would have ended. A kill before one change is a
//! kill after the change before it. Calls that repeat for each program count once, and the last time.

use crate::driver::names;
use crate::installer::User;
use serde_json::Value;
use shared::catalog::Catalog;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::thread::ScopedJoinHandle;
use tempfile::TempDir;
use tests::binaries;
use tests::process::Outcome;
use tests::sandbox::Level;

const SIGKILL: i32 = 9;

/// Steps are counted from 1.
const NEVER: usize = 0;

/// Most of the time goes into waiting, for the disk and for the hooks that are proved.
const USERS: usize = 2;

/// The calls after which another process sees something else; a write only reaches a file that has no name yet.
const CHANGES: [&str; 9] =
    ["link", "linkat", "mkdir", "rename", "renameat", "renameat2", "rmdir", "symlink", "unlink"];

const INSTALL: &str = "install --prebuilt PREBUILT --hooks credit-pacer --statusline --allow-rules --yes";

/// The library that kills, compiled once for all tests.
fn killer() -> &'static Path {
    static COMPILED: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, library) = COMPILED.get_or_init(|| {
        let folder = TempDir::with_prefix("barbless-").expect("a temporary folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/kill_at_step.c");
        let library = folder.path().join("kill_at_step.so");
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-o"])
            .arg(&library)
            .arg(source)
            .arg("-ldl");
        let status = cc.status().expect("cc, which rustc needs as well");
        assert!(status.success(), "{cc:?} ended with {status}");
        (folder, library)
    });
    library
}

/// What a user has in the end: the text of each file, without what differs from run to run.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Home {
    settings: Option<String>,
    requirements: Option<String>,
    /// Everything else but the hooks' state: backups without their times, programs by their size.
    files: BTreeMap<String, Vec<String>>,
}

/// A user with settings of their own, a status line and some of our hooks, as these commands leave it.
fn user(settings: &str, before: &[&str]) -> User {
    let user = User::with(settings);
    user.sandbox.requirements(Level::User, "# mine\nversion: \"1.0\"   # kept\n");
    before.iter().for_each(|line| drop(user.types(line)));
    copy(&user.sandbox.home(), &user.kept());
    user
}

/// The home is put back before each attempt.
impl User {
    fn kept(&self) -> PathBuf {
        self.sandbox.root().join("kept")
    }

    fn put_back(&self) {
        fs::remove_dir_all(self.sandbox.home()).unwrap();
        copy(&self.kept(), &self.sandbox.home());
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
        let mut files = BTreeMap::new();
        note_files(&self.sandbox.home(), "", &mut files);
        Home {
            settings: files.remove(".claude/settings.json").map(|text| text.concat()),
            requirements: files.remove(".claude/requirements.yaml").map(|text| text.concat()),
            files,
        }
    }
}

/// Linked, not copied: nothing of it may ever be written into, only replaced.
fn copy(from: &Path, to: &Path) {
    let status = Command::new("cp").arg("-al").args([from, to]).status().expect("cp");
    assert!(status.success());
}

/// Notes everything below a folder, which is called `name`.
fn note_files(folder: &Path, name: &str, files: &mut BTreeMap<String, Vec<String>>) {
    for entry in names(folder) {
        let (path, name) = (folder.join(&entry), without_time(&format!("{name}{entry}")));
        let metadata = fs::symlink_metadata(&path).unwrap();
        let content = match () {
            () if metadata.is_dir() => "a folder".to_owned(),
            () if metadata.is_symlink() => fs::read_link(&path).unwrap().display().to_string(),
            () if metadata.len() > 1 << 16 => metadata.len().to_string(),
            () => fs::read_to_string(&path).unwrap(),
        };
        // The hooks' state is their own.
        if entry == "hook-state" {
            continue;
        }
        files.entry(name.clone()).or_default().push(content);
        if metadata.is_dir() {
            note_files(&path, &format!("{name}/"), files);
        }
    }
}

/// A backup's name ends in its time.
fn without_time(name: &str) -> String {
    let Some((file, time)) = name.split_once(".barbless-backup-") else { return name.to_owned() };
    format!("{file}.barbless-backup-{}", time.trim_start_matches(|letter: char| letter != 'Z'))
}

/// What the same command does after one that was killed when its change was already made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Again {
    /// Nothing more.
    Completes,
    /// The opposite: it undoes.
    TakesItBack,
}

/// A command to kill.
#[derive(Clone, Copy)]
struct Killed<'a> {
    line: &'a str,
    again: Again,
    /// A command that leads back: what it leaves tells whether all of ours is still known to be ours.
    back: Option<&'a str>,
}

/// A command, and where it leads from and to.
struct Attempt<'a> {
    user: User,
    command: Killed<'a>,
    old: Home,
    new: Home,
    /// What it does when it is not killed.
    calls: Vec<String>,
}

impl<'a> Attempt<'a> {
    fn new(user: User, command: Killed<'a>) -> Self {
        let old = user.everything();
        let (outcome, calls) = user.killed(command.line, NEVER, false);
        outcome.assert_exit(0);
        let new = user.everything();
        assert_ne!(old, new, "it does something");
        for text in [&old, &new].into_iter().filter_map(|home| home.settings.as_deref()) {
            assert!(serde_json::from_str::<Value>(text).is_ok(), "{text}");
        }
        Self { user, command, old, new, calls }
    }

    /// Kills it there, looks, and completes it.
    fn at(&self, step: usize, in_the_middle: bool) {
        let Killed { line, again, back } = self.command;
        self.user.put_back();
        let (outcome, calls) = self.user.killed(line, step, in_the_middle);
        assert_eq!(outcome.status.signal(), Some(SIGKILL), "step {step} of {:#?}", self.calls);
        let call = calls.last().cloned().unwrap_or_default();
        let when = format!("`{line}`, killed at step {step}, {call}");
        let left = self.user.everything();
        let settings = [&self.old.settings, &self.new.settings];
        assert!(settings.contains(&&left.settings), "{when}: {:?}", left.settings);
        let requirements = [&self.old.requirements, &self.new.requirements];
        assert!(requirements.contains(&&left.requirements), "{when}: {:?}", left.requirements);

        let second = self.user.command(line).run();
        assert_eq!(second.status.code(), Some(0), "{when}, and again: {second}");
        let end = self.user.everything();
        let is_taken_back = again == Again::TakesItBack && left.settings == self.new.settings;
        let expected = if is_taken_back { &self.old } else { &self.new };
        assert_eq!(end.settings, expected.settings, "{when}");
        assert_eq!(end.requirements, expected.requirements, "{when}");
        let names = |home: &Home| home.files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&end), names(&self.new), "{when}");
        if !is_taken_back {
            assert_eq!(end.files, self.new.files, "{when}");
        }
        if let Some(back) = back {
            self.user.command(back).run().assert_exit(0);
            let home = self.user.everything();
            assert_eq!(home.settings, self.old.settings, "{when}, completed, and then `{back}`");
            let chains = |home: &Home| home.requirements.as_ref().is_some_and(|text| text.contains("chain"));
            assert_eq!(chains(&home), chains(&self.old), "{when}, completed, and then `{back}`");
        }
    }
}

/// Kills it at every step; several users share the work.
#[track_caller]
fn survives_being_killed(user: impl Fn() -> User + Sync, command: Killed<'_>, at_least: usize) {
    let kills: usize = std::thread::scope(|scope| {
        let user = &user;
        let share = |first: usize| scope.spawn(move || kill_at(&Attempt::new(user(), command), first));
        let threads: Vec<_> = (0..USERS).map(share).collect();
        let kills = threads.into_iter().map(ScopedJoinHandle::join);
        kills.map(|kills| kills.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).sum()
    });
    assert!(kills >= at_least, "`{}`: only {kills} kills: does the library see the calls?", command.line);
}

/// The steps at which it is killed, the first and the last of each shape; of a write, in its middle.
fn steps(calls: &[String]) -> Vec<usize> {
    let mut shapes: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (call, step) in calls.iter().zip(1..) {
        let name = call.split(' ').next().unwrap_or_default();
        if is_write(call) || CHANGES.contains(&name) {
            shapes.entry(shape(call)).or_default().push(step);
        }
    }
    let met = shapes.values().flat_map(|steps| [steps.first(), steps.last()]).flatten().copied();
    met.collect::<BTreeSet<usize>>().into_iter().collect()
}

fn is_write(call: &str) -> bool {
    call.starts_with("write ")
}

/// A call without what differs from program to program and from run to run.
fn shape(call: &str) -> String {
    let (folder, file) = call.rsplit_once('/').unwrap_or(("", call));
    let (name, rest) = file.split_once(".barbless").unwrap_or((file, ""));
    let name = if programs().contains(name) { "a program" } else { name };
    let numbers = |letter: &char| !letter.is_ascii_digit();
    format!("{folder}/{name}{rest}").chars().filter(numbers).collect()
}

/// The names of all files that are deployed or linked.
fn programs() -> &'static BTreeSet<String> {
    static NAMES: OnceLock<BTreeSet<String>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let hooks = Catalog::built_in().unwrap().hooks.into_iter();
        hooks.flat_map(|hook| hook.commands.into_iter().chain(hook.helpers).chain([hook.name])).collect()
    })
}

/// One user's share of the steps. Returns how often the command was killed.
fn kill_at(attempt: &Attempt<'_>, first: usize) -> usize {
    let share: Vec<usize> = steps(&attempt.calls).into_iter().skip(first).step_by(USERS).collect();
    for step in &share {
        attempt.at(*step, is_write(&attempt.calls[step - 1]));
    }
    share.len()
}

/// A status line of the user's, and places where ours goes.
const SETTINGS: &str = "{ \"statusLine\": {\"padding\": 0, \"type\": \"command\", \"command\": \"mine --x\"},\n  \"hooks\": { \"Stop\": [ ] },\n  \"permissions\": { \"allow\": [ ] }, \"n\": 1.50e+0 }\n";

#[test]
fn install() {
    let command = Killed { line: INSTALL, again: Again::Completes, back: Some("uninstall --yes") };
    survives_being_killed(|| user(SETTINGS, &[]), command, 20);
}

#[test]
fn undo_that_gives_a_status_line_back() {
    let command = Killed { line: "undo --yes", again: Again::TakesItBack, back: None };
    survives_being_killed(|| user(SETTINGS, &[INSTALL]), command, 10);
}

#[test]
fn uninstall_that_gives_a_status_line_back() {
    let command = Killed { line: "uninstall --yes", again: Again::Completes, back: None };
    survives_being_killed(|| user(SETTINGS, &[INSTALL]), command, 10);
}
