"""Reads run directories of Selvage into tables of pandas or polars.

    run = Run("runs/incast-pfc-b473c844")
    run.summary["digest"]
    run.table("flows")                    # a pandas.DataFrame
    run.table("flows", engine="polars")   # a polars.DataFrame
"""

import json
from pathlib import Path

__all__ = ["Run", "RunError", "fct_cdf", "pause_matrix", "queue_over_time"]


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


def fct_cdf(run, load=None):
    """Flow completion times in microseconds and the share of flows that completed by then."""
    flows = run.table("flows")
    if load is not None:
        flows = flows[flows["load"] == load]
    times = flows["completion_ps"].dropna().sort_values().reset_index(drop=True) / 1e6
    shares = [(place + 1) / len(flows) for place in range(len(times))]
    return times.to_frame("fct_us").assign(share=shares)


def queue_over_time(run, port, priority=None):
    """Bytes that wait at a port, by virtual time in microseconds."""
    series = run.table("series")
    rows = series[series["port"] == port]
    if rows.empty:
        raise RunError(f"the series of {run.folder} has no port {port}")
    if priority is not None:
        rows = rows[rows["priority"] == priority]
    times = sorted(series["time_ps"].unique())
    queue = rows.groupby("time_ps")["queue_bytes"].sum().reindex(times, fill_value=0)
    queue.index = queue.index / 1e6
    return queue.rename("queue_bytes").rename_axis("time_us")


def pause_matrix(run):
    """Share of each interval in which a port was paused: ports by time in microseconds."""
    series = run.table("series")
    times = sorted(series["time_ps"].unique())
    interval = min((b - a for a, b in zip([0, *times], times)), default=1)
    blocked = series.groupby(["port", "time_ps"])["blocked_ps"].max().unstack(fill_value=0)
    blocked = blocked.reindex(columns=times, fill_value=0) / interval
    blocked.columns = [time / 1e6 for time in blocked.columns]
    return blocked[blocked.max(axis=1) > 0].clip(upper=1)
