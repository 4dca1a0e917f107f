//! What is not done: wrong, without effect, somebody else's to decide, or in a file that cannot be edited. Nothing changes.

use super::super::desk::{Desk, TEAM, no};
use super::{done, files, refused};
use std::fs;
use tests::sandbox::Level;

const LOCKING: &str = "locked: [stop-momentum.max_blocks, requirements.commit_plan]\n\
                       stop-momentum: {enabled: true, max_blocks: 2}\nrequirements: {commit_plan: {enabled: true}}\n";

#[test]
fn a_wrong_key_or_value_is_refused_with_what_is_right() {
    let desk = Desk::new(TEAM);
    for (words, told) in [
        (
            "config set rate-awareness.repeat nine",
            "rate-awareness.repeat: expected 0 or a whole number from 2 to 1000",
        ),
        ("config set rate-awareness.repeat 1", "expected 0 or a whole number from 2 to 1000"),
        ("config set stop-momentum.enabled yes", "expected true or false"),
        ("config set rate-awareness.polling_tools Bash", "expected a list, each entry text"),
        (
            "config set rate-awareness '{repeat: 9, mode: dney}'",
            "rate-awareness.mode: expected one of: advise, deny",
        ),
        ("config set rate-awareness '{repeet: 9}'", "did you mean rate-awareness.repeat?"),
        ("config set rate-awareness.repeet 9", "did you mean rate-awareness.repeat?"),
        ("config set rate-awarness.repeat 9", "did you mean rate-awareness.repeat?"),
        ("config set rate-awareness.repeat '['", "not valid YAML"),
        (
            "config set requirements.commit_plan.trigger_tools '[Bash, \"[\"]'",
            "requirements.commit_plan.trigger_tools: expected",
        ),
        (
            "config set credit-pacer.work_hours '[\"9-17\"]'",
            "credit-pacer.work_hours: expected hours such as 09:00-17:30 or a list",
        ),
        (
            "config set credit-pacer '{holidays: [christmas]}'",
            "credit-pacer.holidays: expected a day such as",
        ),
        ("config set requirements.tests_green.paths '[\"[\"]'", "expected a list, each entry a glob"),
        ("config set requirements.new '{enabled: true, type: dynamic}'", "requirements.new"),
        ("config set requirements.commit_plan.type evidence", "requirements.commit_plan"),
        ("config set locked '[stop-momentum.maxblocks]'", "did you mean stop-momentum.max_blocks?"),
        ("config unset requirements.branch_size.calculator --project", "requirements.branch_size"),
        (
            "config unset rate-awareness.repeat",
            "rate-awareness.repeat is not set in .claude/requirements.local.yaml",
        ),
        (
            "config unset requirements.commit_plan.enabled",
            "req config unset requirements.commit_plan.enabled --project",
        ),
        ("config unset rate-awareness.repeet", "did you mean rate-awareness.repeat?"),
    ] {
        let said = refused(&desk, words);
        assert!(said.starts_with("req: ") && said.contains(told), "{words}: {said}");
    }
}

#[test]
fn what_would_have_no_effect_is_refused_with_the_line_that_has_one() {
    let desk = Desk::new(TEAM);
    desk.sandbox.requirements(Level::User, LOCKING);
    for (words, told) in [
        (
            "config set stop-momentum.message_file x.md --local",
            "type: req config set stop-momentum.message_file x.md --global",
        ),
        ("config set stop-momentum.message_file x.md --project", "counts only in your global file"),
        ("config set stop-momentum.max_blocks 6", "req config set stop-momentum.max_blocks 6 --global"),
        ("config set stop-momentum.enabled false --project", "is locked by your global file"),
        ("disable commit_plan", "req config set requirements.commit_plan.enabled false --global"),
        ("disable --hook requirements-check", "is locked by your global file"),
        ("config set enabled false", "is locked by your global file"),
        ("config set inherit false --local", "inherit counts only in the project file; use --project"),
        ("config set locked '[]' --project", "locked counts only in the global file; use --global"),
    ] {
        let said = refused(&desk, words);
        assert!(said.starts_with("req: ") && said.contains(told), "{words}: {said}");
    }
    let typed = desk.user("config set stop-momentum.max_blocks 6 --global");
    assert_eq!(typed.status, 0, "{}", typed.screen);
    assert!(
        typed.screen.contains("stop-momentum.max_blocks: 6  (~/.claude/requirements.yaml:2)"),
        "{}",
        typed.screen
    );
}

#[test]
fn what_a_lock_makes_void_is_refused_even_if_it_says_the_same_and_the_locks_owner_may_change_their_mind() {
    let desk = Desk::empty();
    let global = "locked: [requirements.not_on_main]\n\
                  requirements: {not_on_main: {enabled: false, type: guard, guard_type: protected_branch}}\n";
    desk.sandbox.requirements(Level::User, global);
    for level in ["--project", "--local"] {
        for value in ["requirements.not_on_main.enabled false", "requirements.not_on_main '{type: guard}'"] {
            let said = refused(&desk, &format!("config set {value} {level}"));
            assert!(said.contains("is locked by your global file, and "), "{said}");
            assert!(said.contains(" already (~/.claude/requirements.yaml:2)"), "{said}");
        }
    }
    // It was there before the lock was.
    desk.sandbox.requirements(Level::Project, "requirements: {not_on_main: {enabled: false}}\n");
    let said = done(&desk, "enable not_on_main --global");
    assert!(
        said.contains("requirements.not_on_main.enabled: true  (~/.claude/requirements.yaml:2)"),
        "{said}"
    );
    assert!(said.ends_with(".claude/requirements.yaml:1: requirements.not_on_main.enabled: is locked by your global requirements.yaml; ignored here"), "{said}");
    done(&desk, "config set locked '[]' --global");
    done(&desk, "config set requirements.not_on_main.enabled true --global");
    let said = done(&desk, "config set locked '[requirements.not_on_main]'");
    assert!(said.contains("ignored here"), "{said}");
}

#[test]
fn claude_and_scripts_set_nothing_and_are_told_the_line_for_the_user() {
    let desk = Desk::new(TEAM);
    let before = files(&desk);
    for (words, line) in [
        (
            &["config", "set", "rate-awareness.repeat", "9", "--local"][..],
            "req config set rate-awareness.repeat 9 --local",
        ),
        (
            &["config", "set", "requirements.a.message", "two words"],
            "req config set requirements.a.message 'two words'",
        ),
        (&["config", "unset", "rate-awareness.repeat"], "req config unset rate-awareness.repeat"),
        (&["disable", "commit_plan", "--project"], "req disable commit_plan --project"),
        (&["disable", "--hook", "rate-awareness"], "req disable --hook rate-awareness"),
    ] {
        for command in [desk.claude(words), desk.script(words)] {
            let said = no(command);
            assert!(said.starts_with("req: refused, because") && said.ends_with(line), "{said}");
        }
    }
    assert_eq!(files(&desk), before);
}

#[test]
fn a_file_that_cannot_be_read_or_edited_stays_as_it_is_with_the_place_named() {
    for (text, words, told) in [
        ("a: [\nb: 1\n", "config set rate-awareness.repeat 9", ".claude/requirements.local.yaml, line "),
        ("- a\n", "config set rate-awareness.repeat 9", "line 1: not a map of settings"),
        (
            "rate-awareness:\n  repeat: 5\n  repeat: 6\n",
            "config set rate-awareness.repeat 9",
            "line 3: `rate-awareness.repeat` stands twice",
        ),
        (
            "rate-awareness: 5\n",
            "config set rate-awareness.repeat 9",
            "line 1: `rate-awareness` must be a map of settings",
        ),
        (
            "requirements:\n  a:\n    message: goes\n      on # why\n",
            "config set requirements.a.message y",
            "line 3: `requirements.a.message: y` cannot be set here by a program",
        ),
    ] {
        let desk = Desk::new(TEAM);
        desk.sandbox.requirements(Level::Local, text);
        let said = refused(&desk, words);
        assert!(said.contains(told), "{text}: {said}");
    }
    let desk = Desk::new(TEAM);
    fs::write(desk.sandbox.requirements_path(Level::Local), [0xff, 0xfe]).unwrap();
    assert!(refused(&desk, "config set rate-awareness.repeat 9").contains("not UTF-8 text"));
}

#[test]
#[cfg(unix)]
fn a_link_out_of_the_project_is_not_followed_and_one_of_the_users_own_is() {
    let desk = Desk::new(TEAM);
    let outside = desk.sandbox.root().join("outside.yaml");
    fs::write(&outside, "# theirs\n").unwrap();
    std::os::unix::fs::symlink(&outside, desk.sandbox.requirements_path(Level::Local)).unwrap();
    let said = refused(&desk, "config set rate-awareness.repeat 9");
    assert!(said.contains("leads out of the project"), "{said}");
    assert_eq!(fs::read_to_string(&outside).unwrap(), "# theirs\n");
    std::os::unix::fs::symlink(&outside, desk.sandbox.requirements_path(Level::User)).unwrap();
    assert_eq!(desk.user("config set rate-awareness.repeat 9 --global").status, 0);
    assert_eq!(fs::read_to_string(&outside).unwrap(), "# theirs\nrate-awareness:\n  repeat: 9\n");
    assert!(desk.sandbox.requirements_path(Level::User).is_symlink());
}

#[test]
fn where_the_project_is_the_users_own_folder_only_the_global_file_is_there() {
    let desk = Desk::empty();
    let home = desk.sandbox.home();
    let said = desk.user(&format!(
        "--help >/dev/null; cd '{}' && '{}' config set rate-awareness.repeat 9 --local",
        home.display(),
        tests::binaries::path("req").display()
    ));
    assert_eq!(said.status, 1, "{}", said.screen);
    assert!(said.screen.contains("use --global"), "{}", said.screen);
}
