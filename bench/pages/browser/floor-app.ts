// An app with an agent's window by hand: the messages of the protocol, and no check but of the origin. It takes the port
// that the floor's window may bring.
import { answerTo } from "../answers.ts";
import type { ToolArguments } from "../answers.ts";
import { toolsForWindow } from "../offered-tools.ts";
import { query } from "./query.ts";

interface ToolCall {
  readonly type: string;
  readonly payload: { readonly call_id: string; readonly arguments: ToolArguments };
}

const { origin, href } = new URL(query.get("agent") ?? "");
const agent = open(href, "_blank", "popup,width=400,height=600");
let isCalled = false;

addEventListener("message", ({ data, origin: from, ports: [port] }: MessageEvent<ToolCall>) => {
  if (from !== origin) return;
  if (port) port.onmessage = (event: MessageEvent<ToolCall>) => take(event.data, (answer) => port.postMessage(answer));
  else take(data, say);
});

function say(message: object): void {
  agent?.postMessage(message, origin);
}

function take({ type, payload }: ToolCall, answer: (message: object) => void): void {
  if (type !== "tool_call") return;
  isCalled = true;
  const { call_id, arguments: given } = payload;
  answer({ type: "tool_response", payload: { call_id, success: true, result: answerTo(given) } });
}

setInterval(() => {
  say({ type: "ping", payload: { timestamp: Date.now() } });
  if (isCalled) return;
  say({ type: "tools_list", payload: { tools: toolsForWindow() } });
  // The hub's model receives the tools with a prompt.
  say({ type: "inject_message", payload: { message: "Begin.", autoSend: true } });
}, 1000);
