//! The cascade through real processes: what a wrong file does (nothing but a notice), what a deeper file may not do, and
//! which files count at all.

mod layers;
mod problems;
mod schema_walk;
mod set_ups;
