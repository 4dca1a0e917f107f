//! What Claude and the user read. Each text stands alone, names the hook and the rule, and says what to do next.

use std::path::Path;

use shared::config::Origin;
use shared::hook::Input;
use shared::protocol::Mode;

use crate::RequirementsCheck;
use crate::call::Call;
use crate::facts::After;
use crate::place::Here;
use crate::rule::Rule;
use crate::settings::{Kind, Scope};
use crate::strategy::{Remedy, Standing};
use crate::view::{Size, View, quoted};
use crate::words::cut;

/// Characters shown of a project's own text.
const MAX_MESSAGE: usize = 600;
const MAX_POINTS: usize = 12;
/// Characters of the whole text at a session's start.
const MAX_AT_START: usize = 2_000;
/// Requirements named at once: a file may hold a thousand, and nobody reads them.
const MAX_RULES: usize = 20;

/// The provenance of a setting, by key.
pub type Origins<'a> = dyn Fn(&str) -> Option<Origin> + 'a;

pub(crate) fn denial(
    call: &Call,
    view: &View<'_>,
    unmet: &[(Rule<'_>, Standing)],
    origin: &Origins<'_>,
) -> String {
    let place = view.world.here.on();
    let head =
        format!("requirements-check: {} needs what is not satisfied yet {place}.", subject(call, unmet));
    let foot = "Then repeat the call.";
    [head, list(view, unmet, origin), foot.to_owned()].join("\n")
}

pub(crate) fn judged_roughly(view: &View<'_>) -> String {
    format!(
        "(The line's folder is not literal, so it was judged in {}; elsewhere, write the folder out.)",
        view.world.here.root().unwrap_or(&view.world.cwd).display()
    )
}

/// The commands of the line that need something if only commands do, else the tool.
fn subject(call: &Call, unmet: &[(Rule<'_>, Standing)]) -> String {
    let mut commands: Vec<String> = Vec::new();
    for (rule, _) in unmet {
        let found = rule.commands_that_need(call);
        if found.is_empty() || rule.is_triggered_by_tool(call) {
            return call.tool.clone();
        }
        commands.extend(found);
    }
    commands.sort();
    commands.dedup();
    if commands.is_empty() { call.tool.clone() } else { format!("`{}`", commands.join("`, `")) }
}

pub(crate) fn stop(view: &View<'_>, unmet: &[(Rule<'_>, Standing)], origin: &Origins<'_>) -> String {
    let place = view.world.here.on();
    let head =
        format!("requirements-check: this session's work {place} is not finished as the project asks.");
    let foot = "If that cannot be done now, say so to the user and stop: this is asked once per prompt.";
    [head, list(view, unmet, origin), foot.to_owned()].join("\n")
}

/// Each requirement with its reason, its checklist and what satisfies it; one `req satisfy` for all stands last.
fn list(view: &View<'_>, unmet: &[(Rule<'_>, Standing)], origin: &Origins<'_>) -> String {
    let mut lines = Vec::new();
    let mut to_mark = Vec::new();
    for (rule, standing) in in_order(unmet).into_iter().take(MAX_RULES) {
        let message = rule.set.message.as_deref().or(rule.set.description.as_deref());
        let place = match (unmet.len(), origin(&rule.key())) {
            (2.., Some(origin)) => format!(" [{origin}]"),
            _ => String::new(),
        };
        let what = match message {
            Some(message) => format!("{} ({})", cut(message.trim(), MAX_MESSAGE), standing.words()),
            None => standing.words().to_owned(),
        };
        lines.push(format!("- {}: {what}{place}", rule.name));
        let points = rule.set.checklist.iter().take(MAX_POINTS);
        lines.extend(points.map(|point| format!("  - {}", cut(point.trim(), MAX_MESSAGE))));
        match rule.remedy(view) {
            Remedy::Do(what) => lines.push(format!("  To satisfy it: {what}")),
            Remedy::Mark { or } => {
                lines.extend(or.map(|or| format!("  To satisfy it: {or}, or satisfy it as below")));
                to_mark.push(rule.name);
            }
        }
    }
    let left = unmet.len().saturating_sub(MAX_RULES);
    if left > 0 {
        lines.push(format!("- and {left} more, named when these are satisfied"));
    }
    if !to_mark.is_empty() {
        lines.push(marking(view, &to_mark));
    }
    lines.join("\n")
}

/// Steps that change the branch come first, because satisfactions are kept per branch.
fn in_order<'a, 'r>(unmet: &'a [(Rule<'r>, Standing)]) -> Vec<&'a (Rule<'r>, Standing)> {
    let mut ordered: Vec<&(Rule<'_>, Standing)> = unmet.iter().collect();
    ordered.sort_by_key(|(rule, _)| rule.kind() != Kind::Guard);
    ordered
}

/// The steps that satisfy the requirements, as their list names them.
pub(crate) fn steps(view: &View<'_>, unmet: &[(Rule<'_>, Standing)]) -> Vec<String> {
    let (mut steps, mut to_mark) = (Vec::new(), Vec::new());
    for (rule, _) in in_order(unmet).into_iter().take(MAX_RULES) {
        match rule.remedy(view) {
            Remedy::Do(what) => steps.push(what),
            Remedy::Mark { .. } => to_mark.push(rule.name),
        }
    }
    steps.extend((!to_mark.is_empty()).then(|| format!("run in Bash: {}", command_to_mark(view, &to_mark))));
    steps
}

fn quoted_names(names: &[&str]) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(" ")
}

fn command_to_mark(view: &View<'_>, names: &[&str]) -> String {
    format!("{}{} satisfy {}", view.change_directory(), view.world.reader.req, quoted_names(names))
}

/// How Claude satisfies requirements, in the permission mode of the call.
pub(crate) fn marking(view: &View<'_>, names: &[&str]) -> String {
    let reader = &view.world.reader;
    let command = command_to_mark(view, names);
    let told = match names {
        [name] => format!("To satisfy {name}: do what {name} asks for, then run in Bash: {command}"),
        names => format!(
            "To satisfy {}: do what each of them asks for, then run in Bash: {command}",
            names.join(", ")
        ),
    };
    let hint = match (reader.mode, reader.is_headless) {
        _ if reader.elsewhere.is_some() => return told,
        (Some(Mode::Plan | Mode::DontAsk), false) => {
            let names = quoted_names(names);
            format!("where Bash is not allowed now, ask the user to type as a prompt: req satisfy {names}")
        }
        // Nobody can be asked: Claude Code denies what it was not told to allow.
        (Some(Mode::Default | Mode::AcceptEdits | Mode::DontAsk), true) => format!(
            "where Bash is not allowed, whoever starts the session can allow it: --allowedTools \"Bash({} satisfy *)\"",
            reader.req
        ),
        _ => return told,
    };
    format!("{told}\n({hint})")
}

pub fn warning(name: &str, block: u64, size: &Size, warn: u64) -> String {
    format!(
        "requirements-check: {name}: {} changed lines against {}, warned from {warn} on; calls are denied from {block} on. \
         Plan to finish and merge what is there.",
        size.lines, size.base
    )
}

pub(crate) fn cannot_mark(here: &Here, hopeless: &[(Rule<'_>, Standing)]) -> String {
    let names: Vec<&str> = hopeless.iter().map(|(rule, _)| rule.name).collect();
    let folder = here.folder.as_ref().map_or_else(
        || "the state folder (is HOME set?)".to_owned(),
        |folder| format!("{} or the state folder", folder.dir().display()),
    );
    format!(
        "requirements-check: {} cannot be satisfied, because {folder} cannot be written to, and {} not asked for; make it writable",
        names.join(", "),
        if names.len() == 1 { "is" } else { "are" }
    )
}

pub(crate) fn set_aside(file: &Path) -> String {
    format!(
        "requirements-check: a file of satisfactions was damaged and is now {}; what it held counts as not satisfied",
        file.display()
    )
}

/// After a plan is accepted: the requirements that the work will need.
pub(crate) fn after_planning(
    input: &Input<'_, RequirementsCheck>,
    facts: &After,
    view: &View<'_>,
) -> Option<String> {
    if facts.call.tool != "ExitPlanMode" || !facts.succeeded {
        return None;
    }
    let unmet: Vec<(Rule<'_>, Standing)> = Rule::all(input.settings)
        .filter(Rule::is_for_calls)
        .map(|rule| (rule, rule.standing(view)))
        .filter(|(_, standing)| !standing.is_met())
        .collect();
    let head = format!("requirements-check: before this plan is carried out {}:", view.world.here.on());
    (!unmet.is_empty()).then(|| format!("{head}\n{}", list(view, &unmet, input.origin)))
}

/// The requirements, for Claude at a session's start; shorter for a session that has read them before.
pub(crate) fn status_for_claude(
    input: &Input<'_, RequirementsCheck>,
    view: &View<'_>,
    source: &str,
) -> Option<String> {
    Rule::all(input.settings).next()?;
    let is_short = matches!(source, "compact" | "resume");
    let header = input.settings.hooks.session_start.custom_header.as_deref();
    let mut lines: Vec<String> = header.map(|header| cut(header, MAX_MESSAGE)).into_iter().collect();
    lines.push(format!("requirements-check: required in this project (now {}):", view.world.here.on()));
    let mut to_mark = Vec::new();
    for rule in Rule::all(input.settings) {
        let standing = rule.standing(view);
        let word = if standing.is_met() { "satisfied" } else { "not satisfied" };
        let how = standing.words();
        let what = rule.set.description.as_deref().or(rule.set.message.as_deref()).filter(|_| !is_short);
        let what = what.map_or_else(|| how.to_owned(), |what| format!("{} ({how})", cut(what.trim(), 160)));
        lines.push(format!("- {} ({word}, {}): {what}", rule.name, when(&rule)));
        match rule.remedy(view) {
            _ if standing.is_met() => {}
            Remedy::Mark { .. } => to_mark.push(rule.name),
            Remedy::Do(_) if is_short => {}
            Remedy::Do(how) => lines.push(format!("  To satisfy it: {how}")),
        }
    }
    if !to_mark.is_empty() {
        lines.push(marking(view, &to_mark));
    }
    let exception =
        |rule: Rule<'_>| Some(format!("The user's exception: {}, {}.", rule.name, view.exception(&rule)?));
    lines.extend(Rule::all(input.settings).filter_map(exception));
    Some(within(lines, view))
}

/// The lines that fit, and the command that shows the others.
fn within(lines: Vec<String>, view: &View<'_>) -> String {
    let more = format!("(more is required than fits here: {} status)", view.world.reader.req);
    let (mut kept, mut length) = (Vec::new(), more.chars().count());
    for line in lines {
        length += line.chars().count() + 1;
        if length > MAX_AT_START {
            kept.push(more);
            break;
        }
        kept.push(line);
    }
    kept.join("\n")
}

/// `before edits`, `at the end of a turn`.
pub fn when(rule: &Rule<'_>) -> String {
    let stop = if rule.kind() == Kind::Evidence {
        "at the end of a turn with edits"
    } else {
        "at the end of a turn"
    };
    match (rule.is_for_calls(), rule.is_for_stops()) {
        (true, true) => format!("before {}, and {stop}", calls(rule)),
        (true, false) => format!("before {}", calls(rule)),
        (false, _) => stop.to_owned(),
    }
}

fn calls(rule: &Rule<'_>) -> String {
    let Some(triggers) = &rule.set.triggers else { return "edits".to_owned() };
    let words = triggers.iter().map(|trigger| match trigger.commands.first() {
        Some(pattern) => pattern.as_str(),
        None => trigger.tool.as_str(),
    });
    cut(&words.collect::<Vec<_>>().join(", "), 100)
}

pub(crate) fn hash(text: &str) -> u64 {
    use sha2::{Digest, Sha256};
    Sha256::digest(text).iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

/// The word in the settings.
pub fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Session => "session",
        Scope::Branch => "branch",
        Scope::Permanent => "permanent",
        Scope::SingleUse => "single_use",
    }
}

pub(crate) fn without_git(why: &str) -> String {
    format!(
        "requirements-check: git could not be read ({why}), so satisfactions count for a session only, on no branch"
    )
}

pub(crate) fn newcomer() -> String {
    "requirements-check: nothing is required of Claude's work in this repository yet. To set something up, type in a terminal: \
     req init (this is said once)"
        .to_owned()
}

pub(crate) fn new_client(running: &str, proved: &str) -> String {
    format!(
        "requirements-check: Claude Code is {running} now; the hooks were last proved under {proved}. To prove them again: \
         req doctor (this is said once)"
    )
}

pub(crate) fn tracked_local_file(file: &Path) -> String {
    format!(
        "requirements-check: {} is tracked by git, so it is the team's and not yours alone; take it out with: \
         git rm --cached {}",
        file.display(),
        quoted(&file.display().to_string())
    )
}

#[cfg(test)]
mod tests;
