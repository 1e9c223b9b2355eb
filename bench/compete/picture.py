"""A picture of a run: how far each system is from the best objective after how many seconds, one panel per set."""

import math

import results

COLORS = {"fast": "#c0392b", "auto": "#e67e22", "sklearn-cd": "#2c3e50", "numpy-hals": "#2980b9", "sklearn-mu": "#7f8c8d",
           "minibatch": "#27ae60", "gensim": "#8e44ad", "r-nmf": "#16a085"}


def curves(data, rows, best):
    """(system, seconds, gaps) of the seed whose time to 1 % is the median, of each system's better start."""
    free = results.noise_free(best, data["half_norm"])
    for row in rows:
        seeds = sorted(row["by_seed"], key=lambda seed: row["by_seed"][seed][1])
        seed = seeds[len(seeds) // 2]
        own = [r for r in data["records"] if (r["system"], r["start"], r["seed"]) == (row["system"], row["start"], seed)]
        curve = results.points(own)
        gaps = [math.sqrt(f / data["half_norm"]) if free else f / best - 1 for _, _, f in curve]
        yield row["system"], [seconds for _, seconds, _ in curve], gaps


def draw(run, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "svrmu"
    sets = run["sets"]
    columns = min(4, len(sets))
    rows_of_panels = -(-len(sets) // columns)
    figure, panels = plt.subplots(rows_of_panels, columns, figsize=(3.6 * columns, 3 * rows_of_panels), squeeze=False)
    seen = {}
    for panel, data in zip(panels.flat, sets):
        best, rows = results.summarize(data)
        for system, seconds, gaps in curves(data, rows, best):
            color = COLORS.get(system, "black")
            width = 2.2 if system in results.OURS else 1.2
            (line,) = panel.plot(seconds, [max(g, 1e-5) for g in gaps], color=color, linewidth=width, marker=".", markersize=8 if width > 2 else 4)
            seen[system] = line
        panel.set_xscale("log")
        panel.set_yscale("log")
        free = results.noise_free(best, data["half_norm"])
        panel.set_ylim(1e-4, 10 if not free else 1)
        for level in results.GAPS:
            panel.axhline(level, color="#dddddd", linewidth=0.8, zorder=0)
        panel.set_title(f"{data['name']} {data['features']} x {data['samples']}, K {data['rank']}", fontsize=9)
        panel.set_ylabel("relative error" if free else "gap to the best objective", fontsize=8)
        panel.set_xlabel("seconds", fontsize=8)
        panel.tick_params(labelsize=7)
    for panel in list(panels.flat)[len(sets) :]:
        panel.axis("off")
    order = [s for s in COLORS if s in seen]
    figure.legend([seen[s] for s in order], order, loc="lower center", ncol=len(order), fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.06 if rows_of_panels > 1 else 0.1, 1, 1))
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
