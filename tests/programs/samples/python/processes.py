"""multiprocessing in each of its start methods, with everything that it shares."""
import concurrent.futures
import multiprocessing as mp
import sys
from multiprocessing import shared_memory


def square(n):
    return n * n


def fill(name, semaphore, queue):
    block = shared_memory.SharedMemory(name)
    block.buf[:5] = b"hello"
    block.close()
    queue.put("filled")
    semaphore.release()


def count(value, many):
    for _ in range(many):
        with value.get_lock():
            value.value += 1


def main(method):
    context = mp.get_context(method)
    with context.Pool(2) as pool:
        assert pool.map(square, range(20)) == [n * n for n in range(20)]
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(square, [3, 4])) == [9, 16]

    block = shared_memory.SharedMemory(create=True, size=1 << 20)
    semaphore, queue = context.Semaphore(0), context.Queue()
    child = context.Process(target=fill, args=(block.name, semaphore, queue))
    child.start()
    assert semaphore.acquire(timeout=30)
    assert queue.get(timeout=30) == "filled" and bytes(block.buf[:5]) == b"hello"
    child.join()
    block.close()
    block.unlink()

    value = context.Value("i", 0)
    children = [context.Process(target=count, args=(value, 200)) for _ in range(3)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert value.value == 600, value.value

    with context.Manager() as manager:
        shared = manager.dict(a=1)
        shared["b"] = manager.list([1, 2])
        assert list(shared["b"]) == [1, 2]
    near, far = context.Pipe()
    near.send({"k": [1]})
    assert far.recv() == {"k": [1]}
    print(method, "fine")


if __name__ == "__main__":
    main(sys.argv[1])
