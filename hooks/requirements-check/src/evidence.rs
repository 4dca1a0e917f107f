//! Evidence: the commands and the files that count, and why a run does not. Pure.

use std::path::Path;

use crate::call::Call;
use crate::facts::After;
use crate::rule::Rule;
use crate::satisfactions::Satisfaction;
use crate::settings::{CommandPattern, Glob, Guard, Pattern, Terms, glob_set};
use crate::world::World;
use command_line::{self, Line, SUBSTITUTION, Simple, base_name, is_in, spelled};
use shared::host::flat;
use shared::text::{cut, plain, quoted};

/// Arguments with which a test command tests nothing.
const NOT_ARGS: &str = "--no-run --list --list-tests --listTests --list-groups --list-suites --list-tests-xml --showConfig \
    --clearCache --show-bin-path --ui --help --version --dry-run --collect-only --collectonly --list-files --test-dry-run -h";

/// Those that are known of a runner.
const LIST_ONLY: &[(&str, &str)] = &[
    ("bazel", "--nobuild"),
    ("cargo jest mypy ruff vitest", "-V --build-plan --exit-zero --show-files"),
    ("dotnet", "-t"),
    ("swift", "-l"),
    ("ctest", "-N --show-only"),
    ("eslint", "--print-config"),
    ("go", "-list -c -n -exec -help"),
    ("gradle gradlew", "-m -v -x --exclude-task --tasks"),
    ("jest npm vitest", "-v"),
    ("just", "-n --show"),
    ("make gmake", "-v -i -n -q -t --ignore-errors --just-print --recon --question --touch"),
    ("mvn", "-v -DskipTests -Dmaven.test.skip -Dmaven.test.failure.ignore -fn"),
    ("nextest swift vitest", "list"),
    ("nox", "-l --list-sessions"),
    ("phpunit", "--list-test-files"),
    (
        "pytest py.test",
        "-V -VV --co --setup-plan --setup-only --fixtures --fixtures-per-test --markers --cache-show",
    ),
    ("tox", "list config -l -a --listenvs --notest --showconfig"),
];

/// Options that say where something runs.
const LEADING: &str = "--manifest-path --prefix -C --directory --dir --rootdir --rootDir --project --project-dir --package-path --root --cwd \
    --file --makefile --test-dir --workspace --roots --projects --build-file";
/// Long options without a value.
const FLAGS: &str =
    "--all --bail --exitfirst --failed-first --ff --last-failed --lf --quiet --recursive --test --verbose";
/// Options of one letter, or with one dash, whose value is no path of what is tested.
const WITH_VALUE: &str = "-c -coverprofile -cpuprofile -k -memprofile -o -outputdir -t";

const NOT_NOTED: &str =
    "what the files were when it began is not known; where very many have changed, narrow `paths`";
const MEANWHILE: &str = "files changed while its line ran";
const OWN_FILES: &str = "if it writes them, put them into .gitignore, or name what counts in `paths`";
const FIRST: &str = "run what comes first in a line of its own, then send the rest again";
const MAX_SHOWN: usize = 120;

/// A command that a requirement asks for.
#[derive(Debug, Clone)]
pub(crate) struct Found<'a> {
    pub(crate) simple: &'a Simple,
    /// The one of the requirement's commands that it is.
    pub(crate) set: &'a CommandPattern,
    /// The command as written, secrets masked.
    pub(crate) shown: String,
    /// It has an argument with which it proves nothing.
    proves_nothing: bool,
}

impl Found<'_> {
    pub(crate) fn counts(&self) -> bool {
        !self.proves_nothing && self.simple.hidden.is_none() && self.simple.unknown_option().is_none()
    }

    /// Why its exit status is not the line's, or not that of what was asked for.
    fn hidden(&self) -> Option<String> {
        let of_line = self.simple.hidden.map(|place| format!("{place} its exit status is not the line's"));
        of_line.or_else(|| {
            let word = self.named(self.simple.unknown_option()?, "$...");
            Some(format!("its arguments depend on what the shell puts in for `{word}`"))
        })
    }

    /// A word of the command; one that may be part of a secret is not shown.
    fn named(&self, word: &str, instead: &str) -> String {
        if self.shown.contains(word) { cut(word, 80) } else { instead.to_owned() }
    }

    /// Why it does not run on the files of the work tree, by its folder or by an argument that leads somewhere else.
    fn strays(&self, world: &World) -> Option<String> {
        let Some(folder) = self.simple.folder(&world.cwd) else {
            return Some("the line does not spell out in which folder it runs".to_owned());
        };
        let root = world.top()?;
        if !flat(&folder).starts_with(root) {
            return Some("it did not run in this work tree".to_owned());
        }
        // The values of options that lead, and words that are no option's value. What the settings ask for may lead anywhere.
        let is_set =
            |word| matches!(&self.set.compiled, command_line::Pattern::Words(set) if set.contains(word));
        let outside = self.simple.words.windows(2).filter(|pair| !is_set(&pair[1])).find_map(|pair| {
            let (before, own) = (&pair[0], &pair[1]);
            let may_have = before.starts_with("--") && !is_in(FLAGS, before) && before != "--";
            let has_value = may_have || is_in(WITH_VALUE, before);
            let path = spelled(match own.split_once('=') {
                Some((name, value)) if is_in(LEADING, name) => value,
                _ if has_value && !is_in(LEADING, before) => "",
                _ => own,
            });
            let home = || world.environment.home.clone().unwrap_or_default();
            let place = match path.strip_prefix('~') {
                Some(rest) => home().join(rest.trim_start_matches('/')),
                None => folder.join(&path),
            };
            // Claude Code keeps other work trees there.
            let is_other = |inside: &Path| inside.starts_with(".claude/worktrees");
            flat(&place).strip_prefix(root).map_or(true, is_other).then_some(path)
        })?;
        Some(format!("`{}` leads out of this work tree", self.named(&outside, "an argument")))
    }

    /// Why a run that ended without an error does not count; `None` if it does.
    pub(crate) fn not_counted(&self, rule: &Rule<'_>, facts: &After, was_noted: bool) -> Option<String> {
        // A command that writes files before the run may put them back after it. Every other change shows in the files.
        let mut sides = facts.call.commands().split(|command| std::ptr::eq(command, self.simple));
        let is_turned = sides.all(|side| side.iter().any(Simple::writes_files));
        let lacks_output = facts.without_output.iter().any(|name| name == rule.name);
        let wanted = min_output(rule).map_or("", |pattern| &pattern.text);
        let when = |is_why: bool, why: &str| is_why.then(|| why.to_owned());
        self.strays(&facts.world)
            .or_else(|| when(self.proves_nothing, "with these arguments it proves nothing"))
            .or_else(|| when(facts.is_unfinished, "it went on in the background, or was interrupted"))
            .or_else(|| self.hidden())
            .or_else(|| when(is_turned, "other commands of the line may change the files; run it by itself"))
            .or_else(|| when(lacks_output, &format!("its output has nothing that matches {wanted}")))
            .or_else(|| when(!was_noted, NOT_NOTED))
            .or_else(|| {
                let files = facts.changed.get(rule.name)?;
                // Behind a checkout none is known.
                let step = if files.is_empty() { "run it in a line of its own" } else { OWN_FILES };
                Some(format!("{MEANWHILE}{}; {step}", named(files)))
            })
    }

    /// The line with which the run would count, in the folder where it would; empty where nobody could type it.
    pub(crate) fn line_in(&self, world: &World) -> String {
        let strays = self.strays(world).is_some();
        let is_wrong = strays || self.proves_nothing || self.simple.unknown_option().is_some();
        let is_shown = !is_wrong && !self.simple.runs_another() && !self.shown.contains("[masked");
        let alone = if is_shown { Some(self.shown.as_str()) } else { self.set.typed() };
        let own = self.simple.directory.as_deref().filter(|folder| !folder.as_os_str().is_empty());
        match (alone, if strays { world.top() } else { own }) {
            (None, _) => String::new(),
            (Some(alone), None) => alone.to_owned(),
            (Some(alone), Some(folder)) => format!("cd {} && {alone}", quoted(&folder.to_string_lossy())),
        }
    }
}

fn commands<'a>(rule: &Rule<'a>) -> impl Iterator<Item = &'a CommandPattern> {
    rule.set.evidence().into_iter().flat_map(|evidence| &evidence.commands)
}

fn is_asked(rule: &Rule<'_>, simple: &Simple) -> bool {
    commands(rule).any(|set| set.compiled.begins(simple))
}

/// A line that was to be typed runs what the requirement asks for, still.
pub(crate) fn is_asked_for(rule: &Rule<'_>, line: &str) -> bool {
    command_line::parse(line).commands.iter().flatten().any(|simple| is_asked(rule, simple))
}

/// The call's command that the requirement asks for: one that counts, if there is one.
pub(crate) fn command_of<'a>(rule: &Rule<'a>, call: &'a Call) -> Option<Found<'a>> {
    let line = call.line.as_ref()?;
    let found = |simple: &'a Simple| {
        let set = commands(rule).find(|set| set.compiled.begins(simple))?;
        Some(Found { simple, set, shown: String::new(), proves_nothing: proves_nothing(rule, simple) })
    };
    let found = call.commands().iter().filter_map(found).min_by_key(|found| !found.counts())?;
    Some(Found { shown: line.shown(found.simple), ..found })
}

/// A command that is not asked for, and resembles one that is: as it is written, and what is asked for.
pub(crate) fn near_miss(rule: &Rule<'_>, call: &Call) -> Option<(String, String)> {
    let line = call.line.as_ref()?;
    call.commands().iter().filter(|simple| simple.is_unknown()).find_map(|simple| {
        let set = commands(rule).find(|set| set.compiled.resembles(simple))?;
        Some((line.shown(simple), set.text.clone()))
    })
}

/// The command has one of the arguments with which it proves nothing: those that are known of its runner, and those that are
/// set. Those behind a lone `--` count too, for `cargo test -- --list` hands them to what runs the tests.
fn proves_nothing(rule: &Rule<'_>, simple: &Simple) -> bool {
    let runs = |runners: &str| simple.words.iter().any(|word| is_in(runners, base_name(word)));
    let of_runner = LIST_ONLY.iter().filter(|(runners, _)| runs(runners)).map(|(_, options)| *options);
    let known = of_runner.chain([NOT_ARGS]).flat_map(str::split_ascii_whitespace);
    let set = rule.set.evidence().into_iter().flat_map(|evidence| &evidence.not_args).map(String::as_str);
    let options: Vec<&str> = known.chain(set).collect();
    let words = simple.words.iter().skip(1).filter(|word| !word.ends_with("=false"));
    let mut given = words.flat_map(|word| [word.as_str(), word.split('=').next().unwrap_or_default()]);
    given.any(|word| options.contains(&word))
}

/// What is asked for by one of the commands.
pub(crate) fn asked_by(rule: &Rule<'_>, set: &CommandPattern) -> String {
    let output = min_output(rule).map(|pattern| format!(" with output that matches {}", pattern.text));
    format!("`{}`{}", set.text, output.unwrap_or_default())
}

/// Why a run that counted when it passed is not what is asked for now; `None` if it is, and for a satisfaction that does not say.
pub(crate) fn outdated(rule: &Rule<'_>, satisfaction: &Satisfaction) -> Option<String> {
    let asked = satisfaction.metadata.asked.as_ref()?;
    let now: Vec<String> = commands(rule).map(|set| asked_by(rule, set)).collect();
    (!now.contains(asked)).then(|| format!("{} is asked for now", now.join(" or ")))
}

pub(crate) fn is_about(rule: &Rule<'_>, root: &Path, file: &Path) -> bool {
    let globs = paths_of(rule);
    let is_meant =
        |inside: &Path| globs.is_empty() || glob_set(globs).is_some_and(|set| set.is_match(inside));
    flat(file).strip_prefix(root).is_ok_and(is_meant)
}

/// The files its command is about; all of the work tree where there are none.
pub(crate) fn paths_of<'a>(rule: &Rule<'a>) -> &'a [Glob] {
    rule.set.evidence().map_or(&[], |evidence| &evidence.paths)
}

fn min_output<'a>(rule: &Rule<'a>) -> Option<&'a Pattern> {
    rule.set.evidence()?.min_output.as_ref()
}

/// Why a line is not judged as it stands, and what to do about it.
pub(crate) type Late = (String, &'static str);

/// Why a line that needs the requirement is not judged as it stands; `None` if it is.
pub(crate) fn late(rule: &Rule<'_>, call: &Call, line: &Line, world: &World) -> Option<Late> {
    behind(rule, call, line, world).or_else(|| {
        let lost = shown(line, call.unplaced(|command| rule.is_triggered_by_command(call, command))?);
        let why = format!("the line does not spell out in which work tree `{lost}` acts");
        Some((why, "write the folder literally, as in: git -C FOLDER commit"))
    })
}

/// A command of the line that may change the files or the branch before a command runs that needs the requirement.
fn behind(rule: &Rule<'_>, call: &Call, line: &Line, world: &World) -> Option<Late> {
    let what = match &rule.set.terms {
        _ if rule.is_triggered_by_tool(call) => return None,
        Terms::Evidence(_) => "files",
        Terms::Guard(Guard::ProtectedBranch(_)) => "branch",
        _ => return None,
    };
    let Some(commands) = &line.commands else {
        // The hook searches the text of a line that only another shell understands.
        let why = format!("the line cannot be read, and may change the {what} before it");
        return (call.tool == "Bash").then_some((why, FIRST));
    };
    let keeps = |command: &Simple| match what {
        // `gh pr checkout`
        "branch" if command.git().is_none() => !command.words.iter().any(|word| word == "checkout"),
        "branch" => command.keeps_branch(),
        // The tests have passed on these files before: that they run once more changes nothing.
        _ => is_asked(rule, command) || (command.keeps_files() && !writes_about(rule, command, world)),
    };
    let last = commands.iter().rposition(|one| rule.is_triggered_by_command(call, one))?;
    let (then, behind) = (&commands[last], &commands[last + 1..]);
    // A command that makes its arguments runs before it.
    let arguments = behind.iter().take_while(|one| one.hidden == Some(SUBSTITUTION));
    let first = commands[..last].iter().chain(arguments).find(|one| !keeps(one))?;
    let (first, then) = (shown(line, first), shown(line, then));
    Some((format!("`{first}` in the same line may change the {what} before `{then}` runs"), FIRST))
}

fn writes_about(rule: &Rule<'_>, command: &Simple, world: &World) -> bool {
    command.writes.iter().any(|file| {
        let (Some(root), Some(folder)) = (world.top(), command.folder(&world.cwd)) else { return true };
        let path = folder.join(file);
        file.starts_with(['$', '~', '`'])
            || (is_about(rule, root, &path) && !path.starts_with(root.join(".git")))
    })
}

/// The command as it may be shown. Its redirections stay hidden where something of it is masked.
fn shown(line: &Line, command: &Simple) -> String {
    let mut text = line.shown(command);
    if text == command.text {
        text.extend(command.writes.iter().map(|file| format!(" > {file}")));
    }
    cut(text.trim(), MAX_SHOWN)
}

/// A command of the call may become evidence: it decides the line's exit status, in the foreground, and proves something.
pub(crate) fn may_prove(rule: &Rule<'_>, call: &Call) -> bool {
    !call.in_background && command_of(rule, call).is_some_and(|found| found.counts())
}

/// The line switches the branch, perhaps runs a command that counts, and does nothing else. The files that differ are nobody's work.
pub(crate) fn only_switches(rule: &Rule<'_>, call: &Call) -> bool {
    let writes_nothing = |one: &Simple| (one.keeps_files() || is_asked(rule, one)) && one.writes.is_empty();
    let mut commands = call.commands().iter();
    commands.clone().any(Simple::switches_branch)
        && commands.all(|one| one.switches_branch() || writes_nothing(one))
}

/// The call would be the very evidence that it needs, and does nothing else that needs it.
pub(crate) fn is_own_proof(rule: &Rule<'_>, call: &Call) -> bool {
    let by_tool = rule.is_triggered_by_tool(call);
    let needs = |one: &Simple| (by_tool && !one.keeps_files()) || rule.is_triggered_by_command(call, one);
    may_prove(rule, call) && call.commands().iter().all(|one| is_asked(rule, one) || !needs(one))
}

/// The first few files: what a run writes itself, without being ignored, is among them every time.
pub(crate) fn named(files: &[String]) -> String {
    const NAMED: usize = 3;
    let shown = |file: &String| cut(&plain(file).replace(['\n', '\t'], " "), 80);
    let first: Vec<String> = files.iter().take(NAMED).map(shown).collect();
    match files.len() {
        0 => String::new(),
        all if all > NAMED => format!(": {} and {} more", first.join(", "), all - NAMED),
        _ => format!(": {}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests;
