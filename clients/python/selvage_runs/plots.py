"""The usual plots of a run, with matplotlib; each returns the axes that it drew on."""

from . import Run, Sweep, fct_cdf, pause_matrix, queue_over_time


def _label(source):
    return source.summary["scenario"] if isinstance(source, Run) else "all flows"


def _axes(axes):
    if axes is not None:
        return axes
    from matplotlib import pyplot

    return pyplot.subplots()[1]


def plot_fct_cdf(runs, axes=None):
    """Distribution of flow completion times.

    runs: labels with runs, a Sweep, one Run, or a table of flows.
    """
    axes = _axes(axes)
    # Tables have items of their own: their columns.
    named = runs.items() if isinstance(runs, (dict, Sweep)) else [(_label(runs), runs)]
    for label, run in named:
        cdf = fct_cdf(run)
        axes.step(cdf["fct_us"], cdf["share"], where="post", label=label)
    axes.set(xlabel="flow completion time (us)", ylabel="share of flows", ylim=(0, 1))
    axes.legend()
    return axes


def plot_queue(run, port, axes=None):
    """Queue of a port over time."""
    axes = _axes(axes)
    queue = queue_over_time(run, port)
    axes.plot(queue.index, queue / 1e3)
    axes.set(xlabel="virtual time (us)", ylabel="queue (kB)", title=port)
    return axes


def plot_pauses(run, axes=None):
    """Heat map of ports and times: how long each port was paused."""
    axes = _axes(axes)
    matrix = pause_matrix(run)
    image = axes.pcolormesh(matrix.columns, range(len(matrix)), matrix, vmin=0, vmax=1)
    axes.set_yticks(range(len(matrix)), matrix.index)
    axes.set(xlabel="virtual time (us)")
    axes.figure.colorbar(image, ax=axes, label="share of time paused")
    return axes
