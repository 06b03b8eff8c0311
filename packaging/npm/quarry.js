#!/usr/bin/env node
// Runs the program beside it as if it were the program: same streams, signals and exit code.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const path = require("node:path");

const program = path.join(__dirname, "bin", "quarry");
// "quarry mcp setup" writes a command with npx then: where npx keeps the program may be gone tomorrow.
const env = { ...process.env, QUARRY_NPM_PACKAGE: require("./package.json").name };
const child = spawn(program, process.argv.slice(2), { stdio: "inherit", env });

// A terminal sends these to the program itself; a second one would end it at once.
const onTerminal = process.stdin.isTTY ? ["SIGINT", "SIGQUIT"] : [];
for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"]) {
  process.on(signal, () => {
    if (!onTerminal.includes(signal)) child.kill(signal);
  });
}

child.on("error", (error) => {
  console.error(`error: ${program} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  process.exitCode = 128 + constants.signals[signal]; // where the signal is blocked
});
