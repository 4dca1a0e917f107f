//! Repositories for tests, made and changed by the real git, with nothing of the developer's own settings.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;

use super::Worktree;

/// A repository in a folder of its own, on branch `main`, without a commit.
pub(super) struct Sandbox {
    folder: tempfile::TempDir,
    written: u32,
}

impl Sandbox {
    pub(super) fn new() -> Self {
        let sandbox = Self { folder: tempfile::tempdir().unwrap(), written: 0 };
        fs::create_dir(sandbox.path("")).unwrap();
        sandbox.git(&["init", "--quiet", "--initial-branch=main", "."]);
        // libgit2 reads the global files of whoever runs the tests; what is set here wins over them.
        for setting in ["core.autocrlf=false", "core.excludesFile=/dev/null", "core.attributesFile=/dev/null"]
        {
            let (key, value) = setting.split_once('=').unwrap();
            sandbox.git(&["config", key, value]);
        }
        sandbox
    }

    /// A repository with one commit on `main`.
    pub(super) fn with_commit() -> Self {
        let sandbox = Self::new();
        sandbox.write("first.txt", "one\ntwo\nthree\n");
        sandbox.commit();
        sandbox
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("repo").join(path)
    }

    pub(super) fn beside(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    pub(super) fn worktree(&self) -> Worktree {
        Worktree::find(&self.path("")).unwrap().unwrap()
    }

    pub(super) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let file = self.path(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    pub(super) fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message=x"]);
    }

    pub(super) fn git(&self, arguments: &[&str]) -> String {
        self.git_in(&self.path(""), arguments)
    }

    pub(super) fn git_in(&self, folder: &Path, arguments: &[&str]) -> String {
        let output = self.command(folder).args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Git without the environment of the developer.
    pub(super) fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new("git");
        command.current_dir(folder).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command
            .env("HOME", self.beside("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_OPTIONAL_LOCKS", "0");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "a").env(format!("GIT_{who}_EMAIL"), "a@example.org");
        }
        command.args(["-c", "protocol.file.allow=always", "-c", "advice.detachedHead=false"]);
        command
    }

    /// The tracked and the other not ignored files.
    pub(super) fn list(&self, which: &[&str]) -> Vec<String> {
        let listed = self.git(&[&["ls-files", "-z", "--exclude-standard"], which].concat());
        listed.split_terminator('\0').filter(|path| !path.ends_with('/')).map(str::to_owned).collect()
    }
}

/// A step of the random histories.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Write(&'static str, u32, Ending),
    Binary(&'static str),
    EditLine(&'static str, usize),
    Remove(&'static str),
    Rename(&'static str, &'static str),
    Executable(&'static str),
    Link(&'static str),
    Stage(&'static str),
    Unstage(&'static str),
    StageAll,
    Commit,
    SoftReset,
    HardReset,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Ending {
    Lf,
    CrLf,
    NoneAtTheEnd,
}

const PATHS: [&str; 8] =
    ["a.txt", "b.rs", "dir/c.txt", "dir/deep/d.rs", "dir/ü.txt", "x/y.txt", "ignored/z.txt", "e.txt"];

/// Any step on a handful of paths.
pub(super) fn any_step() -> impl Strategy<Value = Step> {
    let path = || proptest::sample::select(&PATHS[..]);
    let ending = proptest::sample::select(vec![Ending::Lf, Ending::CrLf, Ending::NoneAtTheEnd]);
    prop_oneof![
        6 => (path(), 0..40_u32, ending).prop_map(|(path, lines, ending)| Step::Write(path, lines, ending)),
        1 => path().prop_map(Step::Binary),
        5 => (path(), 0..40_usize).prop_map(|(path, line)| Step::EditLine(path, line)),
        3 => path().prop_map(Step::Remove),
        3 => (path(), path()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => path().prop_map(Step::Executable),
        1 => path().prop_map(Step::Link),
        3 => path().prop_map(Step::Stage),
        1 => path().prop_map(Step::Unstage),
        2 => Just(Step::StageAll),
        2 => Just(Step::Commit),
        1 => Just(Step::SoftReset),
        1 => Just(Step::HardReset),
    ]
}

impl Sandbox {
    /// Takes a step; one that is impossible here (a missing file, no parent commit) is none.
    pub(super) fn step(&mut self, step: &Step) {
        match *step {
            Step::Write(path, lines, ending) => {
                let content = self.lines(lines, ending);
                self.replace(path, &content);
            }
            Step::Binary(path) => self.replace(path, b"a\0b\nc\n"),
            Step::EditLine(path, line) => self.edit_line(path, line),
            Step::Remove(path) => drop(fs::remove_file(self.path(path))),
            Step::Rename(from, to) => self.rename(from, to),
            Step::Executable(path) => self.make_executable(path),
            Step::Link(path) => self.link(path),
            Step::Stage(path) => self.try_git(&["add", "--force", "--", path]),
            Step::Unstage(path) => self.try_git(&["rm", "--quiet", "--cached", "--", path]),
            Step::StageAll => self.try_git(&["add", "--all"]),
            Step::Commit => self.try_git(&["commit", "--quiet", "--message=x"]),
            Step::SoftReset => self.try_git(&["reset", "--quiet", "--soft", "HEAD~1"]),
            Step::HardReset => self.try_git(&["reset", "--quiet", "--hard", "HEAD~1"]),
        }
    }

    fn try_git(&self, arguments: &[&str]) {
        let _ = self.command(&self.path("")).args(arguments).output().unwrap();
    }

    /// Lines that stand nowhere else, so that files are alike only where one became the other.
    fn lines(&mut self, count: u32, ending: Ending) -> Vec<u8> {
        self.written += 1;
        let end = if matches!(ending, Ending::CrLf) { "\r\n" } else { "\n" };
        let line = |line: u32| format!("{} of {}{end}", line * 7919, self.written);
        let mut text = (0..count).fold(String::new(), |text, number| text + &line(number));
        if matches!(ending, Ending::NoneAtTheEnd) {
            text.truncate(text.trim_end().len());
        }
        text.into_bytes()
    }

    fn replace(&self, path: &str, content: &[u8]) {
        // A link would be written through.
        let _ = fs::remove_file(self.path(path));
        self.write(path, content);
    }

    fn edit_line(&mut self, path: &str, line: usize) {
        let Some(text) = self.own_text(path) else { return };
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        if let Some(line) = lines.get_mut(line) {
            self.written += 1;
            *line = format!("edit {}\n", self.written);
        }
        self.write(path, lines.concat());
    }

    /// The text of a file that is no link.
    fn own_text(&self, path: &str) -> Option<String> {
        let file = self.path(path);
        if file.is_symlink() { None } else { fs::read_to_string(file).ok() }
    }

    fn rename(&self, from: &str, to: &str) {
        if self.path(from).is_file() {
            fs::create_dir_all(self.path(to).parent().unwrap()).unwrap();
            fs::rename(self.path(from), self.path(to)).unwrap();
        }
    }

    fn make_executable(&self, path: &str) {
        if self.own_text(path).is_some() {
            fs::set_permissions(self.path(path), fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    fn link(&self, path: &str) {
        let _ = fs::remove_file(self.path(path));
        if self.path(path).parent().unwrap().is_dir() {
            std::os::unix::fs::symlink(format!("to/{path}"), self.path(path)).unwrap();
        }
    }
}
