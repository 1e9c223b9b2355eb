"""A run as text: one table per set, then what must hold."""

import math

import results
import targets


def number(value):
    if math.isinf(value):
        return ""
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def seconds(row, at):
    value = row["seconds"][at]
    return number(value) if math.isfinite(value) else "never"


def set_lines(data):
    best, rows = results.summarize(data)
    labels = results.labels(best, data["half_norm"])
    product = data["product_seconds"]
    yield f"### {data['title']}"
    yield ""
    yield (f"f* = {best:.7g}; a product W'V takes {1e3 * product:.3g} ms = {data['product_gflops']:.3g} GFLOP/s, a square product runs at "
           f"{data['square_gflops']:.3g}.")
    yield ""
    yield f"| system | start | seeds | s to {labels[0]} | {labels[1]} | {labels[2]} | product times | at the end | longest call, s | peak MB |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for row in rows:
        products = " / ".join(number(t / product) or "-" for t in row["seconds"])
        yield (f"| {row['system']} | {row['start']} | {row['seeds']} | {seconds(row, 0)} | {seconds(row, 1)} | {seconds(row, 2)} | {products} | "
               f"{row['end']:.2g} | {number(row['longest'])} | {row['peak_megabytes']:.0f} |")
    for note in data["notes"]:
        yield ""
        yield f"Note: {note}."
    yield ""


def lines(run):
    yield f"# {run['title']}"
    yield ""
    yield f"{run['machine']}; {run['threads']} threads; {run['date']}; {run['minutes']:.1f} minutes. {run['versions']}"
    yield ""
    for data in run["sets"]:
        yield from set_lines(data)
    for name, reason in run["skipped"].items():
        yield f"Skipped {name}: {reason}."
        yield ""
    yield "## What must hold"
    yield ""
    for data in run["sets"]:
        best, rows = results.summarize(data)
        labels = results.labels(best, data["half_norm"])
        for line in [*targets.sooner_lines(data, rows, labels), *targets.product_lines(data, rows, labels)]:
            yield f"- {line}"
