//! The installed programs, compared with the manifest.

use crate::catalog::HookEntry;
use shared::host::is_program;

use super::report::Finding;
use super::world::World;
use crate::programs::{all_names, orphans};
use crate::say::names_of;

pub(super) fn all(world: &World<'_>) -> Vec<Finding> {
    let mut names = all_names(world.catalog);
    names.sort();
    names.dedup();
    // A second name of a hook is no program of its own.
    names.retain(|name| world.manifest.files.contains_key(name) || world.catalog.hook(name).is_some());
    let mut found: Vec<Finding> = names.iter().filter_map(|name| of_program(world, name)).collect();
    found.extend(world.catalog.helpers().into_iter().filter_map(|helper| missing_helper(world, helper)));
    if found.is_empty() {
        // A plugin brings its own: programs beside it would count everything twice.
        return vec![match world.plugin() {
            Some(_) => Finding::ok("no hook is installed; a plugin brings its own"),
            None => Finding::note("no hook is installed").next(world.user().line("install")),
        }];
    }
    let voice = world.user().voice;
    found.extend(orphans(&world.manifest, world.catalog).into_iter().map(|name| {
        Finding::warning(format!("{name} is installed, and no hook of this version owns it"))
            .next(voice.prune())
    }));
    found
}

/// The finding about the program of this name; none about one that is neither installed nor registered.
fn of_program(world: &World<'_>, name: &str) -> Option<Finding> {
    let user = world.user();
    let path = user.installed(name);
    let (again, is_registered) = (user.voice.install_again(), world.relies_on(name));
    let wrong = |what: &str| {
        let found = if is_registered { Finding::broken } else { Finding::warning };
        Some(found(format!("{name}: {what}")).at(&user.show(&path), None).next(again.clone()))
    };
    let Some(known) = world.manifest.files.get(name).filter(|_| path.is_file()) else {
        let is_known = path.is_file() || world.manifest.files.contains_key(name) || is_registered;
        return wrong(if path.is_file() {
            "the file was not installed by Barbless"
        } else {
            "the file is not there"
        })
        .filter(|_| is_known);
    };
    if !world.vouched.contains(name) {
        return wrong("the file is not the one that was installed: its bytes differ");
    }
    if !is_program(&path) {
        return wrong("the file may not be started");
    }
    let (version, ours) = (known.version.as_str(), shared::VERSION);
    if version == ours {
        return Some(Finding::ok(format!("{name} {version}, as it was installed")));
    }
    let what = format!("{name}: version {version} is installed, this is {ours}");
    let next = format!("install both from the newer one: {again}");
    Some(Finding::warning(what).at(&user.show(&path), None).next(next))
}

/// A hook does without a helper.
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
