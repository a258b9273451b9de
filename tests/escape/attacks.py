"""An attack as data, and the three questions that every attack is put through:

- Is it contained under the profile that users get?
- Does it work when its walls are off? Only then the first answer means anything.
- Where several walls stand: does it stay contained when any one of them is missing?

A test module lists its attacks in ATTACKS and imports the three tests from here.
"""
import subprocess
from dataclasses import dataclass

import pytest

ESCAPED, CONTAINED = 42, 0
# The payload as user 0 of its own user namespace: with capabilities left, it has them after exec.
ROOT_INSIDE = ("--set", "user.uid=0", "--set", "user.gid=0")
# Of a host that lacks the thing for everybody.
LACKING = ("errno=EAFNOSUPPORT", "errno=EPROTONOSUPPORT", "errno=ESOCKTNOSUPPORT", "errno=ENOSYS")
# Walls of more than one step, any of which keeps the thing from an exec as user 0.
STEPS = {"capabilities": ("empty_bounding_set", "drop_capabilities")}
# What stands between a payload and the mount tree.
MOUNT_WALLS = ("install_seccomp", "capabilities", "apply_landlock")


@dataclass(frozen=True)
class Attack:
    """`verb`: the probe's command line; {names} are filled in from the module's `scene` fixture."""

    promise: str  # the test's name: what the payload cannot do
    verb: str
    flags: tuple = ()  # for every run: what the attack needs around it
    contained_flags: tuple = ()  # for the contained run alone; the control says it otherwise
    walls: tuple = ()  # control: the plan without steps of these kinds (src/plan/step.hpp)
    clone_without: str = ""  # control: the clone without these namespaces
    env: tuple = ()  # control: further settings of the weakened program
    control_flags: tuple = ()  # control: flags that go with the missing walls
    granted_by: tuple = ()  # control: an ordinary run with flags that grant the thing
    bare: str = ""  # control: no sandbox at all; "root" when only root can do it there
    why_no_control: str = ""  # the kernel contains it by itself: there is no wall of ours to take away
    needs: tuple = ()  # of the host, as in @pytest.mark.needs

    def __str__(self):
        return self.promise


class Stage:
    """Runs an attack in one of its settings and judges what the probe said."""

    def __init__(self, request, sbx, probe, scene):
        self.request, self.sbx, self.probe, self.scene = request, sbx, probe, scene

    def words(self, attack):
        return [word.format(**self.scene) for word in attack.verb.split()]

    def _flags(self, flags):
        return [*self.probe.flags, *(str(f).format(**self.scene) for f in flags)]

    def contained(self, attack, program=None, flags=(), **options):
        program = program or self.sbx
        words = self.words(attack)
        # What waits for init to settle must not work before that either.
        for attempt in ([words[1:], words] if words[0] == "settled" else [words]):
            run = program.run(flags=self._flags((*attack.flags, *flags)), cmd=[self.probe.path, *attempt], **options)
            if run.status == "seccomp":
                continue
            if run.code != CONTAINED or not run.out.startswith("contained: "):
                pytest.fail(f"not contained: {attack.promise}\n{run}", pytrace=False)
        return run

    def escaped(self, attack, program, flags=(), **options):
        run = program.run(flags=self._flags((*attack.flags, *flags)),
                          cmd=[self.probe.path, *self.words(attack)], **options)
        if run.code != ESCAPED or not run.out.startswith("escaped: "):
            pytest.fail(f"the attack does not work without its walls: {attack.promise}\n{run}", pytrace=False)
        return run

    def without(self, attack, walls, judge):
        """A run of the weakened program, judged by `judge` (contained or escaped)."""
        steps = [step for wall in walls for step in STEPS.get(wall, (wall,))]
        env = {"SBX_TEST_WITHOUT": ",".join(steps), **dict(attack.env)}
        if attack.clone_without:
            env["SBX_TEST_CLONE_WITHOUT"] = attack.clone_without
        return judge(attack, program=self.request.getfixturevalue("weakened"), flags=attack.control_flags, env=env)

    def _run_bare(self, attack):
        return subprocess.run([self.probe.host_path, *self.words(attack)], cwd=self.sbx.cwd, timeout=60,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def skip_without_kernel_feature(self, attack):
        """What this kernel refuses to everybody, because it lacks it, cannot be shown to work."""
        if attack.verb.startswith(("socket ", "call ")):
            run = self._run_bare(attack)
            if run.returncode == CONTAINED and run.stdout.strip().endswith(LACKING):
                pytest.skip(f"this kernel does not have it: {run.stdout.strip()}")

    def bare(self, attack):
        run = self._run_bare(attack)
        if run.returncode == CONTAINED and run.stdout.strip().endswith(("errno=ENOENT", "errno=ENXIO", "errno=ENOSYS")):
            pytest.skip(f"this host does not have it: {run.stdout.strip()}")
        assert run.returncode == ESCAPED, f"does not work without a sandbox: {attack.verb}\n{run.stdout}{run.stderr}"


def _check_needs(attack, require):
    for feature in attack.needs:
        require(feature)


def test_contained(stage, attack, require):
    _check_needs(attack, require)
    stage.contained(attack, flags=attack.contained_flags)


def test_works_without_its_walls(stage, attack, require):
    _check_needs(attack, require)
    if attack.bare == "root":
        require("root")
    stage.skip_without_kernel_feature(attack)
    if attack.bare:
        stage.bare(attack)
    elif attack.granted_by:
        stage.escaped(attack, stage.sbx, flags=attack.granted_by)
    else:
        stage.without(attack, attack.walls, stage.escaped)


def test_one_wall_less_still_contains(stage, attack, wall, require):
    _check_needs(attack, require)
    stage.without(attack, (wall,), stage.contained)
