//! Our own entries in one level, compared with the catalog.

use std::path::Path;

use client_settings::{Entry, Program};
use shared::catalog::{EventEntry, HookEntry};

use super::finding::{Finding, Repair, Severity};
use super::level::Level;
use crate::places::{Installation, Scope};
use crate::prove::command_of;
use crate::registration::{is_same_program, program};

/// A hook with a shorter timeout may be ended before it has answered, in seconds.
const TOO_SHORT: f64 = 1.0;

/// Everything about one hook in one level.
pub(crate) fn findings(level: &Level, hook: &HookEntry) -> Vec<Finding> {
    let entries: Vec<&Entry> = level.ours().filter(|entry| entry.name.as_ref() == Some(&hook.name)).collect();
    let Some(place) = level.place.as_ref().filter(|_| !entries.is_empty()) else { return Vec::new() };
    let those = Those { level, place, hook, entries };
    let mut found = those.as_a_whole();
    found.extend(hook.events.iter().filter_map(|wanted| those.on(wanted)));
    found
}

/// Entries of hooks that this version does not have. In a project's file they may be a teammate's newer ones.
pub(crate) fn gone(level: &Level, hooks: &[HookEntry]) -> Vec<Finding> {
    let Some(place) = level.place.as_ref().filter(|place| place.scope != Scope::Project) else {
        return Vec::new();
    };
    let of_entry = |entry: &Entry| {
        let name = entry.name.as_ref().filter(|name| hooks.iter().all(|hook| hook.name != **name))?;
        let what = format!("{name}: this version has no such hook, and its entry is still there");
        Some(Finding::warning(what).at(&level.shown, Some(entry.line)).next(place.voice.prune()))
    };
    let mut found: Vec<Finding> = level.ours().filter_map(of_entry).collect();
    found.dedup_by(|one, other| one.what == other.what);
    found
}

/// The entries of one hook.
struct Those<'a> {
    level: &'a Level,
    place: &'a Installation,
    hook: &'a HookEntry,
    entries: Vec<&'a Entry>,
}

impl Those<'_> {
    /// Faults of single entries.
    fn as_a_whole(&self) -> Vec<Finding> {
        let wanted = program(self.place, &self.hook.name).ok();
        let is_wanted = |entry: &Entry| {
            entry.program().zip(wanted.as_ref()).is_some_and(|(one, other)| is_same_program(&one, other))
        };
        let wrong = |is_wrong: &dyn Fn(&Entry) -> bool, what: &dyn Fn(&Entry) -> String| {
            let entry = self.entries.iter().find(|entry| is_wrong(entry))?;
            Some(self.finding(self.worst(), &what(entry), Some(entry)))
        };
        let has_args = |entry: &Entry| entry.args.as_ref().is_some_and(|args| !args.is_empty());
        let found = [
            wrong(&|entry| !is_wanted(entry), &elsewhere),
            wrong(&|entry| !entry.harmful_keys.is_empty(), &|entry| why_harmful(&entry.harmful_keys)),
            wrong(&has_args, &|_| {
                "is started with arguments, so it is no hook but a command line".to_owned()
            }),
        ];
        found.into_iter().flatten().collect()
    }

    /// A fault of the registration on one event.
    fn on(&self, wanted: &EventEntry) -> Option<Finding> {
        let event = &wanted.event;
        let mut there = self.entries.iter().copied().filter(|entry| entry.event == *event).peekable();
        let first = there.peek().copied();
        let Some(fits) = there.find(|entry| entry.covers(event, wanted.matcher.as_deref())) else {
            let what = match first {
                Some(_) => format!("has another matcher on {event} than it needs"),
                None => format!("is not registered on {event}"),
            };
            return Some(self.finding(self.worst(), &what, first));
        };
        let timeout = fits.timeout_secs.as_ref().and_then(serde_json::Number::as_f64);
        let needed = wanted.timeout_secs;
        if let Some(timeout) = timeout.filter(|timeout| *timeout < f64::from(needed)) {
            let severity = if timeout < TOO_SHORT { self.worst() } else { Severity::Warning };
            let what =
                format!("on {event} its timeout is {timeout} s, shorter than the {needed} s it should have");
            return Some(self.finding(severity, &what, Some(fits)));
        }
        // Without a message a delay looks like a hang.
        let message =
            wanted.status_message.as_ref().filter(|_| fits.status_message != wanted.status_message)?;
        let what = format!("on {event} Claude Code does not show `{message}` while it waits");
        Some(self.finding(Severity::Warning, &what, Some(fits)))
    }

    /// Another version of ours may have written the team's file.
    fn worst(&self) -> Severity {
        if self.place.scope == Scope::Project { Severity::Warning } else { Severity::Broken }
    }

    fn finding(&self, severity: Severity, what: &str, entry: Option<&Entry>) -> Finding {
        let name = &self.hook.name;
        let found = Finding::new(severity, format!("{name}: {what}"))
            .at(&self.level.shown, entry.map(|entry| entry.line))
            .next(self.place.line(format_args!("enable {name}")));
        match self.place.scope {
            Scope::Project => found,
            scope => found.repair(Repair::Register(scope)),
        }
    }
}

fn why_harmful(keys: &[String]) -> String {
    let shown = keys.iter().map(|key| key.escape_debug().to_string()).collect::<Vec<_>>().join("`, `");
    format!(
        "registered with `{shown}`: Claude Code may not run it, or not wait for it, so it may stop nothing"
    )
}

fn elsewhere(entry: &Entry) -> String {
    let command = command_of(entry);
    match entry.program() {
        Some(Program::Path(path)) if !Path::new(&path).exists() => {
            format!("registered as {command}, where there is nothing")
        }
        _ => format!("registered as {command}, which is not what is installed here"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use client_settings::Entry;
    use shared::catalog::{Catalog, HookEntry};

    use super::{findings, gone};
    use crate::doctor::finding::Severity::{self, Broken, Warning};
    use crate::doctor::finding::{Finding, Repair};
    use crate::doctor::level::{Kind, Level};
    use crate::places::{Installation, Scope};

    /// A hook on two events, one of them with a message, and its entries as they should be.
    fn right() -> (HookEntry, Vec<Entry>) {
        let mut hooks = Catalog::built_in().unwrap().hooks;
        let at = hooks.iter().position(|hook| hook.events.len() == 2).unwrap();
        let mut hook = hooks.swap_remove(at);
        hook.events[0].status_message = Some("it waits".to_owned());
        let there = hook.events.iter().map(|wanted| Entry {
            name: Some(hook.name.clone()),
            event: wanted.event.clone(),
            matcher: wanted.matcher.clone(),
            command: Some(format!("/home/me/.claude/hooks/{}", hook.name)),
            args: Some(Vec::new()),
            timeout_secs: Some(wanted.timeout_secs.into()),
            status_message: wanted.status_message.clone(),
            is_command: true,
            ..Entry::default()
        });
        let there = there.collect();
        (hook, there)
    }

    type Change = fn(&mut Vec<Entry>);

    fn level(scope: Scope, entries: Vec<Entry>) -> Level {
        let place = Some(Installation::scratch(Path::new("/home/me"), scope));
        let mut level = Level::foreign(Kind::User, "f", "{}");
        (level.place, level.contents.entries) = (place, entries);
        level
    }

    fn found(scope: Scope, change: Change) -> Vec<Finding> {
        let (hook, mut ours) = right();
        change(&mut ours);
        findings(&level(scope, ours), &hook)
    }

    #[test]
    fn entries_as_this_version_writes_them_are_fine() {
        let rows: [Change; 6] = [
            |_| {},
            Vec::clear,
            |ours| ours[0].matcher = Some("*".to_owned()),
            |ours| ours[0].matcher = Some(".*".to_owned()),
            |ours| ours[0].timeout_secs = None,
            |ours| ours[0].timeout_secs = Some(3600.into()),
        ];
        for (row, change) in rows.into_iter().enumerate() {
            assert_eq!(found(Scope::User, change), [], "{row}");
        }
    }

    #[test]
    fn each_wrong_entry_is_reported_and_fixable() {
        let rows: [(Change, Severity, &str); 9] = [
            (|ours| ours[0].harmful_keys = vec!["async".to_owned()], Broken, "with `async`"),
            (
                |ours| ours[0].timeout_secs = serde_json::Number::from_f64(0.001),
                Broken,
                "its timeout is 0.001 s",
            ),
            (|ours| ours[0].timeout_secs = Some(2.into()), Warning, "its timeout is 2 s"),
            (|ours| ours[0].args = Some(vec!["status".to_owned()]), Broken, "with arguments"),
            (|ours| ours[0].matcher = Some("Bash".to_owned()), Broken, "another matcher"),
            (|ours| drop(ours.remove(1)), Broken, "is not registered on"),
            (|ours| ours[0].command = Some("/old/hooks/x".to_owned()), Broken, "where there is nothing"),
            (|ours| ours[0].status_message = None, Warning, "does not show `it waits`"),
            (|ours| ours[0].status_message = Some("else".to_owned()), Warning, "does not show `it waits`"),
        ];
        for (change, severity, said) in rows {
            let found = found(Scope::User, change);
            assert_eq!(found[0].severity, severity, "{found:?}");
            assert!(found[0].what.contains(said), "{found:?}");
            assert_eq!(found[0].repair, Some(Repair::Register(Scope::User)));
            assert!(found[0].next.as_deref().unwrap().starts_with("cargo xtask enable "));
        }
    }

    #[test]
    fn entries_in_a_projects_file_are_left_to_the_team() {
        let found = found(Scope::Project, |ours| ours.truncate(1));
        assert!(!found.is_empty());
        assert!(found.iter().all(|finding| finding.severity == Warning && finding.repair.is_none()));
    }

    #[test]
    fn entry_of_a_removed_hook_is_reported_once() {
        let (hook, mut ours) = right();
        for entry in &mut ours {
            entry.name = Some("old-hook".to_owned());
        }
        let hooks = [hook];
        assert_eq!(gone(&level(Scope::User, ours.clone()), &hooks).len(), 1);
        assert_eq!(gone(&level(Scope::Project, ours), &hooks), []);
    }
}
