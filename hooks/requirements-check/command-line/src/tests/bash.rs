//! Random lines, read here and run by bash with programs that log their name and folder. `cargo nextest run -p command-line
//! --run-ignored only bash` runs it; `BARBLESS_LINES` is the number of lines.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Simple, parse};
use shared::host::flat;

const PROGRAMS: usize = 24;
const STUB: &str =
    "#!/bin/sh\necho \"${0##*/} $(pwd -P)\" >> \"$LOG\"\ncase $FAILS in *\" ${0##*/} \"*) exit 1;; esac\n";

/// `P` is the next program, `L` a line, `Q` one without single quotes.
const COMMANDS: &str = "P~P~P~P~P~cd d~cd e~cd ..~cd $X~cd d && P~pushd d~popd~set -o pipefail~set -eo pipefail~set +o pipefail~set -e~\
    exit 0~exit 1~trap 'exit 0' EXIT~exec P~env A=1 P~env -u A P~env -C d P~env --chdir=d P~nice P~nice -n 5 P~timeout 5 P~timeout -k 1 5 P~time P~\
    command P~builtin cd d~P | xargs P~find . -maxdepth 0 -exec P {} \\;~P > f 2>&1~P <<< x~> f P~true~false~[[ a < b && -d d ]]~((1 << 2))~\
    P $((1 << 2))~( L\n)~{ L\n}~{ L\n} > f~if L\nthen L\nelse L\nfi~for x in 1 P; do L\ndone~for ((i=0; i<2; i++)); do L\ndone~\
    while P; do L\nbreak; done~until P; do L\nbreak; done~case x in y) L\n;; (x) L\n;; esac~case x in\nx|y) L\n;;\nesac~f() { L\n}; f~\
    function g { L\n}; g~eval 'Q'~eval P~bash -c 'Q'~bash -nc 'Q'~\
    timeout -k 1 5 bash -c 'Q'~setsid -w bash -c 'Q'~env -C d bash -c 'Q'~env --chdir=d bash -c 'Q'~find d -maxdepth 0 -execdir bash -c 'Q' \\;~X=$(L\n)~X=(a $(L\n) ')')~P \"$(L\n)\"~P `P`~P <(L\n)~\
    P \"${X:-$(P)}\"~P # L\n~P <<E\n$(P) '\nE\n~P <<'E'\nP (\nE\n~! P~! P && P~P x\\\n && P~time { L\n}~\
    echo $(case x in x) P;; esac)~cd d || exit 1~'P'~\"P\"";

struct Lines {
    seed: u64,
    programs: usize,
}

impl Lines {
    fn random(&mut self, below: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.seed >> 33).unwrap() % below
    }

    fn line(&mut self, depth: usize) -> String {
        let mut line = self.command(depth);
        while self.random(5) > 1 {
            let between = [" && ", " && ", " && ", "; ", "\n", " || ", " | ", " & ", " |& "];
            let between = between[self.random(between.len())];
            // A here-document and a comment end with the line.
            let between = if line.ends_with('\n') { "" } else { between };
            line = line + between + &self.command(depth);
        }
        line
    }

    fn command(&mut self, depth: usize) -> String {
        let all: Vec<&str> = COMMANDS.split('~').collect();
        let chosen = all[self.random(all.len())];
        if depth == 0 && chosen.contains(['L', 'Q']) {
            return self.command(depth);
        }
        let mut command = String::new();
        for char in chosen.chars() {
            match char {
                'P' if self.programs < PROGRAMS => {
                    command.extend(["p".to_owned(), self.programs.to_string()]);
                    self.programs += 1;
                }
                'P' => command += "true",
                'L' => command += self.line(depth - 1).trim_end(),
                'Q' => {
                    let line = self.line(depth - 1);
                    command += if line.contains('\'') { "true" } else { &line };
                }
                other => command.push(other),
            }
        }
        command
    }
}

/// The differences between the reading and bash, and how many commands of the line count.
fn judged(line: &str, root: &Path, fails: &str) -> (Option<String>, usize) {
    let log = tempfile::NamedTempFile::new_in(root).unwrap();
    let run = |options: &[&str]| {
        let path = format!("{}:{}", root.join("bin").display(), std::env::var("PATH").unwrap());
        let mut bash = Command::new("timeout");
        bash.args(["-s", "KILL", "5", "bash"]).args(options).args(["-c", line]).current_dir(root.join("top"));
        bash.env("LOG", log.path()).env("FAILS", fails).env("PATH", path);
        let mut bash = bash.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let is_success = bash.wait().unwrap().success();
        // Programs left in the background are in the group of `timeout`.
        let group = format!("-{}", bash.id());
        Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status().unwrap();
        is_success
    };
    let is_success = run(&[]);
    let Some(commands) = parse(line).commands else {
        return (run(&["-n"]).then(|| "cannot be read".to_owned()), 0);
    };
    let ran = fs::read_to_string(&log).unwrap();
    let ran: Vec<(&str, &str)> = ran.lines().filter_map(|line| line.split_once(' ')).collect();
    for (name, folder) in &ran {
        let named = |one: &&Simple| one.with_prefix().iter().any(|word| word == name);
        let Some(command) = commands.iter().rfind(named) else {
            return (Some(format!("{name} is overlooked")), 0);
        };
        // A `cd` to a folder that is not there fails.
        let at = command.acts_in().map(|at| flat(&root.join("top").join(at))).filter(|at| at.is_dir());
        if at.is_some_and(|at| at != Path::new(folder)) {
            return (Some(format!("{name} ran in {folder}")), 0);
        }
    }
    let counting = commands.iter().filter(|one| one.hidden.is_none()).map(Simple::program);
    let counting: Vec<&str> = counting.filter(|name| name.starts_with('p') && name.len() < 4).collect();
    let is_lost =
        |name: &&&str| !ran.iter().any(|(ran, _)| ran == *name) || fails.contains(&format!(" {name} "));
    let lost = counting.iter().find(|name| is_success && is_lost(name));
    (lost.map(|name| format!("{name} counts")), counting.len())
}

#[test]
#[ignore = "takes minutes; run it after every change of the reader"]
fn random_lines_are_read_as_bash_runs_them() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for below in ["bin", "top/d/d/d", "top/d/e/d", "top/e/d/e", "top/e/e/d"] {
        fs::create_dir_all(root.join(below)).unwrap();
    }
    for program in 0..PROGRAMS {
        let file = root.join(format!("bin/p{program}"));
        fs::write(&file, STUB).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let number = std::env::var("BARBLESS_LINES").ok().and_then(|lines| lines.parse().ok()).unwrap_or(1000);
    let mut lines = Lines { seed: 1, programs: 0 };
    let (mut found, mut counted) = (Vec::new(), 0);
    for _ in 0..number {
        lines.programs = 0;
        let line = lines.line(2);
        let fails = (0..PROGRAMS).filter(|_| lines.random(4) == 0).map(|program| format!("p{program} "));
        let (wrong, counting) = judged(&line, &root, &format!(" {}", fails.collect::<String>()));
        counted += counting;
        found.extend(wrong.map(|wrong| format!("{wrong}: {line:?}")));
    }
    println!("{number} lines, {counted} commands count, {} read otherwise", found.len());
    assert!(found.is_empty(), "{}", found.join("\n"));
}
