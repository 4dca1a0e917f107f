//! Commands and files that are evidence, and why a run is none.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{command_of, is_about, near_miss};
use crate::facts::After;
use crate::scene::{ROOT, Scene, call};

const TESTS: &str = "tests: {type: evidence, command: [cargo test, npm test]}\n";

/// The line's evidence: the command, the line to type, and whether it counts.
fn found(requirement: &str, line: &str) -> Option<(String, String, bool)> {
    let scene = Scene::new(requirement);
    let (rule, call) = (scene.rule("tests"), call("Bash", &json!({ "command": line })));
    let found = command_of(&rule, &call)?;
    let line = found.line_in(&scene.world);
    Some((found.shown.clone(), line, found.counts()))
}

#[test]
fn the_command_that_decides_the_line_is_the_evidence() {
    for (line, shown, to_type, counts) in [
        (
            "cargo fmt && cargo +nightly test -q > log 2>&1",
            "cargo +nightly test -q",
            "cargo +nightly test -q",
            true,
        ),
        ("cd sub && npm test", "npm test", "cd sub && npm test", true),
        ("cargo test --all | tail", "cargo test --all", "cargo test --all", false),
        ("cargo test -- --list", "cargo test -- --list", "cargo test", false),
        ("stdbuf -oL cargo test", "stdbuf -oL cargo test", "cargo test", false),
        ("cargo test $ARGS", "cargo test $ARGS", "cargo test", false),
        ("cd /elsewhere && cargo test", "cargo test", "cd /repo/tree && cargo test", true),
        ("API_TOKEN=sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaa cargo test | cat", "[masked]", "cargo test", false),
        // The one of several that counts.
        ("npm test | tail && cargo test", "cargo test", "cargo test", true),
        ("cargo test --no-run && npm test", "npm test", "npm test", true),
    ] {
        let expected = Some((shown.to_owned(), to_type.to_owned(), counts));
        assert_eq!(found(TESTS, line), expected, "{line}");
    }
    for line in ["cargo build", "echo cargo test", "cat <<EOF\ncargo test\nEOF", "'unclosed cargo test", ""] {
        assert_eq!(found(TESTS, line), None, "{line}");
    }
}

/// What asks for evidence, and lines that prove something or do not.
const COMMANDS: &[(&str, bool, &str)] = &[
    ("cargo test", true, "cargo test --fast ¦ cargo test --markers"),
    ("cargo test", false, "cargo test --no-run ¦ cargo test -- --list ¦ cargo test --help"),
    ("cargo test, not_args: [--fast]", true, "cargo test --faster"),
    (
        "cargo test, not_args: [--fast]",
        false,
        "cargo test --fast ¦ cargo test --fast=yes ¦ cargo test -- --list",
    ),
    ("pytest", true, "pytest -khash -rA"),
    ("pytest", false, "pytest --co ¦ pytest -q --collect-only ¦ pytest --setup-plan ¦ pytest --fixtures"),
    ("python -m pytest", true, "python3 -m pytest -q ¦ .venv/bin/python3.12 -m pytest"),
    ("python -m pytest", false, "python3 -m pytest --co"),
    ("npx jest", true, "npx jest a"),
    ("npx jest", false, "npx jest --listTests ¦ npx jest -h"),
    ("vitest", true, "vitest run"),
    ("vitest", false, "vitest list"),
    ("./gradlew", true, "./gradlew test"),
    ("./gradlew", false, "./gradlew -x test ¦ ./gradlew test -m"),
    ("go test", true, "go test -run X -race ./..."),
    ("go test", false, "go test -list . ./... ¦ go test -c ./... ¦ go test -exec true ./..."),
    ("make test", true, "make test -j4 -k"),
    ("make test", false, "make test -n ¦ make test --just-print ¦ make test -i ¦ make test -v"),
    ("npm test", false, "npm test -v"),
    ("cargo nextest", true, "cargo nextest run"),
    ("cargo nextest", false, "cargo nextest list"),
    ("ruff", false, "ruff check --exit-zero"),
    ("nox", false, "nox -l"),
    ("just test", false, "just test -n"),
    ("mvn", true, "mvn test -Dskip"),
    ("mvn", false, "mvn test -DskipTests ¦ mvn test -Dmaven.test.skip=true"),
    ("tox", true, "tox -e py"),
    ("tox", false, "tox -l ¦ tox -e py --notest"),
    ("phpunit", true, "vendor/bin/phpunit a"),
    ("phpunit", false, "vendor/bin/phpunit --list-tests"),
    ("swift test", true, "swift test -c release"),
    ("swift test", false, "swift test list ¦ swift test --list-tests"),
    ("dotnet test", true, "dotnet test a"),
    ("dotnet test", false, "dotnet test --list-tests"),
    ("ctest", true, "ctest -VV"),
    ("ctest", false, "ctest -N"),
    ("'pytest( .*)?'", true, "PYTEST -q ¦ X=1 timeout 60 .venv/bin/pytest -q"),
    ("'pytest( .*)?'", false, "pytest --co"),
    ("'^\\.venv/bin/pytest'", true, ".venv/bin/pytest -q"),
    ("'RUST_LOG=\\w+ cargo test'", true, "RUST_LOG=debug cargo test"),
    ("'npm run (unit|all)$'", true, "npm run unit"),
];

#[test]
fn a_command_that_only_lists_or_has_an_argument_that_is_set_proves_nothing() {
    for (command, counts, lines) in COMMANDS {
        let requirement = format!("tests: {{type: evidence, command: {command}}}\n");
        for line in lines.split(" ¦ ") {
            assert_eq!(found(&requirement, line).map(|found| found.2), Some(*counts), "{command}: {line}");
        }
    }
    for (command, line) in [
        ("python check.py", "python3 check.py"),
        ("'pytest( .*)?'", "pip install pytest"),
        ("'pytest( .*)?'", "python -m pytest"),
        ("'pytest( .*)?'", "echo 'pytest'"),
    ] {
        assert_eq!(found(&format!("tests: {{type: evidence, command: {command}}}\n"), line), None, "{line}");
    }
}

/// Why a run of the line that ended without an error does not count.
fn why_not(
    requirement: &str,
    line: &str,
    was_noted: bool,
    change: impl FnOnce(&mut After),
) -> Option<String> {
    let mut scene = Scene::new(requirement);
    let mut facts = After {
        call: call("Bash", &json!({ "command": line })),
        world: std::mem::take(&mut scene.world),
        succeeded: true,
        is_unfinished: false,
        changed: BTreeMap::new(),
        without_output: Vec::new(),
        satisfied: Vec::new(),
    };
    change(&mut facts);
    let rule = scene.rule("tests");
    let found = command_of(&rule, &facts.call).unwrap();
    found.not_counted(&rule, &facts, was_noted)
}

/// Each reason with the runs that do not count for it; none for those that count.
const RUNS: &[(Option<&str>, &str)] = &[
    (Some("a pipe"), "cargo test | tail"),
    (Some("behind a program"), "env --unset=X cargo test ¦ sudo -b cargo test ¦ stdbuf -oL cargo test"),
    (
        Some("with these arguments it proves nothing"),
        "cargo test --no-run ¦ cargo test -V ¦ cargo test --list=x",
    ),
    (Some("did not run in this work tree"), "cd /elsewhere && cargo test ¦ cd .. && cargo test"),
    (Some("did not run in this work tree"), "cd sub/../../treehouse && cargo test"),
    (Some("spell out in which folder"), "cd \"$THERE\" && cargo test ¦ popd && cargo test"),
    (Some("leads out of this work tree"), "cargo test --manifest-path ../other/Cargo.toml"),
    (Some("leads out of this work tree"), "cargo test --manifest-path=/elsewhere/Cargo.toml"),
    (Some("leads out of this work tree"), "npm test --prefix ../other ¦ cargo test -C ../other"),
    (Some("leads out of this work tree"), "cargo test ./../other ¦ cargo test src/../../other"),
    (Some("leads out of this work tree"), "cargo test .claude/worktrees/x/tests"),
    (Some("leads out of this work tree"), "cargo test --verbose ../other ¦ cargo test --roots=../other"),
    (Some("leads out of this work tree"), "cargo test -- ../other ¦ cargo test --rootDir=/elsewhere"),
    (Some("leads out of this work tree"), "cargo test $PWD/../other ¦ cargo test -p ../other"),
    (Some("leads out of this work tree"), "cargo test /elsewhere/test_a.py::test_b ¦ env -C /tmp cargo test"),
    (Some("may change the files"), "git stash -q && cargo test && git stash pop -q"),
    (Some("may change the files"), "cp b /tmp/b && cargo test && cp /tmp/b b"),
    (Some("may change the files"), "sed -i s/a/b/ f && cargo test && sed -i s/b/a/ f"),
    (Some("what the shell puts in for"), "cargo test $ARGS ¦ cargo test \"$ARGS\""),
    (Some("what the shell puts in for"), "cargo test \"\"$ARGS"),
    (Some("what the shell puts in for"), "cargo test $(echo --no-run) ¦ cargo test `echo --no-run`"),
    (Some("what the shell puts in for"), "cargo test {--no-run,}"),
    (Some("what the shell puts in for"), "cargo test -{-no-run,} ¦ cargo test --no-*"),
    (Some("what the shell puts in for"), "cargo test --$WHAT ¦ cargo test $'--no\\x2drun'"),
    (None, "cargo test ¦ cd sub && cargo test ¦ cd sub/../other && cargo test"),
    (None, "cd /repo/tree/sub && cargo test"),
    (None, "cargo test --manifest-path sub/Cargo.toml"),
    (None, "cargo test --manifest-path /repo/tree/Cargo.toml ¦ cd sub && cargo test ../tests"),
    (None, "cargo test --junitxml=/tmp/report.xml ¦ cargo test --junitxml /tmp/report.xml -o /tmp/x"),
    (None, "cargo test -coverprofile /tmp/c.out -k /api"),
    (None, "cargo test tests/{a,b}.rs 'a*' ¦ cargo test --dry-run=false"),
    (None, "npm ci && npm test ¦ cp .env.example .env && cargo test"),
    (None, "cargo test && cp target/report . ¦ git log && cargo test"),
    (None, "git switch -c fix && cargo test ¦ git add -A && cargo test && git commit -m x"),
    (None, "set -o pipefail; cargo test 2>&1 | tee log"),
    (None, "cargo test --target-dir=$X --manifest-path \"$PWD/Cargo.toml\""),
    (None, "cargo test $PWD tests/*.rs"),
    (
        Some("leads out of this work tree"),
        "cargo test ~/other ¦ cargo test \"$HOME/other\" ¦ cargo test --file ~",
    ),
    (
        None,
        "env A=1 cargo test ¦ timeout 60 cargo test ¦ sudo cargo test ¦ nice -n 5 cargo test ¦ time -p cargo test",
    ),
    (
        None,
        "env -i -u X A=1 cargo test ¦ env -- cargo test ¦ timeout -k 5 60 cargo test ¦ sudo -E -u me cargo test",
    ),
    (None, "export PATH=$PATH:/usr/bin; cargo test"),
];

#[test]
fn run_counts_that_passed_here_on_known_files_and_any_other_has_a_reason() {
    for (expected, lines) in RUNS {
        for line in lines.split(" ¦ ") {
            let why = why_not(TESTS, line, true, |_| ());
            assert_eq!(why.is_some(), expected.is_some(), "{line}: {why:?}");
            assert!(why.is_none_or(|why| expected.is_some_and(|expected| why.contains(expected))), "{line}");
        }
    }
    let below_home = |facts: &mut After| facts.world.environment.home = Some("/repo".into());
    assert_eq!(why_not(TESTS, "cargo test ~/tree/sub \"$HOME/tree/x\"", true, below_home), None);
    let why = why_not(TESTS, "cargo test ../other", true, |_| ());
    assert_eq!(why.unwrap(), "`../other` leads out of this work tree");
    let why = why_not(TESTS, "cargo test", true, |facts| facts.is_unfinished = true);
    assert!(why.unwrap().contains("background, or was interrupted"));
    let why = why_not(TESTS, "cargo test", false, |_| ());
    assert!(why.unwrap().contains("what the files were when it began is not known"));
    let report = || BTreeMap::from([("tests".to_owned(), vec!["report.xml".to_owned()])]);
    let why = why_not(TESTS, "cargo test", true, |facts| facts.changed = report());
    assert!(why.unwrap().starts_with("files changed while its line ran: report.xml; if it writes them"));
    let unnamed = |facts: &mut After| drop(facts.changed.insert("tests".to_owned(), Vec::new()));
    let why = why_not(TESTS, "git switch x && cargo test", true, unnamed);
    assert_eq!(why.unwrap(), "files changed while its line ran; run it in a line of its own");
    let with_output = "tests: {type: evidence, command: cargo test, min_output: '[1-9][0-9]* passed'}\n";
    for (name, counts) in [("tests", false), ("another", true)] {
        let why =
            why_not(with_output, "cargo test", true, |facts| facts.without_output = vec![name.to_owned()]);
        assert_eq!(why.is_none_or(|why| !why.contains("[1-9][0-9]* passed")), counts, "{name}");
    }
    // Without git the project is the work tree.
    for (line, counts) in [("cargo test", true), ("cd /elsewhere && cargo test", false)] {
        assert_eq!(
            why_not(TESTS, line, true, |facts| facts.world.worktree = None).is_none(),
            counts,
            "{line}"
        );
    }
    let script = "tests: {type: evidence, command: bash ../ci/test.sh}\n";
    assert_eq!(why_not(script, "bash ../ci/test.sh -q", true, |_| ()), None, "what is set may lead out");
}

#[test]
fn evidence_is_about_the_files_its_globs_name_and_without_globs_about_all_inside() {
    for (paths, file, expected) in [
        ("[]", "README", true),
        ("[]", "../other/a.rs", false),
        ("[]", "/elsewhere/a.rs", false),
        ("[]", "src/../../tree/a.rs", true),
        ("['src/**']", "src/deep/a.rs", true),
        ("['src/**']", "src/../docs/a.md", false),
        ("['src/**']", "docs/../src/a.rs", true),
        ("['src/*.rs']", "src/deep/a.rs", false),
        ("['**/*.rs', Cargo.toml]", "Cargo.toml", true),
        ("['**/*.rs', Cargo.toml]", "sub/Cargo.toml", false),
        ("['**/*.rs']", "a.rs", true),
    ] {
        let scene = Scene::new(&format!("tests: {{type: evidence, command: x, paths: {paths}}}\n"));
        let root = Path::new(ROOT);
        assert_eq!(is_about(&scene.rule("tests"), root, &root.join(file)), expected, "{paths} {file}");
    }
}

/// A hook that is too slow is a gate that opens.
#[test]
fn the_time_a_line_takes_grows_with_its_length_and_not_with_the_square_of_it() {
    let gate = format!(
        "{}, trigger_tools: [{{tool: Bash, command_pattern: git commit}}]}}",
        TESTS.trim_end_matches("}\n")
    );
    let begun = Instant::now();
    for command in ["git commit;", "cargo test;"] {
        Scene::new(&gate).bash("t1", &command.repeat(64 * 1024 / command.len()));
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn near_misses_are_known() {
    for (command, line, expected) in [
        ("pytest", "uv run pytest -q", true),
        ("pytest", "python -m pytest", true),
        ("npm test", "npm run test", true),
        ("python -m pytest", "pytest", true),
        ("cargo test", "cargo nextest run", true),
        ("go test ./...", "go test ./pkg", true),
        ("npm test", "rm -rf test", false),
        ("cargo test", "cargo clippy --tests", false),
        ("npm test", "git commit -m test", false),
        ("pytest", "pip install pytest", false),
        ("pytest", "grep -rn pytest .", false),
        ("pytest", "make", false),
    ] {
        let scene = Scene::new(&format!("tests: {{type: evidence, command: {command}}}\n"));
        let call = call("Bash", &json!({ "command": line }));
        assert_eq!(near_miss(&scene.rule("tests"), &call).is_some(), expected, "{line}");
    }
}
