//! The settings. The defaults are in config/defaults.yaml, the common keys in `shared::config`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use shared::config::{Bounded, ZeroOr};

/// The section `intent-validator`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// The judge of a declaration.
    pub(crate) stage1: Stage1,
    /// The model of stage 1: a name as the backend takes it.
    pub(crate) stage1_model: String,
    /// Whether a model holds the change against its declaration.
    pub(crate) stage2: Stage2,
    /// The model of stage 2.
    pub(crate) stage2_model: String,
    /// The model in place of the one of stage 2 when that is limited or overloaded. Empty: none.
    pub(crate) stage2_fallback_model: Option<String>,
    /// Core code needs TEST: a test, or a quote of the user who does without.
    pub(crate) tdd: bool,
    /// File name extensions of source code, without the dot.
    pub(crate) extensions: Vec<String>,
    /// Core code: folders, from the project's root or anywhere below it.
    pub(crate) core_paths: Vec<String>,
    /// Files that the hook ignores, by name or glob; with a `/` in it by path from the project's root.
    pub(crate) exclude_paths: Vec<String>,
    /// The rules a change is held against beside its declaration, by name; the first 300 characters of each count. An empty text removes a rule.
    pub(crate) rules: BTreeMap<String, String>,
    /// The checks that need no model.
    pub(crate) checks: Checks,
    /// Blocks before a change is allowed all the same: of one file and agent for want of a declaration, of one file and prompt by
    /// the checks, and as often by a review.
    pub(crate) max_blocks: Bounded<1, 10>,
    /// A declaration recorded by `declare` holds for so many seconds.
    pub(crate) declaration_ttl_secs: Bounded<60, 86_400>,
    /// At a session's start Claude learns the form.
    pub(crate) announce: bool,
    /// Texts of yours in place of built-in ones, by the name of the prompt file: paths, absolute, from `~`, or from the
    /// configuration folder.
    pub(crate) message_files: BTreeMap<String, PathBuf>,
    /// Model backend and limits.
    pub(crate) judge: judge::Settings,
}

/// The checks that need no model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Checks {
    /// A key, a token or a password written into code.
    pub(crate) secrets: bool,
    /// Code left standing as a comment.
    pub(crate) commented_out_code: bool,
    /// A function may have so many lines. 0: any number.
    pub(crate) max_function_lines: ZeroOr<5, 10_000>,
    /// So many conditions and loops may be nested within each other. 0: any number.
    pub(crate) max_nesting: ZeroOr<2, 100>,
}

/// The judge of stage 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stage1 {
    /// The form alone.
    Local,
    /// A model alone.
    Model,
    /// The form, and a model where there is none.
    LocalThenModel,
}

/// Whether a model reviews a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stage2 {
    /// It does.
    Model,
    /// It does not.
    Off,
}
