//! How each type stands, at the edges of its times and limits, and what would meet it for whoever reads it.

use std::path::PathBuf;
use std::time::Duration;

use super::Remedy;
use crate::satisfactions::{By, Holder, Key, Satisfaction};
use crate::scene::{OTHER, OWN, Scene};
use crate::settings::Scope;
use crate::state::Uncounted;
use crate::view::{FileFound, Freshness, Size};

const OTHERS: Holder<'_> = Holder::Session(OTHER);
const SECOND: Duration = Duration::from_secs(1);

#[track_caller]
fn unmet(scene: &Scene, name: &str) -> String {
    match scene.standing(name) {
        Err(why) => why,
        Ok(how) => panic!("{name} is met: {how}"),
    }
}

fn words(scene: &Scene, name: &str) -> String {
    let (Ok(words) | Err(words)) = scene.standing(name);
    words
}

#[track_caller]
fn remedy(scene: &Scene, name: &str) -> String {
    let rule = scene.rule(name);
    match rule.remedy(&scene.view()) {
        Remedy::Do(what) => what,
        Remedy::Satisfy { or } => format!("satisfy, or {}", or.unwrap_or_default()),
    }
}

#[test]
fn a_satisfaction_counts_for_its_scope() {
    for (scope, own, others, everyones) in [
        ("session", true, false, true),
        ("single_use", true, false, true),
        ("branch", false, false, true),
        ("permanent", false, false, true),
    ] {
        for (holder, expected) in [(OWN, own), (OTHERS, others), (Holder::Everyone, everyones)] {
            let mut scene = Scene::new(&format!("plan: {{scope: {scope}}}\n"));
            assert!(!scene.is_met("plan"), "{scope}");
            scene.satisfy("plan", holder, By::Agent);
            assert_eq!(scene.is_met("plan"), expected, "{scope} {holder:?}");
        }
    }
}

#[test]
fn a_permanent_satisfaction_is_looked_for_among_those_of_all_branches_and_no_other_is() {
    let mut scene = Scene::new("plan: {scope: permanent}\nadr: {scope: branch}\n");
    scene.world.branch.set(
        "plan",
        Scope::Permanent,
        Holder::Everyone,
        Satisfaction::new(By::User, scene.now),
    );
    scene.world.permanent.set("adr", Scope::Branch, Holder::Everyone, Satisfaction::new(By::User, scene.now));
    assert!(!scene.is_met("plan") && !scene.is_met("adr"));
}

#[test]
fn without_git_a_satisfaction_counts_for_its_session() {
    for scope in ["session", "branch", "permanent", "single_use"] {
        for (holder, expected) in [(OWN, true), (OTHERS, false), (Holder::Everyone, true)] {
            let mut scene = Scene::new(&format!("plan: {{scope: {scope}}}\n"));
            scene.world.here.key = Key::NoGit;
            scene.world.branch.set("plan", Scope::Session, holder, Satisfaction::new(By::Agent, scene.now));
            assert_eq!(scene.is_met("plan"), expected, "{scope} {holder:?}");
        }
    }
}

#[test]
fn what_is_not_marked_says_where_it_is_not() {
    for (scope, why) in [
        ("session", "not satisfied in this session on feature"),
        ("branch", "not satisfied on feature"),
        ("permanent", "not satisfied in this repository"),
        ("single_use", "not satisfied for this call on feature"),
    ] {
        assert_eq!(unmet(&Scene::new(&format!("plan: {{scope: {scope}}}\n")), "plan"), why);
    }
    let mut scene = Scene::new("plan: {scope: branch}\n");
    scene.world.here.key = Key::Detached("1a2b3c4d5e6f".to_owned());
    assert_eq!(unmet(&scene, "plan"), "not satisfied on commit 1a2b3c4d");
    scene.world.here.key = Key::NoGit;
    assert_eq!(unmet(&scene, "plan"), "not satisfied in this session in this project (no git)");
}

#[test]
fn without_a_session_only_what_counts_for_every_session_is_met() {
    for (holder, expected) in [(OWN, false), (Holder::Everyone, true)] {
        let mut scene = Scene::new("plan: {scope: session}\n");
        scene.satisfy("plan", holder, By::Agent);
        scene.session = None;
        assert_eq!(scene.is_met("plan"), expected, "{holder:?}");
    }
}

#[test]
fn a_satisfaction_counts_until_it_is_as_old_as_its_time_to_live() {
    for requirement in ["r: {ttl_secs: 600}\n", "r: {type: evidence, command: x, ttl_secs: 600}\n"] {
        for (after, expected) in [(0, true), (599, true), (600, false), (601, false)] {
            let mut scene = Scene::new(requirement);
            scene.satisfy("r", OWN, By::Evidence);
            scene.world.evidence.insert("r".to_owned(), Freshness::Same);
            scene.wait(SECOND * after);
            assert_eq!(scene.is_met("r"), expected, "{requirement} {after}");
            assert_eq!(words(&scene, "r").contains("too "), !expected, "{}", words(&scene, "r"));
            scene.now = shared::host::Timestamp::from_secs(0);
            assert!(scene.is_met("r"), "the clock went back");
        }
    }
}

#[test]
fn what_is_the_users_is_satisfied_by_the_user_alone() {
    for (by, expected) in [
        (By::User, true),
        (By::Agent, false),
        (By::Skill, false),
        (By::Evidence, false),
        (By::Approval, false),
        (By::Other("cli".to_owned()), false),
    ] {
        let mut scene = Scene::new("plan: {satisfied_by: user}\n");
        scene.satisfy("plan", OWN, by.clone());
        assert_eq!(scene.is_met("plan"), expected, "{by:?}");
    }
    let scene = Scene::new("plan: {satisfied_by: user}\n");
    assert!(remedy(&scene, "plan").contains("ask the user to type this as a prompt"));
    assert!(remedy(&scene, "plan").ends_with("req satisfy plan"));
}

#[test]
fn a_skill_that_would_satisfy_it_is_named() {
    for (set, expected) in [
        ("{}", "satisfy, or "),
        ("{satisfied_by_skill: review}", "satisfy, or complete the skill review"),
        ("{satisfied_by_skill: [one, two]}", "satisfy, or complete the skill one"),
        (
            "{satisfied_by_skill: [one, two], auto_resolve_skill: three}",
            "satisfy, or complete the skill three",
        ),
    ] {
        assert_eq!(remedy(&Scene::new(&format!("plan: {set}\n")), "plan"), expected, "{set}");
    }
}

const SIZE: &str = "size: {type: dynamic, calculator: branch_size, thresholds: {warn: 250, block: 400}}\n";

fn sized(lines: u64, is_complete: bool) -> Scene {
    let mut scene = Scene::new(SIZE);
    scene.world.sizes.insert("size".to_owned(), Ok(Size { lines, base: "main".to_owned(), is_complete }));
    scene
}

#[test]
fn a_size_is_refused_from_its_limit_on() {
    for (lines, expected) in
        [(0, true), (249, true), (250, true), (399, true), (400, false), (401, false), (u64::MAX, false)]
    {
        let scene = sized(lines, true);
        assert_eq!(scene.is_met("size"), expected, "{lines}");
        let standing = scene.standing("size");
        let (Ok(words) | Err(words)) = &standing;
        assert!(
            words.contains(&format!("{lines} changed lines against main")) && words.contains("400"),
            "{words}"
        );
    }
    assert!(sized(399, false).standing("size").unwrap().contains("at least 399"));
    assert!(unmet(&sized(400, false), "size").contains("at least 400"));
    assert!(Scene::new(SIZE).is_met("size"), "without git there is nothing to measure");
    let mut unknown = Scene::new(SIZE);
    unknown.world.sizes.insert("size".to_owned(), Err("a pipe is in the way".to_owned()));
    assert!(unmet(&unknown, "size").contains("not known: a pipe is in the way"));
}

#[test]
fn an_exception_holds_until_its_end_for_everybody_or_for_the_session_it_names() {
    for (by, holder, after, expected) in [
        (By::Approval, Holder::Everyone, 0, true),
        (By::Approval, Holder::Everyone, 299, true),
        (By::Approval, Holder::Everyone, 300, false),
        (By::Waiver, OWN, 299, true),
        (By::Waiver, OWN, 300, false),
        (By::Approval, OTHERS, 0, false),
        (By::User, Holder::Everyone, 0, false),
        (By::Agent, Holder::Everyone, 0, false),
    ] {
        let size = sized(400, true);
        let guard = Scene::new("size: {type: guard, guard_type: protected_branch}\n").on("main");
        for mut scene in [size, guard, Scene::new("size: {type: evidence, command: x}\n")] {
            scene.except("size", holder, by.clone(), 300);
            scene.wait(SECOND * after);
            assert_eq!(scene.is_met("size"), expected, "{by:?} {holder:?} {after}");
        }
    }
    let mut scene = sized(400, true);
    let endless = Satisfaction::new(By::Approval, scene.now);
    scene.world.permanent.set("size", Scope::Session, Holder::Everyone, endless);
    assert!(!scene.is_met("size"), "what has no end was not written by us");
    let mut noted = Satisfaction::new(By::Waiver, scene.now).for_secs(600);
    noted.metadata.note = Some("hotfix".to_owned());
    scene.world.permanent.set("size", Scope::Session, Holder::Everyone, noted);
    scene.wait(SECOND * 300);
    assert_eq!(scene.standing("size"), Ok("waived for 5 min more: hotfix".to_owned()));
}

#[test]
fn a_protected_branch_is_one_of_the_globs_and_no_branch_is_none() {
    for (set, branch, expected) in [
        ("", "main", false),
        ("", "master", false),
        ("", "mainline", true),
        ("", "feature", true),
        (", protected_branches: [main, 'release/*']", "release/1.0", false),
        (", protected_branches: [main, 'release/*']", "release/1.0/fix", false),
        (", protected_branches: [main, 'release/*']", "release", true),
        (", protected_branches: [main, 'release/*']", "master", true),
        (", protected_branches: []", "main", true),
        (", protected_branches: ['*']", "anything/at/all", false),
    ] {
        let scene =
            Scene::new(&format!("r: {{type: guard, guard_type: protected_branch{set}}}\n")).on(branch);
        assert_eq!(scene.is_met("r"), expected, "{set} {branch}");
        assert!(words(&scene, "r").contains(branch), "{branch}");
    }
    let mut scene = Scene::new("r: {type: guard, guard_type: protected_branch, protected_branches: ['*']}\n");
    assert!(remedy(&scene, "r").contains("git switch -c my-change"));
    assert!(remedy(&scene, "r").ends_with("req waive r --note \"the reason\""));
    for key in [Key::Detached("1a2b3c4d5e6f".to_owned()), Key::NoGit] {
        scene.world.here.key = key;
        assert!(scene.is_met("r"), "{:?}", scene.world.here.key);
    }
}

#[test]
fn a_single_session_is_alone() {
    for (others, expected, words) in [
        (&[][..], true, "no other session"),
        (&["0c4e7a11"], false, "session 0c4e7a11 is live"),
        (&["0c4e7a11", "1"], false, "session 0c4e7a11 and 1 more"),
        (&["0c4e7a11", "1", "2"], false, "session 0c4e7a11 and 2 more"),
    ] {
        let mut scene = Scene::new("alone: {type: guard, guard_type: single_session}\n");
        scene.world.others = others.iter().map(|other| (*other).to_owned()).collect();
        assert_eq!(scene.is_met("alone"), expected, "{others:?}");
        assert!(self::words(&scene, "alone").contains(words), "{others:?}");
    }
}

const TESTS: &str = "tests: {type: evidence, command: cargo test, ttl_secs: 600}\n";

/// The tests passed; since then the files are so.
fn passed(freshness: Option<Freshness>) -> Scene {
    let mut scene = Scene::new(TESTS);
    scene.satisfy("tests", OWN, By::Evidence);
    scene.world.evidence.extend(freshness.map(|freshness| ("tests".to_owned(), freshness)));
    scene
}

#[test]
fn a_command_that_passed_counts_on_the_same_files_only() {
    assert!(unmet(&Scene::new(TESTS), "tests").contains("no command has passed"));
    assert!(passed(Some(Freshness::Same)).is_met("tests"));
    for (freshness, why) in [
        (Some(Freshness::Different(Vec::new())), "files have changed"),
        (Some(Freshness::Unknown("too many".to_owned())), "too many"),
        (None, "not looked at"),
    ] {
        let unmet = unmet(&passed(freshness.clone()), "tests");
        assert!(unmet.contains(why), "{freshness:?}: {unmet}");
    }
}

#[test]
fn the_first_files_that_have_changed_are_named() {
    for (files, words) in [
        (&["a.rs"][..], "passed: a.rs"),
        (&["a.rs", "b\u{1b}[2J\n.rs"], "passed: a.rs, b\u{fffd}[2J .rs"),
        (&["a", "b", "c"], "passed: a, b, c"),
        (&["a", "b", "c", "d", "e"], "passed: a, b, c and 2 more"),
    ] {
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        let unmet = unmet(&passed(Some(Freshness::Different(files))), "tests");
        assert!(unmet.contains(&format!("have changed since `the command` {words}")), "{words}: {unmet}");
    }
}

#[test]
fn a_run_that_did_not_count_is_told_with_the_line_to_type_while_it_is_asked_for() {
    for (shown, line, told) in [
        ("cargo test", "cd sub && cargo test", "cd sub && cargo test;"),
        (
            "cargo test",
            "API_TOKEN=[masked] cargo test",
            "API_TOKEN=[masked] cargo test (with the secret itself in place of [masked]);",
        ),
        ("make lint", "make lint", "cargo test;"),
    ] {
        let mut scene = Scene::new(TESTS);
        let [shown, why, line] = [shown, "a pipe", line].map(str::to_owned);
        let is_asked_for = shown == "cargo test";
        scene.state.uncounted.insert("tests".to_owned(), Uncounted { shown, why, line });
        assert_eq!(unmet(&scene, "tests").contains("`cargo test` did not count: a pipe"), is_asked_for);
        let remedy = remedy(&scene, "tests");
        assert!(remedy.contains(&format!("run alone on a line (no pipe): {told}")), "{remedy}");
    }
}

#[test]
fn the_command_to_run_is_the_first_that_can_be_typed() {
    for (command, expected) in [
        ("cargo test", "(no pipe): cargo test;"),
        ("['cargo\\s+(test|nextest)', just test]", "(no pipe): just test;"),
        ("'cargo\\s+(test|nextest)'", "(no pipe) a command that matches cargo\\s+(test|nextest)"),
    ] {
        let scene = Scene::new(&format!("tests: {{type: evidence, command: {command}}}\n"));
        let remedy = remedy(&scene, "tests");
        assert!(remedy.contains(expected), "{command}: {remedy}");
        assert!(remedy.ends_with("req waive tests --note \"the reason\""), "{remedy}");
    }
}

#[test]
fn a_file_counts_while_it_lacks_nothing_and_both_are_asked_for_where_both_are_set() {
    let file = |lacks: Option<&str>| FileFound {
        glob: "docs/*.md".to_owned(),
        must_be: "is there".to_owned(),
        lacks: lacks.map(ToOwned::to_owned),
    };
    let only_file = "tests: {type: evidence, file: 'docs/*.md'}\n";
    let both = "tests: {type: evidence, command: cargo test, file: 'docs/*.md'}\n";
    for (requirement, is_marked, lacks, expected) in [
        (only_file, false, None, true),
        (only_file, false, Some("there is none"), false),
        (both, true, None, true),
        (both, false, None, false),
        (both, true, Some("there is none"), false),
    ] {
        let mut scene = Scene::new(requirement);
        scene.world.files.insert("tests".to_owned(), file(lacks));
        if is_marked {
            scene.satisfy("tests", OWN, By::Evidence);
            scene.world.evidence.insert("tests".to_owned(), Freshness::Same);
        }
        assert_eq!(scene.is_met("tests"), expected, "{requirement} {is_marked} {lacks:?}");
        assert!(remedy(&scene, "tests").contains("write docs/*.md so that it is there"));
    }
    assert!(!Scene::new(only_file).is_met("tests"), "a file that was not looked at is no evidence");
}

#[test]
fn what_only_the_user_can_do_is_put_to_whoever_reads_it() {
    let mut scene = sized(400, true);
    assert!(remedy(&scene, "size").contains("ask the user to type this as a prompt"));
    scene.world.reader.is_headless = true;
    assert!(remedy(&scene, "size").contains("a person can type this in a terminal of their own"));
    scene.world.reader.is_user = true;
    let for_user = remedy(&scene, "size");
    assert!(for_user.contains("type (") && !for_user.contains("ask the user"), "{for_user}");
    scene.world.reader.elsewhere = Some(PathBuf::from("/other tree"));
    assert!(remedy(&scene, "size").ends_with("cd '/other tree' && req approve size"));
    scene.world.reader.is_user = false;
    assert!(remedy(&scene, "size").ends_with("cd '/other tree' && req approve size"));
}
