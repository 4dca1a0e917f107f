//! How each type stands, at the edges of its times and limits, and what would meet it for whoever reads it.

use std::time::Duration;

use super::Remedy;
use crate::git::Size;
use crate::satisfactions::{By, Key, Satisfaction};
use crate::scene::{OTHER, OWN, Scene};
use crate::settings::Scope;
use crate::state::Uncounted;
use crate::world::Freshness;

const OTHERS: Option<&str> = Some(OTHER);
const SECOND: Duration = Duration::from_secs(1);

#[track_caller]
fn unsatisfied(scene: &Scene, name: &str) -> String {
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
        Remedy::Satisfy(or) => format!("satisfy, or {}", or.unwrap_or_default()),
    }
}

#[test]
fn a_satisfaction_counts_for_its_scope_and_without_git_for_its_session() {
    // Whether it counts that this session, another one, and everybody has satisfied it; and what is said where none has.
    for (scope, here, expected, why) in [
        ("session", "feature", [true, false, true], "not satisfied in this session on feature"),
        ("single_use", "feature", [true, false, true], "not satisfied for this call on feature"),
        ("branch", "feature", [false, false, true], "not satisfied on feature"),
        ("permanent", "feature", [false, false, true], "not satisfied in this repository"),
        ("branch", "1a2b3c4d5e6f", [false, false, true], "not satisfied on commit 1a2b3c4d"),
        ("session", "", [true, false, true], "not satisfied in this session in this project (no git)"),
        ("branch", "", [true, false, true], "not satisfied in this session in this project (no git)"),
    ] {
        let key = match here {
            "" => Key::NoGit,
            "feature" => Key::Branch(here.to_owned()),
            commit => Key::Detached(commit.to_owned()),
        };
        for (holder, expected) in [OWN, OTHERS, None].into_iter().zip(expected) {
            let mut scene = Scene::new(&format!("plan: {{scope: {scope}}}\n"));
            scene.world.key = key.clone();
            assert_eq!(unsatisfied(&scene, "plan"), why);
            let set = scene.world.scope(scene.rule("plan").set.scope);
            let kept =
                if set == Scope::Permanent { &mut scene.world.permanent } else { &mut scene.world.branch };
            kept.set("plan", holder, Satisfaction::new(By::Agent, scene.now));
            assert_eq!(scene.is_met("plan"), expected, "{scope} {here} {holder:?}");
            scene.session = None;
            assert_eq!(scene.is_met("plan"), holder.is_none(), "no session: {scope} {holder:?}");
        }
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
fn users_requirement_is_satisfied_by_the_user_alone() {
    for by in [By::User, By::Agent, By::Skill, By::Evidence, By::Approval, By::Waiver] {
        let mut scene = Scene::new("plan: {satisfied_by: user}\n");
        scene.satisfy("plan", OWN, by);
        assert_eq!(scene.is_met("plan"), by == By::User, "{by:?}");
    }
    let scene = Scene::new("plan: {satisfied_by: user}\n");
    assert!(remedy(&scene, "plan").contains("ask the user to type this as a prompt"));
    assert!(remedy(&scene, "plan").ends_with("req satisfy plan"));
}

const SIZE: &str = "size: {type: dynamic, calculator: branch_size, thresholds: {warn: 250, block: 400}}\n";

#[test]
fn a_size_is_refused_from_its_limit_on_and_where_it_is_not_known() {
    for (lines, is_complete, expected, words) in [
        (399, true, true, "399 changed lines against main"),
        (400, true, false, "limit 400"),
        (399, false, true, "at least 399"),
        (u64::MAX, false, false, "at least"),
    ] {
        let mut scene = Scene::new(SIZE);
        let size = Size { lines, base: "main".to_owned(), is_complete };
        scene.world.sizes.insert("size".to_owned(), Ok(size));
        assert_eq!(scene.is_met("size"), expected, "{lines}");
        assert!(self::words(&scene, "size").contains(words), "{lines}");
    }
    let mut scene = Scene::new(SIZE);
    assert!(scene.is_met("size"), "without git there is nothing to measure");
    scene.world.sizes.insert("size".to_owned(), Err("a pipe is in the way".to_owned()));
    assert!(unsatisfied(&scene, "size").contains("not known: a pipe is in the way"));
    assert!(remedy(&scene, "size").starts_with("remove what keeps it from being counted; or"));
    scene.measures("size", 400);
    assert!(remedy(&scene, "size").starts_with("finish and merge what is there, or split it; or"));
}

#[test]
fn an_exception_holds_until_its_end_for_everybody_or_for_the_session_it_names() {
    for (by, holder, after, expected) in [
        (By::Approval, None, 299, true),
        (By::Approval, None, 300, false),
        (By::Waiver, OWN, 299, true),
        (By::Approval, OTHERS, 0, false),
        (By::User, None, 0, false),
    ] {
        for requirement in [SIZE, "size: {type: evidence, command: x}\n"] {
            let mut scene = Scene::new(requirement);
            scene.measures("size", 400);
            scene.except("size", holder, by, 300);
            scene.wait(SECOND * after);
            assert_eq!(scene.is_met("size"), expected, "{by:?} {holder:?} {after}");
        }
    }
    let mut scene = Scene::new("size: {type: evidence, command: x}\n");
    let endless = Satisfaction::new(By::Approval, scene.now);
    scene.world.permanent.set("size", None, endless);
    assert!(!scene.is_met("size"), "what has no end was not written by us");
    let mut noted = Satisfaction::new(By::Waiver, scene.now).for_secs(600);
    noted.metadata.note = Some("hotfix".to_owned());
    scene.world.permanent.set("size", None, noted);
    scene.wait(SECOND * 300);
    assert_eq!(scene.standing("size"), Ok("waived for 5 min more: hotfix".to_owned()));
}

#[test]
fn a_protected_branch_is_one_of_the_globs_and_no_branch_is_none() {
    for (set, branch, expected) in [
        ("", "master", false),
        ("", "mainline", true),
        (", protected_branches: [main, 'release/*']", "release/1.0/fix", false),
        (", protected_branches: [main, 'release/*']", "master", true),
    ] {
        let mut scene =
            Scene::new(&format!("r: {{type: guard, guard_type: protected_branch{set}}}\n")).on(branch);
        assert_eq!(scene.is_met("r"), expected, "{set} {branch}");
        assert!(words(&scene, "r").contains(branch), "{branch}");
        assert!(remedy(&scene, "r").contains("git switch -c my-change"));
        assert!(remedy(&scene, "r").ends_with("req waive r --note \"the reason\""));
        scene.world.key = Key::NoGit;
        assert!(scene.is_met("r"));
    }
}

#[test]
fn a_single_session_is_alone() {
    for (others, words) in [
        (&[][..], "no other"),
        (&["0c4e7a11"], "too: session 0c4e7a11"),
        (&["0c4e7a11", "1", "2"], "session 0c4e7a11 and 1 and 2"),
    ] {
        let mut scene = Scene::new("alone: {type: guard, guard_type: single_session}\n");
        scene.world.others = others.iter().map(|other| (*other).to_owned()).collect();
        assert_eq!(scene.is_met("alone"), others.is_empty(), "{others:?}");
        assert!(self::words(&scene, "alone").contains(words), "{others:?}");
    }
}

const TESTS: &str = "tests: {type: evidence, command: cargo test}\n";

#[test]
fn a_command_that_passed_counts_on_the_same_files_only_and_names_the_first_others() {
    let different =
        |files: &[&str]| Freshness::Different(files.iter().map(|file| (*file).to_owned()).collect());
    assert!(unsatisfied(&Scene::new(TESTS), "tests").contains("no command has passed"));
    for (freshness, words) in [
        (Some(Freshness::Same), None),
        (
            Some(different(&["a.rs", "b\u{1b}[2J\n.rs"])),
            Some("files have changed since `the command` passed: a.rs, b\u{fffd}[2J .rs"),
        ),
        (Some(different(&[])), Some("files have changed since `the command` passed")),
        (Some(different(&["a", "b", "c"])), Some("passed: a, b, c")),
        (Some(different(&["a", "b", "c", "d", "e"])), Some("passed: a, b, c and 2 more")),
        (Some(Freshness::Unknown("too many".to_owned())), Some("too many")),
        (None, Some("not looked at since `the command` passed")),
    ] {
        let mut scene = Scene::new(TESTS);
        scene.satisfy("tests", OWN, By::Evidence);
        scene.world.evidence.extend(freshness.map(|freshness| ("tests".to_owned(), freshness)));
        let standing = scene.standing("tests");
        assert_eq!(standing.is_ok(), words.is_none(), "{standing:?}");
        let when = "`the command` passed 0 s ago on these files";
        assert!(standing.as_ref().map_or(true, |how| how == when), "{standing:?}");
        assert!(words.is_none_or(|words| standing.clone().unwrap_err().ends_with(words)), "{standing:?}");
    }
}

#[test]
fn remedy_is_a_line_to_type() {
    for (requirement, expected) in [
        ("{}", "satisfy, or "),
        ("{satisfied_by_skill: [one, two]}", "satisfy, or complete the skill one"),
        ("{satisfied_by_skill: one, auto_resolve_skill: three}", "satisfy, or complete the skill three"),
        (
            "{type: evidence, command: ['cargo\\s+(test|nextest)', just test]}",
            "run alone on a line (no pipe): just test;",
        ),
        (
            "{type: evidence, command: 'cargo\\s+(a|b)'}",
            "(no pipe) a command that matches cargo\\s+(a|b); or ask",
        ),
        ("{type: evidence, command: x}", "req waive tests --note \"the reason\""),
    ] {
        let remedy = remedy(&Scene::new(&format!("tests: {requirement}\n")), "tests");
        assert!(remedy.contains(expected), "{requirement}: {remedy}");
    }
    let mut scene = Scene::new(TESTS);
    let [shown, why, line] = ["cargo test", "a pipe", "cd sub && cargo test"].map(str::to_owned);
    scene.state.uncounted.insert("tests".to_owned(), Uncounted { shown, why, line });
    assert!(unsatisfied(&scene, "tests").contains("`cargo test` did not count: a pipe"));
    assert!(remedy(&scene, "tests").contains("(no pipe): cd sub && cargo test;"));
    scene.settings = crate::scene::settings("tests: {type: evidence, command: make}\n");
    assert!(remedy(&scene, "tests").contains("(no pipe): make;"), "something else is asked for by now");
}

#[test]
fn a_file_counts_while_it_lacks_nothing_and_both_are_asked_for_where_both_are_set() {
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
        scene.world.files.insert("tests".to_owned(), lacks.map_or(Ok(()), |lacks| Err(lacks.to_owned())));
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
fn the_conditions_of_a_file_are_put_in_words() {
    for (file, words) in [
        ("notes.md", "notes.md is there"),
        ("{file: notes.md, newer_than: HEAD}", "notes.md is newer than the last commit"),
        (
            "{file: notes.md, newer_than: 30m, contains: [done]}",
            "notes.md is newer than 30 min and contains a match of /done/",
        ),
    ] {
        let mut scene = Scene::new(&format!("tests: {{type: evidence, file: {file}}}\n"));
        scene.world.files.insert("tests".to_owned(), Ok(()));
        assert_eq!(scene.standing("tests").as_deref(), Ok(words));
    }
}
