//! Which files the tests are about. Too few of them would let an untested change pass, so where the top folder holds
//! something that is not known, it is all files.

use super::Listing;

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
const OTHER: [&str; 13] = [
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
    let folders = CODE.iter().filter(|name| listing.has_folder(name)).map(|name| format!("{name}/**"));
    let manifests = MANIFESTS.iter().filter(|name| listing.has(name)).map(|name| (*name).to_owned());
    let endings = ENDINGS.iter().filter(|ending| listing.has_ending(&format!(".{ending}")));
    folders.chain(manifests).chain(endings.map(|ending| format!("*.{ending}"))).collect()
}
