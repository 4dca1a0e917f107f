//! The README of an archive: what it is for, how it is used, and what of it was proved on its platform. Pure.

use super::{Platform, VERSION};

const TEXT: &str = include_str!("README.archive.md");

/// Where everything was run, under the real client too.
const PROVED: &str =
    "Linux on x86-64 is what Barbless is proved on: all of its tests, under the real client too.";

/// Where the tests of a release are run, as .github/workflows/release.yml has it.
const TESTED: &str = "Not proved on this platform: the tests that start the real programs are run there for a release, and may fail \
    without holding it up; nobody has used the hooks there under the real client. `req doctor` says what works here.";

/// The text.
pub(super) fn readme(platform: Platform<'_>) -> String {
    let is_proved = platform.triple.starts_with("x86_64-") && platform.triple.contains("-linux-");
    let req = if platform.is_windows() { r"bin\req.exe" } else { "./req" };
    TEXT.replace("{version}", VERSION)
        .replace("{target}", platform.triple)
        .replace("{proved}", if is_proved { PROVED } else { TESTED })
        .replace("{req}", req)
}
