from pathlib import Path

from tests.workers.fakes.nvml import FakeNvml
from workers.devices import gpu_facts, numa_node, numa_nodes


def test_facts_of_every_gpu() -> None:
    library = FakeNvml(refuses=("nvmlDeviceGetCurrPcieLinkWidth",))
    first, second = gpu_facts(library)
    assert (first["name"], first["driver"], first["memory_bytes"]) == ("NVIDIA H200", "580.1", 4096)
    assert (first["power_limit_watts"], first["sm_clock_max_mhz"]) == (700.0, 1980)
    assert (first["pci_bus"], first["pcie_generation"], first["pcie_width"]) == ("0000:1a:00.0", 5, None)
    assert (second["index"], second["uuid"]) == (1, "GPU-1")
    assert library.shut_down


def test_memory_nodes(tmp_path: Path) -> None:
    for number in (10, 2):
        node = tmp_path / f"node{number}"
        node.mkdir()
        (node / "cpulist").write_text("0-7\n")
        (node / "meminfo").write_text(f"Node {number} MemTotal:  2048 kB\nNode {number} MemFree: 1 kB\n")
    assert numa_nodes(tmp_path) == [
        {"node": 2, "cpus": "0-7", "memory_bytes": 2048 * 1024},
        {"node": 10, "cpus": "0-7", "memory_bytes": 2048 * 1024},
    ]


def test_the_node_of_a_device(tmp_path: Path) -> None:
    for bus, text in (("a", "1\n"), ("b", "-1\n")):
        (tmp_path / bus).mkdir()
        (tmp_path / bus / "numa_node").write_text(text)
    assert [numa_node(bus, tmp_path) for bus in ("a", "b", "c", None)] == [1, None, None, None]
