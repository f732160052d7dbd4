import { createServer } from "node:http";
import type { Socket } from "node:net";
import { WebSocketServer } from "ws";
import { listen } from "../hubs/listen.ts";
import type { Row, RowFamily } from "../harness/row.ts";
import { round } from "../harness/statistics.ts";
import { answerOf } from "../streams/answer.ts";
import { floorWay, pagewireWay, plainWay } from "../streams/remote-ways.ts";
import type { RemoteStreaming, RemoteWay } from "../streams/remote-ways.ts";

const row = "remote-stream";
const period = 20;
const mostPerByte = 5;

const words = [" lamps", " boats", " tides", " ropes", " gulls", " piers", " winds"];

const about = `An answer that a core on a server gets from a model, 24,000 characters in deltas of 6 bytes, one every 20 ms, and
brings to a client by WebSocket. Clock, timers and sockets are real. Bytes are all that the server's socket wrote from the
handshake on, when the client had the whole text, the history with it, and the outcome of its call.

- **floor**: each delta is a message, and nothing else is sent. **pagewire**: \`createShellSessions\` and
  \`connectRemoteCore\`, which agree on sending only what was added.
- **plain protocol**: wc-bindable's own messages, as any other client or server speaks them: every change is the whole value.`;

/** Bytes to a client while an answer streams. */
export const remoteStream: RowFamily = {
  row,
  title: "An answer streamed from a server's core",
  about,
  async measure({ quick }) {
    const tokens = Array.from({ length: quick ? 100 : 4000 }, (_, index) => words[index % words.length] ?? "");
    const streaming = { tokens, answer: answerOf("openai", tokens), period };
    const ways = { floor: floorWay, pagewire: pagewireWay, "plain protocol": plainWay };
    const found = await Promise.all(
      Object.entries(ways).map(async ([name, way]) => [name, await bytesDown(way(streaming), streaming)] as const),
    );
    return rowsOf(Object.fromEntries(found), streaming.answer.text.length);
  },
};

/** The bytes that the server's socket wrote until the client had the whole answer. */
async function bytesDown({ serve, ask }: RemoteWay, { answer }: RemoteStreaming): Promise<number> {
  const server = createServer();
  const sockets: Socket[] = [];
  server.on("connection", (socket) => sockets.push(socket));
  new WebSocketServer({ server, perMessageDeflate: false }).on("connection", serve);
  const { port } = await listen(server);
  try {
    const text = await ask(`ws://127.0.0.1:${port}/`);
    if (text !== answer.text) throw new Error(`The client has ${text.length} of ${answer.text.length} characters.`);
    return sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
  } finally {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
}

function rowsOf(found: Readonly<Record<string, number>>, textLength: number): readonly Row[] {
  const size = `${textLength.toLocaleString("en")} characters`;
  const rowOf = (metric: string, unit: number, bar: number | null): Row => {
    const figures = Object.entries(found).map(([name, bytes]) => [name, round(bytes / unit)] as const);
    const { pagewire = NaN, floor = NaN, ...peers } = Object.fromEntries(figures);
    return { row, size, metric, pagewire, floor, peers, ratio: null, bar, met: bar === null ? null : pagewire <= bar };
  };
  return [rowOf("bytes down", 1, null), rowOf("bytes down per byte of text", textLength, mostPerByte)];
}
