//! The command of the status line that stood there before ours: it is kept in the user's requirements.yaml, under the key from
//! which the hook that prints ours runs it too. It is taken out again where it still is what we wrote.

use anyhow::bail;
use client_settings::FileError;
use config_edit::Refused;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::catalog::HookEntry;

use crate::places::Installation;
use crate::say::note;

/// A command that we wrote into the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chained {
    /// The path of the key.
    pub key: Vec<String>,
    pub command: String,
    /// There was no such file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub made_file: bool,
}

/// The command of a status line, as it is written in the client's settings; `None` if it is none of the type `command`.
pub(crate) fn command_of(status_line: &str) -> Option<String> {
    let value: Value = serde_json::from_str(status_line).ok()?;
    let command = value["command"].as_str().filter(|_| value["type"] == "command")?;
    (!command.trim().is_empty()).then(|| command.to_owned())
}

impl Chained {
    /// What has to be written so that this hook runs that command; `None`: the user has written it already. `before` is what
    /// was written for an earlier one.
    pub(crate) fn of(
        installation: &Installation,
        hook: &HookEntry,
        command: String,
        before: Option<&Self>,
    ) -> anyhow::Result<Option<Self>> {
        let Some(line) = &hook.status_line else { return Ok(None) };
        let key = line.chain_path(&hook.name);
        let file = installation.file(&installation.requirements)?;
        let text = file.read()?;
        let there = text.as_deref().map(|text| config_edit::get_at(text, &key)).transpose();
        let there = there.map_err(|refused| file.refused(refused))?.flatten();
        let before = before.filter(|before| before.key == key);
        let is_before = |there: &str| before.is_some_and(|before| before.command == there);
        match there.as_deref().filter(|there| !there.trim().is_empty()) {
            Some(there) if !is_before(there) && there == command => Ok(None),
            Some(there) if !is_before(there) => bail!(
                "{} names another command under {}: make one command of both there, or take it out",
                installation.show(&installation.requirements),
                key.join(".")
            ),
            _ => {
                let made_file = text.is_none() || before.is_some_and(|before| before.made_file);
                Ok(Some(Self { key, command, made_file }))
            }
        }
    }

    pub(crate) fn put_into(&self, text: Option<&str>) -> Result<Option<String>, Refused> {
        // JSON is YAML on one line.
        config_edit::set_at(
            text.unwrap_or_default(),
            &self.key,
            &Value::from(self.command.as_str()).to_string(),
        )
        .map(Some)
    }

    /// The text without it, if it still is what was written; `None` where there shall be no file.
    fn taken_out_of(&self, text: Option<&str>) -> Result<Option<String>, Refused> {
        let Some(text) = text else { return Ok(None) };
        if config_edit::get_at(text, &self.key)?.as_ref() != Some(&self.command) {
            return Ok(Some(text.to_owned()));
        }
        let left = config_edit::unset_at(text, &self.key)?;
        Ok(Some(left).filter(|left| !(self.made_file && left.trim().is_empty())))
    }

    /// Writes it.
    pub(crate) fn put(&self, installation: &Installation) -> anyhow::Result<()> {
        let file = installation.file(&installation.requirements)?;
        let edit = |text: Option<&str>| self.put_into(text).map_err(|refused| file.refused(refused));
        if file.change::<FileError>(edit)? {
            let (key, shown) = (self.key.join("."), installation.show(&installation.requirements));
            note(format_args!("your own status line is kept as {key} in {shown}, and printed below"));
        }
        Ok(())
    }

    pub(crate) fn take_out(&self, installation: &Installation) -> anyhow::Result<()> {
        let file = installation.file(&installation.requirements)?;
        let edit = |text: Option<&str>| self.taken_out_of(text).map_err(|refused| file.refused(refused));
        if file.change::<FileError>(edit)? {
            let (key, shown) = (self.key.join("."), installation.show(&installation.requirements));
            note(format_args!("took {key} out of {shown}"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Chained, command_of};

    fn chained(made_file: bool) -> Chained {
        let key = ["a-pacer", "statusline", "chain"].map(str::to_owned).to_vec();
        Chained { key, command: "my \"line\" # --x: 'é'".to_owned(), made_file }
    }

    #[test]
    fn what_is_put_in_is_taken_out_to_the_byte() {
        for before in [
            "# mine\nversion: \"1.0\"   # kept\n",
            "a-pacer:\n  enabled: true # yes\nother: {x: 1}\n",
            "a-pacer:\r\n  statusline:\r\n    width: 3\r\n",
        ] {
            let with = chained(false).put_into(Some(before)).unwrap().unwrap();
            assert!(with.contains("é") && with != before, "{with}");
            assert_eq!(chained(false).put_into(Some(&with)).unwrap().as_ref(), Some(&with));
            assert_eq!(chained(false).taken_out_of(Some(&with)).unwrap().as_deref(), Some(before));
        }
    }

    #[test]
    fn a_file_that_was_made_for_it_goes_unless_something_else_stands_in_it() {
        let with = chained(true).put_into(None).unwrap().unwrap();
        assert_eq!(chained(true).taken_out_of(Some(&with)).unwrap(), None);
        assert_eq!(chained(false).taken_out_of(Some(&with)).unwrap().as_deref(), Some(""));
        let more = format!("{with}version: \"1.0\"\n");
        assert_eq!(chained(true).taken_out_of(Some(&more)).unwrap().as_deref(), Some("version: \"1.0\"\n"));
        assert_eq!(chained(true).taken_out_of(None).unwrap(), None);
    }

    #[test]
    fn what_the_user_has_written_since_stays() {
        let text = "a-pacer: {statusline: {chain: mine}}\n";
        assert_eq!(chained(true).taken_out_of(Some(text)).unwrap().as_deref(), Some(text));
    }

    #[test]
    fn only_a_command_can_be_chained() {
        assert_eq!(command_of(r#"{"type":"command","command":"a b","padding":1}"#).as_deref(), Some("a b"));
        for other in [
            r#"{"type":"static","command":"a"}"#,
            r#"{"type":"command","command":" "}"#,
            "null",
            "x",
            "\"a\"",
        ] {
            assert_eq!(command_of(other), None, "{other}");
        }
    }
}
