//! Two builds.
