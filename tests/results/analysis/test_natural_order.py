from results.analysis.natural_order import natural


def test_numbers_go_by_size_and_before_words_and_inside_words_too() -> None:
    wanted = ["-1", "0.85", "0.9", "1", "8", "16", "none", "tp2ep8", "tp8", "tp16", "v0.9.2", "v0.11.0", "²"]
    assert sorted(sorted(wanted), key=natural) == wanted
    assert sorted(["0.11.0", "0.9.2"], key=natural) == ["0.9.2", "0.11.0"]
