"""The Debian packages: their form, and their use in a system that has nothing else of Quarry."""

import re
import shutil
import subprocess
import time
import unittest

from chroot import SUITE, USER, Chroot, mirrors
from prepare import BASE, SOURCE, debian_packages, digests, documented, package


def made(*names):
    return [file for file in debian_packages() if file.name.startswith(names)]


class Packages(unittest.TestCase):
    def test_lintian_has_no_error_and_no_warning(self):
        result = subprocess.run(["lintian", "--allow-root", *debian_packages()],
                                capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_made_again_they_are_identical(self):
        first = digests(debian_packages())
        self.assertEqual(sorted(re.match(r"[a-z-]+", name).group() for name in first),
                         ["libquarry-dev", "quarry", "quarry-doc", "quarry-plugins-postgresql"])
        self.assertEqual(digests(package("deb")), first)


    def test_piuparts_finds_nothing_left_behind(self):
        mirror = next(line for line in mirrors() if "security" not in line)
        address, components = re.fullmatch(r"deb (\S+) \S+ (.+)", mirror).groups()
        self.run_tool("piuparts", "--existing-chroot", BASE, "--distribution", SUITE, "--no-eatmydata", "--no-upgrade-test",
                      "--mirror", f"{address} {components}", *made("quarry_", "libquarry-dev_", "quarry-plugins-"))

    def test_autopkgtest_runs_the_main_job_and_builds_a_plugin(self):
        root = Chroot(BASE)
        self.addCleanup(root.remove)
        source = root.parent / "quarry"
        shutil.copytree(SOURCE / "packaging/debian", source / "debian")
        (source / "debian/changelog").write_text(
            "quarry (1:0.1.0-0quarry1) unstable; urgency=medium\n\n  * Release.\n\n"
            " -- The Quarry authors <nobody@example.org>  Sun, 01 Nov 2026 00:00:00 +0000\n")
        said = self.run_tool("unshare", "--mount", "sh", "-c", 'mount --rbind /dev "$0/dev"; mount -t proc proc "$0/proc"; exec "$@"',
                             root.path, "autopkgtest", *made("quarry_", "libquarry-dev_", "quarry-plugins-"), f"{source}/", "--", "chroot", root.path)
        for test in ("main-job", "plugin"):
            self.assertRegex(said, rf"(?m)^{test} +PASS")

    def run_tool(self, *words):
        result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        self.assertEqual(result.returncode, 0, result.stdout[-8000:])
        return result.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Chroot(BASE)
        cls.addClassCleanup(cls.root.remove)
        for file in debian_packages():
            shutil.copy(file, cls.root.path)
        (cls.root.path / "etc/apt/apt.conf.d/99tests").write_text(
            'APT::Get::Assume-Yes "true";\nAPT::Install-Recommends "false";\n')
        shutil.copytree(SOURCE / "packaging/debian/tests", cls.root.path / "tests")

    def install(self, package, *more):
        """Installs a package as documented, and `more` with it."""
        command = next(line for line in documented("apt install") if f"/{package}_" in line)
        self.root.must("sh", "-c", f"{command.removeprefix('sudo ')} {' '.join(more)}")

    def ours(self):
        """The files and directories of Quarry outside of home directories."""
        found = [path for top in ("etc", "usr", "var", "lib/systemd")
                 for path in (self.root.path / top).rglob("*quarry*")]
        return sorted(str(path.relative_to(self.root.path)) for path in found)

    def test_from_installation_to_purge(self):
        before = self.ours()
        begin = time.monotonic()
        self.install("quarry")
        self.root.must("/tests/main-job", user=USER)
        print(f"from installation to a cited answer: {time.monotonic() - begin:.1f} s")

        self.stays_when_the_system_is_upgraded()
        self.service_is_installed_but_not_enabled()
        self.helps_at_the_prompt()
        self.store_is_added()
        self.removes_what_it_installed(before)

    def test_an_upgrade_keeps_configuration_and_conversations(self):
        root = Chroot(BASE)
        self.addCleanup(root.remove)
        [new] = made("quarry_")
        older = root.path / "opt/older"
        subprocess.run(["dpkg-deb", "--raw-extract", new, older], check=True)
        control = older / "DEBIAN/control"
        control.write_text(re.sub(r"^Version: .*$", "Version: 1:0.0.9-0quarry1", control.read_text(), flags=re.M))
        subprocess.run(["dpkg-deb", "--build", "-Znone", older, root.path / "older.deb"], check=True, capture_output=True)
        shutil.rmtree(older)
        root.must("apt-get", "install", "--yes", "--no-install-recommends", "/older.deb")
        settings = root.path / "etc/quarry/quarry.toml"
        settings.write_text(settings.read_text() + "\n# of the administrator\n")
        (root.path / "home/tester/notes").mkdir()
        (root.path / "home/tester/notes/dates.md").write_text("# Dates\n\nDates are parsed by parse_date.\n")
        ask = ["quarry", "ask", "-r", "/home/tester/notes"]
        root.must(*ask, "Which function parses dates?", user=USER)
        shutil.copy(new, root.path)
        root.must("apt-get", "install", "--yes", "--no-install-recommends", f"/{new.name}")
        self.assertIn("of the administrator", settings.read_text())
        self.assertIn("Which function parses dates?", root.must("quarry", "threads", user=USER))
        self.assertRegex(root.must(*ask, "--continue", "What parses dates?", user=USER), r"\[notes:dates\.md#L\d")

    def stays_when_the_system_is_upgraded(self):
        """Debian has another program of this name."""
        self.assertIn("0.2.0", self.root.must("apt-cache", "policy", "quarry"))
        self.assertNotIn("Inst quarry", self.root.must("apt-get", "--simulate", "dist-upgrade"))

    def service_is_installed_but_not_enabled(self):
        unit = self.root.path / "lib/systemd/system/quarry.service"
        self.assertIn("ExecStart=/usr/bin/quarry serve\n", unit.read_text())
        self.assertEqual(list((self.root.path / "etc/systemd").rglob("*.wants/quarry*")), [])
        conffiles = self.root.must("dpkg-query", "-W", "-f", "${Conffiles}", "quarry")
        self.assertEqual(conffiles.split()[0], "/etc/quarry/quarry.toml")
        self.root.must("quarry", "config", "check", user=USER)

    def helps_at_the_prompt(self):
        tab = ("source /usr/share/bash-completion/completions/quarry; "
               "COMP_WORDS=(quarry as) COMP_CWORD=1; _quarry; echo ${COMPREPLY[@]}")
        self.assertIn("ask", self.root.must("bash", "-c", tab).split())

    def store_is_added(self):
        self.assertNotIn("store-postgresql", self.root.must("quarry", "plugins", "list", user=USER))
        self.install("quarry-plugins-postgresql")
        self.install("libquarry-dev")
        self.assertIn("store-postgresql", self.root.must("quarry", "plugins", "list", user=USER))

    def removes_what_it_installed(self, before):
        for directory in ("lib", "cache", "log"):  # as systemd makes them for a dynamic user
            private = self.root.path / "var" / directory / "private/quarry"
            private.mkdir(parents=True)
            (private.parents[1] / "quarry").symlink_to("private/quarry")
        names = ["quarry", "quarry-plugins-postgresql", "libquarry-dev"]
        self.root.must("apt-get", "remove", *names)
        self.assertIn("etc/quarry/quarry.toml", self.ours())
        self.assertIn("var/lib/quarry", self.ours())
        self.assertNotIn("usr/bin/quarry", self.ours())
        self.root.must("apt-get", "purge", *names)
        self.assertEqual(self.ours(), before)
        self.assertFalse((self.root.path / "etc/quarry").exists())


if __name__ == "__main__":
    unittest.main()
