// The agent's window by hand: what its hub calls goes to the app that opened it, and the answer back.
import { query } from "./query.ts";

interface HubCall {
  readonly request_id: string;
  readonly tool_name: string;
  readonly arguments: object;
}

interface AppMessage {
  readonly type: string;
  readonly payload: { readonly call_id: string; readonly success: boolean; readonly result: unknown };
}

const app = query.get("app") ?? "";
const socket = new WebSocket(`ws://127.0.0.1:${query.get("hub")}/`);
const post = query.get("way") === "port" ? openPort() : openPlain();

socket.onmessage = ({ data }: MessageEvent<string>) => {
  const { request_id: call_id, tool_name, arguments: given } = JSON.parse(data) as HubCall;
  post({ type: "tool_call", payload: { call_id, tool_name, arguments: given } });
};

function openPort(): (message: object) => void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }: MessageEvent<AppMessage>) => take(data);
  postToApp({ type: "port" }, [port2]);
  return (message) => port1.postMessage(message);
}

function openPlain(): (message: object) => void {
  addEventListener("message", ({ data, origin }: MessageEvent<AppMessage>) => {
    if (origin === app) take(data);
  });
  return postToApp;
}

function postToApp(message: object, ports: Transferable[] = []): void {
  (opener as Window).postMessage(message, app, ports);
}

function take({ type, payload }: AppMessage): void {
  if (type !== "tool_response") return;
  const { call_id: request_id, ...response } = payload;
  socket.send(JSON.stringify({ type, request_id, response }));
}
