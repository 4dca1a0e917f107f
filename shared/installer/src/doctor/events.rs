//! The client's events and what each matches a matcher with: as documented for hooks, and seen with the client the
//! e2e tests pin.

/// What a matcher is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Matched {
    /// The name of a tool.
    Tool,
    /// One of these words.
    Words(&'static [&'static str]),
    /// A name of somebody's choosing: an agent's, a command's, a server's.
    Name,
    /// Literal names only: a file's.
    File,
    /// Nothing: the hook always runs.
    Nothing,
}

const COMPACTION: Matched = Matched::Words(&["manual", "auto"]);

/// By name.
const EVENTS: [(&str, Matched); 33] = [
    ("PreToolUse", Matched::Tool),
    ("PostToolUse", Matched::Tool),
    ("PostToolUseFailure", Matched::Tool),
    ("PostToolBatch", Matched::Nothing),
    (
        "Notification",
        Matched::Words(&[
            "permission_prompt",
            "idle_prompt",
            "auth_success",
            "elicitation_dialog",
            "elicitation_url_dialog",
            "elicitation_complete",
            "elicitation_response",
            "agent_needs_input",
            "agent_completed",
        ]),
    ),
    ("UserPromptSubmit", Matched::Nothing),
    ("UserPromptExpansion", Matched::Name),
    ("SessionStart", Matched::Words(&["startup", "resume", "clear", "compact", "fork"])),
    (
        "SessionEnd",
        Matched::Words(&[
            "clear",
            "resume",
            "logout",
            "prompt_input_exit",
            "other",
            "bypass_permissions_disabled",
        ]),
    ),
    ("Stop", Matched::Nothing),
    (
        "StopFailure",
        Matched::Words(&[
            "rate_limit",
            "overloaded",
            "authentication_failed",
            "oauth_org_not_allowed",
            "billing_error",
            "invalid_request",
            "model_not_found",
            "server_error",
            "max_output_tokens",
            "unknown",
            "account_on_hold",
            "verification_required",
            "cloud_credential_error",
        ]),
    ),
    ("SubagentStart", Matched::Name),
    ("SubagentStop", Matched::Name),
    ("PreCompact", COMPACTION),
    ("PostCompact", COMPACTION),
    ("PreModelSwitch", Matched::Name),
    ("PostModelSwitch", Matched::Name),
    ("PermissionRequest", Matched::Tool),
    ("PermissionDenied", Matched::Tool),
    ("Setup", Matched::Words(&["init", "maintenance"])),
    ("TeammateIdle", Matched::Nothing),
    ("TaskCreated", Matched::Nothing),
    ("TaskCompleted", Matched::Nothing),
    ("Elicitation", Matched::Name),
    ("ElicitationResult", Matched::Name),
    (
        "ConfigChange",
        Matched::Words(&["user_settings", "project_settings", "local_settings", "policy_settings", "skills"]),
    ),
    ("WorktreeCreate", Matched::Nothing),
    ("WorktreeRemove", Matched::Nothing),
    (
        "InstructionsLoaded",
        Matched::Words(&["session_start", "nested_traversal", "path_glob_match", "include", "compact"]),
    ),
    ("CwdChanged", Matched::Nothing),
    ("FileChanged", Matched::File),
    ("DirectoryAdded", Matched::Words(&["slash_command", "register_repo_root"])),
    ("MessageDisplay", Matched::Nothing),
];

/// What a matcher of this event is compared with; `None`: there is no such event.
pub(super) fn matched(event: &str) -> Option<Matched> {
    EVENTS.iter().find(|(name, _)| *name == event).map(|(_, matched)| *matched)
}

/// The names of all events.
pub(super) fn names() -> Vec<&'static str> {
    EVENTS.iter().map(|(name, _)| *name).collect()
}

#[cfg(test)]
mod tests {
    use shared::catalog::Catalog;

    use super::{Matched, matched, names};

    #[test]
    fn every_event_of_ours_is_known_and_none_stands_twice() {
        let catalog = Catalog::built_in().unwrap();
        for entry in catalog.hooks.iter().flat_map(|hook| &hook.events) {
            assert!(matched(&entry.event).is_some(), "{}", entry.event);
        }
        let mut all = names();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 33);
        assert_eq!(matched("Stopp"), None);
        assert_eq!(matched("Stop"), Some(Matched::Nothing));
    }
}
