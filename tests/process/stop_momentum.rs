//! The life of the stop-momentum gate through real processes: what it blocks and lets go, what it never blocks,
//! what switches it off, and what it says.

mod acknowledgement;
mod never_blocked;
mod places;
mod switched_off;
mod texts;
