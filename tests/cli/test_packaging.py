"""Files for packagers: they say what the program and the manual say."""
import re
import subprocess

import pytest


@pytest.fixture
def profile(root_dir):
    return (root_dir / "packaging" / "apparmor" / "sbx").read_text()


def test_the_apparmor_profile_gives_user_namespaces_and_confines_nothing(profile):
    assert re.search(r"^profile sbx (\S+) flags=\(unconfined\) \{\n(.*\n)*  userns,\n(.*\n)*\}$", profile, re.M)
    assert profile.index("abi <abi/4.0>,") < profile.index("profile sbx")


def test_the_apparmor_profile_is_accepted_by_the_parser(profile, tmp_path):
    """By Debian's parser 3, which does not know what version 4 brought: that is taken out."""
    older = profile.replace("abi <abi/4.0>,", "").replace("  userns,\n", "").replace("flags=(unconfined)", "")
    (tmp_path / "sbx").write_text(older)
    names = subprocess.run(["/usr/sbin/apparmor_parser", "--names", "--skip-cache", tmp_path / "sbx"], capture_output=True,
                           text=True)
    assert (names.returncode, names.stdout) == (0, "sbx\n"), names
    (tmp_path / "broken").write_text(older.replace("profile sbx", "profil sbx"))
    assert subprocess.run(["/usr/sbin/apparmor_parser", "--names", "--skip-cache", tmp_path / "broken"],
                          capture_output=True).returncode != 0


@pytest.mark.parametrize("path, covered", [("/usr/bin/sbx", True), ("/usr/local/bin/sbx", True), ("/home/ada/sbx", False)])
def test_the_apparmor_profile_is_for_the_installed_binary(profile, path, covered):
    (pattern,) = re.findall(r"^profile sbx (\S+) ", profile, re.M)
    assert pattern == "/usr/{,local/}bin/sbx"
    expanded = {pattern.replace("{,local/}", middle) for middle in ("", "local/")}
    assert (path in expanded) == covered
