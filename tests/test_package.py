"""The package as a whole: what importing costs, what is shipped, what the folders hold."""

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import sysconfig
from importlib import resources
from pathlib import Path

import pytest

import palace_sim

PACKAGE = Path(palace_sim.__file__).parent

# Imports every module and looks up every public name, counting what numba compiles meanwhile.
IMPORT_ALL = """
import importlib, json, pkgutil
import numba.core.event as event
with event.install_recorder("numba:compile") as compiled:
    import palace_sim
    names = [name for name in palace_sim.__all__ if getattr(palace_sim, name) is not None]
    modules = [module.name for module in pkgutil.walk_packages(palace_sim.__path__, "palace_sim.")]
    for name in modules:
        importlib.import_module(name)
print(json.dumps({"compiled": len(compiled.buffer), "names": len(names), "modules": len(modules)}))
"""

IMPORT_ONLY = """
import json, sys, time
began = time.perf_counter()
import palace_sim
spent = time.perf_counter() - began
heavy = sorted({"numba", "numpy", "pandas", "matplotlib", "scipy"} & set(sys.modules))
import palace_sim.cli
slow = sorted({"numba", "pandas", "matplotlib", "scipy", "pyarrow"} & set(sys.modules))
print(json.dumps({"seconds": spent, "heavy": heavy, "slow": slow}))
"""


def run_python(code: str, **variables: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), **variables},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_the_package_under_test_is_the_installed_one_where_the_checkout_is_not_at_hand(project):
    if (project / "palace_sim").is_dir():
        pytest.skip("the checkout itself: .ci/run does this from elsewhere")
    assert Path(sysconfig.get_path("purelib")).resolve() in PACKAGE.resolve().parents


def test_importing_compiles_nothing_and_writes_no_cache_files(tmp_path):
    said = run_python(IMPORT_ALL, PALACE_SIM_CACHE_DIR=str(tmp_path))
    assert said["compiled"] == 0
    assert said["names"] == len(palace_sim.__all__)
    assert said["modules"] > 30
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_importing_is_quick_and_loads_nothing_heavy():
    said = run_python(IMPORT_ONLY)
    assert said["seconds"] < 2
    assert said["heavy"] == []
    assert said["slow"] == []  # nor does the command before it has work to do


def test_public_names_are_what_they_should_be_whatever_was_imported_before():
    code = IMPORT_ALL.replace(
        "print(", "kinds = {n: type(getattr(palace_sim, n)).__name__ for n in palace_sim.__all__}; print("
    )
    kinds = run_python(code.replace('"names": len(names)', '"names": kinds'))["names"]
    modules = {name for name, kind in kinds.items() if kind == "module"}
    # a module of that name must not hide a function
    assert modules == {"policies", "act", "see", "plots", "until", "search"}


def test_version_stands_in_one_place_and_in_the_changelog():
    assert re.fullmatch(r"\d+\.\d+\.\d+", palace_sim.__version__)
    assert f"\n## {palace_sim.__version__}" in resources.files("palace_sim").joinpath("CHANGELOG.md").read_text()
    try:
        installed = importlib.metadata.version("palace_sim")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("palace_sim is not installed")
    assert installed == palace_sim.__version__


def test_data_that_the_package_needs_is_shipped():
    files = resources.files("palace_sim")
    for name in ("py.typed", "CHANGELOG.md", "LICENSE"):
        assert files.joinpath(name).is_file(), name
    # a wheel that lacks the table of ranks would fail here
    assert palace_sim.hand_category("As Ks Qs Js Ts 2d 3c") == "straight flush"


def test_unknown_name_is_an_attribute_error_that_names_it():
    with pytest.raises(AttributeError, match="nothing_like_that"):
        _ = palace_sim.nothing_like_that


def test_the_top_level_holds_only_what_is_fixed(project):
    fixed = {"pyproject.toml", "palace_sim", "notebooks", "experiments", "tests", "README.md"}
    made_by_tools = {"build", "dist", "__pycache__"}
    found = {path.name for path in project.iterdir() if not path.name.startswith(".")}
    assert found - made_by_tools <= fixed


def text_files(*folders: Path) -> list[Path]:
    kinds = {".py", ".md", ".toml", ".json", ".ipynb", ".txt", ".typed", ""}
    found = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    return [path for path in found if path.suffix in kinds and not any(part in SKIPPED for part in path.parts)]


SKIPPED = {"__pycache__", "results", ".ruff_cache", ".mypy_cache", ".ipynb_checkpoints"}


def test_no_file_points_outside_the_repository(project):
    # put together, so that this file does not name what it looks for
    outside = re.compile("|".join([r"\.\./" + "shared", *(f"/{top}/" for top in ("work", "root", "home", "Users"))]))
    named = [project / "README.md", project / "pyproject.toml"]
    folders = [PACKAGE, project / "tests", project / "notebooks", project / "experiments"]
    found = []
    for path in [*named, *text_files(*folders)]:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if outside.search(line):
                found.append(f"{path}:{number}: {line[:100]}")
    assert found == []


def test_files_stay_short_enough_to_read(project):
    folders = [PACKAGE, project / "tests", project / "experiments"]
    long = {
        str(path): lines
        for path in text_files(*folders)
        if path.suffix == ".py" and (lines := len(path.read_text(encoding="utf-8").splitlines())) > 800
    }
    assert long == {}
