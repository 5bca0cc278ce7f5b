"""Makes numbers and a picture of the resources that the programs have used."""

import collections
import statistics

CHARTS = [
    ("resident memory", 1 << 20, lambda row: {k: v[0] for k, v in row.items() if isinstance(v, tuple)}),
    ("open files", 1, lambda row: {k: v[1] for k, v in row.items() if isinstance(v, tuple)}),
    ("threads", 1, lambda row: {k: v[2] for k, v in row.items() if isinstance(v, tuple)}),
    ("databases", 1 << 20, lambda row: row["databases"]),
]


def all_series(rows):
    """Yields each chart with its unit and its series: pairs of minutes and values by the name of the program."""
    charts = []
    for title, unit, pick in CHARTS:
        series = collections.defaultdict(list)
        for row in rows:
            for name, value in pick(row).items():
                series[name].append((row["time"] / 60, value / unit))
        charts.append((title + (" (MiB)" if unit > 1 else ""), series))
    return charts


def summary(rows):
    """Returns, by title and program, the median of the first tenth, the median of the last tenth, and the highest
    value."""
    found = {}
    for title, series in all_series(rows):
        found[title] = {}
        for name, points in sorted(series.items()):
            values, tenth = [value for _, value in points], max(1, len(points) // 10)
            found[title][name] = {
                "start": round(statistics.median(values[:tenth]), 1),
                "end": round(statistics.median(values[-tenth:]), 1),
                "highest": round(max(values), 1),
            }
    return found


def drawing(rows):
    """Returns an SVG picture with one chart below the other: memory, open files, threads and databases."""
    charts = all_series(rows)
    width, height = 900, 180
    last = max([row["time"] / 60 for row in rows] or [1])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 220}" height="{len(charts) * (height + 60)}" font-family="sans-serif" font-size="12">'
    ]
    colours = ["#1b6", "#25c", "#c52", "#a2a", "#888", "#085", "#940", "#06a"]
    for index, (title, series) in enumerate(charts):
        top = index * (height + 60) + 30
        highest = max([value for points in series.values() for _, value in points] or [1]) or 1
        parts.append(f'<text x="60" y="{top - 8}">{title}, at most {highest:.0f}; {last:.0f} minutes</text>')
        parts.append(f'<rect x="60" y="{top}" width="{width - 60}" height="{height}" fill="none" stroke="#ccc"/>')
        for number, (name, points) in enumerate(sorted(series.items())):
            path = " ".join(
                f"{60 + x / last * (width - 60):.1f},{top + height - y / highest * height:.1f}" for x, y in points
            )
            colour = colours[number % len(colours)]
            parts.append(
                f'<polyline points="{path}" fill="none" stroke="{colour}"/><text x="{width + 10}" y="{top + 14 + number * 16}" fill="{colour}">{name}</text>'
            )
    return "\n".join([*parts, "</svg>"])
