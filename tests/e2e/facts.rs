//! What the client does with hooks, question by question: each case here proves an answer that `tests/client-facts.md`
//! gives and that some hook is built on. The hooks are recording hooks, none of ours. A case that turns red after an
//! update of the client is a changed fact: correct the document, then whatever leans on it.
//!
//! Times are bounded from above only, and generously.

mod compaction;
mod contexts;
mod input;
mod judge;
mod prompts;
mod settings;
mod sleeping;
mod status_line;
mod stops;
mod subagents;
mod transcript;
mod trust;
