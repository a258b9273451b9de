"""What differs between the machines that sbx is for."""
import platform

X86_64 = platform.machine() == "x86_64"


def call(x86_64, arm64):
    """The number of a system call here, for a payload that makes it by number."""
    return x86_64 if X86_64 else arm64
