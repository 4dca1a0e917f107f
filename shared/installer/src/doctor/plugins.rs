//! The plugins that are switched on, and the hooks each brings: where the client keeps them (its own files, as it
//! writes them).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::level::{Kind, Level, foreign, json_of};
use super::world::World;

/// The hooks of every plugin that is switched on and has some.
pub(crate) fn read(world: &World<'_>, levels: &[Level]) -> Vec<Level> {
    let kept = world.config().join("plugins");
    let folders = switched_on(levels).into_iter().filter_map(|name| folder_of(&kept, &name));
    let files = folders.map(|folder| (folder.join("hooks/hooks.json"), folder));
    files
        .filter(|(file, _)| file.is_file())
        .map(|(file, root)| Level { root: Some(root), ..foreign(Kind::Plugin, &file, world) })
        .collect()
}

/// A stronger level overrules a weaker one; `levels` begin with the weakest.
fn switched_on(levels: &[Level]) -> Vec<String> {
    let all = levels.iter().flat_map(|level| &level.survey.plugins);
    let last: BTreeMap<&String, bool> = all.map(|(name, flag)| (name, flag.is_on)).collect();
    last.into_iter().filter(|(_, is_on)| *is_on).map(|(name, _)| name.clone()).collect()
}

/// Where `NAME@MARKETPLACE` runs from: the folder itself for a marketplace that is a folder, else the copy that was
/// installed.
fn folder_of(kept: &Path, plugin: &str) -> Option<PathBuf> {
    let (name, market) = plugin.split_once('@')?;
    let is_plain = |part: &str| !part.is_empty() && !part.contains(['/', '\\']) && part != "..";
    if !is_plain(name) || !is_plain(market) {
        return None;
    }
    of_a_folder(kept, name, market)
        .or_else(|| installed(kept, plugin))
        .or_else(|| newest(&kept.join("cache").join(market).join(name)))
}

fn of_a_folder(kept: &Path, name: &str, market: &str) -> Option<PathBuf> {
    let markets = json_of(&kept.join("known_marketplaces.json"));
    let source = &markets[market]["source"];
    let root = PathBuf::from(source["path"].as_str().filter(|_| source["source"] == "directory")?);
    let listed = json_of(&root.join(".claude-plugin/marketplace.json"));
    let is_it = |entry: &&Value| entry["name"] == name;
    let place = listed["plugins"].as_array()?.iter().find(is_it)?["source"].as_str()?.to_owned();
    Some(root.join(place.trim_start_matches("./")))
}

fn installed(kept: &Path, plugin: &str) -> Option<PathBuf> {
    let known = json_of(&kept.join("installed_plugins.json"));
    let entry = &known["plugins"][plugin];
    let path = entry["installPath"].as_str().or_else(|| entry.as_array()?.last()?["installPath"].as_str())?;
    Some(PathBuf::from(path)).filter(|path| path.is_dir())
}

/// The version that was copied last.
fn newest(folder: &Path) -> Option<PathBuf> {
    let versions = fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let dated = versions.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())));
    dated.max().map(|(_, path)| path)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{folder_of, switched_on};
    use crate::doctor::level::{Kind, Level};

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_plugin_is_on_where_the_strongest_level_that_names_it_says_so() {
        let of =
            |kind, on: bool| Level::of_text(kind, "f", &format!(r#"{{"enabledPlugins":{{"a@m":{on}}}}}"#));
        assert_eq!(switched_on(&[of(Kind::User, true)]), ["a@m"]);
        assert_eq!(switched_on(&[of(Kind::User, true), of(Kind::Project, false)]), [""; 0]);
        assert_eq!(switched_on(&[of(Kind::User, false), of(Kind::Local, true)]), ["a@m"]);
    }

    #[test]
    fn a_plugin_is_looked_for_where_the_client_keeps_it() {
        let scratch = tempfile::tempdir().unwrap();
        let kept = scratch.path();
        assert_eq!(folder_of(kept, "a@m"), None);
        let copy = kept.join("cache/m/a/0.1.0");
        fs::create_dir_all(&copy).unwrap();
        assert_eq!(folder_of(kept, "a@m"), Some(copy));
        let named = kept.join("elsewhere");
        fs::create_dir_all(&named).unwrap();
        write(
            &kept.join("installed_plugins.json"),
            &format!(r#"{{"version":2,"plugins":{{"a@m":[{{"installPath":"{}"}}]}}}}"#, named.display()),
        );
        assert_eq!(folder_of(kept, "a@m"), Some(named));
        let source = kept.join("source");
        write(
            &source.join(".claude-plugin/marketplace.json"),
            r#"{"plugins":[{"name":"a","source":"./a"}]}"#,
        );
        write(
            &kept.join("known_marketplaces.json"),
            &format!(r#"{{"m":{{"source":{{"source":"directory","path":"{}"}}}}}}"#, source.display()),
        );
        assert_eq!(folder_of(kept, "a@m"), Some(source.join("a")));
    }

    #[test]
    fn a_name_that_leads_out_of_the_folder_is_no_plugin() {
        let scratch = tempfile::tempdir().unwrap();
        for name in ["a", "../a@m", "a@..", "@m", "a@"] {
            assert_eq!(folder_of(scratch.path(), name), None, "{name}");
        }
    }
}
