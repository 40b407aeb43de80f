"""A program: run the core plan of 270 experiments against a server, to be killed.

python tests/running/run_here.py URL FOLDER [SET_SEEDS]
"""

from __future__ import annotations

import sys
from pathlib import Path

from evenhand.models import open_model
from evenhand.running import RunOptions, plan, run


def main() -> None:
    """Run until done or killed; the exit code is the summary's."""
    url, folder, *seeds = sys.argv[1:]
    workload = plan("core", n=20, set_seeds=tuple(range(int(*seeds or "3"))), per_label=40)
    model = open_model(f"openai-compatible/x@{url}")
    options = RunOptions(concurrency=4, progress=False, backoff_s=0.01, give_up_after_s=10)
    summary = run(workload, model, Path(folder), options)
    print(summary.message or "done", flush=True)
    sys.exit(summary.exit_code)


if __name__ == "__main__":
    main()
