"""secrets: each source, what the payload finds, and what else it does not find."""
import json
import os
import signal

import pytest

from support.waiting import state_of, wait_until

FROM = "env:SBX_TEST_SECRET"
SHOW = "stat -c '%a %u' /run/secrets/k; id -u; cat /run/secrets/k"


def show(sbx, source, flags=(), cmd=("cat", "/run/secrets/k"), **options):
    return sbx.run(flags=["--secret", f"k={source}", "--set", "secrets.k.redact=false", *flags], cmd=cmd, **options)


def test_a_variable(sbx, value):
    assert show(sbx, FROM).assert_ok().out == value.text


def test_a_file_loses_one_newline(sbx, value):
    (sbx.cwd / "token").write_text(value.text + "\n\n")
    assert show(sbx, "file:token").assert_ok().out == value.text + "\n"


def test_a_file_is_found_beside_the_profile(sbx, value, tmp_path):
    (tmp_path / "token").write_text(value.text)
    profile = {"version": 1, "secrets": {"k": {"from": "file:token", "redact": False}}}
    assert sbx.run(profile, cmd=["cat", "/run/secrets/k"]).assert_ok().out == value.text


def test_a_descriptor_is_read_to_its_end(sbx, value):
    read, write = os.pipe()
    os.write(write, value.text.encode())
    os.close(write)
    assert show(sbx, f"fd:{read}", pass_fds=[read]).assert_ok().out == value.text


def test_a_command_is_the_shells(sbx, value):
    run = show(sbx, 'command:echo said >&2; cat; printf "%s\\n" "$SBX_TEST_SECRET" | cat', stdin=b"input")
    assert run.assert_ok().out == value.text and run.err.startswith("said\n"), run


def test_a_variable_of_the_payloads(sbx, value):
    run = show(sbx, FROM, ["--set", "secrets.k.env=K"], ["sh", "-c", "echo $K; ls /run/secrets; env"])
    assert run.assert_ok().out.startswith(value.text + "\n") and "SBX_TEST_SECRET" not in run.out, run
    assert "No such file" in run.err


def test_both_a_variable_and_a_file(sbx, value):
    flags = ["--set", "secrets.k.env=K", "--set", "secrets.k.at=/etc/app/key"]
    run = show(sbx, FROM, flags, ["sh", "-c", 'test "$K" = "$(cat /etc/app/key)" && cat /etc/app/key'])
    assert run.assert_ok().out == value.text


def test_only_the_payloads_user_may_read_it(sbx, value):
    mode, owner, user, text = show(sbx, FROM, cmd=["sh", "-c", SHOW]).assert_ok().out.replace("\n", " ").split(" ", 3)
    assert (mode, text) == ("400", value.text) and owner == user
    assert show(sbx, FROM, ["--set", 'secrets.k.perm="0440"'], ["stat", "-c", "%a", "/run/secrets/k"]).out == "440\n"


@pytest.mark.parametrize("place", ["/run/secrets/k", "/etc/app/key", "/run/secrets/sub/k"])
def test_it_lies_on_a_tmpfs_that_nobody_changes(sbx, value, place):
    script = f"grep ' {os.path.dirname(place)} \\| {place} ' /proc/self/mountinfo; cd /; rm -f {place}; " \
             f"echo x > {place}; chmod 0777 {place}; touch /run/secrets/other; cat {place}"
    run = show(sbx, FROM, ["--set", f"secrets.k.at={place}"], ["sh", "-c", script])
    mount = run.out.splitlines()[0]
    assert " - tmpfs " in mount and all(flag in mount for flag in ("ro,", "nosuid", "nodev", "noexec")), run
    assert run.out.endswith(value.text), run


def test_nothing_else_inside_has_it(sbx, value):
    script = "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/[0-9]*/mountinfo /proc/1/maps /proc/1/mem; env"
    run = sbx.run(flags=["--secret", f"k={FROM}", "--set", "secrets.k.redact=false"], cmd=["sh", "-c", script])
    assert not value.seen_in(run.stdout), run
    assert "/proc/1/environ: Permission denied" in run.err and "/proc/1/mem: Permission denied" in run.err, run
    passed = sbx.run(flags=["--env", "SBX_TEST_SECRET"], cmd=["sh", "-c", script])
    assert value.seen_in(passed.stdout)


def test_the_plan_has_no_value(sbx, value):
    flags = ["--secret", f"k={FROM}", "--secret", "c=command:echo $SBX_TEST_SECRET"]
    for arguments in (["explain", *flags], ["explain", "--json", *flags], ["run", "--dry-run", *flags],
                      ["explain", "--why", "path:/run/secrets/k", "--why", "env:SBX_TEST_SECRET", *flags]):
        run = sbx.call(*arguments, *sbx.degraded, "--", "true")
        assert run.code == 0 and "/run/secrets" in run.out and not value.seen_in(run.stdout + run.stderr), run


@pytest.mark.parametrize("source, words", [
    ("env:SBX_TEST_NOTHING", "SBX_TEST_NOTHING is not set"), ("file:nothing", "cannot open the file nothing"),
    ("file:/dev", "is no file"), ("fd:99", "descriptor 99 is not open"),
    ("command:echo x; exit 3", "exit code 3"), ("command:kill -9 $$", "killed by signal 9"),
    ("command:true", "is empty"), ("command:yes", "more than 64 KiB"), ("file:link", "leads outside"),
])
def test_what_is_not_there_ends_it_before_the_payload(sbx, source, words):
    (sbx.cwd / "link").symlink_to("/etc/passwd")
    profile = sbx.folder / "work" / "p.yaml"
    profile.write_text('version: 1\nsecrets:\n  k: {from: "%s"}\n' % source)
    run = sbx.run(profile, cmd=["touch", "/tmp/ran"])
    run.assert_refused(f"{profile}:3:13: the secret `k`", words)


@pytest.mark.parametrize("lacks", [True, False], ids=["refused", "masked"])
def test_a_run_that_lacks_one_secret_shows_no_other(sbx, value, lacks):
    """Nobody can mask what stands in the command's words then."""
    flags = ["--secret", "k=env:SBX_TEST_SECRET", *(["--secret", "l=env:SBX_TEST_NOTHING"] if lacks else [])]
    run = sbx.call("run", *sbx.degraded, *flags, "--json", "--junit", "j.xml", "--", "false", value.text)
    assert run.code == (125 if lacks else 1) and json.loads(run.out)["argv"] == ([] if lacks else ["false", "[redacted:k]"])
    assert not value.seen_in(run.stdout + run.stderr + (sbx.cwd / "j.xml").read_bytes()), run


def test_values_too_short_to_be_masked_are_refused(sbx):
    sbx.run(flags=["--secret", "k=command:echo abc"], cmd=["true"]).assert_refused("too short", "redact: false")
    show(sbx, "command:echo abc").assert_ok()


def test_a_command_leaves_nobody_behind(sbx, value):
    run = show(sbx, "command:sleep 1000 & yes", cmd=["true"])
    run.assert_refused("more than 64 KiB")
    assert run.seconds < 20


def test_64_kib_are_handed_over(sbx):
    (sbx.cwd / "big").write_bytes(b"k" * 65536)
    run = sbx.run(flags=["--secret", "k=file:big", "--set", "secrets.k.redact=false"], cmd=["wc", "-c", "/run/secrets/k"])
    assert run.assert_ok().out.startswith("65536 ")
    (sbx.cwd / "big").write_bytes(b"k" * 65537)
    show(sbx, "file:big").assert_refused("more than 64 KiB")


def test_core_files_with_secrets_are_warned_of(sbx, value):
    run = show(sbx, FROM, ["--rlimit", "core=1M"], ["true"])
    assert "core files" in run.err and any("core files" in w for w in run.result["warnings"]), run
    assert "core files" not in show(sbx, FROM, cmd=["true"]).err


def test_a_command_and_what_it_has_started_end_before_sbx_does(sbx):
    """Asked to end, sbx ends them; the command's own signals are the caller's."""
    pids = sbx.cwd / "pids"
    for script in ("sleep 1000 & echo $! > pids; wait", "sleep 1000 & echo $! > pids; exec >/dev/null; wait"):
        running = sbx.spawn(flags=["--secret", f"k=command:{script}"], cmd=["true"])
        wait_until(lambda: pids.exists() and pids.read_text().strip(), "it does not come as far")
        sleeper = int(pids.read_text())
        running.signal(signal.SIGTERM)
        assert running.wait(timeout=10).code == -signal.SIGTERM
        assert state_of(sleeper)[0] in "XZ"
        pids.unlink()
