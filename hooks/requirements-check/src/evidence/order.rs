//! What stands before a command in its line. Requirements look at things as they are before the line; the command
//! sees what the line has made of them by then. So what may change them has a line of its own. Pure.

use super::{command_of, is_about, is_asked};
use crate::call::Call;
use crate::command_line::{Hidden, Line, Simple};
use crate::rule::Rule;
use crate::settings::{Guard, Kind, Terms};
use crate::view::World;
use shared::text::cut;

const MAX_SHOWN: usize = 120;
const FIRST: &str = "run what comes first in a line of its own, then send the rest again";
const LITERALLY: &str = "write the folder literally, as in: git -C FOLDER commit";

/// Why a line is not judged as it stands, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Late {
    pub(crate) why: String,
    pub(crate) step: &'static str,
}

/// Why a line that needs the requirement is not judged as it stands; `None` if it is.
pub(crate) fn late(rule: &Rule<'_>, call: &Call, world: &World) -> Option<Late> {
    let line = call.line.as_ref()?;
    behind(rule, call, line, world).or_else(|| {
        let is_lost = |one: &&Simple| rule.is_triggered_by_command(call, one) && !call.is_placed(one);
        let lost = shown(line, call.commands().iter().find(is_lost)?);
        let why = format!("the line does not spell out in which work tree `{lost}` acts");
        Some(Late { why, step: LITERALLY })
    })
}

/// What may change, before a command of the line that needs the requirement, that by which it is satisfied.
fn behind(rule: &Rule<'_>, call: &Call, line: &Line, world: &World) -> Option<Late> {
    let what = match &rule.set.terms {
        _ if rule.is_triggered_by_tool(call) => return None,
        Terms::Evidence(_) => "files",
        Terms::Guard(Guard::ProtectedBranch(_)) => "branch",
        _ => return None,
    };
    let Some(commands) = &line.commands else {
        // What only another shell understands is searched as text.
        let why = format!("the line cannot be read, and may change the {what} before it");
        return (call.tool == "Bash").then_some(Late { why, step: FIRST });
    };
    let keeps = |command: &Simple| match what {
        // Only git changes which branch is out.
        "branch" => command.git().is_none() || command.keeps_branch(),
        // The tests have passed on these files before: that they run once more changes nothing.
        _ => is_asked(rule, command) || (command.keeps_files() && !writes_about(rule, command, world)),
    };
    // Though it is written behind it, it runs before it: to make its arguments, or in the round before.
    let is_earlier = |first: &Simple, then: &Simple| match first.hidden {
        Some(Hidden::Construct) => then.hidden == Some(Hidden::Construct),
        hidden => hidden == Some(Hidden::Substitution),
    };
    let needing = commands.iter().enumerate().filter(|(_, then)| rule.is_triggered_by_command(call, then));
    needing.into_iter().find_map(|(index, then)| {
        let may_change = |(other, first): &(usize, &Simple)| {
            *other != index && (*other < index || is_earlier(first, then)) && !keeps(first)
        };
        let (_, first) = commands.iter().enumerate().find(may_change)?;
        let (first, then) = (shown(line, first), shown(line, then));
        let why = format!("`{first}` in the same line may change the {what} before `{then}` runs");
        Some(Late { why, step: FIRST })
    })
}

fn writes_about(rule: &Rule<'_>, command: &Simple, world: &World) -> bool {
    let (Some(root), Some(folder)) = (world.top(), command.folder(&world.cwd)) else {
        return !command.writes.is_empty();
    };
    command.writes.iter().any(|file| {
        let path = folder.join(file);
        file.starts_with(['$', '~', '`'])
            || (is_about(rule, root, &path) && !path.starts_with(root.join(".git")))
    })
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
    let by_tool = rule.is_triggered_by_tool(call);
    let needs =
        |command: &Simple| (by_tool && !command.keeps_files()) || rule.is_triggered_by_command(call, command);
    rule.kind() == Kind::Evidence
        && !call.in_background
        && command_of(rule, call).is_some_and(|found| found.counts())
        && call.commands().iter().all(|command| is_asked(rule, command) || !needs(command))
}
