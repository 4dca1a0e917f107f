//! `cargo xtask status`: what is in the source tree, what is deployed, what is registered, what is switched on, and where
//! these differ. It reads only.
//!
//! `--json` prints `{"hooks": [...], "remarks": [...]}`, per hook: `hook`, `built`, `deployed`, `registered` (events),
//! `enabled` and `enabled_by` (null when nobody can be asked), `drift` (sentences; empty when all is well).

use std::path::Path;

use serde::Serialize;
use shared::catalog::{Catalog, HookEntry};
use shared::settings::Registered;

use crate::installer::artifacts;
use crate::installer::enabled::Enabled;
use crate::installer::manifest::{Manifest, hash_of};
use crate::installer::places::Installation;
use crate::installer::registration::{Settings, names};
use crate::say::{say, table};

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
    enabled: Option<bool>,
    enabled_by: Option<String>,
    drift: Vec<String>,
}

/// Prints the status, for people or as JSON.
pub(crate) fn run(root: &Path, json: bool) -> anyhow::Result<()> {
    let catalog = Catalog::built_in()?;
    let installation = Installation::of_this_user()?;
    let settings = Settings::read(&installation, names(&catalog))?;
    let manifest = Manifest::read(&installation)?;
    let hooks = catalog.hooks.iter().map(|hook| status_of(root, &installation, &settings, &manifest, hook));
    let hooks: Vec<HookStatus> = hooks.collect::<anyhow::Result<_>>()?;
    let mut remarks = remarks(&installation, &settings, &manifest, &catalog);
    for hook in &catalog.hooks {
        let problems = Enabled::ask(&installation, &hook.name)?.map(|enabled| enabled.problems);
        remarks.extend(problems.unwrap_or_default());
    }
    remarks.dedup();
    let status = Status { hooks, remarks };
    if json {
        say(serde_json::to_string_pretty(&status)?);
    } else {
        print(&status);
    }
    Ok(())
}

fn status_of(
    root: &Path,
    installation: &Installation,
    settings: &Settings,
    manifest: &Manifest,
    hook: &HookEntry,
) -> anyhow::Result<HookStatus> {
    let built = hash_of(&artifacts::installable(root, &hook.name)?)?;
    let deployed = hash_of(&installation.deployed(&hook.name))?;
    let entries: Vec<&Registered> =
        settings.registered.iter().filter(|entry| entry.binary == hook.name).collect();
    let enabled = Enabled::ask(installation, &hook.name)?;
    let files = drift_of_files(installation, manifest, hook, built.as_deref(), deployed.as_deref());
    let entries_drift = drift_of_entries(installation, hook, &entries, deployed.is_some(), enabled.as_ref());
    Ok(HookStatus {
        hook: hook.name.clone(),
        built: built.is_some(),
        deployed: deployed.is_some(),
        registered: entries.iter().map(|entry| entry.event.clone()).collect(),
        enabled: enabled.as_ref().map(|enabled| enabled.acts),
        enabled_by: enabled.map(|enabled| enabled.set_by),
        drift: files.into_iter().chain(entries_drift).collect(),
    })
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

fn drift_of_entries(
    installation: &Installation,
    hook: &HookEntry,
    entries: &[&Registered],
    is_deployed: bool,
    enabled: Option<&Enabled>,
) -> Vec<String> {
    if entries.is_empty() {
        let is_on = enabled.is_some_and(|enabled| enabled.acts);
        let missing = format!("switched on, but not registered: cargo xtask enable {}", hook.name);
        return if is_on { vec![missing] } else { Vec::new() };
    }
    let mut drift = Vec::new();
    if !is_deployed {
        drift.push("registered, but not deployed: cargo xtask sync".to_owned());
    }
    let deployed = installation.deployed(&hook.name);
    if let Some(elsewhere) = entries.iter().find(|entry| Path::new(&entry.command) != deployed) {
        drift.push(format!("registered as {}: cargo xtask enable {}", elsewhere.command, hook.name));
    }
    let is_registered = |event: &str, matcher: &Option<String>| {
        entries.iter().any(|entry| entry.event == event && entry.matcher == *matcher)
    };
    let missing = hook.events.iter().find(|wanted| !is_registered(&wanted.event, &wanted.matcher));
    if let Some(missing) = missing {
        drift.push(format!("not registered on {}: cargo xtask enable {}", missing.event, hook.name));
    }
    drift
}

fn remarks(
    installation: &Installation,
    settings: &Settings,
    manifest: &Manifest,
    catalog: &Catalog,
) -> Vec<String> {
    let mut remarks = settings.obstacles();
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
        let registered =
            if hook.registered.is_empty() { "no".to_owned() } else { hook.registered.join(", ") };
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
