//! The command that runs a project's tests, guessed from the files in its top folder. No command is run.

use std::path::Path;

use requirements_check::git::Worktree;
use shared::config::read_text;

use crate::config::file::MAX_BYTES;

/// A file in the top folder, a text it must contain, and the command. The first row that fits counts, so a lock file or a
/// wrapper stands before what it refines.
const ROWS: [(&str, &str, &str); 24] = [
    (".config/nextest.toml", "", "cargo nextest run"),
    ("Cargo.toml", "", "cargo test"),
    ("go.mod", "", "go test ./..."),
    ("package.json", "\"test\":", NPM),
    ("deno.json", "", "deno test"),
    ("uv.lock", "", "uv run pytest"),
    ("poetry.lock", "", "poetry run pytest"),
    ("pytest.ini", "", "pytest"),
    ("conftest.py", "", "pytest"),
    ("tests/conftest.py", "", "pytest"),
    ("pyproject.toml", "pytest", "pytest"),
    ("requirements.txt", "pytest", "pytest"),
    ("setup.cfg", "pytest", "pytest"),
    ("tox.ini", "", "tox"),
    ("mvnw", "", "./mvnw test"),
    ("pom.xml", "", "mvn test"),
    ("gradlew", "", "./gradlew test"),
    ("mix.exs", "", "mix test"),
    (".rspec", "", "bundle exec rspec"),
    ("bin/rails", "", "bin/rails test"),
    ("phpunit.xml", "", "vendor/bin/phpunit"),
    ("Package.swift", "", "swift test"),
    ("Makefile", "\ntest:", "make test"),
    ("justfile", "\ntest:", "just test"),
];

const NPM: &str = "npm test";

/// The lock files of other package managers for Node.
const NODE: [(&str, &str); 3] =
    [("pnpm-lock.yaml", "pnpm test"), ("yarn.lock", "yarn test"), ("bun.lock", "bun run test")];

/// The text that `npm init` writes in place of a test.
const NO_TEST: &str = "no test specified";

/// The forms in which people and agents type the same command.
const ALIKE: [&[&str]; 6] = [
    &["pytest", "python -m pytest", "uv run pytest", "poetry run pytest"],
    &["npm test", "npm run test"],
    &["pnpm test", "pnpm run test"],
    &["yarn test", "yarn run test"],
    &["cargo test", "cargo nextest run"],
    &["go test ./...", "go test"],
];

/// The command that runs the tests, the guessed form first; none where no file shows one.
pub(super) fn test_command(root: &Path) -> Option<Vec<&'static str>> {
    let is_there = |file: &str| root.join(file).is_file();
    let holds = |file: &str, part: &str| {
        let text = read_text(&root.join(file), Some(root), MAX_BYTES);
        text.is_ok_and(|text| format!("\n{text}").contains(part))
    };
    let fits = |(file, part, line): &(&str, &str, &str)| {
        is_there(file) && (part.is_empty() || holds(file, part)) && !(*line == NPM && holds(file, NO_TEST))
    };
    let (_, _, line) = ROWS.into_iter().find(fits)?;
    let manager = NODE.into_iter().find(|(lock, _)| line == NPM && is_there(lock));
    let line = manager.map_or(line, |(_, line)| line);
    let alike = ALIKE.iter().find(|forms| forms.contains(&line)).copied().unwrap_or_default();
    Some(std::iter::once(line).chain(alike.iter().copied().filter(|form| *form != line)).collect())
}

pub(super) fn default_branch(root: &Path) -> Option<String> {
    let folder = Worktree::find(root).ok()??.0.common_dir;
    let head = read_text(&folder.join("refs/remotes/origin/HEAD"), None, MAX_BYTES).ok()?;
    head.trim().strip_prefix("ref: refs/remotes/origin/").map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use requirements_check::settings::CommandPattern;

    use super::{ALIKE, NODE, ROWS, test_command};

    fn guessed(files: &[(&str, &str)]) -> Option<&'static str> {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (name, text) in files {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        test_command(&root).map(|forms| forms[0])
    }

    #[test]
    fn a_build_file_names_the_command() {
        let jest = r#"{"scripts": {"test": "jest"}}"#;
        let none = r#"{"scripts": {"test": "echo no test specified"}}"#;
        for (files, command) in [
            (&[][..], None),
            (&[("Cargo.toml", "")], Some("cargo test")),
            (&[("Cargo.toml", ""), (".config/nextest.toml", "")], Some("cargo nextest run")),
            (&[("go.mod", ""), ("package.json", jest)], Some("go test ./...")),
            (&[("package.json", jest)], Some("npm test")),
            (&[("package.json", jest), ("pnpm-lock.yaml", "")], Some("pnpm test")),
            (&[("package.json", none), ("yarn.lock", "")], None),
            (&[("package.json", "{}"), ("Makefile", "all:\n\ntest: all\n")], Some("make test")),
            (&[("pyproject.toml", "[tool.pytest]")], Some("pytest")),
            (&[("pyproject.toml", "pytest"), ("uv.lock", "")], Some("uv run pytest")),
        ] {
            assert_eq!(guessed(files), command, "{files:?}");
        }
    }

    #[test]
    fn each_command_is_one_that_can_be_evidence() {
        let of_rows = ROWS.iter().map(|(_, _, line)| *line).chain(NODE.iter().map(|(_, line)| *line));
        let lines = of_rows.chain(ALIKE.into_iter().flatten().copied());
        for line in lines {
            assert!(CommandPattern::try_from(line.to_owned()).is_ok(), "{line}");
        }
    }
}
