"""The arithmetic behind the benchmark's tables: wrong there, and every claim is wrong."""

import math
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "bench", "compete"))

import results  # noqa: E402
import targets  # noqa: E402


def record(system="sklearn-cd", start="given", seed=1, cap=1, seconds=1.0, objective=1.0):
    return {"system": system, "start": start, "seed": seed, "cap": cap, "seconds": seconds, "objective": objective, "peak_megabytes": 10}


def data(records, references=(), half_norm=1000.0, name="lowrank"):
    return {"name": name, "records": records, "references": list(references), "half_norm": half_norm, "product_seconds": 0.01}


class BestObjective(unittest.TestCase):
    def test_is_the_lowest_of_all_systems_seeds_and_references(self):
        calls = [record(objective=3.0), record(system="fast", seed=2, objective=2.0)]
        self.assertEqual(results.best_objective(data(calls, [2.5])), 2.0)
        self.assertEqual(results.best_objective(data(calls, [1.5])), 1.5)

    def test_ignores_a_system_that_ended_without_a_number(self):
        self.assertEqual(results.best_objective(data([record(objective=math.nan), record(objective=3.0)])), 3.0)


class Thresholds(unittest.TestCase):
    def test_are_gaps_to_the_best_objective(self):
        for got, wanted in zip(results.thresholds(100.0, 1000.0), (110.0, 101.0, 100.1)):
            self.assertAlmostEqual(got, wanted)

    def test_are_relative_errors_where_the_data_have_no_noise(self):
        for got, wanted in zip(results.thresholds(1e-9, 1000.0), (10.0, 0.1, 0.001)):
            self.assertAlmostEqual(got, wanted)

    def test_change_kind_at_a_millionth_of_half_the_squared_norm(self):
        self.assertFalse(results.noise_free(1.001e-3, 1000.0))
        self.assertTrue(results.noise_free(0.999e-3, 1000.0))


class TimeTo(unittest.TestCase):
    def test_is_that_of_the_first_call_below_the_threshold_when_caps_differ_by_one(self):
        curve = [(1, 0.5, 200.0), (2, 0.9, 150.0), (3, 1.4, 100.5), (4, 1.9, 100.2)]
        self.assertEqual(results.time_to(curve, 101.0, 100.0), 1.4)

    def test_is_the_whole_call_when_the_first_one_meets_it(self):
        self.assertEqual(results.time_to([(10, 3.0, 100.5)], 101.0, 100.0), 3.0)

    def test_interpolates_by_a_constant_factor_per_iteration(self):
        # The distance falls from 100 to 1 in 20 iterations, so to 10 in 10 of them.
        self.assertAlmostEqual(results.time_to([(20, 2.0, 200.0), (40, 4.0, 101.0)], 110.0, 100.0), 3.0)

    def test_rounds_up_to_a_whole_iteration(self):
        self.assertAlmostEqual(results.time_to([(2, 2.0, 200.0), (4, 4.0, 101.0)], 150.0, 100.0), 3.0)

    def test_is_never_when_no_call_meets_it(self):
        self.assertEqual(results.time_to([(1, 1.0, 300.0), (2, 2.0, 200.0)], 101.0, 100.0), math.inf)

    def test_a_call_that_ended_without_a_number_has_not_met_it(self):
        self.assertEqual(results.time_to([(1, 1.0, math.nan)], 101.0, 100.0), math.inf)
        self.assertEqual(results.time_to([(1, 1.0, math.nan), (4, 4.0, 100.5)], 101.0, 100.0), 4.0)

    def test_takes_a_call_that_is_itself_the_best(self):
        seconds = results.time_to([(10, 1.0, 200.0), (20, 2.0, 100.0)], 101.0, 100.0)
        self.assertTrue(1.0 < seconds <= 2.0)

    def test_a_later_rise_does_not_count(self):
        self.assertEqual(results.time_to([(1, 1.0, 100.5), (2, 2.0, 150.0)], 101.0, 100.0), 1.0)


class Deciding(unittest.TestCase):
    def test_are_the_first_call_that_meets_a_threshold_and_the_one_before(self):
        calls = [record(cap=cap, objective=f) for cap, f in ((1, 200.0), (2, 150.0), (3, 109.0), (4, 102.0), (5, 100.05))]
        self.assertEqual([r["cap"] for r in results.deciding(calls, [110.0, 101.0, 100.1])], [2, 3, 4, 5])

    def test_are_none_where_no_threshold_is_met(self):
        self.assertEqual(results.deciding([record(objective=200.0)], [110.0, 101.0]), [])


class Summary(unittest.TestCase):
    def test_repeated_calls_give_their_median_time(self):
        calls = [record(seconds=s, objective=100.0) for s in (1.0, 9.0, 2.0)]
        self.assertEqual(results.points(calls), [(1, 2.0, 100.0)])

    def test_of_two_starts_the_sooner_is_kept(self):
        calls = [record(start="given", seconds=5.0, objective=100.0), record(start="own", seconds=4.0, objective=100.5)]
        _, rows = results.summarize(data(calls))
        self.assertEqual([(row["system"], row["start"]) for row in rows], [("sklearn-cd", "own")])

    def test_a_seed_that_never_gets_there_is_not_left_out_of_the_median(self):
        calls = [record(seed=1, seconds=1.0, objective=100.0), record(seed=2, seconds=1.0, objective=150.0)]
        _, rows = results.summarize(data(calls))
        self.assertEqual(rows[0]["seconds"][1], math.inf)


class Advantage(unittest.TestCase):
    def rows(self, ours, rival):
        calls = [record(system="fast", seconds=0.1, objective=ours), record(seconds=4.0, objective=rival)]
        return results.summarize(data(calls, [100.0]))[1]

    def test_is_the_ratio_to_the_best_rival(self):
        self.assertAlmostEqual(results.advantage(self.rows(100.0, 100.0), "fast", 1), 40.0)

    def test_is_infinite_when_only_ours_gets_there_and_none_when_ours_does_not(self):
        self.assertEqual(results.advantage(self.rows(100.0, 200.0), "fast", 1), math.inf)
        self.assertIsNone(results.advantage(self.rows(200.0, 100.0), "fast", 1))


class Targets(unittest.TestCase):
    def lines(self, seconds):
        run = data([record(system="fast", seconds=seconds, objective=100.0), record(seconds=4.0, objective=100.0)])
        _, rows = results.summarize(run)
        labels = results.labels(100.0, 1000.0)
        return list(targets.sooner_lines(run, rows, labels)), list(targets.product_lines(run, rows, labels))

    def test_a_ratio_above_the_factor_is_a_hit(self):
        sooner, products = self.lines(0.08)
        self.assertIn("50.0 times sooner than sklearn-cd (at least 25): hit", sooner[0])
        self.assertIn("8.0 product times (at most 9): hit", products[0])

    def test_a_ratio_below_it_is_a_miss(self):
        sooner, products = self.lines(0.2)
        self.assertTrue(sooner[0].endswith(": miss"))
        self.assertTrue(products[0].endswith(": miss"))

    def test_rivals_that_never_get_there_make_a_hit_only_if_they_were_given_the_time(self):
        for tried, verdict in ((3.0, "hit"), (2.0, "open")):
            run = data([record(system="fast", seconds=0.1, objective=100.0), record(seconds=tried, objective=300.0),
                        record(system="gensim", seconds=9.0, objective=300.0)])
            lines = list(targets.sooner_lines(run, results.summarize(run)[1], results.labels(100.0, 1000.0)))
            self.assertIn(f"no rival gets there in {tried / 0.1:.1f} times as long (at least 25): {verdict}", lines[0])

    def test_what_we_did_not_run_is_not_judged_a_hit(self):
        sooner, _ = self.lines(0.08)
        self.assertFalse(any("auto" in line and line.endswith("hit") for line in sooner))


if __name__ == "__main__":
    unittest.main()
