//! What stands before a command in its line. Requirements look at things as they are before the line; the command
//! sees what the line has made of them by then. So what may change them has a line of its own. Pure.

use super::{command_of, is_about, is_asked};
use crate::call::{Call, Placed};
use crate::command_line::{Hidden, Simple};
use crate::rule::Rule;
use crate::settings::{Guard, Kind, Terms};
use crate::view::World;
use crate::words::cut;

/// A command is shown up to this length, in characters.
const MAX_SHOWN: usize = 120;

/// Why a line is not judged as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Late {
    /// Something before the command may change what the requirement is judged by.
    Behind {
        /// What stands before it.
        first: String,
        /// The command.
        then: String,
        /// What may have changed by then.
        what: &'static str,
    },
    /// The line cannot be read.
    Unreadable {
        /// What may have changed.
        what: &'static str,
    },
    /// The line does not spell out where the command acts.
    Nowhere {
        /// The command.
        then: String,
    },
}

impl Late {
    /// Why what is satisfied before the line may not be when the command runs.
    pub(crate) fn why(&self) -> String {
        match self {
            Self::Behind { first, what, .. } => {
                format!("`{first}` before it in the same line may change the {what}")
            }
            Self::Unreadable { what } => {
                format!("the line cannot be read, and may change the {what} before it")
            }
            Self::Nowhere { then } => format!("the line does not spell out in which work tree `{then}` acts"),
        }
    }

    fn remedy(&self) -> String {
        match self {
            Self::Behind { first, then, .. } => {
                format!("run `{first}` in a line of its own first, and then: {then}")
            }
            Self::Unreadable { .. } => "run what needs it in a line of its own".to_owned(),
            Self::Nowhere { .. } => self.step().to_owned(),
        }
    }

    /// What is to be done about it, without repeating the line.
    pub(crate) fn step(&self) -> &'static str {
        match self {
            Self::Nowhere { .. } => "write the folder literally, as in: git -C FOLDER commit",
            _ => "run what stands before it in a line of its own first",
        }
    }
}

/// The denial of a line that is not judged as it stands.
pub(crate) fn words(call: &Call, late: &[(Rule<'_>, Late)]) -> String {
    let is_placed = late.iter().all(|(_, late)| !matches!(late, Late::Nowhere { .. }));
    let what =
        if is_placed { "does two things that belong in two lines" } else { "cannot be judged as it stands" };
    let mut lines = vec![format!("requirements-check: {} {what}.", call.tool)];
    for (rule, late) in late {
        lines.push(format!("- {}: {}\n  To satisfy it: {}", rule.name, late.why(), late.remedy()));
    }
    lines.join("\n")
}

/// The line does not say in which work tree a command of it acts that needs the requirement.
fn nowhere(rule: &Rule<'_>, call: &Call) -> Option<Late> {
    let line = call.line.as_ref()?;
    let is_lost = |command: &Simple| {
        rule.is_triggered_by_command(call, command) && call.placed(command) == Placed::Nowhere
    };
    let index = call.commands().iter().position(is_lost)?;
    Some(Late::Nowhere { then: shown(&line.shown(index)) })
}

/// Why a line that needs the requirement is not judged as it stands; `None` if it is.
pub(crate) fn late(rule: &Rule<'_>, call: &Call, world: &World) -> Option<Late> {
    behind(rule, call, world).or_else(|| nowhere(rule, call))
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
        // What another shell understands is searched as text.
        return (call.tool == "Bash").then_some(Late::Unreadable { what });
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
        let (first, _) =
            others.find(|(other, first)| (*other < index || is_earlier(first, then)) && !keeps(first))?;
        Some(Late::Behind { first: shown(&line.shown(first)), then: shown(&line.shown(index)), what })
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
        Some(Hidden::Compound) => then.hidden == Some(Hidden::Compound),
        _ => false,
    }
}

fn shown(command: &Simple) -> String {
    let writes = command.writes.iter().map(|file| format!(" > {file}"));
    let text: String = std::iter::once(command.text.clone()).chain(writes).collect();
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
    command_of(rule, call).is_some_and(|found| found.hidden.is_none() && !found.proves_nothing)
        && call.commands().iter().all(|command| is_proof(command) || !needs(command))
}
