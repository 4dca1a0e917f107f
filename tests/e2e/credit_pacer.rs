//! credit-pacer under the real client: whose next request waits and for how long, what ends it, who is told, what can be
//! typed, and the status line.
//!
//! Delays are of two seconds, or so long that nobody sits them out: each of them is cut short.

mod delays;
mod scene;
mod screen;
mod status_line;
mod typed;
