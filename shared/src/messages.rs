//! Texts that are compiled in, config/messages and config/prompts, and texts of the user's own in their place; notices, which
//! the user gets once per session.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use secrets::masked;
use serde::{Deserialize, Serialize};

use crate::config::{SettingFault, read_text};
use crate::host::{Host, Places, display_path};
use crate::state::{Remembered, Store};

/// A longer text is not read, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// The user's own text in place of a built-in one: `file` is absolute, from `~`, or from the configuration folder.
pub fn own_message(file: &Path, host: &Host, places: &Places) -> Result<String, String> {
    let home = host.environment.home.as_deref();
    let path = match (file.strip_prefix("~"), home, &places.config_dir) {
        (Ok(rest), Some(home), _) => home.join(rest),
        (Err(_), _, Some(dir)) => dir.join(file),
        _ => file.to_path_buf(),
    };
    read_text(&path, None, MAX_BYTES).map_err(|_| display_path(&path, home))
}

/// A text that the user can replace by its name under `message_files`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// Name of its file without the ending, which is the key there.
    pub name: &'static str,
    pub built_in: &'static str,
}

/// Reads texts as they are to be said, and keeps which of the user's own could not be.
#[derive(Debug)]
pub struct Texts<'a> {
    own: &'a BTreeMap<String, PathBuf>,
    host: &'a Host,
    places: &'a Places,
    /// Each as `message_files.NAME REASON`.
    pub unusable: Vec<String>,
}

impl<'a> Texts<'a> {
    /// With the user's own, which are the section's `message_files`.
    pub const fn new(own: &'a BTreeMap<String, PathBuf>, host: &'a Host, places: &'a Places) -> Self {
        Self { own, host, places, unusable: Vec::new() }
    }

    /// The user's own text where one can be used, else the built-in one, trimmed. Reads no file where the user has replaced none.
    pub fn read(&mut self, text: Text) -> String {
        let own = self.own.get(text.name).map(|file| own_message(file, self.host, self.places));
        let why = match own {
            Some(Ok(own)) if !own.trim().is_empty() => return own.trim().to_owned(),
            Some(Ok(_)) => Some("is empty".to_owned()),
            Some(Err(file)) => Some(format!("({file}) cannot be read")),
            None => None,
        };
        self.unusable.extend(why.map(|why| format!("message_files.{} {why}", text.name)));
        text.built_in.trim().to_owned()
    }

    /// The notice about texts that cannot be used, once in a session.
    pub fn notice(&self, hook: &str, store: Option<&Store>, session: Option<&str>) -> Option<String> {
        let notice = |unusable: &String| format!("{hook}: {unusable}; the built-in text was used");
        let notices: Vec<String> = self.unusable.iter().map(notice).collect();
        let fresh = if notices.is_empty() { notices } else { not_yet_reported(store?, session?, &notices) };
        (!fresh.is_empty()).then(|| fresh.join("\n"))
    }
}

/// The names under `message_files` that are none of these texts'.
pub fn strange_names(own: &BTreeMap<String, PathBuf>, texts: &[Text]) -> Vec<SettingFault> {
    let names: Vec<&str> = texts.iter().map(|text| text.name).collect();
    let strange = own.keys().filter(|name| !names.contains(&name.as_str()));
    let fault = |name: &String| SettingFault {
        path: vec!["message_files".to_owned(), name.clone()],
        what: format!("replaces no text; there are {}", names.join(", ")),
    };
    strange.map(fault).collect()
}

/// Notices that the user has seen in a session, masked: a notice can repeat the content of a file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Reported(BTreeSet<String>);

impl Remembered for Reported {
    const FILE: &'static str = "*-told.json";
}

/// The notices that this session has not reported yet; from now on they count as reported.
///
/// If the file cannot be written, nobody gets a notice: silence is better than a notice on every call.
pub fn not_yet_reported(store: &Store, session: &str, notices: &[String]) -> Vec<String> {
    let all_reported =
        |reported: &Reported| notices.iter().all(|notice| reported.0.contains(&*masked(notice)));
    if store.read::<Reported>(session).is_some_and(|reported| all_reported(&reported)) {
        return Vec::new();
    }
    let mut fresh = Vec::new();
    let kept = store.change::<Reported>(session, |reported| {
        fresh =
            notices.iter().filter(|notice| reported.0.insert(masked(notice).into_owned())).cloned().collect();
        !fresh.is_empty()
    });
    kept.map(|()| fresh).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Environment;
    use crate::tests::{host, store};

    const TEXT: Text = Text { name: "greeting", built_in: "Good day.\n" };

    /// The text as it is said with this file of the user's own, and what is wrong with that.
    fn read(file: Option<&str>) -> (String, Vec<String>) {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::write(scratch.path().join("own.md"), "\nHello.\n").unwrap();
        std::fs::write(scratch.path().join("blank.md"), " \n").unwrap();
        let own = file.map(|file| (TEXT.name.to_owned(), PathBuf::from(file))).into_iter().collect();
        let home = Some(scratch.path().to_path_buf());
        let places = Places { config_dir: home.clone(), ..Places::default() };
        let host = host(Environment { home, ..Environment::default() });
        let mut texts = Texts::new(&own, &host, &places);
        (texts.read(TEXT), texts.unusable)
    }

    #[test]
    fn the_users_own_text_comes_first_and_one_that_cannot_be_used_is_named() {
        for (file, said, wrong) in [
            (None, "Good day.", &[][..]),
            (Some("own.md"), "Hello.", &[]),
            (Some("~/own.md"), "Hello.", &[]),
            (Some("blank.md"), "Good day.", &["message_files.greeting is empty"]),
            (Some("none.md"), "Good day.", &["message_files.greeting (~/none.md) cannot be read"]),
        ] {
            let wrong = wrong.iter().map(ToString::to_string).collect();
            assert_eq!(read(file), (said.to_owned(), wrong), "{file:?}");
        }
    }

    #[test]
    fn a_name_that_is_no_texts_is_a_fault_that_tells_those_there_are() {
        let own = ["greeting", "greetings"].map(|name| (name.to_owned(), PathBuf::from("a.md")));
        let faults = strange_names(&BTreeMap::from(own), &[TEXT, Text { name: "farewell", built_in: "" }]);
        let faults: Vec<_> = faults.iter().map(|fault| (fault.path.join("."), fault.what.as_str())).collect();
        let expected = "replaces no text; there are greeting, farewell";
        assert_eq!(faults, [("message_files.greetings".to_owned(), expected)]);
    }

    #[test]
    fn notice_comes_once_per_session() {
        let (_scratch, store) = store();
        for (session, notices, fresh) in [
            ("s", ["a", "b"], &["a", "b"][..]),
            ("s", ["a", "b"], &[]),
            ("s", ["a", "c"], &["c"]),
            ("t", ["a", "b"], &["a", "b"]),
        ] {
            assert_eq!(not_yet_reported(&store, session, &notices.map(str::to_owned)), fresh);
        }
    }

    #[test]
    fn secret_in_a_notice_is_masked_and_not_kept() {
        let (_scratch, store) = store();
        let notices = [format!("yaml:1: token={}: no such key", "a1B2".repeat(6))];
        assert_eq!(not_yet_reported(&store, "s", &notices), notices);
        assert_eq!(not_yet_reported(&store, "s", &notices), [""; 0]);
        let remembered = std::fs::read_to_string(store.dir().join("s-told.json")).unwrap();
        assert!(remembered.contains("token=[masked]") && !remembered.contains("a1B2"), "{remembered}");
    }
}
