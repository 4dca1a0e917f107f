//! After a call: what it made due, what it proved, what it satisfied.

use serde_json::json;
use shared::hook::{Memory, Verdict};

use crate::change::Change;
use crate::satisfactions::{By, Holder};
use crate::scene::{Answer, End, OTHER, OWN, SESSION, Scene, denied, edit_of, is_silent, settings};
use crate::view::Freshness;

const TESTS: &str = "tests: {type: evidence, command: cargo test, paths: ['src/**']}\n";
const PASSING: &str = "cargo test";

/// The command passes: begun on files that are like this, ended so.
fn run(scene: &mut Scene, line: &str, end: End) -> Answer {
    scene.bash_for("run", line, "tests", "digest");
    scene.bash_ended("run", line, end)
}

/// The fingerprint that the evidence was stored with; none where there is no evidence.
fn evidence(scene: &Scene) -> Option<String> {
    let found = scene.view().satisfaction(&scene.rule("tests"))?.clone();
    assert_eq!(found.satisfied_by, By::Evidence);
    Some(found.metadata.fingerprint?.as_str()?.to_owned())
}

#[test]
fn a_call_that_ran_has_triggered_what_it_needed_and_a_denied_one_nothing() {
    let mut scene = Scene::new("plan: {}\ncommit: {trigger_tools: [Bash]}\n");
    scene.edit("t1");
    assert!(scene.state.triggered.is_empty(), "denied");
    assert!(is_silent(&scene.edited("t1")));
    assert_eq!(scene.state.triggered.iter().collect::<Vec<_>>(), ["plan"]);
    scene.bash_ended("t2", "ls", End::Failed);
    assert!(scene.state.triggered.contains("commit"), "a command that failed ran all the same");
}

#[test]
fn what_makes_evidence_due() {
    for (tool, input, expected) in [
        ("Edit", edit_of("src/a.rs"), true),
        ("Write", edit_of("src/new/a.rs"), true),
        ("Edit", edit_of("docs/a.md"), false),
        ("Edit", json!({ "file_path": "/elsewhere/src/a.rs" }), false),
        ("Edit", json!({ "file_path": "src/a.rs" }), true),
        ("Edit", json!({}), true),
        ("Read", edit_of("src/a.rs"), false),
    ] {
        let mut scene = Scene::new(TESTS);
        scene.after("t1", tool, &input, End::Succeeded);
        assert_eq!(scene.state.edited.contains("tests"), expected, "{tool} {input}");
    }
    let mut scene = Scene::new(TESTS);
    let answer = scene.bash_ended("t1", "make", End::Succeeded);
    assert!(is_silent(&answer) && answer.memory == Memory::Keep && answer.effects.is_empty());
    assert!(!scene.state.edited.contains("tests"), "a line after which the files are as before");
    scene.bash_ended("t1", "make", End::ChangedFiles);
    assert!(scene.state.edited.contains("tests"));
}

#[test]
fn evidence_is_stored_with_the_files_its_command_began_on() {
    let mut scene = Scene::new(TESTS);
    assert!(is_silent(&run(&mut scene, PASSING, End::Succeeded)));
    assert_eq!(evidence(&scene).as_deref(), Some("digest"));
    let found = scene.view().satisfaction(&scene.rule("tests")).unwrap().clone();
    assert_eq!(found.metadata.command.as_deref(), Some(PASSING));
    scene.bash_for("run2", PASSING, "tests", "later");
    scene.bash_ended("run2", PASSING, End::Succeeded);
    assert_eq!(evidence(&scene).as_deref(), Some("later"), "a newer run replaces an older one");
    let mut scene = Scene::new(TESTS);
    scene.bash("t1", PASSING);
    scene.bash_ended("t1", PASSING, End::Succeeded);
    assert!(scene.state.uncounted["tests"].why.contains("not known"), "its files were not noted");
    scene.bash_for("t2", PASSING, "tests", "digest");
    scene.bash_ended("t3", PASSING, End::Succeeded);
    assert_eq!(evidence(&scene), None, "noted for another call");
}

#[test]
fn a_command_that_failed_takes_its_sessions_evidence_away_even_one_that_would_not_have_counted() {
    for (line, session, is_kept) in [
        (PASSING, SESSION, false),
        ("cargo test 2>&1 | tail", SESSION, false),
        ("cargo test --list", SESSION, false),
        ("cargo build", SESSION, true),
        (PASSING, OTHER, true),
    ] {
        let mut scene = Scene::new(TESTS);
        run(&mut scene, PASSING, End::Succeeded);
        scene.session = Some(session.to_owned());
        scene.bash_ended("t2", line, End::Failed);
        scene.session = Some(SESSION.to_owned());
        assert_eq!(evidence(&scene).is_some(), is_kept, "{line} {session}");
    }
}

#[test]
fn a_run_that_does_not_count_leaves_the_evidence_and_is_told_until_one_counts() {
    for (line, end) in [
        ("cargo test | tail", End::Succeeded),
        ("cargo test || true", End::Succeeded),
        ("cargo test; echo done", End::Succeeded),
        ("cargo test &", End::Succeeded),
        ("cargo test --no-run", End::Succeeded),
        ("cd /elsewhere && cargo test", End::Succeeded),
        (PASSING, End::Unfinished),
        (PASSING, End::WithoutOutput),
    ] {
        let mut scene = Scene::new(TESTS);
        run(&mut scene, line, end);
        assert_eq!(evidence(&scene), None, "{line} {end:?}");
        let uncounted = scene.state.uncounted["tests"].clone();
        assert!(!uncounted.why.is_empty() && uncounted.line.ends_with("cargo test"), "{uncounted:?}");
        run(&mut scene, PASSING, End::Succeeded);
        assert_eq!(evidence(&scene).as_deref(), Some("digest"), "{line} {end:?}");
        run(&mut scene, line, end);
        assert_eq!(evidence(&scene).as_deref(), Some("digest"), "the files decide whether it holds: {line}");
    }
    let mut scene = Scene::new(TESTS);
    run(&mut scene, "cargo test | tail", End::Succeeded);
    run(&mut scene, PASSING, End::Succeeded);
    assert!(scene.state.uncounted.is_empty());
}

#[test]
fn evidence_holds_for_what_was_asked_for_when_it_passed() {
    let was = "command: cargo test, min_output: ' passed'";
    for (line, now, why) in [
        ("cargo test", was, None),
        ("cargo test", "command: [make lint, cargo test], min_output: ' passed'", None),
        ("cargo test", "command: cargo test", None),
        ("cargo test --all", "command: cargo test --all", None),
        ("cargo test", "command: cargo test --all", Some("`cargo test --all` is asked for now")),
        ("cargo test", "command: [make, just test]", Some("`make` or `just test` is asked for now")),
        ("cargo test --quick", "command: cargo test, not_args: [--quick]", Some("proves nothing any more")),
        ("cargo test", "command: cargo test, not_args: [--quick]", None),
        ("cargo test", "command: cargo test, min_output: ZZZ", Some("asked for now: ZZZ")),
    ] {
        let mut scene = Scene::new(&format!("tests: {{type: evidence, {was}}}\n"));
        run(&mut scene, line, End::Succeeded);
        scene.world.evidence.insert("tests".to_owned(), Freshness::Same);
        scene.settings = settings(&format!("tests: {{type: evidence, {now}}}\n"));
        let standing = scene.standing("tests");
        assert_eq!(standing.is_ok(), why.is_none(), "{line} {now}: {standing:?}");
        let words = format!("`{line}` passed, but {}", why.unwrap_or_default());
        let (Ok(found) | Err(found)) = &standing;
        assert!(
            why.is_none_or(|why| found.starts_with(&words[..words.len() - why.len()]) && found.contains(why)),
            "{found}"
        );
    }
}

#[test]
fn evidence_lands_where_its_scope_says() {
    for (scope, by_session, by_branch, by_all) in
        [("session", true, false, false), ("branch", false, true, false), ("permanent", false, false, true)]
    {
        let mut scene =
            Scene::new(&format!("tests: {{type: evidence, command: cargo test, scope: {scope}}}\n"));
        run(&mut scene, PASSING, End::Succeeded);
        let of = |kept: &crate::satisfactions::Satisfactions| {
            let found = kept.requirements.get("tests");
            (
                found.is_some_and(|found| found.sessions.contains_key(SESSION)),
                found.is_some_and(|found| found.everyone.is_some()),
            )
        };
        assert_eq!(of(&scene.world.branch), (by_session, by_branch), "{scope}");
        assert_eq!(of(&scene.world.permanent), (false, by_all), "{scope}");
    }
}

#[test]
fn keeps_no_part_of_a_secret_that_spans_several_commands() {
    let body = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "BKcwggSjAgEAAoIBAQDC9yZJmYk2Vd1o"];
    let key = format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----", body.join("\n"));
    for (before, after) in
        [("", ""), ("cargo test\n", ""), ("echo ", " | cargo test"), ("cargo test --key ", "")]
    {
        for command in ["'.*'", "cargo test", "'cargo test.*'"] {
            let line = format!("{before}{key}{after}");
            let gate = "trigger_tools: [{tool: Bash, command_pattern: '.*'}]";
            let mut scene = Scene::new(&format!("tests: {{type: evidence, command: {command}, {gate}}}\n"));
            let denial = format!("{:?}", scene.bash("t1", &line));
            scene.bash_ended("t1", &line, End::Succeeded);
            let kept = serde_json::to_string(&scene.state).unwrap() + &denial;
            for part in body {
                let found = part
                    .as_bytes()
                    .windows(12)
                    .find(|part| kept.contains(std::str::from_utf8(part).unwrap()));
                assert_eq!(found, None, "{line} {command}: {kept}");
            }
        }
    }
}

#[test]
fn shows_the_command_beside_a_secret_in_its_line() {
    let mut scene = Scene::new(TESTS);
    let line = "API_TOKEN=sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaa cargo test | tail";
    scene.bash_ended("t1", line, End::Succeeded);
    assert_eq!(scene.state.uncounted["tests"].shown, "API_TOKEN=[masked] cargo test");
    for secret in ["--token=ab\"\"cdefghijklmnop1234567890", "--token=ab'cdefghijklmnop'1234567890"] {
        scene.bash_ended("t2", &format!("cargo test {secret} | tail"), End::Succeeded);
        let uncounted = &scene.state.uncounted["tests"];
        assert!(!format!("{uncounted:?}").contains("efghij"), "{uncounted:?}");
    }
}

#[test]
fn a_skill_that_succeeded_satisfies_what_names_it_once() {
    let requirements = "review: {satisfied_by_skill: [code-review]}\nother: {satisfied_by_skill: x}\n\
                        users: {satisfied_by_skill: code-review, satisfied_by: user}\n";
    for (skill, end, satisfies) in [
        ("code-review", End::Failed, false),
        ("another", End::Succeeded, false),
        ("code-review", End::Succeeded, true),
    ] {
        let mut scene = Scene::new(requirements);
        let mut ended = || scene.after("t1", "Skill", &json!({ "skill": skill }), end);
        ended();
        let again = ended();
        assert!(again.effects.iter().all(
            |change| matches!(change, Change::Set(target, _) if target.name.as_deref() == Some("users"))
        ));
        assert_eq!(scene.is_met("review"), satisfies, "{skill} {end:?}");
        assert!(!scene.is_met("other") && !scene.is_met("users"));
        let found = scene.view().satisfaction(&scene.rule("review")).cloned();
        assert!(found.is_none_or(
            |found| found.satisfied_by == By::Skill && found.metadata.skill.as_deref() == Some(skill)
        ));
    }
}

#[test]
fn req_satisfy_in_claudes_shell_is_recorded_here_too_and_only_once() {
    for (line, expected) in [
        ("req satisfy plan adr", &["adr", "plan"][..]),
        ("/opt/hooks/req satisfy plan", &["plan"]),
        ("'/my hooks/req' satisfy plan --note 'as in docs'", &["plan"]),
        ("cd sub && req satisfy plan", &["plan"]),
        ("req satisfy plan && cargo test", &["plan"]),
        ("req satisfy plan || true", &[]),
        ("req satisfy plan | cat", &[]),
        ("req satisfy plan; ls", &[]),
        ("echo req satisfy plan", &[]),
        ("req satisfy", &[]),
        ("req satisfy unknown", &[]),
        ("req satisfy plan --session 0c4e7a11", &[]),
        ("req satisfy plan --branch", &["plan"]),
        ("req satisfy plan --branch other", &[]),
        ("req clear plan", &[]),
        ("req satisfy tests", &[]),
        ("req satisfy users", &[]),
    ] {
        let mut scene = Scene::new(
            "plan: {}\nadr: {scope: branch}\nusers: {satisfied_by: user}\n\
             tests: {type: evidence, command: cargo test}\n",
        );
        scene.bash_ended("t1", line, End::Succeeded);
        let met: Vec<&str> =
            ["adr", "plan", "tests", "users"].into_iter().filter(|name| scene.is_met(name)).collect();
        assert_eq!(met, expected, "{line}");
        assert!(scene.bash_ended("t2", line, End::Succeeded).effects.is_empty(), "again: {line}");
    }
    let mut scene = Scene::new("plan: {}\n");
    scene.bash_ended("t1", "req satisfy plan", End::Failed);
    assert!(!scene.is_met("plan"), "the command was refused or failed");
}

#[test]
fn after_a_plan_what_the_work_will_need_is_listed() {
    let requirements = "plan: {}\nadr: {scope: branch}\nat_the_end: {enforce: stop}\n";
    let mut scene = Scene::new(requirements);
    scene.satisfy("plan", OWN, By::Agent);
    let exit =
        |scene: &mut Scene, end| scene.after("t1", "ExitPlanMode", &json!({ "plan": "x" }), end).verdict;
    let Verdict::Advise { text } = exit(&mut scene, End::Succeeded) else { panic!("nothing is listed") };
    assert!(text.contains("- adr: ") && text.contains("req satisfy adr"), "{text}");
    assert!(!text.contains("- plan: ") && !text.contains("at_the_end"), "{text}");
    assert_eq!(exit(&mut scene, End::Failed), Verdict::Pass, "the plan was refused");
    scene.satisfy("adr", Holder::Everyone, By::Agent);
    assert_eq!(exit(&mut scene, End::Succeeded), Verdict::Pass, "nothing is missing");
}

#[test]
fn what_each_denial_advises_leads_to_success() {
    let lines = "cd /elsewhere && cargo test ¦ cargo test | tail ¦ cargo test || true ¦ cargo test & ¦ \
        cargo test; echo done ¦ cargo test --no-run ¦ xargs -n1 cargo test ¦ uv run cargo test ¦ \
        cargo test --list | head ¦ cargo test\necho done ¦ true || cargo test ¦ \
        if cargo test; then echo yes; fi ¦ for i in 1; do cargo test; done ¦ echo $(cargo test) ¦ \
        (cargo test) | cat ¦ cargo test --help ¦ exit 0; cargo test ¦ trap 'exit 0' EXIT; cargo test ¦ \
        sh -c 'cargo test | cat' ¦ cargo test $ARGS ¦ cargo test --manifest-path ../other/Cargo.toml ¦ \
        git stash; cargo test";
    for line in lines.split(" ¦ ") {
        let mut scene = Scene::new(COMMIT);
        run(&mut scene, line, End::Succeeded);
        let reason = denied(&scene.bash("t1", "git commit -m x")).to_owned();
        assert!(reason.contains("did not count"), "{line}: {reason}");
        assert!(
            line != "cd /elsewhere && cargo test"
                || reason.contains("(no pipe): cd /repo/tree && cargo test;")
        );
        let advised = reason.split("(no pipe): ").nth(1).and_then(|rest| rest.split("; or ").next()).unwrap();
        run(&mut scene, advised, End::Succeeded);
        scene.world.evidence.insert("tests".to_owned(), Freshness::Same);
        assert!(is_silent(&scene.bash("t2", "git commit -m x")), "{line}: {advised}");
    }
}

#[test]
fn a_commit_of_another_version_than_the_tested_one_is_denied() {
    let mut scene = Scene::new(COMMIT);
    run(&mut scene, PASSING, End::Succeeded);
    scene.world.evidence.insert("tests".to_owned(), Freshness::Same);
    scene.world.staged_otherwise.insert("tests".to_owned(), vec!["src/a b.rs".to_owned()]);
    let reason = denied(&scene.bash("t1", "git commit -m x")).to_owned();
    assert!(reason.contains("what is staged is not what `cargo test` passed on: src/a b.rs"), "{reason}");
    assert!(reason.contains("git add 'src/a b.rs'"), "{reason}");
}

const COMMIT: &str = "tests: {type: evidence, command: cargo test, \
                      trigger_tools: [{tool: Bash, command_pattern: git commit}]}\n";
