//! Calls that belong behind one door: clock and environment (clippy denies prints and exits). One table names the callers and the
//! reasons. Pure; it reads lines, not syntax, and leaves test code alone.

use super::Finding;
use super::sources::Source;

/// A call and the places it is for.
struct Door {
    call: &'static str,
    /// Start of a path, and the reason.
    allowed: &'static [(&'static str, &'static str)],
    /// The replacement elsewhere.
    instead: &'static str,
}

const COMMAND: (&str, &str) = ("xtask/", "a command line, not a hook");
const HARNESS: (&str, &str) = ("tests/", "runs real processes in real time");

const DOORS: [Door; 3] = [
    Door {
        call: "env::var",
        allowed: &[
            ("hooks/requirements-check/src/typed.rs", "what the hook that started req left for it"),
            ("shared/src/host.rs", "the door itself"),
            ("shared/installer/src/places.rs", "looks for a command as the user's shell does"),
            ("shared/installer/src/prove.rs", "hands PATH on to the hook it runs"),
            ("shared/installer/src/say.rs", "NO_COLOR"),
            COMMAND,
            HARNESS,
        ],
        instead: "take it from `shared::host::Environment`",
    },
    Door {
        call: "SystemTime::now",
        allowed: &[("shared/src/host.rs", "the door itself"), COMMAND, HARNESS],
        instead: "take `now` from the `Host` or from `Input`",
    },
    Door {
        call: "Instant::now",
        allowed: &[
            ("shared/src/host.rs", "the deadline of reading stdin"),
            ("shared/src/state/files.rs", "the deadline of a lock"),
            ("shared/transcript/src/turn.rs", "the patience for the client's flush"),
            ("shared/src/run/sleep.rs", "the deadline of a delay"),
            ("shared/src/child.rs", "the deadline of a child"),
            ("shared/src/courier.rs", "the deadline of a request"),
            ("shared/judge/", "the deadline of a question"),
            ("hooks/credit-pacer/src/statusline/chain.rs", "the deadline of the status line below ours"),
            ("shared/git/", "the deadline of the git command"),
            ("hooks/requirements-check/src/observe/", "gives the deadline of a call"),
            ("hooks/requirements-check/src/deadline.rs", "waits until a deadline"),
            ("hooks/requirements-check/src/typed.rs", "the deadline of req"),
            ("shared/installer/src/prove.rs", "the timeout of the hook it runs"),
            COMMAND,
            HARNESS,
        ],
        instead: "take `now` from the `Host` or from `Input`",
    },
];

/// Looks for each call outside its places.
pub(super) fn check(files: &[Source]) -> Vec<Finding> {
    files.iter().filter(|file| file.is_rust() && !is_test(&file.path)).flat_map(check_one).collect()
}

fn check_one(file: &Source) -> Vec<Finding> {
    let shut = |door: &&Door| !door.allowed.iter().any(|(start, _)| file.path.starts_with(start));
    let doors: Vec<&Door> = DOORS.iter().filter(shut).collect();
    let mut findings = Vec::new();
    for (index, line) in
        shipped(&file.text).enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"))
    {
        for door in doors.iter().filter(|door| line.contains(door.call)) {
            let place = format!("{}:{}", file.path, index + 1);
            findings.push(Finding::new(place, format!("calls `{}`", door.call), door.instead));
        }
    }
    findings
}

/// A file that holds tests only: `tests.rs` beside or below its module.
fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/src/") && path.contains("/tests/")
}

/// The lines before the tests of a file, which stand at its end.
fn shipped(text: &str) -> impl Iterator<Item = &str> {
    let mut lines = text.lines().peekable();
    std::iter::from_fn(move || {
        let line = lines.next()?;
        let begins_tests =
            line == "#[cfg(test)]" && lines.peek().is_some_and(|next| next.starts_with("mod "));
        (!begins_tests).then_some(line)
    })
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::given;

    #[test]
    fn finds_call_outside_its_door() {
        let now = "//! H\nfn now() { SystemTime::now() }\n";
        let quiet = "// Instant::now\n#[cfg(test)]\nmod tests {\n    Instant::now();\n}\n";
        for (path, text, count) in [
            ("hooks/a/src/observe.rs", now, 1),
            ("shared/src/host.rs", now, 0),
            ("hooks/a/src/lib.rs", "let home = std::env::var_os(\"HOME\");\n", 1),
            ("shared/src/a.rs", quiet, 0),
            ("shared/src/a/tests.rs", "Instant::now();\n", 0),
            ("shared/src/a.rs", "#[cfg(test)]\nuse x;\nInstant::now();\n", 1),
        ] {
            assert_eq!(check(&given(&[(path, text)])).len(), count, "{path} {text}");
        }
    }
}
