//! A world in which Claude works: the hook and `req` installed, repositories and work trees made by git, sessions that do
//! what Claude Code would (ask before a call, really do it, report its end), and `req` in the hands of everybody who may run
//! it. It knows no rule of the hook.

use crate::driver::{Driver, block_reason, context, denial, documented};
use crate::typed::{Typed, shell, typed};
use serde_json::{Value, json};
use std::cell::Cell;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use tests::binaries;
use tests::payloads::{Payload, Session};
use tests::process::{Invocation, Outcome};
use tests::sandbox::Level;

const HOOK: &str = "requirements-check";

/// One of each type, and one that is off.
pub(crate) const TEAM: &str = "\
requirements:
  commit_plan: {enabled: true, description: The plan is written down.}
  adr_reviewed: {enabled: true, scope: branch}
  license_checked: {enabled: true, scope: permanent}
  release_notes: {enabled: true, satisfied_by: user}
  not_on_main: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: [release]}
  branch_size: {enabled: true, type: dynamic, calculator: branch_size, thresholds: {block: 400}}
  tests_green: {enabled: true, type: evidence, command: ./run-tests, paths: ['src/**']}
  off_here: {type: blocking}
";

/// The id of another session than the world's first.
pub(crate) const OTHER: &str = "00000002-0000-4000-8000-000000000000";

pub(crate) struct World {
    driver: Driver,
    calls: Cell<u32>,
}

impl Deref for World {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        &self.driver
    }
}

impl World {
    pub(crate) fn empty() -> Self {
        let world = Self { driver: Driver::unconfigured(HOOK), calls: Cell::new(0) };
        let home = world.sandbox.home();
        // As the installer leaves them: in the hooks' folder, and `req` on the search path.
        for folder in [".claude/hooks", ".local/bin"] {
            fs::create_dir_all(home.join(folder)).unwrap();
            for name in [HOOK, "req"] {
                link(&binaries::path(name), &home.join(folder).join(name));
            }
        }
        world
    }

    /// The project's file, not committed yet.
    pub(crate) fn new(yaml: &str) -> Self {
        let world = Self::empty();
        world.sandbox.requirements(Level::Project, yaml);
        world
    }

    /// The team requires this: the project's file, committed.
    pub(crate) fn of_team(yaml: &str) -> Self {
        let world = Self::new(yaml);
        world.sandbox.commit("what is required");
        world
    }

    /// The user requires this, everywhere.
    pub(crate) fn of_user(yaml: &str) -> Self {
        let world = Self::empty();
        world.sandbox.requirements(Level::User, yaml);
        world
    }

    pub(crate) fn claude(&self) -> Claude<'_> {
        Claude {
            world: self,
            session: self.driver.session.clone(),
            project: self.sandbox.project(),
            entrypoint: "cli",
        }
    }

    /// A session of that number, in the project.
    pub(crate) fn another(&self, number: u32) -> Claude<'_> {
        let claude = self.claude();
        let id = format!("{number:08}-0000-4000-8000-000000000000");
        Claude { session: claude.session.clone().with_id(&id), ..claude }
    }

    /// Runs git in a folder; what it printed.
    #[track_caller]
    pub(crate) fn git(&self, folder: &Path, args: &[&str]) -> String {
        let folder = folder.to_str().unwrap();
        self.sandbox.git(&[&["-C", folder], args].concat())
    }

    /// Another repository beside the project, on `main`, with one commit.
    pub(crate) fn repository(&self, name: &str) -> PathBuf {
        let folder = self.sandbox.root().join(name);
        fs::create_dir_all(&folder).unwrap();
        self.git(&folder, &["init", "--quiet", "--initial-branch", "main"]);
        self.git(&folder, &["commit", "--quiet", "--allow-empty", "--message", "start"]);
        folder
    }

    pub(crate) fn folder(&self, path: &str) -> PathBuf {
        let folder = self.sandbox.project().join(path);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    pub(crate) fn marks_file(&self, name: &str) -> PathBuf {
        crate::driver::marks_file(&self.sandbox.project(), name)
    }

    /// `req` as a script runs it: no terminal, no session.
    pub(crate) fn script(&self, words: &[&str]) -> Invocation {
        Invocation::new(binaries::path("req"), &self.sandbox).args(words.iter().copied())
    }

    /// `req` in Claude's shell.
    pub(crate) fn req(&self, words: &[&str]) -> Invocation {
        self.req_of(&self.session.id, words)
    }

    /// `req` in the shell of this session.
    pub(crate) fn req_of(&self, session: &str, words: &[&str]) -> Invocation {
        let req = self.script(words).env("CLAUDECODE", "1").env("CLAUDE_CODE_ENTRYPOINT", "cli");
        req.env("CLAUDE_CODE_SESSION_ID", session)
    }

    /// `req` as the user types it in a terminal of their own.
    pub(crate) fn user(&self, words: &str) -> Typed {
        typed(&binaries::path("req"), &self.sandbox, &shell(), words, &[])
    }

    /// State of a requirement for Claude's session: `met`, `open`, `unknown`.
    pub(crate) fn standing(&self, name: &str) -> String {
        standing(&json_of(self.req(&["status", "--json"])), name)
    }
}

/// Runs a command that goes well; what it printed.
#[track_caller]
pub(crate) fn yes(command: Invocation) -> String {
    let outcome = command.run();
    outcome.assert_exit(0);
    assert_eq!(outcome.stderr_text(), "", "{outcome}");
    outcome.stdout_text().trim_end().to_owned()
}

/// Runs a command whose answer is no; what it says, on stderr.
#[track_caller]
pub(crate) fn no(command: Invocation) -> String {
    let outcome = command.run();
    outcome.assert_exit(1);
    assert_eq!(outcome.stdout_text(), "", "{outcome}");
    outcome.stderr_text().trim_end().to_owned()
}

/// Runs a command that prints JSON.
#[track_caller]
pub(crate) fn json_of(command: Invocation) -> Value {
    let outcome = command.run();
    outcome.assert_exit(0);
    serde_json::from_slice(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome}"))
}

/// State of a requirement in a status.
#[track_caller]
pub(crate) fn standing(status: &Value, name: &str) -> String {
    let all = status["requirements"].as_array().expect("a list of requirements");
    let one = all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("{name} in {status}"));
    one["state"].as_str().expect("a state").to_owned()
}

pub(crate) fn link(original: &Path, link: &Path) {
    std::os::unix::fs::symlink(original, link).unwrap();
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    tool: String,
    input: Value,
    id: String,
}

/// A session, and what its client tells the hook.
#[derive(Clone)]
pub(crate) struct Claude<'w> {
    world: &'w World,
    pub(crate) session: Session,
    project: PathBuf,
    entrypoint: &'static str,
}

impl Call {
    fn in_event(&self, payload: Payload) -> Payload {
        payload.with("tool_use_id", self.id.as_str()).with("permission_mode", "default")
    }
}

impl Claude<'_> {
    pub(crate) fn started_in(mut self, folder: impl Into<PathBuf>) -> Self {
        self.project = folder.into();
        self.session.cwd.clone_from(&self.project);
        self
    }

    /// Its shell has gone there since.
    pub(crate) fn gone_to(mut self, folder: impl Into<PathBuf>) -> Self {
        self.session.cwd = folder.into();
        self
    }

    pub(crate) fn headless(mut self) -> Self {
        self.entrypoint = "sdk-cli";
        self
    }

    /// After the user's next prompt.
    pub(crate) fn at_prompt(mut self, number: u32) -> Self {
        self.session.prompt_id = format!("9c0fe5a1-0000-4000-8000-{number:012}");
        self
    }

    pub(crate) fn call(&self, tool: &str, input: Value) -> Call {
        let number = self.world.calls.replace(self.world.calls.get() + 1);
        Call { tool: tool.to_owned(), input, id: format!("toolu_{number:04}") }
    }

    /// An edit of a file, seen from where the session is.
    pub(crate) fn edit(&self, file: impl AsRef<Path>) -> Call {
        let file = self.session.cwd.join(file);
        self.call("Edit", json!({ "file_path": file, "old_string": "a", "new_string": "b" }))
    }

    pub(crate) fn bash(&self, line: &str) -> Call {
        self.call("Bash", json!({ "command": line, "description": "what it does" }))
    }

    /// The hook as this session's client starts it.
    pub(crate) fn hook(&self) -> Invocation {
        self.with_environment(self.world.hook()).env("CLAUDE_PROJECT_DIR", self.project.display().to_string())
    }

    fn with_environment(&self, process: Invocation) -> Invocation {
        let sandbox = &self.world.sandbox;
        let path = format!("{}:{}", sandbox.home().join(".local/bin").display(), sandbox.env()["PATH"]);
        process
            .env("CLAUDECODE", "1")
            .env("CLAUDE_CODE_ENTRYPOINT", self.entrypoint)
            .env("CLAUDE_CODE_SESSION_ID", self.session.id.as_str())
            .env("PATH", path)
            .cwd(&self.session.cwd)
    }

    #[track_caller]
    pub(crate) fn ask(&self, payload: &Payload) -> Option<Value> {
        documented(&self.hook().stdin(payload.to_bytes()).run())
    }

    pub(crate) fn event_before(&self, call: &Call) -> Payload {
        call.in_event(self.session.pre_tool_use(&call.tool, call.input.clone()))
    }

    #[track_caller]
    pub(crate) fn before(&self, call: &Call) -> Option<Value> {
        self.ask(&self.event_before(call))
    }

    /// An edit of this file is denied.
    #[track_caller]
    pub(crate) fn may_not_edit(&self, file: impl AsRef<Path>) -> bool {
        denial(self.before(&self.edit(file)).as_ref()).is_some()
    }

    /// The reason of a denial.
    #[track_caller]
    pub(crate) fn refused(&self, call: &Call) -> String {
        let answer = self.before(call);
        denial(answer.as_ref()).unwrap_or_else(|| panic!("{call:?} is not refused: {answer:?}"))
    }

    #[track_caller]
    pub(crate) fn passes(&self, call: &Call) {
        let answer = self.before(call);
        assert_eq!(answer, None, "{call:?}");
    }

    #[track_caller]
    pub(crate) fn after(&self, call: &Call, response: Value) -> Option<Value> {
        self.ask(&call.in_event(self.session.post_tool_use(&call.tool, call.input.clone(), response)))
    }

    #[track_caller]
    pub(crate) fn succeeded(&self, call: &Call) {
        assert_eq!(self.after(call, shell_response("")), None, "{call:?}");
    }

    #[track_caller]
    pub(crate) fn failed(&self, call: &Call) -> Option<Value> {
        let failure = self.session.post_tool_use_failure(&call.tool, call.input.clone(), "Exit code 1\n");
        self.ask(&call.in_event(failure))
    }

    #[track_caller]
    pub(crate) fn starts(&self, source: &str) -> Option<String> {
        let answer = self.ask(&self.session.session_start(source));
        context(answer.as_ref())
    }

    #[track_caller]
    pub(crate) fn types(&self, prompt: &str) -> Option<Value> {
        self.ask(&self.session.user_prompt_submit(prompt))
    }

    #[track_caller]
    pub(crate) fn answer_to(&self, prompt: &str) -> String {
        let answer = self.types(prompt);
        block_reason(answer.as_ref()).unwrap_or_else(|| panic!("`{prompt}` is not answered: {answer:?}"))
    }

    #[track_caller]
    pub(crate) fn stop(&self) -> Option<Value> {
        self.ask(&self.session.stop("All of it is done."))
    }

    #[track_caller]
    pub(crate) fn held(&self) -> String {
        block_reason(self.stop().as_ref()).expect("the stop is blocked")
    }

    #[track_caller]
    pub(crate) fn stops(&self) {
        assert_eq!(self.stop(), None);
    }

    /// Writes a file by an edit that passes and succeeds.
    #[track_caller]
    pub(crate) fn edits(&self, file: impl AsRef<Path>, content: &str) {
        let path = self.session.cwd.join(&file);
        let call = self.edit(file);
        self.passes(&call);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        assert_eq!(self.after(&call, json!({ "filePath": path })), None);
    }

    /// A line in Claude's shell, unseen by the hook.
    pub(crate) fn shell(&self, line: &str) -> Outcome {
        let shell = Invocation::new("/bin/bash", &self.world.sandbox).args(["-c", line]);
        self.with_environment(shell).run()
    }

    /// Runs a line that passes, tells the hook how it ended, and hears nothing; its status.
    #[track_caller]
    pub(crate) fn runs(&self, line: &str) -> i32 {
        let call = self.bash(line);
        self.passes(&call);
        let outcome = self.shell(line);
        let status = outcome.status.code().expect("a status");
        let answer = match status {
            0 => self.after(&call, shell_response(&outcome.stdout_text())),
            _ => self.failed(&call),
        };
        assert_eq!(answer, None, "{line}");
        status
    }

    /// Runs a line that passes and succeeds.
    #[track_caller]
    pub(crate) fn does(&self, line: &str) {
        assert_eq!(self.runs(line), 0, "{line}");
    }
}

pub(crate) fn shell_response(stdout: &str) -> Value {
    json!({ "stdout": stdout, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false })
}

/// The command line that a text tells Claude to run; fails if there is none.
#[track_caller]
pub(crate) fn command_in(text: &str) -> String {
    let found = ["run in Bash: ", "run alone on a line (no pipe): ", "work on a branch of your own: "]
        .iter()
        .find_map(|before| {
            let rest = text.split_once(before)?.1;
            let line = rest.lines().next()?;
            Some(line.split("; or ").next().unwrap_or(line).to_owned())
        });
    found.unwrap_or_else(|| panic!("no command in: {text}"))
}

/// The prompt that a text asks the user to type; fails if there is none.
#[track_caller]
pub(crate) fn prompt_in(text: &str) -> String {
    let start = text.rfind("): req ").unwrap_or_else(|| panic!("no prompt in: {text}"));
    text[start + 3..].lines().next().unwrap().to_owned()
}
