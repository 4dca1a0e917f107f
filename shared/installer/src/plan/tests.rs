//! What spends money is switched on in the user's own file, by the user, with a way to a model where one is named.

use std::fs;

use shared::catalog::Catalog;
use shared::host::{Clock, Environment, Host, Timestamp};

use super::{Extras, Plan};
use crate::choose::Wish;
use crate::judge::{self, Judge};
use crate::places::{Installation, Scope};
use crate::source::{Binaries, Source};

const PAID: &str = "tempo-stop";
const FREE: &str = "stop-momentum";

/// Plans the installation of one hook, and hands the plan on.
fn planned<T>(
    hook: &str,
    scope: Scope,
    judge: Option<Judge>,
    look: impl FnOnce(anyhow::Result<Plan<'_>>, &Source<'_>) -> T,
) -> T {
    let scratch = tempfile::tempdir().unwrap();
    let catalog = Catalog::built_in().unwrap();
    let source = Source::Whole(&|_| Ok(Binaries::new()));
    let extras = Extras { judge, ..Extras::default() };
    fs::create_dir_all(scratch.path().join(".claude")).unwrap();
    let installation = Installation::scratch(scratch.path(), scope);
    let plan = Plan::make(&catalog, &installation, &Wish::Named(vec![hook.to_owned()]), &extras, &source);
    look(plan, &source)
}

fn host(inside_claude: bool) -> Host {
    let now = Timestamp::from_secs(1);
    let environment = Environment { inside_claude, ..Environment::default() };
    Host { started: now, clock: Clock::Fixed(now), environment }
}

#[test]
fn only_the_users_own_file_switches_on_what_spends_money() {
    for (hook, scope, is_refused) in [
        (PAID, Scope::User, false),
        (PAID, Scope::Project, true),
        (PAID, Scope::Local, true),
        (FREE, Scope::Project, false),
    ] {
        let refusal = planned(hook, scope, None, |plan, _| plan.err().map(|error| error.to_string()));
        assert_eq!(refusal.is_some(), is_refused, "{hook} {scope:?}: {refusal:?}");
        assert!(refusal.is_none_or(|told| told.contains("only your own file") && told.contains(hook)));
    }
}

#[test]
fn claude_switches_on_nothing_that_spends_money() {
    let refusal = |hook| {
        planned(hook, Scope::User, None, |plan, source| {
            let refused = plan.unwrap().ensure_payer(&host(true), source);
            refused.err().map(|error| error.to_string())
        })
    };
    assert_eq!(refusal(FREE), None);
    let told = refusal(PAID).unwrap();
    assert!(told.contains("install --hooks tempo-stop"), "{told}");
}

#[test]
fn the_way_to_a_model_is_written_beside_the_hook_and_asked_for_where_it_is_missing() {
    for (hook, judge, is_written, is_next) in [
        (PAID, Some(Judge::ClaudeCli), true, false),
        (PAID, None, false, true),
        (FREE, Some(Judge::ClaudeCli), false, false),
    ] {
        planned(hook, Scope::User, judge, |plan, _| {
            let plan = plan.unwrap();
            let (_, after) = plan.requirements().unwrap();
            let after = after.unwrap();
            assert!(after.contains(&format!("{hook}:")), "{after}");
            assert_eq!(after.contains("backend: claude_cli"), is_written, "{after}");
            fs::write(&plan.installation.requirements, after).unwrap();
            let next = judge::next(plan.installation, &plan.chosen).unwrap();
            assert_eq!(next.is_some(), is_next, "{next:?}");
            assert!(next.is_none_or(|next| next.starts_with("Next: ") && next.contains(hook)));
        });
    }
}
