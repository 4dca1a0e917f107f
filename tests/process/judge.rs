//! Asking a model, whole: the questions of `judge`, asked from a program with the real courier beside it, against a
//! server on loopback that plays the Messages API. Which hook asks what is tested with the hooks.

mod ceilings;
mod marks;
mod projects;
mod trouble;

use std::fs;
use std::ops::Deref;
use std::path::Path;
use std::process::Command;

use judge::{Caller, Part, Question, Settings};
use serde_json::{Value, json};
use shared::config::ALL_DEFAULTS;
use shared::host::{Host, Places};
use shared::protocol::Call;
use tests::binaries;
use tests::process::Invocation;
use tests::sandbox::{Level, Sandbox};

use crate::driver::tree;
use crate::endpoint::Manner;
use crate::judge_api::{self, JudgeApi};

/// Stands for a key.
const KEY: &str = "sk-ant-very-secret";

/// The model that is asked first, and the one that is asked where it is limited.
const MODEL: &str = "claude-haiku-5-5";
const FALLBACK: &str = "claude-sonnet-5-5";

/// What the question is about.
const MATERIAL: &str = "the user's words: «schön»";

/// Names the file for what came of the question.
const OUTCOME: &str = "BARBLESS_TEST_OUTCOME";
/// After so many seconds the asker gives up.
const DEADLINE: &str = "BARBLESS_TEST_DEADLINE";

/// A program that asks, in a world of its own, and the server it asks.
struct Asker {
    sandbox: Sandbox,
    api: JudgeApi,
    deadline_secs: u32,
}

impl Deref for Asker {
    type Target = JudgeApi;

    fn deref(&self) -> &JudgeApi {
        &self.api
    }
}

impl Asker {
    fn new(manners: impl IntoIterator<Item = Manner>) -> Self {
        Self { sandbox: Sandbox::new(), api: JudgeApi::start(manners), deadline_secs: 25 }
    }

    /// A copy of this very program, with the courier beside it.
    fn program(&self) -> Invocation {
        let folder = self.sandbox.temporary_dir();
        let program = folder.join("asker");
        if !program.exists() {
            copy(&std::env::current_exe().unwrap(), &program);
            copy(&binaries::path("courier"), &folder.join("courier"));
        }
        let inside = ["judge::a_program_that_asks", "--exact", "--ignored", "--quiet"];
        Invocation::new(program, &self.sandbox)
            .args(inside)
            .env(OUTCOME, self.outcome_file())
            .env(DEADLINE, self.deadline_secs.to_string())
            .env("ANTHROPIC_BASE_URL", self.url())
            .env("ANTHROPIC_API_KEY", KEY)
    }

    fn outcome_file(&self) -> String {
        self.sandbox.temporary_dir().join("outcome").display().to_string()
    }

    /// Asks; what came of it.
    #[track_caller]
    fn outcome(&self, program: Invocation) -> String {
        let outcome = program.run();
        outcome.assert_exit(0);
        assert!(!format!("{outcome}").contains(KEY), "{outcome}");
        let kept = tree(&self.sandbox.state_dir());
        assert!(!kept.values().any(|text| text.contains(KEY)), "{kept:?}");
        let told = fs::read_to_string(self.outcome_file());
        told.unwrap_or_else(|error| panic!("{error}: {outcome}"))
    }

    #[track_caller]
    fn asked(&self) -> String {
        self.outcome(self.program())
    }
}

/// A child copies: what this process holds open for writing, another test's fork could keep from being started.
fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").args([from, to]).status().unwrap();
    assert!(copied.success(), "{copied}");
}

/// Not a test of its own: what the copies run.
#[test]
#[ignore = "the other tests run it, with the courier beside it"]
fn a_program_that_asks() {
    let host = Host::real();
    let places = Places::resolve(&host.environment, host.cwd().as_deref());
    let store = places.open_store();
    let call = Call { session_id: Some("s".to_owned()), cwd: host.cwd(), ..Call::default() };
    let caller = Caller {
        hook: "tempo-stop",
        host: &host,
        places: &places,
        store: store.as_ref(),
        call: &call,
        event: "Stop",
        settings: &settings(),
        is_refused_elsewhere: &|| false,
    };
    let asked = judge::ask::<Value>(&question(), &caller);
    fs::write(std::env::var(OUTCOME).unwrap(), format!("{:?}", asked.outcome)).unwrap();
}

fn settings() -> Settings {
    let mut settings = serde_yaml::from_str::<Value>(ALL_DEFAULTS).unwrap()["judge"].take();
    settings["backend"] = "messages_api".into();
    settings["deadline_secs"] = std::env::var(DEADLINE).unwrap().parse::<u32>().unwrap().into();
    serde_json::from_value(settings).unwrap()
}

fn question() -> Question<'static> {
    Question {
        purpose: "stop",
        model: MODEL,
        fallback: Some(FALLBACK),
        instructions: "Judge it.".to_owned(),
        parts: vec![Part { name: "words", text: MATERIAL.to_owned(), max_chars: 1000 }],
        verdicts: verdicts(),
    }
}

fn verdicts() -> Value {
    let verdict = json!({ "type": "string", "enum": ["YES", "NO"] });
    json!({
        "type": "object", "properties": { "verdict": verdict },
        "required": ["verdict"], "additionalProperties": false,
    })
}

fn yes() -> Value {
    json!({ "verdict": "YES" })
}

const ANSWERED: &str = "Answered(Object {\"verdict\": String(\"YES\")})";

#[test]
fn a_question_is_one_request_with_the_key_in_one_header() {
    let asker = Asker::new([judge_api::verdict(&yes())]);
    assert_eq!(asker.asked(), ANSWERED);
    let [request] = &asker.requests()[..] else { panic!("{:?}", asker.requests()) };
    assert_eq!(request.line, "POST /v1/messages HTTP/1.1");
    let agent = concat!("barbless/", env!("CARGO_PKG_VERSION"));
    for (name, expected) in [
        ("x-api-key", KEY),
        ("anthropic-version", "2023-06-01"),
        ("content-type", "application/json"),
        ("user-agent", agent),
    ] {
        assert_eq!(request.headers.get(name).map(String::as_str), Some(expected), "{name}");
    }
    assert!(
        request.text.matches(KEY).count() == 1 && !request.headers.contains_key("authorization"),
        "{request:?}"
    );
    let mut body = request.body.clone();
    let (system, material) = (body["system"].take(), body["messages"][0]["content"].take());
    assert!(system.as_str().unwrap().contains("Judge it."), "{system}");
    assert!(material.as_str().unwrap().contains(MATERIAL), "{material}");
    let expected = json!({
        "model": MODEL,
        "max_tokens": 4000,
        "system": null,
        "messages": [{ "role": "user", "content": null }],
        "output_config": { "format": { "type": "json_schema", "schema": verdicts() } },
    });
    assert_eq!(body, expected);
}

#[test]
fn only_a_whole_structured_answer_is_a_verdict() {
    let thoughtful = judge_api::thinks_first("{\"verdict\": \"NO\"}", &yes());
    assert_eq!(Asker::new([thoughtful]).asked(), ANSWERED);
    for (what, manner) in [
        ("words before it", judge_api::verdict_behind("Here it is:", &yes())),
        ("a tool call", judge_api::calls_a_tool(&yes())),
        ("cut", judge_api::says(&[&yes().to_string()], "max_tokens")),
        ("a refusal", judge_api::says(&["I will not."], "refusal")),
        ("nothing", judge_api::empty()),
        ("no block", judge_api::message(&json!([]), "end_turn")),
        ("a page", judge_api::page()),
        ("too long", judge_api::huge(&yes())),
    ] {
        assert_eq!(Asker::new([manner]).asked(), "Failed(InvalidResponse)", "{what}");
    }
}

#[test]
fn what_is_wrong_with_the_server_is_told() {
    for (what, manner, expected, times) in [
        ("400", judge_api::refuses(400, &[]), "Failed(Refused)", 1),
        ("401", judge_api::refuses(401, &[]), "Failed(Unauthorized)", 1),
        ("429", judge_api::refuses(429, &["Retry-After: 1"]), "Failed(Limited)", 2),
        ("529", judge_api::refuses(529, &[]), "Failed(Overloaded)", 2),
        ("no HTTP", judge_api::garbage(), "Failed(Unreachable)", 2),
        ("it breaks off", judge_api::breaks_off(&yes()), "Failed(Unreachable)", 2),
    ] {
        let asker = Asker::new([manner]);
        assert_eq!(asker.asked(), expected, "{what}");
        assert_eq!(asker.requests().len(), times, "{what}");
    }
}

#[test]
fn where_the_first_model_is_overloaded_the_other_one_is_asked() {
    let asker = Asker::new([judge_api::refuses(529, &[]), judge_api::verdict(&yes())]);
    assert_eq!(asker.asked(), ANSWERED);
    let models: Vec<String> = asker.requests().iter().map(|asked| asked.model().to_owned()).collect();
    assert_eq!(models, [MODEL, FALLBACK]);
}

#[test]
fn at_the_deadline_it_is_over_whatever_the_server_does() {
    for manner in [judge_api::hangs(), judge_api::hangs_half_way(&yes())] {
        let asker = Asker { deadline_secs: 1, ..Asker::new([manner]) };
        assert_eq!(asker.asked(), "Failed(Late)");
    }
}

#[test]
fn a_redirect_takes_the_key_nowhere() {
    let elsewhere = JudgeApi::start([judge_api::verdict(&yes())]);
    let asker = Asker::new([judge_api::leads_to(&elsewhere.url())]);
    assert_eq!(asker.asked(), "Failed(Unreachable)");
    assert!(elsewhere.requests().is_empty());
}

#[test]
fn a_proxy_of_the_users_carries_the_question_and_does_not_see_the_key() {
    let asker = Asker::new([judge_api::empty()]);
    // A name that no resolver is asked for: the proxy is to connect to it.
    let program = asker.program().env("ANTHROPIC_BASE_URL", "https://api.example.invalid/");
    assert_eq!(asker.outcome(program.env("HTTPS_PROXY", asker.url())), "Failed(Unreachable)");
    for asked in asker.requests() {
        assert_eq!(asked.line, "CONNECT api.example.invalid:443 HTTP/1.1");
        assert!(!asked.text.contains(KEY), "{asked:?}");
    }
    assert!(!asker.requests().is_empty());
}

#[test]
fn a_project_that_says_where_the_api_is_gets_no_question() {
    let asker = Asker::new([judge_api::verdict(&yes())]);
    asker.sandbox.settings(Level::Project, &json!({ "env": { "ANTHROPIC_BASE_URL": asker.url() } }));
    assert_eq!(asker.asked(), "NotAsked(Misled)");
    assert!(asker.requests().is_empty());
}

#[test]
fn nobody_is_asked_without_a_key() {
    let asker = Asker::new([judge_api::verdict(&yes())]);
    for program in [asker.program().unset("ANTHROPIC_API_KEY"), asker.program().env("ANTHROPIC_API_KEY", " ")]
    {
        assert_eq!(asker.outcome(program), "Failed(NoKey)");
    }
    assert!(asker.requests().is_empty());
}

#[test]
fn without_the_courier_nobody_is_asked() {
    let asker = Asker::new([judge_api::verdict(&yes())]);
    let program = asker.program();
    fs::remove_file(asker.sandbox.temporary_dir().join("courier")).unwrap();
    assert_eq!(asker.outcome(program), "Failed(NotStarted)");
    assert!(asker.requests().is_empty());
}
