//! The installed programs, compared with the manifest.

use std::collections::BTreeSet;

use crate::catalog::HookEntry;
use shared::host::is_program;

use super::report::Finding;
use super::world::World;
use crate::programs::all_names;
use crate::say::names_of;

pub(super) fn all(world: &World<'_>) -> Vec<Finding> {
    let owned = all_names(world.catalog);
    let relied_on = owned.iter().filter(|name| world.relies_on(name));
    let names: BTreeSet<&String> = world.manifest.files.keys().chain(relied_on).collect();
    if names.is_empty() {
        // A plugin brings its own: programs beside it would count everything twice.
        return vec![match world.plugin() {
            Some(_) => Finding::ok("no hook is installed; a plugin brings its own"),
            None => Finding::note("no hook is installed").next(world.user().line("install")),
        }];
    }
    let of_name = |name: &String| {
        if owned.contains(name) {
            return of_program(world, name);
        }
        Finding::warning(format!("{name} is installed, and no hook of this version owns it"))
            .next(world.user().voice.prune())
    };
    let helpers = world.catalog.helpers().into_iter().filter_map(|helper| missing_helper(world, helper));
    names.into_iter().map(of_name).chain(helpers).collect()
}

/// The finding about an installed or registered program.
fn of_program(world: &World<'_>, name: &str) -> Finding {
    let user = world.user();
    let (path, again) = (user.installed(name), user.voice.install_again());
    let known = world.manifest.files.get(name);
    let what = match known {
        _ if !path.is_file() => "the file is not there",
        None => "the file was not installed by Barbless",
        Some(_) if !world.vouched.contains(name) => {
            "the file is not the one that was installed: its bytes differ"
        }
        Some(_) if !is_program(&path) => "the file may not be started",
        Some(known) if known.version == shared::VERSION => {
            return Finding::ok(format!("{name} {}, as it was installed", known.version));
        }
        Some(known) => {
            let (version, ours) = (&known.version, shared::VERSION);
            let found = Finding::warning(format!("{name}: version {version} is installed, this is {ours}"));
            return found
                .at(&user.show(&path), None)
                .next(format!("install both from the newer one: {again}"));
        }
    };
    let found = if world.relies_on(name) { Finding::broken } else { Finding::warning };
    found(format!("{name}: {what}")).at(&user.show(&path), None).next(again)
}

fn missing_helper(world: &World<'_>, helper: &str) -> Option<Finding> {
    let user = world.user();
    let starts_it = |hook: &&HookEntry| {
        user.installed(&hook.name).is_file() && hook.helpers.iter().any(|other| other == helper)
    };
    let hooks: Vec<&HookEntry> = world.catalog.hooks.iter().filter(starts_it).collect();
    if hooks.is_empty() || world.manifest.files.contains_key(helper) {
        return None;
    }
    let what = format!(
        "{helper} is not installed, so {} can open no connections; what needs none works",
        names_of(&hooks)
    );
    Some(Finding::warning(what).next(user.voice.install_again()))
}
