//! Nothing secret ever lies on the disk: what the client tells a hook, the environment, the project's files and a wrong
//! setting may hold any secret; what a hook leaves behind holds none. Every hook of the catalog, on every event it is
//! registered for, while it says as much as it can.

pub(crate) mod secrets;

use crate::driver::{Driver, documented, tree};
use installer::catalog::{Catalog, HookEntry};
use secrets::{Secret, holder, secrets};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use tests::binaries;
use tests::payloads::{Payload, Session, recordings};
use tests::process::Invocation;
use tests::sandbox::Level;
use tests::transcripts::Transcript;

/// Every hook on and as talkative as it can be. A new hook goes here; until it says something the test fails.
const TALKATIVE: &str = "
delegation-guard:
  {enabled: true, headless: true, first_call: deny, advise_from: 1, reminder: {every: 1, quiet_after_advice: 0}}
stop-momentum: {enabled: true, headless: true, enforce_ack: true, max_blocks: 6}
rate-awareness:
  {enabled: true, headless: true, global_default: {capacity: 1, refill_per_sec: 0}, audience: both, repeat: 2, ping_pong: 2}
requirements-check: {enabled: true, headless: true}
requirements:
  edits: {enabled: true, trigger_tools: [Edit, Write, Skill]}
  proof: {enabled: true, type: evidence, command: '.*'}
  printed_proof: {enabled: true, type: evidence, command: '.*', min_output: nobody prints this}
pause-recorder: {enabled: true, headless: true}
";

/// What the client itself makes up: ids, names of its own, places.
const OF_THE_CLIENT: &str =
    "session_id tool_use_id hook_event_name tool_name cwd transcript_path prompt_id permission_mode agent_id";

/// A hook in a world full of secrets, and the files that were put there.
struct World {
    driver: Driver,
    entry: HookEntry,
    /// The keys of its section, and whether they stand at the top of a file instead.
    keys: Vec<(String, bool)>,
    /// Everything recorded of its events, by name.
    inputs: Vec<(String, Payload)>,
    written: BTreeMap<PathBuf, String>,
}

impl World {
    fn of(entry: HookEntry) -> Self {
        let driver = Driver::new(entry.name.clone().leak(), TALKATIVE);
        let schema = Invocation::new(binaries::path(&entry.name), &driver.sandbox).args(["schema"]).run();
        let schema: Value = serde_json::from_str(&schema.stdout_text()).unwrap();
        let keys = schema["properties"].as_object().unwrap().iter();
        let keys = keys.map(|(key, schema)| (key.clone(), schema["x-root-key"] == true)).collect();
        let inputs = inputs(&entry);
        Self { driver, entry, keys, inputs, written: BTreeMap::new() }
    }

    fn id(&self, number: usize) -> Session {
        self.driver.session.clone().with_id(&format!("5e55104e-0000-4000-8000-{number:012}"))
    }

    /// A session in which every file holds this secret.
    fn session(&mut self, number: usize, secret: &str) -> Session {
        let session = self.id(number);
        let input = json!({ "command": secret, "description": secret });
        let transcript = Transcript::of(&session).prompt(secret).context("claude-sonnet-4-6", 190_000);
        let transcript = transcript.tool_call("Bash", &input).text(secret);
        transcript.write();
        self.note(session.transcript.clone());
        let sandbox = &self.driver.sandbox;
        let guide = sandbox.write(".claude/momentum-guide.md", secret);
        let project = sandbox.requirements(Level::Project, &self.section_of([(secret.to_owned(), json!(1))]));
        let of = |is_root: bool| self.keys.iter().filter(move |(_, root)| *root == is_root);
        let wrong = |keys: &mut dyn Iterator<Item = &(String, bool)>| {
            keys.map(|(key, _)| (key.clone(), json!(secret))).collect::<Map<String, Value>>()
        };
        let mut local = wrong(&mut of(true));
        local.insert(self.entry.name.clone(), wrong(&mut of(false)).into());
        let local = sandbox.requirements(Level::Local, &Value::Object(local).to_string());
        for file in [guide, project, local] {
            self.note(file);
        }
        session
    }

    /// YAML is made for people; JSON is YAML too.
    fn section_of(&self, keys: impl IntoIterator<Item = (String, Value)>) -> String {
        let section: Map<String, Value> = keys.into_iter().collect();
        json!({ &self.entry.name: section }).to_string()
    }

    fn note(&mut self, file: PathBuf) {
        let content = std::fs::read_to_string(&file).unwrap();
        self.written.insert(file, content);
    }

    /// Gives the hook one input, with secrets in its environment.
    fn ask(&self, bytes: &[u8], secret: &str) {
        let hook = self.driver.hook();
        let variables =
            ["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "GITHUB_TOKEN", "DATABASE_URL", "PS1"];
        let hook = variables.into_iter().fold(hook, |hook, name| hook.env(name, secret));
        documented(&hook.stdin(bytes).run());
    }

    /// The session's inputs with this secret in every text, alone or inside a sentence: the first recording of each event, and one
    /// in twelve of the others.
    fn live_through(&mut self, number: usize, secret: &str) {
        let session = self.session(number, secret);
        let text = if number.is_multiple_of(2) { secret.to_owned() } else { format!("see {secret} there") };
        for (index, (name, _)) in self.inputs.iter().enumerate() {
            if !name.contains('-') || index % 12 == number % 12 {
                self.ask(&poisoned(&session.replay(name), &text).to_bytes(), secret);
            }
        }
        let whole = poisoned(&session.user_prompt_submit(""), secret).to_bytes();
        self.ask(&whole[..whole.len() - 5], secret);
    }

    /// Ends the session, as far as that is an event of the hook.
    fn end(&self, number: usize) {
        if self.entry.events.iter().any(|event| event.event == "SessionEnd") {
            self.ask(&self.id(number).session_end("other").to_bytes(), "");
        }
    }

    /// Fails unless there was something to find: the hook spoke in every session, and of what it said some was masked.
    #[track_caller]
    fn assert_it_spoke(&self, sessions: usize) {
        let (name, journal) = (&self.entry.name, self.driver.journal());
        for number in 0..sessions {
            let spoke = journal.lines().filter(|line| line.contains(&self.id(number).id)).count();
            assert!(spoke > 0, "{name} said nothing in session {number}");
        }
        assert!(journal.contains("[masked"), "{name} had nothing to mask:\n{journal}");
    }

    /// What lies in the world and was not put there by the test; fails if the hook changed what was.
    #[track_caller]
    fn left_behind(&self) -> BTreeMap<PathBuf, String> {
        let mut found = tree(&self.driver.sandbox.root());
        for (file, content) in &self.written {
            assert_eq!(found.remove(file).as_ref(), Some(content), "{} is as it was", file.display());
        }
        found
    }
}

/// What the client was seen to say on the events the hook is registered for, but for the end of a session, after which
/// there would be less to find.
fn inputs(entry: &HookEntry) -> Vec<(String, Payload)> {
    let is_ours = |payload: &Payload| {
        let name = payload.get("hook_event_name");
        name != "SessionEnd" && entry.events.iter().any(|event| name == &event.event)
    };
    recordings().into_iter().filter(|(_, payload)| is_ours(payload)).collect()
}

/// The same input with the secret in every text that the client has from somebody else, and in a key.
fn poisoned(payload: &Payload, secret: &str) -> Payload {
    let keys: Vec<String> = payload.keys().into_iter().map(ToOwned::to_owned).collect();
    let is_of_others = |key: &&String| OF_THE_CLIENT.split(' ').all(|own| own != key.as_str());
    keys.iter().filter(is_of_others).fold(payload.clone(), |poisoned, key| {
        let mut value = poisoned.get(key).clone();
        poison(&mut value, secret);
        poisoned.with(key, value)
    })
}

fn poison(value: &mut Value, secret: &str) {
    match value {
        Value::String(text) => secret.clone_into(text),
        Value::Array(values) => values.iter_mut().for_each(|value| poison(value, secret)),
        Value::Object(values) => {
            values.values_mut().for_each(|value| poison(value, secret));
            values.insert(secret.to_owned(), json!(secret));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The file that holds enough of one of the secrets to know it by, in its content or in its name.
fn who_holds(secrets: &[Secret], texts: &BTreeMap<PathBuf, String>) -> Option<String> {
    let texts = texts.iter().map(|(file, text)| format!("{}\n{text}", file.display())).collect::<Vec<_>>();
    holder(secrets, texts.iter().map(String::as_str)).map(str::to_owned)
}

#[test]
fn no_hook_leaves_a_secret_on_the_disk_wherever_it_came_from() {
    let secrets: Vec<Secret> = secrets();
    let hooks = Catalog::built_in().unwrap().hooks.clone();
    std::thread::scope(|scope| {
        for entry in hooks {
            scope.spawn(|| {
                let mut world = World::of(entry);
                for (number, secret) in secrets.iter().enumerate() {
                    world.live_through(number, &secret.text);
                }
                world.assert_it_spoke(secrets.len());
                assert_eq!(who_holds(&secrets, &world.left_behind()), None, "while the sessions live");
                (0..secrets.len()).for_each(|number| world.end(number));
                assert_eq!(who_holds(&secrets, &world.left_behind()), None, "and after their end");
            });
        }
    });
}
