"""Who runs the measured commands: us, or with --user an ordinary user."""
import os
import pwd
import subprocess


class User:
    def __init__(self, name=None):
        account = pwd.getpwnam(name) if name else pwd.getpwuid(os.geteuid())
        self.name, self.uid, self.gid = account.pw_name, account.pw_uid, account.pw_gid
        self.other = self.uid != os.geteuid()
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": account.pw_dir, "LANG": "C.UTF-8"}

    def popen(self, argv, cwd, view=None, **options):
        """`view` (view.py) comes first: it needs what the user may lack, and becomes the user by itself."""
        if view:
            argv = view.words(self) + list(argv)
        elif self.other:
            options.update(user=self.uid, group=self.gid, extra_groups=[])
        return subprocess.Popen([str(word) for word in argv], cwd=cwd, env=self.env, text=True, **options)

    def run(self, argv, cwd, view=None, timeout=60):
        """The exit code and what it wrote on both streams; a command that hangs counts as failed."""
        process = self.popen(argv, cwd, view, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            err += f"took more than {timeout} s"
        return subprocess.CompletedProcess(argv, process.returncode, out, err)
