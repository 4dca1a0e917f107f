//! `evidence`: satisfied by a command that passed on exactly the files that are there now, or by a file that is as it should be.

use super::Standing;
use crate::evidence::{is_asked_for, outdated};
use crate::rule::Rule;
use crate::settings::{Age, CommandPattern, Evidence, File};
use crate::state::Uncounted;
use crate::view::{Freshness, View, quoted};
use crate::words::{age, cut, plain};

/// How a command counts: its exit status must be the line's.
const ALONE: &str = "run alone on a line (no pipe)";
const MAX_STAGED: usize = 20;

pub(super) fn standing(rule: &Rule<'_>, evidence: &Evidence, view: &View<'_>) -> Standing {
    let passed = (!evidence.commands.is_empty()).then(|| passed(rule, view));
    let written = evidence.file.as_ref().map(|file| written(rule, file, view));
    let both: Result<Vec<String>, String> = passed.into_iter().chain(written).collect();
    both.map(|how| how.join(", and "))
}

pub(super) fn proof(rule: &Rule<'_>, evidence: &Evidence, view: &View<'_>) -> String {
    let there = view.change_directory();
    if let Some(files) = staged_otherwise(rule, view) {
        let files: Vec<String> = files.iter().take(MAX_STAGED).map(|file| quoted(file)).collect();
        return format!("stage what was tested: {there}git add {}", files.join(" "));
    }
    let commands: Vec<&str> = evidence.commands.iter().map(CommandPattern::as_str).collect();
    let to_type = evidence.commands.iter().find(|command| command.is_words()).map(CommandPattern::as_str);
    let to_repeat = uncounted(rule, view).filter(|run| !run.line.is_empty());
    let run = match (to_repeat, to_type) {
        (Some(run), _) => format!("{ALONE}: {}", run.line),
        (None, Some(words)) => format!("{ALONE}: {there}{words}"),
        (None, None) => format!("{ALONE} a command that matches {}", commands.join(" or ")),
    };
    let run = (!commands.is_empty()).then_some(run);
    let file = evidence.file.as_ref().filter(|_| view.world.files.contains_key(rule.name));
    let write = file.map(|file| format!("write {} so that it {}", file.glob.as_str(), must_be(file)));
    run.into_iter().chain(write).collect::<Vec<_>>().join(", and ")
}

fn passed(rule: &Rule<'_>, view: &View<'_>) -> Standing {
    counts(rule, view).map_err(|why| match uncounted(rule, view) {
        Some(run) => format!("{why}; `{}` did not count: {}", run.shown, run.why),
        None => why,
    })
}

/// How the last run that counted stands to the files and the settings of now.
fn counts(rule: &Rule<'_>, view: &View<'_>) -> Standing {
    let found = view.satisfaction(rule).ok_or("no command has passed for it here")?;
    let command = found.metadata.command.as_deref().unwrap_or("the command");
    if !found.is_fresh(rule.set.ttl_secs, view.now) {
        return Err(format!("`{command}` passed too long ago"));
    }
    if let Some(why) = outdated(rule, found) {
        return Err(format!("`{command}` passed, but {why}"));
    }
    if let Some(files) = staged_otherwise(rule, view) {
        return Err(format!("what is staged is not what `{command}` passed on{}", named(files)));
    }
    match view.world.evidence.get(rule.name) {
        Some(Freshness::Same) => {
            Ok(format!("`{command}` passed {} ago on these files", age(view.now_secs() - found.satisfied_at)))
        }
        Some(Freshness::Different(files)) => {
            Err(format!("files have changed since `{command}` passed{}", named(files)))
        }
        Some(Freshness::Unknown(why)) => {
            Err(format!("whether files have changed since `{command}` passed is not known: {why}"))
        }
        None => Err("it was not looked at".to_owned()),
    }
}

fn written(rule: &Rule<'_>, file: &File, view: &View<'_>) -> Standing {
    view.world.files.get(rule.name).ok_or("its file was not looked at")?.clone()?;
    Ok(format!("{} {}", file.glob.as_str(), must_be(file)))
}

/// `is newer than the last commit and contains a match of /.../`.
fn must_be(wanted: &File) -> String {
    let newer = wanted.newer_than.map(|than| match than {
        Age::Head => "is newer than the last commit".to_owned(),
        Age::Ago(span) => format!("is newer than {}", age(i64::try_from(span.as_secs()).unwrap_or(i64::MAX))),
    });
    let contains =
        wanted.contains.iter().map(|pattern| format!("contains a match of /{}/", pattern.as_str()));
    let all: Vec<String> = newer.into_iter().chain(contains).collect();
    if all.is_empty() { "is there".to_owned() } else { all.join(" and ") }
}

/// The last run that did not count, if it is still what is asked for.
fn uncounted<'v>(rule: &Rule<'_>, view: &View<'v>) -> Option<&'v Uncounted> {
    let run = view.state.uncounted.get(rule.name)?;
    (run.line.is_empty() || is_asked_for(rule, &run.line)).then_some(run)
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
    match files.len() {
        0 => String::new(),
        all if all > NAMED => format!(": {} and {} more", first.join(", "), all - NAMED),
        _ => format!(": {}", first.join(", ")),
    }
}
