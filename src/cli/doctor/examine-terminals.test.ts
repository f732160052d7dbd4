import { chmodSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHub } from "../../hub/index.ts";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";
import { examineTerminals } from "./examine-terminals.ts";

let cli: TestIo;

beforeEach(() => {
  cli = createTestIo();
});
afterEach(() => cli.close());

const missing = () => Promise.reject(Object.assign(new Error("no"), { code: "ERR_MODULE_NOT_FOUND" }));

function examine(url: string, { PATH = "", ...more }: { PATH?: string; loadPty?: typeof missing } = {}) {
  const io = { environment: { PATH }, platform: "linux" };
  return examineTerminals({ url, token: cli.state.agentToken(), io, state: cli.state, ...more });
}

test("the doctor reports that terminals are off, how to turn them on, and what they need", async () => {
  const hub = await startTestHub(cli);
  const off = { about: "terminals", state: "well", message: expect.stringContaining("npx pagewire hub --terminal") };
  expect(await examine(hub.url)).toEqual([off, expect.objectContaining({ state: "well" })]);
  expect(await examine(hub.url, { loadPty: missing })).toEqual([
    off,
    { about: "terminals", state: "hint", message: expect.stringMatching(/Run: npm install /), advice: [] },
  ]);
  await hub.close();
});

test("for a hub with terminals, it reports how to open one, whether there is tmux, and problems of the shell key", async () => {
  const mount = () => ({
    serve: () => {},
    list: async () => [],
    end: async () => {},
    review: () => {},
    close: async () => {},
  });
  const { agentToken, shellKey } = cli.state;
  const hub = await createHub({ port: 0, agentToken, shell: { mount, key: shellKey } });
  const on = expect.objectContaining({ state: "well", message: expect.stringContaining("npx pagewire terminal") });
  const well = expect.objectContaining({ state: "well" });
  const noFetch = expect.objectContaining({ state: "well", message: expect.stringContaining("--terminal-fetch") });
  expect(await examine(hub.url, { PATH: process.env["PATH"] ?? "" })).toEqual([
    on,
    noFetch,
    well,
    expect.objectContaining({ state: "well", message: expect.stringContaining("tmux") }),
  ]);
  const noTmux = expect.objectContaining({ state: "hint", advice: [expect.stringContaining("install tmux")] });
  expect(await examine(hub.url)).toEqual([on, noFetch, well, noTmux]);
  const fetchOrigins = ["https://api.example.com", "http://127.0.0.1:8080"];
  const fetching = await createHub({ port: 0, agentToken, shell: { mount, key: shellKey, fetchOrigins } });
  expect((await examine(fetching.url))[1]).toEqual({
    about: "terminals",
    state: "well",
    message: expect.stringContaining("from https://api.example.com, http://127.0.0.1:8080, once you allow it"),
  });
  await fetching.close();
  shellKey();
  chmodSync(cli.state.shellKeyPath, 0o644);
  const broken = expect.objectContaining({
    state: "problem",
    exitCode: 4,
    message: expect.stringContaining("--shell"),
  });
  expect(await examine(hub.url)).toEqual([on, noFetch, broken, well, noTmux]);
  await hub.close();
});

test("for an older hub, it reports nothing on terminals", async () => {
  const server = createServer((_, response) => response.end("{}"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  expect(await examine(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).toEqual([]);
  server.close();
});
