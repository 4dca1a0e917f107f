//! intent-validator under the real client: which edits are denied, and that what the model reads is enough as it stands.

use crate::judging::{API, approved};
use crate::scene::{Scene, Session, between};
use std::path::PathBuf;
use tests::client::Client;
use tests::messages_api::{Answer, Recorded, Reply, Script};
use tests::script;

/// What every model edits: core code.
pub(crate) const FILE: &str = "src/app.py";
pub(crate) const OLD: &str = "GREETING = 'hello'\n";
pub(crate) const NEW: &str = "GREETING = 'good day'\n";

/// What the user asks for.
pub(crate) const PROMPT: &str = "Make the greeting polite. You can skip the tests for this one.";

/// A declaration of the edit as it should be.
pub(crate) const DECLARED: &str = "FILE: src/app.py\nCHANGES: say good day in place of hello\nGOAL: a polite greeting\n\
                        TEST: tests/test_app.py - test_greeting";

const OTHER: &str =
    "FILE: src/new.py\nCHANGES: add the other greetings\nGOAL: they are said too\nTEST: tests/test_new.py";

/// A project whose user has the hook on, with a judge on the API.
fn project() -> Scene {
    with_code(Scene::with(&["intent-validator"], &format!("{API}intent-validator: {{enabled: true}}\n")))
}

/// With the code in it that every model edits.
pub(crate) fn with_code(scene: Scene) -> Scene {
    scene.committed(FILE, OLD)
}

/// The edit every model makes, in a message with these words.
pub(crate) fn edit(scene: &Scene, words: &str) -> Reply {
    Reply::text(words).also(scene.edit(FILE, OLD, NEW))
}

/// A model that uses the newest denial.
fn with_denial(answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Answer {
    Answer::made_by(move |request: &Recorded| {
        let mut texts = request.tool_results().into_iter().map(|result| result.text);
        answer(&texts.rfind(|text| text.contains("intent-validator: ")).unwrap_or_default())
    })
}

/// The form that the newest denial shows, filled in, and the edit.
fn form(scene: &Scene) -> Answer {
    let edit = edit(scene, "");
    with_denial(move |denial| {
        let form = between(denial, ":\n\n", "\n\n").unwrap_or_default();
        Reply::text(&filled_in(form)).also(edit.clone())
    })
}

/// The command that it names, filled in.
fn command() -> Answer {
    with_denial(|denial| {
        Reply::bash(&filled_in(
            between(denial, "run this first, filled in and alone on a line: ", "\n").unwrap_or_default(),
        ))
    })
}

fn filled_in(form: &str) -> String {
    let form = form.replace("<what you change>", "say good day in place of hello");
    form.replace("<why you change it>", "a polite greeting")
        .replace("<test file or test>", "tests/test_app.py")
}

/// The outcome of every call but the reading, after a review of each change that was made.
#[track_caller]
fn assert_outcomes(what: &str, session: &Session, outcomes: &[&str]) {
    assert_eq!(session.outcomes()[1..], *outcomes, "{what}: {:#?}", session.results());
    let models: Vec<_> = session.judged().iter().map(|request| request.model().to_owned()).collect();
    assert!(
        models.iter().all(|model| model == "claude-sonnet-5-5"),
        "{what}: only the reviewer is asked: {models:?}"
    );
}

#[test]
fn an_edit_without_the_form_is_denied_and_the_form_filled_in_lets_it_through() {
    let shown = "\n\nFILE: src/app.py\nCHANGES: <what you change>\nGOAL: <why you change it>\nTEST: <test file or test>\n\n";
    let changes = "FILE: src/app.py\nCHANGES: say good day in place of hello\n";
    let quoting =
        |words: &str| format!("{changes}GOAL: a polite greeting\nTEST: none, the user said: \"{words}\"");
    for (words, reads) in [
        ("", ["src/app.py: this change is not declared", shown]),
        (&format!("{changes}TEST: tests/test_app.py"), ["GOAL is missing", shown]),
        (
            &format!("{changes}GOAL: a polite greeting"),
            ["TEST names no test file", "in the message that makes the edit"],
        ),
        (
            &quoting("skip the tests"),
            ["do not contain \"skip the tests\" as a sentence of its own", "TEST: "],
        ),
    ] {
        let scene = project();
        let script = script![scene.read(FILE), edit(&scene, words), form(&scene), "end"];
        let session = scene.ask(PROMPT, script.judge(approved()));
        assert_outcomes(words, &session, &["denied", "ran"]);
        let denial = &session.results()[1].text;
        assert!(reads.iter().all(|text| denial.contains(text)), "{reads:?}: {denial}");
        assert_eq!((scene.content(FILE).as_str(), session.judged().len()), (NEW, 1), "{words}");
    }
    let scene = project();
    let real = edit(&scene, &quoting("You can skip the tests for this one."));
    let session = scene.ask(PROMPT, script![scene.read(FILE), real, "end"].judge(approved()));
    assert_outcomes("the user's own sentence", &session, &["ran"]);
}

#[test]
fn the_command_it_reads_is_a_declaration_also_where_nothing_else_of_a_shell_may_run() {
    type With = for<'a> fn(Client<'a>) -> Client<'a>;
    let rule: With = |client| client.allow("Read,Edit,Bash(intent-validator declare *)");
    // As root the client wants to be told that it is in a sandbox.
    let bypass: With = |client| client.allow("").permission_mode("bypassPermissions").env("IS_SANDBOX", "1");
    for (what, with) in [("a rule", rule), ("bypassed", bypass)] {
        let scene = project();
        let script = script![scene.read(FILE), edit(&scene, ""), command(), edit(&scene, ""), "end"];
        let session = scene.ask_as(PROMPT, script.judge(approved()), with);
        assert_outcomes(what, &session, &["denied", "ran", "ran"]);
        assert_eq!(scene.content(FILE), NEW);
        let declared = session.judged()[0].part("declaration");
        assert!(declared.contains("CHANGES: say good day in place of hello\n"), "{what}: {declared}");
    }
}

#[test]
fn message_without_text_is_denied_twice_and_then_reviewed() {
    for words in [Reply::thinking("it should be polite"), Reply::default()] {
        let scene = project();
        let wordless = || words.clone().also(edit(&scene, ""));
        let script = script![scene.read(FILE), wordless(), wordless(), wordless(), "end"];
        let session = scene.ask(PROMPT, script.judge(approved()));
        assert_outcomes("wordless", &session, &["denied", "denied", "ran"]);
        assert_eq!((session.judged().len(), session.judged()[0].part("declaration")), (1, String::new()));
    }
}

#[test]
fn a_numbered_plan_declares_the_edits_of_the_messages_that_follow() {
    let scene = project();
    let plan = "Two steps:\n\n1. **FILE:** `src/app.py`\n   **CHANGES:** say good day in place of hello\n   **GOAL:** a polite greeting\n   \
                **TEST:** tests/test_app.py\n2. **FILE:** `src/new.py`\n   **CHANGES:** add the other greetings\n   **GOAL:** they are said too\n   \
                **TEST:** tests/test_new.py";
    let script =
        script![scene.read(FILE), edit(&scene, plan), scene.write("src/new.py", "OTHERS = []\n"), "end"];
    assert_outcomes("a plan", &scene.ask(PROMPT, script.judge(approved())), &["ran", "ran"]);
}

#[test]
fn edits_of_one_message_share_what_it_says() {
    let scene = project().committed(FILE, "GREETING = 'hello'\nFAREWELL = 'bye'\n");
    let both = edit(&scene, &format!("{DECLARED}\n\n{OTHER}"))
        .also(scene.edit(FILE, "'bye'", "'goodbye'"))
        .also(scene.write("src/new.py", "OTHERS = []\n"));

    let session = scene.ask(PROMPT, script![scene.read(FILE), both, "end"].judge(approved()));

    assert_outcomes("parallel", &session, &["ran", "ran", "ran"]);
    assert_eq!(scene.content(FILE), format!("{NEW}FAREWELL = 'goodbye'\n"));
    let mut files: Vec<String> = session.judged().iter().map(|request| request.part("file")).collect();
    files.sort();
    assert_eq!(files, [FILE, FILE, "src/new.py"]);
}

#[test]
fn declaration_of_the_main_session_does_not_count_for_a_subagent() {
    let scene = project();
    let handed_over = Reply::text(DECLARED).also(Reply::agent("sub"));
    let turns: [Answer; 4] = [scene.read(FILE).into(), edit(&scene, "").into(), form(&scene), "done".into()];

    let session = scene.ask(PROMPT, script![handed_over, "end"].agent("sub", turns).judge(approved()));

    let last = session.of_agent("sub").pop().unwrap();
    assert_eq!(last.outcomes(), ["ran", "denied", "ran"], "{last:?}");
    assert_eq!((scene.content(FILE).as_str(), session.judged().len()), (NEW, 1));
}

#[test]
fn after_a_typed_compaction_the_form_is_shown_again_and_passes_without_a_question() {
    let scene = project();
    let look = || Reply::bash("true");
    let declared = edit(&scene, DECLARED);
    let script: Script = script![
        look(),
        "the first turn is over",
        look(),
        "the second turn is over",
        scene.read(FILE),
        declared
    ];
    let mut user = scene.user(script.reply("the greeting is polite now").judge(approved()));
    for (typed, answer) in [
        ("look around", "the first turn is over"),
        ("look again", "the second turn is over"),
        ("/compact", "Compacted"),
        (PROMPT, "the greeting is polite now"),
    ] {
        user.asks(typed, answer);
    }
    assert!(user.last().shows("Summary:\nshort") && user.last().shows("CHANGES: <what you change>"));
    assert_eq!(scene.content(FILE), NEW);
    assert_eq!(user.judged().len(), 1, "the reviewer alone");
}

/// The path of `claude` as users have it on their search path.
pub(crate) fn claude_of(scene: &Scene) -> PathBuf {
    scene.sandbox.home().join(".local/bin/claude")
}
