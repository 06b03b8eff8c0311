"""A real terminal: tmux, typed into and read back."""

import shlex
import shutil
import subprocess

from harness import wait_until

MISSING = None if shutil.which("tmux") else "tmux is missing: scripts/install-packages full"


class Terminal:
    """A window of 100 by 40 that runs a shell in `folder`."""

    def __init__(self, home, environment, folder, width=100, height=40):
        self.socket = str(home / "tmux.socket")
        self.environment = {**environment, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height),
                  "-c", str(folder), "env", "PS1=$ ", "bash", "--norc", "--noprofile")
        self.tmux("set-option", "-g", "history-limit", "20000")

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-S", self.socket, *arguments], env=self.environment, check=True,
                              capture_output=True, text=True).stdout

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def paste(self, text):
        """As a terminal pastes: between marks where the program asked for them."""
        self.tmux("set-buffer", text)
        self.tmux("paste-buffer", "-p")

    def press(self, *keys):
        """Enter, Tab, Up, C-c, …"""
        self.tmux("send-keys", *keys)

    def run(self, *command):
        self.type(shlex.join(map(str, command)))
        self.press("Enter")

    def screen(self, *more):
        """All lines, also those above; with "-e" their escape sequences too."""
        return self.tmux("capture-pane", "-p", "-J", "-S", "-", *more)

    def see(self, text):
        wait_until(lambda: text in self.screen(), f"{text!r} on the screen:\n{self.screen()}")
        return self.screen()

    def stop(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], env=self.environment, check=False,
                       capture_output=True)
