//! The manual: README.md, the page of each hook, and the pages of config/manual. What it shows is run, read or generated, so
//! that nothing of it goes stale: `lines` runs the commands, `files` reads the files, `settings` compares the tables,
//! `troubleshooting` walks the checks of `req doctor`, `pictures` draws the pictures anew.

mod files;
mod lines;
mod pictures;
mod settings;
mod troubleshooting;

use std::fs;
use std::path::{Path, PathBuf};

/// What may stand behind a fence.
const LANGUAGES: [&str; 6] = ["console", "sh", "yaml", "yml", "json", "text"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A page of the manual.
struct Page {
    /// From the top of the source tree.
    path: String,
    text: String,
}

impl Page {
    fn read(path: &str) -> Self {
        let text = fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        Self { path: path.to_owned(), text }
    }

    /// What stands between fences, in the order of the page.
    fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut lines = self.text.lines().zip(1..);
        while let Some((line, number)) = lines.next() {
            let Some(language) = line.trim_start().strip_prefix("```") else { continue };
            let indentation = line.len() - line.trim_start().len();
            let inside = lines.by_ref().map(|(line, _)| line).take_while(|line| line.trim_start() != "```");
            let text =
                inside.map(|line| line.get(indentation..).unwrap_or_default().to_owned() + "\n").collect();
            let place = format!("{}:{number}", self.path);
            blocks.push(Block { place, language: language.to_owned(), text });
        }
        blocks
    }
}

/// What stands between fences.
struct Block {
    /// File and line.
    place: String,
    language: String,
    /// Without the indentation of its fence.
    text: String,
}

/// README.md, the page of each hook, and the pages of config/manual.
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
    let paths: Vec<String> = ["README.md".to_owned()].into_iter().chain(of_hooks).chain(written).collect();
    assert!(paths.len() > 20, "{paths:?}");
    paths.iter().map(|path| Page::read(path)).collect()
}

#[test]
fn every_block_of_the_manual_is_of_a_kind_that_a_test_runs_or_reads() {
    for block in pages().iter().flat_map(Page::blocks) {
        let Block { place, language, text } = block;
        let is_tree = text.contains("└── ");
        assert!(
            language != "text" || is_tree,
            "{place}: a block of `text` shows a folder; what is printed is `console`"
        );
        assert!(
            LANGUAGES.contains(&language.as_str()),
            "{place}: nothing runs a block of `{language}`: {LANGUAGES:?}"
        );
    }
}
