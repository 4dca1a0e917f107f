//! `req docs`: the manual, compiled in. A page is a file of config/manual, or the README of a hook; the verbs, the defaults and
//! how Claude answers each hook come from where they are written down already.

mod hooks;

use clap::Command;
use schemars::JsonSchema;
use serde::Serialize;
use shared::catalog::Catalog;
use shared::config::nearest;

use crate::help::{about, examples, groups};
use crate::reply::{Reply, json};
use crate::verb::{Docs, clap_command};
use hooks::HOOKS;
use requirements_check::words::cut;

/// So many lines of a page are shown in which a word stands, each up to so many characters.
const LINES_OF_A_PAGE: usize = 3;
const MAX_LINE: usize = 90;

/// The heading under which a hook's page says what Claude does when the hook has spoken.
const ANSWER: &str = "### For Claude";

macro_rules! page {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../../config/manual/", $name, ".md")))
    };
}

/// The pages of config/manual, in the order in which a newcomer wants them.
const WRITTEN: &[(&str, &str)] = &[
    page!("start"),
    page!("install"),
    page!("expect"),
    page!("requirements"),
    page!("evidence"),
    page!("marks"),
    page!("configuration"),
    page!("defaults"),
    page!("commands"),
    page!("answering"),
    page!("pause"),
    page!("ci"),
    page!("doctor"),
    page!("trust"),
    page!("journal"),
    page!("judge"),
    page!("troubleshooting"),
    page!("security"),
    page!("platforms"),
    page!("want-weekend-pacing"),
    page!("want-tests-before-commit"),
    page!("want-my-approval"),
    page!("want-rules-in-ci"),
    page!("want-quiet-day"),
];

/// `req docs --json`: without TOPIC all topics; with a topic that one and its text; with another word the topics it occurs in.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DocsReport {
    /// The form of this answer; keys are added, never renamed.
    version: u32,
    /// What was asked for; null: nothing, so these are all.
    asked: Option<String>,
    /// The topics, in the manual's order.
    topics: Vec<Topic>,
}

/// One page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Topic {
    /// Its name, to be typed after `req docs`.
    name: &'static str,
    /// What it is about, in one line.
    summary: String,
    /// It is the page of one hook, of that name.
    hook: bool,
    /// The page in Markdown; null where it was not asked for by its name.
    text: Option<String>,
    /// The first lines in which the word stands that was asked for.
    lines: Vec<String>,
}

pub(crate) fn docs(wanted: &Docs) -> Result<Reply, String> {
    let pages = pages();
    let asked = wanted.topic.as_deref().map(|word| word.trim().to_owned());
    let topics: Vec<Topic> = match asked.as_deref() {
        None => pages.iter().map(Topic::without_text).collect(),
        Some(word) => match page_named(word, &pages) {
            Some(page) => vec![page.clone()],
            None => pages.iter().filter_map(|page| page.found(word)).collect(),
        },
    };
    if topics.is_empty() {
        return Err(unknown(&cut(asked.as_deref().unwrap_or_default(), 60)));
    }
    let report = DocsReport { version: 1, asked, topics };
    Ok(Reply::yes(if wanted.json { json(&report) } else { as_text(&report) }))
}

/// A command of a hook names its page too.
fn page_named<'p>(word: &str, pages: &'p [Topic]) -> Option<&'p Topic> {
    let word = word.to_ascii_lowercase();
    let catalog = Catalog::built_in().ok()?;
    let of_command = catalog.hooks.iter().find(|hook| hook.commands.contains(&word));
    let name = of_command.map_or(&word, |hook| &hook.name);
    pages.iter().find(|page| page.name == name)
}

fn as_text(report: &DocsReport) -> String {
    match (&report.asked, report.topics.as_slice()) {
        (_, [Topic { text: Some(text), .. }]) => text.trim_end().to_owned(),
        (None, topics) => {
            let lines = listed(topics, |topic| &topic.summary);
            format!("{lines}\nreq docs TOPIC prints one; another word is looked up in all.")
        }
        (Some(word), topics) => {
            let (word, lines) = (cut(word, 60), listed(topics, |topic| &topic.lines[0]));
            format!("No page is called {word}, but it stands in these:\n{lines}\nreq docs TOPIC prints one.")
        }
    }
}

/// A line for each topic, those of hooks apart.
fn listed<'a>(topics: &'a [Topic], said: impl Fn(&'a Topic) -> &'a String) -> String {
    let width = topics.iter().map(|topic| topic.name.len()).max().unwrap_or_default();
    let line = |topic: &'a Topic| format!("  {:width$}  {}\n", topic.name, said(topic));
    let lines = |hook| topics.iter().filter(|topic| topic.hook == hook).map(line).collect::<String>();
    [lines(false), lines(true)].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn unknown(word: &str) -> String {
    match nearest(word, &topics().collect::<Vec<_>>()) {
        Some(near) => format!("req: the manual has no page {word}; did you mean {near}?"),
        None => format!("req: the manual has no page {word}, and the word is on none; req docs lists them"),
    }
}

impl Topic {
    fn without_text(&self) -> Self {
        Self { text: None, ..self.clone() }
    }

    /// The page with the first lines that have the word, if any has.
    fn found(&self, word: &str) -> Option<Self> {
        let word = word.to_lowercase();
        let has_it = |line: &&str| line.to_lowercase().contains(&word);
        let lines = self.text.iter().flat_map(|text| text.lines()).filter(has_it).take(LINES_OF_A_PAGE);
        let lines: Vec<String> = lines.map(|line| around(line.trim(), &word)).collect();
        (!word.is_empty() && !lines.is_empty()).then(|| Self { lines, ..self.without_text() })
    }
}

/// So much of a line that the word is in it.
fn around(line: &str, word: &str) -> String {
    let at = line.to_lowercase().split(word).next().map_or(0, |before| before.chars().count());
    let left_out = at.saturating_sub(MAX_LINE / 2);
    let rest: String = line.chars().skip(left_out).collect();
    format!("{}{}", if left_out > 0 { "…" } else { "" }, cut(&rest, MAX_LINE))
}

/// The names of all hooks.
pub(crate) fn hooks() -> impl Iterator<Item = &'static str> {
    HOOKS.iter().map(|(name, _)| *name)
}

/// The names of all pages.
pub(crate) fn topics() -> impl Iterator<Item = &'static str> {
    WRITTEN.iter().map(|(name, _)| *name).chain(hooks())
}

/// Every page: those about all hooks, then one of each hook.
fn pages() -> Vec<Topic> {
    let catalog = Catalog::built_in().ok();
    let summary = |name| Some(catalog.as_ref()?.hook(name)?.summary.clone());
    let page = |name, summary, hook, text| Topic { name, summary, hook, text: Some(text), lines: Vec::new() };
    let written = WRITTEN.iter().map(|&(name, text)| {
        // The heading is what the page is about.
        let heading = text.lines().next().unwrap_or_default().trim_start_matches(['#', ' ']);
        page(name, heading.to_owned(), false, without_markers(text) + &rest_of(name))
    });
    let of_hooks = HOOKS
        .iter()
        .map(|&(name, text)| page(name, summary(name).unwrap_or_default(), true, without_markers(text)));
    written.chain(of_hooks).collect()
}

/// The page without the lines between which something is generated.
fn without_markers(page: &str) -> String {
    page.split_inclusive('\n').filter(|line| !line.starts_with("<!-- ")).collect()
}

/// What follows a page, from where it is written down.
fn rest_of(name: &str) -> String {
    match name {
        "defaults" => format!("\n```yaml\n{}```\n", include_str!("../../../../config/defaults.yaml")),
        "commands" => verbs(),
        "answering" => HOOKS.iter().map(answer).collect(),
        _ => String::new(),
    }
}

fn indented(line: &String) -> String {
    format!("    {line}\n")
}

/// Every verb with its examples.
fn verbs() -> String {
    let verb = |verb: &Command| {
        let examples: String = examples(verb).iter().map(indented).collect();
        format!("\n- `req {}`: {}\n\n{examples}", verb.get_name(), about(verb))
    };
    let group = |(heading, verbs): (&str, Vec<&Command>)| {
        format!("\n## {heading}\n{}", verbs.into_iter().map(verb).collect::<String>())
    };
    groups(&clap_command()).map(group).collect()
}

/// The part of a hook's page for Claude: all below its heading, up to the next.
fn answer((name, page): &(&str, &str)) -> String {
    let (_, rest) = page.split_once(ANSWER).unwrap_or_default();
    let lines: Vec<&str> = rest.lines().skip(1).take_while(|line| !line.starts_with('#')).collect();
    format!("\n## {name}\n\n{}\n", lines.join("\n").trim())
}

#[cfg(test)]
mod tests;
