"""What must hold, in numbers, and whether a run held it."""

import results

# Times sooner than the best rival, to 1 % and to 0.1 %.
SOONER = {"paper": 10, "lowrank": 25, "powerlaw": 10, "parts": 10, "cbcl": 25, "reuters": 8, "debian": 12, "large": 25}
# Product times to 1 % and to 0.1 %.
PRODUCTS = {"lowrank": (9, 12), "large": (13, 25), "parts": (12, 13), "powerlaw": (17, 50)}


def verdict(held):
    return "hit" if held else "miss"


def sooner_lines(data, rows, labels):
    factor = SOONER.get(data["name"])
    if factor is None:
        return
    for at in (1, 2):
        for system in results.OURS:
            advantage = results.advantage(rows, system, at)
            rival = results.best_rival(rows, at)
            if advantage is None and rival is None:
                said, held = "neither gets there", "open"
            elif advantage is None:
                said, held = f"only {rival['system']} gets there", "miss"
            elif rival is None:
                # Only as long as they were allowed to try: a rival that was cut short may have been on its way.
                tried = results.shortest_try(rows) / next(r["seconds"][at] for r in rows if r["system"] == system)
                said = f"no rival gets there in {tried:.1f} times as long"
                held = "hit" if tried >= factor else "open"
            else:
                said, held = f"{advantage:.1f} times sooner than {rival['system']}", verdict(advantage >= factor)
            yield f"{data['name']}, {labels[at]}, {system}: {said} (at least {factor}): {held}"


def product_lines(data, rows, labels):
    limits = PRODUCTS.get(data["name"])
    if limits is None:
        return
    for at, limit in zip((1, 2), limits):
        for row in (r for r in rows if r["system"] in results.OURS):
            products = row["seconds"][at] / data["product_seconds"]
            said = f"{products:.1f} product times" if products < results.NEVER else "never"
            yield f"{data['name']}, {labels[at]}, {row['system']}: {said} (at most {limit}): {verdict(products <= limit)}"
