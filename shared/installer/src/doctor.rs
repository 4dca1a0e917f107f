//! `req doctor`: whether everything that is promised here holds. It proves instead of guessing, and it never runs a
//! command that is not ours: a cloned repository's settings are a stranger's.
//!
//! - `world`: what is read once; `level`, `plugins`: every place the client takes hooks from
//! - a module per check, most of them facts in and findings out
//! - `brought`: what plugins bring, for `status`
//! - `finding`, `report`: what it comes to; `mend`: `--fix`

mod binaries;
mod brought;
mod client;
mod configuration;
mod credits;
mod environment;
mod events;
mod finding;
mod heartbeats;
mod in_force;
mod level;
mod matchers;
mod memory;
mod mend;
mod ours;
mod plugins;
mod proofs;
mod report;
mod shapes;
mod start_up;
mod strangers;
mod twice;
mod world;

use std::fs;
use std::path::Path;

use serde_json::Value;
use shared::catalog::{Catalog, HookEntry};
use shared::host::{Host, Timestamp};
use shared::run::BY_PLUGIN;
use shared::{heartbeat, proved, usage};

use crate::readings::are_polled;
use crate::registration::{is_same_program, program};
use level::{Kind, Level};
use proofs::Proofs;
use strangers::Known;
use world::World;

pub(crate) use brought::Brought;
pub use finding::{Finding, Severity};
pub use report::{Report, Section, VERSION};
pub use world::managed_settings;

/// Looks at everything, and mends what can be mended safely if `fix` is wanted. `managed` is where an administrator's
/// settings would lie, see [`managed_settings`].
///
/// # Errors
/// There is no home, or the manifest is none.
pub fn run(host: &Host, fix: bool, managed: &Path) -> anyhow::Result<Report> {
    let catalog = Catalog::built_in()?;
    let world = World::read(host, &catalog, managed)?;
    let before = look(&world);
    if !fix {
        return Ok(before);
    }
    let mended = mend::mend(&world, &before);
    let after = look(&World::read(host, &catalog, managed)?);
    Ok(Report { mended, ..after })
}

/// Looks at what is the user's alone, whatever project this is typed in, and mends nothing.
///
/// # Errors
/// As [`run`].
pub(crate) fn of_the_user(host: &Host, managed: &Path) -> anyhow::Result<Report> {
    let catalog = Catalog::built_in()?;
    Ok(look(&World::of_the_user(host, &catalog, managed)?))
}

fn look(world: &World<'_>) -> Report {
    // Before anything of ours runs: a hook closes its folder to others by itself.
    let memory = memory::look(world);
    let Proofs { findings: proofs, all_passed } = proofs::look(world);
    let configuration = configuration::look(world);
    let mut sections = vec![
        Section::new("Binaries", binaries::look(world)),
        Section::new("Registrations", registrations(world)),
        Section::new("In force", in_force(world)),
        Section::new("Proofs", proofs),
        Section::new("Configuration", configuration.findings),
        Section::new("State", [memory::findings(&memory), environment::look(world)].concat()),
        Section::new("Last firing", firings(world)),
        Section::new("Client", vec![client(world, all_passed)]),
    ];
    sections.extend(credits(world).map(|finding| Section::new("Credits", vec![finding])));
    sections.push(Section::new("Start-up", start_up::look(world)));
    let mut report = Report::new(sections);
    if let Some(off) = &configuration.off {
        report = report.but_for(off);
    }
    if report.ok && world.is_bare() { report.of_nothing() } else { report }
}

fn registrations(world: &World<'_>) -> Vec<Finding> {
    let hooks: Vec<&HookEntry> = world.catalog.hooks.iter().collect();
    let names: Vec<String> = hooks.iter().map(|hook| hook.name.clone()).collect();
    let known = Known {
        home: &world.user().home,
        project: world.project(),
        hooks: &names,
        is_there: &Path::exists,
        is_found: &|name| is_on_path(world, name),
        is_ours: &|path, name| world.vouches_for_copy(path, name),
        is_installed: &|name| world.manifest.files.contains_key(name),
        is_started: &|name| world.registered().iter().any(|hook| hook.name == name),
    };
    let disk = ours::Disk { is_there: &|path| Path::new(path).exists(), is_same: &is_same_program };
    let mut found = Vec::new();
    for level in &world.levels {
        found.extend(registered_in(world, level));
        found.extend(shapes::findings(level));
        if !level.is_refused {
            found.extend(ours::findings(level, level.place.as_ref(), &hooks, &disk));
        }
        found.extend(strangers::findings(level, &known));
    }
    found.extend(twice(world));
    if world.registered().is_empty() {
        let note = Finding::note("no hook of ours is registered");
        let comes_with_a_plugin = hooks.iter().any(|hook| world.comes_with_a_plugin(&hook.name));
        found.push(if comes_with_a_plugin { note } else { note.next("req hooks install") });
    }
    found
}

/// Which hooks a level registers.
fn registered_in(world: &World<'_>, level: &Level) -> Option<Finding> {
    let is_there = |hook: &&HookEntry| level.ours.iter().any(|entry| entry.name == hook.name);
    let names: Vec<&str> =
        world.catalog.hooks.iter().filter(is_there).map(|hook| hook.name.as_str()).collect();
    (!names.is_empty()).then(|| Finding::ok(format!("registers {}", names.join(", "))).at(&level.shown, None))
}

fn twice(world: &World<'_>) -> Vec<Finding> {
    world.catalog.hooks.iter().filter_map(|hook| registered_twice(world, hook)).collect()
}

fn registered_twice(world: &World<'_>, hook: &HookEntry) -> Option<Finding> {
    let names_ours = |level: &&Level| {
        let is_named = |command: &str| command.rsplit('/').next() == Some(&*hook.name);
        let commands = level.survey.entries.iter().filter_map(|entry| entry.command.as_deref());
        match level.kind {
            Kind::Plugin => commands.into_iter().any(is_named),
            _ => level.ours.iter().any(|entry| entry.name == hook.name),
        }
    };
    let levels: Vec<&Level> = world.levels.iter().filter(names_ours).collect();
    let places = levels.iter().map(|level| (level.kind, level.shown.clone())).collect();
    let steps_back = levels.iter().all(|level| lets_one_run(level, hook));
    twice::finding(&twice::Registered { hook: &hook.name, places, steps_back })
}

/// A plugin's entry that leaves each call to the user's settings; in those, one to which it does.
fn lets_one_run(level: &Level, hook: &HookEntry) -> bool {
    let mut its = level.ours.iter().filter(|entry| entry.name == hook.name).peekable();
    let wanted = level.place.as_ref().and_then(|place| program(place, &hook.name).ok());
    its.peek().is_some()
        && match level.kind {
            Kind::Plugin => its.all(|entry| entry.args == [BY_PLUGIN]),
            Kind::User => {
                wanted.is_some_and(|wanted| its.all(|entry| is_same_program(&entry.program, &wanted)))
            }
            _ => false,
        }
}

fn is_on_path(world: &World<'_>, name: &str) -> bool {
    let path = world.host.environment.search_path.as_deref().unwrap_or_default();
    std::env::split_paths(path).any(|folder| folder.join(crate::places::executable(name)).is_file())
}

fn in_force(world: &World<'_>) -> Vec<Finding> {
    let mut found = in_force::of_settings(&world.levels, !world.registered().is_empty());
    let environment = &world.host.environment;
    let folder = environment.claude_config_dir.as_ref().unwrap_or(&world.user().home);
    let record: Option<Value> = fs::read_to_string(folder.join(".claude.json"))
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok());
    let shown = world.project().map(|project| world.user().show(project)).unwrap_or_default();
    let folders = world.project().map(in_force::that_count).unwrap_or_default();
    found.extend(in_force::of_trust(record.as_ref(), &folders, &shown));
    let start = world.host.cwd().and_then(|cwd| cwd.canonicalize().ok());
    found.extend(in_force::of_start(&world.levels, world.project(), start.as_deref()));
    found
}

fn firings(world: &World<'_>) -> Vec<Finding> {
    let session = client::newest_transcript(world.config()).map(|(time, _)| Timestamp::from(time));
    let is_everywhere = |hook: &HookEntry| {
        let users = world.levels.iter().filter(|level| level.kind == Kind::User);
        users.flat_map(|level| &level.ours).any(|entry| entry.name == hook.name)
    };
    let of_hook = |hook: &HookEntry| {
        let fired = world.store().and_then(|store| heartbeat::last(&store, &hook.name));
        let deployed = fs::metadata(world.user().deployed(&hook.name)).and_then(|file| file.modified()).ok();
        heartbeats::finding(&heartbeats::Facts {
            hook: hook.name.clone(),
            fired: fired.map(Timestamp::from),
            installed: deployed.map(Timestamp::from),
            session,
            is_everywhere: is_everywhere(hook),
            now: world.now(),
        })
    };
    let is_there = |hook: &&HookEntry| world.user().deployed(&hook.name).is_file();
    world.registered().into_iter().filter(is_there).map(of_hook).collect()
}

/// A version under which everything passed is remembered.
fn client(world: &World<'_>, all_passed: bool) -> Finding {
    let store = world.store();
    let before = store.as_ref().map(proved::read).unwrap_or_default();
    let version = client::version(world);
    if let (Some(version), Some(store), true) = (&version, &store, all_passed) {
        // What cannot be written to is told with the state folder.
        let _ = proved::passed(store, version, world.now());
    }
    client::finding(version.as_deref(), &before, all_passed)
}

/// Nothing where no registered hook works from readings, and there are none.
fn credits(world: &World<'_>) -> Option<Finding> {
    let usage = world.store().as_ref().and_then(usage::read);
    let needs = world.registered().into_iter().find(|hook| hook.needs_usage);
    if usage.is_none() && needs.is_none() {
        return None;
    }
    let user = world.user();
    let deployed = needs.and_then(|hook| fs::metadata(user.deployed(&hook.name)).ok());
    let yaml = user.file(&user.requirements).ok().and_then(|file| file.read().ok().flatten());
    let asks = |hook: &&HookEntry| hook.needs_usage && are_polled(yaml.as_deref(), hook);
    let polled = world.catalog.hooks.iter().find(asks).map(|hook| format!("{} status", hook.name));
    let here = world.levels.iter().filter(|level| !level.is_elsewhere);
    let files = here.filter_map(|level| fs::metadata(&level.place.as_ref()?.settings).ok()?.modified().ok());
    Some(credits::finding(&credits::Facts {
        usage,
        now: world.now(),
        needed_by: needs.map(|hook| hook.name.clone()),
        line: credits::line(&world.levels, world.catalog),
        wired: files.max().map(Timestamp::from),
        polled,
        installed: deployed.and_then(|file| file.modified().ok()).map(Timestamp::from),
        session: client::newest_transcript(world.config()).map(|(time, _)| Timestamp::from(time)),
        command: user.voice.line("statusline"),
    }))
}

#[cfg(test)]
mod tests;
