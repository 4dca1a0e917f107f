//! What is found in which project.

use std::collections::BTreeSet;

use super::{Found, Hosting, Listing, Repository, may_be_a_project, protected};
use requirements_check::settings::CommandPattern;

/// A top folder with these: `folder/`, `file`, or a file and its text.
pub(crate) fn listing(entries: &[(&str, &str)]) -> Listing {
    let mut listing = Listing::default();
    for (name, text) in entries {
        if let Some(folder) = name.strip_suffix('/') {
            listing.folders.insert(folder.to_owned());
        } else {
            listing.files.insert((*name).to_owned());
            listing.texts.insert((*name).to_owned(), (*text).to_owned());
        }
    }
    listing
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

const SCRIPT: &str = r#"{"scripts": {"test": "vitest run"}}"#;

/// Names and texts of a top folder.
type Entries = &'static [(&'static str, &'static str)];

/// A folder, and the commands that run its tests.
const COMMANDS: &[(Entries, &[&str])] = &[
    (&[("Cargo.toml", "")], &["cargo test"]),
    (&[("Cargo.toml", ""), (".config/nextest.toml", "")], &["cargo nextest run"]),
    (&[("package.json", SCRIPT)], &["npm test"]),
    (&[("package.json", SCRIPT), ("package-lock.json", "")], &["npm test"]),
    (&[("package.json", SCRIPT), ("pnpm-lock.yaml", "")], &["pnpm test"]),
    (&[("package.json", SCRIPT), ("yarn.lock", "")], &["yarn test"]),
    (&[("package.json", SCRIPT), ("bun.lockb", "")], &["bun run test"]),
    (&[("package.json", r#"{"scripts": {"test": "bun test"}}"#), ("bun.lock", "")], &["bun test"]),
    (&[("package.json", r#"{"packageManager": "pnpm@9.1.0", "scripts": {"test": "x"}}"#)], &["pnpm test"]),
    (&[("package.json", r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#)], &[]),
    (&[("package.json", "{ not json")], &[]),
    (&[("package.json", "{}"), ("Makefile", "test: build\n\tx\n")], &["make test"]),
    (&[("deno.json", r#"{"tasks": {"test": "deno test -A"}}"#)], &["deno task test"]),
    (&[("deno.jsonc", "// none\n{}")], &["deno test"]),
    (&[("pyproject.toml", "[tool.pytest.ini_options]")], &["pytest"]),
    (&[("pyproject.toml", "dependencies = [\"pytest\"]"), ("uv.lock", "")], &["uv run pytest"]),
    (&[("pytest.ini", ""), ("poetry.lock", "")], &["poetry run pytest"]),
    (&[("setup.py", ""), ("tests/conftest.py", "")], &["pytest"]),
    (&[("tox.ini", "[tox]\nenvlist = py312"), ("setup.py", "")], &["tox"]),
    (&[("tox.ini", "[testenv]\ncommands = pytest")], &["pytest"]),
    (&[("pyproject.toml", "[tool.ruff]")], &[]),
    (&[("go.mod", "")], &["go test ./..."]),
    (&[("pom.xml", "")], &["mvn test"]),
    (&[("pom.xml", ""), ("mvnw", "")], &["./mvnw test"]),
    (&[("build.gradle.kts", ""), ("gradlew", "")], &["./gradlew test"]),
    (&[("build.gradle", "")], &["gradle test"]),
    (&[("mix.exs", "")], &["mix test"]),
    (&[("Gemfile", ""), (".rspec", "")], &["bundle exec rspec"]),
    (&[("Gemfile", ""), ("spec/", "")], &["bundle exec rspec"]),
    (&[("Gemfile", ""), ("bin/rails", ""), ("test/", "")], &["bin/rails test"]),
    (&[("Gemfile", ""), ("Rakefile", ""), ("test/", "")], &["bundle exec rake test"]),
    (&[("Gemfile", "")], &[]),
    (&[("composer.json", r#"{"scripts": {"test": ["@phpunit"]}}"#)], &["composer test"]),
    (&[("composer.json", "{}"), ("phpunit.xml.dist", "")], &["vendor/bin/phpunit"]),
    (&[("App.sln", "")], &["dotnet test"]),
    (&[("Package.swift", "")], &["swift test"]),
    (&[("CMakeLists.txt", "enable_testing()")], &["ctest --test-dir build"]),
    (&[("CMakeLists.txt", "project(x)")], &[]),
    (&[("justfile", "test:\n  ./run\n")], &["just test"]),
    (&[("Makefile", "test := yes\ntest_all:\n\tx\n")], &[]),
    (&[("Makefile", "test:\n\tcargo test\n"), ("Cargo.toml", "")], &["cargo test"]),
    (
        &[("Cargo.toml", ""), ("package.json", SCRIPT), ("go.mod", "")],
        &["cargo test", "go test ./...", "npm test"],
    ),
    (&[], &[]),
];

#[test]
fn the_command_that_runs_the_tests_is_told_by_the_files_of_the_top_folder() {
    for (entries, expected) in COMMANDS {
        let found = Found::of(&listing(entries), None);
        let lines: Vec<&str> = found.commands.iter().map(|command| command.line.as_str()).collect();
        assert_eq!(lines, *expected, "{entries:?}");
    }
}

#[test]
fn every_command_that_is_found_is_words_that_evidence_knows_again() {
    for line in COMMANDS.iter().flat_map(|(_, lines)| *lines) {
        let pattern = CommandPattern::try_from((*line).to_owned()).unwrap();
        assert!(pattern.is_words(), "{line}");
        let typed = requirements_check::command_line::parse(line).commands.unwrap();
        assert!(pattern.over_commands().unwrap().begins(&typed[0]), "{line}");
    }
}

#[test]
fn a_command_names_the_file_it_was_seen_in() {
    let found = Found::of(&listing(&[("Cargo.toml", ""), ("package.json", SCRIPT)]), None);
    let files: Vec<&str> = found.commands.iter().map(|command| command.file.as_str()).collect();
    assert_eq!(files, ["Cargo.toml", "package.json"]);
}

#[test]
fn globs_are_told_only_where_every_folder_is_known() {
    for (entries, expected) in [
        (
            &[("Cargo.toml", ""), ("src/", ""), ("tests/", ""), ("docs/", ""), (".github/", "")][..],
            &["src/**", "tests/**", "benches/**", "examples/**", "Cargo.toml", "Cargo.lock", "*.rs"][..],
        ),
        (
            &[("src/", ""), ("package.json", ""), ("yarn.lock", ""), ("vite.config.ts", "")],
            &["src/**", "tests/**", "test/**", "__tests__/**", "package.json", "yarn.lock", "*.js", "*.ts"],
        ),
        (
            &[("src/", ""), ("lib/", ""), ("package.json", r#"{"packageManager": "pnpm@9"}"#)],
            &[
                "src/**",
                "tests/**",
                "test/**",
                "lib/**",
                "__tests__/**",
                "package.json",
                "pnpm-lock.yaml",
                "*.js",
                "*.ts",
            ],
        ),
        (&[("src/", ""), ("pyproject.toml", "")], &["src/**", "tests/**", "pyproject.toml", "*.py"]),
        (&[("src/", ""), ("plugins/", "")], &[]),
        (&[("crates/", ""), ("Cargo.toml", "")], &[]),
        (&[("go.mod", ""), ("main.go", "")], &[]),
    ] {
        assert_eq!(Found::of(&listing(entries), None).paths, expected, "{entries:?}");
    }
}

#[test]
fn the_branches_others_build_on() {
    for (default, branches, expected) in [
        (Some("main"), &["main", "topic"][..], &["main"][..]),
        (Some("trunk"), &["main", "trunk"], &["trunk", "main"]),
        (None, &["master", "develop"], &["master", "develop"]),
        (Some("main"), &["main", "release/1.0", "release/2.0"], &["main", "release/*"]),
        (None, &["topic"], &["main", "master"]),
        (None, &[], &["main", "master"]),
        (Some("odd{name}"), &["main"], &["main"]),
    ] {
        assert_eq!(protected(default, &names(branches)), expected, "{default:?} {branches:?}");
    }
}

#[test]
fn the_host_is_told_by_the_remotes_url_however_it_is_written() {
    for (url, expected) in [
        ("https://github.com/owner/name.git", Hosting::GitHub),
        ("git@github.com:owner/name.git", Hosting::GitHub),
        ("https://someone:secret@gitlab.example.com/group/name", Hosting::GitLab),
        ("ssh://git@gitlab.example.com:2222/group/name.git", Hosting::GitLab),
        ("git@bitbucket.org:team/name.git", Hosting::Bitbucket),
        ("https://git.example.com/github/name.git", Hosting::Other),
        ("/srv/github/name.git", Hosting::Other),
        ("file:///srv/gitlab/name.git", Hosting::Other),
        ("../github", Hosting::Other),
        ("", Hosting::Other),
    ] {
        assert_eq!(Hosting::of(url), expected, "{url}");
    }
}

#[test]
fn what_only_folders_below_show_is_told_and_never_taken() {
    let mut top = listing(&[("package.json", SCRIPT), ("pnpm-lock.yaml", "")]);
    for (folder, entries) in [
        ("packages/api", &[("pyproject.toml", "[tool.pytest]")][..]),
        ("packages/other", &[("setup.py", ""), ("pytest.ini", "")]),
        ("packages/web", &[("package.json", SCRIPT)]),
        ("tools/lint", &[("go.mod", "")]),
    ] {
        top.below.insert(folder.to_owned(), listing(entries));
    }
    let found = Found::of(&top, None);
    assert_eq!(
        found.told(),
        "Found here: JavaScript, below it Python (packages/api) and Go (tools/lint); no git repository."
    );
    assert_eq!(found.commands.iter().map(|command| &command.line).collect::<Vec<_>>(), ["pnpm test"]);
    let below: Vec<String> =
        found.commands_below().map(|command| format!("{}: {}", command.file, command.line)).collect();
    assert_eq!(below, ["packages/api/pyproject.toml: pytest", "tools/lint/go.mod: go test ./..."]);
    top.files.clear();
    let told = Found::of(&top, None).told();
    assert!(told.starts_with("Found here: no build file that is known, below it Python"), "{told}");
}

#[test]
fn folders_of_tests_documents_and_builds_are_no_projects_of_their_own() {
    for (name, is_one) in [
        ("packages", true),
        ("api", true),
        ("lib", true),
        ("tests", false),
        ("src", false),
        ("node_modules", false),
        ("fixtures", false),
        (".venv", false),
    ] {
        assert_eq!(may_be_a_project(name), is_one, "{name}");
    }
}

#[test]
fn what_was_found_is_told_in_one_line() {
    let repository = Repository { remote: Some("git@github.com:o/n".to_owned()), ..Repository::default() };
    for (entries, repository, told) in [
        (
            &[("Cargo.toml", ""), ("go.mod", "")][..],
            Some(&repository),
            "Found here: Rust and Go; a git repository on GitHub.",
        ),
        (&[], None, "Found here: no build file that is known; no git repository."),
    ] {
        assert_eq!(Found::of(&listing(entries), repository).told(), told);
    }
    let lonely = Found::of(&listing(&[]), Some(&Repository::default()));
    assert!(lonely.told().ends_with("a git repository without a remote."));
}
