//! The scene of a case: a home and a project, hooks in the user's settings, and sessions of the client in it: headless, or
//! in a terminal with a user who types.

use installer::catalog::Catalog;
use serde_json::{Value, json};
use std::fs;
use std::ops::Deref;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tests::binaries;
use tests::client::{CLIENT_VERSION, Client, Run, executable};
use tests::messages_api::{Answer, MessagesApi, Recorded, Reply, Script};
use tests::process::{Invocation, Outcome};
use tests::recording::{Behaviour, Recorder};
use tests::sandbox::{Level, Sandbox};
use tests::settings::{Hook, Settings};
use tests::terminal::{DEADLINE, Key, Terminal};

#[must_use]
pub(crate) struct Scene {
    pub(crate) sandbox: Sandbox,
    pub(crate) recorder: Recorder,
    settings: Settings,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        Self { recorder: Recorder::new(&sandbox), sandbox, settings: Settings::default() }
    }

    /// These hooks as the catalog registers them, their programs where the installer puts them, and this global file.
    pub(crate) fn with(hooks: &[&str], global: &str) -> Self {
        let mut scene = Self::new();
        scene.sandbox.requirements(Level::User, global);
        let [folder, links] = [".claude/hooks", ".local/bin"].map(|path| scene.sandbox.home().join(path));
        for folder in [&folder, &links] {
            fs::create_dir_all(folder).unwrap();
        }
        let catalog = Catalog::built_in().unwrap();
        for name in hooks {
            let hook = catalog.hook(name).unwrap();
            for command in &hook.commands {
                let own = binaries::folder_for_client().join(command);
                let program = if own.is_file() { own } else { binaries::for_client(name) };
                fs::copy(program, folder.join(command)).unwrap();
                symlink(folder.join(command), links.join(command)).unwrap();
            }
            for helper in &hook.helpers {
                fs::copy(binaries::for_client(helper), folder.join(helper)).unwrap();
            }
            for event in &hook.events {
                let mut entry = Hook::new(&folder.join(name), &[]).with("timeout", event.timeout_secs);
                if let Some(text) = &event.status_message {
                    entry = entry.with("statusMessage", text.as_str());
                }
                scene.settings = scene.settings.hook(&event.event, event.matcher.as_deref(), &entry);
            }
        }
        scene
    }

    /// The same with a file of the project.
    pub(crate) fn in_project(self, requirements: &str) -> Self {
        self.sandbox.requirements(Level::Project, requirements);
        self
    }

    /// Everything deployed by a line of `req` out of an unpacked archive.
    pub(crate) fn installed(line: &str) -> Self {
        let scene = Self::new();
        let archive = scene.sandbox.temporary_dir().join("barbless");
        unpack(&archive);
        scene.run(&archive.join("req"), line).assert_exit(0);
        fs::remove_dir_all(archive).unwrap();
        scene
    }

    /// With a file in a commit.
    pub(crate) fn committed(self, file: &str, content: &str) -> Self {
        self.sandbox.write(file, content);
        self.sandbox.commit("the project");
        self
    }

    /// With a program in the project.
    pub(crate) fn program(self, file: &str, content: &str) -> Self {
        let path = self.sandbox.write(file, content);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Records these events, each under its own name, and says nothing.
    pub(crate) fn recording(self, events: &[&str]) -> Self {
        events.iter().fold(self, |scene, event| scene.hook(event, event, Behaviour::default()))
    }

    /// Records an event under an id and behaves so.
    pub(crate) fn hook(self, event: &str, id: &str, behaviour: Behaviour) -> Self {
        let hook = self.recorder.hook(id, behaviour, &[]);
        self.registering(event, &hook)
    }

    /// Registers any hook in the user's settings.
    pub(crate) fn registering(mut self, event: &str, hook: &Hook) -> Self {
        self.settings = self.settings.hook(event, None, hook);
        self
    }

    /// Sets another key of the user's settings.
    pub(crate) fn setting(mut self, key: &str, value: Value) -> Self {
        self.settings = self.settings.with(key, value);
        self
    }

    /// The client, its user settings written, with the installer's links on its search path.
    #[track_caller]
    pub(crate) fn client(&self, api: &MessagesApi) -> Client<'_> {
        let settings = self.settings.clone().json();
        if settings != json!({}) {
            self.sandbox.settings(Level::User, &settings);
        }
        let path =
            format!("{}:{}", self.sandbox.home().join(".local/bin").display(), self.sandbox.env()["PATH"]);
        Client::new(&self.sandbox, api).env("PATH", path).unset("CLAUDE_HOOK_STATE_DIR")
    }

    /// One headless prompt; the client must come to its end.
    #[track_caller]
    pub(crate) fn ask(&self, prompt: &str, script: Script) -> Session {
        self.ask_as(prompt, script, |client| client)
    }

    /// The same, with something else about the client.
    #[track_caller]
    pub(crate) fn ask_as<'a>(
        &'a self,
        prompt: &str,
        script: Script,
        with: impl FnOnce(Client<'a>) -> Client<'a>,
    ) -> Session {
        let api = MessagesApi::start(script);
        let run = with(self.client(&api)).ask(prompt);
        run.outcome.assert_exit(0);
        Session { run, api }
    }

    /// A user before the client in a terminal.
    #[track_caller]
    pub(crate) fn user(&self, script: Script) -> User {
        self.user_as(script, |client| client)
    }

    /// The same, with something else about the client.
    #[track_caller]
    pub(crate) fn user_as<'a>(&'a self, script: Script, with: impl FnOnce(Client<'a>) -> Client<'a>) -> User {
        let api = MessagesApi::start(script);
        let terminal = with(self.client(&api)).terminal();
        terminal.wait_until("the banner and the input line", DEADLINE, |screen| {
            screen.contains(CLIENT_VERSION.trim()) && screen.contains('❯')
        });
        User { terminal, api }
    }

    /// Runs a program as the user does in a shell.
    pub(crate) fn run(&self, program: &Path, line: &str) -> Outcome {
        let run =
            Invocation::new(program, &self.sandbox).args(line.split(' ')).unset("CLAUDE_HOOK_STATE_DIR");
        run.deadline(Duration::from_secs(300)).run()
    }

    /// Runs a program of the installer's folder so.
    pub(crate) fn run_installed(&self, name: &str, line: &str) -> Outcome {
        self.run(&self.sandbox.home().join(".claude/hooks").join(name), line)
    }

    /// `claude plugin ...`.
    #[track_caller]
    pub(crate) fn plugin(&self, line: &str) {
        let words = ["plugin"].into_iter().chain(line.split(' '));
        let run = Invocation::new(executable(), &self.sandbox).args(words).env("DISABLE_AUTOUPDATER", "1");
        run.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").run().assert_exit(0);
    }

    fn path(&self, file: &str) -> PathBuf {
        self.sandbox.project().join(file)
    }

    /// Claude reads a file.
    pub(crate) fn read(&self, file: &str) -> Reply {
        Reply::tool("Read", &json!({ "file_path": self.path(file) }))
    }

    /// Claude writes a file.
    pub(crate) fn write(&self, file: &str, content: &str) -> Reply {
        Reply::tool("Write", &json!({ "file_path": self.path(file), "content": content }))
    }

    /// Claude changes a file that it has read.
    pub(crate) fn edit(&self, file: &str, from: &str, to: &str) -> Reply {
        Reply::tool("Edit", &json!({ "file_path": self.path(file), "old_string": from, "new_string": to }))
    }

    /// Content of a file of the project; empty where there is none.
    pub(crate) fn content(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap_or_default()
    }

    /// The files that calls left in the project.
    pub(crate) fn files(&self) -> Vec<String> {
        names(&self.sandbox.project()).into_iter().filter(|name| !name.starts_with('.')).collect()
    }

    /// A file of the state folder.
    pub(crate) fn state(&self, name: &str) -> PathBuf {
        self.sandbox.home().join(".claude/hook-state").join(name)
    }

    /// Lines of the journal of this kind.
    pub(crate) fn journal(&self, what: &str) -> Vec<Value> {
        let lines = json_lines(&self.state("journal.jsonl"));
        lines.into_iter().filter(|line| line["what"] == what).collect()
    }

    /// Their texts.
    pub(crate) fn journal_texts(&self, what: &str) -> Vec<String> {
        self.journal(what).iter().map(|line| line["text"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The messages that hooks showed the user with this text in them: the client keeps them in the transcript.
    #[track_caller]
    pub(crate) fn shown_to_user(&self, session: &Session, text: &str) -> Vec<String> {
        let transcript = self.sandbox.transcript(session.run.session_id()).expect("the transcript");
        let lines = json_lines(&transcript).into_iter().map(|mut line| line["attachment"].take());
        let messages = lines.filter(|line| line["type"] == "hook_system_message");
        messages.map(|line| line["content"].to_string()).filter(|content| content.contains(text)).collect()
    }

    /// One field of the input of every run of a recording hook, in order.
    pub(crate) fn inputs(&self, id: &str, field: &str) -> Vec<Value> {
        self.recorder.runs(id).iter().map(|run| run.payload[field].clone()).collect()
    }

    /// The ids of the recording hooks in the order in which they were started.
    pub(crate) fn order(&self) -> Vec<String> {
        self.recorder.all_runs().into_iter().map(|run| run.id).collect()
    }
}

/// A headless session that has ended, and its model.
pub(crate) struct Session {
    pub(crate) run: Run,
    api: MessagesApi,
}

impl Deref for Session {
    type Target = MessagesApi;

    fn deref(&self) -> &MessagesApi {
        &self.api
    }
}

impl Session {
    /// The text it ended with.
    pub(crate) fn text(&self) -> &str {
        self.run.text()
    }
}

/// A session in a terminal, and its model.
pub(crate) struct User {
    pub(crate) terminal: Terminal,
    api: MessagesApi,
}

impl Deref for User {
    type Target = MessagesApi;

    fn deref(&self) -> &MessagesApi {
        &self.api
    }
}

impl User {
    /// Types a prompt and waits for these words of the model.
    #[track_caller]
    pub(crate) fn asks(&mut self, prompt: &str, words: &str) {
        let typed = self.types(prompt);
        self.submits(words, |screen| is_input_line(screen, &typed));
    }

    /// Presses Enter and waits for these words. Claude Code drops an Enter that it receives while it redraws the end of a turn,
    /// so Enter is pressed again while the line stands there.
    #[track_caller]
    fn submits(&mut self, words: &str, stands: impl Fn(&str) -> bool) {
        let until = Instant::now() + DEADLINE;
        self.terminal.press(Key::Enter);
        while let Err(screen) =
            self.terminal.fulfils_within(Duration::from_secs(3), |screen| screen.contains(words))
        {
            assert!(Instant::now() < until, "waited for `{words}` on the screen; there is:\n{screen}");
            if stands(&screen) {
                self.terminal.press(Key::Enter);
            }
        }
    }

    /// Types a line and presses Enter.
    #[track_caller]
    pub(crate) fn enters(&mut self, line: &str) {
        self.types(line);
        self.terminal.press(Key::Enter);
    }

    /// Types a line and waits until it stands in the input line; returns how it looks there.
    #[track_caller]
    fn types(&mut self, line: &str) -> String {
        self.terminal.type_text(line);
        let typed = format!("❯\u{a0}{line}");
        self.terminal.wait_until(&typed, DEADLINE, |screen| is_input_line(screen, &typed));
        typed
    }

    /// Types a command that a hook answers, and wipes it away: the client leaves it in the input line.
    #[track_caller]
    pub(crate) fn commands(&mut self, command: &str, answer: &str) {
        self.asks(command, answer);
        let left = format!("❯\u{a0}{command}");
        let terminal = &mut self.terminal;
        terminal.wait_until("the command in the input line", DEADLINE, |screen| is_input_line(screen, &left));
        terminal.press(Key::Ctrl('u'));
        terminal.wait_until("an empty input line", DEADLINE, |screen| is_input_line(screen, "❯"));
    }

    /// Types `!` and a command, which the client runs in its shell, and waits for what the model says of it.
    #[track_caller]
    pub(crate) fn bangs(&mut self, line: &str, words: &str) {
        self.terminal.type_text("!");
        self.terminal.wait_for("! for shell mode");
        self.terminal.type_text(line);
        let tail: String = line.chars().skip(line.chars().count().saturating_sub(12)).collect();
        self.terminal.wait_for(&tail);
        self.submits(words, |screen| screen.contains("! for shell mode"));
    }

    /// Waits for the line that says that the turn with these words is over.
    #[track_caller]
    pub(crate) fn waits_for_end(&self, words: &str) {
        self.terminal.wait_until(&format!("the end of a turn after `{words}`"), DEADLINE, |screen| {
            screen.rsplit_once(words).is_some_and(|(_, below)| below.contains(" · done "))
        });
    }

    pub(crate) fn screen(&self) -> String {
        self.terminal.screen()
    }
}

/// Is this the line below a rule?
pub(crate) fn is_input_line(screen: &str, line: &str) -> bool {
    let lines: Vec<_> = screen.lines().collect();
    lines.windows(2).any(|pair| pair[0].starts_with("──") && pair[1].trim_end() == line)
}

/// A Bash call that leaves a file of this name in the project: what really ran can be seen there.
pub(crate) fn touch(name: &str) -> Reply {
    Reply::bash(&format!("touch {name}"))
}

/// A model that obeys the newest text of requirements-check: it runs the command that stands in it.
pub(crate) fn obeying(command: fn(&str) -> Option<&str>) -> Answer {
    Answer::made_by(move |request: &Recorded| {
        let texts = request.shown_texts();
        let newest = texts.iter().rev().find(|text| text.contains("requirements-check: "));
        newest.and_then(|text| command(text)).map_or_else(|| Reply::text("there is no command"), Reply::bash)
    })
}

pub(crate) fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let after = text.split_once(start)?.1;
    Some(after.split(end).next().unwrap_or(after))
}

/// Every program in one folder, as an archive holds them.
pub(crate) fn unpack(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    let catalog = Catalog::built_in().unwrap();
    let hooks = catalog.hooks.iter().map(|hook| hook.name.as_str());
    for program in hooks.chain(catalog.helpers()).chain(["req"]) {
        fs::copy(binaries::for_client(program), folder.join(program)).unwrap();
    }
}

/// The names in a folder, sorted; none where there is no folder.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The names in a folder of files of JSON lines.
pub(crate) fn json_lines_in(folder: &Path) -> Vec<String> {
    let is_meant = |name: &String| Path::new(name).extension().is_some_and(|end| end == "jsonl");
    names(folder).into_iter().filter(is_meant).collect()
}

/// The lines of a file of JSON; none where there is no file.
pub(crate) fn json_lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Waits for a condition; fails after half a minute.
#[track_caller]
pub(crate) fn wait_until(what: &str, fulfilled: impl Fn() -> bool) {
    let until = Instant::now() + DEADLINE;
    while !fulfilled() {
        assert!(Instant::now() < until, "{what}: not within {DEADLINE:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
