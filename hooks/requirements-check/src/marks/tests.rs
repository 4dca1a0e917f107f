//! Marks as data: which of them count, whose they are, and how they stand in a file.

use proptest::prelude::*;
use serde_json::json;
use shared::host::Timestamp;

use super::wire::{Parsed, parse, to_bytes};
use super::{BranchMarks, By, Holder, Key, Mark, Metadata, is_fresh};
use crate::settings::Scope;

const NOW: i64 = 1_795_300_000;

const ONE: &str = "bf41c52e-72c4-4f61-aed6-2ac9c7e341c4";
/// The same first eight characters.
const TWIN: &str = "bf41c52e-0000-4f61-aed6-2ac9c7e341c4";
const OTHER: &str = "0a41c52e-72c4-4f61-aed6-2ac9c7e341c4";
const SHORT: &str = "bf41c52e";

fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(NOW + secs)
}

fn made(secs: i64) -> Mark {
    Mark::new(By::Agent, at(secs))
}

fn none() -> BranchMarks {
    BranchMarks::new(&Key::Branch("main".to_owned()))
}

fn marked(scope: Scope, holder: Holder<'_>, mark: Mark) -> BranchMarks {
    let mut marks = none();
    marks.set("plan", scope, holder, mark);
    marks
}

fn read(text: &str) -> BranchMarks {
    match parse(text.as_bytes()) {
        Parsed::Marks(marks) => marks,
        other => panic!("{other:?}"),
    }
}

fn of_original(requirement: &serde_json::Value) -> BranchMarks {
    read(&json!({ "version": "1.0", "branch": "main", "requirements": { "plan": requirement } }).to_string())
}

#[test]
fn a_mark_counts_for_those_it_was_made_for() {
    use Scope::{Branch, Permanent, Session, SingleUse};
    let own = marked(Session, Holder::Session(ONE), made(0));
    let everyones = marked(Session, Holder::Everyone, made(0));
    for (marks, scope, session, expected) in [
        (&own, Session, ONE, true),
        (&own, SingleUse, ONE, true),
        (&own, Session, OTHER, false),
        (&own, Session, TWIN, false),
        (&own, Branch, ONE, false),
        (&own, Permanent, ONE, false),
        (&everyones, Session, OTHER, true),
        (&everyones, SingleUse, OTHER, true),
        (&everyones, Branch, OTHER, true),
        (&everyones, Permanent, OTHER, true),
        (&none(), Session, ONE, false),
    ] {
        assert_eq!(marks.mark("plan", scope, session, at(1)).is_some(), expected, "{scope:?} {session}");
        assert!(marks.mark("another", scope, session, at(1)).is_none());
    }
}

#[test]
fn a_mark_counts_until_the_second_it_expires() {
    let marks = marked(Scope::Session, Holder::Session(ONE), made(0).for_secs(300));
    for (secs, expected) in [(-1, true), (0, true), (299, true), (300, false), (301, false)] {
        let found = marks.mark("plan", Scope::Session, ONE, at(secs));
        assert_eq!(found.is_some(), expected, "{secs}");
    }
    let just_before = Timestamp::from_micros(at(300).micros() - 1);
    assert!(marks.mark("plan", Scope::Session, ONE, just_before).is_some());
}

#[test]
fn an_expired_mark_of_ones_own_does_not_hide_everyones() {
    let mut marks = marked(Scope::Session, Holder::Session(ONE), made(0).for_secs(10));
    marks.set("plan", Scope::Session, Holder::Everyone, made(0).for_secs(20));
    for (secs, expected) in [(9, Some(NOW + 10)), (10, Some(NOW + 20)), (20, None)] {
        let found = marks.mark("plan", Scope::Session, ONE, at(secs));
        assert_eq!(found.and_then(|mark| mark.expires_at), expected, "{secs}");
    }
}

#[test]
fn the_settings_ttl_is_counted_from_the_mark_on() {
    let lasting = made(0);
    let short = made(0).for_secs(10);
    for (mark, ttl, secs, expected) in [
        (&lasting, None, 1_000_000_000, true),
        (&lasting, Some(60), 59, true),
        (&lasting, Some(60), 60, false),
        (&lasting, Some(60), -3600, true),
        (&lasting, Some(u64::MAX), 1_000_000_000, true),
        (&lasting, Some(0), 0, false),
        (&short, Some(60), 9, true),
        (&short, Some(60), 10, false),
        (&short, None, 10, false),
    ] {
        assert_eq!(is_fresh(mark, ttl, at(secs)), expected, "{ttl:?} {secs}");
    }
}

#[test]
fn a_new_mark_replaces_the_holders_earlier_one() {
    let mut marks = marked(Scope::Session, Holder::Session(ONE), made(0));
    marks.set("plan", Scope::Branch, Holder::Session(ONE), made(5));
    let requirement = &marks.requirements["plan"];
    assert_eq!((requirement.scope, requirement.sessions.len()), (Scope::Branch, 1));
    assert_eq!(requirement.sessions[ONE], made(5));
}

#[test]
fn clearing_takes_the_named_holders_marks_and_nobody_elses() {
    let full = || {
        let mut marks = none();
        for name in ["plan", "review"] {
            for holder in [Holder::Session(ONE), Holder::Session(OTHER), Holder::Everyone] {
                marks.set(name, Scope::Session, holder, made(0));
            }
        }
        marks
    };
    let mut marks = full();
    assert!(marks.clear("plan", Holder::Session(ONE)));
    assert!(!marks.clear("plan", Holder::Session(ONE)), "there is none left");
    assert!(!marks.clear("unknown", Holder::Everyone));
    assert_eq!(marks.requirements["plan"].sessions.keys().collect::<Vec<_>>(), [OTHER]);
    assert!(marks.requirements["plan"].everyone.is_some());
    assert_eq!(marks.requirements["review"], full().requirements["review"]);

    assert_eq!(marks.clear_all(Holder::Everyone), 2);
    assert_eq!(marks.sessions().into_iter().collect::<Vec<_>>(), [OTHER, ONE]);
    assert_eq!(marks.clear_all(Holder::Session(OTHER)), 2);
    assert_eq!(marks.requirements.keys().collect::<Vec<_>>(), ["review"], "nothing empty stays");
}

#[test]
fn marks_of_sessions_long_gone_are_dropped_and_everyones_stay() {
    let mut marks = marked(Scope::Session, Holder::Session(ONE), made(0));
    marks.set("plan", Scope::Session, Holder::Session(OTHER), made(1));
    marks.set("plan", Scope::Session, Holder::Everyone, made(-1000));
    marks.forget_sessions(100, at(100));
    assert_eq!(marks.sessions().len(), 2);
    marks.forget_sessions(100, at(101));
    assert_eq!(marks.sessions().into_iter().collect::<Vec<_>>(), [OTHER]);
    assert!(marks.requirements["plan"].everyone.is_some());
}

mod of_the_original_tool {
    use super::{
        By, Holder, NOW, ONE, OTHER, Parsed, SHORT, Scope, TWIN, at, json, made, none, of_original, parse,
        read, to_bytes,
    };

    /// The documented shape, as it stands in its documentation.
    const DOCUMENTED: &str = r#"{
        "version": "1.0",
        "branch": "feature/auth",
        "requirements": {
            "commit_plan": {
                "scope": "session",
                "sessions": {
                    "abc12345": { "satisfied": true, "satisfied_at": 1702345678, "ttl": null, "metadata": {} }
                }
            }
        }
    }"#;

    #[test]
    fn the_documented_file_is_read_and_ours_has_all_it_documents() {
        let marks = read(DOCUMENTED);
        let session = "abc12345-72c4-4f61-aed6-2ac9c7e341c4";
        let mark = marks.mark("commit_plan", Scope::Session, session, at(0)).unwrap();
        assert_eq!((mark.satisfied_at, mark.expires_at), (1_702_345_678, None));

        let mut written: serde_json::Value = serde_json::from_slice(&to_bytes(&marks).unwrap()).unwrap();
        let documented: serde_json::Value = serde_json::from_str(DOCUMENTED).unwrap();
        for added in ["project", "created_at", "updated_at"] {
            assert!(written.as_object_mut().unwrap().remove(added).is_some(), "{added}");
        }
        let mark = &mut written["requirements"]["commit_plan"]["sessions"]["abc12345"];
        assert_eq!(mark.as_object_mut().unwrap().remove("satisfied_by"), Some(json!("")));
        assert_eq!(written, documented);
    }

    #[test]
    fn its_real_files_are_read() {
        let marks = of_original(&json!({
            "scope": "session", "satisfied": true, "satisfied_at": 1_795_299_000.75, "satisfied_by": "cli_bypass",
            "expires_at": 1_795_300_010.5, "metadata": { "bypass": true, "skill": 7, "note": "why" },
            "triggered": true, "triggered_at": 1_795_299_000.1,
            "sessions": {
                "bf41c52e": { "triggered": true, "triggered_at": 1_795_299_000 },
                "0a41c52e": {
                    "satisfied": true, "satisfied_at": 1_795_299_000, "satisfied_by": null, "expires_at": null,
                    "metadata": null, "triggered": false,
                },
            },
        }));
        let everyones = marks.mark("plan", Scope::Branch, ONE, at(9)).unwrap();
        assert_eq!(everyones.satisfied_at, NOW - 1000);
        assert_eq!(everyones.satisfied_by, By::Other("cli_bypass".to_owned()));
        assert_eq!(everyones.metadata.note.as_deref(), Some("why"));
        assert_eq!(
            serde_json::Value::Object(everyones.metadata.other.clone()),
            json!({ "bypass": true, "skill": 7 })
        );
        assert!(marks.mark("plan", Scope::Branch, ONE, at(10)).is_none(), "never longer than was meant");
        assert!(marks.mark("plan", Scope::Session, ONE, at(10)).is_none(), "triggered is not satisfied");
        assert!(marks.mark("plan", Scope::Session, OTHER, at(10)).is_some());
        let rewritten = String::from_utf8(to_bytes(&marks).unwrap()).unwrap();
        assert!(!rewritten.contains("triggered") && !rewritten.contains("bf41c52e"), "{rewritten}");
    }

    #[test]
    fn its_time_to_live_is_an_end() {
        let marks = of_original(&json!({
            "scope": "branch", "satisfied": true, "satisfied_at": 1_795_300_000, "ttl": 60, "sessions": {},
        }));
        assert!(marks.mark("plan", Scope::Branch, ONE, at(59)).is_some());
        assert!(marks.mark("plan", Scope::Branch, ONE, at(60)).is_none());
    }

    #[test]
    fn a_short_key_counts_for_the_only_session_that_can_be_meant() {
        let mut marks = none();
        marks.set("plan", Scope::Session, Holder::Session(SHORT), made(0));
        assert!(marks.mark("plan", Scope::Session, ONE, at(1)).is_some());
        assert!(marks.mark("plan", Scope::Session, OTHER, at(1)).is_none());
        assert!(marks.mark("plan", Scope::Session, "bf41c52", at(1)).is_none());
        assert!(
            marks.mark("plan", Scope::Session, SHORT, at(1)).is_some(),
            "an id of eight characters is an id"
        );
    }

    #[test]
    fn a_short_key_that_two_sessions_share_counts_for_neither_and_stays() {
        let mut marks = none();
        marks.set("review", Scope::Session, Holder::Session(ONE), made(0));
        marks.set("review", Scope::Session, Holder::Session(TWIN), made(0));
        marks.set("plan", Scope::Session, Holder::Session(SHORT), made(0));
        for session in [ONE, TWIN] {
            assert!(marks.mark("plan", Scope::Session, session, at(1)).is_none(), "{session}");
            assert!(!marks.clear("plan", Holder::Session(session)), "{session}");
        }
        assert!(marks.requirements["plan"].sessions.contains_key(SHORT));
    }

    #[test]
    fn the_sessions_next_change_moves_it_to_the_full_id() {
        let mut marks = none();
        marks.set("plan", Scope::Session, Holder::Session(SHORT), made(0));
        marks.set("review", Scope::Session, Holder::Session(SHORT), made(7));
        marks.set("review", Scope::Session, Holder::Session("unrelated"), made(0));
        marks.set("tests", Scope::Session, Holder::Session(ONE), made(1));
        assert_eq!(marks.requirements["plan"].sessions[ONE], made(0));
        assert_eq!(marks.sessions().into_iter().collect::<Vec<_>>(), [ONE, "unrelated"]);
        marks.set("review", Scope::Session, Holder::Session(SHORT), made(9));
        assert!(marks.clear("plan", Holder::Session(ONE)));
        assert_eq!(marks.requirements["review"].sessions[ONE], made(9), "of two marks the newer stays");
        marks.set("review", Scope::Session, Holder::Session(SHORT), made(8));
        assert!(!marks.clear("plan", Holder::Session(ONE)));
        assert_eq!(marks.requirements["review"].sessions[ONE], made(9));
    }

    #[test]
    fn what_makes_no_sense_is_damaged() {
        for text in [
            "",
            "{",
            "[]",
            "{}",
            r#"{"version":"1.0","branch":"main"}"#,
            r#"{"version":"1.0","requirements":{}}"#,
            r#"{"version":1,"branch":"main","requirements":{}}"#,
            r#"{"version":"1.0","branch":"main","requirements":[]}"#,
            r#"{"version":"1.0","branch":"main","requirements":{"plan":true}}"#,
            r#"{"version":"1.0","branch":"main","requirements":{"plan":{"satisfied":"yes"}}}"#,
            r#"{"version":"1.0","branch":"main","requirements":{"plan":{"satisfied":true,"satisfied_at":"today"}}}"#,
            r#"{"version":"1.0","branch":"main","requirements":{"plan":{"sessions":{"a":1}}}}"#,
        ] {
            assert_eq!(parse(text.as_bytes()), Parsed::Damaged, "{text}");
        }
    }

    #[test]
    fn a_scope_nobody_knows_is_no_damage() {
        for scope in [json!("galaxy"), json!(null), json!(3)] {
            let marks =
                of_original(&json!({ "scope": scope, "satisfied": true, "satisfied_at": 1, "sessions": {} }));
            assert!(marks.mark("plan", Scope::Branch, ONE, at(0)).is_some(), "{scope}");
        }
    }
}

#[test]
fn a_newer_version_is_known_as_such_whether_it_can_be_read_or_not() {
    let file = |version: &str, requirements: &str| {
        parse(
            format!(r#"{{"version":"{version}","branch":"main","requirements":{requirements}}}"#).as_bytes(),
        )
    };
    for version in ["2.0", "1.1", "10.0", "2"] {
        assert!(matches!(file(version, "{}"), Parsed::Newer(Some(_))), "{version}");
        assert_eq!(file(version, "[]"), Parsed::Newer(None), "{version}");
    }
    for version in ["1.0", "1", "0.9", "", "soon"] {
        assert!(matches!(file(version, "{}"), Parsed::Marks(_)), "{version}");
        assert_eq!(file(version, "[]"), Parsed::Damaged, "{version}");
    }
}

#[test]
fn a_file_without_sessions_or_version_is_read() {
    let marks = read(r#"{"branch":"main","requirements":{"plan":{"satisfied":true,"satisfied_at":1}}}"#);
    assert!(marks.mark("plan", Scope::Branch, ONE, at(0)).is_some());
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z_]{1,8}", any::<String>()]
}

fn any_metadata() -> impl Strategy<Value = Metadata> {
    let text = || proptest::option::of(any_text());
    let fingerprint = prop_oneof![Just(None), any_text().prop_map(|tree| Some(json!({ "tree": tree })))];
    let other = prop_oneof![Just(None), any::<i32>().prop_map(Some)];
    (text(), text(), text(), text(), text(), text(), fingerprint, other).prop_map(
        |(who, entrypoint, note, skill, command, prompt, fingerprint, other)| Metadata {
            who,
            entrypoint,
            note,
            skill,
            command,
            prompt,
            fingerprint,
            other: other.into_iter().map(|value| ("bypass".to_owned(), json!(value))).collect(),
        },
    )
}

fn any_mark() -> impl Strategy<Value = Mark> {
    (any::<i64>(), any_text(), any::<Option<i64>>(), any_metadata()).prop_map(
        |(satisfied_at, by, expires_at, metadata)| Mark {
            satisfied_at,
            satisfied_by: By::from(by),
            expires_at,
            metadata,
        },
    )
}

#[derive(Debug, Clone)]
enum Step {
    Set { name: u8, by_twin: bool, mark: Box<Mark> },
    Clear { name: u8, by_twin: bool },
    ClearAll { by_twin: bool },
}

fn any_step() -> impl Strategy<Value = Step> {
    let (name, by_twin) = (|| 0..3_u8, any::<bool>);
    prop_oneof![
        (name(), by_twin(), any_mark()).prop_map(|(name, by_twin, mark)| Step::Set {
            name,
            by_twin,
            mark: Box::new(mark)
        }),
        (name(), by_twin()).prop_map(|(name, by_twin)| Step::Clear { name, by_twin }),
        by_twin().prop_map(|by_twin| Step::ClearAll { by_twin }),
    ]
}

fn step(marks: &mut BranchMarks, step: &Step) -> bool {
    let session = |by_twin: bool| if by_twin { TWIN } else { ONE };
    match step {
        Step::Set { name, by_twin, mark } => {
            let mark = Mark::clone(mark);
            marks.set(&name.to_string(), Scope::Session, Holder::Session(session(*by_twin)), mark);
            *by_twin
        }
        Step::Clear { name, by_twin } => {
            marks.clear(&name.to_string(), Holder::Session(session(*by_twin)));
            *by_twin
        }
        Step::ClearAll { by_twin } => {
            marks.clear_all(Holder::Session(session(*by_twin)));
            *by_twin
        }
    }
}

fn of_session(marks: &BranchMarks, session: &str) -> Vec<(String, Mark)> {
    let own = marks
        .requirements
        .iter()
        .filter_map(|(name, of)| Some((name.clone(), of.sessions.get(session)?.clone())));
    own.collect()
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        marks in proptest::collection::vec((any_text(), any_text(), any::<bool>(), 0..4_usize, any_mark()), 0..8),
        branch in any_text(), times in any::<(i64, i64)>()
    ) {
        let scopes = [Scope::Session, Scope::Branch, Scope::Permanent, Scope::SingleUse];
        let mut all = BranchMarks { branch, created_at: times.0, updated_at: times.1, ..BranchMarks::default() };
        for (name, session, is_own, scope, mark) in marks {
            let holder = if is_own { Holder::Session(&session) } else { Holder::Everyone };
            all.set(&name, scopes[scope], holder, mark);
        }
        prop_assert_eq!(parse(&to_bytes(&all).unwrap()), Parsed::Marks(all));
    }

    #[test]
    fn no_change_of_one_session_touches_the_others_marks(steps in proptest::collection::vec(any_step(), 1..30)) {
        let mut marks = none();
        marks.set("0", Scope::Session, Holder::Session(ONE), made(0));
        marks.set("1", Scope::Session, Holder::Session(TWIN), made(0));
        for taken in &steps {
            let before = marks.clone();
            let by_twin = step(&mut marks, taken);
            let bystander = if by_twin { ONE } else { TWIN };
            prop_assert_eq!(of_session(&marks, bystander), of_session(&before, bystander));
        }
    }

    #[test]
    fn arbitrary_bytes_are_damaged(bytes in any::<Vec<u8>>()) {
        prop_assert_eq!(parse(&bytes), Parsed::Damaged);
    }
}
