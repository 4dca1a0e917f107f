//! Writing: one key of one file changes, and nothing else.

use super::super::desk::{Desk, TEAM, yes};
use super::{done, text, value};
use crate::driver::{denial, notice};
use serde_json::json;
use std::fs;
use tests::sandbox::Level;

const THRESHOLD: &str = "requirements.branch_size.thresholds.warn";

#[test]
fn a_key_is_set_and_unset_in_the_local_file_of_a_project_and_the_answer_names_the_line() {
    let desk = Desk::new(TEAM);
    desk.sandbox.requirements(Level::Local, "# mine\nrequirements:\n  # later\n  branch_size: {}   # big\n");
    let said = done(&desk, &format!("config set {THRESHOLD} 200"));
    assert_eq!(said, format!("{THRESHOLD}: 200  (.claude/requirements.local.yaml:4)"));
    let changed = "# mine\nrequirements:\n  # later\n  branch_size: {thresholds: {warn: 200}}   # big\n";
    assert_eq!(text(&desk, Level::Local).as_deref(), Some(changed));
    assert_eq!(value(&desk, THRESHOLD), "200");
    let said = done(&desk, &format!("config set {THRESHOLD} 200 --local"));
    assert!(
        said.starts_with(".claude/requirements.local.yaml says so already; nothing was changed\n"),
        "{said}"
    );
    let said = done(&desk, &format!("config unset {THRESHOLD}"));
    assert_eq!(said, format!("{THRESHOLD} is not set any more"));
    assert_eq!(text(&desk, Level::Local).as_deref(), Some("# mine\n"));
    assert_eq!(text(&desk, Level::Project).as_deref(), Some(TEAM), "and no other file is touched");
}

#[test]
fn a_text_is_quoted_where_yaml_would_read_something_else() {
    let desk = Desk::new(TEAM);
    for (typed, expected) in [
        ("'Plan: say it # first'", "Plan: say it # first"),
        ("5", "5"),
        ("'*'", "*"),
        ("'it'\\''s'", "it's"),
        ("'\"quoted\"'", "quoted"),
    ] {
        done(&desk, &format!("config set requirements.commit_plan.message {typed}"));
        assert_eq!(value(&desk, "requirements.commit_plan.message"), expected, "{typed}");
    }
    done(&desk, "config set requirements.commit_plan.checklist '[a, \"b: c\"]'");
    assert_eq!(value(&desk, "requirements.commit_plan.checklist"), "[a, \"b: c\"]");
    done(
        &desk,
        "config set requirements.new_one '{enabled: true, type: dynamic, calculator: branch_size, thresholds: {block: 9}}'",
    );
    assert_eq!(value(&desk, "requirements.new_one.thresholds.block"), "9");
    // The other keys of the requirement are the team's, and nothing decides otherwise.
    let said = done(&desk, "config set requirements.commit_plan '{scope: branch}' --local");
    assert!(said.contains("requirements.commit_plan.enabled: true  (.claude/requirements.yaml:2)"), "{said}");
    assert!(!said.contains("has it now"), "{said}");
    done(&desk, "config set 'requirements.\"v1.2\".enabled' true");
    assert_eq!(value(&desk, "requirements.v1.2.enabled"), "true");
}

#[test]
fn a_new_local_file_begins_with_its_head_and_git_ignores_it() {
    let desk = Desk::new(TEAM);
    let said = done(&desk, "config set rate-awareness.repeat 8");
    assert_eq!(
        said,
        ".claude/requirements.local.yaml is new\n\
         added to .gitignore: .claude/requirements.local.yaml\n\
         rate-awareness.repeat: 8  (.claude/requirements.local.yaml:6)"
    );
    let written = text(&desk, Level::Local).unwrap();
    let (head, rest) = written.split_once('\n').unwrap();
    assert!(head.starts_with("# yaml-language-server: $schema="), "{written}");
    assert_eq!(
        rest,
        "# <project>/.claude/requirements.local.yaml: yours, for this project, not in git.\nversion: \"1.0\"\n\n\
         rate-awareness:\n  repeat: 8\n"
    );
    let status = desk.sandbox.git(&["status", "--porcelain", "--untracked-files=all"]);
    assert!(!status.contains("requirements.local.yaml"), "{status}");
    assert_eq!(
        fs::read_to_string(desk.sandbox.project().join(".gitignore")).unwrap(),
        ".claude/requirements.local.yaml\n"
    );
    assert!(
        !yes(desk.script(&["config"])).contains("requirements.local.yaml:"),
        "and nothing is wrong with it"
    );
}

#[test]
fn each_level_has_its_file_and_what_counts_in_one_file_only_goes_there() {
    let desk = Desk::new(TEAM);
    for (words, level, line) in [
        ("rate-awareness.repeat 7 --global", Level::User, "  repeat: 7"),
        ("rate-awareness.ping_pong 7 --project", Level::Project, "  ping_pong: 7"),
        ("stop-momentum.message_file ~/text.md", Level::User, "  message_file: ~/text.md"),
        ("inherit false", Level::Project, "inherit: false"),
        ("locked '[stop-momentum.max_blocks]'", Level::User, "locked: [stop-momentum.max_blocks]"),
    ] {
        let words = words.replace("~/", "\\~/");
        done(&desk, &format!("config set {words}"));
        let text = text(&desk, level).unwrap();
        assert!(text.lines().any(|written| written == line), "{words}: {text}");
    }
    assert!(text(&desk, Level::Project).unwrap().starts_with(TEAM), "what was there is as it was");
    assert_eq!(text(&desk, Level::Local), None);
}

#[test]
fn what_a_key_means_that_only_its_owner_may_set_is_said_when_it_is_set() {
    let desk = Desk::new(TEAM);
    let told = "\ncredit-pacer.usage_api.enabled: It is asked, with the login of Claude Code: to use that elsewhere may be \
                against the terms of your plan.";
    let said = done(&desk, "config set credit-pacer.usage_api.enabled true");
    assert!(said.ends_with(told), "{said}");
    let said = done(&desk, "config set credit-pacer.usage_api.enabled true");
    assert!(!said.contains("terms"), "nothing was changed: {said}");
    let said = done(
        &desk,
        "config set credit-pacer '{usage_api: {enabled: false, interval_secs: 900}, alerts: []}' --global",
    );
    assert!(said.contains(told) && said.contains("interval_secs: It is asked at most once in"), "{said}");
    assert!(!said.contains("alerts: At"), "{said}");
    assert!(!done(&desk, "config set rate-awareness.repeat 7").contains(": The "), "any file may say that");
}

#[test]
fn outside_of_any_project_the_global_file_is_meant() {
    let desk = Desk::empty();
    fs::remove_dir_all(desk.sandbox.project().join(".git")).unwrap();
    let said = done(&desk, "config set rate-awareness.repeat 8");
    assert!(said.ends_with("rate-awareness.repeat: 8  (~/.claude/requirements.yaml:6)"), "{said}");
    assert!(!desk.sandbox.project().join(".claude").exists());
}

#[test]
fn what_still_decides_otherwise_is_said() {
    let desk = Desk::new("rate-awareness: {repeat: 5}\n");
    let said = done(&desk, "config set rate-awareness.repeat 9 --global");
    assert_eq!(
        said,
        "~/.claude/requirements.yaml is new\n\
         ~/.claude/requirements.yaml has it now: rate-awareness.repeat: 9\n\
         but what the project file says counts:\n\
         rate-awareness.repeat: 5  (.claude/requirements.yaml:1)\n\
         to take it out there: req config unset rate-awareness.repeat --project"
    );
    done(&desk, "config unset rate-awareness.repeat --project");
    assert_eq!(value(&desk, "rate-awareness.repeat"), "9");
    // Starting from the defaults, the project does not see the global file.
    done(&desk, "config set inherit false");
    let said = done(&desk, "config set rate-awareness.repeat 8 --global");
    assert!(said.contains("starts from the defaults (inherit: false)"), "{said}");
    // A switch, and the key above all sections.
    let hook = tests::binaries::path("rate-awareness");
    tests::process::Invocation::new(hook, &desk.sandbox).args(["on"]).run().assert_exit(0);
    let said = done(&desk, "disable --hook rate-awareness");
    assert!(said.contains("rate-awareness.enabled: true  (its switch)"), "{said}");
    assert!(said.ends_with("to let the files decide: rate-awareness auto"), "{said}");
    let said = done(&desk, "config set enabled false --project");
    assert!(said.contains("enabled: false  (.claude/requirements.yaml:"), "{said}");
    let said = done(&desk, "enable --hook stop-momentum --local");
    assert!(
        said.contains("but every hook is switched off by `enabled: false`")
            && said.contains("stop-momentum.enabled: false  (.claude/requirements.yaml:"),
        "{said}"
    );
}

#[test]
fn what_is_set_for_something_that_is_off_is_told_with_the_way_to_switch_it_on() {
    let desk = Desk::new("requirements: {described: {type: guard}}\n");
    for (words, told) in [
        (
            "requirements.branch_size.thresholds.warn 200",
            "no file describes a requirement branch_size, so this counts for nothing yet; one of each type, to copy from: \
             req init --preset advanced --dry-run",
        ),
        (
            "requirements.described.message hello",
            "described is switched off, so this counts for nothing yet; to switch it on: req enable described",
        ),
        (
            "stop-momentum.max_blocks 3",
            "stop-momentum is switched off (the defaults), so this counts for nothing yet; to switch it on: \
             req enable --hook stop-momentum",
        ),
    ] {
        let said = done(&desk, &format!("config set {words}"));
        assert!(said.ends_with(told), "{words}: {said}");
    }
    for words in [
        "requirements.described.enabled false",
        "requirements.new '{enabled: true}'",
        "stop-momentum.enabled true",
    ] {
        let said = done(&desk, &format!("config set {words}"));
        assert!(!said.contains("counts for nothing"), "{words}: {said}");
    }
    desk.script(&["init", "--preset", "advanced", "--dry-run"]).run().assert_exit(0);
}

#[test]
fn a_new_file_of_the_team_is_told_with_what_is_written_beside_it() {
    let desk = Desk::empty();
    let said = done(&desk, "config set rate-awareness.repeat 8 --project");
    assert_eq!(
        said,
        ".claude/requirements.yaml is new\n\
         written: .claude/requirements.schema.json (lets editors check the file as you type)\n\
         rate-awareness.repeat: 8  (.claude/requirements.yaml:6)"
    );
    assert!(desk.sandbox.project().join(".claude/requirements.schema.json").exists());
}

#[test]
fn a_typed_prompt_does_the_same_and_the_next_call_knows() {
    let desk = Desk::new(TEAM);
    let edit = desk
        .session
        .pre_tool_use("Edit", json!({ "file_path": "a.rs", "old_string": "a", "new_string": "b" }));
    let denied = denial(desk.ask(&edit).as_ref()).unwrap();
    assert!(denied.contains("commit_plan"), "{denied}");
    let prompt = |line: &str| {
        let answer = desk.ask(&desk.session.user_prompt_submit(line)).unwrap();
        answer["reason"].as_str().unwrap().to_owned()
    };
    let said = prompt("req disable commit_plan");
    assert!(
        said.contains("requirements.commit_plan.enabled: false  (.claude/requirements.local.yaml:7)"),
        "{said}"
    );
    let after = desk.ask(&edit);
    assert!(!denial(after.as_ref()).unwrap_or_default().contains("commit_plan"), "{after:?}");
    assert_eq!(notice(after.as_ref()), "");
    assert!(prompt("req config requirements.commit_plan.enabled").contains("false"));
    let said = prompt("req enable commit_plan");
    assert!(said.contains("requirements.commit_plan.enabled: true"), "{said}");
    let said = prompt("req config set requirements.commit_plan.scope brunch");
    assert!(said.contains("expected one of: session, branch"), "{said}");
    // A script's prompt is nobody's.
    let untyped = desk.session.user_prompt_submit("req disable commit_plan").with("source", "system");
    let before = text(&desk, Level::Local);
    let _ = desk.ask(&untyped);
    assert_eq!(text(&desk, Level::Local), before);
}

#[test]
fn what_was_changed_is_in_the_journal_without_its_value() {
    let desk = Desk::new(TEAM);
    done(&desk, "config set requirements.commit_plan.message hunter2");
    let journal = desk.journal();
    assert!(journal.contains("set requirements.commit_plan.message in the local file"), "{journal}");
    assert!(!journal.contains("hunter2"), "{journal}");
}

#[test]
fn several_at_once_lose_no_change() {
    let desk = Desk::new(TEAM);
    let prompts: Vec<_> = (0..8)
        .map(|number| {
            let line = format!("req config set requirements.one_{number}.type blocking");
            let session = desk.session.clone().with_id(&format!("{number:08}-0000-4000-8000-000000000009"));
            session.user_prompt_submit(&line)
        })
        .collect();
    for answer in desk.ask_at_once(&prompts) {
        assert!(answer.unwrap()["reason"].as_str().unwrap().contains("type: blocking"));
    }
    for number in 0..8 {
        assert_eq!(value(&desk, &format!("requirements.one_{number}.type")), "blocking");
    }
}
