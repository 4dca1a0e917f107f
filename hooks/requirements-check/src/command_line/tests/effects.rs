//! Reading and editing.

use super::*;

#[test]
fn lines_that_only_read_are_known() {
    let lines = [
        "",
        "cat a b | head -3",
        "grep -rn x . 2>/dev/null | sort -u >&2",
        "ls -la && wc -l a; pwd",
        "cd x && git status",
        "git -C d --no-pager diff HEAD -- a",
        "git log --oneline -5 --grep 'x > y'",
        "git show HEAD:a | tail -5",
        "git branch",
        "git branch -a -v",
        "git stash list",
        "find . -name '*.rs' -type f",
        "sed -n '1,20p' a",
        "sed -n -e '/x/p' a",
        "sed 's/a/b/g' a",
        "awk '{print $1}' a",
        "awk -F: -v x=1 '{print $1}' a",
        "jq .a b",
        "command cat a",
        "for f in a b; do cat $f; done",
        "cat $(git ls-files)",
        "echo x > /dev/null",
    ];
    for line in lines {
        assert!(parse(line).is_read_only(), "{line:?}");
    }
}

#[test]
fn in_doubt_a_line_does_not_only_read() {
    let lines = [
        "cat a > b",
        "cat a >> b",
        "cat a | tee b",
        "cat a; rm b",
        "echo $(rm b)",
        "cat <(rm b)",
        "{ cat a; } > b",
        "sort -o a b",
        "sort --outp=a b",
        "sort -uo a b",
        "find . -delete",
        "find . -exec rm {} ;",
        "find . -fprint a",
        "sed -i s/a/b/ c",
        "sed -n 's/a/b/w c' d",
        "sed '1e rm b' a",
        "sed 's/a/b/' c -i",
        "sed -f script a",
        "sed -n '/a/w/b/p' c",
        "awk '{print > \"b\"}' a",
        "awk '{system(\"rm b\")}' a",
        "awk -f script a",
        "rg --pre x y",
        "git diff --output=a",
        "git diff --ext-diff",
        "git -c core.pager=x log",
        "git branch new",
        "git stash",
        "git commit",
        "git",
        "PAGER=x git log",
        "./cat a",
        "sudo cat a",
        "python -c 1",
        "cat 'open",
        "xargs cat",
    ];
    for line in lines {
        assert!(!parse(line).is_read_only(), "{line:?}");
    }
}

#[test]
fn commands_that_edit_files_are_known() {
    let lines = [
        "echo x > a",
        "cat a >> b",
        "sed -i s/a/b/ c",
        "sed -i.bak s/a/b/ c",
        "sed -ni s/a/b/ c",
        "sed --in-place=.x s/a/b/ c",
        "perl -pi -e 's/a/b/' c",
        "perl -i.bak -pe 's/a/b/' c",
        "tee a",
        "mv a b",
        "cp a b",
        "rm a",
        "/bin/rm a",
        "sudo rm a",
        "dd of=a",
        "ln -s a b",
        "patch -p1",
        "truncate -s 0 a",
        "install a b",
        "git apply x",
        "git am x",
        "git -C d cherry-pick x",
        "git revert x",
        "git merge x",
        "git rebase x",
        "git pull",
        "git stash",
        "git stash pop",
        "git restore a",
        "git rm a",
        "git mv a b",
        "git clean -fd",
        "git reset --hard",
        "git checkout -- a",
    ];
    for line in lines {
        assert!(only(line).edits_files(), "{line:?}");
    }
}

#[test]
fn commands_that_are_not_known_to_edit_files_do_not() {
    let lines = [
        "cat a",
        "cat a > /dev/null",
        "a 2>&1",
        "sed s/i/b/ c",
        "sed -n -e i a",
        "perl -e 'i'",
        "tee",
        "tee /dev/stderr",
        "touch a",
        "cargo test",
        "git commit",
        "git status",
        "git stash list",
        "git apply --check x",
        "git clean -n",
        "git reset",
        "git checkout main",
        "git log -- rm",
        "echo rm a",
    ];
    for line in lines {
        assert!(!only(line).edits_files(), "{line:?}");
    }
}
