import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTmux } from "./tmux.ts";

/** A tmux that runs the lines of a script; its arguments are recorded in the file `told`. */
function play(...lines: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-tmux-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const command = join(folder, "tmux");
  const told = join(folder, "told");
  writeFileSync(command, ["#!/bin/sh", "shift 5", `echo "$*" >> ${told}`, ...lines, `cat >> ${told}`].join("\n"), {
    mode: 0o755,
  });
  const environment = { PATH: process.env["PATH"] ?? "" };
  const tmux = createTmux({ command, server: "x", conf: "/dev/null", environment });
  return { tmux, folder, told: () => (existsSync(told) ? readFileSync(told, "utf8") : "") };
}

const session = { id: "one", columns: 80, rows: 24, variables: { A: "it's" } };
const dies = "{ echo server exited unexpectedly >&2; exit 1; }";

test("a session that opens while the server is about to end is opened in the next server", async () => {
  const { tmux, told } = play(`case "$*" in start-server*) [ -e "$0.died" ] || { : > "$0.died"; ${dies}; };; esac`);
  await tmux.open({ ...session, directory: "/home" });
  expect(told().match(/start-server/g)).toHaveLength(2);
  expect(told()).toContain("new-session -d -s one -x 80 -y 24 -c '/home' -e 'A=it'\\''s'");
});

test("a server that never starts is told of, and one that has just ended has no sessions", async () => {
  const { tmux } = play(dies);
  await expect(tmux.open({ ...session, directory: "/home" })).rejects.toMatchObject({ code: "terminal-unavailable" });
  expect(await tmux.sessions()).not.toContain("one");
});

test("a directory is taken as it is, though tmux has a meaning for some characters", async () => {
  const { tmux, told } = play();
  await tmux.open({ ...session, directory: "/home/it's #{pid} #(rm)" });
  expect(told()).toContain("-c '/home/it'\\''s ##{pid} ##(rm)'");
});
