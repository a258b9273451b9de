"""A batch is faster than a loop of `run`. The promise is about Python jobs on a quiet machine (`bench/batch --check`);
here, where others are at work, about jobs that cost nothing themselves, so that what sbx saves decides."""
import subprocess


def test_small_jobs_are_faster_than_by_xargs(sbx, root_dir):
    command = [root_dir / "bench" / "batch", "--check", "--least", "1.1", "--jobs", "400", "--turn", "40", "--command",
               "/bin/true", "--sbx", sbx.binary, "--flags", " ".join(sbx.degraded)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:  # once more: another suite may have started just between two turns
        done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_python_jobs_have_the_same_results_by_both(sbx, root_dir):
    done = subprocess.run([root_dir / "bench" / "batch", "--jobs", "60", "--turn", "20", "--sbx", sbx.binary,
                           "--flags", " ".join(sbx.degraded)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
