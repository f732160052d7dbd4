// A hub that others can reach: when it must refuse to start, where it listens, and what ends after a token is revoked or rotated.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signAgentToken, signPageToken } from "pagewire/hub";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { connectAgent, openAgent } from "../../../src/hub/test-support/agent.test-helper.ts";
import { modern, openSession, sendRaw } from "../../../src/hub/doors/mcp/test-support/raw-mcp.test-helper.ts";
import { answersTo } from "../../../src/hub/guard/test-support/answers.test-helper.ts";
import { askOwn, signIn } from "../../../src/hub/test-support/own.test-helper.ts";
import { connectPage } from "../../../src/hub/test-support/page.test-helper.ts";
import { closeSockets } from "../../../src/hub/test-support/peer.test-helper.ts";
import { besiegeHub, issuer, secret } from "./besieged-hub.test-helper.ts";
import { startBystander } from "./bystander.test-helper.ts";
import { runCommand } from "./command.test-helper.ts";
import { startLocalHub } from "./local-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

afterEach(() => closeSockets());

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "pagewire-hosting-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function secretFile(mode: number): string {
  const path = join(folder(), "secret");
  writeFileSync(path, secret);
  chmodSync(path, mode);
  return path;
}

test("H12: a hub that could be read, forged or used by others does not start, and says why", async () => {
  const good = secretFile(0o600);
  const starts: readonly (readonly [args: readonly string[], why: RegExp])[] = [
    ...["0.0.0.0", "::", "192.0.2.1"].map((host) => [["--host", host], /without jwt mode/] as const),
    ...["0.0.0.0", "::"].map((host) => [["--host", host, "--jwt-secret-file", good], /TLS|certificate|clear/] as const),
    ...[0o644, 0o604, 0o620, 0o666].map(
      (mode) => [["--jwt-secret-file", secretFile(mode)], /others can read or change/] as const,
    ),
    ...["http://id.example/keys", "http://127.0.0.1.nip.io/keys", "ftp://127.0.0.1/", "file:///keys"].map(
      (url) => [["--jwks", url], /https address/] as const,
    ),
    [["--tls-cert", good], /key/],
    [["--tls-key", good], /certificate|cert/],
  ];
  const tally = startTally(
    "hosting",
    "starts in clear, without jwt mode, with a secret that others can read, or with keys from elsewhere in clear",
    "refused by name",
  );
  await Promise.all(
    starts.map(async ([args, why]) => {
      const { code, text } = await runCommand(["hub", "--port", "0", "--no-demo", ...args], { home: folder() });
      tally.add(args.join(" "), code !== 0 && why.test(text) ? "refused by name" : text);
    }),
  );
  tally.close();
});

test("H12: a hub listens on loopback only, unless it was told otherwise", async () => {
  const hub = await startLocalHub(["--demo-port", "0"]);
  onTestFinished(() => hub.close());
  const listening = ["tcp", "tcp6"].flatMap((family) =>
    readFileSync(`/proc/${hub.process.pid}/net/${family}`, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local = "", , state]) => state === "0A" && parseInt(local.split(":")[1] ?? "", 16) === hub.port),
  );
  const tally = startTally("hosting", "the addresses that the hub's port listens at", "loopback");
  for (const [, local = ""] of listening)
    tally.add(local, /^(0100007F|0{24}01000000):/.test(local) ? "loopback" : "elsewhere");
  tally.close();
});

test("H27: a revoked token ends what it let in, on open sockets too, and opens nothing again; others go on", async () => {
  const besieged = await besiegeHub();
  onTestFinished(() => besieged.close());
  const { url, home } = besieged.hub;
  const bystander = await startBystander(besieged);
  const tally = startTally(
    "hosting",
    "everything that a revoked token had opened, and the token once more, by id and by subject",
    "ended",
  );
  for (const by of ["id", "subject"]) {
    const claims = { secret, issuer, subject: "mallory" };
    const [agentToken, pageToken] = [
      await signAgentToken({ ...claims, id: `agent-${by}` }),
      await signPageToken({ ...claims, id: `page-${by}` }),
    ];
    const door = { url, token: agentToken };
    const page = await connectPage(url, { token: pageToken });
    const agent = await connectAgent(url, { token: agentToken });
    const silent = await openAgent(url, { headerToken: agentToken });
    const app = await signIn(door, agentToken);
    const ofApp = await connectAgent(url, { token: app });
    const session = await openSession(door);
    const stream = sendRaw(door, modern("subscriptions/listen", { notifications: { toolsListChanged: true } }));
    await stream.next();
    const revoke = async (...words: readonly string[]) => {
      const { code, text } = await runCommand(["token", "revoke", ...words], { home });
      expect([code, text], text).toEqual([0, expect.any(String)]);
    };
    if (by === "subject") await revoke("--subject", "mallory");
    else for (const id of [`agent-${by}`, `page-${by}`]) await revoke("--id", id);
    for (const [name, peer] of Object.entries({
      page,
      agent,
      "an agent before its hello": silent,
      "a page that signed in": ofApp,
    }))
      tally.add(`${name}, ${by}`, (await peer.closeName()) === "token-expired" ? "ended" : "open");
    tally.add(
      `a stream, ${by}`,
      await stream.next().then(
        () => "ended",
        () => "ended",
      ),
    );
    const [request, upgrade, inFrame] = await answersTo(besieged.hub, agentToken);
    for (const answer of [request, upgrade, inFrame, (await answersTo(besieged.hub, pageToken))[3]])
      tally.add(`again, ${by}`, answer === "open" ? "open" : "ended");
    tally.add(`a session, ${by}`, (await session.request("tools/list").whole()).status === 401 ? "ended" : "open");
    tally.add(
      `a sign-in, ${by}`,
      (await askOwn(door, "GET /api/app", { token: app })).status === 401 ? "ended" : "open",
    );
  }
  await bystander.expectUnharmed();
  tally.close();
});

test("H24: a token that ends is over for an agent that has not said hello yet, too", async () => {
  const besieged = await besiegeHub();
  onTestFinished(() => besieged.close());
  const token = await signAgentToken({ secret, issuer, subject: "mallory", expiresIn: 2 });
  const silent = await openAgent(besieged.hub.url, { headerToken: token });
  const tally = startTally(
    "hosting",
    "a socket that was opened with a token which then ends, and says no hello",
    "token-expired",
  );
  tally.add("an agent before its hello", await silent.closeName());
  tally.close();
});

test("H10: a rotated token ends what it let in, and opens nothing again, however it is brought", async () => {
  const hub = await startLocalHub();
  onTestFinished(() => hub.close());
  const tally = startTally("hosting", "everything that a rotated token had opened, and the token once more", "ended");
  const agent = await connectAgent(hub.url, { token: hub.token });
  const silent = await openAgent(hub.url, { headerToken: hub.token });
  const app = await signIn(hub, hub.token);
  const ofApp = await connectAgent(hub.url, { token: app });
  const session = await openSession(hub);
  expect((await runCommand(["token", "rotate"], { home: hub.home })).code).toBe(0);
  for (const [name, peer] of Object.entries({
    agent,
    "an agent before its hello": silent,
    "a page that signed in": ofApp,
  }))
    tally.add(name, (await peer.closeName()) === undefined ? "open" : "ended");
  for (const token of [hub.token, app]) {
    const [request, upgrade, inFrame] = await answersTo(hub, token);
    for (const answer of [request, upgrade, inFrame]) tally.add("again", answer === "open" ? "open" : "ended");
  }
  tally.add("a session", (await session.request("tools/list").whole()).status === 401 ? "ended" : "open");
  tally.close();
});
