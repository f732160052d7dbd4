import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { findAsker, argumentsOfProcess } from "./find-asker.ts";

/** Processes from the helper's parent upwards, by their words. */
function ask(...above: readonly (readonly string[])[]) {
  const words = new Map(above.map((each, index) => [100 + index, each]));
  return findAsker(100, {
    find: (id) => (words.has(id) ? { id, parent: id + 1, terminal: undefined, started: "" } : undefined),
    argumentsOf: (id) => words.get(id) ?? [],
  });
}

const remote = ["/usr/lib/git-core/git-remote-http", "origin", "http://ada:secret@git.example.com/shop.git"];
const push = ["/usr/bin/git", "push", "origin", "main"];

test("the command is the git that was typed, with all of its processes", () => {
  const asker = { command: "git push origin main", ids: [100, 101, 102] };
  expect(ask(remote, ["git", ...remote.slice(1)], push, ["bash", "-l"])).toEqual(asker);
  expect(ask(["sh", "-c", "pagewire git-credential get"], remote, push)).toEqual({ ...asker, ids: [101, 102] });
});

test("passwords in addresses and headers are masked, and control characters are escaped", () => {
  const fetch = [
    "git",
    "-c",
    "http.extraHeader=Authorization: Basic abc",
    "fetch",
    "https://ada:p%40ss@git.example.com/x?y=@",
  ];
  expect(ask(remote, fetch).command).toBe(
    'git -c "http.extraHeader=Authorization: ***" fetch https://***@git.example.com/x?y=@',
  );
  const options = ask(remote, ["git", "push", "--push-token", "s3cret", "--password", "s3cret", "origin"]);
  expect(options.command).toBe("git push --push-token *** --password *** origin");
  const hostile = ask(remote, ["git", "clone", "https://token@host/x", "\u001b[2J\u202e"]);
  expect(hostile.command).toBe("git clone https://***@host/x ⟨U+001B⟩[2J⟨U+202E⟩");
  expect(ask(remote).command).toBe("git-remote-http origin http://***@git.example.com/shop.git");
});

test("without a git process it is the parent of the helper, and a cycle of parents ends", () => {
  expect(ask(["/bin/sh", "-c", "printf x | pagewire git-credential get"], ["bash"])).toEqual({
    command: 'sh -c "printf x | pagewire git-credential get"',
    ids: [100],
  });
  const loop = findAsker(7, {
    find: (id) => ({ id, parent: 7, terminal: undefined, started: "" }),
    argumentsOf: () => [],
  });
  expect(loop).toEqual({ command: "", ids: [7] });
});

test("secrets are masked even if the arguments of a process are not separated", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 9)", "Authorization: Basic abc"]);
  await once(child, "spawn");
  expect(argumentsOfProcess(child.pid ?? 0, "darwin").slice(-2)).toEqual(["Authorization:", "***"]);
  child.kill();
  await once(child, "exit");
});

test.each(["linux", "darwin"])("the words of a process are read on %s", async (platform) => {
  const child = spawn("sleep", ["1000"]);
  await once(child, "spawn");
  expect(argumentsOfProcess(child.pid ?? 0, platform)).toEqual(["sleep", "1000"]);
  child.kill();
  await once(child, "exit");
  expect(argumentsOfProcess(child.pid ?? 0, platform)).toEqual([]);
});
