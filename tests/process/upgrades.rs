//! From one build to another and back, and away: what a newer version wrote is not overwritten, what is installed is what was
//! asked for, and a purge leaves what it says. All hooks together work through a day, so that every kind of file is there.

mod manifest;
mod newer;
mod purge;

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use shared::catalog::Catalog;
use tests::binaries;
use tests::payloads::{Payload, Session};
use tests::process::{Invocation, Outcome};
use tests::sandbox::{Level, Sandbox};
use tests::transcripts::Transcript;

use crate::driver::documented;
use crate::endpoint::{Endpoint, Manner};
use crate::judge_api::JudgeApi;
use crate::judged::{DECLARATION, FILE, KEY, REQUEST, approves};

/// Every hook is on, and each rule that keeps something is set. The key nobody knows makes a notice.
const GLOBAL: &str = "\
stop-momentum: { enabled: true, unheard_of: 1 }
delegation-guard: { enabled: true }
rate-awareness: { enabled: true }
credit-pacer: { enabled: true, max_delay_secs: 0, usage_api: { enabled: true, url: \"URL\" } }
intent-validator: { enabled: true, stage1: local, stage2: \"off\" }
tempo-stop: { enabled: true }
judge: { backend: messages_api, deadline_secs: 30, yield_to_pacing: false }
pause-recorder: { enabled: true }
requirements:
  plan: { enabled: true, type: blocking, scope: session }
  license: { enabled: true, type: blocking, scope: permanent }
  branch_size: { enabled: true, type: dynamic, calculator: branch_size, thresholds: { block: 4000 } }
  tests_green: { enabled: true, type: evidence, enforce: both, command: ./run-tests, trigger_tools: [{ tool: Bash, command_pattern: git commit }] }
";

/// A sandbox with a session in it, and whom its hooks ask.
struct Day {
    sandbox: Sandbox,
    session: Session,
    // Where the hooks are started.
    programs: PathBuf,
    api: JudgeApi,
    _endpoint: Endpoint,
    /// What commands said that may be refused.
    heard: RefCell<String>,
}

impl Day {
    /// With the freshly built hooks.
    fn new() -> Self {
        Self::with(Sandbox::new(), binaries::folder())
    }

    /// With the hooks of this folder.
    fn with(sandbox: Sandbox, programs: PathBuf) -> Self {
        let limits = json!({ "five_hour": { "utilization": 97.0, "resets_at": in_hours(4) } });
        let endpoint = Endpoint::start(Manner::answers(200, &[], &limits.to_string()));
        sandbox.requirements(Level::User, &GLOBAL.replace("URL", &endpoint.url("/api/oauth/usage")));
        let login = json!({ "accessToken": "sk-ant-oat01-secret", "refreshToken": "x", "expiresAt": in_hours(4) * 1000 });
        sandbox.write_home(".claude/.credentials.json", json!({ "claudeAiOauth": login }).to_string());
        sandbox.write("run-tests", "#!/bin/sh\n");
        #[cfg(unix)]
        crate::driver::restrict(&sandbox.project().join("run-tests"), 0o755);
        sandbox.commit("tests");
        let session = Session::new(&sandbox);
        let (api, heard) = (JudgeApi::start([approves()]), RefCell::default());
        Self { session, sandbox, programs, api, _endpoint: endpoint, heard }
    }

    fn state(&self) -> PathBuf {
        self.sandbox.home().join(".claude/hook-state")
    }

    /// Keeps a copy of the home and the folders that the session works in.
    fn is_kept(&self) {
        self.copies("kept", ".");
    }

    /// Puts that copy in their place again.
    fn is_put_back(&self) {
        for folder in ["home", "project", "bare"] {
            fs::remove_dir_all(self.sandbox.root().join(folder)).unwrap();
        }
        let _ = fs::remove_dir_all(self.sandbox.root().join("odd-2"));
        self.copies(".", "kept");
    }

    fn copies(&self, to: &str, from: &str) {
        let root = self.sandbox.root();
        fs::create_dir_all(root.join(to)).unwrap();
        let folders = ["home", "project", "bare"].map(|folder| root.join(from).join(folder));
        let status = Command::new("cp").arg("-a").args(folders).arg(root.join(to)).status().expect("cp");
        assert!(status.success());
    }

    /// A program as the client of this session starts it, under that version of the client.
    fn program(&self, name: &str, client: &str) -> Invocation {
        Invocation::new(self.programs.join(name), &self.sandbox)
            .unset("CLAUDE_HOOK_STATE_DIR")
            .env("CLAUDECODE", "1")
            .env("CLAUDE_CODE_ENTRYPOINT", "cli")
            .env("AI_AGENT", format!("claude-code_{client}_harness"))
            .env("CLAUDE_CODE_SESSION_ID", self.session.id.as_str())
            .env("CLAUDE_PROJECT_DIR", self.sandbox.project().display().to_string())
            .env("ANTHROPIC_BASE_URL", self.api.url())
            .env("ANTHROPIC_API_KEY", KEY)
    }

    /// Tells every hook of an event that is registered for it; each ends well.
    #[track_caller]
    fn tells(&self, payload: &Payload, client: &str) {
        let event = payload.get("hook_event_name").as_str().unwrap().to_owned();
        for hook in Catalog::built_in().unwrap().hooks {
            let tool = payload.get("tool_name").as_str().unwrap_or_default();
            let is_wanted = |matcher: &Option<String>| {
                matcher.as_deref().is_none_or(|tools| tools.split('|').any(|wanted| wanted == tool))
            };
            if hook.events.iter().any(|wanted| wanted.event == event && is_wanted(&wanted.matcher)) {
                documented(&self.program(&hook.name, client).stdin(payload.to_bytes()).run());
            }
        }
    }

    /// A command of ours as Claude's shell runs it.
    fn runs(&self, program: &str, words: &str) -> Outcome {
        self.program(program, "2-1-329").args(words.split_whitespace()).run()
    }

    /// Runs a command that a newer version's file may refuse.
    fn hears(&self, command: Invocation) {
        let outcome = command.run();
        *self.heard.borrow_mut() += &(outcome.stdout_text() + &outcome.stderr_text());
    }

    /// The time has come to ask for the credits used again.
    fn is_due(&self) {
        let path = self.state().join("usage-poll.json");
        let mut slot: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        slot["state"]["next_at"] = 0.into();
        // An envelope begins with its version.
        let (session, state) = (&slot["session"], &slot["state"]);
        fs::write(path, format!("{{\"version\":1,\"session\":{session},\"state\":{state}}}")).unwrap();
    }

    /// Every proof has passed under a client that nobody runs any more.
    fn is_proved(&self) {
        let store = shared::state::Store::open(&self.state()).unwrap();
        shared::proved::passed(&store, "2.1.328", shared::host::Clock::System.now()).unwrap();
    }

    /// In the configuration there is a key that nobody knows, another one with another number.
    fn has_another_mistake(&self, number: u32) {
        let path = self.sandbox.requirements_path(Level::User);
        let text = fs::read_to_string(&path).unwrap();
        let before = format!("unheard_of_{}:", number.saturating_sub(1));
        let after = text.replace("unheard_of:", &before).replace(&before, &format!("unheard_of_{number}:"));
        assert_ne!(after, text);
        fs::write(path, after).unwrap();
    }

    /// What the session does between its start and its end; another number, another prompt.
    #[track_caller]
    fn works(&self, number: u32) {
        let client = format!("2-1-{}", 329 + number);
        let tells = |payload: &Payload| self.tells(payload, &client);
        let session = &self.session.clone().with_prompt_id(&format!("9c0fe5a1-0000-4000-8000-{number:012}"));
        self.runs("credit-pacer", "poll").assert_exit(0);
        self.has_another_mistake(number);
        tells(&session.session_start("startup"));
        let line = self.program("credit-pacer", &client).args(["statusline"]);
        line.stdin(line_of(session, number).to_bytes()).run().assert_exit(0);
        if number > 1 {
            // On the files as the day before has left them.
            tells(&session.pre_tool_use("Bash", json!({ "command": "./run-tests" })));
            tells(&session.bash_succeeded("./run-tests", "ok"));
        }
        tells(&session.user_prompt_submit("pace-maker off"));
        tells(&session.user_prompt_submit("pace-maker on"));
        tells(&session.user_prompt_submit(REQUEST));
        let later = json!({ "cron": "0 9 * * *", "prompt": format!("req pause {number}m") });
        tells(&session.pre_tool_use("CronCreate", later).with("tool_use_id", "toolu_cron"));
        Transcript::of(session)
            .prompt(REQUEST)
            .message("msg_own")
            .text(DECLARATION)
            .call("toolu_own", "Write", &json!({}))
            .context("claude-sonnet-4-6", 180_000)
            .text("Going on.")
            .write();
        let unannounced = json!({ "file_path": session.cwd.join("tools/other.py"), "content": "print(1)\n" });
        tells(&session.pre_tool_use("Write", unannounced).with("tool_use_id", "toolu_other"));
        let content = format!("def greet():\n    return {number}\n");
        let input = json!({ "file_path": session.cwd.join(FILE), "content": content });
        tells(&session.pre_tool_use("Write", input.clone()).with("tool_use_id", "toolu_own"));
        self.sandbox.write(FILE, content);
        tells(&session.post_tool_use("Write", input, json!({ "type": "create" })));
        tells(&session.pre_tool_use("Bash", json!({ "command": "./run-tests" })));
        tells(&session.bash_succeeded("./run-tests", "ok"));
        self.runs("req", "satisfy plan").assert_exit(0);
        self.hears(self.program("req", "2-1-329").args(["satisfy", "license"]));
        self.works_elsewhere(number);
        tells(&session.pre_compact("auto"));
        tells(&session.stop(&format!("It is done, as far as I see ({number}).")));
        // A stop that one gate holds is no question of another one's.
        tells(&session.stop_again(&format!("It is done, as I said ({number}).")));
        let next = session.clone().with_prompt_id(&format!("9c0fe5a1-0000-4000-8000-{:012}", number + 100));
        tells(&next.stop("All of it is done."));
    }

    /// The same session in a folder without a repository, and in a repository that only `git` itself can read.
    #[track_caller]
    fn works_elsewhere(&self, number: u32) {
        let root = self.sandbox.root();
        // Of a repository that it has asked about `git` is not asked again.
        let (bare, odd) = (root.join("bare"), root.join(format!("odd-{number}")));
        fs::create_dir_all(&bare).unwrap();
        self.sandbox.git(&["init", "--quiet", odd.to_str().unwrap()]);
        // No branch.
        fs::write(odd.join(".git/HEAD"), "ref: refs/wip/start\n").unwrap();
        for folder in [bare, odd] {
            let here = |program: &str| {
                let program = self.program(program, "2-1-329").cwd(&folder);
                program.env("CLAUDE_PROJECT_DIR", folder.display().to_string())
            };
            let input = json!({ "file_path": folder.join(FILE), "content": format!("{number}\n") });
            let edit = self.session.pre_tool_use("Write", input).with("cwd", folder.display().to_string());
            documented(&here("requirements-check").stdin(edit.to_bytes()).run());
            // So that there is something to be written.
            self.hears(here("req").args(["clear", "plan"]));
            self.hears(here("req").args(["satisfy", "plan"]));
        }
    }

    /// The session ends, a month goes by, and another one starts.
    #[track_caller]
    fn a_month_goes_by(&self) {
        self.tells(&self.session.session_end("other"), "2-1-329");
        let state = self.state();
        let _ = fs::remove_file(state.join("swept"));
        for file in files_below(&state) {
            let is_kept_open = |end: &str| file.to_string_lossy().ends_with(end);
            if !is_kept_open("-wal") && !is_kept_open("-shm") {
                let file = fs::File::options().append(true).open(file).unwrap();
                file.set_modified(SystemTime::now() - Duration::from_secs(40 * 24 * 3600)).unwrap();
            }
        }
        let other = self.session.clone().with_id("0the7000-0000-4000-8000-000000000001");
        self.tells(&other.session_start("startup"), "2-1-340");
        self.tells(&other.session_end("other"), "2-1-340");
    }
}

/// What the client tells of the session after another reply: more is used than is safe.
fn line_of(session: &Session, number: u32) -> Payload {
    let payload = session.status_line();
    let mut cost = payload.get("cost").clone();
    cost["total_api_duration_ms"] = (70 + number).into();
    let window =
        |percent: u32, hours: u64| json!({ "used_percentage": percent, "resets_at": in_hours(hours) });
    let limits = json!({ "five_hour": window(94 + number, 4), "seven_day": window(90 + number, 100 + u64::from(number)) });
    let mut context: Value = payload.get("context_window").clone();
    context["context_window_size"] = (200_000 + number).into();
    payload.with("cost", cost).with("rate_limits", limits).with("context_window", context)
}

/// In whole seconds since the epoch.
fn in_hours(hours: u64) -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    now + hours * 3600
}

/// Every regular file in a folder and below it, in order.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let tree = crate::driver::tree(folder);
    tree.into_keys().filter(|path| path.symlink_metadata().is_ok_and(|there| there.is_file())).collect()
}
