// A hostile page beside a model that obeys it.
import { once } from "node:events";
import { signAgentToken } from "pagewire/hub";
import { WebSocket } from "ws";
import { openPage, sendOffer, settled } from "./peers.ts";
import type { Target } from "./peers.ts";

/** A pattern that a backtracking engine tries for longer than anybody lives, and what it is tried on. */
const inputSchema = { type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" } } };
const text = `${"a".repeat(48)}!`;
const order = `call .work ${JSON.stringify({ text })}`;

/** How long the model is kept at work, in ms. */
const floodTime = 6000;

/** Conversations of one user whose model calls a page's tool with what the tool's pattern stumbles over, again and again. */
export async function floodWithPatterns(target: Target, count: number): Promise<void> {
  const page = await openPage(target, "eve", '{"content":[{"type":"text","text":"done"}]}');
  const tool = { name: "work", inputSchema, annotations: { readOnlyHint: true } };
  sendOffer(page, JSON.stringify({ tools: [tool] }));
  await settled(page);
  let calls = 0;
  page.on("message", (frame: Buffer) => (calls += frame.includes('"type":"call"') ? 1 : 0));
  const end = performance.now() + floodTime;
  await Promise.all(Array.from({ length: count }, (_, at) => converse(target, { client: `client-${at}`, end })));
  if (calls === 0) throw new Error("The model did not call the hostile page's tool.");
}

interface Talk {
  readonly client: string;
  /** When it is over. */
  readonly end: number;
}

async function converse({ port, secret }: Target, { client, end }: Talk): Promise<void> {
  const token = await signAgentToken({ secret, subject: "eve" });
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ai-agent`, { headers: { Authorization: `Bearer ${token}` } });
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "sync", pagewire: { client } }));
  for (let count = 0; performance.now() < end; count++) {
    const id = `call-${count}`;
    const answered = new Promise<string>((resolve, reject) => {
      const look = (data: Buffer) => {
        const message = data.toString();
        if (!message.includes(`"${id}"`)) return;
        socket.off("message", look);
        resolve(message);
      };
      socket.on("message", look);
      socket.once("close", () => reject(new Error("The hub closed a conversation.")));
    });
    socket.send(JSON.stringify({ type: "cmd", id, name: "send", args: [order, { tools: "page" }] }));
    const answer = await answered;
    socket.send(JSON.stringify({ type: "got", ids: [id] }));
    if (!answer.includes("done")) throw new Error(`A conversation ended otherwise than wanted: ${answer}`);
    socket.removeAllListeners("close");
  }
  socket.terminate();
}
