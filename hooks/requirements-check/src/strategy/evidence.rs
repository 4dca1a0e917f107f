//! `evidence`: met by a command that passed on exactly the files that are there now, or by a file that is as it should be.
//! An edit makes it due.

use super::{Remedy, Standing};
use crate::evidence::{is_asked_for, outdated, resembles};
use crate::rule::Rule;
use crate::settings::{CommandPattern, Evidence};
use crate::state::Uncounted;
use crate::view::{Freshness, View, quoted};
use crate::words::{age, cut, plain};

/// How a command counts: its exit status must be the line's.
const ALONE: &str = "run alone on a line (no pipe)";

pub(super) fn standing(rule: &Rule<'_>, evidence: &Evidence, view: &View<'_>) -> Standing {
    if let Some(waiver) = view.exception(rule) {
        return Standing::Met(waiver);
    }
    let passed = (!evidence.commands.is_empty()).then(|| of_command(rule, view));
    let written = evidence.file.as_ref().map(|_| of_file(rule, view));
    match (passed, written) {
        (Some(unmet @ Standing::Unmet(_)), _) | (_, Some(unmet @ Standing::Unmet(_))) => unmet,
        (Some(met), _) | (None, Some(met)) => met,
        (None, None) => Standing::Met("it asks for nothing".to_owned()),
    }
}

pub(super) fn remedy(rule: &Rule<'_>, evidence: &Evidence, view: &View<'_>) -> Remedy {
    let waive = view.asks_to_waive(rule);
    if let Some(files) = staged_otherwise(rule, view) {
        let files: Vec<String> = files.iter().take(20).map(|file| quoted(file)).collect();
        return Remedy::Do(format!(
            "stage what was tested: {}git add {}; or {waive}",
            view.change_directory(),
            files.join(" ")
        ));
    }
    let commands = &evidence.commands;
    let passes = (!commands.is_empty()).then(|| match (uncounted(rule, view), first_words(commands)) {
        (Some(uncounted), _) => format!("{ALONE}: {}", to_type(&uncounted.line)),
        (None, Some(words)) => format!("{ALONE}: {}{words}", view.change_directory()),
        (None, None) => format!("{ALONE} a command that matches {}", patterns(commands)),
    });
    let file = view.world.files.get(rule.name);
    let writes = evidence.file.as_ref().map(|_| {
        file.map_or_else(String::new, |file| format!("write {} so that it {}", file.glob, file.must_be))
    });
    let both: Vec<String> = passes.into_iter().chain(writes).collect();
    Remedy::Do(format!("{}; or {waive}", both.join(", and ")))
}

/// The line, and what to put where something of it is not kept.
fn to_type(line: &str) -> String {
    let hint = if line.contains("[masked") { " (with the secret itself in place of [masked])" } else { "" };
    format!("{line}{hint}")
}

/// The last run that did not count, if it is still what is asked for.
fn uncounted<'v>(rule: &Rule<'_>, view: &View<'v>) -> Option<&'v Uncounted> {
    view.state
        .uncounted
        .get(rule.name)
        .filter(|uncounted| is_asked_for(rule, &uncounted.shown) || resembles(rule, &uncounted.shown))
}

fn of_command(rule: &Rule<'_>, view: &View<'_>) -> Standing {
    let uncounted = uncounted(rule, view);
    let because = |why: &str| match uncounted {
        Some(uncounted) => {
            Standing::Unmet(format!("{why}; `{}` did not count: {}", uncounted.shown, uncounted.why))
        }
        None => Standing::Unmet(why.to_owned()),
    };
    let Some(mark) = view.mark(rule) else { return because("no command has passed for it here") };
    let command = mark.metadata.command.as_deref().unwrap_or("the command");
    if !view.is_fresh(rule, mark) {
        return because(&format!("`{command}` passed too long ago"));
    }
    if let Some(why) = outdated(rule, mark) {
        return because(&format!("`{command}` passed, but {why}"));
    }
    if let Some(files) = staged_otherwise(rule, view) {
        return because(&format!("what is staged is not what `{command}` passed on{}", named(files)));
    }
    match view.world.evidence.get(rule.name) {
        Some(Freshness::Same) => Standing::Met(format!(
            "`{command}` passed {} ago on these files",
            age(view.now_secs() - mark.satisfied_at)
        )),
        Some(Freshness::Different(files)) => {
            because(&format!("files have changed since `{command}` passed{}", named(files)))
        }
        Some(Freshness::Unknown(why)) => {
            because(&format!("whether files have changed since `{command}` passed is not known: {why}"))
        }
        None => because("it was not looked at"),
    }
}

/// The files of which a commit would take another version than the tested one.
fn staged_otherwise<'v>(rule: &Rule<'_>, view: &View<'v>) -> Option<&'v [String]> {
    let is_same = view.world.evidence.get(rule.name) == Some(&Freshness::Same);
    let files = view.world.staged_otherwise.get(rule.name).map(Vec::as_slice);
    files.filter(|files| is_same && !files.is_empty())
}

/// The first few files: what a run writes itself, without being ignored, is among them every time.
fn named(files: &[String]) -> String {
    const NAMED: usize = 3;
    let shown = |file: &String| cut(&plain(file).replace(['\n', '\t'], " "), 80);
    let first: Vec<String> = files.iter().take(NAMED).map(shown).collect();
    match (first.len(), files.len()) {
        (0, _) => String::new(),
        (named, all) if named < all => format!(": {} and {} more", first.join(", "), all - named),
        _ => format!(": {}", first.join(", ")),
    }
}

fn of_file(rule: &Rule<'_>, view: &View<'_>) -> Standing {
    match view.world.files.get(rule.name) {
        Some(file) => match &file.lacks {
            None => Standing::Met(format!("{} {}", file.glob, file.must_be)),
            Some(why) => Standing::Unmet(why.clone()),
        },
        None => Standing::Unmet("its file was not looked at".to_owned()),
    }
}

/// The first pattern that can be typed as it is.
fn first_words(commands: &[CommandPattern]) -> Option<&str> {
    commands.iter().find(|pattern| pattern.is_words()).map(CommandPattern::as_str)
}

fn patterns(commands: &[CommandPattern]) -> String {
    commands.iter().map(CommandPattern::as_str).collect::<Vec<_>>().join(" or ")
}
