//! After a call: what it made due, what it proved, what it satisfied.

use serde_json::json;
use shared::hook::{Memory, Verdict};

use crate::git::Worktree;
use crate::satisfactions::By;
use crate::scene::{End, OTHER, OWN, SESSION, Scene, denied, edit_of, is_silent, settings};
use crate::world::Freshness;

const TESTS: &str = "tests: {type: evidence, command: cargo test, paths: ['src/**']}\n";
const COMMIT: &str = "tests: {type: evidence, command: cargo test, \
                      trigger_tools: [{tool: Bash, command_pattern: git commit}]}\n";
const PASSING: &str = "cargo test";

/// The line runs, begun on files that are like this, and ends so.
fn run(scene: &mut Scene, line: &str, end: End) {
    scene.bash_for("run", line, "tests", "digest");
    assert!(is_silent(&scene.bash_ended("run", line, end)), "{line}");
}

/// The fingerprint that the evidence was stored with; none where there is no evidence.
fn evidence(scene: &Scene) -> Option<String> {
    let found = scene.view().satisfaction(&scene.rule("tests"))?.clone();
    assert_eq!(found.satisfied_by, By::Evidence);
    found.metadata.fingerprint
}

#[test]
fn a_call_that_ran_has_triggered_what_it_needed_and_a_denied_one_nothing() {
    let mut scene = Scene::new("plan: {}\ncommit: {trigger_tools: [Bash]}\n");
    scene.edit("t1");
    assert!(scene.state.due.is_empty(), "denied");
    assert!(is_silent(&scene.edited("t1")));
    assert_eq!(scene.state.due.iter().collect::<Vec<_>>(), ["plan"]);
    scene.bash_ended("t2", "ls", End::Failed);
    assert!(scene.state.due.contains("commit"), "a command that failed ran all the same");
}

#[test]
fn evidence_is_due_once_its_files_have_changed() {
    for (tool, input, end, expected) in [
        ("Edit", edit_of("src/a.rs"), End::Succeeded, true),
        ("Edit", edit_of("docs/a.md"), End::Succeeded, false),
        ("Edit", json!({ "file_path": "/elsewhere/src/a.rs" }), End::Succeeded, false),
        ("Edit", json!({ "file_path": "src/a.rs" }), End::Succeeded, true),
        ("Edit", json!({}), End::Succeeded, true),
        ("Edit", edit_of("src/a.rs"), End::Failed, false),
        ("Read", edit_of("src/a.rs"), End::Succeeded, false),
        ("Bash", json!({ "command": "make" }), End::Succeeded, false),
        ("Bash", json!({ "command": "make" }), End::ChangedFiles, true),
    ] {
        let mut scene = Scene::new(TESTS);
        let answer = scene.after("t1", tool, &input, end);
        assert_eq!(scene.state.due.contains("tests"), expected, "{tool} {input}");
        assert!(answer.effects.is_empty() && (answer.memory == Memory::Keep) != expected, "{tool} {input}");
    }
}

#[test]
fn files_that_another_branch_changes_are_nobodys_work_and_prove_nothing() {
    for (line, expected) in [
        ("git switch main", false),
        ("git checkout main && cargo test", false),
        ("git checkout main src/a.rs && cargo test", true),
        ("git checkout -b work && sed -i s/x/y/ src/a.rs", true),
        ("git switch main && echo x > src/a.rs", true),
    ] {
        let mut scene = Scene::new(TESTS);
        scene.bash_for("t1", line, "tests", "digest");
        scene.bash_ended("t1", line, End::ChangedFiles);
        assert_eq!(scene.state.due.contains("tests"), expected, "{line}");
        assert_eq!(evidence(&scene), None, "{line}");
    }
}

#[test]
fn a_run_in_another_work_tree_is_named_here_and_has_its_own_reason_there() {
    let mut scene = Scene::new(TESTS);
    let own = scene.world.worktree.clone();
    scene.world.worktree = own.clone().map(|tree| Worktree { root: "/repo/other".into(), ..tree });
    scene.world.elsewhere = Some("/repo/other".into());
    scene.bash_ended("t1", "cd /repo/other && cargo test | tail", End::Succeeded);
    let there = scene.standing("tests").unwrap_err();
    assert!(there.contains("did not count: ") && there.contains("before a pipe"), "{there}");
    (scene.world.worktree, scene.world.elsewhere) = (own, None);
    let here = scene.standing("tests").unwrap_err();
    assert!(here.ends_with("`cargo test` did not count: it ran in another work tree"), "{here}");
    assert_eq!(scene.state.uncounted["tests"].line, "cargo test");
    scene.bash_ended("t2", "npm ci && cargo test", End::Failed);
    assert!(scene.standing("tests").unwrap_err().ends_with("did not count: its line failed"));
}

#[test]
fn evidence_is_stored_with_the_files_its_command_began_on() {
    let mut scene = Scene::new(TESTS);
    run(&mut scene, PASSING, End::Succeeded);
    assert_eq!(evidence(&scene).as_deref(), Some("digest"));
    let found = scene.view().satisfaction(&scene.rule("tests")).unwrap().clone();
    assert_eq!(found.metadata.command.as_deref(), Some(PASSING));
    scene.bash_for("run2", PASSING, "tests", "later");
    scene.bash_ended("run2", PASSING, End::Succeeded);
    assert_eq!(evidence(&scene).as_deref(), Some("later"), "a newer run replaces an older one");
    let mut scene = Scene::new(TESTS);
    scene.bash_for("t2", PASSING, "tests", "digest");
    scene.bash_ended("t3", PASSING, End::Succeeded);
    assert_eq!(evidence(&scene), None, "noted for another call");
    assert!(scene.state.uncounted["tests"].why.contains("not known"));
}

#[test]
fn a_command_that_failed_takes_its_sessions_evidence_away_even_one_that_would_not_have_counted() {
    for (line, session, is_kept) in [
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
fn evidence_holds_for_what_was_asked_for_when_it_passed() {
    let was = "command: cargo test, min_output: ' passed'";
    for (line, now, why) in [
        ("cargo test --all", "command: [make lint, cargo test], min_output: ' passed'", None),
        ("cargo test", "command: cargo test", Some("`cargo test` is asked for now")),
        ("cargo test", "command: [make, just test]", Some("`make` or `just test` is asked for now")),
        (
            "cargo test",
            "command: cargo test, min_output: ZZZ",
            Some("with output that matches ZZZ is asked for now"),
        ),
    ] {
        let mut scene = Scene::new(&format!("tests: {{type: evidence, {was}}}\n"));
        run(&mut scene, line, End::Succeeded);
        scene.world.evidence.insert("tests".to_owned(), Freshness::Same);
        scene.settings = settings(&format!("tests: {{type: evidence, {now}}}\n"));
        let standing = scene.standing("tests");
        assert_eq!(standing.is_ok(), why.is_none(), "{line} {now}: {standing:?}");
        assert!(why.is_none_or(|why| standing.clone().unwrap_err().contains(why)), "{standing:?}");
    }
}

#[test]
fn keeps_no_part_of_a_secret_that_quotes_break_or_that_spans_several_commands() {
    let body = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "BKcwggSjAgEAAoIBAQDC9yZJmYk2Vd1o"];
    let key = format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----", body.join("\n"));
    let lines =
        [format!("cargo test\n{key}"), format!("echo {key} | cargo test"), format!("cargo test --key {key}")];
    let quoted = ["ab\"\"cdefghijklmnop1234567890", "ab'cdefghijklmnop'1234567890"];
    let quoted = quoted.map(|secret| format!("cargo test --token={secret} | tail"));
    for line in lines.iter().chain(&quoted) {
        for command in ["'.*'", "cargo test", "'cargo test.*'"] {
            let gate = "trigger_tools: [{tool: Bash, command_pattern: '.*'}]";
            let mut scene = Scene::new(&format!("tests: {{type: evidence, command: {command}, {gate}}}\n"));
            let denial = format!("{:?}", scene.bash("t1", line));
            scene.bash_ended("t1", line, End::Succeeded);
            let kept = serde_json::to_string(&scene.state).unwrap() + &denial;
            let parts = body.iter().flat_map(|part| part.as_bytes().windows(12));
            let mut parts = parts.map(|part| std::str::from_utf8(part).unwrap()).chain(["efghij"]);
            assert_eq!(parts.find(|part| kept.contains(part)), None, "{line} {command}: {kept}");
        }
    }
}

#[test]
fn a_skill_that_succeeded_satisfies_what_names_it_once() {
    let requirements = "review: {satisfied_by_skill: [code-review]}\nother: {satisfied_by_skill: x}\n\
                        users: {satisfied_by_skill: code-review, satisfied_by: user}\n";
    for (skill, end, expected) in [
        ("code-review", End::Failed, false),
        ("another", End::Succeeded, false),
        ("code-review", End::Succeeded, true),
    ] {
        let mut scene = Scene::new(requirements);
        scene.after("t1", "Skill", &json!({ "skill": skill }), end);
        let found = scene.view().satisfaction(&scene.rule("review")).cloned();
        assert_eq!(found.is_some_and(|found| found.satisfied_by == By::Skill), expected, "{skill} {end:?}");
        assert!(!scene.is_met("other") && !scene.is_met("users"));
    }
}

#[test]
fn req_satisfy_in_claudes_shell_is_recorded_here_too_and_only_once() {
    for (line, expected) in [
        ("cd sub && req satisfy plan adr", "adr plan"),
        ("'/my hooks/req' satisfy plan --note 'as in docs' && cargo test", "plan"),
        ("req satisfy plan || true", ""),
        ("req satisfy plan | cat", ""),
        ("echo req satisfy plan", ""),
        ("req satisfy unknown tests users", ""),
        ("req satisfy plan --session 0c4e7a11", ""),
        ("req satisfy plan --branch", "plan"),
        ("req satisfy plan --branch other", ""),
    ] {
        let mut scene = Scene::new(
            "plan: {}\nadr: {scope: branch}\nusers: {satisfied_by: user}\n\
             tests: {type: evidence, command: cargo test}\n",
        );
        scene.bash_ended("t0", line, End::Failed);
        assert!(!scene.is_met("plan"), "the command was refused or failed");
        scene.bash_ended("t1", line, End::Succeeded);
        let met = ["adr", "plan", "tests", "users"].into_iter().filter(|name| scene.is_met(name));
        assert_eq!(met.collect::<Vec<_>>().join(" "), expected, "{line}");
        assert!(scene.bash_ended("t2", line, End::Succeeded).effects.is_empty(), "again: {line}");
    }
}

#[test]
fn after_a_plan_what_the_work_will_need_is_listed() {
    let mut scene = Scene::new("plan: {}\nadr: {scope: branch}\nat_the_end: {enforce: stop}\n");
    scene.satisfy("plan", OWN, By::Agent);
    let exit =
        |scene: &mut Scene, end| scene.after("t1", "ExitPlanMode", &json!({ "plan": "x" }), end).verdict;
    let Verdict::Advise { text } = exit(&mut scene, End::Succeeded) else { panic!("nothing is listed") };
    assert!(text.contains("- adr: ") && text.contains("req satisfy adr"), "{text}");
    assert!(!text.contains("- plan: ") && !text.contains("at_the_end"), "{text}");
    assert_eq!(exit(&mut scene, End::Failed), Verdict::Pass, "the plan was refused");
    scene.satisfy("adr", None, By::Agent);
    assert_eq!(exit(&mut scene, End::Succeeded), Verdict::Pass, "nothing is missing");
}

const UNCOUNTED: &str = "cd /elsewhere && cargo test¦cargo test | tail¦cargo test || true¦cargo test &¦cargo test; echo done¦\
    cargo test --no-run¦xargs -n1 cargo test¦uv run cargo test¦cargo test --list | head¦cargo test\necho done¦true || cargo test¦\
    if cargo test; then echo yes; fi¦for i in 1; do cargo test; done¦echo $(cargo test)¦(cd sub && cargo test) | cat¦! cargo test¦\
    exit 0; cargo test¦trap 'exit 0' EXIT; cargo test¦sh -c 'cargo test'¦cargo test $ARGS¦git stash; cargo test; git stash pop¦\
    cargo test --manifest-path ../other/Cargo.toml";

#[test]
fn advice_of_each_denial_leads_to_success() {
    let lines = UNCOUNTED.split('¦').map(|line| (line, End::Succeeded));
    for (line, end) in lines.chain([(PASSING, End::Unfinished), (PASSING, End::WithoutOutput)]) {
        let mut scene = Scene::new(COMMIT);
        run(&mut scene, line, end);
        assert_eq!(evidence(&scene), None, "{line} {end:?}");
        let reason = denied(&scene.bash("t1", "git commit -m x")).to_owned();
        assert!(reason.contains("did not count"), "{line}: {reason}");
        let advised = reason.split("(no pipe): ").nth(1).and_then(|rest| rest.split("; or ").next()).unwrap();
        assert!(!line.starts_with("cd /elsewhere") || advised == "cd /repo/tree && cargo test");
        run(&mut scene, advised, End::Succeeded);
        assert!(scene.state.uncounted.is_empty());
        scene.world.evidence.insert("tests".to_owned(), Freshness::Same);
        assert!(is_silent(&scene.bash("t2", "git commit -m x")), "{line}: {advised}");
        run(&mut scene, line, end);
        assert_eq!(evidence(&scene).as_deref(), Some("digest"), "the files decide whether it holds: {line}");
    }
}

#[test]
fn a_commit_of_another_version_than_the_tested_one_is_denied() {
    let mut scene = Scene::new(COMMIT);
    run(&mut scene, PASSING, End::Succeeded);
    let staged = Freshness::StagedOtherwise(vec!["src/a b.rs".to_owned()]);
    scene.world.evidence.insert("tests".to_owned(), staged);
    let reason = denied(&scene.bash("t1", "git commit -m x")).to_owned();
    assert!(reason.contains("what is staged is not what `cargo test` passed on: src/a b.rs"), "{reason}");
    assert!(reason.contains("git add 'src/a b.rs'"), "{reason}");
    scene.world.cwd.push("sub");
    let reason = denied(&scene.bash("t2", "git commit -m x")).to_owned();
    assert!(reason.contains("git add ':/src/a b.rs'"), "from a folder below: {reason}");
}
