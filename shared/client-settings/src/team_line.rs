//! The line that a project's settings start a hook with: it names nobody's home, and steps back for the user's own entry.

use super::SHELL_MARK;

/// The user's own configuration folder, whoever runs the line.
pub const CONFIG_DIR_IN_SHELL: &str = r#""${CLAUDE_CONFIG_DIR:-$HOME/.claude}""#;

/// The line that starts a hook. Where the user has registered it for all projects, or for themselves in this one, that
/// entry does the work: the client adds up the hooks of all levels, and twice would count twice.
#[must_use]
pub fn team_line(hook: &str) -> String {
    let own = r#""$d/settings.json" "$CLAUDE_PROJECT_DIR/.claude/settings.local.json""#;
    let named = users_mark(hook);
    format!(
        r#"{SHELL_MARK}{hook}; d={CONFIG_DIR_IN_SHELL}; h="$d/hooks/{hook}"; [ -x "$h" ] || exit 0; grep -qsF '{named}' {own} && exit 0; exec "$h""#
    )
}

/// Text that the line looks for in the user's own settings.
pub(super) fn users_mark(hook: &str) -> String {
    format!("/hooks/{hook}\"")
}
