//! The generated files of plugin/: its manifest and the list a marketplace has of it, with the workspace's version; its hooks
//! from config/hooks.yaml; the skill that says how each hook is answered, from the manual.

use std::path::Path;

use client_settings::{Program, Registration};
use installer::catalog::Catalog;
use serde_json::{Map, Value, json};
use shared::run::BY_PLUGIN;

use super::{Generated, pretty, said};

const ABOUT: &str = "Small hooks that hold the line: a project's requirements are met before code is changed, calls do not go in a \
    circle, your usage limits last. Whatever goes wrong inside a hook, your session goes on.";

const AUTHORS: &str = "the Barbless authors";

/// The front matter of the skill: when it is to be read.
const ANSWERING: &str = "---\nname: answering-hooks\ndescription: How to answer when a hook refuses a call, holds the end of a \
    turn or gives advice, hook by hook. For any message of delegation-guard, stop-momentum, requirements-check, intent-validator and the \
    others of Barbless.\n---\n\n";

/// All of them; `req` is the program that prints the manual.
pub(super) fn files(catalog: &Catalog, req: &Path) -> anyhow::Result<Vec<Generated>> {
    let file = |path: &str, text: String| Generated { path: format!("plugin/{path}"), text };
    Ok(vec![
        file(".claude-plugin/plugin.json", pretty(&manifest())?),
        file(".claude-plugin/marketplace.json", pretty(&marketplace())?),
        file("hooks/hooks.json", pretty(&hooks(catalog, ""))?),
        file("skills/answering-hooks/SKILL.md", format!("{ANSWERING}{}", said(req, &["docs", "answering"])?)),
    ])
}

fn manifest() -> Value {
    json!({
        "name": "barbless",
        "displayName": "Barbless",
        "version": env!("CARGO_PKG_VERSION"),
        "description": ABOUT,
        "author": { "name": AUTHORS },
        "license": env!("CARGO_PKG_LICENSE"),
        "keywords": ["hooks", "requirements", "rate-limits", "review"]
    })
}

/// The folder is both, the marketplace and its only plugin.
fn marketplace() -> Value {
    json!({
        "name": "barbless",
        "owner": { "name": AUTHORS },
        "metadata": { "description": "Barbless, out of the folder it was unpacked to." },
        "plugins": [{ "name": "barbless", "source": "./", "description": ABOUT }]
    })
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
