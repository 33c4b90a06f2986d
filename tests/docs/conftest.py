from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from installed import skip_without
from terminals import Shell


@pytest.fixture(scope="session", name="found")
def _found(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("zsh") / "functions"


@pytest.fixture
def shell(tmp_path: Path, found: Path) -> Iterator[Callable[..., Shell]]:
    """Start a shell in a folder of its own, which is its home too; `config` is its
    config file.
    """
    started: list[Shell] = []

    def start(name: str, config: str = "", **environ: str) -> Shell:
        skip_without(name)
        folder = tmp_path / ".config" / "unified"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.toml").write_text(config)
        started.append(Shell(name, tmp_path, found, environ))
        return started[-1]

    yield start
    for one in started:
        one.close()
