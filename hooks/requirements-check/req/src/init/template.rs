//! A preset and what is filled into it. The presets are config/presets; a name in double braces is filled in, a line with
//! nothing to fill in goes, and an entry that cannot work here is turned into a comment that says why.

use shared::config::LayerKind;

use super::found::{FALLBACK, TestCommand};
use crate::command::arguments::Preset;

/// What the file is to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Draft {
    /// Whose file it is.
    pub(super) level: LayerKind,
    /// What it begins with.
    pub(super) begins: Begins,
    /// What the editor checks it against: a path or URL.
    pub(super) schema: String,
    /// What runs the tests; none where nothing does.
    pub(super) commands: Vec<String>,
    /// More commands that were found and are not taken.
    pub(super) also_found: Vec<TestCommand>,
    /// The files the tests are about; empty: all.
    pub(super) paths: Vec<String>,
    /// There is a git repository; the global file counts in all there are.
    pub(super) has_git: bool,
    /// The branches others build on.
    pub(super) branches: Vec<String>,
    /// Lines changed on a branch: told from the first on, refused from the second on.
    pub(super) thresholds: (u32, u32),
    /// How `req ci` is run where the repository is hosted; none without a repository.
    pub(super) ci: Option<&'static str>,
}

/// What a file begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Begins {
    /// A preset, whole.
    With(Preset),
    /// These requirements of the advanced one.
    OneByOne(Vec<String>),
}

impl Begins {
    fn text(&self) -> &'static str {
        match self {
            Self::With(preset) => text_of(*preset),
            Self::OneByOne(_) => text_of(Preset::Advanced),
        }
    }
}

/// A preset as it is compiled in.
pub(super) const fn text_of(preset: Preset) -> &'static str {
    match preset {
        Preset::Relaxed => include_str!("../../../../../config/presets/relaxed.yaml"),
        Preset::Strict => include_str!("../../../../../config/presets/strict.yaml"),
        Preset::Minimal => include_str!("../../../../../config/presets/minimal.yaml"),
        Preset::Advanced => include_str!("../../../../../config/presets/advanced.yaml"),
        Preset::Inherit => include_str!("../../../../../config/presets/inherit.yaml"),
    }
}

/// The requirements of the advanced preset by name, each with its description and whether it is on there.
pub(super) fn advanced() -> Vec<(&'static str, &'static str, bool)> {
    let entries = text_of(Preset::Advanced).split("\n\n").filter_map(|part| Some((part, entry_of(part)?)));
    entries
        .map(|(part, name)| {
            let value = |key: &str| part.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
            (name, value("    description: "), value("    enabled: ") == "true")
        })
        .collect()
}

/// A place to be filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    Schema,
    Whose,
    TestCommand,
    AlsoFound,
    Paths,
    ProtectedBranches,
    Warn,
    Block,
    Ci,
}

impl Slot {
    const ALL: [(&'static str, Self); 9] = [
        ("{{schema}}", Self::Schema),
        ("{{whose}}", Self::Whose),
        ("{{test_command}}", Self::TestCommand),
        ("{{also_found}}", Self::AlsoFound),
        ("{{paths}}", Self::Paths),
        ("{{protected_branches}}", Self::ProtectedBranches),
        ("{{warn}}", Self::Warn),
        ("{{block}}", Self::Block),
        ("{{ci}}", Self::Ci),
    ];

    /// The first one in a line, with where it begins and ends.
    fn first_in(line: &str) -> Option<(Self, usize, usize)> {
        let places = Self::ALL.iter().filter_map(|(word, slot)| {
            let start = line.find(word)?;
            Some((*slot, start, start + word.len()))
        });
        places.min_by_key(|(_, start, _)| *start)
    }

    /// What is filled in; `None`: the line goes.
    fn filled(self, draft: &Draft) -> Option<String> {
        match self {
            Self::Schema => Some(draft.schema.clone()),
            Self::Whose => Some(whose(draft.level).to_owned()),
            Self::TestCommand if draft.commands.is_empty() => {
                Some("the command that runs your tests".to_owned())
            }
            Self::TestCommand => Some(one_or_more(&forms(&draft.commands))),
            Self::AlsoFound => also_found(&draft.also_found),
            Self::Paths => (!draft.paths.is_empty()).then(|| format!("paths: {}", list(&draft.paths))),
            Self::ProtectedBranches if draft.branches.is_empty() => Some(list(&FALLBACK)),
            Self::ProtectedBranches => Some(list(&draft.branches)),
            Self::Warn => Some(draft.thresholds.0.to_string()),
            Self::Block => Some(draft.thresholds.1.to_string()),
            Self::Ci => draft.ci.map(ToOwned::to_owned),
        }
    }
}

fn whose(level: LayerKind) -> &'static str {
    match level {
        LayerKind::Local => {
            "What is required of Claude's work in this project, for you alone: this file is not in git."
        }
        LayerKind::Project => "What is required of Claude's work in this project: the team's file, in git.",
        _ => "What is required of Claude's work in every project of yours.",
    }
}

/// The forms in which people and agents type the commands, those that were found or given first.
fn forms(commands: &[String]) -> Vec<String> {
    const ALIKE: [&[&str]; 6] = [
        &["pytest", "python -m pytest", "uv run pytest", "poetry run pytest"],
        &["npm test", "npm run test"],
        &["pnpm test", "pnpm run test"],
        &["yarn test", "yarn run test"],
        &["cargo test", "cargo nextest run"],
        &["go test ./...", "go test"],
    ];
    let mut all = commands.to_vec();
    for alike in ALIKE.iter().filter(|alike| commands.iter().any(|command| alike.contains(&command.as_str())))
    {
        let more: Vec<String> = alike.iter().map(|form| (*form).to_owned()).collect();
        all.extend(more.into_iter().filter(|form| !commands.contains(form)));
    }
    all
}

/// A comment; a line break in a file's name or a command ends no comment, because neither can hold one.
fn also_found(more: &[TestCommand]) -> Option<String> {
    let shown: Vec<String> = more.iter().map(|more| format!("{} ({})", more.line, more.file)).collect();
    (!shown.is_empty()).then(|| format!("# found as well: {}", shown.join(", ")))
}

/// What an entry needs, as a line `#@ need` above it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    Git,
    Branches,
    Tests,
}

impl Need {
    const MARK: &'static str = "  #@ ";

    fn named(line: &str) -> Option<Self> {
        match line.strip_prefix(Self::MARK)? {
            "git" => Some(Self::Git),
            "branches" => Some(Self::Branches),
            "tests" => Some(Self::Tests),
            _ => None,
        }
    }

    /// Why the entry cannot work.
    fn lacks(self, draft: &Draft) -> Option<&'static str> {
        match self {
            Self::Git | Self::Branches if !draft.has_git => {
                Some("there is no git repository here, so there are no branches")
            }
            Self::Branches if draft.branches.is_empty() => Some("no branch was named"),
            Self::Tests if draft.commands.is_empty() => Some(match draft.level {
                LayerKind::Global => {
                    "tests are run differently in each project; put a command in, or require it there"
                }
                _ => "no command that runs the tests was found; put yours in",
            }),
            _ => None,
        }
    }
}

/// The whole file.
pub(super) fn render(draft: &Draft) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in draft.begins.text().trim_end().split("\n\n") {
        let part = match entry_of(part) {
            Some(name) => entry(part, name, draft),
            None => filled(part, draft),
        };
        parts.extend(part.filter(|part| !part.is_empty()));
    }
    // The key stands above the first entry, which may be left out or be a comment.
    let first = parts.iter().position(|part| part.lines().any(|line| line.starts_with("  ")));
    if let (Some(first), true) = (first, draft.begins.text().contains("\nrequirements:\n")) {
        let is_live = parts.iter().any(|part| entry_of(part).is_some());
        let key = if is_live { "requirements:\n" } else { "requirements: {}\n" };
        parts[first].insert_str(0, key);
    }
    parts.join("\n\n") + "\n"
}

/// The name of the requirement that a part of a file sets.
fn entry_of(part: &str) -> Option<&str> {
    let keys = part.lines().filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'));
    keys.into_iter().find(|name| name.starts_with(|first: char| first.is_ascii_lowercase()))
}

/// An entry as it is wanted: whole, as a comment, or not at all.
fn entry(part: &str, name: &str, draft: &Draft) -> Option<String> {
    let part = part.strip_prefix("requirements:\n").unwrap_or(part);
    let (need, part) = match part.split_once('\n') {
        Some((first, rest)) if first.starts_with(Need::MARK) => (Need::named(first), rest),
        _ => (None, part),
    };
    let part = match &draft.begins {
        Begins::OneByOne(chosen) if !chosen.iter().any(|wanted| wanted == name) => return None,
        Begins::OneByOne(_) => part.replacen("    enabled: false", "    enabled: true", 1),
        Begins::With(_) => part.to_owned(),
    };
    let text = filled(&part, draft)?;
    match need.and_then(|need| need.lacks(draft)) {
        None => Some(text),
        Some(why) => Some(commented(name, why, &text)),
    }
}

/// The entry as a comment, under the reason.
fn commented(name: &str, why: &str, text: &str) -> String {
    let lines = text.lines().map(|line| format!("  # {}", line.strip_prefix("  ").unwrap_or(line)));
    let head = format!(
        "  # {name} is left out: {why}.\n  # To have it, take the first `# ` of each line below away."
    );
    std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n")
}

/// The lines with what is filled into them; `None` if nothing is left.
fn filled(part: &str, draft: &Draft) -> Option<String> {
    let lines: Vec<String> = part.lines().filter_map(|line| line_filled(line, draft)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn line_filled(line: &str, draft: &Draft) -> Option<String> {
    let (mut done, mut rest) = (String::new(), line);
    while let Some((slot, start, end)) = Slot::first_in(rest) {
        done.push_str(&rest[..start]);
        done.push_str(&slot.filled(draft)?);
        rest = &rest[end..];
    }
    Some(done + rest)
}

/// One value as it is, several as a list.
fn one_or_more(values: &[String]) -> String {
    match values {
        [one] => scalar(one),
        more => list(more),
    }
}

fn list<T: AsRef<str>>(values: &[T]) -> String {
    let values: Vec<String> = values.iter().map(|value| scalar(value.as_ref())).collect();
    format!("[{}]", values.join(", "))
}

/// A text as a YAML value, in quotes unless it is plainly text: JSON's quotes are YAML's.
pub(super) fn scalar(text: &str) -> String {
    let is_word = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '/' | '.' | ' ');
    let begins = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/');
    let is_keyword = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word));
    if begins && !text.ends_with(' ') && !is_keyword && text.chars().all(is_word) {
        return text.to_owned();
    }
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
pub(super) mod tests;
