//! Sessions by less than their full id, as a command line names them.

use std::collections::BTreeSet;

/// Fewer characters of an id are not looked up.
const MIN_PREFIX: usize = 8;

/// The full id that `prefix` stands for among those `known`, or why none is meant. A full id stands for itself though others
/// begin with it.
pub fn resolve_session<'a>(prefix: &str, known: impl Iterator<Item = &'a str>) -> Result<String, String> {
    const HOW: &str = "list the sessions with `req sessions`";
    let matching: BTreeSet<&str> = known.filter(|id| id.starts_with(prefix)).collect();
    if matching.contains(prefix) {
        return Ok(prefix.to_owned());
    }
    if prefix.chars().count() < MIN_PREFIX {
        return Err(format!("a session is named by at least {MIN_PREFIX} characters of its id; {HOW}"));
    }
    let matching: Vec<&str> = matching.into_iter().collect();
    match matching.as_slice() {
        [only] => Ok((*only).to_owned()),
        [] => Err(format!("no session's id begins with {prefix}; {HOW}")),
        several => {
            Err(format!("several sessions begin with {prefix}: {}; give more of the id", several.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::resolve_session;

    const KNOWN: [&str; 4] = ["bf41c52e-72c4", "bf41c52e-9999", "0a41c52e-72c4", "s1"];

    #[test]
    fn a_session_is_named_by_enough_of_its_id() {
        let resolve = |prefix| resolve_session(prefix, KNOWN.into_iter().chain(KNOWN));
        for (prefix, expected) in [
            ("0a41c52e", Ok("0a41c52e-72c4")),
            ("0a41c52e-72c4", Ok("0a41c52e-72c4")),
            ("bf41c52e-7", Ok("bf41c52e-72c4")),
            ("s1", Ok("s1")),
            ("bf41c52e", Err("several sessions begin with bf41c52e: bf41c52e-72c4, bf41c52e-9999;")),
            ("bf41c52e-0", Err("no session's id begins with bf41c52e-0;")),
            ("", Err("at least 8")),
            ("0a41c52", Err("at least 8")),
        ] {
            match (resolve(prefix), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected),
                (Err(why), Err(expected)) => assert!(why.contains(expected), "{why}"),
                other => panic!("{prefix}: {other:?}"),
            }
        }
        let known = ["bf41c52e", "bf41c52e-72c4"];
        assert_eq!(resolve_session("bf41c52e", known.into_iter()).as_deref(), Ok("bf41c52e"), "a full id");
    }
}
