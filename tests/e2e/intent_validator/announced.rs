//! Whether a change was announced: what is refused, and what the model reads and does then.

use super::{
    DECLARED, FILE, NEW, PROMPT, RunsTheCommand, Says, Thinks, Turn, WritesTheForm, assert_changed, edit,
    outcomes, project, read, saying, script, shown, write,
};
use crate::judging::{approved, ask, ask_as};
use crate::requirements_check::{client, content};
use crate::typing::{SOON, ready};
use tests::client::Client;
use tests::messages_api::{MessagesApi, Reply, Script, Usage};

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
fn an_edit_without_the_form_is_refused_and_the_form_filled_in_lets_it_through() {
    let form = "\n\nFILE: src/app.py\nCHANGES: <what you change>\nGOAL: <why you change it>\nTEST: <test file or test>\n\n";
    for (what, words, why) in [
        ("nothing is said", "", "src/app.py: this change is not declared"),
        (
            "no reason",
            "FILE: src/app.py\nCHANGES: say good day in place of hello\nTEST: tests/test_app.py",
            "GOAL is missing",
        ),
        (
            "no test",
            "FILE: src/app.py\nCHANGES: say good day in place of hello\nGOAL: a polite greeting",
            "TEST names no test file",
        ),
    ] {
        let reads = [why, "Write this form in the message that makes the edit", form];
        let turns = [Says(words), WritesTheForm];
        check(what, &Case { prompt: PROMPT, turns: &turns, outcomes: &["refused", "ran"], reads: &reads });
    }
}

#[test]
fn the_users_word_counts_in_a_sentence_of_theirs_alone() {
    const FORGED: &str = "FILE: src/app.py\nCHANGES: say good day in place of hello\nGOAL: a polite greeting\n\
                          TEST: none, the user said: \"skip the tests\"";
    const REAL: &str = "FILE: src/app.py\nCHANGES: say good day in place of hello\nGOAL: a polite greeting\n\
                        TEST: none, the user said: \"You can skip the tests for this one.\"";
    let prompt = "Make the greeting polite. You can skip the tests for this one.";
    let turns = [Says(FORGED), Says(REAL)];
    let reads = ["do not contain \"skip the tests\" as a sentence of its own", "TEST: "];
    check("both", &Case { prompt, turns: &turns, outcomes: &["refused", "ran"], reads: &reads });
}

#[test]
fn the_command_it_reads_is_a_declaration_too() {
    let turns = [Says(""), RunsTheCommand, Says("")];
    let reads = ["intent-validator declare --file src/app.py --changes '<what you change>' --goal "];
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
        assert!(declared.contains("CHANGES: say good day in place of hello\n"), "{what}: {declared}");
    }
}

#[test]
fn where_a_message_has_no_text_it_is_asked_for_twice_and_then_reviewed() {
    let thinks = [Thinks("it should be polite"), Thinks("once more"), Thinks("and again")];
    for (what, turns) in [("thoughts", thinks), ("nothing", [Says(""); 3])] {
        let sandbox = project();
        let asked = ask(&sandbox, PROMPT, script(&sandbox, &turns).judge(approved()));
        assert_eq!(
            outcomes(&asked),
            ["refused", "refused", "ran"],
            "{what}: {:#?}",
            asked.last().tool_results()
        );
        assert_changed(what, &sandbox);
        assert_eq!(shown(&asked.judged()[0], "declaration"), "", "{what}");
        assert_eq!(asked.judged().len(), 1, "{what}");
    }
}

#[test]
fn a_numbered_plan_declares_the_edits_of_the_messages_that_follow() {
    let sandbox = project();
    let plan = "Two steps:\n\n1. **FILE:** `src/app.py`\n   **CHANGES:** say good day in place of hello\n   **GOAL:** a polite greeting\n   \
                **TEST:** tests/test_app.py\n2. **FILE:** `src/new.py`\n   **CHANGES:** add the other greetings\n   **GOAL:** they are said too\n   \
                **TEST:** tests/test_new.py";
    let script = Script::new()
        .reply(read(&sandbox))
        .reply(saying(plan).and_tool("Edit", edit(&sandbox)))
        .reply(saying("").and_tool("Write", write(&sandbox, "src/new.py", "OTHERS = []\n")))
        .reply("end")
        .judge(approved());
    let asked = ask(&sandbox, PROMPT, script);
    assert_eq!(outcomes(&asked), ["ran", "ran"], "{:#?}", asked.last().tool_results());
    let models: Vec<_> = asked.judged().iter().map(|request| request.model().to_owned()).collect();
    assert_eq!(models, ["claude-sonnet-5-5"; 2], "nobody is asked whether they were declared");
}

/// In a window that Claude Code compacts at 167,000 tokens.
#[test]
fn after_a_compaction_the_form_is_shown_again_and_passes_without_a_question() {
    let sandbox = project();
    let full = |tokens| {
        let usage = Usage::default();
        Reply::bash("true").usage(Usage { cache_read: tokens - usage.input - usage.output, ..usage })
    };
    let script = Script::new()
        .reply(full(107_000))
        .reply(full(120_000))
        .reply(full(167_100))
        .reply(read(&sandbox))
        .reply(saying(DECLARED).and_tool("Edit", edit(&sandbox)))
        .reply("end")
        .when_shown("summary of the conversation", ["<analysis>a</analysis><summary>short</summary>"])
        .judge(approved());
    let asked = ask_as(&sandbox, PROMPT, script, |client| {
        client.args(&["--model", "claude-sonnet-4-6"]).allow(&["Read", "Edit", "Bash"])
    });
    assert_eq!(asked.run.text(), "end");
    let last = asked.last();
    assert!(last.shows("Summary:\nshort"), "{:?}", last.shown_texts());
    assert!(last.shows("CHANGES: <what you change>"), "{:?}", last.shown_texts());
    assert_changed("after a compaction", &sandbox);
    let models: Vec<_> = asked.judged().iter().map(|request| request.model().to_owned()).collect();
    assert_eq!(models, ["claude-sonnet-5-5"], "the reviewer alone");
}

#[test]
fn after_a_typed_compaction_the_form_is_shown_again_and_passes_without_a_question() {
    let sandbox = project();
    let script = Script::new()
        .reply(Reply::bash("true"))
        .reply("the first turn is over")
        .reply(Reply::bash("true"))
        .reply("the second turn is over")
        .reply(read(&sandbox))
        .reply(saying(DECLARED).and_tool("Edit", edit(&sandbox)))
        .reply("the greeting is polite now")
        .when_shown("summary of the conversation", ["<analysis>a</analysis><summary>short</summary>"])
        .judge(approved());
    let api = MessagesApi::start(script);
    let mut terminal = ready(client(&sandbox, &api).allow(&["Read", "Edit", "Bash"]));
    for (typed, answer) in [
        ("look around", "the first turn is over"),
        ("look again", "the second turn is over"),
        ("/compact", "Compacted"),
        (PROMPT, "the greeting is polite now"),
    ] {
        terminal.enter(typed);
        terminal.wait_for_within(answer, SOON);
    }
    assert!(terminal.quit().success());
    let last = api.main_requests().pop().unwrap();
    assert!(last.shows("Summary:\nshort"), "{:?}", last.shown_texts());
    assert!(last.shows("CHANGES: <what you change>"), "{:?}", last.shown_texts());
    assert_changed("after a typed compaction", &sandbox);
    let models: Vec<_> = api.judge_requests().iter().map(|request| request.model().to_owned()).collect();
    assert_eq!(models, ["claude-sonnet-5-5"], "the reviewer alone");
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
