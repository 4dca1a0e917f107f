//! The README of an archive: what it is for, how it is used, what of it was proved on its platform, and what its programs ask of
//! the machine. Pure.

use std::collections::BTreeMap;

use super::{Platform, VERSION};

const TEXT: &str = include_str!("README.archive.md");

/// Where everything was run, under the real client too.
const PROVED_ON: &str = "x86_64-unknown-linux-gnu";

/// Where the tests that start the real programs are run for a release, as .github/workflows/release.yml has it.
const TESTED_ON: [&str; 4] =
    ["aarch64-unknown-linux-gnu", "x86_64-apple-darwin", "aarch64-apple-darwin", "x86_64-pc-windows-msvc"];

const PROVED: &str =
    "Linux on x86-64 is what Barbless is proved on: all of its tests, under the real client too.";

const TESTED: &str = "Not proved on this platform: the tests that start the real programs are run there for a release, and may fail \
    without holding it up; nobody has used the hooks there under the real client. `req doctor` says what works here.";

const UNTESTED: &str = "Not proved on this platform: no test is run there, and nobody has used the hooks there. `req doctor` says \
    what works here.";

/// What its programs ask of a Linux machine where none of them is told to ask for anything.
const NEEDS_NOTHING: &str = "Its programs bring their C library along and need none of your machine's.";

/// Helpers that need the machine's own C library, by name: the version of glibc they ask for, where they tell it.
pub(super) type Needs = BTreeMap<String, Option<String>>;

/// The text.
pub(super) fn readme(platform: Platform<'_>, needs: &Needs) -> String {
    let req = if platform.is_windows() { r"bin\req.exe" } else { "./req" };
    let needed = match (platform.is_linux(), needs_of_machine(needs)) {
        (false, _) => String::new(),
        (true, None) => format!(" {NEEDS_NOTHING}"),
        (true, Some(needed)) => format!(
            " The hooks need no library of your machine's; {needed}, and without it they do the rest."
        ),
    };
    TEXT.replace("{version}", VERSION)
        .replace("{target}", platform.triple)
        .replace("{proved}", proved(platform.triple))
        .replace("{needed}", &needed)
        .replace("{req}", req)
}

/// What was done to know that it works on this platform.
fn proved(triple: &str) -> &'static str {
    match triple {
        PROVED_ON => PROVED,
        _ if TESTED_ON.contains(&triple) => TESTED,
        _ => UNTESTED,
    }
}

/// Which program needs what, as part of a sentence; none where nothing is needed.
pub(super) fn needs_of_machine(needs: &Needs) -> Option<String> {
    let need = |(name, version): (&String, &Option<String>)| match version {
        Some(version) => format!("`bin/{name}` needs glibc {version} or newer"),
        None => format!("`bin/{name}` needs the C library that it was built with"),
    };
    let needed: Vec<String> = needs.iter().map(need).collect();
    (!needed.is_empty()).then(|| needed.join(", "))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::Value;

    use super::super::Platform;
    use super::{PROVED, PROVED_ON, TESTED, TESTED_ON, proved};

    /// What is run of the tests where the workflow of a release is to let it pass on, and what is said of it.
    const TOLD: [(&str, &str); 2] = [(".ci/run", PROVED), ("cargo xtask test", TESTED)];

    fn release() -> (String, Value) {
        let text = fs::read_to_string(
            xtask::Workspace::here().unwrap().root().join(".github/workflows/release.yml"),
        )
        .unwrap();
        let workflow = serde_yaml::from_str(&text).unwrap();
        (text, workflow)
    }

    #[test]
    fn of_each_platform_of_a_release_is_said_what_the_release_does_there() {
        let (_, workflow) = release();
        let rows = workflow["jobs"]["build"]["strategy"]["matrix"]["include"].as_array().unwrap();
        let mut released = Vec::new();
        for row in rows {
            let (triple, tests) = (row["target"].as_str().unwrap(), row["tests"].as_str().unwrap());
            let platform = Platform { triple };
            assert_eq!(platform.archive("x"), format!("x.{}", row["archive"].as_str().unwrap()), "{triple}");
            let musl = Some(xtask::musl(triple)).filter(|_| platform.is_linux());
            assert_eq!(row["musl"].as_str(), musl.as_deref(), "{triple}");
            let expected = TOLD.iter().find(|(line, _)| *line == tests).map(|(_, said)| *said);
            assert_eq!(Some(proved(triple)), expected, "{triple}: {tests}");
            released.push(triple);
        }
        let mut told: Vec<&str> = TESTED_ON.iter().copied().chain([PROVED_ON]).collect();
        released.sort_unstable();
        told.sort_unstable();
        assert_eq!(released, told);
    }

    #[test]
    fn tests_that_fail_hold_a_release_up_where_it_says_that_all_is_proved_and_nothing_else_is_forgiven() {
        let (text, workflow) = release();
        let steps = workflow["jobs"]["build"]["steps"].as_array().unwrap();
        let forgiven: Vec<&Value> =
            steps.iter().filter(|step| !step["continue-on-error"].is_null()).collect();
        assert_eq!(forgiven.len(), 1, "{forgiven:#?}");
        let condition = format!("${{{{ matrix.target != '{PROVED_ON}' }}}}");
        assert_eq!(
            (&forgiven[0]["id"], &forgiven[0]["continue-on-error"]),
            (&"tests".into(), &condition.into())
        );
        assert!(!text.contains("|| true") && !text.contains("2>/dev/null"), "a command may fail unseen");
    }
}
