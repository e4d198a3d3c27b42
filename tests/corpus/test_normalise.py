#!/usr/bin/env python3
"""The judges of the corpus scripts can tell a renaming from a change."""
import unittest

import pytlx
import events
import normalise

TEXT = '''#loc = loc("k.py":1:1)
#loc2 = loc("x"(#loc))
#shared = #ttg.swizzled_shared<{vec = 1, order = [0]}>
module {
  tt.func public @k(%x: i32 {tt.divisibility = 16 : i32} loc("x"(#loc)), %y: !ttg.memdesc<1xi64, #shared> loc(unknown)) {
    %c1 = arith.constant 1 : i32 loc(#loc)
    %r:2 = scf.while (%a = %x, %b = %c1) : (i32, i32) -> (i32, i32) {
      %p = arith.cmpi slt, %a, %b : i32 loc(#loc2)
      scf.condition(%p) %a, %b : i32, i32 loc(#loc)
    } do {
    ^bb0(%a: i32 loc("a(b"), %b: i32 loc(unknown)):
      ttng.wait_barrier %y, %c1 : !ttg.memdesc<1xi64, #shared> loc(#loc)
      scf.yield %b, %a : i32, i32 loc(#loc)
    } loc(#loc)
    ttg.warp_specialize(%y, %r#1)
    default {
      ttng.arrive_barrier %y, 1 : !ttg.memdesc<1xi64, #shared> loc(#loc)
      ttg.warp_yield loc(#loc)
    }
    partition0(%arg0: !ttg.memdesc<1xi64, #shared> loc(unknown), %arg1: i32 loc(unknown)) num_warps(4) {
      ttng.wait_barrier %arg0, %arg1 : !ttg.memdesc<1xi64, #shared> loc(#loc)
      ttg.warp_return loc(#loc)
    } : (!ttg.memdesc<1xi64, #shared>, i32) -> () loc(#loc)
    tt.return loc(#loc)
  } loc(#loc)
} loc(#loc)
'''


class Normalise(unittest.TestCase):
    def differs(self, old, new, locations=False, count=-1):
        self.assertIn(old, TEXT)
        changed = TEXT.replace(old, new, count)
        return normalise.contents(TEXT, locations) != normalise.contents(changed, locations)

    def test_namesOfValuesAndAliasesDoNotMatter(self):
        self.assertFalse(self.differs("%x", "%arg0"))
        self.assertFalse(self.differs("%a", "%b_7"))
        self.assertFalse(self.differs("#shared", "#shared9"))
        self.assertFalse(self.differs("%arg1", "%x"))  # an isolated region may use an outer name again

    def test_locationsMatterOnlyWhenAsked(self):
        self.assertFalse(self.differs('"k.py":1:1', '"k.py":2:1'))
        self.assertTrue(self.differs('"k.py":1:1', '"k.py":2:1', locations=True))
        self.assertFalse(self.differs("#loc2", "#loc7", locations=True))
        self.assertTrue(self.differs('"x"(#loc))', '"z"(#loc))', locations=True, count=1))

    def test_contentMatters(self):
        for old, new in (("scf.yield %b, %a", "scf.yield %a, %b"), ("%r#1)", "%r#0)"), ("slt", "sle"),
                         ("vec = 1", "vec = 2"), ("tt.divisibility = 16", "tt.divisibility = 8"),
                         ("arrive_barrier %y, 1", "arrive_barrier %y, 2"), ("num_warps(4)", "num_warps(8)"),
                         ("wait_barrier %y, %c1", "wait_barrier %y, %x"), ("      ttg.warp_return loc(#loc)\n", "")):
            self.assertTrue(self.differs(old, new), old)

    def test_differencesAreLocated(self):
        self.assertEqual(normalise.firstDifference(["a", "b"], ["a", "c"]), (1, "b", "c"))
        self.assertEqual(normalise.firstDifference(["a"], ["a", "c"]), (1, "(end)", "c"))
        self.assertIsNone(normalise.firstDifference(["a"], ["a"]))


class Events(unittest.TestCase):
    def test_eventsPerTask(self):
        found = {task: [(where, event.split(" :")[0]) for where, event in list_] for task, list_ in events.eventsOf(TEXT).items()}
        self.assertEqual(found, {
            "k": [("do", "ttng.wait_barrier %, 1")],
            "k/ws0/default": [("", "ttng.arrive_barrier %, 1")],
            "k/ws0/partition0": [("", "ttng.wait_barrier %, %")],
        })


if __name__ == "__main__":
    pytlx.main()
