//! Variables that a project's settings define in `env` for everything Claude Code starts, hooks among it. Requests do not
//! carry the user's login where a project could redirect them.

use std::path::Path;

use serde::Deserialize;

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

/// A name under `env` of a project's settings may lead a request elsewhere; `None`: the text is no settings object, and
/// nobody can tell what Claude Code reads in it.
fn misleads_requests(text: &str) -> Option<bool> {
    #[derive(Deserialize)]
    struct Settings {
        #[serde(default)]
        env: serde_json::Map<String, serde_json::Value>,
    }
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Some(false);
    }
    let settings: Settings = serde_json::from_str(text).ok()?;
    Some(settings.env.keys().any(|name| Variable::of(name).is_some_and(|known| known.misleads_requests)))
}

/// Variables that mean something to us, or to programs that a hook starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// Names, or with a `_` at the end the beginnings of names.
    names: &'static [&'static str],
    /// Consequence of a definition by a project.
    pub follows: &'static str,
    /// They may lead a request elsewhere, or have it made on another account: where a project defines one, no login of the
    /// user's is used.
    pub misleads_requests: bool,
}

const fn misleading(follows: &'static str, names: &'static [&'static str]) -> Variable {
    Variable { names, follows, misleads_requests: true }
}

const IGNORED: &str = "the client ignores it from a project, other programs may not";

#[rustfmt::skip]
const VARIABLES: [Variable; 12] = [
    misleading("the client looks for your settings elsewhere, and hooks registered in yours do not run", &["CLAUDE_CONFIG_DIR"]),
    misleading("requests, and what a hook would ask a model, may go to another host or on another account", &["ANTHROPIC_"]),
    misleading("requests are made on another account", &["CLAUDE_CODE_OAUTH_TOKEN"]),
    misleading("programs that a hook starts by name may be the project's", &["PATH"]),
    misleading("it is the hooks' own; they do not believe it from a project", &["BARBLESS_", "CLAUDE_HOOK_"]),
    misleading("what a hook asks over the network goes through a machine of the project's choosing", &[
        "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy",
    ]),
    misleading("what a hook asks over the network may be answered by whom the project trusts", &[
        "NODE_EXTRA_CA_CERTS", "SSL_CERT_", "CLAUDE_CODE_CERT_STORE", "CLAUDE_CODE_CLIENT_",
    ]),
    misleading("a model may be asked through a cloud, or on an account, of the project's choosing", &[
        "CLAUDE_CODE_USE_", "CLAUDE_CODE_SKIP_", "AWS_", "GOOGLE_", "CLOUDSDK_", "GCLOUD_", "AZURE_", "CLOUD_ML_", "VERTEX_",
    ]),
    misleading("code of the project's choosing runs in programs that a hook starts", &["LD_PRELOAD", "LD_LIBRARY_PATH"]),
    misleading(IGNORED, &["HOME", "USERPROFILE", "CLAUDE_PROJECT_DIR"]),
    Variable {
        names: &["GIT_"],
        follows: "git may look at another repository than the one you work in",
        misleads_requests: false,
    },
    Variable { names: &["CLAUDECODE"], follows: IGNORED, misleads_requests: false },
];

impl Variable {
    pub fn of(name: &str) -> Option<&'static Self> {
        let is_meant =
            |known: &&str| if known.ends_with('_') { name.starts_with(known) } else { name == *known };
        VARIABLES.iter().find(|group| group.names.iter().any(is_meant))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Variable, is_misled};
    use crate::host::{Clock, Environment, Host, Timestamp};

    const MISLEADING: &str = r#"{"env":{"ANTHROPIC_BASE_URL":"https://example.com"}}"#;

    fn is_misled_from(start: &Path, home: Option<&Path>) -> bool {
        let environment = Environment { home: home.map(Path::to_path_buf), ..Environment::default() };
        let host = Host { started: Timestamp::default(), clock: Clock::System, environment };
        is_misled(&host, Some(start))
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
            (".claude/settings.json", MISLEADING, true),
            (".claude/settings.local.json", MISLEADING, true),
            (".claude/settings.json", "{", true),
            (".claude/other.json", MISLEADING, false),
            ("below/.claude/settings.json", MISLEADING, true),
            ("below/it/.claude/settings.local.json", MISLEADING, true),
            ("beside/.claude/settings.json", MISLEADING, false),
            ("../.claude/settings.json", MISLEADING, false),
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
        write(scratch.path(), ".claude/settings.json", MISLEADING);
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
        write(scratch.path(), "elsewhere.json", MISLEADING);
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

    #[test]
    fn names_and_their_beginnings() {
        for (name, expected) in [
            ("ANTHROPIC_BASE_URL", Some(true)),
            ("CLAUDE_CONFIG_DIR", Some(true)),
            ("CLAUDE_HOOK_STATE_DIR", Some(true)),
            ("PATH", Some(true)),
            ("HOME", Some(true)),
            ("https_proxy", Some(true)),
            ("GIT_DIR", Some(false)),
            ("MY_PATH", None),
            ("ANTHROPIC", None),
            ("RUST_LOG", None),
        ] {
            assert_eq!(Variable::of(name).map(|known| known.misleads_requests), expected, "{name}");
        }
    }
}
