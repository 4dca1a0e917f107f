//! What a purge leaves.
