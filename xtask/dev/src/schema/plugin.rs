//! The generated files of plugin/: the workspace's version in its manifest; its hooks from config/hooks.yaml; the skill that
//! says how each hook is answered, from the manual.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use client_settings::{Program, Registration};
use installer::catalog::Catalog;
use serde_json::{Map, Value, json};
use shared::run::BY_PLUGIN;

use super::{Generated, pretty, said};

const MANIFEST: &str = "plugin/.claude-plugin/plugin.json";

/// The front matter of the skill: when it is to be read.
const ANSWERING: &str = "---\nname: answering-hooks\ndescription: How to answer when a hook refuses a call, holds the end of a \
    turn or gives advice, hook by hook. For any message of delegation-guard, stop-momentum, requirements-check, intent-validator and the \
    others of Barbless.\n---\n\n";

pub(super) fn files(root: &Path, catalog: &Catalog, req: &Path) -> anyhow::Result<Vec<Generated>> {
    let file = |path: &str, text: String| Generated { path: path.to_owned(), text };
    let manifest = fs::read_to_string(root.join(MANIFEST)).with_context(|| format!("reading {MANIFEST}"))?;
    let mut manifest: Value = serde_json::from_str(&manifest).context(MANIFEST)?;
    manifest["version"] = env!("CARGO_PKG_VERSION").into();
    let skill = format!("{ANSWERING}{}", said(req, &["docs", "answering"])?);
    Ok(vec![
        file(MANIFEST, pretty(&manifest)?),
        file("plugin/hooks/hooks.json", pretty(&hooks(catalog, ""))?),
        file("plugin/skills/answering-hooks/SKILL.md", skill),
    ])
}

/// The hooks as the client loads them from the plugin, its programs' names with this ending. They are told who starts them:
/// where settings start the same hook, they step back.
pub(crate) fn hooks(catalog: &Catalog, ending: &str) -> Value {
    let mut events = Map::new();
    for hook in &catalog.hooks {
        for entry in &hook.events {
            let registration = Registration {
                event: entry.event.clone(),
                matcher: entry.matcher.clone(),
                program: Program::Path(format!("${{CLAUDE_PLUGIN_ROOT}}/bin/{}{ending}", hook.name)),
                timeout_secs: Some(entry.timeout_secs.into()),
                status_message: entry.status_message.clone(),
            };
            let mut group = registration.group();
            group["hooks"][0]["args"] = json!([BY_PLUGIN]);
            let groups = events.entry(&entry.event).or_insert_with(|| json!([]));
            if let Some(groups) = groups.as_array_mut() {
                groups.push(group);
            }
        }
    }
    json!({ "hooks": events })
}
