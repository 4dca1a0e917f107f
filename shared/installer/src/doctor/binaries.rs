//! The deployed files and the commands that lead to them, compared with the manifest.

use shared::catalog::{Catalog, HookEntry};
use shared::host::is_program;

use super::finding::{Finding, Repair};
use super::world::World;
use crate::deploy::without_helper;
use crate::manifest::is_same_file;
use crate::places::executable;
use crate::prune::orphans;

/// One program on the disk.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "observations, independent of each other")]
struct Facts {
    name: String,
    /// It is a hook that the user relies on.
    is_registered: bool,
    /// The path, as a person reads it.
    shown: String,
    is_there: bool,
    is_executable: bool,
    /// The version in the manifest; `None`: the manifest does not know the program.
    version: Option<String>,
    /// The bytes are those of the manifest.
    is_vouched: bool,
    /// The line that deploys again.
    again: &'static str,
}

/// The finding about one program; none about one that is neither deployed nor registered.
fn finding(facts: &Facts) -> Option<Finding> {
    let Facts { name, shown, again, .. } = facts;
    if !facts.is_there && !facts.is_registered && facts.version.is_none() {
        return None;
    }
    let broken = |what: &str| {
        let found = if facts.is_registered { Finding::broken } else { Finding::warning };
        Some(found(format!("{name}: {what}")).at(shown, None).next(*again))
    };
    let Some(version) = &facts.version else {
        return broken(if facts.is_there {
            "nothing is known of this file: it was not installed"
        } else {
            "it was never installed"
        });
    };
    if !facts.is_there {
        return broken("the file is gone");
    }
    if !facts.is_vouched {
        return broken("the file is not the one that was installed: its bytes differ");
    }
    if !facts.is_executable {
        let found = broken("the file may not be started");
        return found.map(|found| found.repair(Repair::MakeExecutable(name.clone())));
    }
    let ours = shared::version::ours();
    if version == ours {
        return Some(Finding::ok(format!("{name} {version}, as it was installed")));
    }
    let what = format!("{name}: version {version} is installed, this is {ours}");
    let is_newer = numbers(version) > numbers(ours);
    let next = if is_newer { "this req is older than the hooks: use the installed one" } else { again };
    Some(Finding::warning(what).at(shown, None).next(next))
}

/// A version as it is compared.
fn numbers(version: &str) -> Vec<u64> {
    version.split(['.', '-', '+']).map(|part| part.parse().unwrap_or_default()).collect()
}

pub(super) fn look(world: &World<'_>) -> Vec<Finding> {
    let hooks = &world.catalog.hooks;
    let is_deployed = |name: &str| world.manifest.files.contains_key(name);
    // Commands and helpers that are programs of their own, such as `req`.
    let own = |name: &&str| is_deployed(name) && world.catalog.hook(name).is_none();
    let commands = hooks.iter().flat_map(|hook| &hook.commands).map(String::as_str).filter(own);
    let helpers = world.catalog.helpers().into_iter().filter(|name| is_deployed(name));
    let names = hooks.iter().map(|hook| hook.name.as_str()).chain(commands).chain(helpers);
    let mut found: Vec<Finding> = names.filter_map(|name| of_program(world, name)).collect();
    found.extend(hooks.iter().flat_map(|hook| missing_helpers(world, hook)));
    if found.is_empty() {
        // A plugin brings its own: programs beside it would count everything twice.
        if world.plugin().is_some() {
            return vec![Finding::ok("no hook is installed; a plugin brings its own")];
        }
        return vec![Finding::note("no hook is installed").next("req hooks install")];
    }
    let voice = world.user().voice;
    found.extend(orphans(&world.manifest, world.catalog).into_iter().map(|name| {
        Finding::note(format!("{name} is installed, and no hook of {} owns it", voice.origin()))
            .next(voice.prune())
    }));
    found.extend(links(world, world.catalog));
    found
}

/// A note for each missing helper: a hook does without them.
pub(crate) fn missing_helpers(world: &World<'_>, hook: &HookEntry) -> Vec<Finding> {
    let user = world.user();
    let is_missing =
        |helper: &&String| user.deployed(&hook.name).is_file() && !world.manifest.files.contains_key(*helper);
    let note = |helper: &String| {
        let what = format!("{helper} is not installed, so {}", without_helper(&hook.name));
        Finding::note(what).next(user.voice.deploy_again())
    };
    hook.helpers.iter().filter(is_missing).map(note).collect()
}

/// The finding about the program of this name.
pub(crate) fn of_program(world: &World<'_>, name: &str) -> Option<Finding> {
    let user = world.user();
    let path = user.deployed(name);
    finding(&Facts {
        name: name.to_owned(),
        is_registered: world.relies_on(name),
        shown: user.show(&path),
        is_there: path.is_file(),
        is_executable: is_program(&path),
        version: world.manifest.files.get(name).map(|deployed| deployed.version.clone()),
        is_vouched: world.vouched.contains(name),
        again: user.voice.deploy_again(),
    })
}

/// The commands of the deployed hooks, in the folder of links and in the search path.
fn links(world: &World<'_>, catalog: &Catalog) -> Vec<Finding> {
    let user = world.user();
    let mut found = Vec::new();
    for hook in catalog.hooks.iter().filter(|hook| user.deployed(&hook.name).is_file()) {
        for command in &hook.commands {
            let binary = if world.manifest.files.contains_key(command) { command } else { &hook.name };
            let (path, target) = (user.bin.join(executable(command)), user.deployed(binary));
            if path.symlink_metadata().is_err() {
                let what = format!("the command {command} is not linked into {}", user.show(&user.bin));
                let repair = Repair::Link { hook: hook.name.clone(), command: command.clone() };
                found.push(Finding::warning(what).repair(repair));
            } else if !is_same_file(&path, &target) {
                let what =
                    format!("the command {command} leads to something else than {}", user.show(&target));
                found.push(Finding::note(what).at(&user.show(&path), None));
            }
        }
    }
    if found.is_empty() {
        found.push(Finding::ok(format!("the commands are linked into {}", user.show(&user.bin))));
    }
    let search = world.host.environment.search_path.as_deref().unwrap_or_default();
    if !std::env::split_paths(search).any(|folder| folder == user.bin) {
        let what = format!("{} is not in your PATH", user.show(&user.bin));
        found.push(Finding::note(what).next("add it, or type the whole path of a command"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Facts, finding, numbers};
    use crate::doctor::finding::Severity;

    fn right() -> Facts {
        Facts {
            name: "a-gate".to_owned(),
            is_registered: true,
            shown: "~/.claude/hooks/a-gate".to_owned(),
            is_there: true,
            is_executable: true,
            version: Some(shared::version::ours().to_owned()),
            is_vouched: true,
            again: "req hooks install",
        }
    }

    #[test]
    fn a_registered_hook_must_be_there_as_it_was_installed() {
        type Change = fn(&mut Facts);
        let rows: [(Change, Severity, &str); 7] = [
            (|_| {}, Severity::Ok, "as it was installed"),
            (|facts| facts.is_there = false, Severity::Broken, "is gone"),
            (|facts| facts.is_vouched = false, Severity::Broken, "its bytes differ"),
            (|facts| facts.is_executable = false, Severity::Broken, "may not be started"),
            (|facts| facts.version = None, Severity::Broken, "nothing is known of this file"),
            (
                |facts| facts.version = Some("0.0.1".to_owned()),
                Severity::Warning,
                "version 0.0.1 is installed",
            ),
            (
                |facts| (facts.is_vouched, facts.is_registered) = (false, false),
                Severity::Warning,
                "its bytes differ",
            ),
        ];
        for (change, severity, said) in rows {
            let mut facts = right();
            change(&mut facts);
            let found = finding(&facts).unwrap();
            assert_eq!(found.severity, severity, "{found}");
            assert!(found.what.contains(said), "{found}");
        }
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(numbers("0.10.0") > numbers("0.9.9") && numbers("1.0.0") > numbers("0.99"));
        assert_eq!(numbers("0.1.0"), numbers("0.1.0"));
    }

    #[test]
    fn what_is_neither_installed_nor_registered_is_not_mentioned() {
        let nothing = Facts { is_registered: false, is_there: false, version: None, ..right() };
        assert_eq!(finding(&nothing), None);
    }

    #[test]
    fn newer_hooks_are_not_replaced_by_an_older_version() {
        for (version, said) in [("0.0.1", "req hooks install"), ("100.0.0", "older")] {
            let found = finding(&Facts { version: Some(version.to_owned()), ..right() }).unwrap();
            assert!(found.next.as_deref().unwrap().contains(said), "{found}");
        }
    }
}
