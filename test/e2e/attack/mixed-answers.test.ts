// Many MCP clients with equal ids, tokens and names at once: none receives another's messages (CVE-2026-25536).
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectClient, connectOlderClient } from "../../../src/hub/doors/mcp/test-support/mcp-client.test-helper.ts";
import type { Revision } from "../../../src/hub/doors/mcp/test-support/mcp-client.test-helper.ts";
import { connectMcpPage, toolOf } from "../../../src/hub/doors/mcp/test-support/mcp-page.test-helper.ts";
import type { PageCall } from "../../../src/hub/doors/mcp/test-support/mcp-page.test-helper.ts";
import { modern, openSession, sendRaw } from "../../../src/hub/doors/mcp/test-support/raw-mcp.test-helper.ts";
import type { RpcMessage } from "../../../src/hub/doors/mcp/test-support/raw-mcp.test-helper.ts";
import { closeSockets } from "../../../src/hub/test-support/peer.test-helper.ts";
import { startLocalHub } from "./local-hub.test-helper.ts";
import type { LocalHub } from "./local-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

let hub: LocalHub;

beforeEach(async () => {
  hub = await startLocalHub();
  await connectPages();
});

afterEach(async () => {
  closeSockets();
  await hub.close();
});

interface Marks {
  readonly for: string;
  readonly call: number;
}

const logs = { "io.modelcontextprotocol/logLevel": "debug" };
const tabs = [0, 1, 2, 3, 4];
const steps = 4;

/** Puts the caller's mark into every message, and answers in small steps, so that calls interleave. */
async function answerInSteps(call: PageCall): Promise<void> {
  const { for: whom, call: number } = call.payload as Marks;
  const mark = `${whom} ${number}`;
  for (let step = 1; step <= steps; step++) {
    await new Promise(setImmediate);
    call.progress(step, { message: `${mark} ${call.name}` });
    call.log("warning", `${mark} ${call.name}`, mark);
  }
  call.say(`${mark} ${call.name}`);
}

async function connectPages(): Promise<void> {
  for (const tab of tabs) {
    const offer = { tools: [toolOf(`work${tab}`)] };
    await connectMcpPage(hub, { app: `app${tab}`, tab: `tab${tab}`, offer, handle: answerInSteps });
  }
}

type Hear = (said: unknown) => void;

/** One caller: calls a tool, and passes every message that it receives meanwhile to `hear`. */
type Caller = (params: { name: string; arguments: { for: string; call: number } }) => Promise<unknown>;

async function older(hear: Hear): Promise<Caller> {
  const client = await connectOlderClient(hub);
  client.fallbackNotificationHandler = async ({ params }) => hear(params?.["data"]);
  const onprogress = ({ message }: { message?: string | undefined }) => hear(message);
  return async (params) => (await client.callTool(params, undefined, { onprogress })).content;
}

const newer =
  (revision: Revision) =>
  async (hear: Hear): Promise<Caller> => {
    const client = await connectClient(hub, { revision });
    client.setNotificationHandler("notifications/message", ({ params }) => hear(params.data));
    const onprogress = ({ message }: { message?: string | undefined }) => hear(message);
    return async (params) => (await client.callTool({ ...params, _meta: logs }, { onprogress })).content;
  };

test("two sessions and four sessionless callers, of both SDKs and with equal ids, receive only their own calls", async () => {
  const stateless = newer("2026-07-28");
  const kinds = [older, newer("2025-11-25"), stateless, stateless, stateless, stateless];
  const calls = 40;
  const tally = startTally(
    "mixed answers",
    "two sessions and four stateless callers, of both SDKs, call 5 tabs at once with equal ids",
    "everybody is told all of its own calls and nothing else",
  );
  const wholes = kinds.map(async (connect, index) => {
    const whom = `c${index}`;
    const heard: string[] = [];
    const call = await connect((said) => void heard.push(String(said)));
    const ends = Array.from({ length: calls }, async (_, number) => {
      const name = `work${(index + number) % tabs.length}`;
      const content = await call({ name, arguments: { for: whom, call: number } });
      tally.add(`${whom}, call ${number}`, content, [{ type: "text", text: `${whom} ${number} ${name}` }]);
    });
    await Promise.all(ends);
    for (const said of heard) tally.add(whom, said.split(" ")[0], whom);
    // All progress and all log messages arrived at every caller.
    expect(heard).toHaveLength(calls * 2 * steps);
  });
  await Promise.all(wholes);
  tally.close();
});

test("callers whose concurrent requests have the same id, token and name each get their own answer", async () => {
  const sessions = [await openSession(hub), await openSession(hub, { version: "2025-06-18" })];
  const tally = startTally(
    "mixed answers",
    "six callers at once send the same request id and progress token, by hand, to 5 tabs",
    "each message goes to the caller it is for",
  );
  for (let round = 0; round < 60; round++) {
    const whole = Array.from({ length: 6 }, async (_, caller) => {
      const marks: Marks = { for: `c${caller}`, call: round };
      const name = `work${(caller + round) % tabs.length}`;
      const session = sessions[caller];
      const params = { name, arguments: marks };
      const sent = session
        ? session.request("tools/call", { ...params, _meta: { progressToken: "same" } }, 7)
        : sendRaw(hub, modern("tools/call", params, { id: 7, meta: { ...logs, progressToken: "same" } }));
      const { messages } = await sent.whole();
      for (const message of messages) tally.add(`c${caller}`, textIn(message), `c${caller} ${round} ${name}`);
      expect(messages.at(-1)?.id).toBe(7);
      expect(messages).toHaveLength(1 + 2 * steps);
    });
    await Promise.all(whole);
  }
  tally.close();
});

/** The page's text in a message. */
function textIn({ params, result }: RpcMessage): unknown {
  return params?.["message"] ?? params?.["data"] ?? (result?.["content"] as { text: string }[] | undefined)?.[0]?.text;
}
