import { beforeEach, expect, test } from "vitest";
import { PagewireError, closeReason, cutOff, errorCodes } from "../wire/index.ts";
import type { HubClientState } from "./hub-client.ts";
import { createScriptedHub, failureOf, welcome } from "./scripted-hub.test-helper.ts";
import type { ScriptedHub } from "./scripted-hub.test-helper.ts";

let hub: ScriptedHub;

beforeEach(() => {
  hub = createScriptedHub();
});

async function answer(): Promise<Record<string, unknown>> {
  return {};
}

test("a client first sends its identity, and is connected once the hub has welcomed it", async () => {
  const options = { bearer: () => "secret", session: "s1", onAsk: { "elicitation/create": answer } };
  const connecting = hub.begin(options as never);
  await hub.clock.advance(0);
  const [hello] = hub.end.heard("hello");
  expect(hello).toMatchObject({
    versions: [1],
    token: "secret",
    session: "s1",
    agent: { name: "tester", version: "1.0" },
    asks: ["elicitation/create"],
  });
  await hub.end.say(welcome);
  const client = await connecting;
  expect(client.state).toEqual({ status: "connected", message: "Connected to the hub at http://hub.test." });
});

test("two clients have different sessions by default, and offer only the questions that they can answer", async () => {
  await hub.connect();
  await hub.connect();
  const hellos = hub.ends.flatMap((end) => end.heard("hello"));
  expect(new Set(hellos.map(({ session }) => session)).size).toBe(2);
  expect(hellos[0]).not.toHaveProperty("asks");
});

test("without a hub connecting fails with the address, the reason and advice", async () => {
  hub.isDown = true;
  const error = await failureOf(hub.begin());
  expect(error.code).toBe("hub-unreachable");
  expect(error.message).toBe("No hub answers at http://hub.test (ECONNREFUSED). Start it with: npx pagewire");
  expect(hub.clock.pending).toBe(0);
});

test.each([
  ["token-invalid", "This is not the hub's token.", undefined, "This is not the hub's token."],
  ["origin-not-allowed", "Not yet.", "pagewire allow http://a", "Not yet. Put it right with: pagewire allow http://a"],
  ["something-new", "Said a newer hub.", undefined, "Said a newer hub."],
])("a hub that refuses with %s is heard", async (...[code, message, command, expected]) => {
  const failure = failureOf(hub.begin());
  await hub.clock.advance(0);
  await hub.end.say({ type: "refused", code, message, ...(command === undefined ? {} : { command }) });
  await hub.end.close(closeReason("internal-error"));
  const error = await failure;
  expect([error.code, error.message]).toEqual([code === "something-new" ? "internal-error" : code, expected]);
  expect(hub.clock.pending).toBe(0);
});

test("a hub that closes with a code but no reason is understood too", async () => {
  const failure = failureOf(hub.begin());
  await hub.clock.advance(0);
  await hub.end.close(closeReason("token-invalid"));
  expect((await failure).message).toBe(errorCodes["token-invalid"]);
});

test("a server that answers but sends no welcome is not a hub", async () => {
  const silent = failureOf(hub.begin());
  await hub.clock.advance(10_000);
  const hangsUp = failureOf(hub.begin());
  await hub.clock.advance(0);
  await hub.end.close(cutOff);
  for (const error of await Promise.all([silent, hangsUp])) {
    expect([error.code, error.message]).toEqual([
      "hub-unreachable",
      "Something answers at http://hub.test, but not as a hub.",
    ]);
  }
  const chatters = failureOf(hub.begin());
  await hub.clock.advance(0);
  await hub.end.sayRaw("HTTP/1.1 400 Bad Request");
  const acts = failureOf(hub.begin());
  await hub.clock.advance(0);
  await hub.end.say({ type: "changed" });
  for (const error of await Promise.all([chatters, acts])) expect(error.code).toBe("frame-malformed");
  expect(hub.clock.pending).toBe(0);
});

test("a hub of another version of the wire is refused, with advice", async () => {
  const failure = failureOf(hub.begin());
  await hub.clock.advance(0);
  await hub.end.say({ ...welcome, version: 99 });
  const error = await failure;
  expect([error.code, error.message.endsWith("Update it.")]).toEqual(["version-unsupported", true]);
  expect(hub.end.closing?.code).toBe(4002);
});

test("a lost connection is made again, and every state has a message", async () => {
  const client = await hub.connect();
  const states: HubClientState[] = [];
  const stop = client.onState((state) => states.push(state));
  await hub.end.close(cutOff);
  hub.isDown = true;
  await hub.clock.advance(500);
  hub.isDown = false;
  await hub.takeBack();
  expect(states).toEqual([
    {
      status: "reconnecting",
      code: "hub-unreachable",
      message: "Trying again in 1 s: The connection to the hub was lost.",
      retryIn: 500,
    },
    {
      status: "reconnecting",
      code: "hub-unreachable",
      message: "Trying again in 1 s: No hub answers at http://hub.test (ECONNREFUSED). Start it with: npx pagewire",
      retryIn: 1000,
    },
    { status: "connected", message: "Connected to the hub at http://hub.test." },
  ]);
  stop();
  client.close();
  expect(states).toHaveLength(3);
});

test("heartbeats are answered", async () => {
  await hub.connect();
  for (let beat = 1; beat <= 3; beat++) {
    await hub.clock.advance(15_000);
    await hub.end.say({ type: "heartbeat" });
    expect(hub.end.heard("heartbeat")).toHaveLength(beat);
  }
  expect(hub.ends).toHaveLength(1);
});

test("a hub without a heartbeat for two and a half intervals is left, and tried again", async () => {
  const client = await hub.connect();
  await hub.end.say({ type: "heartbeat" });
  await hub.clock.advance(37_499);
  expect(hub.end.closing).toBeUndefined();
  await hub.clock.advance(1);
  expect(hub.end.closing?.code).toBe(4022);
  expect(client.state).toMatchObject({ status: "reconnecting", code: "heartbeat-missed" });
  await hub.takeBack();
  expect(client.state.status).toBe("connected");
});

test("a hub that is stopping is tried again within the time that it gives", async () => {
  const client = await hub.connect({ random: () => 0.5 });
  await hub.end.say({ type: "goaway", within: 5000 });
  expect(client.state.status).toBe("connected");
  await hub.end.close(closeReason("going-away"));
  expect(client.state).toEqual({
    status: "reconnecting",
    code: "going-away",
    message: "Trying again in 3 s: The hub is stopping.",
    retryIn: 2500,
  });
  await hub.clock.advance(2499);
  expect(hub.ends).toHaveLength(1);
  await hub.clock.advance(1);
  expect(hub.ends).toHaveLength(2);
});

test("a client that the hub refuses for good stops trying, reports why, and ends waiting calls", async () => {
  const client = await hub.connect();
  const outcome = client.call({ name: "t", key: "k" });
  const tabs = failureOf(client.tabs());
  await hub.end.say({ type: "refused", code: "token-expired", message: "Connect again." });
  await hub.end.close(closeReason("token-expired"));
  expect(client.state).toMatchObject({ status: "reconnecting", code: "token-expired" });
  await hub.clock.advance(500);
  await hub.end.say({ type: "refused", code: "token-invalid", message: "This is not the hub's token." });
  await hub.end.close(closeReason("token-invalid"));
  expect(client.state).toEqual({ status: "refused", code: "token-invalid", message: "This is not the hub's token." });
  expect(await outcome).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
  expect((await tabs).code).toBe("token-invalid");
  expect(await client.call({ name: "t", key: "k2" })).toMatchObject({ outcome: "not-delivered", ran: "no" });
  expect((await failureOf(client.tabs())).code).toBe("token-invalid");
  expect(hub.clock.pending).toBe(0);
});

test("a client of somebody whom an admin has blocked stops trying, and says why", async () => {
  const client = await hub.connect();
  await hub.end.close(closeReason("token-expired"));
  await hub.clock.advance(500);
  const message = "An admin of your organisation has blocked your access to this hub.";
  await hub.end.say({ type: "refused", code: "option-refused", message });
  await hub.end.close(closeReason("token-invalid", "option-refused"));
  expect(client.state).toEqual({ status: "refused", code: "option-refused", message });
  expect(hub.clock.pending).toBe(0);
});

test("a temporary refusal leads to a retry", async () => {
  const client = await hub.connect();
  await hub.end.close(cutOff);
  await hub.clock.advance(500);
  await hub.end.say({ type: "refused", code: "sockets-too-many", message: "Too many." });
  await hub.end.close(closeReason("sockets-too-many"));
  expect(client.state).toMatchObject({ status: "reconnecting", code: "sockets-too-many" });
  await hub.takeBack();
  expect(client.state.status).toBe("connected");
});

test("a closed client leaves, ends waiting calls, does nothing more, and may be closed again", async () => {
  const client = await hub.connect();
  const outcome = client.call({ name: "t" });
  const tabs = failureOf(client.tabs());
  client.close();
  client.close();
  expect(client.state.status).toBe("closed");
  expect(await outcome).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
  expect((await tabs).code).toBe("cancelled");
  expect(await client.call({ name: "t" })).toMatchObject({ outcome: "not-delivered" });
  await hub.clock.advance(600_000);
  expect([hub.ends.length, hub.end.closing?.code, hub.clock.pending]).toEqual([1, 1000, 0]);
});

test("a client can be closed while it waits for its hub", async () => {
  const client = await hub.connect();
  await hub.end.close(cutOff);
  client.close();
  await hub.clock.advance(600_000);
  expect([hub.ends.length, client.state.status, hub.clock.pending]).toEqual([1, "closed", 0]);
});

test("listeners that throw are reported and do not affect others", async () => {
  const errors: unknown[] = [];
  const client = await hub.connect({ onError: (error, { stage }) => errors.push([stage, error]) });
  const heard: string[] = [];
  const failure = new PagewireError("internal-error", "listener");
  client.onChange(() => {
    throw failure;
  });
  client.onChange(() => heard.push("changed"));
  await hub.end.say({ type: "changed" });
  expect([errors, heard]).toEqual([[["listener", failure]], ["changed"]]);
});
