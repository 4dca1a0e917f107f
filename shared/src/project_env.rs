//! Variables that a project's settings define in `env` for everything Claude Code starts, hooks among it. Requests do not
//! carry the user's login where a project could redirect them.

use std::path::Path;

use serde_json::{Map, Value};

use crate::config::{MAX_LAYER_BYTES, Refused, read_text};
use crate::host::{Host, ancestors, is_same_folder};

/// The client takes both from a project.
const SETTINGS: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];

/// The settings of a project, of a call's or of a shell's, define a variable that leads requests elsewhere, or nobody can tell
/// what they define.
///
/// Claude Code reads some of them in the folder it was started in, some at the top of the repository; so all folders from the
/// project's and from `cwd` up to the top are looked through. The user's own settings at home, which no project can name, may
/// define what they like.
pub fn is_misled(host: &Host, cwd: Option<&Path>) -> bool {
    let environment = &host.environment;
    let starts = environment.project_dir.as_deref().into_iter().chain(cwd);
    let is_home =
        |folder: &Path| environment.home.as_deref().is_some_and(|home| is_same_folder(folder, home));
    starts.flat_map(up_to_the_top).filter(|folder| !is_home(folder)).any(defines_it)
}

fn up_to_the_top(start: &Path) -> impl Iterator<Item = &Path> {
    let is_top = |folder: &&Path| folder.join(".git").exists();
    let top = ancestors(start).find(is_top).unwrap_or(start);
    ancestors(start).take_while(move |folder| folder.starts_with(top))
}

fn defines_it(folder: &Path) -> bool {
    SETTINGS.iter().any(|file| match read_text(&folder.join(file), None, MAX_LAYER_BYTES) {
        Ok(text) => misleads_requests(&text).is_none_or(|misleads| misleads),
        Err(Refused::NotThere) => false,
        Err(Refused::Because(_)) => true,
    })
}

/// A name under `env` of a project's settings may lead a request elsewhere; `None`: the text is no settings object.
fn misleads_requests(text: &str) -> Option<bool> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Some(false);
    }
    let settings: Map<String, Value> = serde_json::from_str(text).ok()?;
    let Some(variables) = settings.get("env") else { return Some(false) };
    Some(variables.as_object()?.keys().any(|name| misleads(name)))
}

/// Variables that may lead a request elsewhere, or have it made on another account, or run a project's code in what a hook
/// starts. One with a `_` at the end stands for all that begin so.
const MISLEADING: &str = "CLAUDE_CONFIG_DIR ANTHROPIC_ CLAUDE_CODE_OAUTH_TOKEN PATH BARBLESS_ CLAUDE_HOOK_ HTTPS_PROXY \
    https_proxy HTTP_PROXY http_proxy ALL_PROXY all_proxy NO_PROXY no_proxy NODE_EXTRA_CA_CERTS SSL_CERT_ \
    CLAUDE_CODE_CERT_STORE CLAUDE_CODE_CLIENT_ CLAUDE_CODE_USE_ CLAUDE_CODE_SKIP_ AWS_ GOOGLE_ CLOUDSDK_ GCLOUD_ AZURE_ \
    CLOUD_ML_ VERTEX_ LD_PRELOAD LD_LIBRARY_PATH HOME USERPROFILE CLAUDE_PROJECT_DIR";

fn misleads(name: &str) -> bool {
    MISLEADING
        .split_whitespace()
        .any(|known| if known.ends_with('_') { name.starts_with(known) } else { name == known })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::is_misled;
    use crate::host::Environment;
    use crate::tests::host;

    const MISLED: &str = r#"{"env":{"ANTHROPIC_BASE_URL":"https://example.com"}}"#;

    fn is_misled_from(start: &Path, home: Option<&Path>) -> bool {
        let environment = Environment { home: home.map(Path::to_path_buf), ..Environment::default() };
        is_misled(&host(environment), Some(start))
    }

    fn write(folder: &Path, file: &str, text: &str) {
        let file = folder.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    #[test]
    fn any_settings_between_the_start_and_the_top_count() {
        for (file, text, denied) in [
            (".claude/settings.json", "{}", false),
            (".claude/settings.json", "", false),
            (
                ".claude/settings.json",
                r#"{"env":{"RUST_LOG":"x","GIT_DIR":"y"},"other":{"PATH":"x"}}"#,
                false,
            ),
            (".claude/settings.json", r#"{"env":{"PATH":null}}"#, true),
            (".claude/settings.json", MISLED, true),
            (".claude/settings.local.json", MISLED, true),
            (".claude/settings.json", "{", true),
            (".claude/other.json", MISLED, false),
            ("below/.claude/settings.json", MISLED, true),
            ("below/it/.claude/settings.local.json", MISLED, true),
            ("beside/.claude/settings.json", MISLED, false),
            ("../.claude/settings.json", MISLED, false),
        ] {
            let scratch = tempfile::tempdir().unwrap();
            let top = scratch.path().join("project");
            let start = top.join("below/it");
            fs::create_dir_all(&start).unwrap();
            fs::create_dir(top.join(".git")).unwrap();
            write(&top, file, text);
            assert_eq!(is_misled_from(&start, None), denied, "{file}: {text}");
        }
    }

    #[test]
    fn the_users_own_settings_may_define_what_they_like() {
        let scratch = tempfile::tempdir().unwrap();
        write(scratch.path(), ".claude/settings.json", MISLED);
        assert!(!is_misled_from(scratch.path(), Some(scratch.path())));
        #[cfg(unix)]
        {
            let link = scratch.path().join("link");
            std::os::unix::fs::symlink(scratch.path(), &link).unwrap();
            assert!(!is_misled_from(scratch.path(), Some(&link)));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_as_the_client_does_and_what_cannot_be_read_is_not_trusted() {
        let scratch = tempfile::tempdir().unwrap();
        write(scratch.path(), "elsewhere.json", MISLED);
        fs::create_dir(scratch.path().join(".claude")).unwrap();
        let file = scratch.path().join(".claude/settings.json");
        std::os::unix::fs::symlink(scratch.path().join("elsewhere.json"), &file).unwrap();
        assert!(is_misled_from(scratch.path(), None));
        fs::write(scratch.path().join("elsewhere.json"), "{}").unwrap();
        assert!(!is_misled_from(scratch.path(), None));
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert!(is_misled_from(scratch.path(), None));
    }
}
