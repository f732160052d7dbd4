import { expect, onTestFinished, test, vi } from "vitest";
import { heldHandler, loaded, openAgentFrame, openFrame, reload } from "./windows.test-helper.ts";

type Handler = (args: { readonly days: number }) => unknown;

const tools = [{ name: "get_sales_data", description: "Sales", parameters: { type: "object", properties: {} } }];

/** A page with another vendor's bridge, as that is specified: without ports and memory. */
function stockPage(target: Window, handler: Handler) {
  const heard: { type: string; payload?: { call_id?: string } }[] = [];
  const post = (type: string, payload: object) => target.postMessage({ type, payload }, location.origin);
  const run = async (call_id: string, args: { readonly days: number }) => {
    try {
      post("tool_response", { call_id, result: await handler(args), success: true });
    } catch (error) {
      post("tool_response", { call_id, error: (error as Error).message, success: false });
    }
  };
  const listen = ({ data, source, origin }: MessageEvent) => {
    if (source !== target || origin !== location.origin) return;
    heard.push(data);
    if (data.type === "tool_call") void run(data.payload.call_id, data.payload.arguments);
  };
  addEventListener("message", listen);
  onTestFinished(() => removeEventListener("message", listen));
  return { heard, post, offer: () => post("tools_list", { tools }) };
}

test("a framed window calls the tools of another vendor's page, with results and errors", async () => {
  const agent = await loaded(openAgentFrame().contentWindow);
  const page = stockPage(agent, ({ days }) => {
    if (days < 0) throw new Error("No such days");
    return { period: `Last ${days} days`, at: new Date(0) };
  });
  page.offer();
  await vi.waitFor(() => expect(agent.link.tools).toEqual(tools));
  const result = await agent.link.callTool("get_sales_data", { days: 30 });
  expect(result).toEqual({ period: "Last 30 days", at: "1970-01-01T00:00:00.000Z" });
  await expect(agent.link.callTool("get_sales_data", { days: -1 })).rejects.toMatchObject({ message: "No such days" });
  expect(agent.link.state).toMatchObject({ kind: "connected", via: "window" });
});

test("PL5: another vendor's page gets its pings answered, and its messages are events of the window", async () => {
  const agent = await loaded(openAgentFrame().contentWindow);
  const page = stockPage(agent, () => null);
  page.post("ping", { timestamp: 5 });
  await vi.waitFor(() => expect(page.heard).toContainEqual({ type: "pong", payload: { timestamp: 5 } }));
  page.post("inject_message", { message: "Sales?", autoSend: true });
  await vi.waitFor(() => expect(agent.injected).toEqual([{ message: "Sales?", autoSend: true }]));
});

test("PL2, PL11: another frame of the same page, and a page without an origin, are not the parent", async () => {
  const agent = await loaded(openAgentFrame().contentWindow);
  const other = await loaded(openFrame("page").contentWindow);
  const page = stockPage(agent, () => new Promise(() => {}));
  page.offer();
  await vi.waitFor(() => expect(agent.link.tools).toHaveLength(1));
  const ended = vi.fn<(result: unknown) => void>();
  void agent.link.callTool("get_sales_data", { days: 1 }, { callId: "request-1" }).then(ended, () => {});
  await vi.waitFor(() => expect(page.heard.some(({ type }) => type === "tool_call")).toBe(true));
  const forge = "(to, origin, data) => to.postMessage(data, origin)";
  const forged = { type: "tool_response", payload: { call_id: "request-1", success: true, result: "forged" } };
  (other as unknown as typeof globalThis).eval(forge)(agent, location.origin, forged);
  (other as unknown as typeof globalThis).eval(forge)(agent, location.origin, {
    type: "tools_list",
    payload: { tools: [] },
  });
  const sandbox = document.createElement("iframe");
  sandbox.sandbox.add("allow-scripts");
  sandbox.srcdoc = `<script>parent.frames[0].postMessage({ type: "ping" }, "*"); parent.postMessage("posted", "*")</script>`;
  const posted = new Promise<MessageEvent>((resolve) =>
    addEventListener("message", (event) => event.data === "posted" && resolve(event)),
  );
  document.body.append(sandbox);
  onTestFinished(() => sandbox.remove());
  expect((await posted).origin).toBe("null");
  page.post("ping", { timestamp: 9 });
  await vi.waitFor(() => expect(page.heard).toContainEqual({ type: "pong", payload: { timestamp: 9 } }));
  expect(agent.link.tools).toHaveLength(1);
  expect(ended).not.toHaveBeenCalled();
});

test("a reloaded window gets the answer of another vendor's page, and does not ask again", async () => {
  const frame = openAgentFrame();
  const agent = await loaded(frame.contentWindow);
  const { handler, answer } = heldHandler();
  const page = stockPage(agent, handler);
  page.offer();
  await vi.waitFor(() => expect(agent.link.tools).toHaveLength(1));
  void agent.link.callTool("get_sales_data", { days: 1 }, { callId: "request-2" }).catch(() => {});
  await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
  const again = await reload(agent);
  expect(again.link.tools).toHaveLength(1);
  const asked = again.link.callTool("get_sales_data", { days: 1 }, { callId: "request-2" });
  page.post("ping", {});
  answer("after the reload");
  expect(await asked).toBe("after the reload");
  expect(handler).toHaveBeenCalledOnce();
});
