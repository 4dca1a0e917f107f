//! The command line `req`: the real binary, as Claude's shell, a script and a person run it.

mod ci;
mod config;
mod doctor;
mod hooks;
mod init;
mod journal;
mod json;
mod marks;
mod pause;
mod usage;
