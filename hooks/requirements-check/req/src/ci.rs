//! `req ci`: the requirements that a clean clone can judge, by the hook's own strategies.
//!
//! Facts of the developer's machine alone (satisfactions, approvals, sessions, runs of commands, times of files) count as
//! unknown even where they are there, so that the answer is the same everywhere, and are listed. A fact that this clone should
//! have and has not makes the answer no: a gate that cannot look must not say "satisfied".

use git2::Repository;
use serde::Serialize;
use shared::hook::Context;

use crate::location::Location;
use crate::reply::Reply;
use crate::status::{Standing, State};
use crate::verb::Ci;
use requirements_check::git::Worktree;
use requirements_check::rule::Rule;
use requirements_check::satisfactions::{Key, Satisfactions};
use requirements_check::settings::{Dynamic, Evidence, File, Guard, Requirement, Settings, Terms};
use requirements_check::state::State as Session;
use requirements_check::world::{View, World};

const DETACHED: &str = "HEAD is a commit and nobody says of which branch; say it with --branch";

#[derive(Serialize)]
struct CiReport {
    met: bool,
    branch: Option<String>,
    rules: Vec<Standing>,
    not_judged: Vec<NotJudged>,
    problems: Vec<String>,
    notes: Vec<String>,
}

/// A requirement, or a part of one, that CI cannot judge.
#[derive(Serialize)]
struct NotJudged {
    name: String,
    why: &'static str,
}

pub(crate) fn ci(wanted: &Ci, location: &Location) -> Reply {
    let report = location.look_round(|context, world| judge(wanted, location, context, world));
    let reply = if wanted.output.json { Reply::json(&report) } else { Reply::lines(report.lines()) };
    Reply { is_no: !report.met, ..reply }
}

impl CiReport {
    fn lines(&self) -> Vec<String> {
        let mut lines = Standing::lines(&self.rules, true);
        let is_empty = lines.is_empty() && self.met;
        lines.extend(is_empty.then(|| "nothing required here can be judged in CI".to_owned()));
        let not_judged = self.not_judged.iter();
        lines.extend(not_judged.map(|NotJudged { name, why }| format!("not judged in CI: {name} ({why})")));
        lines.extend(self.problems.iter().map(|problem| format!("wrong: {problem}")));
        lines.extend(self.notes.iter().cloned());
        lines
    }
}

fn judge(wanted: &Ci, location: &Location, context: &Context<'_, Settings>, world: &mut World) -> CiReport {
    let section = &location.section;
    (world.branch, world.permanent) = (Satisfactions::default(), Satisfactions::default());
    let has_git = world.worktree.is_some();
    if let (Some(name), true) = (&wanted.branch, has_git) {
        world.key = Key::Branch(short(name).to_owned());
    }
    let (mut rules, mut not_judged, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    if !section.enabled {
        notes.push("requirements-check is switched off: nothing is judged".to_owned());
    }
    for rule in Rule::all(&section.settings).filter(|_| section.enabled) {
        let (terms, rest) = parts(rule.set, wanted.base.as_ref());
        not_judged.extend(rest.into_iter().map(|why| NotJudged { name: rule.name.to_owned(), why }));
        if let Some(terms) = terms {
            let set = Requirement { terms, ..rule.set.clone() };
            let rule = Rule { name: rule.name, set: &set };
            rules.push(Standing::new(&rule, judged(&rule, context, world), location));
        }
    }
    // A wrong folder must not be taken for a project without rules.
    let is_nowhere = !has_git && Rule::all(&section.settings).next().is_none();
    if is_nowhere {
        notes.push(format!("{}, so start req ci in the checkout", without_git(world)));
    }
    let is_met = rules.iter().all(|rule| rule.state == State::Met);
    CiReport {
        met: is_met && !is_nowhere && section.problems.is_empty(),
        branch: world.branch().map(ToOwned::to_owned),
        rules,
        not_judged,
        problems: section.problems.iter().map(ToString::to_string).collect(),
        notes,
    }
}

/// `main` of `refs/heads/main` and `origin/main`, as CI systems name a branch.
fn short(branch: &str) -> &str {
    branch.strip_prefix("refs/heads/").or_else(|| branch.strip_prefix("origin/")).unwrap_or(branch)
}

/// The part of a requirement that a clean clone can judge, and why not the rest.
fn parts(set: &Requirement, base: Option<&String>) -> (Option<Terms>, Vec<&'static str>) {
    match &set.terms {
        Terms::Blocking(_) => (None, vec!["satisfactions are kept where they were made"]),
        Terms::Guard(Guard::SingleSession) => (None, vec!["sessions are live elsewhere"]),
        Terms::Dynamic(dynamic) => {
            let base = base.or(dynamic.base.as_ref()).cloned();
            (Some(Terms::Dynamic(Dynamic { base, ..dynamic.clone() })), Vec::new())
        }
        Terms::Evidence(evidence) => {
            let ran =
                (!evidence.commands.is_empty()).then_some("that a command passed is known only where it ran");
            // However old the file is: a clone's files are all as old as the clone.
            let has_age = evidence.file.as_ref().is_some_and(|file| file.newer_than.is_some());
            let age = has_age.then_some("newer_than: in a clone all files are new");
            let file = evidence.file.clone().map(|file| File { newer_than: None, ..file });
            let terms = file.map(|file| {
                Terms::Evidence(Evidence { commands: Vec::new(), file: Some(file), ..evidence.clone() })
            });
            (terms, ran.into_iter().chain(age).collect())
        }
        Terms::Guard(_) | Terms::Off(_) => (Some(set.terms.clone()), Vec::new()),
    }
}

/// Measures what a clean clone tells of a rule, without a deadline; the error keeps it from being measured.
fn measure(context: &Context<'_, Settings>, world: &mut World, rule: &Rule<'_>) -> Result<(), String> {
    if rule.set.dynamic().is_some() && world.worktree.is_none() {
        return Err(without_git(world));
    }
    world.measure(context, &[*rule]);
    let Some(size) = world.sizes.get(rule.name) else { return Ok(()) };
    let fetch = world.worktree.as_ref().and_then(fetch_command);
    let lacks = match size {
        Ok(size) if size.base == "HEAD" && fetch.is_some() => {
            "the branch to compare with is not in this clone"
        }
        Ok(_) => return Ok(()),
        Err(why) => why,
    };
    let fetch = fetch.map(|fetch| format!("fetch it: {fetch} (in GitHub Actions: fetch-depth: 0); or "));
    Err(format!("{lacks}; {}name another base with --base", fetch.unwrap_or_default()))
}

/// The command that fetches what this clone may lack of `origin`; `None` without such a remote.
fn fetch_command(worktree: &Worktree) -> Option<String> {
    Repository::open(&worktree.root).ok()?.find_remote("origin").ok()?;
    let depth = if worktree.common_dir.join("shallow").exists() { " --unshallow" } else { "" };
    Some(format!("git fetch{depth} origin '+refs/heads/*:refs/remotes/origin/*'"))
}

fn without_git(world: &World) -> String {
    let problem = world.problem.as_ref();
    problem
        .map_or("there is no git repository here".to_owned(), |why| format!("git could not be read: {why}"))
}

fn judged(rule: &Rule<'_>, context: &Context<'_, Settings>, world: &mut World) -> (State, String) {
    if let Terms::Guard(_) = rule.set.terms {
        match world.key {
            Key::Branch(_) => {}
            Key::Detached(_) => return (State::Unknown, DETACHED.to_owned()),
            Key::NoGit | Key::Permanent => return (State::Unknown, without_git(world)),
        }
    }
    if let Err(why) = measure(context, world, rule) {
        return (State::Unknown, format!("its size is not known: {why}"));
    }
    let state = Session::default();
    match rule.standing(&View { session: None, call: None, state: &state, world, now: context.host.now() }) {
        Ok(how) => (State::Met, how),
        Err(why) => (State::Open, why),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn branch_is_judged_by_its_short_name() {
        let names = ["main", "release/1.0", "refs/heads/origin/main", "origin/main"].map(super::short);
        assert_eq!(names, ["main", "release/1.0", "origin/main", "main"]);
    }
}
