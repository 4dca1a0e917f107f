//! What stands before the program: assignments, and programs that run another one in their place.

use super::tree::Word;

/// Where the program begins, and what its prefix says about it.
#[derive(Debug, Default)]
pub(super) struct Stripped {
    /// Index of the program's word.
    pub(super) program: usize,
    /// `xargs`: it runs once, often or never.
    pub(super) repeated: bool,
    /// `setsid`: it may go on in the background.
    pub(super) detached: bool,
    /// `exec`: what comes after it never runs.
    pub(super) replaces: bool,
    /// Index of the word with the directory it runs in: `env -C d`.
    pub(super) directory: Option<usize>,
}

/// A program that runs another one, and how its own words are told from that one's.
struct Wrapper {
    name: &'static str,
    /// Options whose value is the next word.
    with_value: &'static [&'static str],
    /// Words of its own that are no options: `timeout`'s duration.
    own_words: usize,
    /// `NAME=value` may stand before the program.
    assignments: bool,
}

const fn wrapper(name: &'static str, with_value: &'static [&'static str]) -> Wrapper {
    Wrapper { name, with_value, own_words: 0, assignments: false }
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

const WRAPPERS: &[Wrapper] = &[
    Wrapper { assignments: true, ..wrapper("env", &["-u", "--unset", "-C", "--chdir", "-P"]) },
    Wrapper { assignments: true, ..wrapper("sudo", SUDO) },
    wrapper("doas", &["-u", "-C"]),
    wrapper("command", &[]),
    wrapper("builtin", &[]),
    wrapper("noglob", &[]),
    wrapper("nocorrect", &[]),
    wrapper("nohup", &[]),
    wrapper("exec", &["-a"]),
    wrapper("time", &["-f", "--format", "-o", "--output"]),
    wrapper("nice", &["-n", "--adjustment"]),
    wrapper("ionice", &["-c", "--class", "-n", "--classdata"]),
    wrapper("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"]),
    wrapper("setsid", &[]),
    Wrapper { own_words: 1, ..wrapper("timeout", &["-s", "--signal", "-k", "--kill-after"]) },
    Wrapper { own_words: 1, ..wrapper("gtimeout", &["-s", "--signal", "-k", "--kill-after"]) },
    wrapper("xargs", XARGS),
];

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
            "-C" | "--chdir" if wrapper.name == "env" => stripped.directory = Some(at),
            _ => {}
        }
        at += usize::from(wrapper.with_value.contains(&option));
    }
    Some(at)
}
