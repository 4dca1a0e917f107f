//! Whether readings of the credits used can come to the hook that works from them: by the status line that a hook of ours
//! prints, or from the usage API where its owner has switched that on. An installation says so at its end.

use client_settings::StatusLineThere;
use shared::catalog::{Catalog, HookEntry};
use shared::host::Host;

use crate::client_settings::Settings;
use crate::places::{Installation, Scope};
use crate::registration::starts_ours;
use crate::voice::Voice;

/// The key of such a hook's section that has the usage API asked.
const POLLED: [&str; 2] = ["usage_api", "enabled"];

/// What an installation says of them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Readings {
    /// Whose status line there is, where it is ours.
    pub(crate) standing: Option<String>,
    /// What is to be typed before there are any.
    pub(crate) next: Option<String>,
}

impl Readings {
    /// Of these registered hooks, as the files are now.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(crate) fn of(
        host: &Host,
        installation: &Installation,
        catalog: &Catalog,
        hooks: &[&HookEntry],
    ) -> anyhow::Result<Self> {
        let Some(hook) = hooks.iter().find(|hook| hook.needs_usage) else { return Ok(Self::default()) };
        let user = Installation::of_this_user(host, installation.voice)?;
        let own = Settings::there(installation, catalog)?.status_line.map(|line| (line, installation));
        let there = match own {
            None if installation.scope != Scope::User => {
                Settings::there(&user, catalog)?.status_line.map(|line| (line, &user))
            }
            own => own,
        };
        let there = there.map(|(line, place)| (line, place.show(&place.settings)));
        let yaml = user.file(&user.requirements)?.read()?;
        let is_polled = are_polled(yaml.as_deref(), hook);
        Ok(Self::judged(hook, there.as_ref(), is_polled, catalog, installation.voice))
    }

    fn judged(
        hook: &HookEntry,
        there: Option<&(StatusLineThere, String)>,
        is_polled: bool,
        catalog: &Catalog,
        voice: Voice,
    ) -> Self {
        let printer = catalog.hooks.iter().find(|hook| hook.status_line.is_some());
        match (there, printer) {
            (Some((line, file)), Some(printer)) if prints_ours(line, catalog) => {
                Self { standing: Some(format!("{file}: the status line is {}'s", printer.name)), next: None }
            }
            (there, Some(_)) if !is_polled => {
                let kept = if there.is_some() { "; your own line is kept and shown below ours" } else { "" };
                let line = voice.line("statusline");
                let next = format!("Next: {line}: {} has no readings until then{kept}", hook.name);
                Self { standing: None, next: Some(next) }
            }
            _ => Self::default(),
        }
    }
}

/// It is the line of a hook of ours, or starts it in its turn.
pub(crate) fn prints_ours(there: &StatusLineThere, catalog: &Catalog) -> bool {
    let hooks: Vec<&HookEntry> = catalog.hooks.iter().collect();
    there.is_ours || there.command.as_deref().is_some_and(|line| starts_ours(line, &hooks))
}

/// This hook has the usage API asked, by the text of its user's own file: no other counts.
pub(crate) fn are_polled(requirements: Option<&str>, hook: &HookEntry) -> bool {
    let path: Vec<String> = [hook.name.as_str()].into_iter().chain(POLLED).map(str::to_owned).collect();
    let said = requirements.and_then(|text| config_edit::get_at(text, &path).ok().flatten());
    said.as_deref() == Some("true")
}

#[cfg(test)]
mod tests {
    use client_settings::StatusLineThere;
    use shared::catalog::Catalog;

    use super::{Readings, are_polled};
    use crate::voice::Voice;

    #[test]
    fn what_keeps_readings_from_coming_is_named_with_the_line_to_type() {
        let catalog = Catalog::built_in().unwrap();
        let hook = catalog.hooks.iter().find(|hook| hook.needs_usage).unwrap();
        let printer = catalog.hooks.iter().find(|hook| hook.status_line.is_some()).unwrap();
        let line = |command: &str, is_ours| {
            let command = Some(command.to_owned());
            let there = StatusLineThere { raw: String::new(), command, is_command: true, is_ours };
            Some((there, "FILE".to_owned()))
        };
        let until = format!("{} has no readings until then", hook.name);
        let kept = format!("{until}; your own line is kept and shown below ours");
        let ours = Some(format!("FILE: the status line is {}'s", printer.name));
        let through = format!("x; {} statusline", printer.name);
        for (there, is_polled, voice, standing, next) in [
            (
                line("mine", false),
                false,
                Voice::Req,
                None,
                Some(format!("Next: req hooks statusline: {kept}")),
            ),
            (None, false, Voice::Xtask, None, Some(format!("Next: cargo xtask statusline: {until}"))),
            (line("mine", false), true, Voice::Req, None, None),
            (line("any", true), false, Voice::Req, ours.clone(), None),
            (line(&through, false), false, Voice::Req, ours.clone(), None),
        ] {
            let said = Readings::judged(hook, there.as_ref(), is_polled, &catalog, voice);
            assert_eq!(said, Readings { standing, next }, "{there:?} {is_polled}");
        }
    }

    #[test]
    fn the_usage_api_is_asked_where_the_users_own_file_says_so() {
        let catalog = Catalog::built_in().unwrap();
        let hook = catalog.hooks.iter().find(|hook| hook.needs_usage).unwrap();
        let name = &hook.name;
        for (text, expected) in [
            (None, false),
            (Some(format!("{name}:\n  usage_api: {{enabled: true}}\n")), true),
            (Some(format!("{name}:\n  usage_api:\n    enabled: true # mine\n")), true),
            (Some(format!("{name}: {{usage_api: {{enabled: false}}}}\n")), false),
            (Some(format!("{name}: {{enabled: true}}\n")), false),
            (Some("another: {usage_api: {enabled: true}}\n".to_owned()), false),
            (Some("- no map\n".to_owned()), false),
        ] {
            assert_eq!(are_polled(text.as_deref(), hook), expected, "{text:?}");
        }
    }
}
