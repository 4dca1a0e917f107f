//! The scratch world of one case: home, project, configuration, transcript and the state of earlier calls, the way a real
//! machine has them. It can be set back to its beginning, and says whether a run did what its case claims.
//! Nothing of the real home is read, and nothing outside the scratch folder is written.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;
use shared::host::Timestamp;
use tempfile::TempDir;

use super::cases::{Case, Edit, Event, HookCases, Journals, Prints};
use super::measure::{Process, Run};

/// How many calls went before.
const EARLIER_CALLS: usize = 20;

/// State folder, below the scratch folder.
const STATE: &str = "home/.claude/hook-state";

const JOURNAL: &str = "journal.jsonl";

/// Layer, sample and place of the team's configuration.
const LAYERS: [(&str, &str); 3] = [
    ("global", "home/.claude/requirements.yaml"),
    ("project", "project/.claude/requirements.yaml"),
    ("local", "project/.claude/requirements.local.yaml"),
];

/// Folders by path from the root of the workspace, and the session of the recordings.
struct Sources<'a> {
    root: &'a Path,
    session: String,
}

/// One case, ready to run.
#[derive(Debug)]
pub(super) struct World<'a> {
    // Held for its destructor: the folder goes when the world goes.
    _scratch: TempDir,
    folder: PathBuf,
    case: &'a Case,
    program: &'a Path,
    session: String,
    env: Vec<(String, String)>,
    payload: Vec<u8>,
    /// Each file of the state that a run may change, and what it holds before; `None`: it is not there.
    beginning: BTreeMap<PathBuf, Option<Vec<u8>>>,
    journal_before: usize,
}

impl<'a> World<'a> {
    /// Sets the world up, runs the earlier calls, and then the case once to see that it does what it claims. Where git
    /// does something in it, `more_files` of the project's files are tracked, too.
    pub(super) fn new(
        root: &Path,
        hook: &HookCases,
        case: &'a Case,
        program: &'a Path,
        more_files: usize,
    ) -> anyhow::Result<Self> {
        let scratch = TempDir::with_prefix("barbless-bench-").context("making a scratch folder")?;
        // The client reports real paths, and a hook compares them.
        let folder = scratch.path().canonicalize().context("the scratch folder's real path")?;
        let sources = Sources { root, session: recorded_session(root, &case.event)? };
        lay_out(&folder, hook, &sources, more_files)?;
        let mut world = Self {
            env: environment(&folder),
            payload: payload(&folder, &case.event, &sources)?,
            _scratch: scratch,
            folder,
            case,
            program,
            session: sources.session.clone(),
            beginning: BTreeMap::new(),
            journal_before: 0,
        };
        world.run_earlier_calls(hook, &sources)?;
        world.make_the_case()?;
        world.note_beginning_and_verify()?;
        Ok(world)
    }

    /// The process to time.
    pub(super) fn process(&self) -> Process<'_> {
        self.process_of(self.program)
    }

    /// Another program started in the same way: the empty binary.
    pub(super) fn process_of<'b>(&'b self, program: &'b Path) -> Process<'b> {
        Process { program, args: &[], env: &self.env, cwd: &self.folder, payload: &self.payload }
    }

    /// Puts every file of the state back that a run changed.
    pub(super) fn reset(&self) -> anyhow::Result<()> {
        for (file, content) in &self.beginning {
            let now = fs::read(file).ok();
            match content {
                _ if now == *content => {}
                Some(content) => {
                    fs::write(file, content).with_context(|| format!("resetting {}", file.display()))?;
                }
                None => fs::remove_file(file).with_context(|| format!("removing {}", file.display()))?,
            }
        }
        Ok(())
    }

    /// The run ended well and printed what the case says. Cheap enough for every run.
    pub(super) fn check(&self, run: &Run) -> anyhow::Result<()> {
        let printed = String::from_utf8_lossy(&run.stdout);
        ensure!(run.status.success(), "`{}` ended with {}", self.case.name, run.status);
        match self.case.prints {
            Prints::Nothing if printed.is_empty() => Ok(()),
            Prints::Nothing => bail!("`{}` must print nothing, and printed {printed}", self.case.name),
            Prints::Object(texts) => {
                let is_object = serde_json::from_str::<Value>(&printed).is_ok_and(|value| value.is_object());
                ensure!(
                    is_object,
                    "`{}` must print one JSON object, and printed {printed:?}",
                    self.case.name
                );
                let missing = texts.iter().find(|text| !printed.contains(**text));
                missing.map_or(Ok(()), |text| {
                    bail!("`{}` must print {text}, and printed {printed}", self.case.name)
                })
            }
        }
    }

    pub(super) fn transcript(&self) -> PathBuf {
        transcript(&self.folder, &self.session)
    }

    /// Gives the state folder the files of so many other sessions, copies of this session's.
    pub(super) fn add_sessions(&self, count: usize) -> anyhow::Result<()> {
        let own = self.own_state()?;
        for number in 0..count {
            // As long as a real id, so that folder entries have their real size.
            let other = format!("00000000-0000-4000-8000-{number:012}");
            for file in &own {
                let content =
                    fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
                let copy = file.with_file_name(name(file).replace(&self.session, &other));
                write(&copy, &content.replace(&self.session, &other))?;
            }
        }
        Ok(())
    }

    fn run_earlier_calls(&self, hook: &HookCases, sources: &Sources<'_>) -> anyhow::Result<()> {
        for number in 1..=EARLIER_CALLS {
            for event in hook.earlier {
                let payload = payload(&self.folder, event, sources)?;
                let payload = String::from_utf8_lossy(&payload).replace("{n}", &number.to_string());
                let process = Process { payload: payload.as_bytes(), ..self.process() };
                let run = process.run()?;
                ensure!(run.status.success(), "an earlier call ended with {}", run.status);
            }
        }
        let shared = self.folder.join(STATE).join(format!("{}.json", hook.hook));
        ensure!(
            shared.is_file() || !self.own_state()?.is_empty(),
            "the earlier calls of {} left no state of their session",
            hook.hook
        );
        Ok(())
    }

    /// What sets the case apart from the common world, after the earlier calls were made in that.
    fn make_the_case(&self) -> anyhow::Result<()> {
        for edit in self.case.config {
            let place = LAYERS.iter().find(|(layer, _)| *layer == edit.layer).map(|(_, place)| place);
            let file =
                self.folder.join(place.with_context(|| format!("there is no layer `{}`", edit.layer))?);
            write(
                &file,
                &edited(&read(&file)?, edit).with_context(|| format!("changing {}", file.display()))?,
            )?;
        }
        let mut lines = read(&self.transcript())?;
        lines.extend(self.case.transcript.iter().flat_map(|line| [line, "\n"]));
        write(&self.transcript(), &lines)?;
        for (name, text) in self.case.state {
            let file = self.folder.join(STATE).join(with_session(name, &self.session));
            write(&file, &filled(text, &self.session)?)?;
        }
        Ok(())
    }

    /// The files of the state that belong to the recorded session.
    fn own_state(&self) -> anyhow::Result<Vec<PathBuf>> {
        let files = files_below(&self.folder.join(STATE))?;
        Ok(files.into_iter().filter(|file| name(file).contains(&self.session)).collect())
    }

    fn note_beginning_and_verify(&mut self) -> anyhow::Result<()> {
        let state = self.folder.join(STATE);
        let before = files_below(&state)?;
        for file in &before {
            let content = fs::read(file).with_context(|| format!("reading {}", file.display()))?;
            self.beginning.insert(file.clone(), Some(content));
        }
        self.journal_before = self.journal().len();
        let run = self.process().run()?;
        self.check(&run)?;
        self.check_journal()?;
        // What the run created is removed at a reset; looking through the whole folder each time would be slow in a big one.
        for file in files_below(&state)?.difference(&before) {
            self.beginning.insert(file.clone(), None);
        }
        self.reset()
    }

    fn check_journal(&self) -> anyhow::Result<()> {
        let journal = self.journal();
        let added = journal.get(self.journal_before..).unwrap_or_default();
        match self.case.journals {
            Journals::Nothing if added.is_empty() => Ok(()),
            Journals::Nothing => bail!("`{}` must journal nothing, and journalled {added}", self.case.name),
            // Beside it may stand what became of an earlier word.
            Journals::Line(text) if added.lines().filter(|line| line.contains(text)).count() == 1 => Ok(()),
            Journals::Line(text) => {
                bail!("`{}` must journal one line with {text}, and journalled {added:?}", self.case.name)
            }
        }
    }

    fn journal(&self) -> String {
        fs::read_to_string(self.folder.join(STATE).join(JOURNAL)).unwrap_or_default()
    }
}

fn lay_out(folder: &Path, hook: &HookCases, sources: &Sources<'_>, more_files: usize) -> anyhow::Result<()> {
    for (layer, place) in LAYERS {
        write(&folder.join(place), &read(&sources.root.join(format!("config/samples/team/{layer}.yaml")))?)?;
    }
    for (place, text) in hook.files {
        write(&folder.join(place), &filled(text, &sources.session)?)?;
    }
    let lines = read(&sources.root.join("tests/fixtures/transcripts/main.jsonl"))?;
    write(&transcript(folder, &sources.session), &lines)?;
    let more_files = if hook.git.is_empty() { 0 } else { more_files };
    for number in 0..more_files {
        let file = folder.join(format!("project/more/{}/{number}.txt", number / 100));
        write(&file, &format!("{number}\n"))?;
    }
    git(folder, &["init", "--quiet", "--initial-branch", "main"])?;
    hook.git.iter().try_for_each(|arguments| git(folder, arguments))
}

fn edited(text: &str, edit: &Edit) -> anyhow::Result<String> {
    let found = text.matches(edit.from).count();
    ensure!(found == 1, "`{}` stands there {found} times, not once", edit.from);
    Ok(text.replace(edit.from, edit.to))
}

/// Runs git in the project, with nobody's settings and as nobody.
fn git(folder: &Path, arguments: &[&str]) -> anyhow::Result<()> {
    let mut git = Command::new("git");
    git.args(arguments).current_dir(folder.join("project"));
    git.env("HOME", folder.join("home")).env("GIT_CONFIG_NOSYSTEM", "1");
    for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
        git.env(name, "bench");
    }
    let status = git.status().context("starting git, which the bench needs for its scratch project")?;
    ensure!(status.success(), "git {} ended with {status}", arguments.join(" "));
    Ok(())
}

/// The environment that Claude Code gives its hooks.
fn environment(folder: &Path) -> Vec<(String, String)> {
    let below = |name: &str| folder.join(name).display().to_string();
    let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    let variables = [
        (home, below("home")),
        ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
        ("CLAUDE_PROJECT_DIR", below("project")),
        ("CLAUDE_CODE_ENTRYPOINT", "cli".to_owned()),
        ("CLAUDECODE", "1".to_owned()),
    ];
    variables.map(|(name, value)| (name.to_owned(), value)).into()
}

fn recording(root: &Path, event: &Event) -> anyhow::Result<Value> {
    let file = root.join(format!("tests/fixtures/payloads/{}.json", event.recording));
    serde_json::from_str(&read(&file)?).with_context(|| format!("reading {} as JSON", file.display()))
}

fn recorded_session(root: &Path, event: &Event) -> anyhow::Result<String> {
    let payload = recording(root, event)?;
    let session = payload.get("session_id").and_then(Value::as_str);
    session.map(ToOwned::to_owned).with_context(|| format!("{} names no session", event.recording))
}

/// The event as the client would send it in this world, on one line.
fn payload(folder: &Path, event: &Event, sources: &Sources<'_>) -> anyhow::Result<Vec<u8>> {
    let mut payload = recording(sources.root, event)?;
    let fields = payload.as_object_mut().context("a recorded event is an object")?;
    fields.insert("cwd".to_owned(), folder.join("project").display().to_string().into());
    fields.insert(
        "transcript_path".to_owned(),
        transcript(folder, &sources.session).display().to_string().into(),
    );
    for (field, text) in event.changes {
        let text = text.replace("{project}", &in_json(&folder.join("project")));
        let value =
            serde_json::from_str(&text).with_context(|| format!("{field} of a case: {text} is not JSON"))?;
        fields.insert((*field).to_owned(), value);
    }
    Ok(serde_json::to_vec(&payload)?)
}

fn transcript(folder: &Path, session: &str) -> PathBuf {
    folder.join(format!("home/.claude/projects/project/{session}.jsonl"))
}

/// The path as it stands inside a text of JSON.
fn in_json(path: &Path) -> String {
    Value::from(path.display().to_string()).to_string().trim_matches('"').to_owned()
}

fn with_session(text: &str, session: &str) -> String {
    text.replace("{session}", session)
}

/// The text with the session and, for `{now+3600}` and `{now-60}`, times in whole seconds since the epoch.
fn filled(text: &str, session: &str) -> anyhow::Result<String> {
    let mut filled = String::new();
    let now = Timestamp::from(SystemTime::now()).micros().div_euclid(1_000_000);
    let mut parts = text.split("{now");
    filled.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (offset, rest) = part.split_once('}').with_context(|| format!("no }} after {{now in {text}"))?;
        let offset: i64 = offset.parse().with_context(|| format!("{{now{offset}}} is no time"))?;
        filled.push_str(&(now + offset).to_string());
        filled.push_str(rest);
    }
    Ok(with_session(&filled, session))
}

fn name(file: &Path) -> &str {
    file.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn files_below(folder: &Path) -> anyhow::Result<BTreeSet<PathBuf>> {
    let mut files = BTreeSet::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).with_context(|| format!("looking into {}", folder.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("looking into {}", folder.display()))?;
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            } else {
                files.insert(entry.path());
            }
        }
    }
    Ok(files)
}

fn read(file: &Path) -> anyhow::Result<String> {
    fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    let folder = file.parent().context("a file lies in a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    fs::write(file, text).with_context(|| format!("writing {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::edited;
    use crate::bench::cases::{Edit, HOOKS};

    #[test]
    fn an_edit_replaces_what_stands_there_once_and_nothing_else() {
        let edit = Edit { layer: "global", from: "a: 1", to: "a: 2" };
        assert_eq!(edited("x\na: 1\n", &edit).unwrap(), "x\na: 2\n");
        assert!(edited("x\n", &edit).is_err() && edited("a: 1\na: 1\n", &edit).is_err());
    }

    #[test]
    fn every_change_and_state_of_the_table_is_json_and_every_case_has_its_own_name() {
        for hook in HOOKS {
            let mut names: Vec<_> = hook.cases.iter().map(|case| case.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), hook.cases.len(), "{}", hook.hook);
            let events = hook.cases.iter().map(|case| &case.event).chain(hook.earlier);
            for (field, text) in events.flat_map(|event| event.changes) {
                assert!(serde_json::from_str::<serde_json::Value>(text).is_ok(), "{field}: {text}");
            }
        }
    }
}
