import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.demo.options import OptionError, Options, host_name


def test_defaults_are_those_of_the_makefile() -> None:
    chosen = Options.read({"PORT": "", "ONCE": "", "BLOCKS": "", "ENGINE": ""})
    assert (chosen.port, chosen.once, chosen.blocks, chosen.engine) == (8000, False, 1, "llamacpp")
    assert chosen.url == "http://localhost:8000/"


def test_everything_can_be_chosen() -> None:
    chosen = Options.read({"PORT": "9000", "ONCE": "1", "BLOCKS": "5", "ENGINE": "vllm"})
    assert (chosen.port, chosen.once, chosen.blocks, chosen.engine) == (9000, True, 5, "vllm")


@pytest.mark.parametrize(
    ("name", "value"),
    [("PORT", "0"), ("PORT", "65536"), ("PORT", "80a"), ("PORT", "-1"), ("PORT", "٣"), ("BLOCKS", "0"),
     ("BLOCKS", "1.5"), ("ENGINE", "sglang")],
)  # fmt: skip
def test_a_bad_value_is_named_in_one_line(name: str, value: str) -> None:
    with pytest.raises(OptionError, match=f"^{name}: must be ") as caught:
        Options.read({name: value})
    assert "\n" not in str(caught.value)


@given(st.text())
def test_any_host_name_becomes_one_that_documents_accept(raw: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", host_name(raw))
    assert host_name("gpu-7.example") == "gpu-7.example"
