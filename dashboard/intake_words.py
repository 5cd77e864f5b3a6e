"""The words of quarantine: why something waits, and what it does not say."""

from django.utils.translation import gettext_lazy

from dashboard.words import Words

CAUSES: Words = {
    "missing": gettext_lazy("identity is missing"),
    "unknown": gettext_lazy("unknown spelling"),
    "unreadable": gettext_lazy("cannot be read"),
    "load": gettext_lazy("load of a run"),
}
#: What a spelling that nobody knows would name.
SPELLINGS: Words = {
    "hardware": gettext_lazy("hardware"),
    "engine": gettext_lazy("engine"),
    "model": gettext_lazy("model"),
    "precision": gettext_lazy("precision"),
    "speculative": gettext_lazy("speculative decoding"),
    "kv_backend": gettext_lazy("KV offload backend"),
    "kv_transfer": gettext_lazy("KV transfer engine"),
    "router": gettext_lazy("router"),
}
