//! What `uninstall` would do, before anything is done. It reads only.

use std::collections::BTreeSet;

use shared::catalog::Catalog;

use crate::client_settings::Settings;
use crate::links;
use crate::manifest::Manifest;
use crate::places::{Installation, Scope};
use crate::say::list;

/// A sentence for each file or folder that would be changed; none where nothing of ours is there.
///
/// # Errors
/// The manifest cannot be read.
pub(crate) fn changes(
    installation: &Installation,
    catalog: &Catalog,
    commands: &[String],
) -> anyhow::Result<Vec<String>> {
    if installation.scope != Scope::User {
        return Ok(entries(installation, catalog).into_iter().collect());
    }
    let places = installation.and_registered_elsewhere()?;
    let own = places.iter().filter(|place| place.scope != Scope::Project);
    let mut told: Vec<String> = own.filter_map(|place| entries(place, catalog)).collect();
    let mut removed = |names: Vec<&str>, folder| {
        if !names.is_empty() {
            told.push(format!("would remove {} from {}", list(&names), installation.show(folder)));
        }
    };
    let linked = commands.iter().filter(|command| links::leads_to_us(installation, command));
    removed(linked.map(String::as_str).collect(), &installation.bin);
    let manifest = Manifest::read(installation)?;
    removed(manifest.files.keys().map(String::as_str).collect(), &installation.hooks);
    Ok(told)
}

/// What would go from one settings file, and with it; one that cannot be read is told in its place.
fn entries(place: &Installation, catalog: &Catalog) -> Option<String> {
    let settings = match Settings::read(place, catalog) {
        Ok(settings) => settings,
        Err(error) => return Some(format!("cannot tell what would go from it: {error:#}")),
    };
    let chained = settings.chained().map(|chained| chained.key.join("."));
    let present = settings.present;
    let hooks: BTreeSet<&str> = present.hooks.iter().map(|entry| entry.name.as_str()).collect();
    let mut names: Vec<&str> = hooks.into_iter().collect();
    if present.status_line.is_some_and(|line| line.is_ours) {
        names.push("the status line");
    }
    let file = place.show(&place.settings);
    let from = chained.map_or_else(String::new, |key| {
        format!(
            ", and {key} from {}; the status line that was there before comes back",
            place.show(&place.requirements)
        )
    });
    (!names.is_empty() || !from.is_empty())
        .then(|| format!("would remove {} from {file}{from}", list(&names)))
}
