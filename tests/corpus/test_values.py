#!/usr/bin/env python3
"""The values of one launch of each kind that neither a chip nor a kernel's own test tells of, against float64."""
import os
import tempfile
import unittest

import numpy as np

import pytlx
import corpus
import launch_data
import sim_values
import smaller

LAUNCHES = (
    "amd/gfx950/attn_fwd_async_prefetch-526f06/launch-4x500",
    "amd/gfx950/pa_decode_reduce_kernel-7c2760/launch",
    "blackwell/attn_bwd_mxf8_ws-b5721f/launch-256",
    "blackwell/attn_bwd_preprocess-a066b6/launch-512",
    "blackwell/attn_bwd_ws-2b4d6b/launch-2x512",
    "blackwell/attn_fwd_mxf8_ws-9edf0b/launch-256",
    "blackwell/attn_fwd_single_q-83c0e3/launch-1600x2",
    "blackwell/attn_fwd_triton_spec-a18878/launch-1600x2",
    "blackwell/grouped_matmul_tlx_kernel-eec114/launch",
    "blackwell/ikbo_fa_kernel-d5ab30/launch",
    "blackwell/ikbo_lce_kernel-488b4f/launch",
    "blackwell/layer_norm_fwd_multi_cta-f6bdc4/launch-16384",
    "blackwell/matmul_2cta_ws_kernel-ef5762/launch-128x128x128",
)


class ValuesTest(unittest.TestCase):
    def test_agrees_with_float64(self):
        root, tool = corpus.root(), corpus.need("tlx-run")
        for launch in LAUNCHES:
            with self.subTest(launch=launch):
                grade, _, detail, _ = sim_values.judge((tool, None, root, launch, "ttgir", None, 120))
                self.assertIn(grade, ("exact", "close"), detail)

    def test_tells_other_values(self):
        """Outputs of one launch, judged as if another operand had been given."""
        root, tool = corpus.root(), corpus.need("tlx-run")
        folder = os.path.join(root, "blackwell/attn_fwd_single_q-83c0e3")
        with tempfile.TemporaryDirectory() as out:
            manifest = smaller.make(os.path.join(folder, "launch-1600x2.json"), out)
            done = corpus.run([tool, "--device", "sim", os.path.join(folder, "kernel.ttgir"), "--manifest", manifest, "--functional-only",
                               "--save-outputs", out], timeout=120)
            self.assertEqual(done.code, 0, done.error)
            self.assertEqual(sim_values.judgeByReference(manifest, out)[0], "close")
            with open(manifest, encoding="utf-8") as file:
                text = file.read()
            with open(manifest, "w", encoding="utf-8") as file:
                file.write(text.replace('"seed": 71', '"seed": 171'))
            self.assertEqual(sim_values.judgeByReference(manifest, out)[0], "differs")

    def test_powers_of_two(self):
        """As tests/runtime/base/DtypeTest.cpp has them."""
        stored = launch_data.toStorage(np.array([1, 2.0**-8, 1.45, 1.49, 1.5, -4, 0, 2.0**-140]), "f8E8M0FNU")
        self.assertEqual(stored.tolist(), [127, 119, 127, 127, 128, 129, 0, 0])


if __name__ == "__main__":
    corpus.root()  # skips where there is none
    pytlx.main()
