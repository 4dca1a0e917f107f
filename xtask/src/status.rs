//! `cargo xtask status`: what is in the source tree, what is deployed, what is registered, what is switched on, and where
//! these differ. It reads only.
//!
//! `--json` prints `{"hooks": [...], "remarks": [...]}`, per hook: `hook`, `built`, `deployed`, `registered` (events),
//! `scopes` (whose settings register it: user, project, local), `enabled` and `enabled_by` (null when nobody can be asked),
//! `drift` (sentences; empty when all is well).

use std::path::Path;

use clap::ValueEnum;
use serde::Serialize;
use shared::catalog::{Catalog, HookEntry};
use shared::host::Environment;
use shared::settings::Registered;

use crate::installer::artifacts;
use crate::installer::client_settings::Settings;
use crate::installer::enabled::Enabled;
use crate::installer::manifest::{Manifest, hash_of};
use crate::installer::places::{Installation, Scope};
use crate::installer::prove::command_of;
use crate::installer::registration::{names, program};
use crate::say::{list, say, table};

#[derive(Serialize)]
struct Status {
    hooks: Vec<HookStatus>,
    remarks: Vec<String>,
}

#[derive(Serialize)]
struct HookStatus {
    hook: String,
    built: bool,
    deployed: bool,
    registered: Vec<String>,
    scopes: Vec<String>,
    enabled: Option<bool>,
    enabled_by: Option<String>,
    drift: Vec<String>,
}

/// The settings of one scope, and what is in them.
struct Level {
    place: Installation,
    settings: Settings,
}

impl Level {
    fn entries(&self, hook: &HookEntry) -> Vec<&Registered> {
        self.settings.present.hooks.iter().filter(|entry| entry.name == hook.name).collect()
    }
}

/// Prints the status, for people or as JSON.
pub(crate) fn run(root: &Path, json: bool, project: Option<&Path>) -> anyhow::Result<()> {
    let catalog = Catalog::built_in()?;
    let installation = Installation::of_this_user()?;
    let (levels, unreadable) = levels(&installation, &catalog, project)?;
    let manifest = Manifest::read(&installation)?;
    let hooks = catalog.hooks.iter().map(|hook| status_of(root, &levels, &manifest, hook));
    let hooks: Vec<HookStatus> = hooks.collect::<anyhow::Result<_>>()?;
    let mut remarks = unreadable;
    remarks.extend(self::remarks(&installation, &levels, &manifest, &catalog));
    for hook in &catalog.hooks {
        let problems = Enabled::ask(nearest(&levels), &hook.name)?.map(|enabled| enabled.problems);
        remarks.extend(problems.unwrap_or_default());
    }
    let mut told = std::collections::BTreeSet::new();
    remarks.retain(|remark| told.insert(remark.clone()));
    let status = Status { hooks, remarks };
    if json {
        say(serde_json::to_string_pretty(&status)?);
    } else {
        print(&status);
    }
    Ok(())
}

/// The user's settings, and those of the project, if there is one. A project's that cannot be read hides nothing else.
fn levels(
    installation: &Installation,
    catalog: &Catalog,
    project: Option<&Path>,
) -> anyhow::Result<(Vec<Level>, Vec<String>)> {
    let mut levels =
        vec![Level { settings: Settings::read(installation, catalog)?, place: installation.clone() }];
    let (mut places, mut unreadable) = (Vec::new(), Vec::new());
    let environment = Environment::read();
    for scope in [Scope::Project, Scope::Local] {
        let place = match project {
            Some(dir) => Some(installation.in_project(&environment, scope, dir)?),
            None => std::env::current_dir()
                .ok()
                .and_then(|dir| installation.in_project(&environment, scope, &dir).ok()),
        };
        places.extend(place.filter(|place| project.is_some() || place.settings.symlink_metadata().is_ok()));
    }
    for place in places {
        match Settings::read(&place, catalog) {
            Ok(settings) => levels.push(Level { place, settings }),
            Err(error) => unreadable.push(format!("{error:#}")),
        }
    }
    Ok((levels, unreadable))
}

/// The level that is closest to the work: its folder is where a hook is asked whether it acts.
fn nearest(levels: &[Level]) -> &Installation {
    &levels[levels.len() - 1].place
}

fn status_of(
    root: &Path,
    levels: &[Level],
    manifest: &Manifest,
    hook: &HookEntry,
) -> anyhow::Result<HookStatus> {
    let installation = nearest(levels);
    let built = hash_of(&artifacts::installable(root, &hook.name)?)?;
    let deployed = hash_of(&installation.deployed(&hook.name))?;
    let enabled = Enabled::ask(installation, &hook.name)?;
    let there: Vec<&Level> = levels.iter().filter(|level| !level.entries(hook).is_empty()).collect();
    let mut drift: Vec<String> =
        drift_of_files(installation, manifest, hook, built.as_deref(), deployed.as_deref())
            .into_iter()
            .collect();
    if there.is_empty() && enabled.as_ref().is_some_and(|enabled| enabled.acts) && !hook.enabled {
        drift.push(format!("switched on, but not registered: cargo xtask enable {}", hook.name));
    }
    for level in &there {
        drift.extend(drift_of_entries(level, hook, deployed.is_some()));
    }
    drift.extend(twice(&there));
    let mut registered: Vec<String> =
        there.iter().flat_map(|level| level.entries(hook)).map(|entry| entry.event.clone()).collect();
    let mut told = std::collections::BTreeSet::new();
    registered.retain(|event| told.insert(event.clone()));
    Ok(HookStatus {
        hook: hook.name.clone(),
        built: built.is_some(),
        deployed: deployed.is_some(),
        registered,
        scopes: there.iter().map(|level| word(level.place.scope)).collect(),
        enabled: enabled.as_ref().map(|enabled| enabled.acts),
        enabled_by: enabled.map(|enabled| enabled.set_by),
        drift,
    })
}

fn word(scope: Scope) -> String {
    scope.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// The client adds up the hooks of all levels. A project's entry steps back for the user's own; two own ones both run.
fn twice(there: &[&Level]) -> Option<String> {
    let own: Vec<String> = there
        .iter()
        .filter(|level| level.place.scope != Scope::Project)
        .map(|level| level.place.show(&level.place.settings))
        .collect();
    let flags = there.last().map(|level| level.place.flags()).unwrap_or_default();
    (own.len() > 1)
        .then(|| format!("registered in {}, so it runs twice: cargo xtask uninstall{flags}", list(&own)))
}

fn drift_of_files(
    installation: &Installation,
    manifest: &Manifest,
    hook: &HookEntry,
    built: Option<&str>,
    deployed: Option<&str>,
) -> Option<String> {
    let deployed = deployed?;
    if !manifest.vouches_for(installation, &hook.name) {
        return Some("the deployed file is not what was installed: cargo xtask sync".to_owned());
    }
    let differs = built.is_some_and(|built| built != deployed);
    differs.then(|| "the last build differs from what is deployed: cargo xtask sync".to_owned())
}

fn drift_of_entries(level: &Level, hook: &HookEntry, is_deployed: bool) -> Vec<String> {
    let (place, entries) = (&level.place, level.entries(hook));
    let again = format!("cargo xtask enable {}{}", hook.name, place.flags());
    let mut drift = Vec::new();
    if !is_deployed {
        drift.push("registered, but not deployed: cargo xtask sync".to_owned());
    }
    let wanted = program(place, &hook.name).ok();
    if let Some(elsewhere) = entries.iter().find(|entry| Some(&entry.program) != wanted.as_ref()) {
        drift.push(format!("registered as {}: {again}", command_of(elsewhere)));
    }
    if let Some(harmful) = entries.iter().find_map(|entry| entry.harmful_keys.first()) {
        drift.push(format!("registered with `{harmful}`, so it stops nothing: {again}"));
    }
    let is_registered = |event: &str, matcher: &Option<String>| {
        entries.iter().any(|entry| entry.event == event && entry.matcher == *matcher)
    };
    let missing = hook.events.iter().find(|wanted| !is_registered(&wanted.event, &wanted.matcher));
    if let Some(missing) = missing {
        drift.push(format!("not registered on {}: {again}", missing.event));
    }
    drift
}

fn remarks(
    installation: &Installation,
    levels: &[Level],
    manifest: &Manifest,
    catalog: &Catalog,
) -> Vec<String> {
    let mut remarks: Vec<String> = levels.iter().flat_map(|level| level.settings.obstacles()).collect();
    let off = installation.state.join("OFF");
    if off.exists() {
        remarks.push(format!("every hook is off while {} exists", installation.show(&off)));
    }
    let commands: Vec<&String> = catalog.hooks.iter().flat_map(|hook| &hook.commands).collect();
    let names = names(catalog);
    let is_orphan = |file: &&String| !names.contains(file) && !commands.contains(file);
    for orphan in manifest.files.keys().filter(is_orphan) {
        remarks.push(format!("no hook of this source tree owns {orphan}: cargo xtask sync --prune"));
    }
    remarks
}

fn print(status: &Status) {
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let row = |hook: &HookStatus| {
        let enabled = match (hook.enabled, &hook.enabled_by) {
            (Some(enabled), Some(by)) => format!("{}, by {by}", if enabled { "on" } else { "off" }),
            _ => "-".to_owned(),
        };
        let registered = match hook.scopes.as_slice() {
            [] => "no".to_owned(),
            [only] if only == "user" => hook.registered.join(", "),
            scopes => format!("{} ({})", hook.registered.join(", "), scopes.join(", ")),
        };
        vec![hook.hook.clone(), yes(hook.built), yes(hook.deployed), registered, enabled]
    };
    say(table(
        &["hook", "built", "deployed", "registered", "switched on"],
        status.hooks.iter().map(row).collect(),
    ));
    for hook in &status.hooks {
        hook.drift.iter().for_each(|drift| say(format_args!("{}: {drift}", hook.hook)));
    }
    status.remarks.iter().for_each(say);
}
