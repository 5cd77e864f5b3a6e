"""Whether a host is there, and has the devices that a recipe needs as far as its worker counts them."""

from datetime import timedelta

from results.models import Host

#: A host that has not shown itself for so long has no worker to read its queue; its worker does every minute.
ABSENT = timedelta(minutes=10)


def device_count(host: Host, hardware: str) -> int | None:
    """Devices of this kind that the host reported; None where its worker counts none. A CPU host is one."""
    count = (host.facts.get("devices") or {}).get(hardware)
    return count if isinstance(count, int) else None


def has_room(host: Host, hardware: str, gpus: int) -> bool:
    """Whether the host has this hardware, and enough of it as far as it says."""
    count = device_count(host, hardware)
    return hardware in host.hardware_slugs and (count is None or gpus <= count)
