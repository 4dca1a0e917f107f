//! Entries that are not ours: they are told and never run. Told are programs that are not there, and those that bear
//! the name of a hook of ours without being one.

use std::path::{Path, PathBuf};

use client_settings::Entry;

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
    /// The hook of this name is installed.
    pub(super) is_installed: &'a dyn Fn(&str) -> bool,
    /// An entry starts the hook of this name, in a form in which it is proved.
    pub(super) is_started: &'a dyn Fn(&str) -> bool,
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
    let is_others = |entry: &&&Entry| entry.is_command && name_of_ours(level, entry, known).is_none();
    let others = foreign.iter().filter(is_others).count();
    if others > 0 {
        let entries = if others == 1 { "1 entry".to_owned() } else { format!("{others} entries") };
        found.push(Finding::ok(format!("{entries} of others, not run by doctor")).at(&level.shown, None));
    }
    found
}

fn of_entry(level: &Level, entry: &Entry, known: &Known<'_>) -> Option<Finding> {
    let key = format!("hooks.{}", entry.event);
    let place = |finding: Finding| finding.at(&level.shown, Some(entry.line)).key(key);
    let named = known.hooks.iter().find(|hook| names(entry, hook));
    if let Some(name) = named.filter(|hook| !(known.is_started)(hook))
        && let Some(found) = only_named(level, name, known)
    {
        return Some(place(found));
    }
    let program = program(level, entry, known).filter(|_| entry.is_command)?;
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

/// The entry names this hook in some word, whatever it does with it.
pub(super) fn names(entry: &Entry, hook: &str) -> bool {
    let texts = entry.command.iter().chain(entry.args.iter().flatten());
    let mut words = texts.flat_map(|text| {
        text.split(|letter: char| letter.is_whitespace() || "\"'`;|&<>(){}=,".contains(letter))
    });
    words.any(|word| {
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        name.strip_suffix(".exe").unwrap_or(name) == hook
    })
}

/// A hook that is here and that no entry starts of which it can be proved.
fn only_named(level: &Level, name: &str, known: &Known<'_>) -> Option<Finding> {
    let is_plugins = level.kind == Kind::Plugin;
    if !is_plugins && !(known.is_installed)(name) {
        return None;
    }
    let what = format!(
        "names the hook {name} in a form that cannot be proved, and no other entry starts it: it may stop nothing"
    );
    let next = if is_plugins {
        "update the plugin, or tell who made it".to_owned()
    } else {
        format!("req hooks enable {name}; then remove this entry")
    };
    Some(Finding::broken(what).next(next))
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
    let found = Finding::new(severity, what);
    // A plugin brings its own: one more registration would count everything twice.
    Some(if level.kind == Kind::Plugin { found } else { found.next(again) })
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

    /// What is said of one entry: nothing but `/there/...` is there, nothing but `there` is found, `/ours/...` is ours, and
    /// the hook is started by another entry.
    fn found(kind: Kind, entry: &str) -> Vec<Finding> {
        judged(kind, entry, true, true)
    }

    fn judged(kind: Kind, entry: &str, is_installed: bool, is_started: bool) -> Vec<Finding> {
        let text = format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{{{entry}}}]}}]}}}}"#);
        let level = Level { root: Some("/there/plugin".into()), ..Level::of_text(kind, "f", &text) };
        let known = Known {
            home: Path::new("/home/me"),
            project: Some(Path::new("/there/project")),
            hooks: &["a-gate".to_owned()],
            is_there: &|path| path.starts_with("/there") || path.starts_with("/ours"),
            is_found: &|name| name == "there",
            is_ours: &|path, _| path.starts_with("/ours"),
            is_installed: &|_| is_installed,
            is_started: &|_| is_started,
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
    fn a_hook_that_is_installed_and_only_named_is_broken_whatever_the_form() {
        for entry in [
            r#""command":"/ours/a-gate >/dev/null; true""#,
            r#""command":"/ours/a-gate""#,
            r#""command":"true /ours/a-gate""#,
            r#""command":"env -i /bin/true '/ours/a-gate'""#,
            r#""command":"X=/ours/a-gate; true""#,
            r#""command":"/ours/a-gate","async":true"#,
            r#""command":"/there/true","args":["/ours/a-gate"]"#,
            r#""type":"prompt","prompt":"p","command":"/ours/a-gate""#,
            r#""command":"a-gate","args":[]"#,
        ] {
            for kind in [Kind::User, Kind::Project, Kind::Plugin] {
                let found = judged(kind, entry, true, false);
                let [only] = found.as_slice() else { panic!("{entry}: {found:?}") };
                assert_eq!(only.severity, Severity::Broken, "{entry}");
                let offers = only.next.as_deref().unwrap().contains("req hooks enable a-gate");
                assert_eq!(offers, kind != Kind::Plugin, "{entry}");
            }
            let worst = |found: Vec<Finding>| found.iter().map(|finding| finding.severity).max();
            assert!(worst(judged(Kind::Project, entry, true, true)) < Some(Severity::Broken), "{entry}");
        }
        assert_eq!(judged(Kind::User, r#""command":"true /there/a-gate""#, false, false), []);
        assert_eq!(judged(Kind::User, r#""command":"true /ours/a-gate-2""#, true, false), []);
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
