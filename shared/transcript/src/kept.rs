//! Folder of transcripts: `<config dir>/projects/<folder>/<session>.jsonl`. The folder's name is the project's path with a hyphen
//! for every character that is no letter and no digit (fact: tests/client-facts.md).

use std::fs;
use std::path::{Path, PathBuf};

/// The session's transcript, in whichever project it was begun.
pub fn of_session(config_dir: &Path, session: &str) -> Option<PathBuf> {
    let name = format!("{session}.jsonl");
    // An id is no path.
    (Path::new(&name).file_name()?.to_str()? == name).then_some(())?;
    let folders = fs::read_dir(config_dir.join("projects")).into_iter().flatten().flatten();
    folders.map(|folder| folder.path().join(&name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::of_session;

    #[test]
    fn a_session_is_found_by_its_id_and_by_nothing_else() {
        let config = tempfile::tempdir().expect("a folder");
        let projects = config.path().join("projects");
        for (folder, file) in
            [("-srv-app", "one.jsonl"), ("-srv-other", "two.jsonl"), ("-srv-other", "note.txt")]
        {
            let folder = projects.join(folder);
            fs::create_dir_all(&folder).expect("it can be made");
            fs::write(folder.join(file), "").expect("it can be written");
        }
        let of = |session| of_session(config.path(), session);
        assert_eq!(of("two"), Some(projects.join("-srv-other/two.jsonl")));
        for none in ["three", "", "../-srv-app/one", "-srv-app/one", "note"] {
            assert_eq!(of(none), None, "{none}");
        }
    }
}
