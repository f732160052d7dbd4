// A view of a terminal without a screen: it reads everything, and reports that as a view that keeps up.
import { once } from "node:events";
import { WebSocket } from "ws";
import { agentToken } from "../harness/prepare-callers.ts";

export interface View {
  type(text: string): void;
  close(): void;
}

export interface ViewOptions {
  readonly port: number;
  /** Whether the shell is to be in tmux. */
  readonly inTmux: boolean;
  readonly onOutput: (text: string) => void;
}

export type OpenView = (options: ViewOptions) => Promise<View>;

export type ViewName = "bytes" | "text" | "pagewire";

export const views: Readonly<Record<ViewName, OpenView>> = {
  bytes: (options) => openByHand(options, createByteReader),
  text: (options) => openByHand(options, createTextReader),
  pagewire: openPagewire,
};

/** Makes text of each message. */
type CreateReader = (socket: WebSocket) => (data: Buffer) => string;

function createByteReader(): (data: Buffer) => string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return (data) => decoder.decode(data, { stream: true });
}

/** Max characters that are read before the server gets an ack. */
const seenStep = 100_000;

function createTextReader(socket: WebSocket): (data: Buffer) => string {
  let unsaid = 0;
  return (data) => {
    const text = data.toString();
    unsaid += text.length;
    if (unsaid >= seenStep) {
      socket.send(`s${unsaid}`);
      unsaid = 0;
    }
    return text;
  };
}

async function openByHand({ port, onOutput }: ViewOptions, createReader: CreateReader): Promise<View> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { perMessageDeflate: false });
  const read = createReader(socket);
  socket.on("message", (data: Buffer) => onOutput(read(data)));
  await once(socket, "open");
  return { type: (text) => socket.send(`i${text}`), close: () => socket.terminate() };
}

interface Frame {
  readonly type: string;
  readonly at: number;
  readonly tmux: boolean;
  readonly message?: string;
}

/** A view of Pagewire's terminals, by hand: frames of a header line and a payload. */
async function openPagewire({ port, inTmux, onOutput }: ViewOptions): Promise<View> {
  const origin = `http://127.0.0.1:${port}`;
  const code = await mintCode(origin);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/terminal`, { perMessageDeflate: false, origin });
  const send = (frame: object, payload?: string) =>
    socket.send(payload === undefined ? JSON.stringify(frame) : `${JSON.stringify(frame)}\n${payload}`);
  let position = 0;
  await once(socket, "open");
  const opened = new Promise<void>((resolve, reject) => {
    socket.on("close", (status, reason) => reject(new Error(`The hub closed with ${status}: ${reason.toString()}`)));
    socket.on("message", (data: Buffer) => {
      const message = data.toString();
      const end = message.indexOf("\n");
      const frame = JSON.parse(end < 0 ? message : message.slice(0, end)) as Frame;
      if (frame.type === "output") {
        const text = message.slice(end + 1);
        if (frame.at !== position) throw new Error(`Output came at ${frame.at}, and not at ${position}.`);
        position += text.length;
        onOutput(text);
        send({ type: "seen", at: position });
      } else if (frame.type === "opened") {
        position = frame.at;
        resolve();
      } else if (frame.type === "welcome") {
        if (frame.tmux !== inTmux) throw new Error(`The hub says that shells are ${frame.tmux ? "" : "not "}in tmux.`);
        send({ type: "open", columns: 80, rows: 24 });
      } else if (frame.type === "failed") {
        reject(new Error(`The hub opened no terminal: ${frame.message}`));
      }
    });
  });
  send({ type: "hello", version: 1, code });
  await opened;
  return { type: (text) => send({ type: "input" }, text), close: () => socket.terminate() };
}

async function mintCode(hub: string): Promise<string> {
  const headers = { Authorization: `Bearer ${agentToken}`, "Content-Type": "application/json" };
  const response = await fetch(`${hub}/api/shell-codes`, { method: "POST", headers, body: "{}" });
  return ((await response.json()) as { readonly code: string }).code;
}
