"""What README says works as it is written."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import palace_sim as ps
from palace_sim.cli import app

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, flags=re.DOTALL)
PYTHON = [code for language, code in BLOCKS if language == "python"]
SHELL = [line for language, code in BLOCKS if language == "sh" for line in code.splitlines() if line]


COMMANDS = "tournament play hand policies rank odds odds-table advise gauntlet resume show".split()
COMMANDS += "optimize best-response endgame".split()
SMALLER = {
    "deals=2_000": "deals=50",
    "deals=1_000_000": "deals=5",
    "samples=2_000": "samples=50",
    '"tcp://scheduler:8786"': "n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None",
    'folder="kept", executor': 'folder="kept elsewhere", executor',
}


def test_python_can_be_pasted_into_a_prompt(tmp_path):
    """All blocks one after the other, in one session, as a reader would."""
    code = "\n\n".join(PYTHON)
    for said, small in SMALLER.items():
        assert said in code, said
        code = code.replace(said, small)
    done = subprocess.run(
        [sys.executable, "-i", "-q"],
        input=code + "\n\nprint('at the end', t)\n",
        capture_output=True,
        text=True,
        timeout=600,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(ps.__file__).parents[1])},
    )
    assert "Error" not in done.stderr, done.stderr
    assert re.search(r"^ *bold ", done.stdout, flags=re.MULTILINE), done.stdout
    assert "equity" in done.stdout and "best_chance" in done.stdout and "at the end" in done.stdout
    assert (tmp_path / "banners.png").stat().st_size > 10_000
    assert (tmp_path / "kept" / "manifest.json").is_file()


def test_there_is_python_to_paste_and_it_is_on_the_first_screen():
    assert PYTHON
    assert README.index("```python") < README.index("\n## ")
    assert README[: README.index("\n## ")].count("\n") < 40


def test_install_lines_make_their_own_environment_and_need_only_python():
    install = [line for line in SHELL if "venv" in line]
    assert len(install) == 2
    for line in install:
        make, pip, work = (shlex.split(part) for part in line.split("&&"))
        assert make[:3] == ["python3", "-m", "venv"]
        folder = make[3]
        assert folder.startswith(".venv")  # hidden, and in .gitignore
        assert pip[:2] == [f"{folder}/bin/pip", "install"]
        assert work[0].startswith(f"{folder}/bin/")
    assert install[0].endswith("/palace-sim tournament")
    assert "'.[test]'" in install[1]
    assert install[1].split("/")[-1].startswith("pytest")


def test_command_lines_exist_with_their_options():
    lines = [shlex.split(line) for line in SHELL if line.startswith("palace-sim ")]
    assert {words[1] for words in lines} == set(COMMANDS)
    for _, command, *words in lines:
        known = {option for argument in app[command].assemble_argument_collection() for option in argument.names}
        for word in words:
            if word.startswith("--"):
                assert word in known, (command, word)
            elif re.fullmatch("[a-z_]+", word) and word not in ("no_limit", "banners", "kept", "found"):
                ps.policies.get(word)


def test_files_that_it_names_are_there(project):
    for name in re.findall(r"`((?:notebooks|experiments|palace_sim)/[\w/.]*)`", README):
        where = Path(ps.__file__).parents[1] if name.startswith("palace_sim/") else project
        assert (where / name).exists(), name
