//! What stands before the program: assignments, and programs that run another one in their place.

use super::tree::Word;

/// Where the program begins, and what its prefix says about it.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says something else about the same words")]
pub(super) struct Stripped {
    /// Index of the program's word.
    pub(super) program: usize,
    /// `xargs`: it runs once, often or never.
    pub(super) repeated: bool,
    /// `setsid`: it may go on in the background.
    pub(super) detached: bool,
    /// `exec`: what comes after it never runs.
    pub(super) replaces: bool,
    /// The directory it runs in: `env -C d`.
    pub(super) directory: Option<String>,
    /// An option is not known: the program may not run, or not here and now.
    pub(super) unsure: bool,
}

/// A program that runs another one, and how its own words are told from that one's.
struct Wrapper {
    name: &'static str,
    /// Options whose value is the next word, or stands in the same one.
    with_value: &'static [&'static str],
    /// Other options with which it runs the program as if it were not there.
    plain: &'static [&'static str],
    /// Words of its own that are no options: `timeout`'s duration.
    own_words: usize,
    /// `NAME=value` may stand before the program.
    assignments: bool,
}

type Options = &'static [&'static str];

const fn wrapper(name: &'static str, with_value: Options, plain: Options) -> Wrapper {
    Wrapper { name, with_value, plain, own_words: 0, assignments: false }
}

const SUDO: &[&str] = &[
    "-u", "--user", "-g", "--group", "-h", "--host", "-p", "--prompt", "-C", "-r", "--role", "-t", "--type",
    "-T", "-U",
];
const XARGS: &[&str] = &[
    "-I",
    "-n",
    "-P",
    "-L",
    "-d",
    "-a",
    "-E",
    "-s",
    "--max-args",
    "--max-procs",
    "--max-lines",
    "--delimiter",
    "--arg-file",
    "--max-chars",
    "--replace",
];

const SUDO_PLAIN: &[&str] = &[
    "-A",
    "-E",
    "-H",
    "-S",
    "-k",
    "-n",
    "--askpass",
    "--non-interactive",
    "--preserve-env",
    "--set-home",
    "--stdin",
];
const TIME_PLAIN: &[&str] = &["-a", "-p", "-q", "-v", "--append", "--portability", "--quiet", "--verbose"];
const TIMEOUT: Options = &["-s", "--signal", "-k", "--kill-after"];
const TIMEOUT_PLAIN: &[&str] = &["-v", "--foreground", "--preserve-status", "--verbose"];

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        assignments: true,
        ..wrapper(
            "env",
            &["-u", "--unset", "-C", "--chdir", "-P"],
            &["-", "-i", "-v", "--debug", "--ignore-environment"],
        )
    },
    Wrapper { assignments: true, ..wrapper("sudo", SUDO, SUDO_PLAIN) },
    wrapper("doas", &["-u", "-C"], &["-n"]),
    wrapper("command", &[], &["-p"]),
    wrapper("builtin", &[], &[]),
    wrapper("noglob", &[], &[]),
    wrapper("nocorrect", &[], &[]),
    wrapper("nohup", &[], &[]),
    wrapper("exec", &["-a"], &["-c", "-l"]),
    wrapper("time", &["-f", "--format", "-o", "--output"], TIME_PLAIN),
    wrapper("nice", &["-n", "--adjustment"], &[]),
    wrapper("ionice", &["-c", "--class", "-n", "--classdata"], &["-t", "--ignore"]),
    wrapper("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"], &[]),
    wrapper("setsid", &[], &["-c", "-w", "--ctty", "--wait"]),
    Wrapper { own_words: 1, ..wrapper("timeout", TIMEOUT, TIMEOUT_PLAIN) },
    Wrapper { own_words: 1, ..wrapper("gtimeout", TIMEOUT, TIMEOUT_PLAIN) },
    wrapper("xargs", XARGS, &[]),
];

impl Wrapper {
    /// What the option does is known, its value among it if that stands in the same word.
    fn knows(&self, option: &str) -> bool {
        let is = |options: Options, name: &str| options.contains(&name);
        let name = option.split_once('=').map_or(option, |(name, _)| name);
        if option.starts_with("--") {
            return is(self.plain, name) || is(self.with_value, name);
        }
        let is_niceness = self.name == "nice" && option[1..].bytes().all(|byte| byte.is_ascii_digit());
        let has_value = option.get(..2).is_some_and(|short| is(self.with_value, short));
        let mut letters = option.chars().skip(1);
        let are_plain = letters.all(|letter| is(self.plain, format!("-{letter}").as_str()));
        is_niceness || has_value || is(self.plain, option) || are_plain
    }
}

/// A program's name without its directory and `.exe`.
pub(super) fn base_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

pub(super) fn strip(words: &[Word]) -> Stripped {
    let mut stripped = Stripped { program: assignments(words, 0), ..Stripped::default() };
    while let Some(wrapper) = wrapper_at(words, stripped.program) {
        let Some(next) = skip(words, stripped.program + 1, wrapper, &mut stripped) else { break };
        stripped.program = next;
        stripped.repeated |= wrapper.name == "xargs";
        stripped.replaces |= wrapper.name == "exec";
        stripped.detached |= wrapper.name == "setsid";
    }
    stripped
}

fn wrapper_at(words: &[Word], at: usize) -> Option<&'static Wrapper> {
    let name = base_name(&words.get(at)?.text);
    WRAPPERS.iter().find(|wrapper| wrapper.name == name)
}

fn assignments(words: &[Word], from: usize) -> usize {
    from + words.iter().skip(from).take_while(|word| word.is_assignment()).count()
}

/// The index after the wrapper's own words; `None` if it runs no other program, as `command -v` does.
fn skip(words: &[Word], from: usize, wrapper: &Wrapper, stripped: &mut Stripped) -> Option<usize> {
    let mut at = options(words, from, wrapper, stripped)? + wrapper.own_words;
    if wrapper.assignments {
        at = assignments(words, at);
    }
    (at < words.len()).then_some(at)
}

fn options(words: &[Word], from: usize, wrapper: &Wrapper, stripped: &mut Stripped) -> Option<usize> {
    let mut at = from;
    while let Some(option) = words.get(at).map(|word| word.text.as_str()).filter(|text| text.starts_with('-'))
    {
        at += 1;
        match option {
            "--" => break,
            "-v" | "-V" if wrapper.name == "command" => return None,
            "-S" | "--split-string" if wrapper.name == "env" => break,
            "-C" | "--chdir" if wrapper.name == "env" => {
                stripped.directory = words.get(at).map(|word| word.text.clone());
            }
            _ if wrapper.name == "env" => {
                let attached = option.strip_prefix("--chdir=").or_else(|| option.strip_prefix("-C"));
                stripped.directory = attached.map(str::to_owned).or(stripped.directory.take());
            }
            _ => {}
        }
        stripped.unsure |= !wrapper.knows(option);
        at += usize::from(wrapper.with_value.contains(&option));
    }
    Some(at)
}
