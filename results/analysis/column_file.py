"""The side-car of a point: requests, engine and GPU columns in one ``.npz`` file.

A zip of plain ``.npy`` arrays, as ``numpy.load`` reads it: numpy is here anyway, while a Parquet library
would add 170 MB to every installation for files that nobody queries across. The same columns give the same
bytes.
"""

import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from results.analysis.engine_columns import EngineColumns
from results.analysis.gpu_columns import GpuColumns
from results.analysis.request_columns import FLAGS, INTEGERS, SECONDS, TEXTS, RequestColumns

Array = NDArray[Any]
VERSION = 1
_ABOUT = "about"
#: Zip knows no earlier day; a real one would make every file different.
_DAY = (1980, 1, 1, 0, 0, 0)


class ColumnFileError(ValueError):
    """The bytes are no side-car of this version; the message is one line."""


@dataclass(frozen=True, slots=True)
class PointColumns:
    """``sources`` are sha256 of the files by name, ``unreadable`` says why a file gave no columns."""

    requests: RequestColumns | None
    engine: EngineColumns | None
    gpu: GpuColumns | None
    sources: Mapping[str, str] = field(default_factory=dict)
    unreadable: Mapping[str, str] = field(default_factory=dict)


def write_columns(columns: PointColumns) -> bytes:
    about = {
        "version": VERSION,
        "sources": dict(columns.sources),
        "unreadable": dict(columns.unreadable),
        "texts": None if columns.requests is None else columns.requests.texts,
        "gpus": None if columns.gpu is None else list(columns.gpu.gpus),
        "gpu_skipped": 0 if columns.gpu is None else columns.gpu.skipped,
    }
    text = json.dumps(about, sort_keys=True).encode("ascii")
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive:
        for name, array in [(_ABOUT, np.frombuffer(text, dtype=np.uint8)), *_arrays(columns)]:
            entry = zipfile.ZipInfo(f"{name}.npy", _DAY)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w") as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    return target.getvalue()


def _arrays(columns: PointColumns) -> Iterator[tuple[str, Array]]:
    if columns.requests is not None:
        for name in (*INTEGERS, *SECONDS, *FLAGS, *TEXTS):
            yield f"request.{name}", columns.requests[name]
    if columns.engine is not None:
        yield "engine.at", columns.engine.at
        for name, array in columns.engine.columns.items():
            yield f"engine.column.{name}", array
    if columns.gpu is not None:
        for place, quantities in enumerate(columns.gpu.gpus.values()):
            for name, array in quantities.items():
                yield f"gpu.{place}.{name}", array


def read_columns(content: bytes) -> PointColumns:
    """What ``write_columns`` was given; ColumnFileError for anything else."""
    try:
        with np.load(BytesIO(content), allow_pickle=False) as archive:
            about = json.loads(bytes(archive[_ABOUT]))
            if about["version"] != VERSION:
                raise ColumnFileError(f"version {about['version']}, not {VERSION}")
            arrays = {name: archive[name] for name in archive.files if name != _ABOUT}
        return _read(about, arrays)
    except ColumnFileError:
        raise
    except (ValueError, KeyError, TypeError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise ColumnFileError(f"no side-car ({type(error).__name__})") from error


def _read(about: Mapping[str, Any], arrays: Mapping[str, Array]) -> PointColumns:
    requests = engine = gpu = None
    if about["texts"] is not None:
        names = (*INTEGERS, *SECONDS, *FLAGS, *TEXTS)
        requests = RequestColumns({name: arrays[f"request.{name}"] for name in names}, about["texts"])
    if "engine.at" in arrays:
        engine = EngineColumns(arrays["engine.at"], _under("engine.column.", arrays))
    if about["gpus"] is not None:
        gpus = {name: _under(f"gpu.{place}.", arrays) for place, name in enumerate(about["gpus"])}
        gpu = GpuColumns(gpus, about["gpu_skipped"])
    return PointColumns(requests, engine, gpu, about["sources"], about["unreadable"])


def _under(prefix: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
