//! Matchers that can never match, or match less than they seem to. The client takes letters, digits, `_`, `-`,
//! blanks, commas and bars for a list of exact names, and anything else for a regular expression that need not match
//! the whole name.

use regex_lite::Regex;
use shared::config::nearest;
use shared::tools::TOOLS;

use super::events::{Matched, matched};

/// What is wrong with a matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// The hook never runs.
    Never(String),
    /// A part of it never matches, or may not.
    Doubtful(String),
    /// It is not looked at: the hook always runs.
    Ignored,
}

/// What is wrong with this matcher on this event, if anything; an unknown event is another matter.
pub(super) fn fault(event: &str, matcher: &str) -> Option<Fault> {
    if matcher.is_empty() || matcher == "*" {
        return None;
    }
    let against = matched(event)?;
    match against {
        Matched::Nothing => return Some(Fault::Ignored),
        // Compared with what somebody chose: only a broken expression is known to match nothing.
        Matched::Name | Matched::File if is_list(matcher) => return None,
        _ => {}
    }
    if is_list(matcher) { of_list(against, matcher) } else { of_expression(against, matcher) }
}

fn is_list(matcher: &str) -> bool {
    matcher.chars().all(|letter| letter.is_ascii_alphanumeric() || "_- ,|".contains(letter))
}

fn of_list(against: Matched, matcher: &str) -> Option<Fault> {
    let names: Vec<&str> = matcher.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty()).collect();
    let known = |name: &&str| match against {
        Matched::Tool => TOOLS.contains(name) || name.starts_with("mcp__"),
        Matched::Words(words) => words.contains(name),
        Matched::Name | Matched::File | Matched::Nothing => true,
    };
    let unknown: Vec<&str> = names.iter().copied().filter(|name| !known(name)).collect();
    let first = unknown.first()?;
    let why = unknown_name(against, first);
    // A newer client may have a tool that is not known here; a name in another case it will never have.
    let is_certain = |name: &&str| !matches!(against, Matched::Tool) || is_miswritten(name);
    if unknown.len() == names.len() && unknown.iter().all(is_certain) {
        return Some(Fault::Never(why));
    }
    Some(Fault::Doubtful(why))
}

fn is_miswritten(tool: &str) -> bool {
    TOOLS.iter().any(|known| known.eq_ignore_ascii_case(tool))
}

fn unknown_name(against: Matched, name: &str) -> String {
    let words = match against {
        Matched::Words(words) => words,
        _ => &TOOLS[..],
    };
    if let Some(other_case) = words.iter().find(|known| known.eq_ignore_ascii_case(name)) {
        return format!("`{name}` matches nothing, because upper and lower case count; it is {other_case}");
    }
    let near = nearest(name, words).map(|near| format!("; did you mean {near}?"));
    match against {
        Matched::Words(words) => {
            let hint = near.unwrap_or_else(|| format!("; what comes up there: {}", words.join(", ")));
            format!("`{name}` never comes up on this event{hint}")
        }
        _ => format!("no tool named `{name}` is known here{}", near.unwrap_or_default()),
    }
}

fn of_expression(against: Matched, matcher: &str) -> Option<Fault> {
    if is_permission_rule(matcher) {
        let why =
            "this is the form of a permission rule, which matches no name; it belongs under the key `if`";
        return Some(Fault::Never(why.to_owned()));
    }
    let Ok(expression) = Regex::new(matcher) else {
        // The client's expressions know more than ours.
        let is_foreign = matcher.contains("(?") || matcher.contains('\\');
        let why = "it is no regular expression, so the client matches nothing with it".to_owned();
        return (!is_foreign).then_some(Fault::Never(why));
    };
    let hits = |names: &[&str]| names.iter().any(|name| expression.is_match(name));
    match against {
        Matched::Words(words) if !hits(words) => {
            Some(Fault::Never(format!("of what comes up there it matches nothing: {}", words.join(", "))))
        }
        Matched::Tool
            if !hits(&TOOLS) && !expression.is_match("mcp__server__tool") && !matcher.contains("mcp") =>
        {
            Some(Fault::Doubtful("it matches no tool that is known here".to_owned()))
        }
        _ => None,
    }
}

/// `Bash(git *)`.
fn is_permission_rule(matcher: &str) -> bool {
    let Some((tool, rest)) = matcher.split_once('(') else { return false };
    TOOLS.contains(&tool) && rest.ends_with(')') && !rest.starts_with('?')
}

#[cfg(test)]
mod tests {
    use super::{Fault, fault};

    #[test]
    fn a_matcher_that_matches_what_it_says_is_fine() {
        for (event, matcher) in [
            ("PreToolUse", ""),
            ("PreToolUse", "*"),
            ("PreToolUse", "Bash"),
            ("PreToolUse", "Bash|Edit, Write"),
            ("PreToolUse", "mcp__github__create"),
            ("PreToolUse", "mcp__github__.*"),
            ("PreToolUse", "^(Edit|Write)$"),
            ("PreToolUse", "Edit(?=x)"),
            ("PreToolUse", ".*"),
            ("SessionStart", "startup|resume"),
            ("SessionStart", "^start"),
            ("SubagentStart", "my-reviewer"),
            ("SubagentStop", "^plugin:reviewer$"),
            ("FileChanged", ".envrc|.env"),
            ("PreCompact", "auto"),
            ("NoSuchEvent", "Bash"),
        ] {
            assert_eq!(fault(event, matcher), None, "{event} {matcher}");
        }
    }

    #[test]
    fn one_that_can_never_match_says_why() {
        for (event, matcher, why) in [
            ("PreToolUse", "bash", "it is Bash"),
            ("PreToolUse", "bash|EDIT", "it is Bash"),
            ("PreToolUse", "Bash(git *)", "under the key `if`"),
            ("PreToolUse", "(Bash", "no regular expression"),
            ("SubagentStart", "[a", "no regular expression"),
            ("SessionStart", "Bash", "what comes up there: startup, resume"),
            ("SessionStart", "startups", "did you mean startup?"),
            ("SessionStart", "^Bash$", "it matches nothing: startup"),
            ("PreCompact", "Auto", "it is auto"),
        ] {
            let Some(Fault::Never(said)) = fault(event, matcher) else {
                panic!("{event} {matcher}: {:?}", fault(event, matcher))
            };
            assert!(said.contains(why), "{event} {matcher}: {said}");
        }
    }

    #[test]
    fn one_of_which_a_part_may_never_match_is_doubtful() {
        for (event, matcher, why) in [
            ("PreToolUse", "Bahs", "did you mean Bash?"),
            ("PreToolUse", "Bash|edit", "it is Edit"),
            ("PreToolUse", "Frobnicate", "no tool named `Frobnicate`"),
            ("PreToolUse", "^Frob", "matches no tool"),
            ("SessionStart", "startup|Bash", "`Bash`"),
        ] {
            let Some(Fault::Doubtful(said)) = fault(event, matcher) else {
                panic!("{event} {matcher}: {:?}", fault(event, matcher))
            };
            assert!(said.contains(why), "{event} {matcher}: {said}");
        }
    }

    #[test]
    fn some_events_look_at_no_matcher() {
        for event in ["Stop", "UserPromptSubmit", "TaskCreated"] {
            assert_eq!(fault(event, "Bash"), Some(Fault::Ignored), "{event}");
        }
    }
}
