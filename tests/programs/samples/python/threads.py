"""Threads, locks, queues, thread pools, timers."""
import concurrent.futures
import queue
import threading

total, lock = 0, threading.Lock()


def add():
    global total
    for _ in range(1000):
        with lock:
            total += 1


workers = [threading.Thread(target=add) for _ in range(8)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
assert total == 8000

jobs = queue.Queue()
threading.Timer(0.01, jobs.put, ["from the timer"]).start()
assert jobs.get(timeout=10) == "from the timer"
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    assert sum(pool.map(lambda n: n * n, range(100))) == 328350
barrier = threading.Barrier(3)
local = [threading.Thread(target=barrier.wait) for _ in range(2)]
for thread in local:
    thread.start()
barrier.wait(timeout=10)
print("threads fine")
