"""The pre-commit hook, with pre-commit itself: a changed kernel with a bug stops the commit."""
import os
import shutil
import subprocess
import tempfile
import unittest

import pytlx

EXAMPLES = os.path.join(pytlx.SOURCE, "verify", "report", "examples")
PRE_COMMIT = os.environ.get("TLX_PRE_COMMIT") or shutil.which("pre-commit")


@unittest.skipUnless(PRE_COMMIT and shutil.which("git"), "pre-commit is not installed")
class PreCommit(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        path = os.path.dirname(pytlx.tool("tlx-verify")) + os.pathsep + os.environ["PATH"]
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        self.environment.update(PATH=path, HOME=self.folder.name, GIT_CONFIG_NOSYSTEM="1", PRE_COMMIT_HOME=os.path.join(self.folder.name, "store"),
                                XDG_CACHE_HOME=os.path.join(self.folder.name, "cache"))
        self.hooks = self.repository("hooks", [os.path.join(pytlx.SOURCE, ".pre-commit-hooks.yaml")])
        self.user = self.repository("user", [])
        with open(os.path.join(self.user, ".pre-commit-config.yaml"), "w", encoding="utf-8") as file:
            file.write("repos:\n- repo: %s\n  rev: %s\n  hooks:\n  - id: tlx-verify\n" % (self.hooks, self.git(self.hooks, "rev-parse", "HEAD").stdout.strip()))
        self.git(self.user, "add", ".")

    def git(self, folder, *arguments):
        return subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.com", *arguments], env=self.environment,
                              capture_output=True, text=True, check=True, timeout=60)

    def repository(self, name, files):
        folder = os.path.join(self.folder.name, name)
        os.mkdir(folder)
        self.git(folder, "init", "-q")
        for file in files:
            shutil.copy(file, folder)
        self.git(folder, "add", ".")
        self.git(folder, "commit", "-q", "--allow-empty", "-m", "first")
        return folder

    def run_hooks(self):
        self.git(self.user, "add", ".")
        return subprocess.run([PRE_COMMIT, "run"], cwd=self.user, env=self.environment, capture_output=True, text=True, timeout=120)

    def test_aBugStopsTheCommit(self):
        shutil.copy(os.path.join(EXAMPLES, "race.mlir"), os.path.join(self.user, "kernel.ttir"))
        done = self.run_hooks()
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("BUG(race)", done.stdout)

    def test_otherFilesAreLeftAlone(self):
        with open(os.path.join(self.user, "notes.txt"), "w", encoding="utf-8") as file:
            file.write("module\n")
        done = self.run_hooks()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Skipped", done.stdout)


if __name__ == "__main__":
    pytlx.main()
