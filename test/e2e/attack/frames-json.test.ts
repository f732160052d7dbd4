// Deep and huge JSON everywhere that the hub takes JSON: each ends in the answer that its kind must have.
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectAgent } from "../../../src/hub/test-support/agent.test-helper.ts";
import type { TestAgent } from "../../../src/hub/test-support/agent.test-helper.ts";
import { modern, sendRaw } from "../../../src/hub/doors/mcp/test-support/raw-mcp.test-helper.ts";
import type { WholeAnswer } from "../../../src/hub/doors/mcp/test-support/raw-mcp.test-helper.ts";
import { postTools } from "../../../src/hub/doors/window/window.test-helper.ts";
import { callTool } from "../../../src/hub/test-support/http.test-helper.ts";
import type { HttpAnswer } from "../../../src/hub/test-support/http.test-helper.ts";
import {
  connectPage,
  helloOf,
  offerOf,
  openPage,
  plainResult,
} from "../../../src/hub/test-support/page.test-helper.ts";
import type { TestPage } from "../../../src/hub/test-support/page.test-helper.ts";
import { closeSockets } from "../../../src/hub/test-support/peer.test-helper.ts";
import { errorOf } from "../../../src/hub/test-support/own.test-helper.ts";
import { besiegeHub } from "./besieged-hub.test-helper.ts";
import type { BesiegedHub } from "./besieged-hub.test-helper.ts";
import { startBystander } from "./bystander.test-helper.ts";
import type { Bystander } from "./bystander.test-helper.ts";
import { hostileValues } from "./hostile-json.test-helper.ts";
import type { HostileValue } from "./hostile-json.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

let besieged: BesiegedHub;
let bystander: Bystander;
let url: string;
let mallory: Awaited<ReturnType<BesiegedHub["door"]>>;
let page: TestPage;
let agent: TestAgent;
/** The log entry of Mallory's page in its next calls, and its answer. */
let logged: string | undefined;
let answered: string;

beforeEach(async () => {
  besieged = await besiegeHub();
  url = besieged.hub.url;
  bystander = await startBystander(besieged);
  mallory = await besieged.door("mallory");
  [logged, answered] = [undefined, plainResult];
  page = await connectPage(url, {
    token: await besieged.pageToken("mallory"),
    handle({ id }, own) {
      own.ack(id);
      if (logged !== undefined) own.send({ type: "log", id, level: "error" }, logged);
      own.result(id, answered);
    },
  });
  agent = await connectAgent(url, { token: mallory.token });
});

afterEach(async () => {
  closeSockets();
  await besieged.close();
});

const codeIn = (text: string) => (JSON.parse(text) as { error?: { code?: string } }).error?.code;

/** How a call by HTTP ended; the caller may not be able to parse the result before the outcome. */
const endOf = ({ text }: HttpAnswer) =>
  text.slice(-200).includes('"error":null,"outcome":"ok"') ? "ok" : codeIn(text);

function rpcEnd({ messages, status }: WholeAnswer): unknown {
  const last = messages.at(-1);
  return last?.error?.code ?? (last?.result ? "ok" : status);
}

const params = { name: "work", arguments: {} };
const largest = 8 * 1024 * 1024;

/** Puts a value in one place; returns the outcome, and the required one. */
type Place = (value: HostileValue, name: string) => Promise<readonly [outcome: unknown, must: unknown]>;

const places: Readonly<Record<string, Place>> = {
  async "an offer"({ text, isSound }) {
    const hostile = await openPage(url);
    hostile.send(helloOf({ tab: "hostile", token: await besieged.pageToken("mallory") }));
    await hostile.next("welcome");
    const offer = `{"tools":[{"name":"other","inputSchema":{"type":"object"},"_meta":{"x":${text}}}]}`;
    // The next offers withdraw this one and are refused themselves, so that this one's refusal, if there is one, is the first.
    for (const payload of [offer, offerOf([]), offerOf(["no name"])]) hostile.send({ type: "offer" }, payload);
    const { code } = (await hostile.next("refused")).frame;
    const must = offer.length > largest ? "offers-too-large" : isSound ? "taken" : "frame-malformed";
    return [code === "name-invalid" ? "taken" : code, must];
  },
  async "a result, read by HTTP"({ text }) {
    answered = `{"content":[],"x":${text}}`;
    return [endOf(await callTool(mallory, "work")), "ok"];
  },
  async "a result, read by MCP"({ text, isSound }) {
    // The leading space makes the hub parse the result instead of passing it on unread.
    answered = ` {"content":[],"x":${text}}`;
    return [rpcEnd(await sendRaw(mallory, modern("tools/call", params)).whole()), isSound ? "ok" : -32_603];
  },
  async "a log entry, read by MCP"({ text }) {
    logged = text;
    const meta = { "io.modelcontextprotocol/logLevel": "debug" };
    const { path, headers, body } = modern("tools/call", params, { meta });
    const accepted = { Accept: "application/json, text/event-stream", "Content-Type": "application/json" };
    const all = { ...headers, ...accepted, Authorization: `Bearer ${mallory.token}` };
    const response = await fetch(`${url}${path}`, { method: "POST", headers: all, body: JSON.stringify(body) });
    return [(await response.text()).includes('"result":{') ? "ok" : response.status, "ok"];
  },
  async "arguments, by an agent's socket"({ text }, name) {
    const { frame } = await agent.call("work", { id: encodeURIComponent(name), arguments: `{"x":${text}}` });
    return [frame.type, "result"];
  },
  async "arguments, by HTTP with a key"({ text }, name) {
    const headers = { "Idempotency-Key": encodeURIComponent(name) };
    return [endOf(await callTool(mallory, "work", { headers, body: `{"x":${text}}` })), "ok"];
  },
  async "arguments of a tool of the hub, by HTTP"({ text, isSound }) {
    const body = `{"tabId":"none","name":"work","arguments":{"x":${text}}}`;
    return [
      endOf(await callTool(mallory, "call_tab_tool", { body })),
      isSound ? "tab-not-found" : "arguments-malformed",
    ];
  },
  async "arguments, by MCP"({ text, isSound }) {
    const { body, ...request } = modern("tools/call", { name: "work", arguments: { x: "here" } });
    const sent = JSON.stringify(body).replace('"here"', () => text);
    return [rpcEnd(await sendRaw(mallory, { ...request, body: sent }).whole()), isSound ? "ok" : -32_700];
  },
  async "an agent's window's tools"({ text, isSound }) {
    const answer = await postTools(mallory, `{"tools":[{"name":"work","parameters":{"x":${text}}}]}`);
    const [, code = "taken"] = errorOf(answer);
    return [code === "schema-too-large" ? "taken" : code, isSound ? "taken" : "request-malformed"];
  },
};

test("deep and huge JSON of a page, an agent, by HTTP and by MCP ends in a named answer, and others are answered all the while", async () => {
  const tally = startTally(
    "frames",
    "deep and huge JSON in offers, results, logs, arguments and tools, by sockets, HTTP and MCP",
    "answered or refused by name; a bystander's calls all answered",
  );
  for (const [kind, value] of hostileValues()) {
    for (const [where, tried] of Object.entries(places)) {
      [logged, answered] = [undefined, plainResult];
      tally.add(`${kind} in ${where}`, ...(await tried(value, kind)));
    }
  }
  expect([page.link.open, agent.link.open]).toEqual([true, true]);
  expect((await callTool(mallory, "work")).status).toBe(200);
  expect(besieged.hub.output()).not.toContain('"level":"error"');
  await bystander.expectUnharmed();
  tally.close();
});
