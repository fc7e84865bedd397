"""Any executor gives the same tables; a worker that is lost is said, and nothing is lost with it."""

import multiprocessing
import os
import signal
import sys
import time
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from tables_of import same_tables

import palace_sim as ps
from palace_sim import run, until

NAMES = ["random", "stay", "tight"]
RUNS = [
    {"deals": 300, "rows": True},
    {"deals": 900, "until": until.leader(0.9), "look": 150, "spend": "adaptive", "confirm": 60, "luck": True},
]


@pytest.fixture(scope="module", params=RUNS, ids=["fixed", "adaptive"])
def wanted(request):
    return request.param, ps.round_robin(NAMES, seed=8, workers=1, **request.param)


@pytest.fixture
def block_size(monkeypatch):
    def fix(size):
        monkeypatch.setattr(run.Sizer, "next", lambda self, left, workers: min(size, left))

    return fix


@pytest.mark.parametrize(("workers", "size"), [(1, 1), (1, 1000), (2, 1), (2, 37), (2, 1000)])
def test_threads(wanted, block_size, workers, size):
    block_size(size)
    same_tables(ps.round_robin(NAMES, seed=8, workers=workers, **wanted[0]), wanted[1])


@pytest.mark.parametrize("workers", [1, 2])
def test_an_executor_of_threads(wanted, block_size, workers):
    block_size(23)
    with ThreadPoolExecutor(workers) as pool:
        same_tables(ps.round_robin(NAMES, seed=8, executor=pool, **wanted[0]), wanted[1])
        assert pool.submit(int).result() == 0  # it is left open


@pytest.mark.parametrize("workers", [1, 2])
def test_processes(wanted, block_size, workers, tmp_path):
    block_size(50)
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("fork")) as pool:
        same_tables(ps.round_robin(NAMES, seed=8, executor=pool, **wanted[0]), wanted[1])
        same_tables(ps.round_robin(NAMES, seed=8, executor=pool, folder=tmp_path, **wanted[0]), wanted[1])
        # workers that were forked while the folder was locked do not keep it locked
        same_tables(ps.round_robin(NAMES, seed=8, executor=pool, folder=tmp_path, **wanted[0]), wanted[1])


@pytest.fixture(scope="module", params=[1, 2])
def client(request):
    distributed = pytest.importorskip("distributed")
    # its workers as threads of this process: what is tested is the executor, not how dask starts processes
    how = {"n_workers": request.param, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**how, silence_logs=50) as cluster, distributed.Client(cluster) as made:
        yield made


@pytest.mark.filterwarnings("default")  # those of dask are its own
def test_dask(wanted, client, block_size):
    block_size(60)
    pool = client.get_executor()
    same_tables(ps.round_robin(NAMES, seed=8, executor=pool, **wanted[0]), wanted[1])


@pytest.mark.filterwarnings("default")
def test_as_many_tasks_as_dask_has_threads(client):
    from palace_sim.workers import slots

    assert slots(client.get_executor()) == sum(client.nthreads().values())


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_dask_processes(tmp_path):
    distributed = pytest.importorskip("distributed")
    wanted = ps.round_robin(NAMES, seed=8, deals=30_000)
    how = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**how) as cluster, distributed.Client(cluster) as client:
        pool = client.get_executor()
        same_tables(ps.round_robin(NAMES, seed=8, deals=30_000, executor=pool, folder=tmp_path), wanted)


# --- workers that are lost --------------------------------------------------------------------------------------------


class Flaky(Executor):
    """Does tasks at once; fails those whose number is asked for."""

    def __init__(self, failing):
        self.failing, self.tasks = failing, 0

    def submit(self, fn, /, *args, **kwargs):
        self.tasks += 1
        future = Future()
        if self.failing(self.tasks):
            future.set_exception(OSError("the line went dead"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def test_a_task_that_fails_once_is_done_again(wanted, block_size):
    block_size(100)
    with pytest.warns(RuntimeWarning, match=r"a worker failed on deals \d+ to \d+ \(OSError: the line went dead\)"):
        made = ps.round_robin(NAMES, seed=8, executor=Flaky(lambda task: task in (2, 5)), **wanted[0])
    same_tables(made, wanted[1])


@pytest.mark.filterwarnings("ignore:a worker failed")
def test_a_task_that_fails_again_and_again_stops_the_run_with_what_to_do(tmp_path, block_size):
    block_size(100)
    dead = Flaky(lambda task: task > 3)
    with pytest.raises(RuntimeError, match=r"has lost a worker \(deals \d+ to \d+ failed 3 times, last with OSE"):
        ps.round_robin(NAMES, seed=8, deals=900, executor=dead)
    with pytest.raises(RuntimeError, match=f"what was played is kept; go on with: palace-sim resume {tmp_path}"):
        ps.round_robin(NAMES, seed=8, deals=900, executor=Flaky(lambda task: task > 3), folder=tmp_path)
    assert ps.load(tmp_path).leaderboard.deals.eq(300).all()
    same_tables(ps.resume(tmp_path), ps.round_robin(NAMES, seed=8, deals=900))


def test_a_policy_that_fails_is_not_tried_again(block_size):
    block_size(10)

    @ps.policy
    def divides(view):
        return 1 // (view.pot * 0)

    pool = Flaky(lambda task: False)
    with pytest.raises(ps.PolicyError, match="divides failed"):
        ps.round_robin([divides, "stay"], deals=1000, executor=pool)
    assert pool.tasks <= 3


def kill_a_worker(pool, after):
    """Kill one of the processes of a pool, as a system that is out of memory does."""
    while not after():
        time.sleep(0.01)
    os.kill(next(iter(pool._processes)), signal.SIGKILL)


def test_a_process_that_dies_is_said_and_the_run_goes_on_elsewhere(tmp_path, block_size):
    """10,000 blocks, killed as soon as something is kept."""
    block_size(30)
    from threading import Thread

    from palace_sim import store

    deals, before = 6000, store.PART_SECONDS
    store.PART_SECONDS = 0.0
    try:
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
            pool.submit(int).result()
            killer = Thread(target=kill_a_worker, args=(pool, lambda: len(list(tmp_path.glob("sums-*"))) > 3))
            killer.start()
            with pytest.raises(RuntimeError, match=r"has lost a worker .*go on with: palace-sim resume") as caught:
                ps.round_robin(NAMES, seed=8, deals=deals, executor=pool, folder=tmp_path)
            killer.join()
    finally:
        store.PART_SECONDS = before
    assert isinstance(caught.value.__cause__, BrokenExecutor)
    kept = int(ps.load(tmp_path).leaderboard.deals.max())
    assert 0 < kept < deals
    same_tables(ps.resume(tmp_path), ps.round_robin(NAMES, seed=8, deals=deals))


def test_a_process_that_dies_without_a_folder_says_that_nothing_is_kept(block_size):
    block_size(30)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        pool.submit(int).result()
        os.kill(next(iter(pool._processes)), signal.SIGKILL)
        with pytest.raises(RuntimeError, match="nothing was kept, since the run has no folder="):
            ps.round_robin(NAMES, seed=8, deals=100_000, executor=pool)


def test_workers_of_a_run_that_was_killed_do_not_lock_its_folder(tmp_path):
    """Forked workers live on for a while when the run is killed."""
    import subprocess

    script = f"""
import multiprocessing, os, signal, time
from concurrent.futures import ProcessPoolExecutor
import palace_sim as ps
from palace_sim import store
store.PART_SECONDS = 0.0
pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork"))
add = store.KeptGroup.add
def add_and_die(self, block):
    add(self, block)
    print(*pool._processes, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
store.KeptGroup.add = add_and_die
ps.round_robin({NAMES!r}, seed=8, deals=20_000, executor=pool, folder={str(tmp_path)!r})
"""
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    worker = int(child.stdout.readline())
    child.wait()
    child.stdout.close()
    try:
        os.kill(worker, 0)  # it is there
        made = ps.resume(tmp_path)
    finally:
        os.kill(worker, signal.SIGKILL)
    same_tables(made, ps.round_robin(NAMES, seed=8, deals=20_000))
