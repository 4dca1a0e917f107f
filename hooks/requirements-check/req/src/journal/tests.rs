//! `req log` and `req why` as tables: the journal, what is asked, what is answered.

use std::fs;

use serde_json::{Value, json};
use shared::cli::Asker;
use shared::host::{Clock, Environment, Host, Places, Timestamp};
use shared::operator::{Caller, Standing};

use super::{log, why};
use crate::verb::{Verb, parse_words};

const NOW: Timestamp = Timestamp::from_secs(1_795_300_000);
const OWN: &str = "5e55104e-0000-4000-8000-000000000001";
const OTHER: &str = "0c4e7a11-0000-4000-8000-000000000002";

struct Desk {
    _folder: tempfile::TempDir,
    host: Host,
    places: Places,
}

impl Desk {
    /// With these lines in the journal.
    fn new(lines: &[String]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let project = home.join("project");
        fs::create_dir_all(project.join(".git")).unwrap();
        let environment =
            Environment { home: Some(home), project_dir: Some(project.clone()), ..Environment::default() };
        let host = Host { started: NOW, clock: Clock::Fixed(NOW), environment };
        let places = Places::resolve(&host.environment, Some(&project));
        let project = project.display().to_string();
        let lines: String = lines.iter().map(|line| line.replace("{here}", &project)).collect();
        fs::write(places.open_store().unwrap().dir().join("journal.jsonl"), lines).unwrap();
        Self { _folder: folder, host, places }
    }

    fn ask(&self, line: &str, session: Option<&str>) -> Result<String, String> {
        let words: Vec<String> = line.split_whitespace().map(ToOwned::to_owned).collect();
        let store = self.places.open_store();
        let caller = Caller::Shell(Standing::NoTerminal);
        let (host, places) = (&self.host, &self.places);
        let asker = Asker { host, places, store: store.as_ref(), session, caller };
        let reply = match parse_words(&words).unwrap_or_else(|error| panic!("{line}: {error}")) {
            Verb::Log(wanted) => log(&wanted, &asker),
            Verb::Why(wanted) => why(&wanted, &asker),
            _ => panic!("{line}"),
        };
        reply.map(|reply| reply.text)
    }

    #[track_caller]
    fn yes(&self, line: &str) -> String {
        self.ask(line, None).unwrap_or_else(|why| panic!("{line}: {why}"))
    }

    #[track_caller]
    fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.yes(line)).unwrap()
    }

    /// The texts of what is listed.
    fn texts(&self, words: &str) -> Vec<String> {
        let report = self.json(&format!("log --json {words}"));
        let entries = report["entries"].as_array().unwrap().iter();
        entries.map(|entry| entry["text"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

/// A line of the journal, so many seconds old.
fn line(age_secs: i64, what: &str, more: &Value) -> String {
    let at = Timestamp::from_micros(NOW.micros() - age_secs * 1_000_000).rfc3339();
    let mut line = json!({ "at": at, "hook": "stop-momentum", "event": "Stop", "what": what });
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    format!("{line}\n")
}

/// A denial by requirements-check for two requirements.
fn denial(more: &Value) -> String {
    let mut all = json!({
        "hook": "requirements-check", "event": "PreToolUse", "tool": "Edit", "session": OWN, "project": "{here}",
        "rule": "requirements.plan", "also": "requirements.size\nrequirements.review", "layer": "project",
        "where": ".claude/requirements.yaml:3", "text": "Edit needs what is missing:\n- a plan", "next": "one\ntwo",
    });
    all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line(60, "deny", &all)
}

#[test]
fn what_is_asked_for_is_what_is_shown() {
    let of =
        |session: &str, hook: &str, text: &str| json!({ "session": session, "hook": hook, "text": text });
    let mut elsewhere = of(OTHER, "stop-momentum", "elsewhere");
    elsewhere["project"] = "/elsewhere".into();
    let desk = Desk::new(&[
        line(7200, "deny", &of(OTHER, "delegation-guard", "old denial")),
        line(60, "deny", &of(OTHER, "delegation-guard", "denial")),
        line(50, "block", &of(OWN, "stop-momentum", "block")),
        line(40, "let-go", &of(OWN, "stop-momentum", "let go")),
        line(30, "ask", &elsewhere),
    ]);
    for (words, expected) in [
        ("", &["old denial", "denial", "block", "let go"][..]),
        ("--all --since 1h", &["denial", "block", "let go", "elsewhere"]),
        ("--hook delegation-guard", &["old denial", "denial"]),
        ("--hook rate-awareness", &[]),
        ("--since 55s", &["block", "let go"]),
        ("--blocks", &["old denial", "denial", "block"]),
        ("--session 0c4e7a11", &["old denial", "denial", "elsewhere"]),
        ("--session 5e55104e --blocks --since 1h", &["block"]),
    ] {
        assert_eq!(desk.texts(words), expected, "{words}");
    }
    for (words, expected) in [
        ("log --hook rate-awareness", "nothing that fits is recorded"),
        ("log --since 35s", "nothing that fits is recorded of this project; 1 line is of another: --all"),
    ] {
        assert_eq!(desk.yes(words), expected);
    }
    assert_eq!(Desk::new(&[]).yes("log"), "nothing is recorded yet");
    let text = desk.yes("log -n 2");
    assert!(
        text.starts_with("2 earlier not shown; all of them: -n 4\n") && text.lines().count() == 3,
        "{text}"
    );
    assert_eq!(desk.json("log -n 1 --json")["earlier"], 3);
    for (words, expected) in [
        ("log --hook stop-momentun", "req: there is no hook stop-momentun; did you mean stop-momentum?"),
        ("log --session ffffffff", "req: no session's id begins with ffffffff"),
    ] {
        assert!(desk.ask(words, None).unwrap_err().starts_with(expected), "{words}");
    }
}

#[test]
fn what_cannot_be_read_is_counted_and_hides_nothing() {
    let torn = "{\"at\":1}\nnot JSON\n".to_owned();
    let desk = Desk::new(&[line(2, "block", &json!({})), torn, line(1, "advise", &json!({}))]);
    let text = desk.yes("log");
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.ends_with("\n2 lines of the journal could not be read and are left out"), "{text}");
    for words in ["log --json", "log --stats --json", "log --cost --json", "why --json"] {
        assert_eq!(desk.json(words)["damaged"], 2, "{words}");
    }
}

#[test]
fn what_models_cost_is_summed_per_hook_and_model() {
    let call = |hook: &str, model: &str, cost: u64| {
        line(9, "judge", &json!({ "hook": hook, "model": model, "cost_micro_usd": cost, "took_ms": 500 }))
    };
    let desk = Desk::new(&[
        call("tempo-stop", "a", 100),
        call("tempo-stop", "a", 200),
        call("tempo-stop", "b", 0),
        line(8, "block", &json!({})),
    ]);
    assert_eq!(
        desk.yes("log --cost"),
        "tempo-stop, a: 2 calls, 0 tokens in, 0 out, 0.0003 USD, 1.0 s\n\
         tempo-stop, b: 1 call, 0 tokens in, 0 out, 0.0000 USD, 0.5 s\n\
         in all: 3 calls, 0 tokens in, 0 out, 0.0003 USD, 1.5 s"
    );
    assert_eq!(desk.json("log --stats --json")["total"]["model_calls"], 3);
}

#[test]
fn every_rule_behind_a_denial_is_named_with_its_place_and_its_steps() {
    let desk = Desk::new(&[denial(&json!({}))]);
    let text = desk.yes("why");
    for part in [
        "requirements-check refused Edit, 60 s ago (",
        ", in session 5e55104e. Its id is ",
        "\nRule: requirements.plan\nSet: .claude/requirements.yaml:3 (project)\nRule: requirements.size\nRule: requirements.review\n",
        "\nNext:\n  one\n  two\nSince then: nothing was seen that settles it",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let report = desk.json("why --json");
    assert_eq!(report["entry"]["where"], ".claude/requirements.yaml:3");
    assert_eq!(report["entry"]["also"], json!(["requirements.size", "requirements.review"]));
    assert_eq!(report["entry"]["next"], json!(["one", "two"]));
}

#[test]
fn what_settles_a_denial_is_told() {
    let by = |what: &str, rule: &str, session: &str| {
        line(9, what, &json!({ "hook": "requirements-check", "rule": rule, "session": session }))
    };
    for (later, how, words) in [
        (by("followed", "requirements.size", OWN), "followed", "it was followed ("),
        (by("overridden", "requirements.plan", OWN), "overridden", "it was not followed, or excepted ("),
        (by("waive", "requirements.plan", OWN), "waive", "it was waived by the user ("),
        (by("pause", "", OTHER), "pause", "every hook was paused by the user ("),
        (by("followed", "requirements.plan", OTHER), "open", "nothing was seen that settles it"),
        (by("followed", "requirements.other", OWN), "open", "nothing was seen that settles it"),
    ] {
        let desk = Desk::new(&[denial(&json!({})), later]);
        assert_eq!(desk.json("why --json")["outcome"]["how"], how);
        let text = desk.yes("why");
        assert!(text.lines().last().unwrap().starts_with(&format!("Since then: {words}")), "{how}: {text}");
        let is_settled = matches!(how, "followed" | "overridden");
        assert_eq!(text.contains("\nIt asked for:\n"), is_settled, "{how}: {text}");
    }
}

#[test]
fn the_last_one_is_that_of_the_session_else_of_the_project() {
    let of = |text: &str, session: &str, project: &str| {
        denial(&json!({ "text": text, "session": session, "project": project }))
    };
    let desk =
        Desk::new(&[of("own", OWN, "{here}"), of("here", OTHER, "{here}"), of("there", OTHER, "/there")]);
    for (words, session, expected) in [
        ("why", Some(OWN), "own"),
        ("why --last", None, "here"),
        ("why --session 0c4e7a11", None, "there"),
        ("why --all", Some(OWN), "there"),
    ] {
        let text = desk.ask(words, session).unwrap();
        assert!(text.contains(&format!("\nIt said:\n  {expected}\n")), "{words}: {text}");
        let is_there = expected == "there";
        assert_eq!(text.contains(" of another project (/there)"), is_there, "{words}: {text}");
    }
    for (desk, words, session, expected) in [
        (&desk, "why", Some("ffffffff-1"), "req: nothing was refused or held in session ffffffff;"),
        (&Desk::new(&[]), "why", None, "req: nothing was refused or held yet"),
        (
            &Desk::new(&[of("there", OTHER, "/there")]),
            "why",
            None,
            "req: nothing was refused or held in this project yet",
        ),
        (&desk, "why 12345678", None, "req: the journal has no line 12345678"),
        (&desk, "why 123", None, "req: an id is what req log shows"),
        (&desk, "why 12345g", None, "req: an id is what req log shows"),
    ] {
        let why = desk.ask(words, session).unwrap_err();
        assert!(why.starts_with(expected), "{words}: {why}");
    }
}

#[test]
fn line_is_found_by_the_beginning_of_its_id() {
    let desk = Desk::new(&(0..2000).map(|number| line(number, "block", &json!({}))).collect::<Vec<_>>());
    let report = desk.json("log -n 2000 --json");
    let ids = report["entries"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap());
    let ids: Vec<&str> = ids.collect();
    let alike = ids.iter().find(|id| ids.iter().any(|other| *id != other && other[..4] == id[..4]));
    let alike = alike.expect("of 2000 lines two begin alike");
    assert!(desk.yes(&format!("why {}", alike[..12].to_ascii_uppercase())).starts_with("stop-momentum held"));
    let why = desk.ask(&format!("why {}", &alike[..4]), None).unwrap_err();
    assert!(why.contains("several lines begin with"), "{why}");
}
