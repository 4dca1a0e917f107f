//! Our own entries in one level, against what this version would write there. Pure.

use client_settings::{Program, Registered};
use shared::catalog::{EventEntry, HookEntry};
use shared::run::BY_PLUGIN;

use super::finding::{Finding, Repair, Severity};
use super::level::{Kind, Level};
use crate::places::{Installation, Scope};
use crate::prove::command_of;
use crate::registration::{lacks_message, program};

/// A hook that has less time than this may not be heard at all, in seconds.
const TOO_SHORT: f64 = 1.0;

/// What is asked of the disk.
pub(super) struct Disk<'a> {
    /// A file is at this path.
    pub(super) is_there: &'a dyn Fn(&str) -> bool,
    /// Both start the same.
    pub(super) is_same: &'a dyn Fn(&Program, &Program) -> bool,
}

/// Everything of one level. `place` is the installation whose settings they are; a plugin's are none's.
pub(super) fn findings(
    level: &Level,
    place: Option<&Installation>,
    hooks: &[&HookEntry],
    disk: &Disk<'_>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for hook in hooks {
        let entries: Vec<&Registered> = level.ours.iter().filter(|entry| entry.name == hook.name).collect();
        if !entries.is_empty() {
            let those = Those { level, place, hook, entries };
            found.extend(those.as_a_whole(disk));
            found.extend(hook.events.iter().filter_map(|wanted| those.on(wanted)));
        }
    }
    found.extend(place.into_iter().flat_map(|place| gone(level, place, hooks)));
    found
}

/// The entries of one hook.
struct Those<'a> {
    level: &'a Level,
    place: Option<&'a Installation>,
    hook: &'a HookEntry,
    entries: Vec<&'a Registered>,
}

impl Those<'_> {
    /// What is wrong with any of them.
    fn as_a_whole(&self, disk: &Disk<'_>) -> Vec<Finding> {
        let wanted = self.place.map(|place| program(place, &self.hook.name).ok());
        let is_wanted = |entry: &Registered| match &wanted {
            Some(wanted) => wanted.as_ref().is_some_and(|wanted| (disk.is_same)(&entry.program, wanted)),
            // Which bytes a plugin starts is told where they are proved.
            None => true,
        };
        let first = |is_wrong: &dyn Fn(&Registered) -> bool| {
            self.entries.iter().copied().find(|entry| is_wrong(entry))
        };
        let wrong = [
            first(&|entry| !is_wanted(entry)).map(|entry| (entry, elsewhere(entry, disk.is_there))),
            first(&|entry| !entry.harmful_keys.is_empty())
                .map(|entry| (entry, why_harmful(&entry.harmful_keys))),
            first(&|entry| !is_started_as_a_hook(self.level, entry)).map(|entry| {
                (entry, "is started with arguments, so it is no hook but a command line".to_owned())
            }),
        ];
        wrong
            .into_iter()
            .flatten()
            .map(|(entry, what)| self.finding(self.worst(), &what, Some(entry)))
            .collect()
    }

    /// What is wrong with its registration on one event.
    fn on(&self, wanted: &EventEntry) -> Option<Finding> {
        let mut there = self.entries.iter().copied().filter(|entry| entry.event == wanted.event).peekable();
        let any = there.peek().copied();
        let fits = |entry: &&Registered| entry.covers(&wanted.event, wanted.matcher.as_deref());
        let event = &wanted.event;
        match (there.find(fits), any) {
            (Some(entry), _) => self.timed(entry, wanted).or_else(|| self.explained(entry, wanted)),
            (None, Some(entry)) => {
                let what = format!("has another matcher on {event} than it needs");
                Some(self.finding(self.worst(), &what, Some(entry)))
            }
            (None, None) => Some(self.finding(self.worst(), &format!("is not registered on {event}"), None)),
        }
    }

    /// What is wrong with the time it has. More than it needs does no harm, nor does the client's own, which is longer.
    fn timed(&self, entry: &Registered, wanted: &EventEntry) -> Option<Finding> {
        let its = entry.timeout_secs.as_ref()?.as_f64()?;
        let (event, needed) = (&wanted.event, wanted.timeout_secs);
        if its >= f64::from(needed) {
            return None;
        }
        let what = format!("on {event} its timeout is {its} s, shorter than the {needed} s it should have");
        if its < TOO_SHORT {
            let what = format!("{what}: it may be ended before it has answered");
            return Some(self.finding(self.worst(), &what, Some(entry)));
        }
        Some(self.finding(Severity::Warning, &what, Some(entry)))
    }

    /// What is wrong with what the client shows while it waits: a delay without a word looks like a client that hangs.
    fn explained(&self, entry: &Registered, wanted: &EventEntry) -> Option<Finding> {
        let message = wanted.status_message.as_ref().filter(|_| lacks_message(entry, wanted))?;
        let what = format!("on {} the client does not show `{message}` while it waits", wanted.event);
        Some(self.finding(Severity::Warning, &what, Some(entry)))
    }

    /// A project's own file is the team's: another version of ours may have written it.
    fn worst(&self) -> Severity {
        let is_teams = self.place.is_some_and(|place| place.scope == Scope::Project);
        if is_teams { Severity::Warning } else { Severity::Broken }
    }

    fn finding(&self, severity: Severity, what: &str, entry: Option<&Registered>) -> Finding {
        let name = &self.hook.name;
        let found = Finding::new(severity, format!("{name}: {what}"))
            .at(&self.level.shown, entry.and_then(|entry| self.level.line_of(entry)));
        let Some(place) = self.place else {
            return found.next("update the plugin, or tell who made it");
        };
        let found = found.next(place.line(format_args!("enable {name}")));
        match place.scope {
            Scope::Project => found,
            scope => found.repair(Repair::Register(scope)),
        }
    }
}

/// Settings start a hook without arguments; a plugin tells it that it is one.
fn is_started_as_a_hook(level: &Level, entry: &Registered) -> bool {
    entry.args.is_empty() || (level.kind == Kind::Plugin && entry.args == [BY_PLUGIN])
}

fn why_harmful(keys: &[String]) -> String {
    let shown = keys.iter().map(|key| key.escape_debug().to_string()).collect::<Vec<_>>().join("`, `");
    let is = |names: &[&str]| keys.iter().any(|key| names.contains(&key.as_str()));
    if is(&["async", "asyncRewake"]) {
        format!("with `{shown}` the client does not wait for it, so it stops nothing")
    } else if is(&["if", "once"]) {
        format!("with `{shown}` the client does not always run it")
    } else {
        format!("it is not known whether the client heeds it with `{shown}`")
    }
}

fn elsewhere(entry: &Registered, is_there: &dyn Fn(&str) -> bool) -> String {
    let command = command_of(entry);
    match &entry.program {
        Program::Path(path) if !is_there(path) => format!("registered as {command}, where there is nothing"),
        _ => format!("registered as {command}, which is not what is installed here"),
    }
}

/// Entries of hooks that this version does not have.
fn gone(level: &Level, place: &Installation, hooks: &[&HookEntry]) -> Vec<Finding> {
    // In a project's own file they may be a teammate's newer ones.
    if place.scope == Scope::Project {
        return Vec::new();
    }
    let mut names: Vec<&str> = level.ours.iter().map(|entry| entry.name.as_str()).collect();
    names.retain(|name| !hooks.iter().any(|hook| hook.name == *name));
    names.sort_unstable();
    names.dedup();
    let found = |name: &str| {
        Finding::warning(format!("{name}: this version has no such hook, and its entry is still there"))
            .at(
                &level.shown,
                level.ours.iter().find(|entry| entry.name == name).and_then(|entry| level.line_of(entry)),
            )
            .next(place.voice.prune())
            .repair(Repair::Forget(place.scope, name.to_owned()))
    };
    names.into_iter().map(found).collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use client_settings::Registered;
    use shared::catalog::{Catalog, HookEntry};

    use super::{Disk, findings};
    use crate::doctor::finding::{Finding, Repair, Severity};
    use crate::doctor::level::{Kind, Level};
    use crate::places::{Installation, Scope};
    use crate::registration::entries;
    use crate::voice::Voice;

    fn installation() -> Installation {
        let home = PathBuf::from("/home/me");
        let claude = home.join(".claude");
        Installation {
            voice: Voice::Req,
            hooks: claude.join("hooks"),
            bin: home.join(".local/bin"),
            scope: Scope::User,
            project: None,
            settings: claude.join("settings.json"),
            requirements: claude.join("requirements.yaml"),
            state: claude.join("hook-state"),
            home,
        }
    }

    /// A hook on PreToolUse and SessionEnd, and its entries as they should be.
    fn right() -> (HookEntry, Vec<Registered>) {
        let mut hooks = Catalog::built_in().unwrap().hooks;
        let at = hooks.iter().position(|hook| hook.events.len() == 2).unwrap();
        let hook = hooks.swap_remove(at);
        let wanted = entries(&installation(), &[&hook]).unwrap();
        let there = wanted.into_iter().map(|wanted| Registered {
            name: hook.name.clone(),
            event: wanted.event,
            matcher: wanted.matcher,
            program: wanted.program,
            args: Vec::new(),
            timeout_secs: wanted.timeout_secs,
            status_message: wanted.status_message,
            harmful_keys: Vec::new(),
        });
        let there = there.collect();
        (hook, there)
    }

    fn found(change: impl FnOnce(&mut Vec<Registered>)) -> Vec<Finding> {
        let (hook, mut ours) = right();
        change(&mut ours);
        let level = Level { ours, ..Level::of_text(Kind::User, "f", "{}") };
        findings(&level, Some(&installation()), &[&hook], &disk(false))
    }

    fn disk(is_there: bool) -> Disk<'static> {
        let is_there: &'static dyn Fn(&str) -> bool = if is_there { &|_| true } else { &|_| false };
        Disk { is_there, is_same: &|one, other| one == other }
    }

    #[test]
    fn entries_as_this_version_writes_them_are_fine() {
        assert_eq!(found(|_| {}), []);
        assert_eq!(found(Vec::clear), [], "what is not registered is no fault");
        for all in ["*", ".*", ""] {
            assert_eq!(found(|ours| ours[0].matcher = Some(all.to_owned())), [], "{all}");
        }
        for longer in [None, Some(3600.into())] {
            assert_eq!(found(|ours| ours[0].timeout_secs = longer), [], "a longer time does no harm");
        }
    }

    #[test]
    fn each_way_of_being_wrong_is_told_once_and_can_be_mended() {
        use client_settings::Program;
        type Change = fn(&mut Vec<Registered>);
        let rows: [(Change, Severity, &str); 10] = [
            (
                |ours| ours[0].harmful_keys = vec!["async".to_owned()],
                Severity::Broken,
                "does not wait for it",
            ),
            (|ours| ours[0].harmful_keys = vec!["if".to_owned()], Severity::Broken, "does not always run it"),
            (|ours| ours[0].harmful_keys = vec!["new".to_owned()], Severity::Broken, "it is not known"),
            (
                |ours| ours[0].timeout_secs = serde_json::Number::from_f64(0.001),
                Severity::Broken,
                "its timeout is 0.001 s",
            ),
            (|ours| ours[0].args = vec!["status".to_owned()], Severity::Broken, "with arguments"),
            (|ours| ours[0].matcher = Some("Bash".to_owned()), Severity::Broken, "another matcher"),
            (|ours| drop(ours.remove(1)), Severity::Broken, "is not registered on"),
            (|ours| ours[0].timeout_secs = Some(2.into()), Severity::Warning, "its timeout is 2 s"),
            (
                |ours| ours[0].program = Program::Path("/old/hooks/x".to_owned()),
                Severity::Broken,
                "where there is nothing",
            ),
            (
                |ours| ours.iter_mut().for_each(|entry| entry.event = "Stop".to_owned()),
                Severity::Broken,
                "is not registered on",
            ),
        ];
        for (change, severity, said) in rows {
            let found = found(change);
            assert_eq!(found[0].severity, severity, "{found:?}");
            assert!(found[0].what.contains(said), "{found:?}");
            assert_eq!(found[0].repair, Some(Repair::Register(Scope::User)));
            assert!(
                found.iter().all(|finding| finding.next.as_deref().unwrap().starts_with("req hooks enable "))
            );
        }
    }

    #[test]
    fn what_is_shown_while_the_client_waits_must_be_there() {
        let (mut hook, mut ours) = right();
        hook.events[0].status_message = Some("it waits".to_owned());
        let judged = |ours: &[Registered]| {
            let level = Level { ours: ours.to_vec(), ..Level::of_text(Kind::User, "f", "{}") };
            findings(&level, Some(&installation()), &[&hook], &disk(false))
        };
        for other in [None, Some("else".to_owned())] {
            ours[0].status_message = other;
            let found = judged(&ours);
            let [only] = found.as_slice() else { panic!("{found:?}") };
            assert_eq!(only.severity, Severity::Warning);
            assert_eq!(only.repair, Some(Repair::Register(Scope::User)));
            assert!(only.what.contains("does not show `it waits`"), "{only}");
        }
        ours[0].status_message = Some("it waits".to_owned());
        assert_eq!(judged(&ours), []);
    }

    #[test]
    fn in_a_projects_own_file_they_are_told_and_left_to_the_team() {
        let (hook, mut ours) = right();
        ours.truncate(1);
        let level = Level { ours, ..Level::of_text(Kind::Project, "f", "{}") };
        let place =
            Installation { scope: Scope::Project, project: Some(PathBuf::from("/code")), ..installation() };
        let found = findings(&level, Some(&place), &[&hook], &disk(true));
        assert!(!found.is_empty());
        let is_left = |finding: &Finding| finding.severity == Severity::Warning && finding.repair.is_none();
        assert!(found.iter().all(is_left), "{found:?}");
    }

    #[test]
    fn a_plugins_entries_are_judged_alike_and_mended_by_nobody_here() {
        let (hook, mut ours) = right();
        let judged = |ours: &[Registered]| {
            let level = Level { ours: ours.to_vec(), ..Level::of_text(Kind::Plugin, "f", "{}") };
            findings(&level, None, &[&hook], &disk(false))
        };
        assert_eq!(judged(&ours), []);
        ours[0].harmful_keys = vec!["async".to_owned()];
        ours.truncate(1);
        let found = judged(&ours);
        assert_eq!(found.len(), 2, "{found:?}");
        for finding in found {
            assert_eq!((finding.severity, finding.repair), (Severity::Broken, None));
            assert!(!finding.next.unwrap().contains("req hooks"));
        }
    }

    #[test]
    fn an_entry_of_a_hook_that_is_gone_is_told() {
        let (hook, mut ours) = right();
        for entry in &mut ours {
            entry.name = "old-hook".to_owned();
        }
        let level = Level { ours, ..Level::of_text(Kind::User, "f", "{}") };
        let found = findings(&level, Some(&installation()), &[&hook], &disk(true));
        let [only] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(only.repair, Some(Repair::Forget(Scope::User, "old-hook".to_owned())));
    }
}
