// AWS's event stream (application/vnd.amazon.eventstream) as server-sent events. Knows frames and headers; the one event that
// holds another in base64 is opened, and failures are errors with their HTTP status.
import { loose, parse, textOf } from "./read.ts";

/** Max bytes of a frame. */
const frameLimit = 16 * 1024 * 1024;
/** Both lengths, their checksum, and the checksum of the frame. */
const overhead = 16;

/** The response with an event stream as server-sent events; any other as it is. */
export function asServerSentEvents(response: Response): Response {
  if (!response.body || !/vnd\.amazon\.eventstream/i.test(response.headers.get("content-type") ?? "")) return response;
  const headers = { "Content-Type": "text/event-stream" };
  return new Response(response.body.pipeThrough(createFrameReader()), { status: response.status, headers });
}

function createFrameReader(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let pieces: Uint8Array[] = [];
  let held = 0;
  /** Of the frame that comes; unknown until its beginning is there. */
  let wanted = overhead;
  return new TransformStream({
    transform(piece, controller) {
      pieces.push(piece);
      held += piece.length;
      while (held >= wanted) {
        const bytes = joined(pieces, held);
        const length = lengthOf(bytes);
        if (held >= length) controller.enqueue(encoder.encode(readFrame(bytes.subarray(0, length))));
        const rest = held >= length ? bytes.subarray(length) : bytes;
        wanted = held >= length ? overhead : length;
        pieces = [rest];
        held = rest.length;
      }
    },
  });
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (pieces.length === 1 && pieces[0]) return pieces[0];
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function lengthOf(bytes: Uint8Array): number {
  const view = viewOf(bytes);
  const length = view.getUint32(0);
  if (crc32(bytes.subarray(0, 8)) !== view.getUint32(8)) throw new Error("The event stream is damaged.");
  if (length < overhead || length > frameLimit || view.getUint32(4) > length - overhead)
    throw new Error(`The event stream has a frame of ${length} bytes.`);
  return length;
}

/** Server-sent events; empty for a frame that is not an event. */
function readFrame(frame: Uint8Array): string {
  const view = viewOf(frame);
  const end = frame.length - 4;
  if (crc32(frame.subarray(0, end)) !== view.getUint32(end)) throw new Error("The event stream is damaged.");
  const start = 12 + view.getUint32(4);
  const headers = readHeaders(frame.subarray(12, start));
  const text = new TextDecoder().decode(frame.subarray(start, end));
  if (headers[":message-type"] !== "event") return failureEvent(headers, text);
  const inner = textOf(loose(parse(text))?.bytes);
  return headers[":event-type"] === "chunk" ? chunkEvent(inner) : sseEvent(headers[":event-type"] ?? "", text);
}

function chunkEvent(base64: string): string {
  const text = new TextDecoder().decode(Uint8Array.from(atob(base64), (one) => one.charCodeAt(0)));
  return sseEvent(textOf(loose(parse(text))?.type), text);
}

const statuses: Readonly<Record<string, number>> = {
  internalServerException: 500,
  modelStreamErrorException: 424,
  modelTimeoutException: 408,
  serviceUnavailableException: 503,
  throttlingException: 429,
  validationException: 400,
};

function failureEvent(headers: Readonly<Record<string, string>>, text: string): string {
  const type = headers[":exception-type"] ?? headers[":error-code"] ?? "error";
  const message = textOf(loose(parse(text))?.message) || headers[":error-message"] || type;
  const code = Object.hasOwn(statuses, type) ? statuses[type] : undefined;
  return sseEvent("error", JSON.stringify({ error: { type, message, code } }));
}

function sseEvent(name: string, data: string): string {
  // JSON has no line ends of its own, unless it is written in lines.
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}`);
  return [`event: ${name.replace(/[\r\n]/g, "")}`, ...lines, "", ""].join("\n");
}

/** The length of a value by its type; a string and bytes have a length of their own. */
const sizes = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];

/** Only texts are kept: none of the others says anything here. */
function readHeaders(bytes: Uint8Array): Record<string, string> {
  const view = viewOf(bytes);
  const decoder = new TextDecoder();
  const headers: Record<string, string> = {};
  for (let at = 0; at < bytes.length;) {
    const nameEnd = at + 1 + view.getUint8(at);
    const type = view.getUint8(nameEnd);
    const isSized = type === 6 || type === 7;
    const start = nameEnd + 1 + (isSized ? 2 : 0);
    const end = start + (isSized ? view.getUint16(nameEnd + 1) : (sizes[type] ?? bytes.length));
    if (type === 7)
      headers[decoder.decode(bytes.subarray(at + 1, nameEnd))] = decoder.decode(bytes.subarray(start, end));
    at = end;
  }
  return headers;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}
