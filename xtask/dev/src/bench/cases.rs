//! The cases of each hook, as data: an event, the differences from the common world, and the answer that proves the case.
//! The bench fails for a hook of config/hooks.yaml without cases. Each hook has a module.
//!
//! The common world (`world.rs`): the three files of config/samples/team, a git repository, the recorded transcript, and
//! the state of 20 earlier calls. In the texts of this table `{session}` stands for the session of the recordings and
//! `{now+3600}` for a time, in those of an event `{project}` for the project's folder.

mod credit_pacer;
mod delegation_guard;
mod intent_validator;
mod pause_recorder;
mod rate_awareness;
mod requirements_check;
mod stop_momentum;
mod tempo_stop;

#[derive(Debug)]
pub(super) struct HookCases {
    pub(super) hook: &'static str,
    /// How many times the empty binary's median a call may take (quality.md, "Speed").
    pub(super) budget: f64,
    /// Files besides the configuration, by path below the scratch folder.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// Arguments of the git commands after `git init`.
    pub(super) git: &'static [&'static [&'static str]],
    /// The earlier calls, all of them so many times; `{n}` is the number of the time.
    pub(super) earlier: &'static [Event],
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
    /// Name in the table.
    pub(super) name: &'static str,
    /// Overrides the budget of the hook.
    pub(super) budget: Option<f64>,
    pub(super) event: Event,
    /// How the configuration differs from the team's.
    pub(super) config: &'static [Edit],
    /// Lines after the recorded transcript.
    pub(super) transcript: &'static [&'static str],
    /// Files of the state folder that differ from what the earlier calls left.
    pub(super) state: &'static [(&'static str, &'static str)],
    /// Expected answer.
    pub(super) prints: Prints,
    /// Expected journal line.
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
    Nothing,
    /// One JSON object in which each of these texts stands.
    Object(&'static [&'static str]),
}

/// The line in the journal.
#[derive(Debug, Clone, Copy)]
pub(super) enum Journals {
    Nothing,
    /// One in which this text stands.
    Line(&'static str),
}

pub(super) const HOOKS: &[HookCases] = &[
    credit_pacer::CASES,
    delegation_guard::CASES,
    intent_validator::CASES,
    pause_recorder::CASES,
    rate_awareness::CASES,
    requirements_check::CASES,
    stop_momentum::CASES,
    tempo_stop::CASES,
];
