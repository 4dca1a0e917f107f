//! `cargo xtask schema [--check]`: the generated files, which are committed: config/requirements.schema.json from what each
//! hook says of its settings; the plugin's hooks.json, the table in README.md and the list of the manual's pages about hooks from
//! config/hooks.yaml; the manual's tables of settings from the schema.

mod manual;
pub(crate) mod plugin;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail, ensure};
use installer::catalog::{Catalog, HookEntry};
use serde_json::{Map, Value, json};

use installer::say::{list, say};
use installer::source::{Binaries, prebuilt};
use xtask::Workspace;

/// The keys above all sections.
const TOP_LEVEL: &str = include_str!("../top-level.json");

const BEGIN: &str = "<!-- hooks:begin -->\n";
const END: &str = "<!-- hooks:end -->";

/// A file that is generated as a whole, or between two markers.
struct Generated {
    path: String,
    text: String,
}

/// Writes the files, or with `check` only compares them. The programs are built, or lie in the folder `built`.
pub(crate) fn run(workspace: &Workspace, check: bool, built: Option<&Path>) -> anyhow::Result<()> {
    let root = workspace.root();
    let catalog = Catalog::built_in()?;
    let folder = match built {
        Some(folder) => folder.to_owned(),
        None => workspace.debug(&["--bins"])?,
    };
    let binaries = prebuilt(&folder, &catalog.hooks)?;
    let readme = fs::read_to_string(root.join("README.md")).context("reading README.md")?;
    let req = binaries.get("req").context("no binary req was built")?;
    let mut files = plugin::files(root, catalog, req)?;
    let mut add = |path: &str, text: String| files.push(Generated { path: path.to_owned(), text });
    let schema = requirements(catalog, &binaries)?;
    add("config/requirements.schema.json", pretty(&schema)?);
    add("hooks/requirements-check/req/src/docs/hooks.rs", pages(catalog));
    let defaults = fs::read_to_string(root.join("config/defaults.yaml")).context("reading the defaults")?;
    let defaults: Value = serde_yaml::from_str(&defaults).context("config/defaults.yaml")?;
    add("shared/config/src/defaults.rs", compiled_defaults(&defaults));
    let usd_per_day = &defaults["judge"]["max_cost_usd_per_day"];
    let usd_per_day = usd_per_day.as_f64().context("config/defaults.yaml: what a day may cost")?;
    add("README.md", between(&readme, (BEGIN, END), "README.md", &table(catalog, usd_per_day))?);
    for (path, tables) in manual::tables(catalog, &schema, &defaults)? {
        let page = fs::read_to_string(root.join(&path)).with_context(|| format!("reading {path}"))?;
        add(&path, between(&page, manual::MARKERS, &path, &tables)?);
    }
    let differs =
        |file: &&Generated| fs::read_to_string(root.join(&file.path)).ok().as_ref() != Some(&file.text);
    let stale: Vec<&Generated> = files.iter().filter(differs).collect();
    if stale.is_empty() {
        say("the generated files are up to date");
        return Ok(());
    }
    if check {
        let all: Vec<&str> = stale.iter().map(|file| file.path.as_str()).collect();
        bail!("{} must be generated anew: run `cargo xtask schema`", list(&all));
    }
    for Generated { path, text } in stale {
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap_or(root)).with_context(|| format!("making {path}"))?;
        fs::write(file, text).with_context(|| format!("writing {path}"))?;
        say(format_args!("wrote {path}"));
    }
    Ok(())
}

/// Each key at the top of config/defaults.yaml as a JSON object of its own.
fn compiled_defaults(defaults: &Value) -> String {
    let sections = defaults.as_object().into_iter().flatten();
    let lines: Vec<String> = sections
        .map(|(key, value)| format!("    ({key:?}, r#\"{}\"#),\n", json!({ key.as_str(): value })))
        .collect();
    format!(
        "//! Generated from config/defaults.yaml by `cargo xtask schema`.\n\n#[rustfmt::skip]\n\
         pub(crate) const SECTIONS: [(&str, &str); {}] = [\n{}];\n",
        lines.len(),
        lines.concat()
    )
}

fn pretty(value: &Value) -> anyhow::Result<String> {
    Ok(format!("{}\n", serde_json::to_string_pretty(value)?))
}

/// The schema of requirements.yaml: the keys above all sections, and each hook's section.
fn requirements(catalog: &Catalog, binaries: &Binaries) -> anyhow::Result<Value> {
    let mut schema: Value = serde_json::from_str(TOP_LEVEL).context("xtask/dev/top-level.json")?;
    for hook in &catalog.hooks {
        let mut section = section(hook, binaries)?;
        for (key, property) in root_keys(&mut section) {
            let property = owned_too(schema["properties"].get(&key), property, &hook.name);
            schema["properties"][&key] = property;
        }
        schema["properties"][&hook.name] = Value::Object(section);
    }
    Ok(schema)
}

/// Takes out of a section the keys that stand at the top of the file instead.
fn root_keys(section: &mut Map<String, Value>) -> Vec<(String, Value)> {
    let Some(properties) = section.get_mut("properties").and_then(Value::as_object_mut) else {
        return Vec::new();
    };
    let all = std::mem::take(properties).into_iter();
    let (mut roots, own): (Map<_, _>, Map<_, _>) =
        all.partition(|(_, property)| property.get("x-root-key").is_some());
    *properties = own;
    for property in roots.values_mut().filter_map(Value::as_object_mut) {
        property.shift_remove("x-root-key");
    }
    roots.into_iter().collect()
}

/// A key at the top of the file, with the hooks that read it: one, or several alike.
fn owned_too(there: Option<&Value>, mut property: Value, hook: &str) -> Value {
    let owners = there.and_then(|there| there.get("x-owners")?.as_array().cloned());
    let owners: Vec<Value> = owners.into_iter().flatten().chain([hook.into()]).collect();
    if let Some(property) = property.as_object_mut() {
        property.insert("x-owners".to_owned(), owners.into());
    }
    property
}

/// The schema that the hook prints for its section. No key is required, because each has its default.
fn section(hook: &HookEntry, binaries: &Binaries) -> anyhow::Result<Map<String, Value>> {
    let binary = binaries.get(&hook.name).with_context(|| format!("no binary {} was built", hook.name))?;
    let text = said(binary, &["schema"])?;
    let mut section: Map<String, Value> = serde_json::from_str(&text)
        .with_context(|| format!("what `{} schema` prints is not a JSON object", hook.name))?;
    for key in ["$schema", "title"] {
        section.shift_remove(key);
    }
    require_nothing(&mut section);
    section.insert("description".to_owned(), hook.summary.clone().into());
    Ok(section)
}

/// A file may set any key of a map and leave out the others, at every depth. An entry of a list is whole or wrong: lists
/// replace each other.
fn require_nothing(schema: &mut Map<String, Value>) {
    schema.shift_remove("required");
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
        require_nothing(property);
    }
    if let Some(entry) = schema.get_mut("additionalProperties").and_then(Value::as_object_mut) {
        require_nothing(entry);
    }
}

/// The pages of the hooks for `req docs`: compiled in from where they are, so that no hook is named by hand.
fn pages(catalog: &Catalog) -> String {
    let row = |hook: &HookEntry| {
        format!("    (\"{0}\", include_str!(\"../../../../{0}/README.md\")),\n", hook.name)
    };
    format!(
        "//! Generated by `cargo xtask schema` from config/hooks.yaml: the page of each hook, which is its README.\n\n\
         /// Name and page of each hook, in the order of the catalog.\n\
         pub(super) const HOOKS: &[(&str, &str)] = &[\n{}];\n",
        catalog.hooks.iter().map(row).collect::<String>()
    )
}

fn table(catalog: &Catalog, usd_per_day: f64) -> String {
    let heads = "| hook | what it does | switched on | cost per call |\n|---|---|---|---|\n";
    let row = |hook: &HookEntry| {
        let name = &hook.name;
        let on = if hook.enabled {
            "once installed".to_owned()
        } else {
            format!("by `cargo xtask enable {name}`")
        };
        let cost = if hook.costs_money {
            format!("asks a model: at most ${usd_per_day} a day, with all that ask one")
        } else {
            "about a millisecond".to_owned()
        };
        format!("| [{name}](hooks/{name}/README.md) | {} | {on} | {cost} |\n", hook.summary)
    };
    heads.to_owned() + &catalog.hooks.iter().map(row).collect::<String>()
}

/// The page with what stands between two markers replaced.
fn between(page: &str, (begin, end): (&str, &str), path: &str, text: &str) -> anyhow::Result<String> {
    let parts = page.split_once(begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
    let (before, after) = parts.with_context(|| {
        format!(
            "{path} lacks the lines {} and {} around what is generated: add them",
            begin.trim(),
            end.trim()
        )
    })?;
    Ok(format!("{before}{begin}{text}{end}{after}"))
}

fn said(program: &Path, words: &[&str]) -> anyhow::Result<String> {
    let name = program.file_stem().unwrap_or_default().display();
    let output = Command::new(program).args(words).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("starting {}", program.display()))?;
    ensure!(output.status.success(), "`{name} {}` ended with {}", words.join(" "), output.status);
    String::from_utf8(output.stdout).with_context(|| format!("what `{name} {}` prints", words.join(" ")))
}

#[cfg(test)]
mod tests {
    use installer::catalog::{Catalog, EventEntry, HookEntry};
    use serde_json::json;

    use super::{owned_too, plugin::hooks, require_nothing, root_keys};

    fn catalog() -> Catalog {
        let first = Catalog::built_in().unwrap().hooks[0].clone();
        let entry = |event: &str, matcher: Option<&str>| EventEntry {
            event: event.to_owned(),
            matcher: matcher.map(str::to_owned),
            timeout_secs: 5,
            status_message: matcher.map(str::to_lowercase),
        };
        let hook = |name: &str, events: Vec<EventEntry>| HookEntry {
            name: name.to_owned(),
            summary: "does".to_owned(),
            events,
            ..first.clone()
        };
        Catalog {
            hooks: vec![
                hook("a", vec![entry("Stop", None)]),
                hook("b", vec![entry("Stop", None), entry("PreToolUse", Some("Bash"))]),
            ],
        }
    }

    #[test]
    fn the_plugin_starts_its_own_binaries_without_a_shell() {
        let run = |name: &str| json!({ "type": "command", "command": format!("${{CLAUDE_PLUGIN_ROOT}}/bin/{name}"), "args": ["--plugin"], "timeout": 5 });
        let mut with_message = run("b");
        with_message["statusMessage"] = json!("bash");
        let expected = json!({ "hooks": {
            "Stop": [{ "hooks": [run("a")] }, { "hooks": [run("b")] }],
            "PreToolUse": [{ "matcher": "Bash", "hooks": [with_message] }]
        }});
        assert_eq!(hooks(&catalog(), ""), expected);
    }

    #[test]
    fn no_key_of_a_map_has_to_be_set_and_an_entry_of_a_list_stays_whole() {
        let entry = json!({ "type": "object", "properties": { "tool": {} }, "required": ["tool"] });
        let map = |required: &[&str]| {
            let inner =
                json!({ "type": "object", "properties": { "required": {}, "list": { "items": entry } } });
            let mut outer = json!({ "type": "object", "properties": { "inner": inner } });
            if !required.is_empty() {
                outer["required"] = json!(required);
                outer["properties"]["inner"]["required"] = json!(required);
            }
            outer.as_object().unwrap().clone()
        };
        let mut schema = map(&["list", "required"]);
        require_nothing(&mut schema);
        assert_eq!(schema, map(&[]));
    }

    #[test]
    fn the_keys_for_the_top_of_the_file_are_taken_out_of_the_section_and_lose_their_mark() {
        let properties = json!({ "a": { "type": "boolean" }, "b": { "type": "object", "x-root-key": true } });
        let mut section = json!({ "properties": properties }).as_object().unwrap().clone();
        assert_eq!(root_keys(&mut section), [("b".to_owned(), json!({ "type": "object" }))]);
        assert_eq!(section["properties"], json!({ "a": { "type": "boolean" } }));
        assert_eq!(root_keys(&mut section), []);
    }

    #[test]
    fn a_key_at_the_top_names_the_hooks_that_read_it() {
        let own = || json!({ "type": "object" });
        let one = owned_too(None, own(), "a");
        assert_eq!(one, json!({ "type": "object", "x-owners": ["a"] }));
        assert_eq!(owned_too(Some(&one), own(), "b")["x-owners"], json!(["a", "b"]));
    }
}
