//! Who follows a page: a person with all commands in their PATH, in a project in which a session of Claude's is at work.

use std::fs;
use std::path::PathBuf;

use installer::catalog::Catalog;
use serde_json::{Value, json};
use tests::binaries;
use tests::payloads::{Payload, Session};
use tests::process::{Invocation, Outcome};
use tests::sandbox::{Sandbox, toolchain_env};
use tests::transcripts::Transcript;

use super::level;
use crate::driver::{denial, documented};
use crate::typed::{Typed, shell, typed};

pub(crate) struct Person {
    pub(crate) sandbox: Sandbox,
    /// Claude's.
    session: Session,
    commands: PathBuf,
}

impl Person {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        let commands = sandbox.temporary_dir().join("commands");
        fs::create_dir_all(&commands).unwrap();
        let person = Self { session: Session::new(&sandbox), sandbox, commands };
        for hook in &Catalog::built_in().unwrap().hooks {
            for command in &hook.commands {
                let own = binaries::folder().join(command);
                let program = if own.is_file() { own } else { binaries::path(&hook.name) };
                person.link(command, &program.display().to_string());
            }
        }
        person.install_cargo();
        person.unpack();
        person
    }

    /// A command of ours has this name.
    pub(crate) fn knows(&self, name: &str) -> bool {
        name != "cargo" && !name.contains('/') && self.commands.join(name).exists()
    }

    fn link(&self, command: &str, program: &str) {
        std::os::unix::fs::symlink(program, self.commands.join(command)).unwrap();
    }

    /// `cargo xtask`, with the programs that are built already; what it would ask is answered with yes.
    fn install_cargo(&self) {
        let built = binaries::folder();
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = xtask ] || exec '{}' \"$@\"\nshift\n\
             program=xtask-install\n\
             case \"$1\" in bench|ci|e2e|package|schema|tidy) program=xtask-dev;; test) program=xtask;; esac\n\
             case \"$1\" in install|enable|sync) set -- \"$@\" --prebuilt '{}';; esac\n\
             case \"$1\" in install|disable|undo|uninstall) set -- \"$@\" --yes;; esac\nexec '{}'/$program \"$@\"\n",
            env!("CARGO"),
            built.display(),
            built.display()
        );
        self.script("commands/cargo", &script);
    }

    /// The `req` of an unpacked archive, in the folder of the project. What it would ask is answered with yes.
    fn unpack(&self) {
        let req = binaries::path("req");
        let script = format!(
            "#!/bin/sh\ncase \"$1 $2\" in 'hooks install') set -- \"$@\" --yes;; esac\nexec '{}' \"$@\"\n",
            req.display()
        );
        self.script("unpacked", &script);
    }

    fn script(&self, name: &str, text: &str) {
        let file = self.sandbox.temporary_dir().join(name);
        fs::write(&file, text).unwrap();
        crate::driver::restrict(&file, 0o755);
    }

    /// What every line begins with.
    fn preamble(&self) -> String {
        format!(
            "unset CLAUDE_HOOK_STATE_DIR\nexport PATH='{}':\"$PATH\"\nexport CARGO='{}'\n",
            self.commands.display(),
            env!("CARGO")
        )
    }

    /// Writes a file the page shows. Requirements come to those that are there already.
    pub(crate) fn writes(&self, example: &str) {
        let level = level(example);
        let before = fs::read_to_string(self.sandbox.requirements_path(level)).unwrap_or_default();
        let more = example.strip_prefix("requirements:\n").filter(|_| before.starts_with("requirements:\n"));
        let text = more.map_or_else(|| example.to_owned(), |more| before + more);
        self.sandbox.requirements(level, &text);
    }

    /// Types one line at a terminal.
    pub(crate) fn types(&self, line: &str) -> Typed {
        let script = self.sandbox.temporary_dir().join("line.sh");
        let unpacked = self.sandbox.temporary_dir().join("unpacked");
        let line = line.replace("./req ", &format!("'{}' ", unpacked.display()));
        fs::write(&script, self.preamble() + &line + "\n").unwrap();
        let target = self.sandbox.temporary_dir().join("target").display().to_string();
        let toolchain = toolchain_env();
        let mut variables: Vec<(&str, &str)> =
            toolchain.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        variables.push(("CARGO_TARGET_DIR", &target));
        typed(&shell(), &self.sandbox, &shell(), &script.display().to_string(), &variables)
    }

    /// Runs one line in Claude's shell.
    pub(crate) fn claude_runs(&self, line: &str) -> Outcome {
        let script = self.preamble() + line;
        self.below_the_client("/bin/sh".into()).args(["-c", &script]).run()
    }

    /// A program as the client of Claude's session starts it.
    fn below_the_client(&self, program: PathBuf) -> Invocation {
        Invocation::new(program, &self.sandbox)
            .unset("CLAUDE_HOOK_STATE_DIR")
            .env("CLAUDECODE", "1")
            .env("CLAUDE_CODE_ENTRYPOINT", "cli")
            .env("CLAUDE_CODE_SESSION_ID", self.session.id.as_str())
            .env("CLAUDE_PROJECT_DIR", self.sandbox.project().display().to_string())
    }

    /// What a hook answers to an event, if it answers.
    #[track_caller]
    fn tells(&self, hook: &str, payload: &Payload) -> Option<Value> {
        documented(&self.below_the_client(binaries::path(hook)).stdin(payload.to_bytes()).run())
    }

    /// Claude's session begins.
    #[track_caller]
    pub(crate) fn a_session_begins(&self) {
        self.tells("requirements-check", &self.session.session_start("startup"));
    }

    /// An edit of Claude's is refused.
    #[track_caller]
    pub(crate) fn edit_is_denied(&self) {
        let input = json!({ "file_path": self.session.cwd.join("src/main.rs"), "content": "fn main() {}\n" });
        let answer = self.tells("requirements-check", &self.session.pre_tool_use("Write", input));
        assert!(denial(answer.as_ref()).is_some(), "{answer:?}");
    }

    /// A session went on until its context was full, and has ended.
    #[track_caller]
    pub(crate) fn a_session_was_recorded(&self) {
        let call = json!({ "command": "ls" });
        let transcript =
            Transcript::of(&self.session).prompt("Write the parser.").context("claude-sonnet-4-6", 190_000);
        transcript.call("toolu_1", "Bash", &call).result("toolu_1", "ok", false).text("Going on.").write();
        self.tells("pause-recorder", &self.session.bash_succeeded("ls", "ok"));
        self.tells("pause-recorder", &self.session.stop("The parser is written."));
        self.tells("pause-recorder", &self.session.session_end("other"));
    }
}
