//! Settings beside the hooks, and what each must be: with a value of another kind, null included, the client takes nothing
//! of the file, in silence (tests/client-facts.md, 14). Those it forgives, and those it does not have, are not told.

use jsonc_parser::ast::Object;

use super::document::last;
use super::faults::{Found, Kind, is_duration, is_list, is_object, is_switch, is_text, is_texts};

/// Required kind of a setting, and the message.
type Rule = (&'static str, Kind, &'static str);

/// Settings that the client takes with any value of this kind.
const PLAIN: [Rule; 12] = [
    ("model", is_text, "`model` must be text"),
    ("outputStyle", is_text, "`outputStyle` must be text"),
    ("language", is_text, "`language` must be text"),
    ("enabledMcpjsonServers", is_texts, "`enabledMcpjsonServers` must be a list of texts"),
    ("disabledMcpjsonServers", is_texts, "`disabledMcpjsonServers` must be a list of texts"),
    ("includeCoAuthoredBy", is_switch, "`includeCoAuthoredBy` must be true or false"),
    ("includeGitInstructions", is_switch, "`includeGitInstructions` must be true or false"),
    ("alwaysThinkingEnabled", is_switch, "`alwaysThinkingEnabled` must be true or false"),
    ("autoCompactEnabled", is_switch, "`autoCompactEnabled` must be true or false"),
    ("enableAllProjectMcpServers", is_switch, "`enableAllProjectMcpServers` must be true or false"),
    ("respectGitignore", is_switch, "`respectGitignore` must be true or false"),
    ("spinnerTipsEnabled", is_switch, "`spinnerTipsEnabled` must be true or false"),
];

/// Settings that may be wrong in other ways too, or do more than a file below a project shall do unseen.
const OTHERS: [Rule; 14] = [
    ("agent", is_text, "`agent` must be text"),
    ("apiKeyHelper", is_text, "`apiKeyHelper` must be text"),
    ("plansDirectory", is_text, "`plansDirectory` must be text"),
    ("availableModels", is_texts, "`availableModels` must be a list of texts"),
    ("claudeMdExcludes", is_texts, "`claudeMdExcludes` must be a list of texts"),
    ("companyAnnouncements", is_texts, "`companyAnnouncements` must be a list of texts"),
    ("cleanupPeriodDays", is_duration, "`cleanupPeriodDays` must be a number of days, more than 0"),
    ("disableAllHooks", is_switch, "`disableAllHooks` must be true or false"),
    ("allowManagedHooksOnly", is_switch, "`allowManagedHooksOnly` must be true or false"),
    ("verbose", is_switch, "`verbose` must be true or false"),
    ("env", is_object, "`env` must be an object, `{ ... }`"),
    ("permissions", is_object, "`permissions` must be an object, `{ ... }`"),
    ("enabledPlugins", is_object, "`enabledPlugins` must be an object, `{ ... }`"),
    ("statusLine", is_object, "`statusLine` must be an object, `{ ... }`"),
];

const PERMISSIONS: [Rule; 4] = [
    ("allow", is_list, "`permissions.allow` must be a list, `[ ... ]`"),
    ("deny", is_list, "`permissions.deny` must be a list, `[ ... ]`"),
    ("ask", is_list, "`permissions.ask` must be a list, `[ ... ]`"),
    ("defaultMode", is_text, "`permissions.defaultMode` must be text"),
];

/// Each that is of another kind than it must be.
pub(super) fn wrong(root: &Object<'_>) -> Vec<Found> {
    let mut found = in_object(root, &PLAIN);
    found.extend(in_object(root, &OTHERS));
    if let Some(permissions) = last(root, "permissions").and_then(|one| one.value.as_object()) {
        found.extend(in_object(permissions, &PERMISSIONS));
    }
    if let Some(line) = last(root, "statusLine")
        && let Some(object) = line.value.as_object()
        && !["type", "command"].iter().all(|key| last(object, key).is_some_and(|one| is_text(&one.value)))
    {
        found.push((line.range.start, "`statusLine` needs a `type` and a `command`"));
    }
    found
}

fn in_object(object: &Object<'_>, rules: &[Rule]) -> Vec<Found> {
    let wrong = |(key, is_right, what): &Rule| {
        let found = last(object, key).filter(|found| !is_right(&found.value))?;
        Some((found.range.start, *what))
    };
    rules.iter().filter_map(wrong).collect()
}
