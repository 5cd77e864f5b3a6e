from django.utils.translation import gettext, override

from dashboard.verdict_words import compared
from results.analysis.gains.sentences import Message, render
from results.analysis.gains.vocabulary import Reason


def test_rates_of_guards_read_in_per_cent_and_lists_have_the_commas_of_the_language() -> None:
    assert compared(Reason.PREFIX_HITS, "0.90914") == "90.9\u00a0%"
    assert compared(Reason.ENGINE_DIFFERS, "0.5") == "0.5" and compared(Reason.SUCCESS_RATE, None) is None
    parts = (Message("engine"), Message("model"))
    assert render(parts) == "engine, model"
    with override("zh-hans"):
        assert render(parts, gettext) == "引擎，模型"
        assert render(Message("Time to first token", "P50"), gettext) == "首 token 延迟（TTFT）P50"
