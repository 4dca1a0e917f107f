//! Calls that belong behind one door: clock and environment (clippy denies prints and exits). Pure; it reads lines, not syntax, and
//! leaves test code alone.

use super::{Source, finding};

/// A call, the replacement, and the files that may make it: the door itself first.
const DOORS: [(&str, &str, &[&str]); 2] = [
    (
        "env::var",
        "take it from `shared::host::Environment`",
        &[
            "shared/src/host.rs",
            // Left by the hook that started req.
            "hooks/requirements-check/src/typed.rs",
            // They look for a program, or run one, as the user's shell does.
            "shared/installer/src/places.rs",
            "shared/installer/src/prove.rs",
        ],
    ),
    ("SystemTime::now", "take `now` from the `Host` or from `Input`", &["shared/src/host.rs"]),
];

/// Command lines and test harnesses run in real time, in the developer's environment.
const OUTSIDE: [&str; 2] = ["xtask/", "tests/"];

/// Looks for each call outside its door.
pub(super) fn check(files: &[Source]) -> Vec<String> {
    let is_hooks = |file: &&Source| {
        file.is_rust() && !file.is_test() && !OUTSIDE.iter().any(|start| file.path.starts_with(start))
    };
    files.iter().filter(is_hooks).flat_map(check_one).collect()
}

fn check_one(file: &Source) -> Vec<String> {
    let mut findings = Vec::new();
    for (call, instead, _) in DOORS.iter().filter(|(.., may)| !may.contains(&file.path.as_str())) {
        let calls = |line: &str| line.contains(call) && !line.trim_start().starts_with("//");
        let lines = file.shipped().lines().enumerate().filter(|(_, line)| calls(line));
        findings.extend(lines.map(|(index, _)| {
            finding(format!("{}:{}", file.path, index + 1), format!("calls `{call}`"), instead)
        }));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::given;

    #[test]
    fn finds_call_outside_its_door() {
        let now = "//! H\nfn now() { SystemTime::now() }\n";
        let quiet = "//! H\n// SystemTime::now\n#[cfg(test)]\nmod tests {\n    SystemTime::now();\n}\n";
        for (path, text, count) in [
            ("hooks/a/src/observe.rs", now, 1),
            ("shared/src/host.rs", now, 0),
            ("hooks/a/src/lib.rs", "let home = std::env::var_os(\"HOME\");\n", 1),
            ("shared/src/a.rs", quiet, 0),
            ("shared/src/a/tests.rs", "SystemTime::now();\n", 0),
            ("shared/src/a.rs", "//! H\n#[cfg(test)]\nuse x;\nSystemTime::now();\n", 1),
        ] {
            assert_eq!(check(&given(&[(path, text)])).len(), count, "{path} {text}");
        }
    }
}
