"""Nothing that changed is ever served from an old cache: constants, helpers, kernels."""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from numba import njit

import palace_sim as ps
from palace_sim.policies.fingerprint import fingerprint

LIMIT = 3


@njit
def helper(x):
    return x + LIMIT


def plain_helper(x):
    return helper(x) * 2


def folds_over(view):
    return ps.act.fold() if plain_helper(view.pot) > 1_000_000 else ps.act.stay()


def test_constants_behind_two_helpers_count(monkeypatch):
    before = fingerprint(folds_over)
    monkeypatch.setitem(globals(), "LIMIT", 4)
    assert fingerprint(folds_over) != before
    monkeypatch.setitem(globals(), "LIMIT", 3)
    assert fingerprint(folds_over) == before


def test_defaults_of_keyword_only_arguments_count():
    def make(default):
        def f(x, *, extra=default):
            return x + extra

        return f

    assert fingerprint(make(1)) == fingerprint(make(1)) != fingerprint(make(2))


def test_arrays_defaults_and_closures_count():
    def make(table, default):
        def f(view, extra=default):
            return table[0] + extra

        return f

    a = fingerprint(make(np.array([1, 2]), 0))
    assert a == fingerprint(make(np.array([1, 2]), 0))
    assert a != fingerprint(make(np.array([1, 3]), 0))
    assert a != fingerprint(make(np.array([1, 2]), 1))
    assert a != fingerprint(make(np.array([1.0, 2.0]), 0))


def run_cells(*cells):
    """Run texts as a notebook would: in one namespace that has no file."""
    scope = {"ps": ps, "__name__": "__main__"}
    for cell in cells:
        exec(cell, scope)
    return scope


CELL = textwrap.dedent("""
    from numba import njit
    LEVEL = 0
    @njit
    def over(x):
        return x > LEVEL
    def wants(view):
        return over(view.pot)
    @ps.policy
    def choosy(view):
        if wants(view):
            return ps.act.fold()
        return ps.act.stay()
""")


def folded(scope):
    """How many hands the policy of the cells folds; what its helpers read decides."""
    result = ps.play([scope["choosy"], "stay"], deals=20)
    return int((result.seats[result.seats.policy == "choosy"].outcome == "folded").sum())


def test_a_constant_changed_in_another_cell_is_noticed():
    scope = run_cells(CELL)
    assert folded(scope) == 40
    exec("LEVEL = 10**9", scope)
    assert folded(scope) == 0
    exec("LEVEL = 0", scope)
    assert folded(scope) == 40


def test_a_helper_changed_in_another_cell_is_noticed():
    scope = run_cells(CELL)
    assert folded(scope) == 40
    exec("def wants(view):\n    return view.pot > 10**9", scope)
    assert folded(scope) == 0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("class M(IntEnum):\n    A = 0", "class M(IntEnum):\n    A = 10**6"),
        ("@numba.vectorize\ndef M(x):\n    return x * 1", "@numba.vectorize\ndef M(x):\n    return x * 0 + 10**6"),
        ("M = (1, (2, 0))", "M = (1, (2, 10**6))"),
    ],
)
def test_enums_ufuncs_and_tuples_count(before, after):
    reads = {"class": "M.A", "@numb": "M(0 * view.pot)", "M = (": "M[1][1]"}[before[:5]]
    cell = f"@ps.policy\ndef reader(view):\n    return ps.act.fold() if {reads} > 5 else ps.act.stay()"
    scope = run_cells("import numba\nfrom enum import IntEnum", before, cell)
    folds = [ps.play([scope["reader"], "stay"], deals=5).seats.outcome.eq("folded").sum()]
    exec(after, scope)
    folds.append(ps.play([scope["reader"], "stay"], deals=5).seats.outcome.eq("folded").sum())
    assert folds == [0, 10]


def test_a_jitclass_is_refused():
    scope = run_cells("""
from numba import int64
from numba.experimental import jitclass
@jitclass([("x", int64)])
class Box:
    def __init__(self):
        self.x = 3
@ps.policy
def boxed(view):
    return ps.act.stay() if Box().x == 3 and view.phase == ps.TURN else ps.act.fold()
""")
    with pytest.raises(ps.PolicyError, match="jitclass Box"):
        ps.play([scope["boxed"], "stay"], deals=5)


def test_helpers_may_call_each_other_and_themselves():
    scope = run_cells("""
from numba import njit
@njit
def even(n):
    return True if n == 0 else odd(n - 1)
@njit
def odd(n):
    return False if n == 0 else even(n - 1)
def factorial(n):
    if n < 2:
        return 1
    return n * factorial(n - 1)
@ps.policy
def counts(view):
    if even(4) and factorial(4) == 24 and view.phase == ps.TURN:
        return ps.act.stay()
    return ps.act.fold()
""")
    assert not ps.play([scope["counts"], "stay"], deals=5).seats.outcome.eq("folded").any()


def test_an_overload_means_what_numba_compiles():
    scope = run_cells("""
from numba.extending import overload
def ready(x):
    raise NotImplementedError
@overload(ready)
def _ready(x):
    return lambda x: x > 0
@ps.policy
def asks(view):
    return ps.act.stay() if ready(view.pot) and view.phase == ps.TURN else ps.act.fold()
""")
    assert not ps.play([scope["asks"], "stay"], deals=5).seats.outcome.eq("folded").any()


def in_process(script, cache, cwd, **env):
    """Run a script in a fresh process with a cache folder of its own; return what it prints."""
    environment = {**os.environ, "PALACE_SIM_CACHE_DIR": str(cache), **env}
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", textwrap.dedent(script)],
        env=environment,
        cwd=cwd,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A cache folder that starts with what this session has compiled, so that kernels need not compile again."""
    from palace_sim.kernels.jit import ROOT

    folder = tmp_path_factory.mktemp("cache")
    if ROOT is not None:
        shutil.copytree(ROOT, folder, dirs_exist_ok=True)
    return folder


USES = """
    import sys
    sys.path.insert(0, ".")
    import palace_sim as ps
    import mine
    r = ps.play([mine.choosy, "stay"], deals=20)
    print((r.seats[r.seats.policy == "choosy"].outcome == "folded").sum())
"""


def test_a_changed_helper_in_a_users_file_is_noticed_with_a_warm_cache(tmp_path, cache):
    """mine.choosy calls tools.deep, which calls more.limit: the file two calls away changes."""
    (tmp_path / "more.py").write_text("from numba import njit\n@njit(cache=True)\ndef limit(x):\n    return x > 0\n")
    (tmp_path / "tools.py").write_text(
        "import more\nfrom numba import njit\n@njit(cache=True)\ndef deep(x):\n    return more.limit(x)\n"
    )
    (tmp_path / "mine.py").write_text(
        "import palace_sim as ps\nimport tools\n@ps.policy\ndef choosy(view):\n"
        "    return ps.act.fold() if tools.deep(view.pot) else ps.act.stay()\n"
    )
    assert in_process(USES, cache, tmp_path) == "40\n"
    assert in_process(USES, cache, tmp_path) == "40\n"
    more = tmp_path / "more.py"
    more.write_text(more.read_text().replace("x > 0", "x > 10**9"))
    assert in_process(USES, cache, tmp_path) == "0\n"


def test_a_constant_behind_an_alias_of_a_module_is_noticed_with_a_warm_cache(tmp_path, cache):
    (tmp_path / "third.py").write_text("DEPTH = 0\n")
    (tmp_path / "second.py").write_text("import third\ndef deep(x):\n    return x > third.DEPTH\n")
    (tmp_path / "mine.py").write_text(
        "import palace_sim as ps\nimport second\n@ps.policy\ndef choosy(view):\n    m = second\n"
        "    return ps.act.fold() if m.deep(view.pot) else ps.act.stay()\n"
    )
    assert in_process(USES, cache, tmp_path) == "40\n"
    (tmp_path / "third.py").write_text("DEPTH = 10**9\n")
    assert in_process(USES, cache, tmp_path) == "0\n"


def test_a_changed_kernel_is_noticed_with_a_warm_cache(tmp_path, cache):
    """A copy of the package; `best_soldiers` is called, and a function that it calls in another file changes.

    Of two deuces, equal in rank, the one of the banner's suit stays.
    """
    package = tmp_path / "palace_sim"
    shutil.copytree(Path(ps.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    script = """
        import sys
        sys.path.insert(0, ".")
        import palace_sim as ps
        assert ps.__file__.startswith(sys.path[0]) or "site-packages" not in ps.__file__
        from palace_sim.kernels.keeping import best_soldiers
        two_clubs, two_spades = 1, 1 << 48
        print(best_soldiers(two_clubs | two_spades, 20, 0, 1) == two_clubs)
    """
    assert in_process(script, cache, tmp_path) == "True\n"  # the banner is the seven of clubs
    deal = package / "kernels" / "deal.py"
    text = deal.read_text()
    assert "return SUIT << 16 * (card & 3)" in text
    deal.write_text(text.replace("return SUIT << 16 * (card & 3)", "return SUIT << 16 * (3 - (card & 3))"))
    assert in_process(script, cache, tmp_path) == "False\n"


def test_a_third_session_compiles_nothing_and_adds_no_file(tmp_path, cache):
    script = """
        import palace_sim as ps
        ps.round_robin(["random", "stay", "tight"], deals=5)
    """
    in_process(script, cache, tmp_path)
    before = sorted(str(path) for path in cache.rglob("*.nb?"))
    in_process(script, cache, tmp_path)
    assert sorted(str(path) for path in cache.rglob("*.nb?")) == before


def test_an_unwritable_cache_folder_works_and_says_so(tmp_path):
    """A file where the folder should be cannot be written, not even by root."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    done = subprocess.run(
        [sys.executable, "-c", "import palace_sim as ps; print(ps.hand_category('As Ks Qs Js Ts'))"],
        env={**os.environ, "PALACE_SIM_CACHE_DIR": str(blocked / "below")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "straight flush\n"
    assert "cannot write its cache folder" in done.stderr and "PALACE_SIM_CACHE_DIR" in done.stderr


def test_a_policy_pasted_into_the_prompt_works(tmp_path, cache):
    """As a Python prompt does it: source from standard input, no file."""
    pasted = textwrap.dedent("""
        import palace_sim as ps
        @ps.policy
        def pasted(view):
            return ps.act.stay() if view.phase == ps.TURN else ps.act.call()

        print(len(ps.play([pasted, "random"], deals=10).seats))
    """)
    done = subprocess.run(
        [sys.executable, "-i", "-q"],
        input=pasted,
        env={**os.environ, "PALACE_SIM_CACHE_DIR": str(cache)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "40" in done.stdout, done.stderr


# --- what cannot be compiled or returns what is no action ------------------------------------------------------------


@ps.policy
def returns_a_float(view):
    if view.pot > 10:
        return 0.5
    return ps.act.stay()


@ps.policy
def falls_off(view):
    if view.phase == ps.TURN:
        return ps.act.stay()


@ps.policy
def misspells(view):
    return ps.act.stayy()


@ps.policy
def uses_what_is_not_there(view):
    return ps.act.stay() if view.nonsense else ps.act.fold()


def line_of(policy, text):
    lines = Path(__file__).read_text().splitlines()
    first = policy.function.__code__.co_firstlineno - 1
    return next(i + 1 for i in range(first, len(lines)) if text in lines[i])


@pytest.mark.parametrize(
    ("policy", "text", "message"),
    [
        (returns_a_float, "return 0.5", "type float64"),
        (falls_off, "return ps.act.stay()", "falls off its end"),
        (uses_what_is_not_there, "view.nonsense", "nonsense"),
        (misspells, "stayy", "no 'stayy'; did you mean stay"),
    ],
)
def test_the_line_at_fault_is_named(policy, text, message):
    with pytest.raises(ps.PolicyError, match=message) as caught:
        ps.play([policy, "random"], deals=5)
    assert f"line {line_of(policy, text)}" in str(caught.value) or f":{line_of(policy, text)})" in str(caught.value)
    assert policy.name in str(caught.value)
