import pytest
from cli.running import MY_POLICIES


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")  # what help is wrapped at


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MY_POLICIES)
    return path
