//! Which branches others build on.

use std::collections::BTreeSet;

/// Names that mean it, wherever such a branch is.
const USUAL: [&str; 4] = ["main", "master", "develop", "trunk"];

/// What is protected where nothing is known.
pub(crate) const FALLBACK: [&str; 2] = ["main", "master"];

/// The remote's default branch, those of the usual names, and `release/*` where there is such a one.
pub(crate) fn protected(default: Option<&str>, branches: &BTreeSet<String>) -> Vec<String> {
    let default = default.filter(|name| is_plain(name));
    let usual = USUAL.into_iter().filter(|name| branches.contains(*name) && Some(*name) != default);
    let mut found: Vec<String> = default.into_iter().chain(usual).map(ToOwned::to_owned).collect();
    if found.is_empty() {
        found = FALLBACK.map(ToOwned::to_owned).to_vec();
    }
    if branches.iter().any(|name| name.starts_with("release/")) {
        found.push("release/*".to_owned());
    }
    found
}

/// The name stands for itself in a glob.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['*', '?', '[', ']', '{', '}', '\\', '!', ','])
}
