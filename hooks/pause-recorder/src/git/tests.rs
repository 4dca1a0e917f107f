//! Repositories made and changed by the real git, with nothing of the developer's own settings.
