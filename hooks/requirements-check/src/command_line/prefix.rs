//! What stands before the program: assignments, and programs that run another one in their place.

use super::tree::Word;

/// Where the program begins, and what its prefix says about it.
#[derive(Debug, Default)]
pub(super) struct Stripped {
    /// Index of the program's word.
    pub(super) program: usize,
    /// The directory it runs in: `env -C d`.
    pub(super) directory: Option<String>,
    /// The program may not run, or not here and now.
    pub(super) unsure: bool,
}

/// A program that runs another one, and how its own words are told from that one's.
struct Wrapper {
    name: &'static str,
    /// Options whose value is the next word, or stands in the same one.
    with_value: &'static [&'static str],
    /// Other options with which it runs the program as if it were not there.
    plain: &'static [&'static str],
}

const WRAPPERS: [Wrapper; 4] = [
    Wrapper {
        name: "env",
        with_value: &["-u", "--unset", "-C", "--chdir"],
        plain: &["-", "-i", "-v", "--debug", "--ignore-environment"],
    },
    Wrapper {
        name: "sudo",
        with_value: &["-u", "--user", "-g", "--group", "-h", "--host", "-p", "--prompt"],
        plain: &["-E", "-H", "-k", "-n", "--non-interactive", "--preserve-env", "--set-home"],
    },
    Wrapper {
        name: "time",
        with_value: &["-f", "--format", "-o", "--output"],
        plain: &["-a", "-p", "-q", "-v", "--append", "--portability", "--quiet", "--verbose"],
    },
    Wrapper { name: "nice", with_value: &["-n", "--adjustment"], plain: &[] },
];

/// Other programs that run one: their options are not known, so a command is looked for anywhere behind them, and none of
/// them is evidence.
const RUNNERS: [&str; 12] = [
    "builtin", "command", "doas", "exec", "gtimeout", "ionice", "nohup", "noglob", "setsid", "stdbuf",
    "timeout", "xargs",
];

/// A program's name without its directory and `.exe`.
pub(super) fn base_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// The program runs another one that stands somewhere among its arguments.
pub(super) fn is_runner(program: &str) -> bool {
    RUNNERS.contains(&base_name(program))
}

pub(super) fn strip(words: &[Word]) -> Stripped {
    let mut stripped = Stripped { program: assignments(words, 0), ..Stripped::default() };
    while let Some(name) = words.get(stripped.program).map(|word| base_name(&word.text)) {
        let next = match WRAPPERS.iter().find(|wrapper| wrapper.name == name) {
            Some(wrapper) => skip(words, wrapper, &mut stripped),
            None => stripped.program + plain_runner(name, &words[stripped.program + 1..]),
        };
        if next == stripped.program || next >= words.len() {
            break;
        }
        stripped.program = next;
    }
    stripped
}

/// How many words `timeout 60`, `nohup` and `command` take where no option stands behind them.
fn plain_runner(name: &str, rest: &[Word]) -> usize {
    let is_program = |at: usize| rest.get(at).is_some_and(|word| !word.text.starts_with('-'));
    let is_duration = || rest.first().is_some_and(|word| word.text.starts_with(|c: char| c.is_ascii_digit()));
    match name {
        "timeout" | "gtimeout" if is_duration() && is_program(1) => 2,
        "nohup" | "command" | "builtin" if is_program(0) => 1,
        _ => 0,
    }
}

fn assignments(words: &[Word], from: usize) -> usize {
    from + words.iter().skip(from).take_while(|word| word.is_assignment()).count()
}

/// The index after the wrapper's own words.
fn skip(words: &[Word], wrapper: &Wrapper, stripped: &mut Stripped) -> usize {
    let mut at = stripped.program + 1;
    while let Some(option) = words.get(at).map(|word| word.text.as_str()).filter(|text| text.starts_with('-'))
    {
        at += 1;
        if option == "--" {
            break;
        }
        if wrapper.name == "env" {
            stripped.directory = directory(option, words.get(at)).or(stripped.directory.take());
        }
        stripped.unsure |= !wrapper.knows(option);
        at += usize::from(wrapper.with_value.contains(&option));
    }
    assignments(words, at)
}

fn directory(option: &str, next: Option<&Word>) -> Option<String> {
    match option {
        "-C" | "--chdir" => next.map(|word| word.text.clone()),
        _ => option.strip_prefix("--chdir=").or_else(|| option.strip_prefix("-C")).map(str::to_owned),
    }
}

impl Wrapper {
    /// What the option does is known, its value among it if that stands in the same word.
    fn knows(&self, option: &str) -> bool {
        let name = option.split_once('=').map_or(option, |(name, _)| name);
        let is_niceness = self.name == "nice" && option[1..].bytes().all(|byte| byte.is_ascii_digit());
        let has_value = !option.starts_with("--")
            && option.get(..2).is_some_and(|short| self.with_value.contains(&short));
        is_niceness || has_value || self.plain.contains(&name) || self.with_value.contains(&name)
    }
}
