//! What stands before the program: assignments, and programs that run another one in their place.

use super::word::Word;

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

/// Programs that run another one: their options with a value, which is the next word or stands in the same one, and
/// other options with which they run the program as if they were not there.
const WRAPPERS: [(&str, &str, &str); 4] = [
    ("env", " -u --unset -C --chdir ", " - -i -v --debug --ignore-environment "),
    (
        "sudo",
        " -D --chdir -u --user -g --group -h --host -p --prompt ",
        " -E -H -k -n --non-interactive --preserve-env --set-home ",
    ),
    ("time", " -f --format -o --output ", " -a -p -q -v --append --portability --quiet --verbose "),
    ("nice", " -n --adjustment ", " "),
];

/// Other programs that run one: their options are not known, so a command is looked for anywhere behind them, and none of
/// them is evidence.
const RUNNERS: [&str; 13] = [
    "builtin", "command", "doas", "exec", "flock", "gtimeout", "ionice", "nohup", "noglob", "setsid",
    "stdbuf", "timeout", "xargs",
];

/// A program's name without its directory and `.exe`.
pub(super) fn base_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// The program runs another one that stands somewhere among its arguments.
pub(super) fn runs_another<T: AsRef<str>>(words: &[T]) -> bool {
    let program = words.first().map_or("", |program| base_name(program.as_ref()));
    let executes = |word: &T| matches!(word.as_ref(), "-exec" | "-execdir" | "-ok" | "-okdir");
    RUNNERS.contains(&program) || (program == "find" && words.iter().any(executes))
}

pub(super) fn strip(words: &[Word]) -> Stripped {
    let mut stripped = Stripped { program: assignments(words, 0), ..Stripped::default() };
    while let Some(name) = words.get(stripped.program).map(|word| base_name(&word.text)) {
        let next = match WRAPPERS.iter().find(|(wrapper, ..)| *wrapper == name) {
            Some((_, with_value, plain)) => skip(words, with_value, plain, &mut stripped),
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
        "command" if rest.first().is_some_and(|word| word.text == "-p") && is_program(1) => 2,
        _ => 0,
    }
}

fn assignments(words: &[Word], from: usize) -> usize {
    from + words.iter().skip(from).take_while(|word| word.is_assignment()).count()
}

/// The index after the wrapper's own words.
fn skip(words: &[Word], with_value: &str, plain: &str, stripped: &mut Stripped) -> usize {
    let mut at = stripped.program + 1;
    while let Some(option) = words.get(at).map(|word| word.text.as_str()).filter(|text| text.starts_with('-'))
    {
        at += 1;
        if option == "--" {
            break;
        }
        let is_in = |list: &str, name: &str| list.contains(&format!(" {name} "));
        let (long, value) = option.split_once('=').unwrap_or((option, ""));
        let short = option.get(..2).filter(|_| !option.starts_with("--"));
        let (name, mut value) = short.map_or((long, value), |short| (short, &option[2..]));
        let takes_value = is_in(with_value, name);
        if takes_value && value.is_empty() && !option.contains('=') {
            value = words.get(at).map_or("", |word| word.text.as_str());
            at += 1;
        }
        if takes_value && matches!(name, "-C" | "-D" | "--chdir") {
            stripped.directory = Some(value.to_owned());
        }
        let is_number = option[1..].bytes().all(|byte| byte.is_ascii_digit());
        stripped.unsure |= !takes_value && !is_in(plain, long) && !is_number;
    }
    assignments(words, at)
}
