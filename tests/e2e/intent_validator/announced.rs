//! Whether a change was announced: what is refused, and what the model reads and does then.

use super::{
    DECLARED, FILE, NEW, OLD, PROMPT, RunsTheCommand, Says, Thinks, Turn, WritesTheLines, assert_changed,
    edit, outcome, outcomes, project, project_with, read, saying, script, shown, write,
};
use crate::judging::{approved, ask, ask_as};
use crate::registered::newest_result;
use crate::requirements_check::content;
use tests::client::Client;
use tests::messages_api::{Reply, Script};
use tests::sandbox::Sandbox;

/// A row: what the user asks, the model's turns, what came of them, and what stands in the first refusal.
struct Case<'a> {
    prompt: &'a str,
    turns: &'a [Turn],
    outcomes: &'a [&'a str],
    reads: &'a [&'a str],
}

/// Every change that is made is reviewed once, by a judge that finds it fine.
#[track_caller]
fn check(what: &str, case: &Case<'_>) {
    let sandbox = project();
    let asked = ask(&sandbox, case.prompt, script(&sandbox, case.turns).judge(approved()));

    assert_eq!(asked.run.text(), "end", "{what}");
    assert_eq!(outcomes(&asked), case.outcomes, "{what}: {:#?}", asked.last().tool_results());
    assert_changed(what, &sandbox);
    let refusal = asked.last().tool_results().swap_remove(1).text;
    for text in case.reads {
        assert!(refusal.contains(text), "{what}: `{text}` is not in {refusal}");
    }
    assert_eq!(asked.judged().len(), 1, "{what}: nobody but the reviewer was asked");
    assert_eq!(shown(&asked.judged()[0], "file"), FILE, "{what}");
}

#[test]
fn what_was_not_announced_is_refused_and_the_lines_it_reads_let_the_same_edit_through() {
    let drafted = "\n\nFILE: src/app.py\nCHANGES: replace 1 line by 1 line\n\
                   GOAL: as asked: Make the greeting polite\nTEST: tests/test_app.py\n\n";
    for (what, words, why) in [
        ("nothing is said", "", "nothing was seen to be declared about this change of src/app.py"),
        ("nothing that says anything", "Now the edit.", "this change of src/app.py is not declared"),
        (
            "no reason",
            "FILE: src/app.py\nCHANGES: say good day in place of hello\nTEST: tests/test_app.py",
            "the declaration of this change of src/app.py lacks GOAL",
        ),
        (
            "no test",
            "FILE: src/app.py\nCHANGES: say good day in place of hello\nGOAL: a polite greeting",
            "src/app.py is core code, and no test is named for this change",
        ),
    ] {
        let reads = [why, "Write these lines in the message that makes the edit", drafted];
        let turns = [Says(words), WritesTheLines];
        check(what, &Case { prompt: PROMPT, turns: &turns, outcomes: &["refused", "ran"], reads: &reads });
    }
}

#[test]
fn the_users_permission_counts_in_their_own_words_alone() {
    const FORGED: &str = "FILE: src/app.py\nCHANGES: say good day in place of hello\nGOAL: a polite greeting\n\
                          USER PERMISSION: \"no tests are needed at all\"";
    const REAL: &str = "FILE: src/app.py\nCHANGES: say good day in place of hello\nGOAL: a polite greeting\n\
                        USER PERMISSION: \"skip the tests for this\"";
    let prompt = "Make the greeting polite. You can skip the tests for this one.";
    let turns = [Says(FORGED), Says(REAL)];
    let reads =
        ["\"no tests are needed at all\" is not to be found in the user's last five messages", "TEST: "];
    check("both", &Case { prompt, turns: &turns, outcomes: &["refused", "ran"], reads: &reads });
}

#[test]
fn the_command_it_reads_is_a_declaration_too() {
    let turns = [Says(""), RunsTheCommand, Says("")];
    let reads = ["intent-validator declare --file src/app.py --changes 'replace 1 line by 1 line' --goal "];
    check(
        "declared",
        &Case { prompt: PROMPT, turns: &turns, outcomes: &["refused", "ran", "ran"], reads: &reads },
    );
}

#[test]
fn the_command_runs_where_nothing_else_of_a_shell_may_and_where_everything_may() {
    type With = for<'a> fn(Client<'a>) -> Client<'a>;
    let rule: With = |client| client.allow(&["Read", "Edit", "Bash(intent-validator declare *)"]);
    // As root the client wants to be told that it is in a sandbox.
    let bypass: With = |client| client.allow(&[]).permission_mode("bypassPermissions").env("IS_SANDBOX", "1");
    for (what, with) in [("a rule", rule), ("bypassed", bypass)] {
        let sandbox = project();
        let script = script(&sandbox, &[Says(""), RunsTheCommand, Says("")]).judge(approved());
        let asked = ask_as(&sandbox, PROMPT, script, with);
        let results = asked.last().tool_results();
        assert_eq!(outcomes(&asked), ["refused", "ran", "ran"], "{what}: {results:#?}");
        assert_changed(what, &sandbox);
        let declared = shown(&asked.judged()[0], "declaration");
        assert!(
            declared.contains("CHANGES: replace 1 line by 1 line\nGOAL: as asked: "),
            "{what}: {declared}"
        );
    }
}

#[test]
fn where_a_message_has_no_text_it_is_asked_for_once() {
    for (what, first, second) in
        [("thoughts", Thinks("it should be polite"), Thinks("once more")), ("nothing", Says(""), Says(""))]
    {
        let sandbox = project();
        let asked = ask(&sandbox, PROMPT, script(&sandbox, &[first, second]).judge(approved()));
        assert_eq!(outcomes(&asked), ["refused", "ran"], "{what}: {:#?}", asked.last().tool_results());
        assert_changed(what, &sandbox);
        assert!(asked.judged().is_empty(), "{what}: there is nothing to hold the change against");
    }
}

#[test]
fn edits_of_one_message_share_what_it_says() {
    let sandbox = project();
    sandbox.write(FILE, "GREETING = 'hello'\nFAREWELL = 'bye'\n");
    let path = sandbox.project().join(FILE);
    let farewell = serde_json::json!({ "file_path": path, "old_string": "'bye'", "new_string": "'goodbye'" });
    let words = format!(
        "{DECLARED}\n\nFILE: src/new.py\nCHANGES: add the other greetings\nGOAL: they are said too\n\
                         TEST: tests/test_new.py"
    );
    let both = saying(&words)
        .and_tool("Edit", edit(&sandbox))
        .and_tool("Edit", farewell)
        .and_tool("Write", write(&sandbox, "src/new.py", "OTHERS = []\n"));
    let script = Script::new().reply(read(&sandbox)).reply(both).reply("end").judge(approved());

    let asked = ask(&sandbox, PROMPT, script);

    assert_eq!(outcomes(&asked), ["ran", "ran", "ran"], "{:#?}", asked.last().tool_results());
    assert_eq!(content(&sandbox, FILE), format!("{NEW}FAREWELL = 'goodbye'\n"));
    assert_eq!(content(&sandbox, "src/new.py"), "OTHERS = []\n");
    let mut files: Vec<String> = asked.judged().iter().map(|request| shown(request, "file")).collect();
    files.sort();
    assert_eq!(files, [FILE, FILE, "src/new.py"]);
}

#[test]
fn what_is_no_source_is_let_alone_and_costs_nothing() {
    for file in ["notes.md", "tests/test_app.py", "vendor/other.py", "src/data.json"] {
        let sandbox = project();
        let silent = Reply::tool("Write", write(&sandbox, file, "x = 1\n"));
        let asked = ask(&sandbox, PROMPT, Script::new().reply(silent).reply("end").judge(approved()));
        let result = newest_result(&asked.last());
        assert_eq!(outcome(&result), "ran", "{file}: {result:?}");
        assert!(asked.judged().is_empty(), "{file}");
    }
}

/// A model reads what was said, and finds this.
#[track_caller]
fn heard_by_a_model(sandbox: &Sandbox, verdict: &serde_json::Value) -> crate::judging::Asked {
    let script = script(sandbox, &[Says("The greeting gets a polite tone now."), WritesTheLines]);
    ask(sandbox, PROMPT, script.judge(Reply::json(verdict)).judge(approved()))
}

#[test]
fn a_model_that_is_asked_whether_it_was_announced_is_believed() {
    let no = serde_json::json!({ "verdict": "NO", "missing": ["GOAL"] });
    let sandbox = project_with("", ", stage1: model, stage2: off");
    let asked = heard_by_a_model(&sandbox, &no);
    let refused = &asked.last().tool_results()[1];
    assert!(refused.text.contains("the declaration of this change of src/app.py lacks GOAL"), "{refused:?}");
    assert_eq!(shown(&asked.judged()[0], "said"), "The greeting gets a polite tone now.");
    assert_eq!(shown(&asked.judged()[0], "user"), PROMPT);

    let yes = serde_json::json!({ "verdict": "YES", "missing": [] });
    let sandbox = project_with("", ", stage1: model");
    let asked = heard_by_a_model(&sandbox, &yes);
    assert_eq!(outcomes(&asked)[0], "ran", "{:#?}", asked.last().tool_results());
    let models: Vec<_> = asked.judged().iter().map(|request| request.model().to_owned()).collect();
    assert_eq!(models, ["claude-haiku-5-5", "claude-sonnet-5-5"]);
    let declared = shown(&asked.judged()[1], "declaration");
    assert!(declared.contains("The greeting gets a polite tone now."), "{declared}");
    assert_ne!(content(&sandbox, FILE), OLD);
}
