//! Which files the tests are about. Too few of them would let an untested change pass, so where the top folder holds
//! something that is not known, it is all files.

use super::Listing;
use super::commands::lock_file;

/// Folders of code and tests.
const CODE: [&str; 14] = [
    "src",
    "tests",
    "test",
    "lib",
    "app",
    "spec",
    "benches",
    "examples",
    "include",
    "cmd",
    "internal",
    "pkg",
    "__tests__",
    "e2e",
];

/// Folders in which nothing is tested.
const OTHER: [&str; 17] = [
    "docs",
    "doc",
    "target",
    "node_modules",
    "dist",
    "build",
    "coverage",
    "out",
    "vendor",
    "venv",
    "__pycache__",
    "LICENSES",
    "adr",
    "fixtures",
    "testdata",
    "third_party",
    "tmp",
];

/// Folders of code that are projects of their own in some repositories.
const MAYBE_PROJECTS: [&str; 4] = ["lib", "app", "cmd", "pkg"];

/// What a language has sooner or later: what is added tomorrow is to be tested, too. By the file that shows the language.
const USUAL: [(&str, &[&str]); 9] = [
    ("Cargo.toml", &["src", "tests", "benches", "examples", "Cargo.lock", "rs"]),
    ("package.json", &["src", "tests", "test", "__tests__", "js", "ts"]),
    ("deno.json", &["src", "tests", "deno.lock", "ts"]),
    ("pyproject.toml", &["src", "tests", "py"]),
    ("setup.py", &["src", "tests", "py"]),
    ("pom.xml", &["src"]),
    ("build.gradle", &["src"]),
    ("composer.json", &["src", "tests", "composer.lock"]),
    ("CMakeLists.txt", &["src", "include", "tests", "test"]),
];

/// Files that say how the code is built and tested.
const MANIFESTS: [&str; 30] = [
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain.toml",
    "package.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "bun.lockb",
    "tsconfig.json",
    "deno.json",
    "deno.jsonc",
    "deno.lock",
    "pyproject.toml",
    "uv.lock",
    "poetry.lock",
    "pytest.ini",
    "tox.ini",
    "setup.cfg",
    "go.mod",
    "go.sum",
    "pom.xml",
    "build.gradle",
    "mix.exs",
    "mix.lock",
    "Gemfile",
    "Gemfile.lock",
    "composer.json",
    "composer.lock",
    "CMakeLists.txt",
];

/// Endings of code that may lie in the top folder.
const ENDINGS: [&str; 18] = [
    "rs", "go", "py", "js", "mjs", "cjs", "ts", "tsx", "jsx", "rb", "php", "java", "kt", "kts", "c", "cc",
    "cpp", "h",
];

/// The globs; empty: all files.
pub(crate) fn find(listing: &Listing) -> Vec<String> {
    let is_known = |name: &String| {
        name.starts_with('.') || CODE.contains(&name.as_str()) || OTHER.contains(&name.as_str())
    };
    if !listing.has_folder("src") || !listing.folders.iter().all(is_known) {
        return Vec::new();
    }
    let usual = usual(listing);
    let is_usual = |name: &str| usual.contains(&name);
    let folders = CODE.iter().filter(|name| listing.has_folder(name) || is_usual(name));
    let manifests = MANIFESTS.iter().filter(|name| listing.has(name) || is_usual(name));
    let endings =
        ENDINGS.iter().filter(|ending| listing.has_ending(&format!(".{ending}")) || is_usual(ending));
    let folders = folders.map(|name| format!("{name}/**"));
    let manifests = manifests.map(|name| (*name).to_owned());
    folders.chain(manifests).chain(endings.map(|ending| format!("*.{ending}"))).collect()
}

/// What the languages of the project have sooner or later.
fn usual(listing: &Listing) -> Vec<&'static str> {
    let languages = USUAL.into_iter().filter(|(file, _)| listing.has(file));
    let lock = listing.has("package.json").then(|| lock_file(listing)).flatten();
    languages.flat_map(|(_, names)| names).copied().chain(lock).collect()
}

/// A folder of this name may be a project of its own in a larger repository.
pub(crate) fn may_be_a_project(name: &str) -> bool {
    let is_code = CODE.contains(&name) && !MAYBE_PROJECTS.contains(&name);
    !name.starts_with('.') && !is_code && !OTHER.contains(&name)
}
