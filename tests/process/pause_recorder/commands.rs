//! What can be typed: in a shell and as a prompt, what it answers, and who may.

use serde_json::{Value, json};

use super::{HOUR, Recorder, age, id_of, kinds, lines};
use crate::driver::context;
use tests::sandbox::Level;

/// Words, the status they end with, and a part of what is said. `ID`: the snapshot's.
type Told = (&'static [&'static str], i32, &'static str);

#[track_caller]
fn check(recorder: &Recorder, table: &[Told]) {
    for (words, status, part) in table {
        let id = || recorder.latest();
        let words: Vec<String> =
            words.iter().map(|word| if *word == "ID" { id() } else { (*word).to_owned() }).collect();
        let outcome = recorder.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
        outcome.assert_exit(*status);
        let (said, silent) = match status {
            0 => (outcome.stdout_text(), outcome.stderr_text()),
            _ => (outcome.stderr_text(), outcome.stdout_text()),
        };
        assert!(said.contains(part) && silent.is_empty(), "{words:?}: {outcome}");
    }
}

#[test]
fn in_a_project_without_anything() {
    let recorder = Recorder::new("");
    check(
        &recorder,
        &[
            (&["status"], 0, "record: none; pause-recorder start begins one"),
            (
                &["status"],
                0,
                "levels: caution at 70 %, warning at 85 %, the record begins at 90 %, critical at 95 %",
            ),
            (&["list"], 0, "nothing in .claude/sessions"),
            (&["list", "--json"], 0, r#"{"snapshots":[],"records":[]}"#),
            (&["show"], 1, "this project has no snapshot"),
            (&["show", "20260106"], 1, "`pause-recorder list` shows what there is"),
            (&["finalize"], 1, "nothing is being recorded"),
            (&["finalize", "--minimal"], 1, "nothing is being recorded"),
            (&["discard"], 1, "nothing is being recorded"),
            (&["resume"], 1, "has no snapshot that was written on this machine"),
            (&["prune", "--dry-run"], 0, "no snapshot of this project is older than 90 days"),
            (&["schema", "snapshot"], 0, "\"schema_version\""),
            (&["schema"], 0, "\"auto_pause\""),
            (&["help"], 0, "finalize [--minimal] [ID]"),
        ],
    );
    assert!(!recorder.dir().exists(), "looking makes nothing");
}

#[test]
fn wrong_words_are_wrong_usage() {
    let usage: &[&[&str]] = &[
        &["frobnicate"],
        &["list", "--all"],
        &["show", "a", "b"],
        &["start", "now"],
        &["finalize", "--json"],
        &["discard", "--force"],
        &["prune", "--older-than"],
        &["prune", "--older-than", "soon"],
        &["prune", "--older-than", "-1"],
        &["resume", "--all"],
        &["status", "--all"],
    ];
    let recorder = Recorder::new("");
    for words in usage {
        let outcome = recorder.run(words);
        outcome.assert_exit(64);
        assert!(outcome.stdout.is_empty() && !outcome.stderr.is_empty(), "{words:?}: {outcome}");
    }
    assert!(!recorder.dir().exists());
}

#[test]
fn a_record_from_its_beginning_to_its_end() {
    let recorder = Recorder::new("");
    check(
        &recorder,
        &[
            (&["start"], 0, "from here on this session is recorded in .claude/sessions"),
            (&["start"], 0, "this session is being recorded already: session-"),
            (&["status"], 0, "record: session-"),
            (&["list"], 0, "being recorded, 1 action, of this session"),
            (&["finalize"], 0, "is finalized, 1 action:\n"),
            (&["list"], 0, "unread"),
            (&["show"], 0, "# Paused session `session-"),
            (&["show", "ID"], 0, "# Paused session `session-"),
            (&["show", "--json", "ID"], 0, "\"schema_version\": 1"),
            (&["resume"], 0, "\nSnapshot: .claude/sessions/session-"),
            (&["resume", "ID"], 0, "pause-recorder: an earlier session of this project ended "),
            (&["list"], 0, "unread"),
        ],
    );
    let first = lines(&recorder.file(&recorder.latest(), "-incremental.jsonl")).remove(0);
    assert_eq!(first["data"]["reason"], "command");
}

#[test]
fn a_minimal_end_leaves_the_archive_alone() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    let id = id_of(&record);
    let refused = recorder.run(&["finalize", "--minimal"]);
    refused.assert_exit(1);
    let line = format!("type: pause-recorder finalize --minimal {id}");
    assert!(refused.stdout.is_empty() && refused.stderr_text().trim_end().ends_with(&line), "{refused}");
    assert!(record.is_file(), "it is for the user alone");
    let told = recorder.typed(&recorder.session, "pause-recorder finalize --minimal").unwrap();
    let [archive] = &recorder.kept()[..] else { panic!("{:?}", recorder.kept()) };
    assert_eq!(*archive, format!("{id}-incremental.jsonl"));
    assert!(told.ends_with(archive.as_str()), "{told}");
    let lines = lines(&recorder.dir().join(archive));
    assert_eq!(kinds(&lines), ["pause_started", "system_event", "tool_call", "pause_finalized"]);
    assert_eq!(recorder.starts("bbbbbbbb-1").brief, "");
}

#[test]
fn the_json_path_is_the_last_thing_finalize_prints() {
    let recorder = Recorder::new("");
    recorder.recorded(&recorder.session);
    let said = recorder.run(&["finalize"]).stdout_text();
    let path = std::path::Path::new(said.trim_end().lines().last().unwrap());
    assert_eq!(path, recorder.file(&recorder.latest(), ".json"), "{said}");
    assert!(path.is_file());
}

#[test]
fn status_in_json_has_the_keys_of_the_summary() {
    let recorder = Recorder::new("");
    recorder.recorded(&recorder.session);
    let status: Value = serde_json::from_str(&recorder.run(&["status", "--json"]).stdout_text()).unwrap();
    let keys: Vec<&str> = status["record"].as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "session_id",
        "action_count",
        "duration_seconds",
        "context_range",
        "pause_started_at",
        "last_action_type",
        "last_updated",
    ];
    assert_eq!(keys, expected);
    assert_eq!(
        (&status["record"]["action_count"], &status["record"]["last_action_type"]),
        (&json!(3), &json!("tool_call"))
    );
    assert_eq!(status["context"]["percentage"], 90.0);
}

#[test]
fn a_session_means_its_own_record_and_those_of_others_are_named() {
    let recorder = Recorder::new("");
    let others = ["aaaaaaaa-1", "bbbbbbbb-1"].map(|id| recorder.another(id));
    let records = others.each_ref().map(|other| recorder.recorded(other));
    let ids = records.each_ref().map(|record| id_of(record));
    for verb in ["finalize", "discard"] {
        let refused = recorder.run(&[verb]);
        refused.assert_exit(1);
        let (claude, user) = (refused.stderr_text(), recorder.typed(&recorder.session, &own(verb)).unwrap());
        assert!(claude.contains(&format!("are for the user to {verb}, who can type:\n")), "{claude}");
        assert!(user.contains(&format!("to {verb} one, type its line:\n")), "{user}");
        for said in [claude, user] {
            assert!(said.contains("this session has no record"), "{said}");
            for id in &ids {
                let is_its = |line: &str| {
                    line.starts_with("  last written ") && line.ends_with(&own(&format!("{verb} {id}")))
                };
                assert_eq!(said.lines().filter(|line| is_its(line)).count(), 1, "{id}: {said}");
            }
        }
    }
    for verb in ["finalize", "discard"] {
        let refused = recorder.run(&[verb, &ids[0]]);
        refused.assert_exit(1);
        assert!(refused.stderr_text().contains("is of another session, last written "), "{refused}");
        assert!(refused.stderr_text().contains("for the user to decide"), "{refused}");
    }
    assert_eq!(recorder.actives().len(), 2);
    let told = recorder.typed(&recorder.session, &own(&format!("finalize {}", ids[0]))).unwrap();
    assert!(told.starts_with(&format!("{} is finalized", ids[0])), "{told}");
    assert_eq!((recorder.latest(), recorder.actives()), (ids[0].clone(), vec![records[1].clone()]));
    recorder.run(&["finalize"]).assert_exit(1);
    recorder.run_in(&others[1], &["finalize"]).assert_exit(0);
    assert_eq!((recorder.latest(), recorder.actives()), (ids[1].clone(), vec![]));
}

/// The line that begins with the hook's own name.
fn own(words: &str) -> String {
    format!("pause-recorder {words}")
}

#[test]
fn what_is_typed_as_a_prompt_is_answered_and_never_reaches_claude() {
    let recorder = Recorder::new("");
    let session = &recorder.session;
    for (prompt, part) in [
        ("pause-recorder status", "pause-recorder: on"),
        ("pause-recorder list", "nothing in .claude/sessions"),
        (" pause-recorder  START ", "from here on this session is recorded"),
        ("pause-recorder finalize", "is finalized, 1 action:"),
        ("pause-recorder show", "# Paused session `session-"),
        ("pause-recorder start", "from here on this session is recorded"),
        ("pause-recorder discard", "is discarded, 1 action; nothing of it is left"),
        ("pause-recorder prune --older-than 1", "no snapshot of this project is older than 1 day"),
        ("pause-recorder prune --older-than 0 --dry-run", "would be removed:\n  session-"),
        ("pause-recorder show 99999999", "nothing here has such an id"),
    ] {
        let told = recorder.typed(session, prompt).unwrap_or_else(|| panic!("{prompt} goes to Claude"));
        assert!(told.contains(part), "{prompt}: {told}");
    }
    for prompt in
        ["pause-recorder", "pause-recorder show yourself", "pause-recorder start the server", "list"]
    {
        assert_eq!(recorder.typed(session, prompt), None, "{prompt}");
    }
    let answer = recorder.ask(&session.user_prompt_submit("pause-recorder resume"));
    let brief = context(answer.as_ref()).expect("which is for Claude");
    assert!(brief.contains(&recorder.latest()), "{brief}");
    assert!(recorder.run(&["list"]).stdout_text().contains(", read"));
}

#[test]
fn off_and_on_again() {
    let recorder = Recorder::new("");
    let session = &recorder.session;
    let told = recorder.typed(session, "pause-recorder off").unwrap();
    assert!(told.starts_with("pause-recorder: off"), "{told}");
    assert_eq!(recorder.climb(session, 190_000), "");
    let told = recorder.typed(session, "pause-recorder start").unwrap();
    assert!(told.contains("type: pause-recorder on"), "{told}");
    assert!(!recorder.dir().exists());
    assert!(recorder.typed(session, "pause-recorder on").unwrap().starts_with("pause-recorder: on"));
    assert!(recorder.climb(session, 190_000).contains("from here on"));
}

#[test]
fn what_drops_and_removes_is_refused_where_nobody_types() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    for prompt in ["pause-recorder discard", "pause-recorder prune", "pause-recorder off"] {
        let payload = recorder.session.user_prompt_submit(prompt);
        let hook = recorder.hook().env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli").stdin(payload.to_bytes());
        let said = hook.run().stdout_text();
        assert!(said.contains("for the user to decide"), "{prompt}: {said}");
    }
    assert!(record.is_file());
}

#[test]
fn claudes_shell_may_look_and_finalize_and_not_drop() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    for words in [&["discard"][..], &["prune"], &["prune", "--older-than", "0"], &["off"]] {
        let refused = recorder.run(words);
        refused.assert_exit(1);
        assert!(refused.stderr_text().contains("for the user to decide"), "{refused}");
    }
    assert!(record.is_file());
    let said = recorder.run(&["discard"]).stderr_text();
    assert!(said.contains("as a prompt of this session, type: pause-recorder discard session-"), "{said}");
    for words in [&["status"][..], &["list"], &["prune", "--dry-run"], &["finalize"]] {
        recorder.run(words).assert_exit(0);
    }
}

#[test]
fn prune_removes_what_is_older_and_nothing_else() {
    let recorder = Recorder::new("");
    recorder.paused(&recorder.session);
    let record = recorder.recorded(&recorder.another("bbbbbbbb-1"));
    for end in [".json", ".yaml", ".md", "-incremental.jsonl.gz"] {
        recorder.sandbox.write(format!(".claude/sessions/session-20200101-000000{end}"), "{}");
    }
    for name in ["session-2020.json", "notes.md", "session-20200101-000000.json.bak"] {
        recorder.sandbox.write(format!(".claude/sessions/{name}"), "{}");
    }
    let before = recorder.kept();
    let told = recorder.typed(&recorder.session, "pause-recorder prune").unwrap();
    assert_eq!(told, "removed:\n  session-20200101-000000");
    let gone: Vec<String> = before.into_iter().filter(|name| !recorder.kept().contains(name)).collect();
    assert_eq!(gone.len(), 4, "{gone:?}");
    assert!(
        gone.iter().all(|name| name.starts_with("session-20200101-000000.")
            || name.starts_with("session-20200101-000000-"))
    );
    assert!(record.is_file());
}

#[test]
fn finalize_ends_that_of_a_session_that_is_gone_when_it_was_last_heard_of() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.another("bbbbbbbb-1"));
    let id = id_of(&record);
    age(&record, HOUR * 5);
    let told = recorder.typed(&recorder.session, &own(&format!("finalize {id}"))).unwrap();
    assert!(told.starts_with(&format!("{id} is finalized, 3 actions:\n")), "{told}");
    assert_eq!(recorder.latest(), id);
    let snapshot = recorder.snapshot(&recorder.latest());
    assert_eq!(snapshot["duration_hours"], 0.0, "not the five hours since: {snapshot:#}");
}

#[test]
fn where_it_is_off_its_commands_answer_all_the_same() {
    let recorder = Recorder::new("");
    let id = recorder.paused(&recorder.session);
    recorder.sandbox.requirements(Level::User, "pause-recorder: {enabled: false}\n");
    assert!(recorder.typed(&recorder.session, "pause-recorder list").unwrap().contains(&id));
    check(
        &recorder,
        &[(&["show"], 0, "# Paused session"), (&["status"], 0, "off"), (&["start"], 1, "is off")],
    );
}

#[cfg(target_os = "linux")]
mod in_a_terminal {
    use std::path::{Path, PathBuf};

    use super::super::{NAME, Recorder, id_of};
    use crate::typed::{Typed, claude, shell, typed};
    use tests::binaries;

    /// What comes of these words under this shell; `session`: the one it is told of.
    fn run(recorder: &Recorder, shell: &Path, words: &str, session: Option<&str>) -> Typed {
        let variables: Vec<_> = session.map(|id| ("CLAUDE_CODE_SESSION_ID", id)).into_iter().collect();
        typed(&binaries::path(NAME), &recorder.sandbox, shell, words, &variables)
    }

    /// A shell without a terminal, as a script's on a schedule.
    fn without_terminal(recorder: &Recorder) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let path = recorder.sandbox.temporary_dir().join("scheduled");
        std::fs::write(&path, "#!/bin/sh\nexec setsid /bin/sh \"$@\"\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn a_person_drops_a_record_and_claude_does_not() {
        let recorder = Recorder::new("");
        let record = recorder.recorded(&recorder.session);
        let (line, own) =
            (format!("pause-recorder discard {}", id_of(&record)), recorder.session.id.as_str());
        for (words, session, part) in [
            (
                "discard",
                Some(own),
                format!(
                    "for the user to decide; in a terminal of your own, outside Claude Code, type: {line}"
                ),
            ),
            (
                "discard",
                None,
                "this session has no record. Those of other sessions are for the user to discard".to_owned(),
            ),
            ("discard", None, format!(": {line}\n")),
            ("prune --older-than 0", None, "type: pause-recorder prune --older-than 0".to_owned()),
        ] {
            let refused = run(&recorder, &claude(&recorder.sandbox), words, session);
            assert_eq!(refused.status, 1, "{}", refused.screen);
            assert!(refused.screen.contains(&part), "{part}: {}", refused.screen);
        }
        assert!(record.is_file());
        let done = run(&recorder, &shell(), "discard", None);
        assert_eq!(done.status, 0, "{}", done.screen);
        assert!(done.screen.contains("is discarded, 3 actions"), "{}", done.screen);
        assert!(!record.exists());
    }

    #[test]
    fn of_several_records_one_is_named_and_a_script_may_finalize_it_too() {
        for has_terminal in [true, false] {
            let recorder = Recorder::new("");
            let shell = if has_terminal { shell() } else { without_terminal(&recorder) };
            for id in ["aaaaaaaa-1", "bbbbbbbb-1"] {
                recorder.recorded(&recorder.another(id));
            }
            let refused = run(&recorder, &shell, "finalize", None);
            let said = refused.screen;
            assert_eq!(refused.status, 1, "{said}");
            let is_line = |line: &&str| line.starts_with("  pause-recorder finalize session-");
            let line = said.lines().find(is_line).expect(&said);
            let id = line.split(' ').next_back().unwrap();
            let discarded = run(&recorder, &without_terminal(&recorder), &format!("discard {id}"), None);
            assert_eq!(discarded.status, 1, "{}", discarded.screen);
            assert!(discarded.screen.contains("for the user to decide"), "{}", discarded.screen);
            let done = run(&recorder, &shell, &format!("finalize {id}"), None);
            assert_eq!(done.status, 0, "{}", done.screen);
            assert_eq!((recorder.latest().as_str(), recorder.actives().len()), (id, 1));
            let done = run(&recorder, &shell, "finalize", None);
            assert_eq!(done.status, 0, "{}", done.screen);
            assert!(recorder.actives().is_empty());
        }
    }
}
