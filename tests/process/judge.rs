//! Asking a model, whole: the questions of both hooks, through the real courier, against a server on loopback that plays the
//! Messages API. The rules have their tables in the crate `judge`; each hook's own questions are tested with the hook.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;
use tests::binaries;
use tests::process::{Invocation, Outcome, Running};
use tests::sandbox::Level;

use crate::driver::{denial, documented, notice};
use crate::judge_api::{self, JudgeApi};
use crate::judged::{HOOKS, Judged, KEY, PATIENT, approval, approves, assert_goes_on, global, told};

#[test]
fn a_question_is_one_request_with_the_key_in_one_header() {
    for hook in HOOKS {
        let judged = Judged::new(hook, "", PATIENT, [approves()]);
        assert_goes_on(judged.ask(&judged.question(1)).as_ref());
        let [request] = &judged.api.requests()[..] else { panic!("{}", judged.journal()) };
        assert_eq!(request.line, "POST /v1/messages HTTP/1.1");
        for (name, expected) in [("x-api-key", KEY), ("anthropic-version", "2023-06-01")] {
            assert_eq!(request.headers.get(name).map(String::as_str), Some(expected), "{name}");
        }
        let is_once = request.text.matches(KEY).count() == 1;
        assert!(is_once && !request.headers.contains_key("authorization"), "{request:?}");
        assert_eq!(request.body["max_tokens"], 4000);
        assert!(request.body["output_config"]["format"]["schema"].is_object(), "{request:?}");
    }
}

#[test]
fn a_proxy_of_the_users_carries_the_question_and_does_not_see_the_key() {
    let judged = Judged::new("intent-validator", "", PATIENT, [judge_api::empty()]);
    // A name that no resolver is asked for: the proxy is to connect to it.
    let program = judged.hook().env("ANTHROPIC_BASE_URL", "https://api.example.invalid/");
    let program = program.env("HTTPS_PROXY", judged.api.url());
    assert_goes_on(documented(&program.stdin(judged.question(1).to_bytes()).run()).as_ref());
    assert!(!judged.api.requests().is_empty(), "{}", judged.journal());
    for asked in judged.api.requests() {
        assert_eq!(asked.line, "CONNECT api.example.invalid:443 HTTP/1.1");
        assert!(!asked.text.contains(KEY), "{asked:?}");
    }
}

#[test]
fn a_call_that_delegation_guard_denies_costs_no_question() {
    let global =
        format!("{}delegation-guard: {{ enabled: true }}\n", global("intent-validator", "", PATIENT));
    let judged = Judged::with_global("intent-validator", &global, [approves()]);
    let question = judged.question(1);
    let guard = Invocation::new(binaries::path("delegation-guard"), &judged.sandbox);
    let guard = guard.env("CLAUDE_CODE_ENTRYPOINT", "cli").stdin(question.to_bytes());
    let refused = documented(&guard.run());
    assert!(denial(refused.as_ref()).is_some(), "{refused:?}");
    assert_eq!(judged.ask(&question), None);
    assert!(judged.api.requests().is_empty());
    let another = question.with("tool_use_id", "toolu_again");
    assert!(judged.ask(&another).is_some(), "another call is another question");
}

#[test]
fn a_killed_question_stays_counted() {
    let judge = format!("max_calls_per_hour: 3, {PATIENT}");
    let judged = Judged::new("intent-validator", "", &judge, [judge_api::hangs()]);
    let start = |number| {
        let question = judged.question_of(&judged.another(number), number);
        judged.hook().stdin(question.to_bytes()).start()
    };
    let mut copies: Vec<Running> = (0..3).map(start).collect();
    let until = Instant::now() + Duration::from_secs(30);
    while judged.api.requests().len() < 3 {
        assert!(Instant::now() < until, "{}", judged.journal());
        std::thread::yield_now();
    }
    copies.iter_mut().for_each(Running::kill);
    let answer = judged.ask(&judged.question(9));
    assert_eq!(told(&[answer], "questions an hour is reached"), 1, "{}", judged.journal());
    assert_eq!(judged.api.requests().len(), 3);
}

#[test]
fn a_project_neither_switches_a_hook_on_nor_chooses_a_way_to_a_model() {
    for hook in HOOKS {
        for level in [Level::Project, Level::Local] {
            for user in ["judge: { backend: messages_api }\n", &format!("{hook}: {{ enabled: true }}\n")] {
                let judged = Judged::with_global(hook, user, [approves()]);
                let claude = UsersClaude::new(&judged, "");
                for backend in ["messages_api", "claude_cli"] {
                    let judge = format!("backend: {backend}, claude_program: {}", claude.program.display());
                    judged.sandbox.requirements(level, &global(hook, "", &judge));
                    assert_goes_on(judged.ask(&judged.question(1)).as_ref());
                }
                assert!(judged.api.requests().is_empty() && !claude.was_asked(), "{hook} {user}");
                assert!(!judged.texts("problem").is_empty(), "{hook} {user}: {}", judged.journal());
            }
        }
    }
}

/// A script in place of the user's `claude`, which notes that it was asked.
struct UsersClaude {
    program: PathBuf,
}

impl UsersClaude {
    fn new(judged: &Judged, answer: &str) -> Self {
        let program = judged.sandbox.root().join("claude");
        crate::installer::write_script(&program, &format!("touch \"$0.asked\"\n{answer}"));
        Self { program }
    }

    fn was_asked(&self) -> bool {
        self.program.with_extension("asked").exists()
    }
}

/// Variables by which a project could lead a question elsewhere.
const VARIABLES: [&str; 3] = ["ANTHROPIC_BASE_URL", "HTTPS_PROXY", "LD_PRELOAD"];

#[test]
fn a_project_that_gives_the_hooks_their_environment_gets_no_question() {
    for hook in HOOKS {
        let theirs = JudgeApi::start([approves()]);
        let judged = Judged::new(hook, "", "", [approves()]);
        let claude = UsersClaude::new(&judged, "");
        let cli = format!("backend: claude_cli, claude_program: {}", claude.program.display());
        for (number, (judge, variable)) in
            ["", &cli].into_iter().flat_map(|judge| VARIABLES.map(|name| (judge, name))).enumerate()
        {
            judged.sandbox.requirements(Level::User, &global(hook, "", judge));
            let level = if number % 2 == 0 { Level::Project } else { Level::Local };
            let file = judged.sandbox.settings(level, &json!({ "env": { variable: theirs.url() } }));
            let session = judged.another(number);
            let answers = [1, 2].map(|round| {
                // A preloaded library would only break the hook itself.
                let is_set = variable != "LD_PRELOAD";
                let hook = judged.hook();
                let hook = if is_set { hook.env(variable, theirs.url()) } else { hook };
                documented(&hook.stdin(judged.question_of(&session, 10 * number + round).to_bytes()).run())
            });
            for answer in &answers {
                assert_goes_on(answer.as_ref());
            }
            assert_eq!(told(&answers, "settings.json"), 1, "{hook} {variable}: {answers:?}");
            std::fs::remove_file(file).unwrap();
        }
        assert!(theirs.requests().is_empty() && !claude.was_asked(), "{hook}");
        assert!(judged.api.requests().is_empty(), "{hook}");
        judged.sandbox.requirements(Level::User, &global(hook, "", PATIENT));
        judged.ask(&judged.question(99));
        assert_eq!(judged.api.requests().len(), 1, "{hook} asks without them: {}", judged.journal());
    }
}

/// The call goes on twice, the user reads the cause once, and the journal has it.
#[track_caller]
fn check(judged: &Judged, cause: &str, run: impl Fn(Vec<u8>) -> Outcome) {
    let first = documented(&run(judged.question(1).to_bytes()));
    assert_goes_on(first.as_ref());
    assert!(notice(first.as_ref()).contains(cause), "{cause}: {first:?}\n{}", judged.journal());
    let second = documented(&run(judged.question(2).to_bytes()));
    assert_goes_on(second.as_ref());
    assert_eq!(notice(second.as_ref()), "", "{cause} is reported again");
    let names_it = |text: &String| text.contains(cause);
    let texts = judged.texts("judge");
    // A question that never left this machine is a stop that was allowed.
    let named =
        texts.iter().all(names_it) && [&texts[..], &judged.texts("let-go")].concat().iter().any(names_it);
    assert!(named, "{cause}: {texts:?}");
}

#[test]
fn broken_server_allows_the_call_and_its_cause_is_reported_once() {
    let elsewhere = JudgeApi::start([approves()]);
    for hook in HOOKS {
        for (judge, manner, cause) in [
            (PATIENT, judge_api::refuses(529, &[]), "is overloaded"),
            (PATIENT, judge_api::leads_to(&elsewhere.url()), "cannot be reached"),
            (PATIENT, judge_api::huge(&approval()), "is no verdict"),
            ("deadline_secs: 1", judge_api::hangs_half_way(&approval()), "did not answer in time"),
        ] {
            let judged = Judged::new(hook, "", judge, [manner]);
            check(&judged, cause, |question| judged.hook().stdin(question).run());
        }
    }
    assert!(elsewhere.requests().is_empty(), "a redirect takes key and question nowhere");
}

#[test]
fn no_question_without_a_key_or_the_courier() {
    let judged = Judged::new("tempo-stop", "", "", [approves()]);
    let keyless = |question| judged.hook().unset("ANTHROPIC_API_KEY").stdin(question).run();
    check(&judged, "there is no ANTHROPIC_API_KEY", keyless);
    let judged = Judged::new("tempo-stop", "", "", [approves()]);
    let program = judged.sandbox.temporary_dir().join("tempo-stop");
    // A child copies: what this process holds open for writing, another test's fork could keep from being started.
    let copied = Command::new("cp").args([&binaries::path("tempo-stop"), &program]).status();
    assert!(copied.unwrap().success());
    let alone = |question: Vec<u8>| {
        let alone = Invocation::new(&program, &judged.sandbox).envs(judged.variables.clone());
        alone.env("CLAUDE_CODE_ENTRYPOINT", "cli").stdin(question).run()
    };
    check(&judged, "cannot be started", alone);
    assert!(judged.api.requests().is_empty());
}

#[test]
fn a_user_who_wants_to_be_asked_is_and_a_stop_goes_on_all_the_same() {
    let asking = |hook| Judged::new(hook, "", "on_judge_failure: ask", [judge_api::empty()]);
    let judged = asking("intent-validator");
    let answer = judged.ask(&judged.question(1)).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "ask", "{answer}");
    let judged = asking("tempo-stop");
    assert_goes_on(judged.ask(&judged.question(1)).as_ref());
}

#[test]
fn broken_claude_program_allows_the_call() {
    for (answer, seconds, cause) in
        [("sleep 3600 & wait", 1, "did not answer in time"), ("exec yes", 20, "is no verdict")]
    {
        let judged = Judged::new("intent-validator", "", "", [judge_api::empty()]);
        let claude = UsersClaude::new(&judged, answer);
        let judge = format!(
            "backend: claude_cli, claude_program: {}, deadline_secs: {seconds}",
            claude.program.display()
        );
        judged.sandbox.requirements(Level::User, &global("intent-validator", "", &judge));
        check(&judged, cause, |question| judged.hook().stdin(question).run());
        assert!(claude.was_asked() && judged.api.requests().is_empty(), "{cause}");
    }
}
