import { expect, test } from "vitest";
import { recordFault } from "../../../../test/support/record-fault.ts";
import { startHub } from "../../hub.test-helper.ts";
import type { TestHub } from "../../hub.test-helper.ts";
import { connectClient, connectOlderClient } from "./mcp-client.test-helper.ts";
import type { Revision } from "./mcp-client.test-helper.ts";
import { connectMcpPage, toolOf } from "./mcp-page.test-helper.ts";
import type { PageCall } from "./mcp-page.test-helper.ts";
import { modern, openSession, sendRaw } from "./raw-mcp.test-helper.ts";
import type { RpcMessage } from "./raw-mcp.test-helper.ts";

interface Marks {
  readonly for: string;
  readonly call: number;
}

const logs = { "io.modelcontextprotocol/logLevel": "debug" };
const tabs = [0, 1, 2, 3, 4];
const steps = 4;

/** Says whom it answers with everything that it says, a little at a time, so that calls mix. */
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

async function connectPages(hub: TestHub): Promise<void> {
  for (const tab of tabs) {
    const offer = { tools: [toolOf(`work${tab}`)] };
    await connectMcpPage(hub, { app: `app${tab}`, tab: `tab${tab}`, offer, handle: answerInSteps });
  }
}

type Hear = (said: unknown) => void;

/** One caller: calls a tool, and lets `hear` know of all that it is told meanwhile. */
type Caller = (params: { name: string; arguments: { for: string; call: number } }) => Promise<unknown>;

async function older(hub: TestHub, hear: Hear): Promise<Caller> {
  const client = await connectOlderClient(hub);
  client.fallbackNotificationHandler = async ({ params }) => hear(params?.["data"]);
  const onprogress = ({ message }: { message?: string | undefined }) => hear(message);
  return async (params) => (await client.callTool(params, undefined, { onprogress })).content;
}

const newer =
  (revision: Revision) =>
  async (hub: TestHub, hear: Hear): Promise<Caller> => {
    const client = await connectClient(hub, { revision });
    client.setNotificationHandler("notifications/message", ({ params }) => hear(params.data));
    const onprogress = ({ message }: { message?: string | undefined }) => hear(message);
    return async (params) => (await client.callTool({ ...params, _meta: logs }, { onprogress })).content;
  };

test("M80: two sessions and four callers without one, of both SDKs and with equal ids, are told of their own calls alone", async () => {
  const hub = await startHub();
  await connectPages(hub);
  const stateless = newer("2026-07-28");
  const kinds = [older, newer("2025-11-25"), stateless, stateless, stateless, stateless];
  const calls = 40;
  let count = 0;
  const wholes = kinds.map(async (connect, index) => {
    const whom = `c${index}`;
    const heard: string[] = [];
    const call = await connect(hub, (said) => void heard.push(String(said)));
    const ends = Array.from({ length: calls }, async (_, number) => {
      const name = `work${(index + number) % tabs.length}`;
      const content = await call({ name, arguments: { for: whom, call: number } });
      expect(content).toEqual([{ type: "text", text: `${whom} ${number} ${name}` }]);
    });
    await Promise.all(ends);
    expect(heard.filter((said) => !said.startsWith(`${whom} `))).toEqual([]);
    // Progress and logs: everybody hears all of both.
    expect(heard).toHaveLength(calls * 2 * steps);
    count += heard.length + calls;
  });
  await Promise.all(wholes);
  recordFault("mcp", {
    fault: "Two sessions and four stateless callers, of both SDKs, call 5 tabs at once with equal ids",
    expected: "everybody hears all of its own calls and nothing else",
    observed: "everybody hears all of its own calls and nothing else",
    count,
  });
});

test("M80: callers whose requests have the same id, token and name at the same time get each their own answer", async () => {
  const hub = await startHub();
  await connectPages(hub);
  const sessions = [await openSession(hub), await openSession(hub, { version: "2025-06-18" })];
  let count = 0;
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
      for (const message of messages) expect(textIn(message)).toBe(`c${caller} ${round} ${name}`);
      expect(messages.at(-1)?.id).toBe(7);
      expect(messages).toHaveLength(1 + 2 * steps);
      count += messages.length;
    });
    await Promise.all(whole);
  }
  recordFault("mcp", {
    fault: "Six callers at once send the same request id and progress token, by hand, to 5 tabs",
    expected: "each message goes to the caller it is for",
    observed: "each message goes to the caller it is for",
    count,
  });
});

/** The words of the page in a message. */
function textIn({ params, result }: RpcMessage): unknown {
  return params?.["message"] ?? params?.["data"] ?? (result?.["content"] as { text: string }[] | undefined)?.[0]?.text;
}
