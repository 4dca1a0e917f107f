//! The first promise: a hook never harms the session. Whatever its input, its outputs, its folders and its own state
//! are like, the status is 0 and stdout is empty or one documented answer; and what should block still blocks.

mod corrupt_state;
mod home;
mod input;
mod processes;
