"""Changes to any config file: it means what was wanted and keeps every comment, or it
is not touched.
"""

import io
import tomllib
from pathlib import Path

from hypothesis import given, settings, strategies as st

from unified_cli.config import edit, file
from unified_cli.config.edit import Draft
from unified_cli.errors import ConfigError, UnifiedError
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

MANY = settings(max_examples=75)
NAMES = st.from_regex(r"[a-z][a-z0-9.-]{0,4}", fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@st.composite
def headers(draw: st.DrawFn) -> str:
    name = draw(NAMES)
    return draw(st.sampled_from([f'[profiles."{name}"]', f"  [ profiles . '{name}' ]  # {name}"]))


@st.composite
def lines(draw: st.DrawFn) -> str:
    key = draw(st.sampled_from(["account_id", "ca_bundle", "output", "nonsense", '"account_id"']))
    value = draw(
        st.sampled_from(
            [
                '"x"',
                "'x'",
                '"""\nx\n[profiles.a]\n"""',
                "7",
                "[\n 'a', # b\n]",
                "{ a = 1 }",
                "1979-05-27",
            ]
        )
    )
    return f"{key} = {value}"


FILES = st.lists(
    st.one_of(
        headers(), lines(), st.just(""), st.just("# a comment"), st.just("profiles.z.rate = 1")
    )
).map("\n".join)


def runtime(folder: Path) -> Runtime:
    return Runtime(None, io.BytesIO(), Stderr(None), {}, folders={"config": folder})


@MANY
@given(content=st.one_of(st.binary(max_size=60), TEXTS.map(str.encode), FILES.map(str.encode)))
def test_any_config_file_is_read_or_refused(content: bytes) -> None:
    try:
        file.parse(Path("/c.toml"), content)
    except ConfigError:
        return


@MANY
@given(text=FILES, name=NAMES, value=TEXTS.filter(bool))
def test_a_change_of_any_config_file_changes_only_its_key(
    tmp_path: Path, text: str, name: str, value: str
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text, newline="")
    path.chmod(0o600)

    def alter(draft: Draft) -> None:
        if name in draft.profiles:
            draft.set(name, {"account_id": value})
        else:
            draft.add(name, {"account_id": value})

    try:
        edit.change(runtime(tmp_path), alter, touched=[name])
    except UnifiedError:
        assert path.read_text() == text
        return
    after = path.read_text()
    wanted = tomllib.loads(text)
    wanted.setdefault("profiles", {}).setdefault(name, {})["account_id"] = value
    assert tomllib.loads(after) == wanted
    assert after.count("# a comment") == text.count("# a comment")


@MANY
@given(text=FILES, name=NAMES)
def test_the_default_is_set_and_unset_without_a_trace(tmp_path: Path, text: str, name: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    path.chmod(0o600)
    try:
        edit.change(runtime(tmp_path), lambda draft: draft.set(None, {"profile": name}))
    except UnifiedError:
        assert path.read_text() == text
        return
    assert tomllib.loads(path.read_text()) == {**tomllib.loads(text), "profile": name}
    edit.change(runtime(tmp_path), lambda draft: draft.set(None, {"profile": None}))
    assert tomllib.loads(path.read_text()) == tomllib.loads(text)
