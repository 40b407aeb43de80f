"""Files of a data set from the Hugging Face Hub, each checked against the Hub's own sum."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from evenhand.errors import EvenhandError
from evenhand.pools._upstream import HubSource

_FOLDER_INSTEAD = "or get the files elsewhere and give their folder with --data"


def fetch_from_hub(hub: HubSource, files: Sequence[str], into: Path) -> None:
    """Copy the files from the Hub, by way of its cache, to ``into``, under their own paths.

    ``HF_ENDPOINT`` names another Hub, ``HF_HOME`` another cache, ``HTTPS_PROXY`` a proxy.

    Raises:
        EvenhandError: If a file cannot be had or is damaged; a damaged one leaves the cache.
    """
    for name in files:
        cached = _download(hub, name)
        if not _is_intact(cached):
            cached.resolve().unlink(missing_ok=True)
            cached.unlink(missing_ok=True)
            raise EvenhandError(
                f"{hub.repo}: {name} does not match the Hub's checksum and was thrown away: "
                "run the same command again"
            )
        target = into / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(cached, target)


def _download(hub: HubSource, name: str) -> Path:
    """The file in the Hub's cache; every way to fail becomes one message with the next step."""
    from huggingface_hub import errors, hf_hub_download

    endpoint = os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
    where = f"{hub.repo} ({name} at {hub.revision[:12]})"
    try:
        return Path(
            hf_hub_download(
                hub.repo,
                name,
                repo_type="dataset",
                revision=hub.revision,
                endpoint=endpoint.rstrip("/"),
            )
        )
    except errors.GatedRepoError as error:
        reason = "the Hub wants a login for it: run `hf auth login` and try again"
        raise EvenhandError(f"cannot fetch {where}: {reason}") from error
    except (
        errors.RepositoryNotFoundError,
        errors.RevisionNotFoundError,
        errors.RemoteEntryNotFoundError,
    ) as error:
        reason = f"{endpoint} does not have it: check HF_ENDPOINT, {_FOLDER_INSTEAD}"
        raise EvenhandError(f"cannot fetch {where}: {reason}") from error
    except (errors.LocalEntryNotFoundError, errors.HfHubHTTPError) as error:
        reason = f"{endpoint} {_unanswered(error)}, {_FOLDER_INSTEAD}"
        raise EvenhandError(f"cannot fetch {where}: {reason}") from error
    except (errors.HTTPError, OSError) as error:  # type: ignore[attr-defined]
        # A body shorter than announced is an OSError of the library. A refused proxy and a cut
        # connection are errors of its HTTP client, whose base is HTTPError whatever the client.
        reason = f"the download broke off ({_first_line(error)}): run the same command again"
        raise EvenhandError(f"cannot fetch {where}: {reason}") from error


def _unanswered(error: BaseException) -> str:
    """What the Hub, or the way to it, did, and the first thing to try.

    The library wraps whatever kept it from the Hub in a "not in the local cache" error.
    """
    from huggingface_hub import errors

    cause = error.__cause__ if isinstance(error, errors.LocalEntryNotFoundError) else error
    if isinstance(cause, errors.HfHubHTTPError):
        return f"answered {cause.response.status_code}: try again later"
    if isinstance(cause, errors.OfflineModeIsEnabled):
        return "is not asked while HF_HUB_OFFLINE is set: unset it"
    return "cannot be reached: check the network, set HTTPS_PROXY if there is a proxy"


def _is_intact(cached: Path) -> bool:
    """Whether the content has the sum that the Hub's cache names it by.

    The cache names a large file by its SHA-256 and a small one by its Git blob id. Where the file
    system has no links the name is lost, and the count of rows is what stays to be checked.
    """
    name = cached.resolve().name
    content = cached.read_bytes()
    if re.fullmatch(r"[0-9a-f]{64}", name):
        return hashlib.sha256(content).hexdigest() == name
    if re.fullmatch(r"[0-9a-f]{40}", name):
        blob = b"blob %d\0" % len(content) + content
        return hashlib.sha1(blob, usedforsecurity=False).hexdigest() == name
    return True


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).strip().splitlines()[0].rstrip(".")
