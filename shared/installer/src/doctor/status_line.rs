//! A hook that learns from the status line: without it the hook has no readings.

use shared::catalog::HookEntry;

use super::finding::Finding;
use super::world::World;
use crate::registration::starts_ours;

/// A note for each registered hook whose status line Claude Code does not run.
pub(super) fn findings(world: &World<'_>) -> Vec<Finding> {
    let is_silent = |hook: &&HookEntry| hook.status_line.is_some() && !is_run(world, hook);
    let note = |hook: &HookEntry| {
        let what =
            format!("{}: its status line is not set, so it gets no readings from Claude Code", hook.name);
        Finding::note(what).next(world.user().voice.line("statusline"))
    };
    world.registered().into_iter().filter(is_silent).map(note).collect()
}

/// Some settings file sets the status line of this hook, or another one that starts it.
fn is_run(world: &World<'_>, hook: &HookEntry) -> bool {
    let lines = world.levels.iter().filter_map(|level| level.contents.status_line.as_ref());
    let starts = |command: &String| starts_ours(command, &[hook]);
    lines.into_iter().any(|line| line.is_ours || line.command.as_ref().is_some_and(starts))
}
