//! The texts for Claude and the user. Each text stands alone, names the hook and the rule, and says what to do next.

use std::collections::BTreeSet;

use shared::config::Origin;
use shared::protocol::Mode;

use crate::call::Call;
use crate::rule::Rule;
use crate::settings::{Kind, Settings};
use crate::strategy::{Remedy, Unsatisfied};
use crate::world::{View, World};
use shared::text::{cut, quoted};

const MAX_MESSAGE: usize = 600;
/// Requirements named at once: a file may hold a thousand, and their texts take longer than a gate may.
const MAX_RULES: usize = 20;
/// Characters of the whole text at a session's start.
const MAX_AT_START: usize = 2_000;

pub type Origins<'a> = dyn Fn(&str) -> Option<Origin> + 'a;

/// A text, and its steps for the journal.
pub(crate) type Text = (String, Vec<String>);

pub(crate) fn denial(
    call: &Call,
    view: &View<'_>,
    unsatisfied: &[Unsatisfied<'_>],
    origin: &Origins<'_>,
) -> Text {
    let (needs, place) = (subject(call, unsatisfied), view.world.on());
    let head = format!("requirements-check: {needs} needs what is not satisfied yet {place}.");
    let is_repeated = !unsatisfied.iter().any(|unsatisfied| unsatisfied.is_late);
    text(head, if is_repeated { "Then repeat the call." } else { "" }, view, unsatisfied, origin)
}

pub(crate) fn stop(view: &View<'_>, unsatisfied: &[Unsatisfied<'_>], origin: &Origins<'_>) -> Text {
    let on = view.world.on();
    let head = format!("requirements-check: this session's work {on} is not finished as the project asks.");
    let foot = "If that cannot be done now, say so to the user and stop: the hook blocks once per prompt.";
    text(head, foot, view, unsatisfied, origin)
}

/// After a plan is accepted: the requirements that the work will need.
pub(crate) fn after_planning(
    view: &View<'_>,
    unsatisfied: &[Unsatisfied<'_>],
    origin: &Origins<'_>,
) -> String {
    let head = format!("requirements-check: before this plan is carried out {}:", view.world.on());
    text(head, "", view, unsatisfied, origin).0
}

/// The commands of the line that need something if only commands do, else the tool.
fn subject(call: &Call, unsatisfied: &[Unsatisfied<'_>]) -> String {
    let words: BTreeSet<&str> =
        unsatisfied.iter().flat_map(|unsatisfied| unsatisfied.rule.commands_that_need(call)).collect();
    if words.is_empty() || unsatisfied.iter().any(|unsatisfied| unsatisfied.rule.is_triggered_by_tool(call)) {
        return call.tool.clone();
    }
    format!("`{}`", words.into_iter().collect::<Vec<_>>().join("`, `"))
}

/// Each requirement with its reason, its checklist and what satisfies it; one `req satisfy` for all stands last.
fn text(
    head: String,
    foot: &str,
    view: &View<'_>,
    unsatisfied: &[Unsatisfied<'_>],
    origin: &Origins<'_>,
) -> Text {
    let (mut lines, mut steps, mut by_hand) = (vec![head], Vec::new(), Vec::new());
    for Unsatisfied { rule, why, remedy, .. } in unsatisfied.iter().take(MAX_RULES) {
        let message = rule.set.message.as_ref().or(rule.set.description.as_ref());
        let what = message.map(|message| format!("{} ({why})", cut(message.trim(), MAX_MESSAGE)));
        let place = origin(&rule.key())
            .filter(|_| unsatisfied.len() > 1)
            .map_or(String::new(), |at| format!(" [{at}]"));
        lines.push(format!("- {}: {}{place}", rule.name, what.as_ref().unwrap_or(why)));
        lines
            .extend(rule.set.checklist.iter().map(|point| format!("  - {}", cut(point.trim(), MAX_MESSAGE))));
        match remedy {
            Remedy::Do(what) => {
                lines.push(format!("  To satisfy it: {what}"));
                steps.push(what.clone());
            }
            Remedy::Satisfy(or) => {
                lines.extend(or.as_ref().map(|or| format!("  To satisfy it: {or}, or satisfy it as below")));
                by_hand.push(rule.name);
            }
        }
    }
    if unsatisfied.len() > MAX_RULES {
        lines.push(format!("- and {} more, named when these are satisfied", unsatisfied.len() - MAX_RULES));
    }
    if !by_hand.is_empty() {
        let (line, command) = satisfying(view, &by_hand);
        lines.push(line);
        steps.push(format!("run in Bash: {command}"));
    }
    lines.extend((!foot.is_empty()).then(|| foot.to_owned()));
    (lines.join("\n"), steps)
}

/// How Claude satisfies requirements, in the permission mode of the call; and the command alone.
fn satisfying(view: &View<'_>, names: &[&str]) -> (String, String) {
    let (world, words) = (view.world, names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(" "));
    let command = format!("{}{} satisfy {words}", view.change_directory(), world.req());
    let each = if let [name] = names { name } else { "each of them" };
    let hint = match (world.mode, world.environment.is_headless()) {
        _ if world.elsewhere.is_some() => String::new(),
        // Nobody can be asked: Claude Code denies what it was not told to allow.
        (Some(Mode::Default | Mode::AcceptEdits | Mode::DontAsk), true) => format!(
            "\n(where Bash is not allowed, whoever starts the session can allow it: --allowedTools \"Bash({} satisfy *)\")",
            world.req()
        ),
        (Some(Mode::Plan | Mode::DontAsk), false) => {
            format!("\n(where Bash is not allowed, ask the user to type as a prompt: req satisfy {words})")
        }
        _ => String::new(),
    };
    let all = names.join(", ");
    (format!("To satisfy {all}: do what {each} asks for, then run in Bash: {command}{hint}"), command)
}

/// The requirements, for Claude at a session's start; shorter for a session that has read them before.
pub(crate) fn at_start(settings: &Settings, view: &View<'_>, is_short: bool) -> String {
    let header = settings.hooks.session_start.custom_header.as_deref();
    let mut lines: Vec<String> = header.map(|header| cut(header, MAX_MESSAGE)).into_iter().collect();
    lines.push(format!("requirements-check: required in this project (now {}):", view.world.on()));
    let mut by_hand = Vec::new();
    for rule in Rule::all(settings) {
        let standing = rule.standing(view);
        let word = if standing.is_ok() { "satisfied" } else { "not satisfied" };
        let (Ok(how) | Err(how)) = &standing;
        let what = rule.set.description.as_ref().or(rule.set.message.as_ref()).filter(|_| !is_short);
        let what = what.map(|what| format!("{} ({how})", cut(what.trim(), 160)));
        lines.push(format!("- {} ({word}, {}): {}", rule.name, when(&rule), what.as_ref().unwrap_or(how)));
        match rule.remedy(view) {
            _ if standing.is_ok() => {}
            Remedy::Satisfy(_) => by_hand.push(rule.name),
            Remedy::Do(what) => lines.extend((!is_short).then(|| format!("  To satisfy it: {what}"))),
        }
    }
    lines.extend((!by_hand.is_empty()).then(|| satisfying(view, &by_hand).0));
    let text = lines.join("\n");
    if text.chars().count() <= MAX_AT_START {
        return text;
    }
    // The lines that fit, and the command that shows the others.
    let more = format!("(more is required than fits here: {} status)", view.world.req());
    let fits = cut(&text, MAX_AT_START.saturating_sub(more.chars().count() + 1));
    fits.rsplit_once('\n').map_or(String::new(), |(whole, _)| format!("{whole}\n")) + &more
}

/// When a requirement is checked: `before edits`, `at the end of a turn`.
pub fn when(rule: &Rule<'_>) -> String {
    let is_evidence = rule.kind() == Kind::Evidence;
    let stop = if is_evidence { "at the end of a turn with edits" } else { "at the end of a turn" };
    let is_for_calls = rule.is_for_calls() && rule.set.triggers.as_ref().is_none_or(|set| !set.is_empty());
    match (is_for_calls, rule.is_for_stops()) {
        (true, true) => format!("before {}, and {stop}", calls(rule)),
        (true, false) => format!("before {}", calls(rule)),
        (false, _) => stop.to_owned(),
    }
}

fn calls(rule: &Rule<'_>) -> String {
    let Some(triggers) = &rule.set.triggers else { return "edits".to_owned() };
    let words = triggers.iter().map(|trigger| match trigger.commands().next() {
        Some(pattern) => pattern.text.as_str(),
        None => trigger.tool.as_str(),
    });
    cut(&words.collect::<Vec<_>>().join(", "), 100)
}

/// Requirements that are not asked for, because their satisfaction could not be kept.
pub(crate) fn cannot_be_kept(world: &World, names: &[&str]) -> String {
    let folder =
        world.folder.as_ref().map_or(String::new(), |folder| format!("{} or ", folder.dir().display()));
    format!(
        "requirements-check: {} cannot be satisfied and so is not asked for, because {folder}the state folder cannot be \
         written to; make it writable, or set HOME",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests;
