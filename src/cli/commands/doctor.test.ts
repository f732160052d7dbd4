import { chmodSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { Server } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Finding } from "../doctor/finding.ts";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

let cli: TestIo;

beforeEach(() => {
  cli = createTestIo();
});
afterEach(() => cli.close());

async function examine(...args: readonly string[]): Promise<{ code: number; findings: readonly Finding[] }> {
  const examiner = createTestIo({ home: cli.home });
  const code = await examiner.run("doctor", "--json", ...args);
  expect(examiner.err()).toBe("");
  return { code, findings: (JSON.parse(examiner.out()) as { findings: Finding[] }).findings };
}

/** Another program where the hub should be. */
async function serve(answer: Parameters<typeof createServer>[1]): Promise<{ server: Server; url: string }> {
  const server = createServer(answer as never);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** An address where nothing listens. */
async function nowhere(): Promise<string> {
  const { server, url } = await serve(() => {});
  await new Promise((resolve) => server.close(resolve));
  return url;
}

const about = (findings: readonly Finding[], what: Finding["about"]) =>
  findings.filter((finding) => finding.about === what);

test("without problems, every finding is ok, and the exit code is 0", async () => {
  const hub = await startTestHub(cli);
  await hub.page();
  cli.state.allowOrigin("https://shop.example");
  const { code, findings } = await examine();
  expect(code).toBe(0);
  expect(findings.filter(({ state }) => state !== "well").map((finding) => finding.about)).toEqual(["version"]);
  expect(about(findings, "hub")[0]?.message).toContain(
    `A hub answers at ${hub.url} (process ${process.pid}, version 0.0.0-test).`,
  );
  expect(about(findings, "tabs")[0]?.message).toBe("1 tab offers tools.");
  expect(about(findings, "origins")[0]?.message).toContain("https://shop.example");
  await hub.close();
});

test("tools whose schemas a vendor refuses are named, with what says how programs get them", async () => {
  const hub = await startTestHub(cli);
  const inputSchema = { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] } as const;
  await hub.page({ tools: [{ name: "find", inputSchema }] });
  const { code, findings } = await examine();
  expect(code).toBe(0);
  expect(about(findings, "tools")).toMatchObject([
    {
      state: "hint",
      message: expect.stringMatching(/: find\.$/),
      advice: [expect.stringContaining("npx pagewire tools")],
    },
  ]);
  await hub.close();
});

test("a hub that cannot save is reported with the reason; doctor continues and exits with 0", async () => {
  let ready = "ready\nnothing can be saved: the hub's disk is full\n";
  const { server, url } = await serve(({ url: path }, response) => {
    response.end(path === "/healthz" ? "ok\n" : path === "/readyz" ? ready : "");
  });
  const storeOf = async () => about((await examine("--hub", url)).findings, "store");
  expect(await storeOf()).toMatchObject([
    { state: "warning", message: "The hub cannot save anything at the moment: the hub's disk is full." },
  ]);
  for (ready of ["ready\n", "stopping\n", "ready\nsomething else\n"]) expect(await storeOf()).toEqual([]);
  server.close();
});

test("for people, each finding and each remedy is a line", async () => {
  const url = await nowhere();
  expect(await cli.run("doctor", "--hub", url)).toBe(3);
  expect(cli.out()).toBe(
    [
      `ok   The state is kept in ${cli.home}.`,
      `ok   The token is in ${join(cli.home, "token")}, for you alone.`,
      "hint Only the hub's own pages and its demo can offer tools.",
      "     -> Let pages of another origin with: npx pagewire allow http://localhost:5173",
      `fix  Nobody answers at ${url}.`,
      "     -> Start the hub with: npx pagewire",
      "ok   Pseudo terminals can be opened here.",
      "hint There is no tmux of version 3.2 or newer: a shell ends with the hub.",
      "     -> For shells that outlive it, install tmux, and start the hub again.",
      "",
    ].join("\n"),
  );
});

test("without a hub, it reports whether this machine has what terminals need, but not for another machine", async () => {
  const terminals = async (url: string) => about((await examine("--hub", url)).findings, "terminals");
  expect(await terminals(await nowhere())).toEqual([
    expect.objectContaining({ state: "well", message: "Pseudo terminals can be opened here." }),
    expect.objectContaining({ state: "hint", message: expect.stringContaining("no tmux") }),
  ]);
  expect(await terminals("http://nowhere.invalid:7337")).toEqual([]);
});

test("without a tab, it names recently refused origins, and the browser's permission", async () => {
  const hub = await startTestHub(cli);
  cli.state.noteRefusedOrigin("https://shop.example");
  const { code, findings } = await examine();
  expect(code).toBe(0);
  const [, refused] = about(findings, "origins");
  expect(refused?.message).toContain("A page of https://shop.example was refused");
  expect(refused?.advice).toEqual(["If you know it, let it with: npx pagewire allow https://shop.example"]);
  expect(about(findings, "browser")[0]?.advice?.join(" ")).toContain("local network");
  expect(about(findings, "tabs")[0]?.advice).toEqual([
    `Open a page that does; the demo is at ${hub.hub.demo}/.`,
    expect.stringContaining("npx pagewire extension"),
  ]);
  await hub.close();
});

test("an origin that was allowed since is not listed as refused", async () => {
  const hub = await startTestHub(cli);
  cli.state.noteRefusedOrigin("https://shop.example");
  cli.state.allowOrigin("https://shop.example");
  const { findings } = await examine();
  expect(JSON.stringify(findings)).not.toContain("was refused");
  await hub.close();
});

test("a refused token is reported, also by the exit code", async () => {
  const hub = await startTestHub(cli);
  const other = createTestIo({ environment: { PAGEWIRE_TOKEN: "a-token-of-another-hub" } });
  const code = await other.run("doctor", "--json", "--hub", hub.url);
  expect([code, other.out().includes("did not prove that it is the hub of this token")]).toEqual([4, true]);
  other.close();
  await hub.close();
});

test("a hub of another state directory is examined without the token, and reported as another's", async () => {
  const hub = await startTestHub(cli);
  const other = createTestIo();
  expect(await other.run("doctor", "--json", "--hub", hub.url)).toBe(3);
  const { findings } = JSON.parse(other.out()) as { findings: Finding[] };
  expect(about(findings, "hub")[0]?.message).toBe(`A hub answers at ${hub.url}.`);
  expect(about(findings, "connection")[0]?.message).toContain(
    `No hub of the state directory ${other.home} runs at ${hub.url}.`,
  );
  other.close();
  await hub.close();
});

test("a broken token file and a broken origins file are reported with a remedy", async () => {
  const hub = await startTestHub(cli);
  cli.state.agentToken();
  chmodSync(join(cli.home, "token"), 0o644);
  writeFileSync(join(cli.home, "origins.json"), "{");
  const { code, findings } = await examine();
  expect(code).toBe(4);
  const problems = findings.filter(({ state }) => state === "problem");
  expect(problems.map((finding) => finding.about)).toEqual(["token", "origins", "connection"]);
  expect(problems[0]?.message).toContain("pagewire token rotate");
  expect(problems[1]?.message).toContain("origins.json");
  await hub.close();
});

test("another program on the port is named, with its process if the system reveals it", async () => {
  const { server, url } = await serve((_, response) => response.writeHead(418).end("I'm a teapot"));
  const { code, findings } = await examine("--hub", url);
  expect(code).toBe(3);
  const [finding] = about(findings, "hub");
  expect(finding?.message).toContain(`Something answers at ${url}, but it is no hub`);
  expect(finding?.message).toContain(`process ${process.pid}`);
  expect(finding?.advice?.join(" ")).toContain("It answered with 418.");
  server.close();
});

test("a program that does not speak HTTP is not taken for a hub", async () => {
  const server = createTcpServer((socket) => socket.resume().end("SSH-2.0-OpenSSH\r\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { code, findings } = await examine("--hub", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect([code, about(findings, "hub")[0]?.message.includes("it is no hub")]).toEqual([3, true]);
  server.close();
});

test("a hub that runs at another address is named", async () => {
  const hub = await startTestHub(cli);
  const { findings } = await examine("--hub", await nowhere());
  expect(about(findings, "hub")[0]?.advice?.[0]).toContain(`A hub runs at ${hub.url}`);
  await hub.close();
});

test("an unusable state directory is reported first", async () => {
  const broken = createTestIo({ environment: { PAGEWIRE_HOME: "relative" } });
  expect(await broken.run("doctor")).toBe(1);
  expect(broken.out()).toContain("fix  PAGEWIRE_HOME must be an absolute path");
  broken.close();
});
