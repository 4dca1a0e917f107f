//! A scratch world for one test: a home, a project under git, a state folder and a temporary folder, all inside one
//! temporary directory that goes with the value. The environment is built from nothing: no variable and no file of the
//! developer's real home may reach a process that is started with it.

use serde_json::Value;
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Variables of a process, names to values; what is not in it does not exist for the process.
pub type Environment = BTreeMap<String, String>;

const SYSTEM_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Level of a settings file or a `requirements.yaml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// `~/.claude`: the user's own; called *global* for `requirements.yaml`.
    User,
    /// `<project>/.claude`: shared with the team, in git.
    Project,
    /// `<project>/.claude`, the `.local` file: the user's own, git-ignored.
    Local,
}

/// A scratch home, project and state folder; removed when dropped.
pub struct Sandbox {
    // Held for its destructor: the folder goes when the sandbox goes.
    _folder: TempDir,
    root: PathBuf,
}

impl Sandbox {
    /// A new world: empty home, a project that is a git repository on `main` with one commit, empty private state.
    #[expect(clippy::new_without_default, reason = "it creates folders: nothing for a default")]
    pub fn new() -> Self {
        let folder = TempDir::with_prefix("barbless-").expect("a temporary folder");
        // Canonical, because the client and git report canonical paths and tests compare them.
        let root = folder.path().canonicalize().expect("the temporary folder's real path");
        let sandbox = Self { _folder: folder, root };
        for folder in
            [sandbox.home().join(".claude"), sandbox.project(), sandbox.state_dir(), sandbox.temporary_dir()]
        {
            fs::create_dir_all(folder).expect("a folder of the sandbox");
        }
        restrict(&sandbox.state_dir(), 0o700);
        sandbox.write_home(".gitconfig", "[user]\n\tname = Sandbox\n\temail = sandbox@example.invalid\n");
        sandbox.git(&["init", "--quiet", "--initial-branch", "main"]);
        sandbox.git(&["commit", "--quiet", "--allow-empty", "--message", "start"]);
        sandbox
    }

    pub fn root(&self) -> PathBuf {
        self.root.clone()
    }

    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The project: a git repository and its work tree.
    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// The folder named by `CLAUDE_HOOK_STATE_DIR` in [`Self::env`]; mode 0700.
    pub fn state_dir(&self) -> PathBuf {
        self.root.join("state")
    }

    /// A folder for logs and other files that belong to nobody; also `TMPDIR`.
    pub fn temporary_dir(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// The whole environment of a process in this world. Add to it or take away before you start one.
    pub fn env(&self) -> Environment {
        environment([
            ("PATH", SYSTEM_PATH.to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("HOME", text(&self.home())),
            ("TMPDIR", text(&self.temporary_dir())),
            ("CLAUDE_HOOK_STATE_DIR", text(&self.state_dir())),
            // The machine's own git settings (hooks, signing, templates) would make tests depend on the machine.
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
        ])
    }

    /// Writes a file of the project, with the folders it needs, and returns its path.
    pub fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        write_file(self.project().join(path), content.as_ref())
    }

    /// Writes a file of the home, with the folders it needs, and returns its path.
    pub fn write_home(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        write_file(self.home().join(path), content.as_ref())
    }

    pub fn settings(&self, level: Level, settings: &Value) -> PathBuf {
        write_file(self.settings_path(level), format!("{settings:#}").as_bytes())
    }

    pub fn settings_path(&self, level: Level) -> PathBuf {
        self.claude_file(level, "settings", "json")
    }

    pub fn requirements(&self, level: Level, yaml: &str) -> PathBuf {
        write_file(self.requirements_path(level), yaml.as_bytes())
    }

    pub fn requirements_path(&self, level: Level) -> PathBuf {
        self.claude_file(level, "requirements", "yaml")
    }

    fn claude_file(&self, level: Level, stem: &str, extension: &str) -> PathBuf {
        let (folder, middle) = match level {
            Level::User => (self.home(), ""),
            Level::Project => (self.project(), ""),
            Level::Local => (self.project(), ".local"),
        };
        folder.join(format!(".claude/{stem}{middle}.{extension}"))
    }

    /// Runs git in the project and returns what it printed, without the last line break; a failure fails the test.
    #[track_caller]
    pub fn git(&self, args: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(args).current_dir(self.project()).env_clear().envs(self.env());
        let output = command.output().expect("git starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?} ended with {}: {errors}", output.status);
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    pub fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
    }

    /// The client's transcript of a session, as far as it is written; `None` when there is none.
    pub fn transcript(&self, session_id: &str) -> Option<PathBuf> {
        let folders = fs::read_dir(self.home().join(".claude/projects")).ok()?.flatten();
        let mut paths = folders.map(|folder| folder.path().join(format!("{session_id}.jsonl")));
        paths.find(|path| path.is_file())
    }
}

/// Variables beyond [`Sandbox::env`] for running cargo: the real toolchain, while `HOME` stays scratch.
///
/// `CARGO_HOME` and `RUSTUP_HOME` come from the environment of the test, else from `.cargo` and `.rustup` of the real
/// home; `PATH` is the sandbox's with cargo's own folder before it.
pub fn toolchain_env() -> Environment {
    let programs = Path::new(env!("CARGO")).parent().expect("cargo lies in a folder");
    let real_folder = |variable: &str, below_home: &str| {
        let below_home =
            || env::home_dir().expect("a home folder, to find the toolchain in").join(below_home);
        text(&env::var_os(variable).map_or_else(below_home, PathBuf::from))
    };
    environment([
        ("CARGO_HOME", real_folder("CARGO_HOME", ".cargo")),
        ("RUSTUP_HOME", real_folder("RUSTUP_HOME", ".rustup")),
        ("PATH", format!("{}:{SYSTEM_PATH}", programs.display())),
        // Cargo's own folder comes first, so no rustup proxy is met; if one is, it must not fetch anything.
        ("RUSTUP_AUTO_INSTALL", "0".to_owned()),
    ])
}

/// Sets the mode of a file or folder.
pub fn restrict(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("another mode");
}

fn environment<const N: usize>(variables: [(&str, String); N]) -> Environment {
    variables.map(|(name, value)| (name.to_owned(), value)).into()
}

fn write_file(path: PathBuf, content: &[u8]) -> PathBuf {
    fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("the file's folder");
    fs::write(&path, content).expect("a file of the sandbox");
    path
}

fn text(path: &Path) -> String {
    path.to_str().expect("paths of the harness are UTF-8").to_owned()
}
