//! Reviews under the real client, by a model through the Messages API and by the user's own `claude -p`: what they find is
//! read, and a judge that gives no verdict holds nothing up.

use crate::intent_validator::{DECLARED, FILE, NEW, OLD, PROMPT, claude_of, edit, with_code};
use crate::scene::{Scene, Session, json_lines_in, names};
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};
use tests::client::executable;
use tests::messages_api::{Reply, Script};
use tests::sandbox::Level;
use tests::script;

/// The line of a global file that chooses the Messages API.
pub(crate) const API: &str = "judge: {backend: messages_api}\n";

/// The line that chooses `claude -p`.
pub(crate) const CLI: &str = "judge: {backend: claude_cli}\n";

/// Two questions that nobody answers end by their deadlines of five seconds; a client takes the rest, on a machine busy with
/// something else.
const UNTIL_THE_END: Duration = Duration::from_secs(40);

/// The outcome of a question that is answered too late.
const IN_TIME: &str = "the model did not answer in time";

/// A project whose user has these hooks, and a `claude` on the search path.
pub(crate) fn project(hooks: &[&str], global: &str) -> Scene {
    let scene = with_code(Scene::with(hooks, global));
    symlink(executable(), claude_of(&scene)).unwrap();
    scene
}

/// What a model says of a change or of a turn that is fine.
pub(crate) fn approved() -> Reply {
    Reply::json(&json!({ "verdict": "APPROVED", "findings": [], "feedback": "" }))
}

/// The edit and another one that takes it back, both declared.
pub(crate) fn two_edits(scene: &Scene) -> Script {
    let words = "FILE: src/app.py\nCHANGES: say hello again\nGOAL: as it was\nTEST: tests/test_app.py";
    let back = Reply::text(words).also(scene.edit(FILE, NEW, OLD));
    script![scene.read(FILE), edit(scene, DECLARED), back, "end"]
}

/// Both edits were made, the user has heard once why nobody judged them, and nothing is left of the judges.
#[track_caller]
pub(crate) fn assert_went_on(scene: &Scene, session: &Session, why: &str) {
    assert_eq!(session.outcomes(), ["ran"; 3], "{why}: {:#?}", session.results());
    assert_eq!(scene.content(FILE), OLD, "{why}: changed and changed back");
    // On a machine busy with something else an answer may come too late as well.
    let questions = scene.journal_texts("judge");
    let expected = [why, IN_TIME].map(|why| format!("review: {why}"));
    assert!(questions.contains(&expected[0]), "{why}: {questions:?}");
    assert!(questions.iter().all(|text| expected.contains(text)), "{why}: {questions:?}");
    let told = scene.shown_to_user(session, "intent-validator");
    assert_eq!(told.len(), 1, "{told:?}");
    let is_told = |why| told[0].contains(&format!("gave no verdict: {why}; changes go on unreviewed"));
    assert!(is_told(why) || is_told(IN_TIME), "{told:?}");
    assert!(!session.last().shows("verdict"), "{why}: nothing for the model");
    assert_nothing_is_left(scene, session);
}

/// Of judges: no nonce and no session; of the session itself no more than its transcript.
#[track_caller]
pub(crate) fn assert_nothing_is_left(scene: &Scene, session: &Session) {
    let home = scene.sandbox.home();
    for folder in [scene.state("nonce"), scene.state("judge-cwd"), home.join(".claude/sessions")] {
        assert_eq!(names(&folder), [""; 0], "{}", folder.display());
    }
    let transcript = scene.sandbox.transcript(session.run.session_id()).expect("the session's transcript");
    assert_eq!(names(&home.join(".claude/projects")).len(), 1);
    assert_eq!(json_lines_in(transcript.parent().unwrap()).len(), 1);
}

#[test]
fn finding_names_line_and_fix_and_the_mended_change_passes() {
    for backend in [API, CLI] {
        let scene =
            project(&["intent-validator"], &format!("{backend}intent-validator: {{enabled: true}}\n"));
        let finding = json!({
            "rule": "magic-numbers", "line": 2, "why": "86400 says nothing.", "fix": "Name it SECONDS_PER_DAY.",
        });
        let blocked = Reply::json(&json!({ "verdict": "BLOCKED", "findings": [finding] }));
        let words = "FILE: src/timer.py\nCHANGES: add the time to live\nGOAL: old entries go\nTEST: tests/test_timer.py";
        let written = |code: &str| Reply::text(words).also(scene.write("src/timer.py", code));
        let mended = "SECONDS_PER_DAY = 86400\nTTL = SECONDS_PER_DAY\n";
        let script = script![written("# how long\nTTL = 86400\n"), written(mended), "end"];

        let session = scene.ask("Add the timer", script.judge(blocked).judge(approved()));

        assert_eq!(session.outcomes(), ["denied", "ran"], "{:#?}", session.results());
        let found = "found fault with it.\n- line 2, magic-numbers: 86400 says nothing. Fix: Name it SECONDS_PER_DAY.\n";
        assert!(session.results()[0].text.contains(found), "{}", session.results()[0].text);
        assert_eq!(scene.content("src/timer.py"), mended);
        assert_eq!(scene.journal_texts("judge"), ["review: answered"; 2]);
        let judged = session.judged();
        assert_eq!((judged.len(), judged[0].model()), (2, "claude-sonnet-5-5"));
        for (name, text) in [
            ("file", "src/timer.py"),
            ("declaration", "GOAL: old entries go"),
            ("diff", "+TTL = 86400"),
            ("conversation", r#"{"by":"user","text":"Add the timer"#),
            ("conversation", r#"{"by":"agent","text":"FILE: src/timer.py"#),
        ] {
            let part = judged[0].part(name);
            assert!(part.contains(text), "{name}: `{text}` is not in {part}");
        }
        assert_eq!(scene.shown_to_user(&session, "intent-validator"), [""; 0]);
        assert_nothing_is_left(&scene, &session);
    }
}

#[test]
fn broken_judge_allows_the_change_and_notifies_once() {
    let nonsense = "the model's answer is no verdict";
    for (backend, judge, why) in [
        (API, Reply::error(401, "authentication_error"), "the key or the login is refused"),
        (API, Reply::error(529, "overloaded_error"), "the model is overloaded, or its server fails"),
        (API, Reply::text("Looks good to me."), nonsense),
        (API, Reply::json(&json!({ "verdict": "MAYBE" })), nonsense),
        (API, Reply::hanging(), IN_TIME),
        (CLI, Reply::hanging(), IN_TIME),
        (CLI, Reply::error(529, "overloaded_error"), "the model is overloaded, or its server fails"),
    ] {
        let is_late = why == IN_TIME;
        let judge_section =
            if is_late { backend.replace('}', ", deadline_secs: 5}") } else { backend.to_owned() };
        let global = format!("{judge_section}intent-validator: {{enabled: true}}\n");
        let scene = project(&["intent-validator"], &global);
        let began = Instant::now();
        let session = scene.ask(PROMPT, two_edits(&scene).judge(judge));
        assert!(!is_late || began.elapsed() < UNTIL_THE_END, "{why}: {:?}", began.elapsed());
        assert_went_on(&scene, &session, why);
    }
}

#[test]
fn the_installer_puts_the_courier_beside_both_hooks_and_both_ask() {
    let line = "hooks install --hooks intent-validator,tempo-stop --judge messages_api --yes";
    let scene = with_code(Scene::installed(line));
    assert!(scene.sandbox.home().join(".claude/hooks/courier").is_file());
    let global = fs::read_to_string(scene.sandbox.requirements_path(Level::User)).unwrap();
    scene
        .sandbox
        .requirements(Level::User, &global.replace("tempo-stop:\n", "tempo-stop:\n  headless: true\n"));

    let session =
        scene.ask(PROMPT, script![scene.read(FILE), edit(&scene, DECLARED), "end"].judge(approved()));

    assert_eq!((session.text(), scene.content(FILE).as_str()), ("end", NEW));
    let models: Vec<_> = session.judged().iter().map(|request| request.model().to_owned()).collect();
    assert_eq!(models, ["claude-sonnet-5-5", "claude-haiku-5-5"], "{global}");
}
