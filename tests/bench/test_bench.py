# SPDX-License-Identifier: Apache-2.0
"""Tests how the benchmark interprets the reports of hosts, without root, network or any daemon."""
import os
import sys
import threading
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lan"))

import kinds        # noqa: E402
import lan          # noqa: E402
import limits       # noqa: E402
import observe      # noqa: E402
import table        # noqa: E402


def view(role, leader=None):
    return {"role": role, "leader": leader and {"id": leader}}


class FakeHost:
    view = None


class FakeLan:
    def __init__(self):
        self.condition = threading.Condition()
        self.hosts = [FakeHost() for _ in range(3)]
        self.events = []

    def since(self, mark):
        return self.events[mark:]

    def says(self, at, number, role, leader=None):
        self.events.append((at, self.hosts[number], {"status": view(role, leader)}))


class Watched(unittest.TestCase):
    def setUp(self):
        self.net = FakeLan()
        self.watch = observe.Watch(self.net)
        self.at = lan.now()
        self.watch.began = self.at - 10

    def says(self, ago, *what):
        self.net.says(self.at - ago, *what)

    def agreed_ago(self):
        since = self.watch.agreed(self.net.hosts)
        return since and round(self.at - since, 3)

    def test_agreement_is_since_the_last_host_follows(self):
        self.says(3, 0, "leader", "a")
        self.says(2, 1, "follower", "a")
        self.assertIsNone(self.agreed_ago())
        self.says(1, 2, "follower", "a")
        self.assertEqual(self.agreed_ago(), 1)

    def test_an_agreement_that_broke_does_not_count(self):
        for number, role in enumerate(("leader", "follower", "follower")):
            self.says(5, number, role)
        self.says(3, 1, "leader")
        self.says(2, 1, "follower")
        self.assertEqual(self.agreed_ago(), 2)

    def test_two_leaders_or_other_names_are_no_agreement(self):
        self.says(3, 0, "leader", "a")
        self.says(3, 1, "follower", "a")
        self.says(3, 2, "follower", "b")
        self.assertIsNone(self.agreed_ago())
        self.says(2, 2, "leader", "a")
        self.assertIsNone(self.agreed_ago())

    def test_who_follows_nobody_does_not_agree(self):
        self.says(3, 0, "leader")
        self.says(3, 1, "follower")
        self.says(3, 2, "none")
        self.assertIsNone(self.agreed_ago())

    def test_the_time_of_two_leaders_is_added_up(self):
        self.says(9, 0, "leader")
        self.says(8, 1, "leader")
        self.says(7, 0, "follower")
        self.says(6, 2, "leader")
        self.says(4, 2, "follower")
        self.assertAlmostEqual(self.watch.leaders(2, self.net.hosts), 3)
        self.assertAlmostEqual(self.watch.leaders(0, self.net.hosts), 1)

    def test_each_beginning_of_a_lead_is_a_change(self):
        self.says(5, 0, "leader")
        self.says(4, 0, "leader")
        self.says(3, 0, "none")
        self.says(2, 0, "leader")
        self.says(1, 1, "leader")
        self.assertEqual(self.watch.changes(self.net.hosts), 3)


def heard(kind, number, lines):
    """The last report in the lines, and how many lines are reports."""
    host = kind.__new__(kind)
    host.number = number
    if hasattr(host, "forget"):
        host.forget()
    events = [event for event in map(host.heard, lines) if event]
    return (events[-1]["status"]["role"], len(events)) if events else (None, 0)


class Heard(unittest.TestCase):
    def test_keepalived_tells_states_and_other_things(self):
        self.assertEqual(heard(kinds.Keepalived, 1, [
            'INSTANCE "bench" BACKUP 254', 'INSTANCE "bench" MASTER 254',
            'INSTANCE "bench" MASTER_RX_LOWER_PRI 254', ""]), ("leader", 2))
        self.assertEqual(heard(kinds.Keepalived, 1, ['INSTANCE "bench" FAULT 254']), ("none", 1))

    def test_the_lowest_of_a_quorate_membership_leads(self):
        within = "notice [QUORUM] This node is within the primary component and will provide"
        without = "notice [QUORUM] This node is within the non-primary component and will NOT"
        members = "notice [QUORUM] Members[3]: 2 3 10"
        self.assertEqual(heard(kinds.Corosync, 2, [within, members]), ("leader", 2))
        self.assertEqual(heard(kinds.Corosync, 10, [within, members])[0], "follower")
        self.assertEqual(heard(kinds.Corosync, 2, [members])[0], "none")
        self.assertEqual(heard(kinds.Corosync, 2, [within, members, without])[0], "none")
        sync = "notice [QUORUM] Sync members[3]: 2 3 10"
        self.assertEqual(heard(kinds.Corosync, 2, [sync]), (None, 0))

    def test_a_member_of_etcd_names_whom_it_takes_for_the_leader(self):
        line = '{"msg":"raft.node: 8e elected leader %s at term 2"}'
        self.assertEqual(heard(kinds.Etcd, 1, [line % "8e"]), ("leader", 1))
        self.assertEqual(heard(kinds.Etcd, 1, [line % "9f"]), ("follower", 1))
        self.assertEqual(heard(kinds.Etcd, 1, [
            line % "8e", '{"msg":"raft.node: 8e lost leader 8e at term 3"}']), ("none", 2))
        self.assertEqual(heard(kinds.Etcd, 1, [
            '{"msg":"raft.node: 8e changed leader from 9f to 8e at term 3"}']), ("leader", 1))


class Told(unittest.TestCase):
    def results(self):
        results = table.Results(100)
        for kind, values in (kinds.Electd, (0.1, 0.2, 0.3)), (kinds.Ucarp, (0.4, 0.5, 0.6)):
            setup = kinds.Setup(kind, 0.1)
            for value in values:
                results.add(setup, {"killed": value, "two": float("inf")})
        return results

    def test_the_table_has_medians_worst_ones_and_ratios(self):
        lines = self.results().table().split("\n")
        killed = next(line for line in lines if "process killed" in line)
        self.assertRegex(killed, r"200 / 300 +500 / 600 x2\.5$")
        self.assertRegex(lines[1], r"3 +3$")

    def test_what_has_no_end_has_no_ratio(self):
        line = next(x for x in self.results().table().split("\n") if "two leaders" in x)
        self.assertRegex(line, r"no end / no end +no end / no end$")

    def test_rows_that_nobody_has_are_left_out(self):
        self.assertNotIn("healed", self.results().table())

    def test_values_are_written_as_they_were_measured(self):
        self.assertIn("100\tucarp\tkilled\t400.00\t500.00\t600.00", list(self.results().lines()))

    def test_rows_that_are_drawn_are_times(self):
        self.assertLessEqual(set(table.SHORT), table.TIMES)


class Limited(unittest.TestCase):
    def held(self, limit, values, runs=3):
        return limit.held(values, runs)

    def test_the_median_and_the_worst_have_limits_in_the_unit_of_the_row(self):
        limit = table.Limit("killed", 200, 300)
        self.assertEqual(self.held(limit, [0.1, 0.2, 0.3]), "HELD")
        self.assertEqual(self.held(limit, [0.1, 0.201, 0.3]), "NOT HELD")
        self.assertEqual(self.held(limit, [0.1, 0.2, 0.301]), "NOT HELD")
        self.assertEqual(self.held(table.Limit("resident", 5.1), [5.0, 5.2, 5.2]), "NOT HELD")
        self.assertEqual(self.held(table.Limit("twice", worst=0), [0.0, 0.0, 0.0]), "HELD")
        self.assertEqual(self.held(table.Limit("twice", worst=0), [0.0, 0.0, 1.0]), "NOT HELD")

    def test_a_fault_without_an_end_holds_no_limit(self):
        self.assertEqual(self.held(table.Limit("killed", 200, 300), [0.1, 0.1, table.math.inf]),
                         "NOT HELD")
        self.assertEqual(self.held(table.Limit("killed", 200), [0.1, table.math.inf, table.math.inf]),
                         "NOT HELD")

    def test_too_few_values_hold_no_limit(self):
        self.assertEqual(self.held(table.Limit("killed", 200), [0.1, 0.1]), "NOT MEASURED")
        self.assertEqual(self.held(table.Limit("heal", 200, times=2), [0.1] * 5), "NOT MEASURED")
        self.assertEqual(self.held(table.Limit("heal", 200, times=2), [0.1] * 6), "HELD")
        self.assertEqual(self.held(table.Limit("frames", 15, times=0), []), "NOT MEASURED")
        self.assertEqual(self.held(table.Limit("frames", 15, times=0), [15.0]), "HELD")

    def test_a_row_without_a_limit_has_no_verdict(self):
        self.assertEqual(self.held(table.Limit("bytes"), []), "")

    def test_a_line_has_the_limit_and_the_ratio_to_each_peer(self):
        results = table.Results(100)
        for name, values in ("electd", (0.1, 0.2, 0.4)), ("other", (0.3, 0.5, 0.6)):
            for value in values:
                results.add(kinds.Setup(kinds.Electd, 0.1, name), {"killed": value})
        lines = list(table.judged(results, "electd", [table.Limit("killed", 250, 300),
                                                      table.Limit("bytes")], ["other", "absent"], 3))
        self.assertEqual(lines[0][1:], ["3", "200.0", "400.0", "250, worst 300", "NOT HELD",
                                        "500.0 / 600.0 x2.5", "-"])
        self.assertEqual(lines[1][1:], ["0", "", "", "", "", "-", "-"])

    def test_each_limit_is_on_a_row_that_is_known(self):
        known = {row for row, _, _ in table.ROWS}
        for setups in limits.LIMITS.values():
            for some in setups.values():
                self.assertLessEqual({limit.row for limit in some}, known)

    def test_each_limit_is_a_line_under_its_scene(self):
        for scene, setups in limits.LIMITS.items():
            lines = list(limits.rows(table.Results(scene), scene, 1))
            judged = [judges for _, judges in lines if judges]
            wanted = [limit for some in setups.values() for limit in some
                      if (limit.most, limit.worst) != (None, None)]
            self.assertEqual(len(set(judged)), len(wanted))
            self.assertEqual({len(cells) for cells, _ in lines}, {6 + len(limits.PEERS)})

    def test_columns_are_aligned(self):
        self.assertEqual(table.aligned([["a", "1", ""], ["bc", "23", ""]]), ["a    1", "bc  23"])


if __name__ == "__main__":
    unittest.main()
