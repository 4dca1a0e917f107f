//! What Claude and the user read. Every text stands alone, names the hook and the rule, and says what to do next.

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
use crate::view::{NewClient, Size, View};
use crate::words::cut;

/// A user's own text is shown up to this length, in characters.
const MAX_MESSAGE: usize = 600;

/// So many points of a checklist are shown.
const MAX_POINTS: usize = 12;

/// What Claude reads at a session's start, in characters.
const MAX_AT_START: usize = 2_000;

/// So many requirements are named at once: a file may hold a thousand, and nobody reads them.
const MAX_RULES: usize = 20;

/// Where a setting comes from.
pub type Origins<'a> = dyn Fn(&str) -> Option<Origin> + 'a;

/// One refusal for everything the call needs and is not met.
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

/// Where a line was judged whose `cd` goes to something that only the shell knows.
pub(crate) fn judged_roughly(view: &View<'_>) -> String {
    format!(
        "(The line's folder is not literal, so it was judged in {}; elsewhere, write the folder out.)",
        view.world.here.root().unwrap_or(&view.world.cwd).display()
    )
}

/// The short form for a parallel call that is refused for the same reason, with what satisfies it all the same: only one
/// of several denials may be read.
pub(crate) fn denied_again(call: &Call, unmet: &[(Rule<'_>, Standing)], next: &[String]) -> String {
    let names: Vec<&str> = unmet.iter().take(MAX_RULES).map(|(rule, _)| rule.name).collect();
    let subject = subject(call, unmet);
    let head =
        format!("requirements-check: {subject} needs {}; details in the parallel denial.", names.join(", "));
    let next = next.iter().take(MAX_RULES).map(|step| format!("- {step}"));
    std::iter::once(head).chain(next).collect::<Vec<_>>().join("\n")
}

/// What of the call needs something: commands of its line, where it is them alone, else the tool.
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

/// What holds a stop.
pub(crate) fn stop(view: &View<'_>, unmet: &[(Rule<'_>, Standing)], origin: &Origins<'_>) -> String {
    let place = view.world.here.on();
    let head =
        format!("requirements-check: this session's work {place} is not finished as the project asks.");
    let foot = "If that cannot be done now, say so to the user and stop: this is asked once per prompt.";
    [head, list(view, unmet, origin), foot.to_owned()].join("\n")
}

/// Each requirement with its reason, its points and what meets it; marks that one command sets stand last, together.
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

/// What changes the branch comes first: marks are kept per branch.
fn in_order<'a, 'r>(unmet: &'a [(Rule<'r>, Standing)]) -> Vec<&'a (Rule<'r>, Standing)> {
    let mut ordered: Vec<&(Rule<'_>, Standing)> = unmet.iter().collect();
    ordered.sort_by_key(|(rule, _)| rule.kind() != Kind::Guard);
    ordered
}

/// The steps that meet them, as their list names them.
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
    names.iter().map(|name| crate::view::quoted(name)).collect::<Vec<_>>().join(" ")
}

fn command_to_mark(view: &View<'_>, names: &[&str]) -> String {
    format!("{}{} satisfy {}", view.change_directory(), view.world.reader.req, quoted_names(names))
}

/// How Claude marks requirements, in the permission mode of the call.
pub(crate) fn marking(view: &View<'_>, names: &[&str]) -> String {
    let reader = &view.world.reader;
    let told = format!("When that is done, run in Bash: {}", command_to_mark(view, names));
    let names = quoted_names(names);
    match (reader.mode, reader.is_headless) {
        _ if reader.elsewhere.is_some() => told,
        (Some(Mode::Plan | Mode::DontAsk), false) => format!(
            "{told}\n(where Bash is not allowed now, ask the user to type as a prompt: req satisfy {names})"
        ),
        // Nobody is there to be asked: the client refuses what it was not told to allow.
        (Some(Mode::Default | Mode::AcceptEdits | Mode::DontAsk), true) => format!(
            "{told}\n(where Bash is not allowed, whoever starts the session can allow it: --allowedTools \"Bash({} satisfy *)\")",
            reader.req
        ),
        _ => told,
    }
}

/// One line when a size passes its warning.
pub fn warning(name: &str, block: u64, size: &Size, warn: u64) -> String {
    format!(
        "requirements-check: {name}: {} changed lines against {}, warned from {warn} on; calls are denied from {block} on. \
         Plan to finish and merge what is there.",
        size.lines, size.base
    )
}

/// Marks cannot be kept, so what needs one is not asked for.
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

/// A damaged file of marks.
pub(crate) fn set_aside(file: &Path) -> String {
    format!(
        "requirements-check: a file of satisfactions was damaged and is now {}; what it held counts as not satisfied",
        file.display()
    )
}

/// After the plan is accepted: what the work will need.
pub(crate) fn after_planning(
    input: &Input<'_, RequirementsCheck>,
    facts: &After,
    view: &View<'_>,
) -> Option<String> {
    if facts.call.tool != "ExitPlanMode" || !facts.succeeded {
        return None;
    }
    let unmet = unmet_for_calls(input, view);
    if unmet.is_empty() {
        return None;
    }
    let head = format!("requirements-check: before this plan is carried out {}:", view.world.here.on());
    Some([head, list(view, &unmet, input.origin)].join("\n"))
}

fn unmet_for_calls<'a>(
    input: &'a Input<'_, RequirementsCheck>,
    view: &View<'_>,
) -> Vec<(Rule<'a>, Standing)> {
    Rule::all(input.settings)
        .filter(Rule::is_for_calls)
        .map(|rule| (rule, rule.standing(view)))
        .filter(|(_, standing)| !standing.is_met())
        .collect()
}

/// What is required here, for Claude at a session's start; the shorter, the more of it Claude has seen already.
pub(crate) fn status_for_claude(
    input: &Input<'_, RequirementsCheck>,
    view: &View<'_>,
    source: &str,
) -> Option<String> {
    let all: Vec<(Rule<'_>, Standing)> =
        Rule::all(input.settings).map(|rule| (rule, rule.standing(view))).collect();
    if all.is_empty() {
        return None;
    }
    let unmet: Vec<_> = all.iter().filter(|(_, standing)| !standing.is_met()).cloned().collect();
    let header = input.settings.hooks.session_start.custom_header.as_deref();
    let mut lines: Vec<String> = header.map(|header| cut(header, MAX_MESSAGE)).into_iter().collect();
    let place = view.world.here.on();
    lines.push(format!("requirements-check: required in this project (now {place}):"));
    let is_short = matches!(source, "compact" | "resume");
    for (rule, standing) in &all {
        let word = if standing.is_met() { "satisfied" } else { "not satisfied" };
        let what = rule.set.description.as_deref().or(rule.set.message.as_deref()).filter(|_| !is_short);
        let how = standing.words();
        let what = what.map_or_else(|| how.to_owned(), |what| format!("{} ({how})", cut(what.trim(), 160)));
        lines.push(format!("- {} ({word}, {}): {what}", rule.name, when(rule)));
        if let (false, false, Remedy::Do(how)) = (standing.is_met(), is_short, rule.remedy(view)) {
            lines.push(format!("  To satisfy it: {how}"));
        }
    }
    let to_mark: Vec<&str> = unmet
        .iter()
        .filter(|(rule, _)| matches!(rule.remedy(view), Remedy::Mark { .. }))
        .map(|(rule, _)| rule.name)
        .collect();
    if !to_mark.is_empty() {
        lines.push(marking(view, &to_mark));
    }
    lines.extend(exceptions(input, view));
    Some(within(lines, view))
}

/// The lines that fit, and how to see the others.
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

/// When a requirement is asked for: `before edits`, `at the end of a turn`.
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

/// The calls that need it, in a few words.
fn calls(rule: &Rule<'_>) -> String {
    let Some(triggers) = &rule.set.triggers else { return "edits".to_owned() };
    let words = triggers.iter().map(|trigger| match trigger.commands.first() {
        Some(pattern) => pattern.as_str(),
        None => trigger.tool.as_str(),
    });
    cut(&words.collect::<Vec<_>>().join(", "), 100)
}

/// What the user has excepted, and for how long: everybody is to know.
fn exceptions(input: &Input<'_, RequirementsCheck>, view: &View<'_>) -> Vec<String> {
    Rule::all(input.settings)
        .filter_map(|rule| {
            view.exception(&rule).map(|words| format!("The user's exception: {}, {words}.", rule.name))
        })
        .collect()
}

/// A hash by which the same text is known again.
pub(crate) fn hash(text: &str) -> u64 {
    use sha2::{Digest, Sha256};
    Sha256::digest(text).iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

/// The scope's word in the settings.
pub fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Session => "session",
        Scope::Branch => "branch",
        Scope::Permanent => "permanent",
        Scope::SingleUse => "single_use",
    }
}

/// Git is there and has no answer.
pub(crate) fn without_git(why: &str) -> String {
    format!(
        "requirements-check: git could not be read ({why}), so marks count for a session only, on no branch"
    )
}

/// Nothing is required here, and the user may not know how that is changed.
pub(crate) fn newcomer() -> String {
    "requirements-check: nothing is required of Claude's work in this repository yet. To set something up, type in a terminal: \
     req init (this is said once)"
        .to_owned()
}

/// The client is another one than the hooks were proved under.
pub(crate) fn new_client(client: &NewClient) -> String {
    format!(
        "requirements-check: Claude Code is {} now; the hooks were last proved under {}. To prove them again: req doctor \
         (this is said once)",
        client.running, client.proved
    )
}

/// The local file is everybody's.
pub(crate) fn tracked_local_file(file: &Path) -> String {
    format!(
        "requirements-check: {} is tracked by git, so it is the team's and not yours alone; take it out with: \
         git rm --cached {}",
        file.display(),
        crate::view::quoted(&file.display().to_string())
    )
}

#[cfg(test)]
mod tests;
