//! Sessions by less than their full id, as a command line names them.

use std::collections::BTreeSet;

/// Fewer characters of an id are not looked up.
pub(crate) const MIN_PREFIX: usize = 8;

/// Why no session is meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// Too few characters to tell sessions apart.
    #[error(
        "a session is named by at least {MIN_PREFIX} characters of its id; list the sessions with `req sessions`"
    )]
    TooShort,
    /// None begins like that.
    #[error("no session's id begins with {0}; list the sessions with `req sessions`")]
    Unknown(String),
    /// Several do.
    #[error("several sessions begin with {0}: {list}; give more of the id", list = .1.join(", "))]
    Ambiguous(String, Vec<String>),
}

/// The full id that `prefix` stands for among those `known`. A full id stands for itself though others begin with it.
///
/// # Errors
/// If it is none or more than one of them.
pub fn resolve_session<'a>(
    prefix: &str,
    known: impl Iterator<Item = &'a str>,
) -> Result<String, SessionError> {
    let matching: BTreeSet<&str> = known.filter(|id| id.starts_with(prefix)).collect();
    if let Some(exact) = matching.get(prefix) {
        return Ok((*exact).to_owned());
    }
    if prefix.chars().count() < MIN_PREFIX {
        return Err(SessionError::TooShort);
    }
    match matching.len() {
        1 => matching.first().map(|id| (*id).to_owned()).ok_or(SessionError::TooShort),
        0 => Err(SessionError::Unknown(prefix.to_owned())),
        _ => Err(SessionError::Ambiguous(
            prefix.to_owned(),
            matching.into_iter().map(ToOwned::to_owned).collect(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::{SessionError, resolve_session};

    const KNOWN: [&str; 4] = ["bf41c52e-72c4", "bf41c52e-9999", "0a41c52e-72c4", "s1"];

    #[test]
    fn a_session_is_named_by_enough_of_its_id() {
        let resolve = |prefix| resolve_session(prefix, KNOWN.into_iter().chain(KNOWN));
        for (prefix, expected) in [
            ("0a41c52e", "0a41c52e-72c4"),
            ("0a41c52e-72c4", "0a41c52e-72c4"),
            ("bf41c52e-7", "bf41c52e-72c4"),
            ("s1", "s1"),
        ] {
            assert_eq!(resolve(prefix).as_deref(), Ok(expected), "{prefix}");
        }
        let both = vec!["bf41c52e-72c4".to_owned(), "bf41c52e-9999".to_owned()];
        assert_eq!(resolve("bf41c52e"), Err(SessionError::Ambiguous("bf41c52e".to_owned(), both)));
        assert_eq!(resolve("bf41c52e-0"), Err(SessionError::Unknown("bf41c52e-0".to_owned())));
        for short in ["", "0", "0a41c52"] {
            assert_eq!(resolve(short), Err(SessionError::TooShort), "{short}");
        }
    }

    #[test]
    fn a_full_id_is_meant_though_another_begins_with_it() {
        let known = ["bf41c52e", "bf41c52e-72c4"];
        assert_eq!(resolve_session("bf41c52e", known.into_iter()).as_deref(), Ok("bf41c52e"));
    }
}
