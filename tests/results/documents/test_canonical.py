import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.documents.canonical import canonical_json, fingerprint

documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), documents, max_size=6))
def test_key_order_changes_nothing(document: dict[str, object]) -> None:
    backwards = dict(reversed(document.items()))
    assert canonical_json(backwards) == canonical_json(document)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json({"deep": [{"value": number}]})


def test_known_fingerprint() -> None:
    # printf '{"a":1,"b":"\xc3\xa9"}' | sha256sum
    assert canonical_json({"b": "é", "a": 1}) == b'{"a":1,"b":"\xc3\xa9"}'
    assert fingerprint({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
