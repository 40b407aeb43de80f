"""What the engine costs beside a bare ``asyncio`` + ``openai`` client on the same fake server.

    python benchmarks/engine.py [long] [short] [plan] [--rounds N]

``long``: 270 prompts of 250 KB with replies of 60 KB at 0.2 s latency, 20 at once.
``short``: 5,000 short prompts at 0.05 s latency, 50 at once, the durable store included.
``plan``: 30,000 experiments with their prompt hashes.

The server, each client and each plan run in processes of their own, the clients in turns on one
server, and the best of the rounds counts. Prints wall time, CPU time and peak memory of both, and
their ratios against the goals.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from evenhand.running import Workload

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Load:
    """One scene: how many calls, how long, and what is allowed."""

    calls: int
    n: int
    reply_characters: int
    latency_s: float
    concurrency: int
    wall_goal: float
    memory_goal: float | None


LOADS = {
    "long": Load(270, 3500, 60_000, 0.2, 20, 1.2, 1.5),
    "short": Load(5_000, 20, 0, 0.05, 50, 1.25, None),
}
PLAN_GOAL_S = 20.0
PLAN_GOAL_MB = 1000.0


@dataclass(frozen=True)
class Cost:
    """What one process took: seconds of the calls, CPU seconds and megabytes of the process."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    detail: str = ""


def workload_of(load: Load) -> Workload:
    """A plan of so many experiments."""
    from evenhand.running import plan

    if load.calls == 270:
        # About 71 characters an instance line, so 250 KB a prompt.
        return plan("core", tasks="sentiment", n=load.n, set_seeds=tuple(range(15)))
    return plan(
        "core",
        tasks="sentiment",
        n=load.n,
        set_seeds=tuple(range(50)),
        patterns="random",
        random_order_seeds=tuple(range(50)),
    )


def measured(work: Callable[[], str]) -> Cost:
    """Run it and look at the process afterwards."""
    started = time.perf_counter()
    detail = work()
    wall = time.perf_counter() - started
    used = resource.getrusage(resource.RUSAGE_SELF)
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000, detail)


def bare(load: Load, url: str) -> Cost:
    """A plain client: a queue, a semaphore's worth of workers, replies thrown away."""
    workload = workload_of(load)
    answered = 0

    async def ask_all() -> None:
        from openai import AsyncOpenAI  # the engine imports it during its run too

        nonlocal answered
        client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
        todo = iter(workload.experiments)

        async def worker() -> None:
            nonlocal answered
            for experiment in todo:
                (message,) = workload.messages(experiment)  # what rendering gives, and faster
                reply = await client.chat.completions.create(
                    model="x",
                    messages=[{"role": "user", "content": message.content}],
                    max_tokens=20_000,
                    temperature=0,
                )
                answered += bool(reply.choices[0].message.content)

        await asyncio.gather(*(worker() for _ in range(load.concurrency)))
        await client.close()

    return measured(lambda: (asyncio.run(ask_all()), f"{answered} answered")[1])


def engine(load: Load, url: str) -> Cost:
    """The engine with everything on: store, hashes, outcome rules."""
    from evenhand.models import open_model
    from evenhand.running import RunOptions, run

    workload = workload_of(load)
    options = RunOptions(concurrency=load.concurrency, progress=False)
    with tempfile.TemporaryDirectory() as folder:

        def whole() -> str:
            model = open_model(f"openai-compatible/x@{url}")
            return f"{run(workload, model, Path(folder), options).done} done"

        return measured(whole)


def planning(n: int, set_seeds: int, order_seeds: int) -> Cost:
    """Plan core with so many seeds, and hash every prompt."""
    from evenhand.running import plan

    def whole() -> str:
        workload = plan(
            "core",
            n=n,
            set_seeds=tuple(range(set_seeds)),
            random_order_seeds=tuple(range(order_seeds)),
        )
        hashes = {workload.prompt_sha256(e) for e in workload.experiments}
        return f"{len(workload.experiments):,} experiments, {len(hashes):,} prompts"

    return measured(whole)


@contextmanager
def serving(load: Load) -> Iterator[str]:
    """The fake server in a process of its own."""
    command = [sys.executable, __file__, "--serve", json.dumps(asdict(load))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def serve(load: Load) -> None:
    """Answer until killed."""
    sys.path.insert(0, str(ROOT))
    from tests.fake_server import FakeServer, answer

    filler = "Instance 1: positive, and so on. " * (load.reply_characters // 33)
    usage = {"prompt_tokens": 60_000, "completion_tokens": 15_000, "total_tokens": 75_000}
    play = answer(f'{filler}\n{{"answer": -1}}', usage=usage, latency_s=load.latency_s)
    with FakeServer(play, keep_messages=False) as server:
        print(server.url, flush=True)
        time.sleep(3600)


def in_process(*arguments: str) -> Cost:
    """Run one measurement in a fresh process."""
    done = subprocess.run(
        [sys.executable, __file__, *arguments], capture_output=True, text=True, check=True
    )
    return Cost(**json.loads(done.stdout))


def compare(name: str, rounds: int) -> None:
    """Both clients in turns on one server; print their best."""
    load = LOADS[name]
    costs: dict[str, list[Cost]] = {"bare": [], "engine": []}
    with serving(load) as url:
        for _ in range(rounds):
            for who, found in costs.items():
                found.append(in_process("--client", who, name, url))
    best = {who: min(found, key=lambda cost: cost.wall_s) for who, found in costs.items()}
    print(f"{name}: {load.calls:,} calls, {load.latency_s} s latency, {load.concurrency} at once")
    for who, cost in best.items():
        print(
            f"  {who:7} wall {cost.wall_s:6.2f} s   cpu {cost.cpu_s:6.2f} s   "
            f"peak {cost.peak_mb:5.0f} MB   {cost.detail}"
        )
    wall = best["engine"].wall_s / best["bare"].wall_s
    memory = best["engine"].peak_mb / best["bare"].peak_mb
    print(f"  wall ratio   {wall:.2f} (goal {load.wall_goal}) {_mark(wall <= load.wall_goal)}")
    goal = load.memory_goal
    if goal is not None:
        print(f"  memory ratio {memory:.2f} (goal {goal}) {_mark(memory <= goal)}")


def show_plans() -> None:
    """Three shapes of 30,000 experiments."""
    for n, set_seeds, order_seeds in ((100, 70, 37), (2000, 70, 37), (100, 334, 3)):
        cost = in_process("--planning", str(n), str(set_seeds), str(order_seeds))
        met = cost.wall_s < PLAN_GOAL_S and cost.peak_mb < PLAN_GOAL_MB
        print(
            f"plan: n = {n}, {set_seeds} set seeds, {order_seeds} random orders: {cost.detail}: "
            f"wall {cost.wall_s:.1f} s, cpu {cost.cpu_s:.1f} s, peak {cost.peak_mb:.0f} MB "
            f"(goal {PLAN_GOAL_S:.0f} s, {PLAN_GOAL_MB:.0f} MB) {_mark(met)}"
        )


def _mark(met: bool) -> str:
    return "met" if met else "MISSED"


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenes", nargs="*", default=["long", "short", "plan"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--client", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--planning", nargs=3, type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(Load(**json.loads(arguments.serve)))
    elif arguments.client:
        who, name, url = arguments.client
        cost = {"bare": bare, "engine": engine}[who](LOADS[name], url)
        print(json.dumps(asdict(cost)))
    elif arguments.planning:
        print(json.dumps(asdict(planning(*arguments.planning))))
    else:
        for scene in arguments.scenes:
            show_plans() if scene == "plan" else compare(scene, arguments.rounds)


if __name__ == "__main__":
    main()
