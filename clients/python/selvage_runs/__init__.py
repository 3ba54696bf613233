"""Runs scenarios with Selvage, and reads run directories into tables of pandas or polars.

    run = selvage_runs.run("incast-pfc", set={"load.burst.bytes": "200KB"})
    run = Run("runs/incast-pfc-6a9c662e")
    run.summary["digest"]
    run.table("flows")                    # a pandas.DataFrame
    run.table("flows", engine="polars")   # a polars.DataFrame

    points = sweep("incast-pfc", {"priorities.3.alpha": [0.25, 0.5, 1]})
    points.table("flows")                 # those of all runs, with a column priorities.3.alpha
"""

import itertools
import json
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

__all__ = ["Run", "RunError", "Sweep", "fct_cdf", "pause_matrix", "queue_over_time", "run", "sweep"]

# Exit codes of runs that were executed and written, however they ended.
_WRITTEN = (0, 1, 3, 4, 5)


class RunError(Exception):
    """A folder is no run directory, or has no such table."""


class Run:
    """A run directory, as `selvage run` writes it."""

    def __init__(self, folder):
        self.folder = Path(folder)
        if not (self.folder / "digest").is_file():
            raise RunError(f"{folder} is no run directory: it has no digest")

    @property
    def summary(self):
        """summary.json as a dictionary."""
        return json.loads((self.folder / "summary.json").read_text())

    @property
    def tables(self):
        """Names of the tables that the run has."""
        return sorted(path.stem for path in self.folder.glob("*.csv"))

    def table(self, name, engine="pandas"):
        """A table such as flows, ports or series."""
        file = self.folder / f"{name}.csv"
        if not file.is_file():
            raise RunError(f"{self.folder} has no table {name}; it has {', '.join(self.tables)}")
        if engine == "pandas":
            import pandas

            return pandas.read_csv(file)
        if engine == "polars":
            import polars

            return polars.read_csv(file, infer_schema_length=None)
        raise RunError(f"no engine {engine}; there are pandas and polars")


def run(scenario, set=None, *, out=None, seed=None, options=(), program=None):
    """Runs a scenario and returns its Run.

    scenario: a file, the name of an example, or a dictionary.
    set: values on top of it, as {"load.burst.bytes": "200KB"}.
    out: the run directory; a temporary one if it is not given.
    options: more words of `selvage run`, as ["--threads", "4"].
    program: the command, as ["npx", "selvage"]; else that of SELVAGE, or selvage.
    """
    words = list(program) if program is not None else [os.environ.get("SELVAGE", "selvage")]
    folder = Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="selvage-")) / "run"
    for path, value in (set or {}).items():
        options = [*options, "--set", f"{path}={_text(value)}"]
    if seed is not None:
        options = [*options, "--seed", str(seed)]
    with tempfile.TemporaryDirectory(prefix="selvage-") as drafts:
        if isinstance(scenario, dict):
            file = Path(drafts) / "scenario.yaml"
            # JSON is YAML.
            file.write_text(json.dumps({"selvage": 1, **scenario}))
            scenario = file
        words += ["run", str(scenario), "--quiet", "--out", str(folder), *options]
        try:
            done = subprocess.run(words, capture_output=True, text=True)
        except FileNotFoundError:
            raise RunError(f"no program {words[0]}: install it, or set SELVAGE to it") from None
    if done.returncode not in _WRITTEN:
        raise RunError(done.stderr.strip() or f"exit code {done.returncode}")
    return Run(folder)


def sweep(scenario, vary, set=None, *, out=None, jobs=None, **more):
    """Runs a scenario for each combination of values, several at once; returns a Sweep.

    vary: {"priorities.3.alpha": [0.5, 1]}: the values of each path.
    jobs: runs at once; one for each processor if it is not given.
    out, set and more: as those of run; each run has a folder of its own in out.
    """
    points = [dict(zip(vary, values)) for values in itertools.product(*vary.values())]
    folder = Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="selvage-"))
    folder.mkdir(parents=True, exist_ok=True)

    def one(place):
        values = {**(set or {}), **points[place]}
        return run(scenario, values, out=folder / f"{place + 1:03}", **more)

    # Each run is a process of its own; threads wait for them.
    with ThreadPoolExecutor(max_workers=jobs or os.cpu_count()) as pool:
        return Sweep(points, list(pool.map(one, range(len(points)))))


class Sweep:
    """Runs of one scenario with different values: iterates as pairs of values and Run."""

    def __init__(self, points, runs):
        self.points = points
        self.runs = runs

    def __iter__(self):
        return iter(zip(self.points, self.runs))

    def __len__(self):
        return len(self.runs)

    def items(self):
        """Runs by a label of their values, as the plots take them."""
        for values, one in self:
            yield ", ".join(f"{path}={value}" for path, value in values.items()), one

    def table(self, name):
        """A table of all runs as a pandas.DataFrame, with a column for each varied path."""
        import pandas

        frames = [one.table(name).assign(**values) for values, one in self]
        return pandas.concat(frames, ignore_index=True)


def _text(value):
    return value if isinstance(value, str) else json.dumps(value)


def _frame(source, name):
    """The table of a run, or a table that was read before, of pandas or polars."""
    if isinstance(source, Run):
        return source.table(name)
    return source.to_pandas() if hasattr(source, "to_pandas") else source


def fct_cdf(run, load=None):
    """Flow completion times in microseconds and the share of flows that completed by then.

    run: a Run, or its table flows, of pandas or polars; so with the series of the others.
    """
    flows = _frame(run, "flows")
    if load is not None:
        flows = flows[flows["load"] == load]
    times = flows["completion_ps"].dropna().sort_values().reset_index(drop=True) / 1e6
    shares = [(place + 1) / len(flows) for place in range(len(times))]
    return times.to_frame("fct_us").assign(share=shares)


def queue_over_time(run, port, priority=None):
    """Bytes that wait at a port, by virtual time in microseconds."""
    series = _frame(run, "series")
    rows = series[series["port"] == port]
    if rows.empty:
        raise RunError(f"the series has no port {port}")
    if priority is not None:
        rows = rows[rows["priority"] == priority]
    times = sorted(series["time_ps"].unique())
    queue = rows.groupby("time_ps")["queue_bytes"].sum().reindex(times, fill_value=0)
    queue.index = queue.index / 1e6
    return queue.rename("queue_bytes").rename_axis("time_us")


def pause_matrix(run):
    """Share of each interval in which a port was paused: ports by time in microseconds."""
    series = _frame(run, "series")
    times = sorted(series["time_ps"].unique())
    interval = min((b - a for a, b in zip([0, *times], times)), default=1)
    blocked = series.groupby(["port", "time_ps"])["blocked_ps"].max().unstack(fill_value=0)
    blocked = blocked.reindex(columns=times, fill_value=0) / interval
    blocked.columns = [time / 1e6 for time in blocked.columns]
    return blocked[blocked.max(axis=1) > 0].clip(upper=1)
