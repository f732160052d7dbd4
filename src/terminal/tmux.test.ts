import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTmux, pasteLong } from "./tmux.ts";

/** A tmux that runs the lines of a script; its arguments are recorded in the file `commands`. */
function play(...lines: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-tmux-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const command = join(folder, "tmux");
  const commands = join(folder, "commands");
  writeFileSync(
    command,
    ["#!/bin/sh", "shift 5", `echo "$*" >> ${commands}`, ...lines, `cat >> ${commands}`].join("\n"),
    {
      mode: 0o755,
    },
  );
  const environment = { PATH: process.env["PATH"] ?? "" };
  const tmux = createTmux({ command, server: "x", conf: "/dev/null", environment });
  return { tmux, folder, commands: () => (existsSync(commands) ? readFileSync(commands, "utf8") : "") };
}

const session = { id: "one", columns: 80, rows: 24, variables: { A: "it's" } };
const dies = "{ echo server exited unexpectedly >&2; exit 1; }";

test("a session that opens while the server is exiting opens in the next server", async () => {
  const { tmux, commands } = play(`case "$*" in start-server*) [ -e "$0.died" ] || { : > "$0.died"; ${dies}; };; esac`);
  await tmux.open({ ...session, directory: "/home" });
  expect(commands().match(/start-server/g)).toHaveLength(2);
  expect(commands()).toContain("new-session -d -s one -x 80 -y 24 -c '/home' -e 'A=it'\\''s'");
});

test("a server that never starts is reported, and one that has just exited has no sessions", async () => {
  const { tmux } = play(dies);
  await expect(tmux.open({ ...session, directory: "/home" })).rejects.toMatchObject({ code: "terminal-unavailable" });
  expect(await tmux.sessions()).not.toContain("one");
});

test("tmux formats in the name of a directory are not expanded", async () => {
  const { tmux, commands } = play();
  await tmux.open({ ...session, directory: "/home/it's #{pid} #(rm)" });
  expect(commands()).toContain("-c '/home/it'\\''s ##{pid} ##(rm)'");
});

test("input typed during a long paste follows it, even if pasting fails", async () => {
  for (const fails of [false, true]) {
    const written: string[] = [];
    let done = (): void => {};
    const pasted = new Promise<void>((resolve, reject) => {
      done = () => (fails ? reject(new Error("tmux refused")) : resolve());
    });
    const pty = { pid: 1, device: undefined, waitingBytes: 0, resize() {}, pause() {}, resume() {} };
    const write = (text: string) => void written.push(text.slice(0, 5));
    const own = pasteLong({ ...pty, write }, async (text) => {
      await pasted;
      write(text);
    });
    own.write("first");
    own.write("long ".repeat(1000));
    own.write("then");
    expect([written, own.waitingBytes]).toEqual([["first"], 5004]);
    done();
    await expect.poll(() => written).toEqual(["first", "long ", "then"]);
    expect(own.waitingBytes).toBe(0);
    own.write("last");
    expect(written.at(-1)).toBe("last");
  }
});
