//! The client's wire format: events in, answers out. The only module that knows it.
//!
//! Facts: `tests/client-facts.md` (seen with the real client) and the recordings in `tests/fixtures/payloads`.
//! The client drops an answer that is not exactly as documented and goes on as if nothing had been said,
//! so answers are built here and nowhere else, and checked against the documented shape by a test.

mod answer;
mod input;

pub use answer::{Answer, to_wire};
pub use input::{Call, Event, Mode, Request, Stop, Subagent, ToolCall, ToolFailure, ToolResult, parse};
