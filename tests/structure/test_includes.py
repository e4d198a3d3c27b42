#!/usr/bin/env python3
"""Every include of the tree obeys rules.py; and the judge itself can tell right from wrong."""
import os
import unittest

import pytlx
import includes
import rules


def violationsOf(path, text, exists=lambda _: False):
    return list(includes.violations(rules.RULES, rules.FAMILIES, path, text, exists))


class Tree(unittest.TestCase):
    def test_everyIncludeIsAllowed(self):
        files = pytlx.trackedFiles("*.h", "*.cpp", "*.inc", "*.td", "*.c", "*.cu")
        self.assertGreaterEqual(len(files), rules.FEWEST_FILES, "the scan found too few files")
        exists = lambda path: os.path.exists(os.path.join(pytlx.SOURCE, path))
        needed, wrong = set(), []
        for path in files:
            for target, why in violationsOf(path, pytlx.read(path), exists):
                if (path, target) in rules.EXEMPTIONS:
                    needed.add((path, target))
                else:
                    wrong.append("%s: error: includes '%s': %s" % (path, target, why))
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))
        unused = set(rules.EXEMPTIONS) - needed
        self.assertEqual(unused, set(), "exemptions that nobody needs any more")

    def test_everyRowNamesAFolder(self):
        # A row may come before its folder, but its wing must exist: this catches renames.
        for folder, (projects, _) in rules.RULES.items():
            for name in {folder, *projects}:
                self.assertTrue(os.path.isdir(os.path.join(pytlx.SOURCE, name.split("/")[0])), name)


class Judge(unittest.TestCase):
    def check(self, path, include, allowed):
        self.assertEqual(violationsOf(path, "#include %s\n" % include) == [], allowed, (path, include))

    def test_wings(self):
        self.check("sim/engine/Queue.cpp", '"runtime/base/Result.h"', True)
        self.check("sim/engine/Queue.cpp", '"compiler/layout/LinearLayout.h"', False)
        self.check("compiler/export/Export.cpp", '"sim/program/Program.h"', True)
        self.check("compiler/export/Export.cpp", '"sim/engine/Queue.h"', False)
        self.check("compiler/transforms/X.cpp", '"compiler/lowering/Y.h"', False)
        self.check("compiler/lowering/Y.cpp", '"compiler/transforms/X.h"', False)
        self.check("verify/encode/Barriers.cpp", '"compiler/transforms/X.h"', False)
        self.check("verify/encode/Barriers.cpp", '"compiler/dialect/TTNG/TTNG.h"', True)
        self.check("runtime/backends/cuda/Cuda.cpp", '"sim/engine/Queue.h"', False)
        self.check("runtime/backends/sim/Sim.cpp", '"sim/engine/Queue.h"', True)
        self.check("runtime/tools/Run.cpp", '"tests/support/X.h"', False)
        self.check("runtime/base/Json.cpp", '"runtime/device/Device.h"', False)

    def test_outsideHeaders(self):
        self.check("verify/smt/Solver.cpp", "<z3.h>", True)
        self.check("verify/model/Model.cpp", "<z3.h>", False)
        self.check("verify/model/Model.cpp", '"mlir/IR/Operation.h"', False)
        self.check("compiler/dialect/TT/TT.cpp", '"mlir/IR/Operation.h"', True)
        self.check("compiler/dialect/TT/TT.cpp", '"mlir/Dialect/LLVMIR/NVVMDialect.h"', False)
        self.check("compiler/lowering/nvidia/Wgmma.cpp", '"mlir/Dialect/LLVMIR/NVVMDialect.h"', True)
        self.check("runtime/device/Device.h", "<cuda.h>", False)
        self.check("runtime/device/Device.h", "<vector>", True)

    def test_unitsTalkThroughPorts(self):
        self.check("sim/units/tma/Tma.cpp", '"sim/units/mbarrier/State.h"', False)
        self.check("sim/units/tma/Tma.cpp", '"sim/units/tma/State.h"', True)
        self.check("sim/units/tma/Tma.cpp", '"sim/units/Ports.h"', True)
        self.check("sim/units/tma/Tma.cpp", '"sim/engine/Queue.h"', True)

    def test_tableGenAndRelativeIncludes(self):
        self.check("compiler/dialect/TT/TTOps.td", '"compiler/pipelines/X.td"', False)
        self.assertEqual(violationsOf("compiler/dialect/TT/TTOps.td", 'include "mlir/IR/OpBase.td"'), [])
        found = violationsOf("verify/model/A.cpp", '#include "../encode/B.h"\n', lambda path: path == "verify/encode/B.h")
        self.assertEqual([target for target, _ in found], ["verify/encode/B.h"])

    def test_aFolderWithoutARow(self):
        self.check("attic/A.cpp", "<vector>", False)


if __name__ == "__main__":
    pytlx.main()
