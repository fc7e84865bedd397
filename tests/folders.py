"""What tests of kept runs share: the parts of a folder, and a run in a process of its own that can be stopped."""

import subprocess
import sys
from pathlib import Path


def parts(folder, kind="sums"):
    return sorted(Path(folder).glob(f"{kind}-*.parquet"))


def contents(paths):
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}


CHILD = """
import palace_sim as ps
import time
from palace_sim import run, store
store.PART_SECONDS = 0.0
run.Sizer.next = lambda self, left, workers: min(500, left)
add = store.KeptGroup.add
def slowly(self, block):  # so that whoever kills it is quicker
    time.sleep(0.01)
    add(self, block)
store.KeptGroup.add = slowly
if __name__ == "__main__":
    print("go", flush=True)
    ps.round_robin(["random", "stay", "tight", "maniac"], deals=DEALS, seed=9, rows="deals", folder=FOLDER, workers=2)
"""


def child_of(folder, deals):
    # Ctrl-C as a terminal gives it: what runs in the background inherits that it is ignored
    script = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n" + CHILD
    script = script.replace("DEALS", str(deals)).replace("FOLDER", repr(str(folder)))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    child = subprocess.Popen([sys.executable, "-c", script], **pipes)
    assert child.stdout.readline() == b"go\n"
    return child
