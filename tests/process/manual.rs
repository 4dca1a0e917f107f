//! The manual: README.md, the page of each hook, the pages of config/manual, and those of the plugin and of an archive. What
//! it shows is run, read or generated, so that nothing of it goes stale: `lines` runs the commands, on Linux; `said` makes
//! anew what is quoted; `files` reads the files, `troubleshooting` walks the checks of `req doctor`,
//! `pictures` draws the pictures anew.

mod files;
#[cfg(target_os = "linux")]
mod lines;
#[cfg(target_os = "linux")]
mod person;
#[cfg(target_os = "linux")]
mod pictures;
mod said;
#[cfg(target_os = "linux")]
mod scenes;
mod troubleshooting;

use std::fs;
use std::path::{Path, PathBuf};

use tests::binaries;
use tests::process::Invocation;
use tests::sandbox::{Sandbox, toolchain_env};

/// The page of an archive, whose braces are filled in when it is packed.
const OF_AN_ARCHIVE: &str = "xtask/dev/src/package/README.archive.md";

/// What the lines of an indented block of commands begin with.
const COMMANDS: [&str; 2] = ["./req ", "claude plugin "];

/// What may stand behind a fence.
const LANGUAGES: [&str; 6] = ["console", "sh", "yaml", "yml", "json", "text"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

struct Page {
    /// From the top of the source tree.
    path: String,
    text: String,
}

impl Page {
    fn read(path: &str) -> Self {
        let text = fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        let text = if path == OF_AN_ARCHIVE { text.replace("{req}", "./req") } else { text };
        Self { path: path.to_owned(), text }
    }

    /// The fenced blocks, and those that are indented by four spaces below an empty line, in the order of the page.
    fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut lines = self.text.lines().zip(1..).peekable();
        let mut is_below_space = true;
        while let Some((line, number)) = lines.next() {
            let place = format!("{}:{number}", self.path);
            if let Some(language) = line.trim_start().strip_prefix("```") {
                let indentation = line.len() - line.trim_start().len();
                let inside =
                    lines.by_ref().map(|(line, _)| line).take_while(|line| line.trim_start() != "```");
                let inside = inside.map(|line| line.get(indentation..).unwrap_or_default().to_owned() + "\n");
                blocks.push(Block { place, language: language.to_owned(), text: inside.collect() });
            } else if let Some(first) = line.strip_prefix("    ").filter(|_| is_below_space) {
                let mut text = first.to_owned() + "\n";
                while let Some(line) = lines.next_if(|(line, _)| line.starts_with("    ")) {
                    text += &line.0[4..];
                    text.push('\n');
                }
                blocks.push(Block { place, language: "indented".to_owned(), text });
            }
            is_below_space = line.is_empty();
        }
        blocks
    }
}

/// What stands between fences, or is indented.
struct Block {
    /// File and line.
    place: String,
    language: String,
    /// Without the indentation of its fence.
    text: String,
}

impl Block {
    /// Each of its lines is a command.
    fn is_commands(&self) -> bool {
        self.text.lines().all(|line| COMMANDS.iter().any(|start| line.starts_with(start)))
    }
}

/// README.md, the plugin's page and an archive's, the page of each hook, and the pages of config/manual.
fn pages() -> Vec<Page> {
    let names = |folder: &str| {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let of_hooks = names("hooks").into_iter().map(|hook| format!("hooks/{hook}/README.md"));
    let written = names("config/manual").into_iter().filter(|name| Path::new(name).extension().is_some());
    let written = written.map(|name| format!("config/manual/{name}"));
    let others = ["README.md", "plugin/README.md", OF_AN_ARCHIVE].map(str::to_owned);
    let paths: Vec<String> = others.into_iter().chain(of_hooks).chain(written).collect();
    assert!(paths.len() > 20, "{paths:?}");
    paths.iter().map(|path| Page::read(path)).collect()
}

#[test]
fn readme_names_the_version_of_the_client_that_is_pinned() {
    let pinned = fs::read_to_string(root().join("tests/client-version")).unwrap();
    let told = format!("under Claude Code {};", pinned.trim());
    assert!(Page::read("README.md").text.contains(&told), "README.md does not say: {told}");
}

#[test]
fn every_block_of_the_manual_is_of_a_kind_that_a_test_runs_or_reads() {
    for block in pages().iter().flat_map(Page::blocks) {
        if block.language == "indented" {
            let is_known = block.is_commands() || said::is_said(&block);
            assert!(is_known, "{}: commands stand in `console`, what is printed in `said`", block.place);
            continue;
        }
        let Block { place, language, text } = block;
        assert!(language != "text" || text.contains("└── "), "{place}: a block of `text` shows a folder");
        assert!(LANGUAGES.contains(&language.as_str()), "{place}: nothing runs a block of `{language}`");
    }
}

#[test]
fn all_that_is_generated_is_as_it_would_be_generated_now() {
    let sandbox = Sandbox::new();
    let built = binaries::folder().display().to_string();
    let check =
        Invocation::new(binaries::developer(), &sandbox).args(["schema", "--check", "--prebuilt", &built]);
    let outcome = check.envs(toolchain_env()).run();
    assert_eq!(outcome.status.code(), Some(0), "{outcome}");
    assert!(outcome.stdout_text().contains("the generated files are up to date"), "{outcome}");
}
