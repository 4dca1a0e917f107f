//! Sessions by less than their full id: on the command line, and in files of the original tool, whose keys were the
//! first eight characters without dashes.

use std::collections::BTreeSet;

use super::{BranchMarks, Holder};

/// Fewer characters of an id are not looked up.
pub(crate) const MIN_PREFIX: usize = 8;

/// Why no session is meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SessionError {
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
pub(crate) fn resolve_session<'a>(
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

/// The original tool's key of a session; `None` where it is the id itself, or the id too short for one.
fn short_key(session: &str) -> Option<String> {
    let key: String = session.chars().filter(|char| *char != '-').take(MIN_PREFIX).collect();
    (key.chars().count() == MIN_PREFIX && key != session).then_some(key)
}

impl BranchMarks {
    /// The original tool's key that stands for this session, unless another session that has marks here has the same.
    pub(super) fn short_key_of(&self, session: &str) -> Option<String> {
        let key = short_key(session)?;
        let is_shared = |other: &&str| *other != session && short_key(other).as_ref() == Some(&key);
        let mut keys = self.requirements.values().flat_map(|requirement| requirement.sessions.keys());
        (!keys.any(|other| is_shared(&other.as_str()))).then_some(key)
    }

    /// Moves the session's marks under the original tool's key to its full id; of two marks the newer stays.
    pub(super) fn adopt(&mut self, holder: Holder<'_>) {
        let Holder::Session(session) = holder else { return };
        let Some(key) = self.short_key_of(session) else { return };
        for requirement in self.requirements.values_mut() {
            let Some(short) = requirement.sessions.remove(&key) else { continue };
            let full = requirement.sessions.entry(session.to_owned()).or_insert_with(|| short.clone());
            if short.satisfied_at > full.satisfied_at {
                *full = short;
            }
        }
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
