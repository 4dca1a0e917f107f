//! Our own entries in one level, against what this version would write there. Pure.

use shared::catalog::{EventEntry, HookEntry};
use shared::settings::{Program, Registered};

use super::finding::{Finding, Repair, Severity};
use super::level::Level;
use crate::places::{Installation, Scope};
use crate::prove::command_of;
use crate::registration::program;

/// Everything of one level; `is_there` says of a program whether a file of that path is there.
pub(super) fn findings(
    level: &Level,
    place: &Installation,
    hooks: &[&HookEntry],
    is_there: &dyn Fn(&str) -> bool,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for hook in hooks {
        let entries: Vec<&Registered> = level.ours.iter().filter(|entry| entry.name == hook.name).collect();
        if !entries.is_empty() {
            let those = Those { level, place, hook, entries };
            found.extend(those.as_a_whole(is_there));
            found.extend(hook.events.iter().filter_map(|wanted| those.on(wanted)));
        }
    }
    found.extend(gone(level, place, hooks));
    found
}

/// The entries of one hook.
struct Those<'a> {
    level: &'a Level,
    place: &'a Installation,
    hook: &'a HookEntry,
    entries: Vec<&'a Registered>,
}

impl Those<'_> {
    /// What is wrong with any of them.
    fn as_a_whole(&self, is_there: &dyn Fn(&str) -> bool) -> Vec<Finding> {
        let wanted = program(self.place, &self.hook.name).ok();
        let first = |is_wrong: &dyn Fn(&Registered) -> bool| {
            self.entries.iter().copied().find(|entry| is_wrong(entry))
        };
        let wrong = [
            first(&|entry| Some(&entry.program) != wanted.as_ref())
                .map(|entry| (entry, elsewhere(entry, is_there))),
            first(&|entry| !entry.harmful_keys.is_empty()).map(|entry| {
                let keys = entry.harmful_keys.join("`, `");
                (entry, format!("with `{keys}` the client does not wait for it, so it stops nothing"))
            }),
            first(&|entry| !entry.args.is_empty()).map(|entry| {
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
        let fits = |entry: &&Registered| all(entry.matcher.as_deref()) == all(wanted.matcher.as_deref());
        let event = &wanted.event;
        match (there.find(fits), any) {
            (Some(entry), _) if entry.timeout_secs == Some(wanted.timeout_secs.into()) => None,
            (Some(entry), _) => {
                let what = format!("on {event} its timeout is not {} s", wanted.timeout_secs);
                Some(self.finding(Severity::Warning, &what, Some(entry)))
            }
            (None, Some(entry)) => {
                let what = format!("has another matcher on {event} than it needs");
                Some(self.finding(self.worst(), &what, Some(entry)))
            }
            (None, None) => Some(self.finding(self.worst(), &format!("is not registered on {event}"), None)),
        }
    }

    /// A project's own file is the team's: another version of ours may have written it.
    fn worst(&self) -> Severity {
        if self.place.scope == Scope::Project { Severity::Warning } else { Severity::Broken }
    }

    fn finding(&self, severity: Severity, what: &str, entry: Option<&Registered>) -> Finding {
        let name = &self.hook.name;
        let found = Finding::new(severity, format!("{name}: {what}"))
            .at(&self.level.shown, entry.and_then(|entry| self.level.line_of(entry)))
            .next(self.place.line(format_args!("enable {name}")));
        match self.place.scope {
            Scope::Project => found,
            scope => found.repair(Repair::Register(scope)),
        }
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

/// The ways of writing "all" are one.
fn all(matcher: Option<&str>) -> Option<&str> {
    matcher.filter(|matcher| !matcher.is_empty() && *matcher != "*")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use shared::catalog::{Catalog, HookEntry};
    use shared::settings::Registered;

    use super::findings;
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
            harmful_keys: Vec::new(),
        });
        let there = there.collect();
        (hook, there)
    }

    fn found(change: impl FnOnce(&mut Vec<Registered>)) -> Vec<Finding> {
        let (hook, mut ours) = right();
        change(&mut ours);
        let level = Level { ours, ..Level::of_text(Kind::User, "f", "{}") };
        findings(&level, &installation(), &[&hook], &|_| false)
    }

    #[test]
    fn entries_as_this_version_writes_them_are_fine() {
        assert_eq!(found(|_| {}), []);
        assert_eq!(found(Vec::clear), [], "what is not registered is no fault");
        assert_eq!(found(|ours| ours[0].matcher = Some("*".to_owned())), []);
    }

    #[test]
    fn each_way_of_being_wrong_is_told_once_and_can_be_mended() {
        use shared::settings::Program;
        type Change = fn(&mut Vec<Registered>);
        let rows: [(Change, Severity, &str); 7] = [
            (|ours| ours[0].harmful_keys = vec!["async".to_owned()], Severity::Broken, "with `async`"),
            (|ours| ours[0].args = vec!["status".to_owned()], Severity::Broken, "with arguments"),
            (|ours| ours[0].matcher = Some("Bash".to_owned()), Severity::Broken, "another matcher"),
            (|ours| drop(ours.remove(1)), Severity::Broken, "is not registered on"),
            (|ours| ours[0].timeout_secs = None, Severity::Warning, "its timeout is not"),
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
    fn in_a_projects_own_file_they_are_told_and_left_to_the_team() {
        let (hook, mut ours) = right();
        ours.truncate(1);
        let level = Level { ours, ..Level::of_text(Kind::Project, "f", "{}") };
        let place =
            Installation { scope: Scope::Project, project: Some(PathBuf::from("/code")), ..installation() };
        let found = findings(&level, &place, &[&hook], &|_| true);
        assert!(!found.is_empty());
        let is_left = |finding: &Finding| finding.severity == Severity::Warning && finding.repair.is_none();
        assert!(found.iter().all(is_left), "{found:?}");
    }

    #[test]
    fn an_entry_of_a_hook_that_is_gone_is_told() {
        let (hook, mut ours) = right();
        for entry in &mut ours {
            entry.name = "old-hook".to_owned();
        }
        let level = Level { ours, ..Level::of_text(Kind::User, "f", "{}") };
        let found = findings(&level, &installation(), &[&hook], &|_| true);
        let [only] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(only.repair, Some(Repair::Forget(Scope::User, "old-hook".to_owned())));
    }
}
