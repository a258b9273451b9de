"""workspace.git: protect. A payload with a writable work tree tries to make git on the host run its program; each
attack is shown to work without the preset."""
import pytest

from support.git_trees import KINDS, PROTECT, Tree, git, make

# $HOST: the work tree as the host has it; $MARK: a file of the host's that must never be made. evil(F) adds to a
# configuration what git runs at `git status`, copy() makes a repository with such a one in ./evil.
PRELUDE = r"""
C=$(git rev-parse --git-common-dir); G=$(git rev-parse --git-dir); O=$C/objects
evil() { printf '[core]\n\tfsmonitor = touch %s; false\n' "$MARK" >> "$1"; }
copy() { cp -r "$C" evil; rm -rf evil/worktrees; git config -f evil/config --unset core.worktree; evil evil/config; }
hook() { printf '#!/bin/sh\ntouch %s\n' "$MARK" > "$1"; chmod +x "$1"; }
"""
ATTACKS = {
    "git config": 'git config core.fsmonitor "touch $MARK; false"',
    "appended": 'evil "$C/config"',
    "made writable": 'chmod 666 "$C/config"; evil "$C/config"',
    "renamed over": 'cp "$C/config" c; evil c; mv -f c "$C/config"',
    "removed and made anew": 'cp "$C/config" c; evil c; rm -f "$C/config"; cp c "$C/config"',
    "a link instead": 'cp "$C/config" c; evil c; ln -sf "$HOST/c" "$C/config"',
    "a hard link": 'ln "$C/config" "$O/l" && evil "$O/l"',
    "core.hooksPath": 'mkdir h; hook h/pre-commit; git config core.hooksPath "$HOST/h"',
    "a hook": 'hook "$C/hooks/pre-commit"',
    "a hook in other hooks": 'cp -r "$C/hooks" h; hook h/pre-commit; mv "$C/hooks" h2; mv h "$C/hooks"',
    "a link to other hooks": 'mkdir h; hook h/pre-commit; mv "$C/hooks" h2; ln -s "$HOST/h" "$C/hooks"',
    "another .git": 'copy; mv .git old; echo "gitdir: $HOST/evil" > .git',
    "another .git folder": 'copy; mv .git old; mv evil .git',
    ".git written over": 'copy; rm -f .git; echo "gitdir: $HOST/evil" > .git',
    "commondir": 'copy; echo "$HOST/evil" > "$G/commondir" && sleep 10',
    "commondir moved there": 'copy; echo "$HOST/evil" > c; mv -f c "$G/commondir" && sleep 10',  # until it is ended for it
    "commondir at the end": 'copy; echo "$HOST/evil" > "$G/commondir"',
    "commondir linked there": 'copy; echo "$HOST/evil" > "$G/l"; ln -f "$G/l" "$G/commondir"',
    "config.worktree": 'evil "$G/config.worktree"',
    "an included file": 'evil included',
    "an included file, moved": 'cp included i; evil i; mv -f i included',
}
# Nothing there that a work tree of this kind has, or has like this.
ELSEWHERE = {("worktree", "another .git folder"), ("submodule", "another .git folder"), ("main", ".git written over"),
             ("main", "another .git")}
EFFECTS = {
    "objects of elsewhere": ('echo /etc > "$O/info/alternates"', "objects/info/alternates"),
    "objects of elsewhere, with their folder": ('cp -r "$O/info" "$O/i2"; echo /etc > "$O/i2/alternates"; '
                                                'mv "$O/info" "$O/i3"; mv "$O/i2" "$O/info"', "objects/info/alternates"),
    "all objects": ('cp -r "$O" "$C/o2"; echo /etc > "$C/o2/info/alternates"; mv "$O" "$C/o3"; mv "$C/o2" "$O"',
                    "objects/info/alternates"),
    "another worktree's link": ('rm -f "$C/worktrees/other/gitdir"; echo /etc/x > "$C/worktrees/other/gitdir"',
                                "worktrees/other/gitdir"),
    "another worktree's commondir": ('mv "$C/worktrees/other" w; cp -r w "$C/worktrees/other"; '
                                     'echo /etc > "$C/worktrees/other/commondir"', "worktrees/other/commondir"),
    "all worktrees": ('mv "$C/worktrees" w; cp -r w "$C/worktrees"; echo /etc > "$C/worktrees/other/gitdir"',
                      "worktrees/other/gitdir"),
}


def prepare(tmp_path, kind):
    tree = make(tmp_path, kind)
    git(tree.top, "config", "extensions.worktreeConfig", "true")
    (tree.top / "included").write_text("")
    git(tree.top, "config", "include.path", str(tree.top / "included"))
    return tree


def attack(sbx, tree, script, mark, flags):
    script = f"HOST={tree.top}; MARK={mark}; {PRELUDE}\n{script}"
    return sbx.run(flags=flags, cmd=["sh", "-c", script], cwd=tree.top)


def works(tree, mark):
    """Does git on the host run what the payload has left?"""
    git(tree.top, "status", check=False)
    git(tree.top, "commit", "-q", "--allow-empty", "-m", "x", check=False)
    return mark.exists()


PAIRS = [(kind, name) for kind in KINDS for name in ATTACKS if (kind, name) not in ELSEWHERE]


@pytest.mark.parametrize(("kind", "name"), PAIRS)
def test_attack_fails(sbx, tmp_path, open_folder, kind, name):
    tree, mark = prepare(tmp_path, kind), tmp_path / "mark"
    before = {path: path.read_bytes() for path in (tree.common / "config", tree.own / "HEAD")}
    run = attack(sbx, tree, ATTACKS[name], mark, PROTECT)
    assert run.code != 125, run
    assert not works(tree, mark), run
    assert {path: path.read_bytes() for path in before} == before, run


@pytest.mark.parametrize(("kind", "name"), PAIRS)
def test_control_attack_works_without_it(sbx, tmp_path, open_folder, kind, name):
    tree, mark = prepare(tmp_path, kind), tmp_path / "mark"
    run = attack(sbx, tree, ATTACKS[name].replace("sleep 10", "true"), mark, tree.unprotected)
    assert works(tree, mark), run


# Without .git/HEAD git looks further, and finds a bare repository where the work tree's top is.
BARE_TOP = r"""rm "$C/HEAD"; mkdir objects refs
printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n' > config; evil config
echo 'ref: refs/heads/master' > HEAD; sleep 10"""


# Where the work tree has a HEAD of its own, the rest may be in what commondir names.
BARE_TOP_ELSEWHERE = r"""rm "$C/HEAD"; echo 'ref: refs/heads/master' > HEAD; mkdir -p x/objects x/refs
printf '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n' > x/config
printf '[core]\n\tbare = false\n\tworktree = .\n' > config.worktree; evil config.worktree
echo x > commondir; sleep 10"""
BARE_TOPS = {"HEAD": BARE_TOP, "commondir": BARE_TOP_ELSEWHERE}


def with_head(tree, missing):
    if missing != "HEAD":
        (tree.top / "HEAD").write_text("of the project\n")
        (tree.top / "HEAD").chmod(0o666)


@pytest.mark.parametrize("missing", BARE_TOPS)
def test_the_top_does_not_become_a_repository(sbx, tmp_path, open_folder, missing):
    tree, mark = prepare(tmp_path, "main"), tmp_path / "mark"
    with_head(tree, missing)
    run = attack(sbx, tree, BARE_TOPS[missing], mark, PROTECT)
    assert run.code == 137 and missing in run.result["reason"]["text"], run
    assert not works(tree, mark) and not (tree.top / missing).exists()


@pytest.mark.parametrize("missing", BARE_TOPS)
def test_control_the_top_becomes_a_repository_without_it(sbx, tmp_path, open_folder, missing):
    tree, mark = prepare(tmp_path, "main"), tmp_path / "mark"
    with_head(tree, missing)
    attack(sbx, tree, BARE_TOPS[missing].replace("sleep 10", "true"), mark, tree.unprotected)
    assert works(tree, mark)


def effect_pairs():
    return [(kind, name) for kind in KINDS for name, (_, path) in EFFECTS.items()
            if kind != "submodule" or "worktrees" not in path]


@pytest.mark.parametrize(("kind", "name"), effect_pairs())
def test_nothing_elsewhere_is_read(sbx, tmp_path, open_folder, kind, name):
    script, path = EFFECTS[name]
    for protected in (True, False):
        tree = prepare(tmp_path / str(protected), kind) if (tmp_path / str(protected)).mkdir() is None else None
        run = attack(sbx, tree, script, "none", PROTECT if protected else tree.unprotected)
        place = tree.common / path
        assert run.code != 125, run
        assert (place.exists() and "/etc" in place.read_text()) is not protected, run


def test_a_watched_name_ends_the_run_at_once(sbx, tmp_path, open_folder):
    tree = prepare(tmp_path, "main")
    run = attack(sbx, tree, 'echo x > "$G/commondir"; sleep 30', "none", PROTECT)
    assert run.code == 137 and run.status == "signal" and run.seconds < 10, run
    assert run.result["reason"]["code"] == "git_protect" and not (tree.own / "commondir").exists(), run
    assert "commondir" in run.err


def test_no_submodule_is_made_ready_before_git_does(sbx, tmp_path, open_folder):
    """Its hooks would run once it is checked out."""
    tree = prepare(tmp_path, "main")
    run = attack(sbx, tree, 'mkdir "$C/modules"; sleep 30', "none", PROTECT)
    assert run.code == 137 and run.result["reason"]["code"] == "git_protect" and run.seconds < 10, run
    assert not (tree.common / "modules").exists()


def test_no_submodule_is_made_ready_beside_another(sbx, tmp_path, open_folder):
    """What the work tree says of it git believes: .gitmodules, and a commit that names it."""
    script = ('cp -r "$C/modules/sub" "$C/modules/evil" && git config -f "$C/modules/evil/config" core.worktree ../../../evil && '
              'evil "$C/modules/evil/config"; git config -f .gitmodules submodule.evil.path evil; '
              'git config -f .gitmodules submodule.evil.url /nowhere; git add .gitmodules; '
              'git update-index --add --cacheinfo "160000,$(git -C sub rev-parse HEAD),evil"; git commit -qm evil')
    for protected in (True, False):
        folder = tmp_path / str(protected)
        folder.mkdir()
        inner = make(folder, "submodule")
        tree, mark = Tree(inner.top.parent, inner.own.parents[1], inner.own.parents[1], "main"), folder / "mark"
        run = attack(sbx, tree, script, mark, PROTECT if protected else tree.unprotected)
        assert run.code == 0 and tree.log()[0] == "evil", run
        git(tree.top, "submodule", "update", "--init", "evil", check=False)
        git(tree.top, "status")
        assert mark.exists() is not protected and (tree.common / "modules" / "evil" / "config").exists() is not protected, run
        # What is there is worked in as before.
        run = attack(sbx, tree, "cd sub; echo more >> file; git commit -qam more", mark, PROTECT)
        assert run.code == 0 and git(inner.top, "log", "--format=%s").stdout.split()[0] == "more", run


SUBMODULES = {
    "another folder": 'git config -f evil/config core.worktree "../sub"; printf "gitdir: ../evil" > sub/.git',
    "moved there": 'printf "gitdir: ../evil" > g; mv -f g sub/.git',
    "with its work tree": 'cp -r sub s; rm s/.git; cp -r evil s/.git; mv sub s2; mv s sub',
}


@pytest.mark.parametrize("name", SUBMODULES)
def test_a_submodules_work_tree_leads_to_no_other_folder(sbx, tmp_path, open_folder, name):
    """git status asks it."""
    script = 'cp -r "$C/modules/sub" evil; git config -f evil/config --unset core.worktree; evil evil/config; ' + SUBMODULES[name]
    for protected in (True, False):
        folder = tmp_path / str(protected)
        folder.mkdir()
        inner = make(folder, "submodule")
        tree, mark = Tree(inner.top.parent, inner.own.parents[1], inner.own.parents[1], "main"), folder / "mark"
        run = attack(sbx, tree, script, mark, PROTECT if protected else tree.unprotected)
        assert run.code != 125 and works(tree, mark) is not protected, run


def test_a_watched_name_that_goes_again_ends_it_as_well(sbx, tmp_path, open_folder):
    tree = prepare(tmp_path, "main")
    run = attack(sbx, tree, 'while :; do echo x > "$G/commondir"; rm -f "$G/commondir"; done', "none", PROTECT)
    assert run.code == 137 and run.result["reason"]["code"] == "git_protect", run
    assert not (tree.own / "commondir").exists()


def test_a_flood_of_other_names_does_not_hide_one(sbx, tmp_path, open_folder):
    """The kernel's queue holds 16384 names; the 20000 here overflow it."""
    tree = prepare(tmp_path, "main")
    run = attack(sbx, tree, 'cd "$G"; seq 20000 | xargs touch; rm -f 1* 2* 3* 4* 5* 6* 7* 8* 9*; echo x > commondir; '
                            'seq 20000 | xargs touch', "none", PROTECT)
    assert run.code == 137 and run.result["reason"]["code"] == "git_protect", run
    assert not (tree.own / "commondir").exists()


# $VICTIM: a file of the host's, to which git on the host writes through a link.
THROUGH = {
    "the message": 'ln -sf "$VICTIM" "$G/COMMIT_EDITMSG"',
    "the log of a branch": 'ln -sf "$VICTIM" "$C/logs/$(git symbolic-ref HEAD)"',
    "a link moved there": 'ln -s "$VICTIM" l; mv -f l "$G/COMMIT_EDITMSG"',
    "the graph of commits": 'ln -sf "$VICTIM" "$O/info/commit-graph"',
    "the index of packs": 'git gc -q; mkdir -p "$O/pack"; ln -sf "$VICTIM" "$O/pack/multi-pack-index"',
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in KINDS for name in THROUGH])
def test_git_writes_nowhere_through_a_link(sbx, tmp_path, open_folder, kind, name):
    for protected in (True, False):
        folder = tmp_path / str(protected)
        folder.mkdir()
        tree, victim = prepare(folder, kind), folder / "victim"
        victim.write_text("")
        script = f"VICTIM={victim}; {THROUGH[name]}"
        run = attack(sbx, tree, script, "none", PROTECT if protected else tree.unprotected)
        works(tree, folder / "mark")
        for command in (["commit-graph", "write", "--reachable"], ["multi-pack-index", "write"]):
            git(tree.top, *command, check=False)
        assert bool(victim.read_bytes()) is not protected, run
        assert any("symbolic links were removed" in text for text in run.result["warnings"]) is protected, run
