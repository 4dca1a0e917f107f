//! `req docs`: the manual, compiled in. A page is a file of config/manual, or the README of a hook; what is written down
//! elsewhere already (the verbs, the defaults, how each hook wants to be answered) is put in from there.

mod hooks;

use clap::Command;
use schemars::JsonSchema;
use serde::Serialize;
use shared::catalog::Catalog;
use shared::config::nearest;

use crate::command::arguments::Docs;
use crate::command::{Reply, about, clap_command, examples, groups};
use hooks::HOOKS;
use requirements_check::words::cut;

/// So many lines in which a word stands are told of each page.
const LINES_OF_A_PAGE: usize = 3;

/// A line is told up to this length, in characters.
const MAX_LINE: usize = 90;

/// The heading under which a hook's page says what Claude does when the hook has spoken.
const ANSWER: &str = "### For Claude";

/// The pages of config/manual, in the order in which a newcomer wants them.
const WRITTEN: [Written; 24] = [
    Written::page("start", include_str!("../../../../../config/manual/start.md")),
    Written::page("install", include_str!("../../../../../config/manual/install.md")),
    Written::page("expect", include_str!("../../../../../config/manual/expect.md")),
    Written::page("requirements", include_str!("../../../../../config/manual/requirements.md")),
    Written::page("evidence", include_str!("../../../../../config/manual/evidence.md")),
    Written::page("marks", include_str!("../../../../../config/manual/marks.md")),
    Written::page("configuration", include_str!("../../../../../config/manual/configuration.md")),
    Written::with("defaults", include_str!("../../../../../config/manual/defaults.md"), defaults),
    Written::with("commands", include_str!("../../../../../config/manual/commands.md"), verbs),
    Written::with("answering", include_str!("../../../../../config/manual/answering.md"), answers),
    Written::page("pause", include_str!("../../../../../config/manual/pause.md")),
    Written::page("ci", include_str!("../../../../../config/manual/ci.md")),
    Written::page("doctor", include_str!("../../../../../config/manual/doctor.md")),
    Written::page("trust", include_str!("../../../../../config/manual/trust.md")),
    Written::page("journal", include_str!("../../../../../config/manual/journal.md")),
    Written::page("judge", include_str!("../../../../../config/manual/judge.md")),
    Written::page("troubleshooting", include_str!("../../../../../config/manual/troubleshooting.md")),
    Written::page("security", include_str!("../../../../../config/manual/security.md")),
    Written::page("platforms", include_str!("../../../../../config/manual/platforms.md")),
    Written::page("want-weekend-pacing", include_str!("../../../../../config/manual/want-weekend-pacing.md")),
    Written::page(
        "want-tests-before-commit",
        include_str!("../../../../../config/manual/want-tests-before-commit.md"),
    ),
    Written::page("want-my-approval", include_str!("../../../../../config/manual/want-my-approval.md")),
    Written::page("want-rules-in-ci", include_str!("../../../../../config/manual/want-rules-in-ci.md")),
    Written::page("want-quiet-day", include_str!("../../../../../config/manual/want-quiet-day.md")),
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
    name: String,
    /// What it is about, in one line.
    summary: String,
    /// It is the page of one hook, of that name.
    hook: bool,
    /// The page in Markdown; null where it was not asked for by its name.
    text: Option<String>,
    /// The first lines in which the word stands that was asked for.
    lines: Vec<String>,
}

/// Answers `req docs`.
pub(crate) fn docs(wanted: &Docs) -> Reply {
    let pages = pages();
    let word = wanted.topic.as_deref().map(str::trim);
    let topics: Vec<Topic> = match word {
        None => pages.iter().map(Page::topic).collect(),
        Some(word) => match page_named(word, &pages) {
            Some(page) => vec![Topic { text: Some(page.text.clone()), ..page.topic() }],
            None => pages.iter().filter_map(|page| page.found(word)).collect(),
        },
    };
    match word {
        Some(word) if topics.is_empty() => Reply::no(unknown(word, &pages)),
        _ => {
            let manual = DocsReport { version: 1, asked: word.map(ToOwned::to_owned), topics };
            Reply::yes(told(&manual, wanted.json))
        }
    }
}

/// A command of a hook names its page too.
fn page_named<'p>(word: &str, pages: &'p [Page]) -> Option<&'p Page> {
    let is_it = |name: &str| name.eq_ignore_ascii_case(word);
    let of_command = || {
        let catalog = Catalog::built_in().ok()?;
        let hook = catalog.hooks.iter().find(|hook| hook.commands.iter().any(|command| is_it(command)))?;
        pages.iter().find(|page| page.is_hook && page.name == hook.name)
    };
    pages.iter().find(|page| is_it(page.name)).or_else(of_command)
}

fn told(manual: &DocsReport, is_json: bool) -> String {
    if is_json {
        return serde_json::to_string_pretty(manual).unwrap_or_default();
    }
    match (&manual.asked, manual.topics.as_slice()) {
        (_, [Topic { text: Some(text), .. }]) => text.trim_end().to_owned(),
        (None, topics) => {
            let lines = listed(topics, |topic| &topic.summary);
            format!("{lines}\nreq docs TOPIC prints one; another word is looked up in all.")
        }
        (Some(word), topics) => {
            let lines = listed(topics, |topic| topic.lines.first().unwrap_or(&topic.summary));
            format!(
                "No page is called {}, but it stands in these:\n{lines}\nreq docs TOPIC prints one.",
                cut(word, 60)
            )
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

fn unknown(word: &str, pages: &[Page]) -> String {
    let word = cut(word, 60);
    let names: Vec<&str> = pages.iter().map(|page| page.name).collect();
    match nearest(&word, &names) {
        Some(near) => format!("req: the manual has no page {word}; did you mean {near}?"),
        None => format!("req: the manual has no page {word}, and the word is on none; req docs lists them"),
    }
}

/// A page as it is printed.
struct Page {
    name: &'static str,
    summary: String,
    is_hook: bool,
    text: String,
}

impl Page {
    fn topic(&self) -> Topic {
        let (name, summary) = (self.name.to_owned(), self.summary.clone());
        Topic { name, summary, hook: self.is_hook, text: None, lines: Vec::new() }
    }

    /// The page with the first lines that have the word, if any has.
    fn found(&self, word: &str) -> Option<Topic> {
        let word = word.to_lowercase();
        let has_it = |line: &&str| line.to_lowercase().contains(&word);
        let lines = self.text.lines().filter(has_it).take(LINES_OF_A_PAGE);
        let lines: Vec<String> = lines.map(|line| shown_with(line.trim(), &word)).collect();
        (!word.is_empty() && !lines.is_empty()).then(|| Topic { lines, ..self.topic() })
    }
}

/// The names of all hooks.
pub(crate) fn hooks() -> impl Iterator<Item = &'static str> {
    HOOKS.iter().map(|(name, _)| *name)
}

/// The names of all pages.
pub(crate) fn topics() -> impl Iterator<Item = &'static str> {
    WRITTEN.iter().map(|page| page.name).chain(hooks())
}

/// Every page: those about all hooks, then one of each hook.
fn pages() -> Vec<Page> {
    let catalog = Catalog::built_in().ok();
    let summary = |name| Some(catalog.as_ref()?.hook(name)?.summary.clone());
    let of_hooks = HOOKS.iter().map(|&(name, text)| Page {
        name,
        summary: summary(name).unwrap_or_default(),
        is_hook: true,
        text: without_markers(text),
    });
    WRITTEN.iter().map(Written::printed).chain(of_hooks).collect()
}

/// A page of config/manual. Its first line is the heading, which is what it is about.
struct Written {
    name: &'static str,
    text: &'static str,
    /// What follows it, from where that is written down.
    rest: fn() -> String,
}

impl Written {
    const fn page(name: &'static str, text: &'static str) -> Self {
        Self::with(name, text, String::new)
    }

    const fn with(name: &'static str, text: &'static str, rest: fn() -> String) -> Self {
        Self { name, text, rest }
    }

    fn printed(&self) -> Page {
        let heading = self.text.lines().next().unwrap_or_default();
        let summary = heading.trim_start_matches(['#', ' ']).to_owned();
        let text = without_markers(self.text) + &(self.rest)();
        Page { name: self.name, summary, is_hook: false, text }
    }
}

/// So much of a line as is told, with the word in it: where the word stands late, what is before it is left out.
fn shown_with(line: &str, word: &str) -> String {
    let before = line.to_lowercase().split(word).next().map_or(0, |before| before.chars().count());
    if before + word.chars().count() <= MAX_LINE {
        return cut(line, MAX_LINE);
    }
    let rest: String = line.chars().skip(before.saturating_sub(MAX_LINE / 3)).collect();
    format!("…{}", cut(&rest, MAX_LINE))
}

/// The page without the lines between which something is generated.
fn without_markers(page: &str) -> String {
    page.split_inclusive('\n').filter(|line| !line.starts_with("<!-- ")).collect()
}

/// Every setting and its default.
fn defaults() -> String {
    format!("\n```yaml\n{}```\n", include_str!("../../../../../config/defaults.yaml"))
}

/// Every verb with its examples.
fn verbs() -> String {
    let verb = |verb: &Command| {
        let examples: String = examples(verb).iter().map(indented).collect();
        format!("\n- `req {}`: {}\n\n{examples}", verb.get_name(), about(verb))
    };
    let definition = clap_command();
    let group = |(heading, verbs): (&str, Vec<&Command>)| {
        format!("\n## {heading}\n{}", verbs.into_iter().map(verb).collect::<String>())
    };
    groups(&definition).map(group).collect()
}

fn indented(line: &String) -> String {
    format!("    {line}\n")
}

/// What each hook's page says to Claude.
fn answers() -> String {
    let answer = |(name, page): &(&str, &str)| {
        answer_of(page).map(|text| format!("\n## {name}\n\n{text}\n")).unwrap_or_default()
    };
    HOOKS.iter().map(answer).collect()
}

/// The part of a hook's page for Claude: all below its heading, up to the next.
fn answer_of(page: &str) -> Option<String> {
    let (_, rest) = page.split_once(ANSWER)?;
    let lines: Vec<&str> = rest.lines().skip(1).take_while(|line| !line.starts_with('#')).collect();
    Some(lines.join("\n").trim().to_owned())
}

#[cfg(test)]
mod tests;
