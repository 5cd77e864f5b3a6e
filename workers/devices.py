"""Facts of this host's GPUs and memory nodes, from the driver and from the system."""

from pathlib import Path
from typing import Any

from workers.telemetry.gpu import handles, nvml

_NODES = Path("/sys/devices/system/node")
_PCI = Path("/sys/bus/pci/devices")


def numa_nodes(folder: Path = _NODES) -> list[dict[str, Any]]:
    """Processors and memory in bytes of each memory node; empty where the system has no list."""
    nodes = []
    for node in sorted(folder.glob("node[0-9]*"), key=lambda path: int(path.name.removeprefix("node"))):
        nodes.append({
            "node": int(node.name.removeprefix("node")),
            "cpus": _text(node / "cpulist"),
            "memory_bytes": _memory(_text(node / "meminfo") or ""),
        })  # fmt: skip
    return nodes


def _memory(meminfo: str) -> int | None:
    for line in meminfo.splitlines():
        name, _, rest = line.partition("MemTotal:")
        if rest and name.strip():
            return int(rest.split()[0]) * 1024
    return None


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return None


def gpu_facts(library: Any = None) -> list[dict[str, Any]]:
    """Name, memory, driver, clocks and memory node of every visible GPU; empty without a driver."""
    library = library if library is not None else nvml()
    if library is None:
        return []
    try:
        return [_facts(library, index, handle) for index, handle in handles(library)]
    finally:
        library.nvmlShutdown()


def _facts(library: Any, index: int, handle: Any) -> dict[str, Any]:
    def ask(name: str, *arguments: Any) -> Any:
        try:
            return getattr(library, name)(*arguments)
        except (library.NVMLError, AttributeError):
            return None

    memory, pci = ask("nvmlDeviceGetMemoryInfo", handle), ask("nvmlDeviceGetPciInfo", handle)
    limit = ask("nvmlDeviceGetEnforcedPowerLimit", handle)
    bus = None if pci is None else _bus(pci.busId)
    return {
        "index": index,
        "name": ask("nvmlDeviceGetName", handle),
        "uuid": ask("nvmlDeviceGetUUID", handle),
        "driver": ask("nvmlSystemGetDriverVersion"),
        "memory_bytes": None if memory is None else memory.total,
        "power_limit_watts": None if limit is None else limit / 1000,
        "sm_clock_mhz": ask("nvmlDeviceGetClockInfo", handle, library.NVML_CLOCK_SM),
        "sm_clock_max_mhz": ask("nvmlDeviceGetMaxClockInfo", handle, library.NVML_CLOCK_SM),
        "memory_clock_mhz": ask("nvmlDeviceGetClockInfo", handle, library.NVML_CLOCK_MEM),
        "memory_clock_max_mhz": ask("nvmlDeviceGetMaxClockInfo", handle, library.NVML_CLOCK_MEM),
        "pcie_generation": ask("nvmlDeviceGetCurrPcieLinkGeneration", handle),
        "pcie_width": ask("nvmlDeviceGetCurrPcieLinkWidth", handle),
        "pci_bus": bus,
        "numa_node": numa_node(bus),
    }


def _bus(raw: bytes | str) -> str:
    """The address as the system writes it: domain of four digits, lower case."""
    text = (raw.decode() if isinstance(raw, bytes) else raw).lower()
    domain, _, rest = text.partition(":")
    return f"{domain[-4:]}:{rest}"


def numa_node(bus: str | None, folder: Path = _PCI) -> int | None:
    """Memory node that a device hangs on; None where the system does not say (it then writes -1)."""
    text = _text(folder / bus / "numa_node") if bus else None
    return int(text) if text and text.isdecimal() else None
