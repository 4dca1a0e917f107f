//! The words every hook understands.

use crate::config::nearest;
use crate::hook::Hook;
use crate::switches::{Position, SHORT_ID};

/// A verb that every hook has.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Common<'a> {
    Help,
    Version,
    Schema,
    Status,
    StatusJson,
    /// The hook's switch, for a session or for all.
    Turn(Position, Option<&'a str>),
}

/// Reads the words after the hook's name.
pub(super) fn parse<'a, H: Hook>(words: &[&'a str]) -> Result<Common<'a>, String> {
    match words {
        ["help" | "--help" | "-h"] => Ok(Common::Help),
        ["version" | "--version" | "-V"] => Ok(Common::Version),
        ["schema"] => Ok(Common::Schema),
        ["status"] => Ok(Common::Status),
        ["status", "--json"] => Ok(Common::StatusJson),
        ["on", reach @ ..] => Ok(Common::Turn(Position::On, session(reach)?)),
        ["off", reach @ ..] => Ok(Common::Turn(Position::Off, session(reach)?)),
        ["auto", reach @ ..] => Ok(Common::Turn(Position::Auto, session(reach)?)),
        [] => {
            Err("a hook is started by Claude Code with its input on stdin; on a terminal give a verb"
                .to_owned())
        }
        [word, ..] if word.starts_with('-') => Err(format!("unknown option {word}")),
        [word, ..] => Err(match nearest(word, &verbs::<H>()) {
            Some(near) if near != *word => format!("unknown verb {word}; did you mean {near}?"),
            Some(_) => format!("{word} takes no such arguments"),
            None => format!("unknown verb {word}"),
        }),
    }
}

/// The first words of all verbs, the hook's own behind the common ones.
fn verbs<H: Hook>() -> Vec<&'static str> {
    let own = H::VERBS.iter().filter_map(|verb| verb.usage.split_whitespace().next());
    ["status", "on", "off", "auto", "schema", "help"].into_iter().chain(own).collect()
}

fn session<'a>(words: &[&'a str]) -> Result<Option<&'a str>, String> {
    match words {
        [] => Ok(None),
        ["--session", id] if id.chars().count() >= SHORT_ID => Ok(Some(id)),
        ["--session", _] => {
            Err("a session is named by its id, or by the first 8 characters or more".to_owned())
        }
        _ => Err("on, off and auto take nothing, or --session ID".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Plain;
    use super::{Common, parse};
    use crate::switches::Position;

    #[test]
    fn the_verbs() {
        for (words, expected) in [
            (&["off"][..], Common::Turn(Position::Off, None)),
            (&["auto", "--session", "0c4e7a11"], Common::Turn(Position::Auto, Some("0c4e7a11"))),
            (&["status", "--json"], Common::StatusJson),
            (&["--help"], Common::Help),
        ] {
            assert_eq!(parse::<Plain>(words), Ok(expected), "{words:?}");
        }
    }

    #[test]
    fn anything_else_is_wrong_usage_with_a_hint() {
        for (words, why) in [
            (&["statsu"][..], "unknown verb statsu; did you mean status?"),
            (&["paint", "blue"], "paint takes no such arguments"),
            (&["piant"], "unknown verb piant; did you mean paint?"),
            (
                &["off", "--session", "0c4e"],
                "a session is named by its id, or by the first 8 characters or more",
            ),
            (&["off", "now"], "on, off and auto take nothing, or --session ID"),
            (&["--frobnicate"], "unknown option --frobnicate"),
        ] {
            assert_eq!(parse::<Plain>(words), Err(why.to_owned()), "{words:?}");
        }
        for words in [&[][..], &["off", "--session"], &["off", "--session", ""]] {
            assert!(parse::<Plain>(words).is_err(), "{words:?}");
        }
    }
}
