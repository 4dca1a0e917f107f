//! What the client does with hooks, question by question: each case here proves an answer that `tests/client-facts.md`
//! gives and that some hook is built on. The hooks are recording hooks, none of ours. A case that turns red after an
//! update of the client is a changed fact: correct the document, then whatever leans on it.
//!
//! Times are bounded from above only, and generously; what depends on who is faster is compared with what was recorded,
//! not with what is usual.

mod answered_prompts;
mod asked_from_a_hook;
mod bang_commands;
mod compaction;
mod escape;
mod failing_hooks;
mod input_fields;
mod malformed_entries;
mod plugins;
mod prompt_contexts;
mod scheduled_prompts;
mod settings_env;
mod several_stop_hooks;
mod sleeping_hooks;
mod stage;
mod status_line;
mod stop_input;
mod stop_texts;
mod subagents;
mod switched_off;
mod time_limits;
mod transcript_timing;
pub(crate) mod trust;
mod untyped_prompts;
