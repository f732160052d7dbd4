import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { onTestFinished, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { expired, playProvider } from "../test-support/access-tokens.test-helper.ts";
import { audience, respondJson } from "../test-support/start-issuer.test-helper.ts";
import { clientSecret } from "../test-support/start-provider.test-helper.ts";

const away = (response: ServerResponse) => respondJson(response, {}, 500);

test("OA36: a token on which something rests is asked about again, and no other one is", async () => {
  let said: unknown = {};
  const { tokens, questions, time, logged } = await playProvider((token) => (token === "open" ? said : {}));
  const [admitted] = [await tokens.verify("open"), await tokens.verify("closed")];
  const round = async () => {
    time.now += 20_000;
    const hasEnded = tokens.hasEnded(admitted);
    await tokens.askAgain();
    return hasEnded;
  };
  expect([await round(), await round()]).toEqual([false, false]);
  expect(questions).toEqual(["open", "closed", "open", "open"]);
  said = away;
  expect([await round(), await round()]).toEqual([false, false]);
  expect(logged).not.toContain("ended");
  said = { active: false };
  await round();
  expect(logged.filter((event) => event === "ended")).toHaveLength(1);
  expect(tokens.hasEnded({ ...admitted, allowed: {} })).toBe(true);
  await expect(tokens.verify("open")).rejects.toMatchObject(expired);
});

test("OA36: a token that a provider refused by mistake is good again for what comes later", async () => {
  let said: unknown = {};
  const { tokens, time } = await playProvider(() => said);
  const admitted = await tokens.verify("t");
  expect(tokens.hasEnded(admitted)).toBe(false);
  said = { active: false };
  time.now += 20_000;
  await tokens.askAgain();
  expect(tokens.hasEnded(admitted)).toBe(true);
  said = {};
  time.now += 5000;
  expect(tokens.hasEnded(await tokens.verify("t"))).toBe(false);
});

test("OA36: a token that has only expired ends nothing: what it opened goes on with the next one", async () => {
  let said: object | undefined;
  const { tokens, questions, time, logged, at } = await playProvider(() => said ?? { exp: at + 30 });
  const admitted = await tokens.verify("short");
  // The provider's clock may be ahead, then the token has already expired there.
  for (const later of [20_000, 6000, 20_000]) {
    expect(tokens.hasEnded(admitted)).toBe(false);
    time.now += later;
    await tokens.askAgain();
    said = { active: false };
  }
  expect([tokens.hasEnded(admitted), questions.length]).toEqual([false, 2]);
  expect(logged).not.toContain("ended");
  await expect(tokens.verify("short")).rejects.toMatchObject(expired);
});

test("OA36: at a hub the sockets and streams of a revoked token end within half a minute", async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  let isActive = true;
  const { issuer } = await playProvider(() => ({ active: isActive }));
  const asked = { introspection: true, clientId: "hub", clientSecret };
  const provider = { ...asked, name: "acme", issuer: issuer.issuer, audiences: [audience] };
  const hub = await startHub({ team: { secret: clientSecret, providers: [provider] } });
  const stream = await fetch(`${hub.url}/api/calls/stream`, { headers: { Authorization: "Bearer opaque" } });
  expect(stream.status).toBe(200);
  const streamEnded = stream.text().catch(() => "cut");
  const socket = new WebSocket(`${hub.url.replace("http", "ws")}/agent`);
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "hello", versions: [1], agent: { name: "a", version: "1" }, token: "opaque" }));
  await once(socket, "message");
  const closed = once(socket, "close");
  isActive = false;
  await vi.advanceTimersByTimeAsync(30_000);
  await Promise.all([closed, streamEnded]);
});
