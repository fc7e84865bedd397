"""Running the command within a test."""

from palace_sim.cli import main

MY_POLICIES = '''
import palace_sim as ps

@ps.policy(params={"when": (1.0, 0.0, 2.0)})
def caller(view):
    """Stay, and call."""
    return ps.act.call() if view.phase == ps.RESPOND else ps.act.stay()

def plain(view):
    return ps.act.fold() if view.phase == ps.RESPOND else ps.act.stay()

def crash(view):
    return {}["nothing"]

@ps.policy
def rubbish(view):
    return 7
'''


def run(capsys, *words):
    """Run the command here; return exit code, output and errors."""
    code = main([str(word) for word in words])
    said = capsys.readouterr()
    return code, said.out, said.err


def works(capsys, *words):
    code, out, err = run(capsys, *words)
    assert code == 0, err
    assert all(len(line) <= 100 for line in out.splitlines()), out
    return out
