//! What is measured of each hook, as data: the event, how its world differs from the common one, and the answer that shows
//! that the case does what its name says. A hook in config/hooks.yaml without a row here fails the bench.
//!
//! The common world (`world.rs`): the three files of config/samples/team, a git repository, the recorded transcript, and
//! the state of 20 earlier calls. In the texts of this table `{session}` stands for the session of the recordings.

/// One hook.
#[derive(Debug)]
pub(super) struct HookCases {
    /// Its name in config/hooks.yaml.
    pub(super) hook: &'static str,
    /// How many times the empty binary's median a call may take (quality.md, "Speed").
    pub(super) budget: f64,
    /// Files besides the configuration, by path below the scratch folder.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// The earlier calls; `{n}` is the number of the call.
    pub(super) earlier: Event,
    /// What is measured.
    pub(super) cases: &'static [Case],
}

/// An event: a recorded one with some of its fields changed.
#[derive(Debug)]
pub(super) struct Event {
    /// The file in tests/fixtures/payloads, without `.json`.
    pub(super) recording: &'static str,
    /// Field and new value, as JSON text.
    pub(super) changes: &'static [(&'static str, &'static str)],
}

/// One thing a hook does.
#[derive(Debug)]
pub(super) struct Case {
    /// What it does, for the table.
    pub(super) name: &'static str,
    /// Its own budget, where it does more than what the hook's is for.
    pub(super) budget: Option<f64>,
    /// On which event.
    pub(super) event: Event,
    /// How the configuration differs from the team's.
    pub(super) config: &'static [Edit],
    /// Lines after the recorded transcript.
    pub(super) transcript: &'static [&'static str],
    /// Files of the state folder that differ from what the earlier calls left.
    pub(super) state: &'static [(&'static str, &'static str)],
    /// What it must print.
    pub(super) prints: Prints,
    /// What it must write to the journal.
    pub(super) journals: Journals,
}

/// A change of one file of the team's configuration.
#[derive(Debug)]
pub(super) struct Edit {
    /// `global`, `project` or `local`.
    pub(super) layer: &'static str,
    /// Stands there once.
    pub(super) from: &'static str,
    /// Comes in its place.
    pub(super) to: &'static str,
}

/// The answer on stdout.
#[derive(Debug, Clone, Copy)]
pub(super) enum Prints {
    /// None.
    Nothing,
    /// One JSON object in which each of these texts stands.
    Object(&'static [&'static str]),
}

/// The line in the journal.
#[derive(Debug, Clone, Copy)]
pub(super) enum Journals {
    /// None.
    Nothing,
    /// One in which this text stands.
    Line(&'static str),
}

/// All hooks.
pub(super) const HOOKS: &[HookCases] = &[STOP_MOMENTUM];

const STOP_MOMENTUM: HookCases = HookCases {
    hook: "stop-momentum",
    budget: 2.0,
    files: &[(
        "home/.claude/my-momentum.md",
        "Go through what was asked, point by point, before you stop.\n",
    )],
    earlier: Event {
        recording: "Stop",
        // A transcript that is not there is waited for; none at all is not.
        changes: &[
            ("transcript_path", "null"),
            ("prompt_id", "\"earlier-{n}\""),
            ("last_assistant_message", "\"The parser is done. I'll continue with the printer.\""),
        ],
    },
    cases: &[
        Case {
            name: "disabled",
            config: &[Edit { layer: "global", from: "enabled: true", to: "enabled: false" }],
            ..STOP
        },
        Case {
            name: "the turn made no tool call",
            event: Event { recording: "Stop", changes: &[("prompt_id", "\"words\"")] },
            transcript: &[
                r#"{"type":"user","promptId":"words","message":{"role":"user","content":"what is a monad?"}}"#,
                r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"A burrito."}]}}"#,
            ],
            journals: Journals::Line("the turn made no tool call"),
            ..STOP
        },
        Case {
            name: "lets a question go",
            event: Event { recording: "Stop", changes: &[("last_assistant_message", "\"Shall I go on?\"")] },
            journals: Journals::Line("the last message ends in a question"),
            ..STOP
        },
        Case {
            name: "lets an acknowledged stop go",
            event: Event {
                recording: "Stop",
                changes: &[("last_assistant_message", "\"All done. ACK-X7K2\"")],
            },
            state: &[(
                "stop-ack-{session}",
                r#"{"version":1,"session":"{session}","state":{"token":"ACK-X7K2"}}"#,
            )],
            journals: Journals::Line("acknowledged"),
            ..STOP
        },
        Case {
            name: "blocks",
            prints: Prints::Object(&[r#""decision":"block""#, "ACK-", "point by point"]),
            journals: Journals::Line(r#""what":"block""#),
            ..STOP
        },
        Case {
            name: "blocks, only_when: unfinished",
            // It reads and parses the newest 32 KiB of the transcript, which the other cases do not.
            budget: Some(2.5),
            config: &[Edit { layer: "project", from: "only_when: always", to: "only_when: unfinished" }],
            prints: Prints::Object(&[r#""decision":"block""#, "ACK-", "What looks unfinished"]),
            journals: Journals::Line(r#""what":"block""#),
            ..STOP
        },
    ],
};

/// A stop after work, in the team's configuration, answered by silence.
const STOP: Case = Case {
    name: "",
    budget: None,
    event: Event { recording: "Stop", changes: &[] },
    config: &[],
    transcript: &[],
    state: &[],
    prints: Prints::Nothing,
    journals: Journals::Nothing,
};
