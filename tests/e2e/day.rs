//! A day of work in the real client, scripted: four sessions, forty prompts, six hundred calls, a hundred and twenty edits,
//! twenty-five delegations, ten commits. It counts what our hooks cost the one who works: interruptions, and requests to the
//! model that would not have been made without them. The counts are printed, and stand in README.md.
//!
//! - `worker`: the model's part: it follows a plan, and does what a refusal or a held stop asks for

mod worker;

use crate::judging::approved;
use crate::registered::{installed, journal};
use crate::requirements_check::{HOOKS, client};
use crate::typing::{SOON, ready};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;
use tests::messages_api::{MessagesApi, Recorded};
use tests::sandbox::{Level, Sandbox};
use worker::{Plan, Worker};

/// What the installer ticks.
const DEFAULT: [&str; 4] = ["credit-pacer", "rate-awareness", "requirements-check", "pause-recorder"];

const ALL: [&str; 8] = [
    "credit-pacer",
    "rate-awareness",
    "requirements-check",
    "pause-recorder",
    "delegation-guard",
    "stop-momentum",
    "intent-validator",
    "tempo-stop",
];

/// What a team's first file asks for.
const TEAM: &str =
    "requirements:\n  commit_plan: { enabled: true, message: Say in which commits the work will land. }\n";

const EVERYTHING: &str = "judge: {backend: messages_api}
delegation-guard: {enabled: true}
stop-momentum: {enabled: true}
intent-validator: {enabled: true}
tempo-stop: {enabled: true}
";

const README: &str = include_str!("../../README.md");

const SESSIONS: usize = 4;

/// One whole turn.
const TURN: Duration = Duration::from_secs(240);

/// What came of a day.
#[derive(Debug, Default)]
struct Tally {
    /// Refusals, held stops, questions and delays, by hook and rule.
    interruptions: BTreeMap<String, usize>,
    /// Lines of advice to the model and notices to the user, by hook.
    said: BTreeMap<String, usize>,
    /// Requests of the main loop that the plan does not have.
    extra_requests: usize,
    /// Requests to judges.
    judged: usize,
    calls: usize,
    edits: usize,
    delegations: usize,
    commits: usize,
    prompts: usize,
}

impl Tally {
    fn interrupted(&self) -> usize {
        self.interruptions.values().sum()
    }

    /// The lines README has.
    fn lines(&self, name: &str) -> String {
        let mut text = format!(
            "{name}: {} prompts, {} calls, {} edits, {} delegations, {} commits: {} interruptions, {} extra requests, {} questions to a judge\n",
            self.prompts,
            self.calls,
            self.edits,
            self.delegations,
            self.commits,
            self.interrupted(),
            self.extra_requests,
            self.judged
        );
        for (who, count) in &self.interruptions {
            let _ = writeln!(text, "  {count:3} x {who}");
        }
        for (who, count) in &self.said {
            let _ = writeln!(text, "  {count:3} x said by {who}");
        }
        text
    }
}

fn day(hooks: &[&str], global: &str) -> (Sandbox, Tally) {
    let sandbox = installed(hooks, HOOKS, global);
    sandbox.requirements(Level::Project, TEAM);
    for session in 0..SESSIONS {
        sandbox.write(worker::file(session), "VALUE = 0\n");
    }
    sandbox.commit("the project");
    let mut tally = Tally::default();
    let plans: Vec<Plan> = (0..SESSIONS).map(Plan::of).collect();
    // Side by side, as on a busy day; one after the other they take four times as long.
    let worked = std::thread::scope(|scope| {
        let begun: Vec<_> = plans.iter().map(|plan| scope.spawn(|| work(&sandbox, plan))).collect();
        begun.into_iter().map(|session| session.join().expect("a session")).collect::<Vec<_>>()
    });
    for (plan, api) in plans.iter().zip(&worked) {
        add(&mut tally, plan, api);
    }
    for line in journal(&sandbox).lines() {
        count(&mut tally, &serde_json::from_str(line).unwrap());
    }
    (sandbox, tally)
}

/// One session in the terminal, prompt by prompt.
fn work(sandbox: &Sandbox, plan: &Plan) -> MessagesApi {
    let worker = Worker::new(sandbox, plan.clone());
    let api = MessagesApi::start(worker.script().judge(approved()));
    let mut terminal = ready(client(sandbox, &api));
    for (number, prompt) in plan.prompts.iter().enumerate() {
        terminal.enter(&plan.words(number));
        terminal.wait_for_within(&prompt.end, TURN);
        // The input line is back when the turn's last hook has ended.
        terminal.wait_until("the end of the turn", SOON, |screen| !screen.contains("esc to interrupt"));
    }
    assert!(terminal.quit().success());
    api
}

fn add(tally: &mut Tally, plan: &Plan, api: &MessagesApi) {
    let requests = api.main_requests();
    tally.extra_requests += requests.len() - plan.requests();
    tally.judged += api.judge_requests().len();
    let last = requests.last().expect("the model was asked");
    let ran = last.tool_results().into_iter().filter(|result| !result.is_error).count();
    tally.calls += ran;
    tally.edits += plan.edits();
    tally.delegations += plan.delegations();
    tally.commits += plan.commits();
    tally.prompts += plan.prompts.len();
    assert_eq!(repeated(last), Vec::<String>::new(), "a text that came twice for one call");
    for (number, prompt) in plan.prompts.iter().enumerate().filter(|(_, prompt)| prompt.moves.is_empty()) {
        let asked = requests.iter().filter(|request| worker::newest_prompt(request) == Some(number)).count();
        assert_eq!(asked, 1, "a message followed an answer without tools: {}", prompt.end);
    }
}

/// Texts of ours that stand twice between two messages of the model.
fn repeated(request: &Recorded) -> Vec<String> {
    let mut repeated = Vec::new();
    let mut seen = BTreeSet::new();
    for shown in request.texts() {
        if shown.role == "assistant" {
            seen.clear();
            continue;
        }
        let paragraphs =
            shown.text.split('\n').filter(|line| ALL.iter().any(|name| line.contains(&format!("{name}: "))));
        for line in paragraphs {
            let line = line.rsplit_once("additional context: ").map_or(line, |(_, text)| text);
            if !seen.insert(line.to_owned()) {
                repeated.push(line.to_owned());
            }
        }
    }
    repeated
}

fn count(tally: &mut Tally, line: &Value) {
    let (hook, what) = (line["hook"].as_str().unwrap_or_default(), line["what"].as_str().unwrap_or_default());
    match what {
        "deny" | "block" | "ask" | "sleep" => {
            let rule = line["rule"].as_str().unwrap_or(hook);
            *tally.interruptions.entry(format!("{hook}: {what} ({rule})")).or_default() += 1;
        }
        "advise" | "problem" | "error" => {
            *tally.said.entry(format!("{hook}: {what}")).or_default() += 1;
        }
        _ => {}
    }
}

#[test]
fn with_the_default_set_a_day_is_interrupted_at_most_six_times() {
    let (sandbox, tally) = day(&DEFAULT, "");
    println!("{}", tally.lines("the default set"));
    assert_eq!((tally.prompts, tally.edits, tally.delegations, tally.commits), (40, 120, 25, 10));
    assert!(tally.calls >= 600, "{tally:?}");
    assert!(tally.interrupted() <= 6, "{}\n{}", tally.lines("the default set"), journal(&sandbox));
    assert!(
        README.contains(&format!("is interrupted {} times", tally.interrupted())),
        "README.md says otherwise"
    );
    assert_eq!(tally.judged, 0);
}

#[test]
fn with_all_eight_every_interruption_and_extra_request_is_counted() {
    let (_sandbox, tally) = day(&ALL, EVERYTHING);
    println!("{}", tally.lines("all eight"));
    assert_eq!((tally.prompts, tally.edits, tally.delegations, tally.commits), (40, 120, 25, 10));
    assert!(tally.calls >= 600, "{tally:?}");
    let is_about = |told: &str, count: usize| {
        let (_, number) = README.split_once(told).expect("README.md tells it");
        let number: usize = number.split(' ').next().and_then(|word| word.parse().ok()).expect("a number");
        count.abs_diff(number) <= number / 5
    };
    assert!(is_about("With all eight switched on it is about ", tally.interrupted()), "{tally:?}");
    assert!(is_about("which costs about ", tally.extra_requests), "{tally:?}");
    assert!(is_about("more requests to the model, and ", tally.judged), "{tally:?}");
}
