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
use crate::verb::clap_command;
use hooks::HOOKS;
use requirements_check::words::cut;

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
    page!("satisfactions"),
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
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Topic {
    /// Its name, to be typed after `req docs`.
    name: &'static str,
    /// What it is about, in one line.
    summary: String,
    /// It is the page of one hook, of that name.
    hook: bool,
    /// The page in Markdown; null where it was not asked for by its name.
    text: Option<String>,
}

pub(crate) fn docs(topic: Option<&str>, is_json: bool) -> Result<Reply, String> {
    let asked = topic.map(|word| word.trim().to_owned());
    let name = asked.as_deref().and_then(page_named);
    let word = asked.as_deref().unwrap_or_default().to_lowercase();
    let is_meant = |page: &Topic| match name {
        Some(name) => page.name == name,
        None => asked.is_none() || (!word.is_empty() && page.has(&word)),
    };
    let mut topics: Vec<Topic> = pages().into_iter().filter(is_meant).collect();
    if topics.is_empty() {
        return Err(unknown(&cut(&word, 60)));
    }
    if name.is_none() {
        for topic in &mut topics {
            topic.text = None;
        }
    }
    if is_json {
        return Ok(Reply::yes(json(&DocsReport { version: 1, asked, topics })));
    }
    Ok(Reply::yes(match (asked, topics.as_slice()) {
        (_, [Topic { text: Some(text), .. }]) => text.trim_end().to_owned(),
        (None, topics) => {
            format!("{}\nreq docs TOPIC prints one; another word is looked up in all.", listed(topics))
        }
        (Some(word), topics) => {
            let (word, lines) = (cut(&word, 60), listed(topics));
            format!("No page is called {word}, but it stands in these:\n{lines}\nreq docs TOPIC prints one.")
        }
    }))
}

/// The page of that name; a command of a hook names its page too.
fn page_named(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    let catalog = Catalog::built_in().ok()?;
    let of_command = catalog.hooks.iter().find(|hook| hook.commands.contains(&word));
    let name = of_command.map_or(&word, |hook| &hook.name);
    topics().find(|topic| topic == name)
}

/// A line for each topic, those of hooks apart.
fn listed(topics: &[Topic]) -> String {
    let width = topics.iter().map(|topic| topic.name.len()).max().unwrap_or_default();
    let line = |topic: &Topic| format!("  {:width$}  {}\n", topic.name, topic.summary);
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
    fn has(&self, word: &str) -> bool {
        self.text.as_ref().is_some_and(|text| text.to_lowercase().contains(word))
    }
}

/// The names of all pages.
fn topics() -> impl Iterator<Item = &'static str> {
    WRITTEN.iter().chain(HOOKS).map(|(name, _)| *name)
}

/// Every page: those about all hooks, then one of each hook.
fn pages() -> Vec<Topic> {
    let catalog = Catalog::built_in().ok();
    let summary = |name| Some(catalog.as_ref()?.hook(name)?.summary.clone());
    let page = |name, summary, hook, text| Topic { name, summary, hook, text: Some(text) };
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
