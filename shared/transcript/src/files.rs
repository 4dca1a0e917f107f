//! Files of transcripts. The folder's name is the project's path with a hyphen for every character that is no letter and no digit
//! (fact: tests/client-facts.md).

use std::fs;
use std::path::{Path, PathBuf};

use shared::protocol::Call;

/// The session's transcript in `<config dir>/projects/<folder>/<session>.jsonl`, in whichever project it was begun.
pub fn transcript_of_session(config_dir: &Path, session: &str) -> Option<PathBuf> {
    let name = format!("{session}.jsonl");
    // An id is no path.
    (Path::new(&name).file_name()?.to_str()? == name).then_some(())?;
    let folders = fs::read_dir(config_dir.join("projects")).into_iter().flatten().flatten();
    folders.map(|folder| folder.path().join(&name)).find(|file| file.is_file())
}

/// The transcript of the caller: the subagent's own, or the session's. `None`: neither is known.
pub fn transcript_of(call: &Call) -> Option<PathBuf> {
    let session = call.transcript_path.as_ref()?;
    let Some(agent) = &call.agent_id else { return Some(session.clone()) };
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_name = !agent.is_empty() && agent.bytes().all(is_safe);
    is_name.then(|| session.with_extension("").join("subagents").join(format!("agent-{agent}.jsonl")))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use shared::protocol::Call;

    use super::{transcript_of, transcript_of_session};

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
        let of = |session| transcript_of_session(config.path(), session);
        assert_eq!(of("two"), Some(projects.join("-srv-other/two.jsonl")));
        for none in ["three", "", "../-srv-app/one", "-srv-app/one", "note"] {
            assert_eq!(of(none), None, "{none}");
        }
    }

    #[test]
    fn the_transcript_of_an_agent_stands_beside_its_sessions() {
        let of = |session: Option<&str>, agent: Option<&str>| {
            transcript_of(&Call {
                transcript_path: session.map(PathBuf::from),
                agent_id: agent.map(str::to_owned),
                ..Call::default()
            })
        };
        let main = Some("/h/projects/x/s1.jsonl");
        assert_eq!(of(main, None), main.map(PathBuf::from));
        assert_eq!(of(main, Some("a47")), Some(PathBuf::from("/h/projects/x/s1/subagents/agent-a47.jsonl")));
        for unsafe_id in ["", "../x", "a/b", "a\\b", "a.b", "a\0"] {
            assert_eq!(of(main, Some(unsafe_id)), None, "{unsafe_id:?}");
        }
        assert_eq!(of(None, Some("a47")), None);
    }
}
