//! One settings file through the changes an installer makes to it: what it keeps in mind between them, and what of a text
//! is not ours, found without the engine.

use proptest::prelude::*;
use proptest::sample::subsequence;

use super::files::{Layout, Tree};
use super::reader::{Node, decoded, read};
use super::{on, owner};
use crate::{KEEP_BACKUPS, Owner, Program, Registration, StatusLine, Wanted, arrange};

pub(super) const STATUS_LINE: &str = "/home/me/.claude/hooks/b-watch statusline";

const RULES: [&str; 3] = ["Bash(req status*)", "Bash(req satisfy *)", "Bash(b-watch \"declare\" *)"];

/// What can be switched on and off by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Hook(&'static str),
    Rules,
    StatusLine,
}

const HOOKS: [&str; 4] = ["a-gate", "b-watch", "c-scribe", "d-team"];

fn registrations(hook: &str) -> Vec<Registration> {
    let shell = |event: &str, matcher: Option<&str>| Registration {
        program: Program::Shell(format!(
            ": barbless d-team; h=\"$HOME/.claude/hooks/d-team\"; [ -x \"$h\" ] || exit 0; exec \"$h\" # {event}"
        )),
        ..on(event, matcher, "d-team", 10)
    };
    match hook {
        "a-gate" => vec![on("Stop", None, hook, 10), on("PreToolUse", Some("Bash|Edit"), hook, 5)],
        "b-watch" => vec![on("PreToolUse", None, hook, 360), on("SessionEnd", None, hook, 5)],
        "c-scribe" => vec![on("PostToolUse", Some("Bash"), hook, 1), on("PreToolUse", Some("Bash"), hook, 1)],
        _ => vec![shell("Stop", None), shell("SessionStart", Some("startup|resume"))],
    }
}

/// Several parts, in the order in which they are wanted.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) parts: Vec<Part>,
    rules: Vec<&'static str>,
    replaces: bool,
}

pub(super) fn any_plan() -> impl Strategy<Value = Plan> {
    let hooks = subsequence(HOOKS.to_vec(), 0..=HOOKS.len());
    let rules = subsequence(RULES.to_vec(), 1..=RULES.len());
    (hooks, rules, any::<[bool; 3]>())
        .prop_map(|(hooks, rules, [has_rules, has_line, replaces])| {
            let more = [(has_rules, Part::Rules), (has_line, Part::StatusLine)];
            let more = more.into_iter().filter_map(|(is_there, part)| is_there.then_some(part));
            (hooks.into_iter().map(Part::Hook).chain(more).collect::<Vec<_>>(), rules, replaces)
        })
        .prop_flat_map(|(parts, rules, replaces)| (Just(parts).prop_shuffle(), Just(rules), Just(replaces)))
        .prop_map(|(parts, rules, replaces)| Plan { parts, rules, replaces })
}

/// A file, and what is known of it.
#[derive(Debug, Clone)]
pub(super) struct World {
    pub(super) text: Option<String>,
    pub(super) earlier: Vec<Option<String>>,
    plan: Plan,
    binaries: Vec<String>,
    /// The rules of the plan that the user does not have.
    rules: Vec<String>,
    status_line_before: Option<String>,
}

impl World {
    pub(super) fn new(text: Option<&str>, plan: &Plan) -> Self {
        let root = text.filter(|text| !is_blank(text)).map(read);
        let theirs: Vec<String> = root.iter().flat_map(allowed).map(|rule| decoded(rule.source)).collect();
        let rules = plan.rules.iter().map(|rule| (*rule).to_owned()).filter(|rule| !theirs.contains(rule));
        let line = root.as_ref().and_then(|root| root.get("statusLine")).map(|line| line.source.to_owned());
        Self {
            text: text.map(str::to_owned),
            earlier: Vec::new(),
            plan: plan.clone(),
            binaries: HOOKS.map(str::to_owned).to_vec(),
            rules: rules.collect(),
            status_line_before: line.filter(|_| plan.replaces && plan.parts.contains(&Part::StatusLine)),
        }
    }

    pub(super) fn owner(&self) -> Owner<'_> {
        Owner {
            binaries: &self.binaries,
            rules: &self.rules,
            status_line_before: self.status_line_before.as_deref(),
            ..owner()
        }
    }

    pub(super) fn wanted(&self, parts: &[Part]) -> Wanted {
        let hooks = parts.iter().filter_map(|part| match part {
            Part::Hook(hook) => Some(registrations(hook)),
            Part::Rules | Part::StatusLine => None,
        });
        let line = StatusLine { command: STATUS_LINE.to_owned(), replaces: self.plan.replaces };
        Wanted {
            hooks: hooks.flatten().collect(),
            rules: if parts.contains(&Part::Rules) { self.rules.clone() } else { Vec::new() },
            status_line: parts.contains(&Part::StatusLine).then_some(line),
            leaves_entries: false,
        }
    }

    /// What the file becomes with these parts; it is not changed yet.
    #[track_caller]
    pub(super) fn with(&self, parts: &[Part]) -> Option<String> {
        arrange(self.text.as_deref(), &self.owner(), &self.wanted(parts), &self.earlier).unwrap()
    }

    /// Changes it, and keeps the text before as the installer does: the newest and the oldest.
    #[track_caller]
    pub(super) fn change(&mut self, parts: &[Part]) {
        let text = self.with(parts);
        if text != self.text {
            self.earlier.insert(0, std::mem::replace(&mut self.text, text));
            if self.earlier.len() > KEEP_BACKUPS + 1 {
                self.earlier.remove(KEEP_BACKUPS);
            }
        }
    }

    /// Everything that is not ours: its values and keys as they are spelled, without white space; what holds nothing at
    /// the places where ours go is left out.
    pub(super) fn foreign(&self, text: Option<&str>) -> String {
        match text.filter(|text| !is_blank(text)) {
            None => "{}".to_owned(),
            Some(text) => self.foreign_root(&read(text)).render(compact()),
        }
    }

    fn foreign_root(&self, root: &Node<'_>) -> Tree {
        let of = |name: &str, value: &Node<'_>| match name {
            "hooks" => self.foreign_hooks(value),
            "permissions" => self.foreign_permissions(value),
            "statusLine" if value.text("command").as_deref() == Some(STATUS_LINE) => {
                self.status_line_before.as_ref().map(|line| Tree::from(&read(line)))
            }
            _ => Some(Tree::from(value)),
        };
        object(root, of).unwrap_or(Tree::Object(Vec::new()))
    }

    fn foreign_hooks(&self, hooks: &Node<'_>) -> Option<Tree> {
        object(hooks, |_, groups| {
            let groups = groups.elements().iter().filter_map(|group| self.foreign_group(group));
            list(groups.collect())
        })
    }

    fn foreign_group(&self, group: &Node<'_>) -> Option<Tree> {
        let Some(entries) = group.get("hooks") else { return Some(Tree::from(group)) };
        if !entries.elements().iter().any(|entry| self.is_ours(entry)) {
            return Some(Tree::from(group));
        }
        let foreign = entries.elements().iter().filter(|entry| !self.is_ours(entry));
        let foreign = list(foreign.map(Tree::from).collect())?;
        object(group, |key, value| Some(if key == "hooks" { foreign.clone() } else { Tree::from(value) }))
    }

    /// It starts a program of the plan as only ours are started.
    fn is_ours(&self, entry: &Node<'_>) -> bool {
        let Some(command) =
            entry.text("command").filter(|_| entry.text("type").as_deref() == Some("command"))
        else {
            return false;
        };
        let starts = |registration: &Registration| match &registration.program {
            Program::Path(path) => *path == command && entry.get("args").is_some(),
            Program::Shell(line) => *line == command,
        };
        self.wanted(&HOOKS.map(Part::Hook)).hooks.iter().any(starts)
    }

    fn foreign_permissions(&self, permissions: &Node<'_>) -> Option<Tree> {
        object(permissions, |key, value| {
            let is_ours = |rule: &&Node<'_>| key == "allow" && self.rules.contains(&decoded(rule.source));
            let foreign = value.elements().iter().filter(|rule| !is_ours(rule)).map(Tree::from);
            if key == "allow" { list(foreign.collect()) } else { Some(Tree::from(value)) }
        })
    }
}

pub(super) fn is_blank(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim().is_empty()
}

fn allowed<'a>(root: &Node<'a>) -> Vec<Node<'a>> {
    let allow = root.get("permissions").and_then(|permissions| permissions.get("allow"));
    allow.map(|allow| allow.elements().to_vec()).unwrap_or_default()
}

fn compact() -> Layout {
    Layout::OneLine { colon: ":", comma: ",", hollow: "" }
}

fn list(items: Vec<Tree>) -> Option<Tree> {
    (!items.is_empty()).then_some(Tree::List(items))
}

/// The object with what `of` makes of each key's value; `None` when nothing is left.
fn object(node: &Node<'_>, of: impl Fn(&str, &Node<'_>) -> Option<Tree>) -> Option<Tree> {
    let member = |member: &super::reader::Member<'_>| {
        Some((member.key.to_owned(), of(&decoded(member.key), &member.value)?))
    };
    let members: Vec<(String, Tree)> = node.members().iter().filter_map(member).collect();
    (!members.is_empty()).then_some(Tree::Object(members))
}

/// Stretches of the text that are nobody's but the user's: each value at the top, each group, each rule, as written.
pub(super) fn foreign_bytes(text: &str) -> Vec<&str> {
    let mut bytes = Vec::new();
    for member in read(text).members() {
        let below = |names: &[&str]| names.contains(&decoded(member.key).as_str());
        match &member.value {
            value if below(&["hooks"]) => bytes.extend(elements_of_members(value)),
            value if below(&["permissions"]) => bytes.extend(elements_of_members(value)),
            _ if below(&["statusLine"]) => {}
            _ => bytes.push(member.source),
        }
    }
    bytes
}

fn elements_of_members<'a>(object: &Node<'a>) -> Vec<&'a str> {
    let lists = object.members().iter().map(|member| member.value.elements());
    lists.flatten().map(|element| element.source).collect()
}
