//! Entries that are not ours: they are told and never run. Told are programs that are not there, and those that bear
//! the name of a hook of ours without being one.

use std::path::{Path, PathBuf};

use shared::settings::Entry;

use super::finding::{Finding, Severity};
use super::level::{Kind, Level};

/// What runs another file: the path that matters is its first argument.
const INTERPRETERS: [&str; 12] =
    ["sh", "bash", "zsh", "dash", "python", "python3", "node", "bun", "deno", "ruby", "perl", "exec"];

/// What entries are compared with.
pub(super) struct Known<'a> {
    pub(super) home: &'a Path,
    pub(super) project: Option<&'a Path>,
    /// The names of our hooks.
    pub(super) hooks: &'a [String],
    /// Something is at this path.
    pub(super) is_there: &'a dyn Fn(&Path) -> bool,
    /// A file of this name is found in the search path.
    pub(super) is_found: &'a dyn Fn(&str) -> bool,
    /// The file at this path has the bytes of the deployed hook of this name.
    pub(super) is_ours: &'a dyn Fn(&Path, &str) -> bool,
}

/// Everything of one level, with how many entries of others there are.
pub(super) fn findings(level: &Level, known: &Known<'_>) -> Vec<Finding> {
    let foreign: Vec<&Entry> = level
        .survey
        .entries
        .iter()
        .filter(|entry| entry.command.is_some() && !level.is_ours(entry))
        .collect();
    let mut found: Vec<Finding> = foreign.iter().filter_map(|entry| of_entry(level, entry, known)).collect();
    found.dedup_by(|one, other| one.what == other.what);
    let others = foreign.iter().filter(|entry| name_of_ours(level, entry, known).is_none()).count();
    if others > 0 {
        let entries = if others == 1 { "1 entry".to_owned() } else { format!("{others} entries") };
        found.push(Finding::ok(format!("{entries} of others, not run by doctor")).at(&level.shown, None));
    }
    found
}

fn of_entry(level: &Level, entry: &Entry, known: &Known<'_>) -> Option<Finding> {
    let program = program(level, entry, known)?;
    let key = format!("hooks.{}", entry.event);
    let place = |finding: Finding| finding.at(&level.shown, Some(entry.line)).key(key);
    if let Some(name) = name_of_ours(level, entry, known) {
        return named_like_ours(level, &name, &program, known).map(place);
    }
    let what = match &program {
        Program::Path(path) if !(known.is_there)(path) => {
            format!("{} is not there, so this entry does nothing", shown(path, known.home))
        }
        Program::Name(name) if !(known.is_found)(name) => {
            format!("no program {name} is found in your PATH, so this entry does nothing")
        }
        _ => return None,
    };
    Some(place(Finding::warning(what).next("put the program back, or remove the entry from the file")))
}

/// A gate that was replaced, or one that was registered by hand.
fn named_like_ours(level: &Level, name: &str, program: &Program, known: &Known<'_>) -> Option<Finding> {
    let Program::Path(path) = program else { return None };
    let shown = shown(path, known.home);
    let again = format!("req hooks enable {name}");
    if (known.is_ours)(path, name) {
        // A plugin's is looked at where its proof is; in settings, an entry in another form cannot be kept right.
        let what =
            format!("{shown} is {name}, but registered in a form this installation does not keep right");
        return (level.kind != Kind::Plugin).then(|| Finding::note(what).next(again));
    }
    let severity = match level.kind {
        Kind::User | Kind::Local | Kind::Managed => Severity::Broken,
        Kind::Project | Kind::Plugin => Severity::Warning,
    };
    let what = if (known.is_there)(path) {
        format!("{shown} has the name of the hook {name} and is something else; it was not run")
    } else {
        format!("{shown} has the name of the hook {name} and is not there")
    };
    Some(Finding::new(severity, what).next(again))
}

fn name_of_ours(level: &Level, entry: &Entry, known: &Known<'_>) -> Option<String> {
    let Some(Program::Path(path)) = program(level, entry, known) else { return None };
    let name = path.file_name()?.to_str()?;
    let name = name.strip_suffix(".exe").unwrap_or(name);
    known.hooks.iter().find(|hook| *hook == name).cloned()
}

/// What an entry starts, as far as it can be told without a shell.
#[derive(Debug, PartialEq, Eq)]
enum Program {
    Path(PathBuf),
    Name(String),
}

fn program(level: &Level, entry: &Entry, known: &Known<'_>) -> Option<Program> {
    let command = entry.command.as_deref()?;
    let words = match &entry.args {
        Some(args) => [command.to_owned()].into_iter().chain(args.iter().cloned()).collect(),
        None => plain_words(command)?,
    };
    let mut words = words.iter().map(|word| filled(word, level, known));
    let first = words.next()??;
    let is_interpreter =
        Path::new(&first).file_name().is_some_and(|name| INTERPRETERS.iter().any(|known| name == *known));
    let script = if is_interpreter { words.next().flatten() } else { None };
    if let Some(script) = script.filter(|word| word.starts_with('/')) {
        return Some(Program::Path(PathBuf::from(script)));
    }
    if first.starts_with('/') {
        return Some(Program::Path(PathBuf::from(first)));
    }
    // A path below the current folder, which moves; a word that is more than a name; what a shell has itself.
    let is_name = first.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    (is_name && entry.args.is_some()).then_some(Program::Name(first))
}

/// The words up to the first operator of a line that needs no shell to be understood.
fn plain_words(line: &str) -> Option<Vec<String>> {
    let line = line.split([';', '|', '&', '>', '<', '\n']).next()?;
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = if matches!(first, '"' | '\'') {
            let end = 1 + rest[1..].find(first)?;
            let tail = rest[end + 1..].find(char::is_whitespace).map_or(rest.len(), |at| end + 1 + at);
            words.push(format!("{}{}", &rest[1..end], &rest[end + 1..tail]));
            tail
        } else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            words.push(rest[..end].replace('"', ""));
            end
        };
        rest = rest[end..].trim_start();
    }
    Some(words)
}

/// The word with the variables filled in that are known; `None` where others are left.
fn filled(word: &str, level: &Level, known: &Known<'_>) -> Option<String> {
    let mut word = match word.strip_prefix("~/") {
        Some(rest) => format!("{}/{rest}", known.home.display()),
        None => word.to_owned(),
    };
    let roots = [
        ("HOME", Some(known.home)),
        ("CLAUDE_PROJECT_DIR", known.project),
        ("CLAUDE_PLUGIN_ROOT", level.root.as_deref()),
    ];
    for (name, root) in roots {
        if let Some(root) = root {
            let root = root.display().to_string();
            word = word
                .replace(&format!("${{{name}}}"), &root)
                .replace(&format!("${name}/"), &format!("{root}/"));
        }
    }
    (!word.contains(['$', '`', '*', '?', '(', '{', '\\', '='])).then_some(word)
}

fn shown(path: &Path, home: &Path) -> String {
    shared::host::display_path(path, Some(home))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Known, findings};
    use crate::doctor::finding::{Finding, Severity};
    use crate::doctor::level::{Kind, Level};

    /// What is said of one entry: nothing but `/there/...` is there, nothing but `there` is found, `/ours/...` is ours.
    fn found(kind: Kind, entry: &str) -> Vec<Finding> {
        let text = format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{{"type":"command",{entry}}}]}}]}}}}"#);
        let level = Level { root: Some("/there/plugin".into()), ..Level::of_text(kind, "f", &text) };
        let known = Known {
            home: Path::new("/home/me"),
            project: Some(Path::new("/there/project")),
            hooks: &["a-gate".to_owned()],
            is_there: &|path| path.starts_with("/there") || path.starts_with("/ours"),
            is_found: &|name| name == "there",
            is_ours: &|path, _| path.starts_with("/ours"),
        };
        let found = findings(&level, &known).into_iter();
        found.filter(|finding| finding.severity != Severity::Ok).collect()
    }

    #[test]
    fn a_program_that_is_not_there_is_told() {
        for entry in [
            r#""command":"/gone/x""#,
            r#""command":"/gone/x","args":[]"#,
            r#""command":"~/gone/x --flag""#,
            r#""command":"\"/gone/a b/x\" y""#,
            r#""command":"\"$HOME\"/x""#,
            r#""command":"python3 /gone/x.py""#,
            r#""command":"node","args":["/gone/x.js"]"#,
            r#""command":"/gone/x; true""#,
            r#""command":"gone","args":[]"#,
        ] {
            let found = found(Kind::Project, entry);
            let [only] = found.as_slice() else { panic!("{entry}: {found:?}") };
            assert_eq!(only.severity, Severity::Warning, "{entry}");
            assert!(only.what.contains("does nothing"), "{only}");
        }
    }

    #[test]
    fn what_is_there_or_cannot_be_told_is_left_alone() {
        for entry in [
            r#""command":"/there/x""#,
            r#""command":"there","args":[]"#,
            r#""command":"$CLAUDE_PROJECT_DIR/x""#,
            r#""command":"\"$CLAUDE_PROJECT_DIR\"/x""#,
            r#""command":"${CLAUDE_PLUGIN_ROOT}/x","args":[]"#,
            r#""command":"$OTHER/x""#,
            r#""command":"python3 -m x""#,
            r#""command":"echo hi""#,
            r#""command":"X=1 /gone/x""#,
            r#""command":"bin/x""#,
            r#""command":"'/gone/unclosed""#,
        ] {
            assert_eq!(found(Kind::Project, entry), [], "{entry}");
        }
    }

    #[test]
    fn what_bears_the_name_of_a_hook_and_is_none_is_broken_in_the_users_own_settings() {
        for (kind, path, severity) in [
            (Kind::User, "/there/a-gate", Some(Severity::Broken)),
            (Kind::Local, "/gone/a-gate", Some(Severity::Broken)),
            (Kind::Project, "/there/a-gate", Some(Severity::Warning)),
            (Kind::Plugin, "/there/a-gate", Some(Severity::Warning)),
            (Kind::User, "/ours/a-gate", Some(Severity::Note)),
            (Kind::Plugin, "/ours/a-gate", None),
        ] {
            let found = found(kind, &format!(r#""command":"{path}""#));
            assert_eq!(found.first().map(|finding| finding.severity), severity, "{kind:?} {path} {found:?}");
        }
    }
}
