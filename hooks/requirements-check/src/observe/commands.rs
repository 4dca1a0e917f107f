//! Looks of the command line `req` alone.

use super::Look;
use crate::git::baseless;
use crate::rule::Rule;

impl Look<'_, '_> {
    /// Measures what a clean clone tells of a rule, without a deadline.
    ///
    /// # Errors
    /// Says what keeps it from being measured.
    pub fn measure_afresh(&mut self, rule: &Rule<'_>) -> Result<(), String> {
        if let Some(dynamic) = rule.set.dynamic() {
            let worktree = self.world.here.worktree.as_ref().ok_or_else(|| self.without_git())?;
            let baseless = baseless(worktree, dynamic.base.as_deref()).map_err(|error| error.to_string())?;
            if let Some(why) = baseless {
                return Err(format!("{why}; or name another base with --base"));
            }
        }
        self.deadline = None;
        self.measure(&[*rule]);
        self.world.sizes.get(rule.name).map_or(Ok(()), |size| size.as_ref().map(drop).map_err(Clone::clone))
    }

    pub fn without_git(&self) -> String {
        let trouble = self.world.here.trouble.as_ref();
        trouble.map_or("there is no git repository here".to_owned(), |why| {
            format!("git could not be read: {why}")
        })
    }
}
