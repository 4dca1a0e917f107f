//! The manual: README.md, the page of each hook, the pages of config/manual, and those of the plugin and of an archive. What
//! it shows is run, read or generated, so that nothing of it goes stale: `lines` runs the commands, on Linux; this file reads
//! the files and blocks, makes anew what is quoted and compares the page on `req doctor` with the checks; `pictures` draws
//! the pictures anew.

#[cfg(target_os = "linux")]
mod lines;
pub(crate) mod person;
#[cfg(target_os = "linux")]
mod pictures;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tests::binaries;
use tests::process::Invocation;
use tests::sandbox::{Level, Sandbox, toolchain_env};

use crate::driver::{Driver, denial, names, tree};
use crate::judged::{CALL, Judged, approves, says, write};
use crate::samples::fits_the_schema;

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
    let names = |folder: &str| names(&root().join(folder));
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
            let is_known = block.is_commands() || is_said(&block);
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

/// The level an example is for: its first line says so where it is not a project's.
fn level(example: &str) -> Level {
    match example.lines().next() {
        Some(first) if first.starts_with("# ~/.claude/requirements.yaml") => Level::User,
        Some(first) if first.contains("requirements.local.yaml") => Level::Local,
        _ => Level::Project,
    }
}

#[test]
fn every_file_of_ours_that_is_shown_is_one_that_no_hook_has_anything_to_say_of() {
    let mut count = 0;
    for block in pages().iter().flat_map(Page::blocks).filter(|block| block.language == "yaml") {
        let (place, example) = (&block.place, &block.text);
        assert!(fits_the_schema(example), "{place}:\n{example}");
        let sandbox = Sandbox::new();
        sandbox.requirements(level(example), example);
        for (words, key) in [("config", "problems"), ("status", "notes")] {
            let outcome = Invocation::new(binaries::path("req"), &sandbox).args([words, "--json"]).run();
            let report: Value = serde_json::from_slice(&outcome.stdout).unwrap();
            assert_eq!(report[key], Value::Array(Vec::new()), "{place}:\n{example}");
        }
        count += 1;
    }
    assert!(count >= 15, "only {count} examples were found");
}

#[test]
fn every_file_of_others_that_is_shown_can_be_read() {
    for block in pages().iter().flat_map(Page::blocks) {
        let read = match block.language.as_str() {
            "yml" => serde_yaml::from_str::<Value>(&block.text).map_err(|error| error.to_string()),
            "json" => serde_json::from_str(&block.text).map_err(|error| error.to_string()),
            _ => continue,
        };
        assert!(read.is_ok_and(|value| value.is_object()), "{}", block.place);
    }
}

/// A quotation: its page, and how it begins.
type Quotation = (&'static str, &'static str);

const DECLARATION: Quotation = ("hooks/intent-validator/README.md", "FILE: ");

const DENIAL: Quotation = ("README.md", "● Bash(git commit");

/// It is one of those that are made anew here.
fn is_said(block: &Block) -> bool {
    [DECLARATION, DENIAL].iter().any(|(page, start)| {
        block.place.split_once(':').is_some_and(|(path, _)| path == *page) && block.text.starts_with(start)
    })
}

#[track_caller]
fn text_of((page, start): Quotation) -> String {
    let blocks = Page::read(page).blocks().into_iter();
    let mut texts = blocks.filter(|block| block.language == "indented").map(|block| block.text);
    texts.find(|text| text.starts_with(start)).unwrap_or_else(|| panic!("{page}: {start}"))
}

/// What is between a line's label and its end.
fn value<'a>(text: &'a str, label: &str) -> &'a str {
    text.lines().find_map(|line| line.strip_prefix(label)).unwrap_or_else(|| panic!("{label}: {text}"))
}

#[test]
fn the_declaration_that_is_shown_is_enough_as_it_stands() {
    let declaration = text_of(DECLARATION);
    let file = value(&declaration, "FILE: ");
    let content = "def validate_password(text):\n    return len(text) >= 12\n";
    let asked = "Weak passwords have to be refused.";
    for (prose, is_enough) in [(declaration.as_str(), true), ("Now.", false)] {
        let judged = Judged::new("intent-validator", "stage1: local, stage2: \"off\"", "", [approves()]);
        says(&judged.session, asked, prose);
        let answer = judged.ask(&write(&judged.session, file, content).with("tool_use_id", CALL));
        assert_eq!(denial(answer.as_ref()).is_none(), is_enough, "{prose}: {answer:?}");
    }
}

#[test]
fn readme_shows_the_real_denial() {
    const TEAM: &str = "requirements:
  tests_green: {enabled: true, type: evidence, command: cargo test, trigger_tools: [{tool: Bash, command_pattern: git commit}]}
";
    let driver = Driver::unconfigured("requirements-check");
    driver.sandbox.requirements(Level::Project, TEAM);
    driver.sandbox.commit("what is required");
    driver.sandbox.git(&["switch", "--quiet", "--create", "expired-tokens"]);
    let commit = json!({ "command": "git commit -am 'Reject expired tokens'" });
    let answer = driver.ask(&driver.session.pre_tool_use("Bash", commit).with("tool_use_id", CALL));
    let denial = denial(answer.as_ref()).unwrap();
    let shown = text_of(DENIAL);
    for line in denial.lines() {
        assert!(shown.contains(line.trim()), "README.md does not show `{line}` of:\n{denial}");
    }
}

const TROUBLESHOOTING: &str = "config/manual/troubleshooting.md";

/// The checks: this file and those of the folder.
const CHECKS: &str = "shared/installer/src/doctor";

/// Texts that a hook says through doctor.
const OF_HOOKS: [&str; 3] = ["the file is skipped", "it is off", "it holds none of its calls"];

/// The sources of the checks, without tests.
fn sources() -> String {
    let mut files = tree(&root().join(CHECKS));
    files.retain(|path, _| path.parent().is_some_and(|folder| folder.ends_with(CHECKS)));
    let own = fs::read_to_string(root().join(format!("{CHECKS}.rs"))).unwrap();
    files
        .into_values()
        .chain([own])
        .map(|text| text.split("#[cfg(test)]").next().unwrap().to_owned())
        .collect()
}

#[test]
fn each_part_of_the_report_has_its_heading() {
    let sources = sources();
    let parts = sources.split("Section::new(\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let mut parts: Vec<&str> = parts.collect();
    let page = Page::read(TROUBLESHOOTING);
    let mut headings: Vec<&str> = page.text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    parts.sort_unstable();
    headings.sort_unstable();
    assert_eq!(headings, parts, "{TROUBLESHOOTING}");
}

#[test]
fn check_prints_each_quotation() {
    let text = Page::read(TROUBLESHOOTING).text.split_whitespace().collect::<Vec<_>>().join(" ");
    let quotations: Vec<&str> = text.split('"').skip(1).step_by(2).collect();
    assert!(quotations.len() >= 35, "{}", quotations.len());
    let sources = sources();
    let is_said = |quoted: &&&str| sources.contains(**quoted) || OF_HOOKS.contains(*quoted);
    let unsaid: Vec<&&str> = quotations.iter().filter(|quoted| !is_said(quoted)).collect();
    assert!(unsaid.is_empty(), "{TROUBLESHOOTING} quotes what no check says: {unsaid:#?}");
}
