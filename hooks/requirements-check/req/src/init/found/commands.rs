//! Which languages a project is written in, and which command runs its tests. What is not plain is not guessed: a command
//! that cannot pass would be a gate that nobody gets through.

use serde::Deserialize;
use std::collections::BTreeMap;

use super::{Listing, TestCommand};

/// A language, and what it shows.
struct Language {
    name: &'static str,
    /// Where it is used, what runs its tests, and which file told so; none where it is not used.
    look: fn(&Listing) -> Option<Seen>,
}

/// A language is used.
struct Seen {
    command: Option<(String, &'static str)>,
}

impl Seen {
    const NOTHING: Self = Self { command: None };

    fn by(line: &str, file: &'static str) -> Self {
        Self { command: Some((line.to_owned(), file)) }
    }
}

const LANGUAGES: [Language; 13] = [
    Language { name: "Rust", look: rust },
    Language { name: "Go", look: go },
    Language { name: "JavaScript", look: node },
    Language { name: "Deno", look: deno },
    Language { name: "Python", look: python },
    Language { name: "Java", look: maven },
    Language { name: "Java or Kotlin", look: gradle },
    Language { name: "Elixir", look: elixir },
    Language { name: "Ruby", look: ruby },
    Language { name: "PHP", look: php },
    Language { name: ".NET", look: dotnet },
    Language { name: "Swift", look: swift },
    Language { name: "C or C++", look: cmake },
];

/// The languages, and the commands that run their tests, in the same order. A makefile's or justfile's target counts where
/// nothing else does.
pub(crate) fn find(listing: &Listing) -> (Vec<&'static str>, Vec<TestCommand>) {
    let seen: Vec<(&'static str, Seen)> =
        LANGUAGES.iter().filter_map(|language| Some((language.name, (language.look)(listing)?))).collect();
    let languages = seen.iter().map(|(name, _)| *name).collect();
    let own: Vec<TestCommand> = seen.into_iter().filter_map(|(_, seen)| seen.command).map(command).collect();
    let commands = if own.is_empty() { targets(listing) } else { own };
    (languages, commands)
}

/// A language of a folder below the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Below {
    pub(crate) language: &'static str,
    /// The first folder it is seen in.
    pub(crate) folder: String,
    /// What runs its tests there, with the path of the file that tells so.
    pub(crate) command: Option<TestCommand>,
}

/// So many languages of folders below are told.
const MAX_BELOW: usize = 3;

/// The languages that only folders below show, each with the first of them.
pub(crate) fn below(listing: &Listing, at_top: &[&str]) -> Vec<Below> {
    let mut found: Vec<Below> = Vec::new();
    for (folder, inner) in &listing.below {
        for language in LANGUAGES.iter().filter(|language| !at_top.contains(&language.name)) {
            let is_known = found.iter().any(|known| known.language == language.name);
            if let (false, Some(seen)) = (is_known, (language.look)(inner)) {
                let command =
                    seen.command.map(|(line, file)| TestCommand { line, file: format!("{folder}/{file}") });
                found.push(Below { language: language.name, folder: folder.clone(), command });
            }
        }
    }
    found.truncate(MAX_BELOW);
    found
}

fn command((line, file): (String, &'static str)) -> TestCommand {
    TestCommand { line, file: file.to_owned() }
}

fn rust(listing: &Listing) -> Option<Seen> {
    const NEXTEST: &str = ".config/nextest.toml";
    let command =
        if listing.has(NEXTEST) { ("cargo nextest run", NEXTEST) } else { ("cargo test", "Cargo.toml") };
    listing.has("Cargo.toml").then(|| Seen::by(command.0, command.1))
}

fn go(listing: &Listing) -> Option<Seen> {
    listing.has("go.mod").then(|| Seen::by("go test ./...", "go.mod"))
}

/// As much of package.json, deno.json and composer.json as matters.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Package {
    scripts: BTreeMap<String, serde_json::Value>,
    tasks: BTreeMap<String, serde_json::Value>,
    #[serde(rename = "packageManager")]
    manager: Option<String>,
}

impl Package {
    fn read(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// The script `test`, unless it is what `npm init` writes.
    fn test(&self) -> Option<String> {
        let script = self.scripts.get("test")?;
        let text = script.as_str().map_or_else(|| script.to_string(), ToOwned::to_owned);
        (!text.contains("no test specified") && !text.trim().is_empty()).then_some(text)
    }
}

fn node(listing: &Listing) -> Option<Seen> {
    if !listing.has("package.json") {
        return None;
    }
    let package = Package::read(listing.text("package.json"));
    let Some(script) = package.test() else { return Some(Seen::NOTHING) };
    let line = match manager(&package, listing) {
        "pnpm" => "pnpm test",
        "yarn" => "yarn test",
        // `bun test` is bun's own runner, whatever the script says.
        "bun" if script.trim_start().starts_with("bun test") => "bun test",
        "bun" => "bun run test",
        _ => "npm test",
    };
    Some(Seen::by(line, "package.json"))
}

/// The lock files of the package managers.
const LOCKS: [(&str, &str); 5] = [
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("package-lock.json", "npm"),
];

fn manager<'p>(package: &'p Package, listing: &Listing) -> &'p str {
    let named = package.manager.as_deref().and_then(|named| named.split('@').next());
    let by_lock =
        || LOCKS.into_iter().find(|(lock, _)| listing.has(lock)).map_or("npm", |(_, manager)| manager);
    named.unwrap_or_else(by_lock)
}

/// The lock file that the package manager writes, there or not.
pub(super) fn lock_file(listing: &Listing) -> Option<&'static str> {
    let package = Package::read(listing.text("package.json"));
    let manager = manager(&package, listing);
    let mut locks = LOCKS.into_iter().filter(|(_, writer)| *writer == manager);
    locks.next().map(|(lock, _)| lock)
}

fn deno(listing: &Listing) -> Option<Seen> {
    let file = ["deno.json", "deno.jsonc"].into_iter().find(|file| listing.has(file))?;
    // With comments in it, it is not read, and deno's own runner is taken.
    let has_task = Package::read(listing.text(file)).tasks.contains_key("test");
    Some(Seen::by(if has_task { "deno task test" } else { "deno test" }, file))
}

fn python(listing: &Listing) -> Option<Seen> {
    const PYTHON: [&str; 9] = [
        "pyproject.toml",
        "pytest.ini",
        "conftest.py",
        "tests/conftest.py",
        "tox.ini",
        "setup.cfg",
        "setup.py",
        "requirements.txt",
        "requirements-dev.txt",
    ];
    let file = PYTHON.into_iter().find(|file| listing.has(file))?;
    let names_pytest = PYTHON.iter().any(|file| listing.text(file).contains("pytest"));
    let is_pytests = listing.has_any(&["pytest.ini", "conftest.py", "tests/conftest.py"]) || names_pytest;
    if listing.has("tox.ini") && !is_pytests {
        return Some(Seen::by("tox", "tox.ini"));
    }
    if !is_pytests {
        return Some(Seen::NOTHING);
    }
    let runners = [("uv.lock", "uv run pytest"), ("poetry.lock", "poetry run pytest")];
    let by_lock = runners.into_iter().find(|(lock, _)| listing.has(lock));
    Some(by_lock.map_or_else(|| Seen::by("pytest", file), |(lock, line)| Seen::by(line, lock)))
}

fn maven(listing: &Listing) -> Option<Seen> {
    let line = if listing.has("mvnw") { "./mvnw test" } else { "mvn test" };
    listing.has("pom.xml").then(|| Seen::by(line, "pom.xml"))
}

fn gradle(listing: &Listing) -> Option<Seen> {
    let file = ["build.gradle", "build.gradle.kts"].into_iter().find(|file| listing.has(file))?;
    Some(Seen::by(if listing.has("gradlew") { "./gradlew test" } else { "gradle test" }, file))
}

fn elixir(listing: &Listing) -> Option<Seen> {
    listing.has("mix.exs").then(|| Seen::by("mix test", "mix.exs"))
}

fn ruby(listing: &Listing) -> Option<Seen> {
    if !listing.has("Gemfile") {
        return None;
    }
    Some(match () {
        () if listing.has(".rspec") => Seen::by("bundle exec rspec", ".rspec"),
        () if listing.has_folder("spec") => Seen::by("bundle exec rspec", "Gemfile"),
        () if listing.has("bin/rails") => Seen::by("bin/rails test", "bin/rails"),
        () if listing.has("Rakefile") && listing.has_folder("test") => {
            Seen::by("bundle exec rake test", "Rakefile")
        }
        () => Seen::NOTHING,
    })
}

fn php(listing: &Listing) -> Option<Seen> {
    if !listing.has("composer.json") {
        return None;
    }
    let has_script = Package::read(listing.text("composer.json")).test().is_some();
    let phpunit = ["phpunit.xml", "phpunit.xml.dist"].into_iter().find(|file| listing.has(file));
    Some(match phpunit {
        _ if has_script => Seen::by("composer test", "composer.json"),
        Some(file) => Seen::by("vendor/bin/phpunit", file),
        None => Seen::NOTHING,
    })
}

fn dotnet(listing: &Listing) -> Option<Seen> {
    let files = [(".sln", "*.sln"), (".slnx", "*.slnx"), (".csproj", "*.csproj"), (".fsproj", "*.fsproj")];
    let (_, file) = files.into_iter().find(|(ending, _)| listing.has_ending(ending))?;
    Some(Seen::by("dotnet test", file))
}

fn swift(listing: &Listing) -> Option<Seen> {
    listing.has("Package.swift").then(|| Seen::by("swift test", "Package.swift"))
}

fn cmake(listing: &Listing) -> Option<Seen> {
    if !listing.has("CMakeLists.txt") {
        return None;
    }
    let text = listing.text("CMakeLists.txt").to_ascii_lowercase();
    let has_tests = text.contains("enable_testing") || text.contains("include(ctest)");
    Some(if has_tests { Seen::by("ctest --test-dir build", "CMakeLists.txt") } else { Seen::NOTHING })
}

fn targets(listing: &Listing) -> Vec<TestCommand> {
    let files = [
        ("Makefile", "make test"),
        ("makefile", "make test"),
        ("justfile", "just test"),
        ("Justfile", "just test"),
    ];
    let found = files.into_iter().find(|(file, _)| listing.text(file).lines().any(is_target));
    found.map(|(file, line)| command((line.to_owned(), file))).into_iter().collect()
}

/// `test: build` is the target or recipe, `test := x` and `test_all:` are not.
fn is_target(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("test") else { return false };
    let rest = rest.trim_start();
    rest.starts_with(':') && !rest.starts_with(":=")
}
