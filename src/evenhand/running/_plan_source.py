"""Where a plan's table is: a file, or a data set on the Hugging Face Hub."""

from __future__ import annotations

import re
from pathlib import Path

from evenhand.errors import UsageError

_HUB = re.compile(
    r"hf://datasets/(?P<repo>[^/@\s]+/[^/@\s]+)(?:@(?P<revision>[^/\s]+))?(?:/(?P<file>\S+))?/?"
)


def plan_files(path: Path | str) -> list[Path]:
    """The Parquet files of a plan, on this machine.

    Args:
        path: A file, or ``hf://datasets/OWNER/NAME[@REVISION][/FILE.parquet]``; without a file,
            all Parquet files of the data set, by name.

    Raises:
        UsageError: If there is none, or the Hub cannot be reached.
    """
    if str(path).startswith("hf://"):
        return _from_hub(str(path))
    file = Path(path)
    if not file.is_file():
        raise UsageError(f"there is no plan at {file}")
    return [file]


def _from_hub(address: str) -> list[Path]:
    from huggingface_hub import HfApi, hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    match = _HUB.fullmatch(address)
    if match is None:
        raise UsageError(
            f"{address} is not an address of a plan: write "
            "hf://datasets/OWNER/NAME[@REVISION][/FILE.parquet]"
        )
    repo, revision, name = match["repo"], match["revision"], match["file"]
    try:
        names = (
            [name]
            if name
            else HfApi().list_repo_files(repo, repo_type="dataset", revision=revision)
        )
        tables = sorted(each for each in names if each.endswith(".parquet"))
        if not tables:
            raise UsageError(f"{address} holds no Parquet file")
        return [
            Path(hf_hub_download(repo, each, repo_type="dataset", revision=revision))
            for each in tables
        ]
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise UsageError(f"cannot fetch {address}: {reason}") from error
