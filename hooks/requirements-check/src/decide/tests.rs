//! The rules as tables: one session, one event after the other, one verdict each.

mod after;
mod before;
mod order;
mod reactions;
mod single_use;
mod start;
mod stop;
