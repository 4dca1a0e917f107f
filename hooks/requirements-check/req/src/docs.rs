//! `req docs`: the manual, compiled in. A page is a file of config/manual, or the README of a hook; the verbs, the defaults and
//! how Claude answers each hook come from where they are written down already.

mod hooks;

use clap::Command;
use installer::catalog::Catalog;
use serde::Serialize;
use serde_json::json;

use crate::help::{about, examples, groups};
use crate::reply::{Answer, Reply, unknown};
use crate::verb::clap_command;
use hooks::HOOKS;

/// The heading under which a hook's page says what Claude does when the hook has spoken.
const ANSWER: &str = "### For Claude";

macro_rules! pages {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../../config/manual/", $name, ".md")))),*]
    };
}

/// The pages of config/manual, in the order in which a newcomer wants them.
const WRITTEN: &[(&str, &str)] = pages! {
    "start" "install" "expect" "requirements" "evidence" "satisfactions" "configuration" "defaults" "commands" "answering"
    "pause" "ci" "doctor" "trust" "journal" "judge" "troubleshooting" "security" "platforms" "want-weekend-pacing"
    "want-tests-before-commit" "want-my-approval" "want-quiet-day"
};

#[derive(Serialize)]
struct Topic {
    name: &'static str,
    summary: String,
    /// It is the page of one hook, of that name.
    hook: bool,
    text: Option<String>,
}

pub(crate) fn docs(topic: Option<&str>, is_json: bool) -> Answer {
    let mut topics = pages();
    if let Some(word) = topic {
        let word = word.trim().to_lowercase();
        let names: Vec<&str> = topics.iter().map(|topic| topic.name).collect();
        if !names.contains(&word.as_str()) {
            let near = names.iter().find(|name| name.contains(&word));
            let near = near.map(|near| format!("; did you mean {near}?"));
            let known = if near.is_some() { &[][..] } else { &names };
            return Err(unknown("page", &word, known, near.as_deref().unwrap_or("; req docs lists them")));
        }
        topics.retain(|topic| topic.name == word);
    } else {
        for topic in &mut topics {
            topic.text = None;
        }
    }
    Ok(match topics.as_slice() {
        _ if is_json => Reply::json(&json!({ "topics": topics })),
        [Topic { text: Some(text), .. }] => Reply::yes(text.trim_end()),
        topics => Reply::yes(format!("{}\nreq docs TOPIC prints one.", listed(topics))),
    })
}

fn listed(topics: &[Topic]) -> String {
    let width = topics.iter().map(|topic| topic.name.len()).max().unwrap_or_default();
    let line = |topic: &Topic| format!("  {:width$}  {}\n", topic.name, topic.summary);
    let lines = |hook| topics.iter().filter(|topic| topic.hook == hook).map(line).collect::<String>();
    [lines(false), lines(true)].join("\n")
}

fn pages() -> Vec<Topic> {
    let catalog = Catalog::built_in().ok();
    let summary = |name| Some(catalog.as_ref()?.hook(name)?.summary.clone());
    let written = WRITTEN.iter().map(|&(name, page)| {
        // The heading is what the page is about.
        let summary = page.lines().next().unwrap_or_default().trim_start_matches(['#', ' ']).to_owned();
        Topic { name, summary, hook: false, text: Some(without_markers(page) + &rest_of(name)) }
    });
    let of_hooks = HOOKS.iter().map(|&(name, page)| {
        let summary = summary(name).unwrap_or_default();
        Topic { name, summary, hook: true, text: Some(without_markers(page)) }
    });
    written.chain(of_hooks).collect()
}

/// The page without the lines between which something is generated.
fn without_markers(page: &str) -> String {
    page.split_inclusive('\n').filter(|line| !line.starts_with("<!-- ")).collect()
}

/// The end of a page, from where it is written down.
fn rest_of(name: &str) -> String {
    match name {
        "defaults" => format!("\n```yaml\n{}```\n", include_str!("../../../../config/defaults.yaml")),
        "commands" => verbs(),
        "answering" => HOOKS.iter().map(answer).collect(),
        _ => String::new(),
    }
}

fn verbs() -> String {
    let verb = |verb: &Command| {
        let examples = examples(verb).join("\n    ");
        format!("\n- `req {}`: {}\n\n    {examples}\n", verb.get_name(), about(verb))
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
