// Pages and agents by hand, honest ones and others, at a hub in jwt mode.
import { once } from "node:events";
import { signAgentToken, signPageToken } from "pagewire/hub";
import { WebSocket } from "ws";

/** A hub's address, and the secret that signs its tokens. */
export interface Target {
  readonly port: number;
  readonly secret: string;
}

const tool = { name: "read", inputSchema: { type: "object" } };
export const smallOffer = JSON.stringify({ tools: [tool] });
const largeResult = JSON.stringify({ content: [{ type: "text", text: "x".repeat(1_000_000) }] });

interface Hello {
  readonly path: "/page" | "/agent";
  readonly hello: object;
}

/** Resolves when the hub has welcomed or refused it. */
async function open({ port }: Target, { path, hello }: Hello, onFrame?: (frame: Buffer) => void): Promise<WebSocket> {
  const url = `ws://127.0.0.1:${port}${path}`;
  const socket = new WebSocket(url, { origin: `http://127.0.0.1:${port}`, perMessageDeflate: false });
  socket.on("error", () => {});
  if (onFrame) socket.on("message", onFrame);
  await once(socket, "open");
  socket.send(JSON.stringify(hello));
  await once(socket, "message");
  return socket;
}

/** A page of this user, which says what it offers when that is sent; it answers each call with this, or with 1 MB. */
export async function openPage(target: Target, subject: string, answer = largeResult): Promise<WebSocket> {
  const token = await signPageToken({ secret: target.secret, subject });
  const hello = { type: "hello", versions: [1], tab: crypto.randomUUID(), app: "bench", focused: false, running: [] };
  const socket: WebSocket = await open(target, { path: "/page", hello: { ...hello, token } }, (frame) => {
    const { type, id } = JSON.parse(frame.toString().split("\n", 1)[0] ?? "") as { type: string; id: string };
    if (type !== "call") return;
    socket.send(JSON.stringify({ type: "ack", id }));
    socket.send(`${JSON.stringify({ type: "result", id })}\n${answer}`);
  });
  return socket;
}

export async function openAgent(target: Target, subject: string): Promise<WebSocket> {
  const token = await signAgentToken({ secret: target.secret, subject });
  return open(target, {
    path: "/agent",
    hello: { type: "hello", versions: [1], agent: { name: "bench", version: "1" }, token },
  });
}

export function sendOffer(page: WebSocket, offer: string): void {
  page.send(`{"type":"offer"}\n${offer}`);
}

export function sendCall(agent: WebSocket, id: string): void {
  agent.send(`${JSON.stringify({ type: "call", id, method: "tools/call", name: "read" })}\n{}`);
}

/** Resolves when the hub has taken all that was sent, or has closed the socket. */
export async function settled(socket: WebSocket): Promise<void> {
  if (socket.readyState !== WebSocket.OPEN) return;
  socket.ping();
  await Promise.race([once(socket, "pong"), once(socket, "close")]);
}
