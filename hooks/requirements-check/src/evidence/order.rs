//! What stands before a command in its line. Requirements look at things as they are before the line; the command
//! sees what the line has made of them by then. So what may change them has a line of its own. Pure.

use super::{command_of, is_about, is_asked};
use crate::call::Call;
use crate::command_line::{Hidden, Line, Simple};
use crate::rule::Rule;
use crate::settings::{Guard, Kind, Terms};
use crate::view::World;
use crate::words::cut;

/// A command is shown up to this length, in characters.
const MAX_SHOWN: usize = 120;

/// Why a line is not judged as it stands, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Late {
    /// Why what is satisfied before the line may not be when the command runs.
    why: String,
    remedy: String,
    /// The same without repeating the line.
    pub(crate) step: &'static str,
}

const FIRST: &str = "run what stands before it in a line of its own first";
const LITERALLY: &str = "write the folder literally, as in: git -C FOLDER commit";

/// The denial of a line that is not judged as it stands.
pub(crate) fn words(call: &Call, late: &[(Rule<'_>, Late)]) -> String {
    let is_placed = late.iter().all(|(_, late)| late.step != LITERALLY);
    let what =
        if is_placed { "does two things that belong in two lines" } else { "cannot be judged as it stands" };
    let mut lines = vec![format!("requirements-check: {} {what}.", call.tool)];
    for (rule, late) in late {
        lines.push(format!("- {}: {}\n  To satisfy it: {}", rule.name, late.why, late.remedy));
    }
    lines.join("\n")
}

/// Why a line that needs the requirement is not judged as it stands; `None` if it is.
pub(crate) fn late(rule: &Rule<'_>, call: &Call, world: &World) -> Option<Late> {
    behind(rule, call, world).or_else(|| nowhere(rule, call))
}

/// The line does not say in which work tree a command of it acts that needs the requirement.
fn nowhere(rule: &Rule<'_>, call: &Call) -> Option<Late> {
    let line = call.line.as_ref()?;
    let is_lost = |command: &&Simple| rule.is_triggered_by_command(call, command) && !call.is_placed(command);
    let then = shown(line, call.commands().iter().find(is_lost)?);
    let why = format!("the line does not spell out in which work tree `{then}` acts");
    Some(Late { why, remedy: LITERALLY.to_owned(), step: LITERALLY })
}

/// What may change, before a command of the line that needs the requirement, that by which it is satisfied.
fn behind(rule: &Rule<'_>, call: &Call, world: &World) -> Option<Late> {
    let what = match &rule.set.terms {
        Terms::Evidence(_) => "files",
        Terms::Guard(Guard::ProtectedBranch(_)) => "branch",
        _ => return None,
    };
    let line = call.line.as_ref().filter(|_| !rule.is_triggered_by_tool(call))?;
    let Some(commands) = &line.commands else {
        // What only another shell understands is searched as text.
        let why = format!("the line cannot be read, and may change the {what} before it");
        let remedy = "run what needs it in a line of its own".to_owned();
        return (call.tool == "Bash").then_some(Late { why, remedy, step: FIRST });
    };
    let needs = |command: &Simple| rule.is_triggered_by_command(call, command);
    // The tests have passed on these files before: that they run once more changes nothing.
    let is_proof = |command: &Simple| is_asked(rule, command);
    let keeps = |command: &Simple| match what {
        // Only git changes which branch is out.
        "branch" => command.program() != "git" || (command.keeps_files() && !command.begins_branch()),
        _ => is_proof(command) || (command.keeps_files() && !writes_about(rule, command, world)),
    };
    commands.iter().enumerate().filter(|(_, command)| needs(command)).find_map(|(index, then)| {
        let mut others = commands.iter().enumerate().filter(|(other, _)| *other != index);
        let (_, first) =
            others.find(|(other, first)| (*other < index || is_earlier(first, then)) && !keeps(first))?;
        let (first, then) = (shown(line, first), shown(line, then));
        Some(Late {
            why: format!("`{first}` before it in the same line may change the {what}"),
            remedy: format!("run `{first}` in a line of its own first, and then: {then}"),
            step: FIRST,
        })
    })
}

/// A redirection writes to a file the evidence is about.
fn writes_about(rule: &Rule<'_>, command: &Simple, world: &World) -> bool {
    let root = world.here.root().or(world.root.as_deref());
    let (Some(root), Some(folder)) = (root, command.folder(&world.cwd)) else {
        return !command.writes.is_empty();
    };
    let is_about = |file: &String| {
        let path = folder.join(file);
        file.starts_with(['$', '~', '`'])
            || (is_about(rule, root, &path) && !path.starts_with(root.join(".git")))
    };
    command.writes.iter().any(is_about)
}

/// Though it is written behind it, it runs before it: to make its arguments, or in the round before.
fn is_earlier(first: &Simple, then: &Simple) -> bool {
    match first.hidden {
        Some(Hidden::Substitution) => true,
        Some(Hidden::Construct) => then.hidden == Some(Hidden::Construct),
        _ => false,
    }
}

/// Where something of it is masked, its redirections are not shown either.
fn shown(line: &Line, command: &Simple) -> String {
    let mut text = line.shown(command);
    if text == command.text {
        text.extend(command.writes.iter().map(|file| format!(" > {file}")));
    }
    cut(text.trim(), MAX_SHOWN)
}

/// The call would be the very evidence that it needs, and does nothing else that needs it.
pub(crate) fn is_own_proof(rule: &Rule<'_>, call: &Call) -> bool {
    if rule.kind() != Kind::Evidence || call.in_background {
        return false;
    }
    let is_proof = |command: &Simple| is_asked(rule, command);
    let by_tool = rule.is_triggered_by_tool(call);
    let needs =
        |command: &Simple| (by_tool && !command.keeps_files()) || rule.is_triggered_by_command(call, command);
    command_of(rule, call).is_some_and(|found| found.counts())
        && call.commands().iter().all(|command| is_proof(command) || !needs(command))
}
