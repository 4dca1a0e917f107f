//! What a shell is told by its arguments and variables: the script to run, and where programs come from.

use super::tree::Word;

/// Long options of shells with which a script runs all the same.
const RUNNING_OPTIONS: [&str; 7] =
    ["--login", "--noediting", "--noprofile", "--norc", "--posix", "--restricted", "--verbose"];

/// The script among the arguments of a shell: the first one after the options, if `-c` is among these; and whether it
/// runs.
pub(super) fn shell_script(arguments: &[Word]) -> Option<(&Word, bool)> {
    let (mut command, mut runs) = (false, true);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "--rcfile" | "--init-file" => drop(words.next()),
            "--" => return words.next().filter(|_| command).map(|word| (word, runs)),
            long if long.starts_with("--") => runs &= RUNNING_OPTIONS.contains(&long),
            short if short.starts_with(['-', '+']) && short.len() > 1 => {
                let is_on = short.starts_with('-');
                command |= is_on && short.contains('c');
                runs &= !(is_on && short.contains(['n', 'D']));
                if short.ends_with(['o', 'O']) {
                    let name = words.next().map_or("", |name| name.text.as_str());
                    runs &= !(is_on && name == "noexec");
                }
            }
            _ => return Some((word, runs)).filter(|_| command),
        }
    }
    None
}

/// Variables that say what programs, or what else besides them, are run.
const OF_THE_LOADER: [&str; 5] = ["BASH_ENV", "DYLD_INSERT_LIBRARIES", "ENV", "LD_AUDIT", "LD_PRELOAD"];

/// Where programs lie that were installed, as far as a line can tell: not in a folder of the moment.
const OF_INSTALLED_PROGRAMS: [&str; 11] = [
    "$HOME/",
    "${HOME}/",
    "~/",
    "/usr/",
    "/opt/",
    "/bin",
    "/sbin",
    concat!("/", "home/"),
    concat!("/", "root/"),
    concat!("/", "Users/"),
    "/nix/",
];

/// The word is an assignment after which another program than the one that is named may run.
pub(super) fn replaces_programs(word: &Word) -> bool {
    if !word.is_assignment() {
        return false;
    }
    let Some((name, value)) = word.text.split_once('=') else { return false };
    let (name, value) = match name.strip_suffix('+') {
        Some(name) => (name, value.trim_start_matches(':')),
        None => (name, value),
    };
    let is_known = |folder: &str| {
        let is_installed = OF_INSTALLED_PROGRAMS.iter().any(|known| folder.starts_with(known));
        matches!(folder, "$PATH" | "${PATH}") || (is_installed && !folder.contains(".."))
    };
    OF_THE_LOADER.contains(&name) || (name == "PATH" && !value.split(':').all(is_known))
}
