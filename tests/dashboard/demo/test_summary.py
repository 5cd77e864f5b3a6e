import json

from dashboard.demo.summary import summary, summary_line
from tests.dashboard.demo.answers import point, run

URL = "http://localhost:8000/"


def test_it_counts_and_repeats_what_the_api_said() -> None:
    done, failed = run(), run("off", "failed")
    shown = summary([done, failed], {done["id"]: [point(2, 91.5, 0.25), point(1, 80.0, 0.5)]}, URL)
    assert shown == {
        "runs": 1,
        "points": 2,
        "recipes": {
            "prefix-cache": {
                "1": {"output_throughput": 80.0, "ttft_p50": 0.5},
                "2": {"output_throughput": 91.5, "ttft_p50": 0.25},
            },
            "off": {},
        },
        "url": URL,
    }


def test_blocks_are_summed_up_by_their_median_and_absent_numbers_left_out() -> None:
    runs = [run(block=block) for block in (1, 2, 3)]
    points = {
        shown["id"]: [point(1, throughput, None)]
        for shown, throughput in zip(runs, (70.0, 90.0, 71.0), strict=True)
    }
    assert summary(runs, points, URL)["recipes"] == {"prefix-cache": {"1": {"output_throughput": 71.0}}}


def test_it_is_one_line_of_json() -> None:
    line = summary_line([run()], {}, URL)
    assert "\n" not in line
    assert json.loads(line)["url"] == URL
