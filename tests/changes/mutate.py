"""Changes the tree it stands in, at random but the same for the same seed: what sandboxes run, and who
wants to know what they should have done. Nothing here depends on the order of a folder's entries."""
import os
import random
import shutil
import stat
import sys

NAMES = [b"a", b"b", b"c.txt", b"with space", b"new\nline", b"\xff\xfe", b"-dash", "\u00fc\u4e2d".encode(), b"n" * 255, b"tab\there"]


def walk(top=b"."):
    folders, others = [], []
    for folder, below, files in os.walk(top):
        below.sort()
        for name in sorted(below):
            path = os.path.join(folder, name)
            (others if os.path.islink(path) else folders).append(path)
        others += [os.path.join(folder, name) for name in sorted(files)]
    return folders, others


def open_new(path):
    """For writing; what is a pipe refuses at once."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK, 0o644), "wb")


def remove_all(top):
    """As rm -r, in the order of names: where it has to stop is the same for everybody."""
    for name in sorted(os.listdir(top)):
        path = os.path.join(top, name)
        if os.path.isdir(path) and not os.path.islink(path):
            remove_all(path)
        else:
            os.unlink(path)
    os.rmdir(top)


class Mutator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.serial = 0

    def content(self):
        self.serial += 1
        size = self.random.choice([0, 10, 4096, 5000, 70000])
        return b"%d\n" % self.serial + self.random.randbytes(size) if self.random.random() < 0.5 else b"line %d\n" % self.serial * (1 + size // 8)

    def folder(self):
        folders, _ = walk()
        return self.random.choice([b"."] + folders)

    def other(self, *kinds):
        _, others = walk()
        wanted = [path for path in others if stat.S_IFMT(os.lstat(path).st_mode) in kinds]
        return self.random.choice(wanted)

    def place(self):
        return os.path.join(self.folder(), self.random.choice(NAMES) + (b"%d" % self.random.randrange(30))[:0 if self.random.random() < 0.4 else 2])

    def write(self):
        with open_new(self.place()) as file:
            file.write(self.content())

    def writable_file(self):
        """overlayfs may take a file's old mode for true when it was changed through another name."""
        path = self.other(stat.S_IFREG)
        if not os.lstat(path).st_mode & 0o200:
            raise PermissionError(path)
        return path

    def append(self):
        with open(self.writable_file(), "ab") as file:
            file.write(self.content())

    def rewrite_the_same(self):
        path = self.writable_file()
        with open(path, "rb") as file:
            data = file.read()
        with open(path, "r+b") as file:
            file.write(data)

    def sparse(self):
        with open_new(self.place()) as file:
            file.truncate(self.random.choice([5, 1 << 20, 1 << 23]))
            file.seek(self.random.randrange(5))
            file.write(b"x")

    def remove(self):
        os.unlink(self.other(stat.S_IFREG, stat.S_IFLNK, stat.S_IFIFO))

    def remove_tree(self):
        folders, _ = walk()
        remove_all(self.random.choice(folders))

    def make_folder(self):
        os.mkdir(self.place(), self.random.choice([0o755, 0o700, 0o555]))

    def replace_folder(self):
        folders, _ = walk()
        path = self.random.choice(folders)
        remove_all(path)
        if self.random.random() < 0.5:
            os.mkdir(path)
            with open_new(os.path.join(path, b"again")) as file:
                file.write(self.content())
        else:
            with open_new(path) as file:
                file.write(self.content())

    def replace_file(self):
        path = self.other(stat.S_IFREG, stat.S_IFLNK)
        os.unlink(path)
        kind = self.random.randrange(3)
        if kind == 0:
            os.mkdir(path)
        elif kind == 1:
            os.symlink(self.random.choice([b"/etc/passwd", b"../..", b"nowhere\xff"]), path)
        else:
            os.mkfifo(path, 0o600)

    def move(self):
        source, target = self.other(stat.S_IFREG, stat.S_IFLNK), self.place()
        os.rename(source, target)

    def move_folder(self):
        folders, _ = walk()
        source, target = self.random.choice(folders), self.place()
        if os.path.lexists(target) or (target + b"/").startswith(source + b"/"):
            return
        shutil.copytree(source, target, symlinks=True)
        remove_all(source)

    def mode(self):
        os.chmod(self.other(stat.S_IFREG), self.random.choice([0o644, 0o755, 0o600, 0o444, 0o400]))

    def folder_mode(self):
        folders, _ = walk()
        os.chmod(self.random.choice(folders), self.random.choice([0o755, 0o700, 0o555, 0o1777]))

    def link(self):
        os.link(self.other(stat.S_IFREG), self.place(), follow_symlinks=False)

    def symlink(self):
        os.symlink(self.random.choice(NAMES), self.place())

    def attribute(self):
        os.setxattr(self.writable_file(), self.random.choice(["user.a", "user.b"]), self.random.randbytes(9))

    def deep(self):
        path = self.place()
        for _ in range(self.random.randrange(1, 40)):
            os.mkdir(path)
            path = os.path.join(path, b"d")
        with open_new(path) as file:
            file.write(self.content())

    ACTS = (write, write, write, append, append, rewrite_the_same, sparse, remove, remove, remove_tree, make_folder, replace_folder,
            replace_file, move, move_folder, mode, folder_mode, link, symlink, attribute, deep)

    def change(self, times):
        for _ in range(times):
            act = self.random.choice(self.ACTS)
            try:
                act(self)
            except (OSError, IndexError, shutil.Error):
                pass  # what it chose is not there, or closed; the same for everybody


def main(seed, times):
    Mutator(seed).change(times)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
