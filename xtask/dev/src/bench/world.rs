//! The scratch world of one case: home, project, configuration, transcript and the state of earlier calls, the way a real
//! machine has them. It can be set back to its beginning, and says whether a run did what its case claims.
//! The cases are the data of `xtask/dev/bench.yaml`, which says what each field means.
//! Nothing of the real home is read, and nothing outside the scratch folder is written.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use installer::prove::with_times;
use serde::Deserialize;
use serde_json::{Map, Value};
use shared::host::Host;
use tempfile::TempDir;

use super::measure::Process;
use crate::files;

const EARLIER_CALLS: usize = 20;

const STATE: &str = "home/.claude/hook-state";

/// Layer, sample and place of the team's configuration.
const LAYERS: [(&str, &str); 3] = [
    ("global", "home/.claude/requirements.yaml"),
    ("project", "project/.claude/requirements.yaml"),
    ("local", "project/.claude/requirements.local.yaml"),
];

/// The sizes of a world that was used for years.
const OTHER_SESSIONS: usize = 10_000;
const MORE_FILES: usize = 50_000;
const TRANSCRIPT_BYTES: usize = 200 * 1024 * 1024;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HookCases {
    pub(super) budget: f64,
    pub(super) event: Event,
    pub(super) earlier: Vec<Event>,
    pub(super) edit: Option<Edit>,
    #[serde(default)]
    pub(super) files: BTreeMap<String, Value>,
    #[serde(default)]
    pub(super) git: Vec<String>,
    #[serde(default)]
    pub(super) state: BTreeMap<String, Value>,
    pub(super) cases: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) budget: Option<f64>,
    pub(super) event: Option<Event>,
    pub(super) edit: Option<Edit>,
    #[serde(default)]
    pub(super) transcript: Vec<Value>,
    #[serde(default)]
    pub(super) state: BTreeMap<String, Value>,
    #[serde(default)]
    pub(super) prints: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Event {
    pub(super) recording: String,
    #[serde(default)]
    pub(super) changes: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Edit {
    pub(super) layer: String,
    pub(super) from: String,
    pub(super) to: String,
}

pub(super) fn cases() -> anyhow::Result<BTreeMap<String, HookCases>> {
    serde_yaml::from_str(include_str!("../../bench.yaml")).context("reading xtask/dev/bench.yaml")
}

#[derive(Debug)]
pub(super) struct World<'a> {
    // Held for its destructor: the folder goes when the world goes.
    _scratch: TempDir,
    root: &'a Path,
    folder: PathBuf,
    /// The session of the recordings.
    session: String,
    hook: &'a HookCases,
    case: &'a Case,
    program: &'a Path,
    env: Vec<(String, String)>,
    payload: Vec<u8>,
    /// Each file of the state that a run may change, and what it holds before; `None`: it is not there.
    beginning: BTreeMap<PathBuf, Option<Vec<u8>>>,
}

impl<'a> World<'a> {
    /// Sets the world up, runs the earlier calls, and then the case once to see that it does what it claims.
    pub(super) fn new(
        root: &'a Path,
        hook: &'a HookCases,
        case: &'a Case,
        program: &'a Path,
    ) -> anyhow::Result<Self> {
        let scratch = TempDir::with_prefix("barbless-bench-").context("making a scratch folder")?;
        // Claude Code reports real paths, and a hook compares them.
        let folder = scratch.path().canonicalize().context("the scratch folder's real path")?;
        let event = case.event.as_ref().unwrap_or(&hook.event);
        let session = recording(root, event)?["session_id"].as_str().map(str::to_owned);
        let session = session.context("a recording names its session")?;
        let mut world = Self {
            env: environment(&folder),
            payload: Vec::new(),
            beginning: BTreeMap::new(),
            _scratch: scratch,
            root,
            folder,
            session,
            hook,
            case,
            program,
        };
        world.lay_out()?;
        world.payload = world.payload_of(event)?;
        world.run_earlier_calls()?;
        world.set_up()?;
        world.note_beginning_and_verify()?;
        Ok(world)
    }

    fn process(&self) -> Process<'_> {
        self.process_of(self.program)
    }

    pub(super) fn process_of<'b>(&'b self, program: &'b Path) -> Process<'b> {
        Process { program, args: &[], env: &self.env, cwd: &self.folder, payload: &self.payload }
    }

    pub(super) fn reset(&self) -> anyhow::Result<()> {
        for (file, content) in &self.beginning {
            match content {
                _ if fs::read(file).ok() == *content => {}
                Some(content) => {
                    fs::write(file, content).with_context(|| format!("resetting {}", file.display()))?;
                }
                None => fs::remove_file(file).with_context(|| format!("removing {}", file.display()))?,
            }
        }
        Ok(())
    }

    /// Runs the hook, which must end well and print what the case says. Returns the microseconds.
    pub(super) fn timed(&self) -> anyhow::Result<f64> {
        let run = self.process().run()?;
        let (name, prints) = (&self.case.name, &self.case.prints);
        let printed = String::from_utf8_lossy(&run.stdout);
        ensure!(run.status.success(), "`{name}` ended with {}", run.status);
        let is_object = serde_json::from_str::<Map<String, Value>>(&printed).is_ok();
        let has_all = is_object && prints.iter().all(|text| printed.contains(text));
        let is_right = if prints.is_empty() { printed.is_empty() } else { has_all };
        ensure!(is_right, "`{name}` must print {prints:?} in one JSON object, and printed {printed:?}");
        Ok(run.micros)
    }

    /// Makes it the world of somebody who has used it for years: many sessions, a long transcript and, where git counts, many
    /// files. The transcript ends as before: what came earlier is the same lines over and over.
    pub(super) fn grow(&self) -> anyhow::Result<()> {
        let Self { folder, session, .. } = self;
        let files = files::below(&folder.join(STATE))?;
        let own: Vec<PathBuf> = files.into_iter().filter(|file| name(file).contains(session)).collect();
        for number in 0..OTHER_SESSIONS {
            // As long as a real id, so that folder entries have their real size.
            let other = format!("00000000-0000-4000-8000-{number:012}");
            for file in &own {
                let copy = file.with_file_name(name(file).replace(session, &other));
                write(&copy, &read(file)?.replace(session, &other))?;
            }
        }
        for number in 0..MORE_FILES {
            let file = folder.join(format!("project/more/{}/{number}.txt", number / 100));
            write(&file, &format!("{number}\n"))?;
        }
        let transcript = self.transcript();
        let lines = read(&transcript)?;
        write(&transcript, &lines.repeat(TRANSCRIPT_BYTES.div_ceil(lines.len().max(1))))
    }

    fn run_earlier_calls(&self) -> anyhow::Result<()> {
        for number in 1..=EARLIER_CALLS {
            for event in &self.hook.earlier {
                let payload = String::from_utf8(self.payload_of(event)?)?.replace("{n}", &number.to_string());
                let run = Process { payload: payload.as_bytes(), ..self.process() }.run()?;
                ensure!(run.status.success(), "an earlier call ended with {}", run.status);
            }
        }
        Ok(())
    }

    fn note_beginning_and_verify(&mut self) -> anyhow::Result<()> {
        let state = self.folder.join(STATE);
        let before = files::below(&state)?;
        for file in &before {
            let content = fs::read(file).with_context(|| format!("reading {}", file.display()))?;
            self.beginning.insert(file.clone(), Some(content));
        }
        self.timed()?;
        // A reset removes new files. The list is made once, because a big folder takes long to list.
        for file in files::below(&state)?.difference(&before) {
            self.beginning.insert(file.clone(), None);
        }
        self.reset()
    }

    /// The common world with the hook's own files.
    fn lay_out(&self) -> anyhow::Result<()> {
        for (layer, place) in LAYERS {
            let sample = self.root.join(format!("config/samples/team/{layer}.yaml"));
            write(&self.folder.join(place), &read(&sample)?)?;
        }
        write(&self.transcript(), &read(&self.root.join("tests/fixtures/transcripts/main.jsonl"))?)?;
        for (place, content) in &self.hook.files {
            write(&self.folder.join(place), &self.filled(content)?)?;
        }
        self.git("init --quiet --initial-branch main")?;
        self.hook.git.iter().try_for_each(|line| self.git(line))
    }

    /// The differences of the case; the earlier calls ran without them.
    fn set_up(&self) -> anyhow::Result<()> {
        let Self { hook, case, .. } = self;
        for edit in hook.edit.iter().chain(&case.edit) {
            let place = LAYERS.iter().find(|(layer, _)| *layer == edit.layer);
            let (_, place) = place.with_context(|| format!("there is no layer `{}`", edit.layer))?;
            let file = self.folder.join(place);
            let text = edited(&read(&file)?, edit).with_context(|| format!("changing {}", file.display()))?;
            write(&file, &text)?;
        }
        let lines = case.transcript.iter().map(|line| format!("{line}\n"));
        write(&self.transcript(), &(read(&self.transcript())? + &lines.collect::<String>()))?;
        let mut state = hook.state.clone();
        state.extend(case.state.clone());
        for (name, content) in state.iter().filter(|(_, content)| !content.is_null()) {
            let name = name.replace("{session}", &self.session);
            write(&self.folder.join(STATE).join(name), &self.filled(content)?)?;
        }
        Ok(())
    }

    /// Runs git in the project, with nobody's settings and as nobody.
    fn git(&self, line: &str) -> anyhow::Result<()> {
        let mut git = Command::new("git");
        git.args(line.split(' ')).current_dir(self.folder.join("project"));
        git.env("HOME", self.folder.join("home")).env("GIT_CONFIG_NOSYSTEM", "1");
        for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
            git.env(name, "bench");
        }
        let status = git.status().context("starting git, which the bench needs for its scratch project")?;
        ensure!(status.success(), "git {line} ended with {status}");
        Ok(())
    }

    /// The event as Claude Code would send it in this world, on one line.
    fn payload_of(&self, event: &Event) -> anyhow::Result<Vec<u8>> {
        let mut payload = recording(self.root, event)?;
        payload["cwd"] = "{project}".into();
        payload["transcript_path"] = self.transcript().display().to_string().into();
        for (field, value) in &event.changes {
            payload[field] = value.clone();
        }
        Ok(self.filled(&payload)?.into_bytes())
    }

    fn transcript(&self) -> PathBuf {
        self.folder.join(format!("home/.claude/projects/project/{}.jsonl", self.session))
    }

    /// A text as it is, anything else as a line of JSON; with the session, the project, a habit, and times as in a proof.
    fn filled(&self, content: &Value) -> anyhow::Result<String> {
        let text = content.as_str().map_or_else(|| format!("{content}\n"), ToOwned::to_owned);
        let project = Value::from(self.folder.join("project").display().to_string()).to_string();
        let text = text.replace("{session}", &self.session).replace("{project}", project.trim_matches('"'));
        let quarter = Host::real().now().secs().div_euclid(15 * 60);
        let text = text.replace("{habit}", &"$#".repeat(28 * 96)).replace("{quarter}", &quarter.to_string());
        with_times(&text)
    }
}

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

fn edited(text: &str, edit: &Edit) -> anyhow::Result<String> {
    let found = text.matches(&edit.from).count();
    ensure!(found == 1, "`{}` stands there {found} times, not once", edit.from);
    Ok(text.replace(&edit.from, &edit.to))
}

fn recording(root: &Path, event: &Event) -> anyhow::Result<Value> {
    let file = root.join(format!("tests/fixtures/payloads/{}.json", event.recording));
    serde_json::from_str(&read(&file)?).with_context(|| format!("reading {} as JSON", file.display()))
}

fn name(file: &Path) -> &str {
    file.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn read(file: &Path) -> anyhow::Result<String> {
    fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    let folder = file.parent().context("a file lies in a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    fs::write(file, text).with_context(|| format!("writing {}", file.display()))
}
