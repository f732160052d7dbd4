// Requests as raw bytes, which no well-behaved client would send.
import { connect } from "node:net";

export interface RawAnswer {
  /** Zero if the hub closed the connection without a response. */
  readonly status: number;
  readonly head: string;
  readonly body: string;
  /** After an upgrade: the hub's close code, unless it answered a ping. */
  readonly closeCode?: number;
  /** After an upgrade: the texts that the hub sent before. */
  readonly texts: readonly string[];
}

/** The lines of a WebSocket upgrade request. */
export const upgradeLines = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
];

const maskedPing = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);
const closeFrame = 8;
const pongFrame = 10;

/** Sends bytes to a hub and reads its response; after an upgrade it pings, and reads until a pong or a close. */
export function askRaw(port: number, request: string | Buffer): Promise<RawAnswer> {
  const isHead = request.toString("latin1").startsWith("HEAD ");
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    let bytes = Buffer.alloc(0);
    let pinged = false;
    const finish = (answer: RawAnswer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.on("data", (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      const head = headOf(bytes);
      if (head === undefined) return;
      const rest = bytes.subarray(head.length);
      if (statusIn(head) !== 101) {
        const length = isHead ? 0 : Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
        if (rest.length >= length) finish({ status: statusIn(head), head, body: rest.toString(), texts: [] });
        return;
      }
      if (!pinged) socket.write(maskedPing);
      pinged = true;
      const frames = framesIn(rest);
      const last = frames.find(({ opcode }) => opcode === closeFrame || opcode === pongFrame);
      if (!last) return;
      const texts = frames.filter(({ opcode }) => opcode === 1).map(({ payload }) => payload.toString());
      const closed = last.opcode === closeFrame ? { closeCode: last.payload.readUInt16BE(0) } : {};
      finish({ status: 101, head, body: "", texts, ...closed });
    });
    socket.on("error", reject);
    socket.on("close", () => resolve({ status: 0, head: "", body: "", texts: [] }));
  });
}

function headOf(bytes: Buffer): string | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  return end < 0 ? undefined : bytes.toString("latin1", 0, end + 4);
}

function statusIn(head: string): number {
  return Number(head.split(" ")[1]);
}

/** The complete frames from a server: never masked, and here never longer than 65,535 bytes. */
function framesIn(bytes: Buffer): { readonly opcode: number; readonly payload: Buffer }[] {
  const frames = [];
  let at = 0;
  while (bytes.length >= at + 4 || (bytes.length >= at + 2 && (bytes[at + 1] ?? 0) <= bytes.length - at - 2)) {
    const short = bytes[at + 1] ?? 0;
    const start = at + (short === 126 ? 4 : 2);
    const end = start + (short === 126 ? bytes.readUInt16BE(at + 2) : short);
    if (end > bytes.length) break;
    frames.push({ opcode: (bytes[at] ?? 0) & 15, payload: bytes.subarray(start, end) });
    at = end;
  }
  return frames;
}
