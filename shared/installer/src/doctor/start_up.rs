//! How long each hook takes to start, which the client waits for at every event.

use std::process::Command;
use std::time::Duration;

use shared::catalog::HookEntry;

use super::finding::Finding;
use super::world::World;
use crate::child;

/// So often each is started; the middle one counts.
const RUNS: usize = 7;

/// One that takes longer has no figure.
const PATIENCE: Duration = Duration::from_secs(10);

/// Times the hooks whose bytes the manifest vouches for.
pub(super) fn look(world: &World<'_>) -> Vec<Finding> {
    let vouched = |hook: &&HookEntry| world.manifest.vouches_for(world.user(), &hook.name);
    let hooks: Vec<&HookEntry> = world.registered().into_iter().filter(vouched).collect();
    let timed = |hook: &&HookEntry| {
        let runs: Option<Vec<Duration>> = (0..RUNS).map(|_| start(world, &hook.name)).collect();
        runs.and_then(median).map(|middle| (hook.name.clone(), middle))
    };
    hooks.iter().filter_map(timed).map(|(hook, middle)| figure(&hook, middle)).collect()
}

fn figure(hook: &str, middle: Duration) -> Finding {
    Finding::ok(format!("{hook} starts in {:.1} ms", middle.as_secs_f64() * 1000.0))
}

fn start(world: &World<'_>, hook: &str) -> Option<Duration> {
    let mut command = Command::new(world.user().deployed(hook));
    command.arg("version");
    let before = world.host.now();
    child::heard(&mut command, b"", PATIENCE).ok().filter(|(status, _)| status.success())?;
    Some(world.host.now().since(before))
}

fn median(mut runs: Vec<Duration>) -> Option<Duration> {
    runs.sort_unstable();
    runs.get(runs.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{figure, median};

    #[test]
    fn the_middle_run_counts() {
        let runs = [9, 1, 1000, 2, 3].map(Duration::from_micros).to_vec();
        assert_eq!(median(runs), Some(Duration::from_micros(3)));
        assert_eq!(median(Vec::new()), None);
        assert_eq!(figure("a-gate", Duration::from_micros(1250)).what, "a-gate starts in 1.2 ms");
    }
}
