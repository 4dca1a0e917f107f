//! Which commands and which files are evidence, and why a run is none.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::{command_of, flat, is_about, near_miss, not_counted};
use crate::facts::After;
use crate::scene::{ROOT, Scene, call};
use crate::settings::{Age, Pattern};

const TESTS: &str = "tests: {type: evidence, command: [cargo test, npm test]}\n";

/// What the line's evidence is: the command, the line to type, and why it does not count as it stands.
fn found(requirement: &str, line: &str) -> Option<(String, String, bool)> {
    let scene = Scene::new(requirement);
    let (rule, call) = (scene.rule("tests"), call("Bash", &json!({ "command": line })));
    let found = command_of(&rule, &call)?;
    let world = &scene.world;
    let line = found.line_in(world.here.root(), &world.cwd);
    Some((found.shown.clone(), line, found.counts()))
}

#[test]
fn the_command_that_decides_the_line_is_the_evidence() {
    for (line, shown, to_type, counts) in [
        ("cargo test", "cargo test", "cargo test", true),
        ("cargo test --workspace", "cargo test --workspace", "cargo test --workspace", true),
        ("cargo +nightly test", "cargo +nightly test", "cargo +nightly test", true),
        ("cargo fmt && cargo test", "cargo test", "cargo test", true),
        ("cargo test > log 2>&1", "cargo test", "cargo test", true),
        ("set -o pipefail; cargo test | tail", "cargo test", "cargo test", true),
        ("cd sub && npm test", "npm test", "cd sub && npm test", true),
        ("cargo test 2>&1 | tail", "cargo test", "cargo test", false),
        ("cargo test || true", "cargo test", "cargo test", false),
        ("cargo test; echo done", "cargo test", "cargo test", false),
        ("cargo test &", "cargo test", "cargo test", false),
        ("! cargo test", "cargo test", "cargo test", false),
        ("cargo test --no-run", "cargo test --no-run", "cargo test", false),
        ("cargo test -- --list", "cargo test -- --list", "cargo test", false),
        // Of several the one that counts.
        ("npm test | tail && cargo test", "cargo test", "cargo test", true),
        ("cargo test --no-run && npm test", "npm test", "npm test", true),
    ] {
        let expected = Some((shown.to_owned(), to_type.to_owned(), counts));
        assert_eq!(found(TESTS, line), expected, "{line}");
    }
    for line in [
        "cargo build",
        "echo cargo test",
        "cat <<EOF\ncargo test\nEOF",
        "# cargo test",
        "'unclosed cargo test",
        "",
    ] {
        assert_eq!(found(TESTS, line), None, "{line}");
    }
}

#[test]
fn arguments_that_prove_nothing_are_those_of_the_setting_where_there_are_some() {
    for (not_args, line, counts) in [
        ("", "cargo test --help", false),
        ("", "cargo test --fast", true),
        ("not_args: [--fast]", "cargo test --fast", false),
        ("not_args: [--fast]", "cargo test --help", true),
        ("not_args: [--fast]", "cargo test --fast=yes", false),
        ("not_args: [--fast]", "cargo test --faster", true),
        ("not_args: []", "cargo test --no-run", true),
    ] {
        let requirement = format!("tests: {{type: evidence, command: cargo test, {not_args}}}\n");
        let found = found(&requirement, line).unwrap();
        assert_eq!(found.2, counts, "{not_args} {line}");
    }
}

/// A run that ended without an error, in the middle of things; the tests change what matters.
struct Ended {
    requirement: &'static str,
    line: &'static str,
    change: fn(&mut After),
    was_noted: bool,
}

impl Ended {
    fn why_not(&self) -> Option<String> {
        let mut scene = Scene::new(self.requirement);
        let mut facts = After {
            call: call("Bash", &json!({ "command": self.line })),
            world: std::mem::take(&mut scene.world),
            succeeded: true,
            is_unfinished: false,
            changed: Vec::new(),
            without_output: Vec::new(),
            satisfied: Vec::new(),
        };
        (self.change)(&mut facts);
        let rule = scene.rule("tests");
        let found = command_of(&rule, &facts.call).unwrap();
        not_counted(&rule, &found, &facts, self.was_noted)
    }
}

const RUN: Ended = Ended { requirement: TESTS, line: "cargo test", change: |_| (), was_noted: true };

#[test]
fn a_run_that_passed_in_this_work_tree_on_known_files_counts() {
    assert_eq!(RUN.why_not(), None);
    for line in ["cd sub && cargo test", "cd sub/../other && cargo test", "cd /repo/tree/sub && cargo test"] {
        assert_eq!(Ended { line, ..RUN }.why_not(), None, "{line}");
    }
    let other = |facts: &mut After| facts.without_output = vec!["another".to_owned()];
    assert_eq!(Ended { change: other, ..RUN }.why_not(), None, "another requirement's output");
}

#[test]
fn why_a_run_does_not_count() {
    let is_unfinished = |facts: &mut After| facts.is_unfinished = true;
    let without_output = |facts: &mut After| facts.without_output = vec!["tests".to_owned()];
    let with_output = "tests: {type: evidence, command: cargo test, min_output: '[1-9][0-9]* passed'}\n";
    for (run, why) in [
        (Ended { line: "cargo test | tail", ..RUN }, "a pipe"),
        (Ended { line: "cargo test || true", ..RUN }, "`||`"),
        (Ended { line: "cargo test; echo", ..RUN }, "the command after it"),
        (Ended { line: "cargo test &", ..RUN }, "`&`"),
        (Ended { line: "! cargo test", ..RUN }, "`!`"),
        (Ended { line: "cargo test --no-run", ..RUN }, "with these arguments it proves nothing"),
        (Ended { line: "cd /elsewhere && cargo test", ..RUN }, "did not run in this work tree"),
        (Ended { line: "cd .. && cargo test", ..RUN }, "did not run in this work tree"),
        (Ended { line: "cd sub/../../treehouse && cargo test", ..RUN }, "did not run in this work tree"),
        (Ended { line: "cd \"$THERE\" && cargo test", ..RUN }, "did not run in this work tree"),
        (Ended { change: is_unfinished, ..RUN }, "background, or was interrupted"),
        (Ended { requirement: with_output, change: without_output, ..RUN }, "[1-9][0-9]* passed"),
        (Ended { was_noted: false, ..RUN }, "what the files were when it began is not known"),
    ] {
        let told = run.why_not().unwrap_or_else(|| panic!("{} counts", run.line));
        assert!(told.contains(why), "{}: {told}", run.line);
    }
}

#[test]
fn without_git_the_project_is_the_work_tree() {
    let without_git = |facts: &mut After| facts.world.here.worktree = None;
    assert_eq!(Ended { change: without_git, ..RUN }.why_not(), None);
    let outside = Ended { line: "cd /elsewhere && cargo test", change: without_git, ..RUN };
    assert!(outside.why_not().is_some());
    let nowhere = |facts: &mut After| (facts.world.here.worktree, facts.world.root) = (None, None);
    assert_eq!(Ended { line: "cd /elsewhere && cargo test", change: nowhere, ..RUN }.why_not(), None);
}

/// Whether a file is one the evidence is about.
fn about(paths: &str, file: &str) -> bool {
    let scene = Scene::new(&format!("tests: {{type: evidence, command: x, paths: {paths}}}\n"));
    let (rule, root) = (scene.rule("tests"), Path::new(ROOT));
    is_about(&rule, root, &root.join(file))
}

#[test]
fn evidence_is_about_the_files_its_globs_name_and_without_globs_about_all_inside() {
    for (paths, file, expected) in [
        ("[]", "src/a.rs", true),
        ("[]", "README", true),
        ("[]", "../other/a.rs", false),
        ("[]", "/elsewhere/a.rs", false),
        ("[]", "src/../../tree/a.rs", true),
        ("['src/**']", "src/a.rs", true),
        ("['src/**']", "src/deep/a.rs", true),
        ("['src/**']", "docs/a.md", false),
        ("['src/**']", "src/../docs/a.md", false),
        ("['src/**']", "docs/../src/a.rs", true),
        ("['src/*.rs']", "src/deep/a.rs", false),
        ("['**/*.rs', Cargo.toml]", "Cargo.toml", true),
        ("['**/*.rs', Cargo.toml]", "sub/Cargo.toml", false),
        ("['**/*.rs']", "a.rs", true),
        ("['src/**']", "/elsewhere/src/a.rs", false),
    ] {
        assert_eq!(about(paths, file), expected, "{paths} {file}");
    }
}

#[test]
fn a_path_is_flattened_as_text() {
    for (path, expected) in [
        ("/a/./b/../c", "/a/c"),
        ("/../a", "/a"),
        ("a/b/..", "a"),
        ("./a", "a"),
        ("/a//b/", "/a/b"),
        ("/", "/"),
    ] {
        assert_eq!(flat(Path::new(path)), PathBuf::from(expected), "{path}");
    }
}

#[test]
fn the_conditions_of_a_file_stand_in_its_map_or_beside_it() {
    let conditions = "newer_than: HEAD, contains: ['^ok']";
    let beside = format!("tests: {{type: evidence, file: docs/*.md, {conditions}}}\n");
    let inside = format!("tests: {{type: evidence, file: {{file: docs/*.md, {conditions}}}}}\n");
    for requirement in [beside, inside] {
        let scene = Scene::new(&requirement);
        let file = scene.rule("tests").set.evidence().unwrap().file.clone().unwrap();
        assert_eq!((file.glob.as_str(), file.newer_than), ("docs/*.md", Some(Age::Head)), "{requirement}");
        assert_eq!(file.contains.iter().map(Pattern::as_str).collect::<Vec<_>>(), ["^ok"]);
    }
}

#[test]
fn an_expression_must_match_from_the_beginning_of_a_command() {
    let requirement = "tests: {type: evidence, command: 'pytest( .*)?'}\n";
    for line in [
        "pytest",
        "pytest -q tests",
        "PYTEST -q",
        "X=1 pytest",
        "timeout 60 .venv/bin/pytest -q",
        "cd sub && pytest",
        "sh -c 'pytest -q'",
    ] {
        assert!(found(requirement, line).is_some(), "{line}");
    }
    for line in [
        "pip install pytest",
        "which pytest",
        "grep -rn pytest .",
        "echo pytest",
        "python -m pytest",
        "echo 'pytest'",
    ] {
        assert_eq!(found(requirement, line), None, "{line}");
    }
    for (pattern, line) in [
        ("^\\.venv/bin/pytest", ".venv/bin/pytest -q"),
        ("python3? -m pytest", "python -m pytest"),
        ("RUST_LOG=\\w+ cargo test", "RUST_LOG=debug cargo test"),
        ("npm run (unit|all)$", "npm run unit"),
    ] {
        let requirement = format!("tests: {{type: evidence, command: '{pattern}'}}\n");
        assert!(found(&requirement, line).is_some(), "{pattern} {line}");
    }
}

#[test]
fn a_line_that_turns_the_work_tree_or_puts_files_back_does_not_count() {
    for line in [
        "git stash -q && cargo test && git stash pop -q",
        "git checkout -q o && cargo test && git checkout -q work",
        "git switch o && cargo test",
        "cargo test && git reset --hard",
        "git pull && cargo test",
        "cargo test --color=$(git stash -q)",
        "cp b /tmp/b && echo ok > b && cargo test && cp /tmp/b b",
        "sed -i s/a/b/ f && cargo test && sed -i s/b/a/ f",
    ] {
        let why = Ended { line, ..RUN }.why_not().unwrap_or_else(|| panic!("{line} counts"));
        assert!(why.contains("may change the files"), "{line}: {why}");
    }
    for line in [
        "cd sub && cargo test",
        "export X=1; cargo test",
        "cargo build && cargo test",
        "npm ci && npm test",
        "mkdir -p out && cargo test",
        "cp .env.example .env && cargo test",
        "cargo test && cp target/report .",
        "sed -n 1p f && cargo test && sed -n 1p f",
        "git status && cargo test",
        "git stash list && cargo test",
        "git switch -c fix && cargo test",
        "git add -A && cargo test",
        "rm -rf /tmp/out && cargo test",
        "cargo test > log 2>&1",
        "set -o pipefail; cargo test 2>&1 | tee log",
        "cargo test && echo passed > log",
        "cargo test && git commit -m x",
    ] {
        assert_eq!(Ended { line, ..RUN }.why_not(), None, "{line}");
    }
}

#[test]
fn arguments_that_only_the_shell_knows_do_not_count() {
    for (line, argument) in [
        ("cargo test $ARGS", "$ARGS"),
        ("cargo test \"$ARGS\"", "$ARGS"),
        ("cargo test \"\"$ARGS", "$ARGS"),
        ("cargo test $HOMES", "$HOMES"),
        ("cargo test $(echo --no-run)", "$(echo --no-run)"),
        ("cargo test `echo --no-run`", "`echo --no-run`"),
        ("cargo test {--no-run,}", "{--no-run,}"),
        ("cargo test -{-no-run,}", "-{-no-run,}"),
        ("cargo test --no-*", "--no-*"),
        ("cargo test -- --li?t", "--li?t"),
        ("cargo test --$WHAT", "--$WHAT"),
    ] {
        let why = Ended { line, ..RUN }.why_not().unwrap_or_else(|| panic!("{line} counts"));
        assert!(why.contains("what the shell puts in") && why.contains(argument), "{line}: {why}");
    }
    for line in [
        "cargo test tests/*.rs",
        "cargo test tests/{a,b}.rs",
        "cargo test --target-dir=$X",
        "cargo test --manifest-path \"$PWD/Cargo.toml\"",
        "cargo test --target-dir ~/target",
        "cargo test \"$HOME/x\" \"$HOME\" $PWD",
        "cargo test '$X'",
        "cargo test -- 'a*'",
        "cargo test {}",
    ] {
        assert_eq!(Ended { line, ..RUN }.why_not(), None, "{line}");
    }
    for line in ["cargo test $'--no\\x2drun'", "cargo test $'--no\\055run'", "cargo test $'\\u002d-no-run'"] {
        let why = Ended { line, ..RUN }.why_not().unwrap_or_else(|| panic!("{line} counts"));
        assert!(why.contains("depend on what the shell puts in"), "{line}: {why}");
    }
}

#[test]
fn a_run_that_may_never_have_happened_does_not_count() {
    for line in [
        "env --help cargo test",
        "nice --version cargo test",
        "nohup --help cargo test",
        "sudo -l cargo test",
        "sudo -b cargo test",
        "timeout --help 5 cargo test",
        "timeout -k5 10m cargo test",
        "stdbuf -oL cargo test",
        "set -- -o noclobber; cargo test | tail",
        "env --chdir=/tmp cargo test",
        "env -C/tmp cargo test",
    ] {
        assert!(Ended { line, ..RUN }.why_not().is_some(), "{line} counts");
    }
    for line in [
        "bash -lc 'cargo test'",
        "bash --noprofile --norc -c 'cargo test'",
        "env -i -u X A=1 cargo test",
        "env --unset=X cargo test",
        "env -C sub cargo test",
        "env --chdir=sub cargo test",
        "nice -n 5 cargo test",
        "nice -5 cargo test",
        "sudo -E -u me cargo test",
        "sudo --user=me cargo test",
        "timeout 10m cargo test",
        "time -p cargo test",
        "export RUST_LOG=x PATH=$PATH:/usr/bin; cargo test",
    ] {
        assert_eq!(Ended { line, ..RUN }.why_not(), None, "{line}");
    }
}

#[test]
fn runners_that_only_list_prove_nothing() {
    for (command, lines) in [
        (
            "pytest",
            &[
                "pytest --co",
                "pytest -q --collect-only",
                "pytest --setup-plan",
                "pytest --fixtures",
                "pytest --markers",
                "pytest --version",
                "pytest -qh",
                "pytest -vV",
            ][..],
        ),
        ("python -m pytest", &["python3 -m pytest --co"]),
        (
            "cargo test",
            &["cargo test --no-run", "cargo test -- --list", "cargo test --help", "cargo test -vh"],
        ),
        ("npx jest", &["npx jest --listTests", "npx jest -ih", "npx jest --showConfig"]),
        ("vitest", &["vitest list", "vitest -h"]),
        ("./gradlew", &["./gradlew -x test", "./gradlew test -m"]),
        ("go test", &["go test -list . ./...", "go test -c ./...", "go test -exec true ./..."]),
        ("make test", &["make test -n", "make test --just-print", "make test -sn", "make test -i"]),
        (
            "mvn test",
            &["mvn test -DskipTests", "mvn test -DskipTests=true", "mvn test -Dmaven.test.skip=true"],
        ),
        ("tox", &["tox -l", "tox --notest", "tox -e py --notest"]),
        ("phpunit", &["vendor/bin/phpunit --list-tests", "phpunit --list-tests-xml=x"]),
        ("swift test", &["swift test list", "swift test --list-tests"]),
        ("zig build test", &["zig build test -l", "zig build test --list-steps"]),
        ("ctest", &["ctest -N"]),
    ] {
        let requirement = format!("tests: {{type: evidence, command: {command}}}\n");
        for line in lines {
            assert!(!found(&requirement, line).unwrap().2, "{line}");
        }
        assert!(found(&requirement, &format!("{command} -v")).unwrap().2, "{command}");
    }
    for (command, line) in [
        ("cargo test", "cargo test --markers"),
        ("pytest", "pytest -khash -rA"),
        ("go test", "go test -run X -race -short -count=1"),
        ("ctest", "ctest -VV -j4"),
        ("mvn test", "mvn -B -V test -Phome"),
        ("mvn test", "mvn test -DskipTests=false"),
        ("make test", "make test -j4 -k"),
    ] {
        let requirement = format!("tests: {{type: evidence, command: '{command}( .*)?|mvn -B.*'}}\n");
        assert!(found(&requirement, line).unwrap().2, "{line}");
    }
}

#[test]
fn python_is_the_same_by_each_of_its_names() {
    for (command, line) in [
        ("python -m pytest", "python3 -m pytest -q"),
        ("python3 -m pytest", "python3.12 -m pytest"),
        ("python3 -m pytest", ".venv/bin/python -m pytest"),
    ] {
        let requirement = format!("tests: {{type: evidence, command: {command}}}\n");
        assert!(found(&requirement, line).is_some(), "{line}");
    }
    assert_eq!(found("tests: {type: evidence, command: python check.py}\n", "python3 check.py"), None);
}

#[test]
fn a_run_on_files_outside_of_the_work_tree_does_not_count() {
    for line in [
        "cargo test --manifest-path ../other/Cargo.toml",
        "cargo test --manifest-path=/elsewhere/Cargo.toml",
        "cargo test -C ../other",
        "cargo test /elsewhere/test_a.py::test_b",
        "cargo test ../other/tests",
    ] {
        let why = Ended { line, ..RUN }.why_not().unwrap_or_else(|| panic!("{line} counts"));
        assert!(why.contains("leads out of this work tree"), "{line}: {why}");
    }
    for line in [
        "cargo test --manifest-path sub/Cargo.toml",
        "cargo test --manifest-path /repo/tree/Cargo.toml",
        "cd sub && cargo test ../tests",
        "cargo test --junitxml=/tmp/report.xml",
        "cargo test --junitxml /tmp/report.xml -o /tmp/x",
        "cargo test tests/a.py",
    ] {
        assert_eq!(Ended { line, ..RUN }.why_not(), None, "{line}");
    }
}

#[test]
fn near_misses_are_known() {
    let near = |command: &str, line: &str| {
        let scene = Scene::new(&format!("tests: {{type: evidence, command: {command}}}\n"));
        near_miss(&scene.rule("tests"), &call("Bash", &json!({ "command": line }))).is_some()
    };
    for (command, line) in [
        ("pytest", "uv run pytest -q"),
        ("pytest", "python -m pytest"),
        ("pytest", "docker compose exec app pytest"),
        ("npm test", "npm run test"),
    ] {
        assert!(near(command, line), "{line}");
    }
    for (command, line) in
        [("pytest", "pip install pytest"), ("pytest", "grep -rn pytest ."), ("pytest", "make")]
    {
        assert!(!near(command, line), "{line}");
    }
}
