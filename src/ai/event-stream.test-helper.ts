// AWS's event streams, made by Node's own checksums.
import { crc32 } from "node:zlib";

function encodeHeader(name: string, value: string): Buffer {
  const size = Buffer.alloc(2);
  size.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([7]),
    size,
    Buffer.from(value),
  ]);
}

export function encodeFrame(
  headers: Readonly<Record<string, string>>,
  payload: string,
  more = Buffer.alloc(0),
): Buffer {
  const head = Buffer.concat([...Object.entries(headers).map(([name, value]) => encodeHeader(name, value)), more]);
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const whole = Buffer.concat([prelude, head, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(whole));
  return Buffer.concat([whole, checksum]);
}

/** As Converse sends them: each has its name, and padding. */
export function converseStreamOf(events: readonly (readonly [name: string, fields: object])[]): Uint8Array {
  return Buffer.concat(
    events.map(([name, fields]) =>
      encodeFrame(
        { ":event-type": name, ":content-type": "application/json", ":message-type": "event" },
        JSON.stringify({ ...fields, p: "abcdefgh" }),
      ),
    ),
  );
}

/** As a model's own events are sent: in base64. */
export function chunkStreamOf(events: readonly object[]): Uint8Array {
  return Buffer.concat(
    events.map((event) =>
      encodeFrame(
        { ":event-type": "chunk", ":content-type": "application/json", ":message-type": "event" },
        JSON.stringify({ bytes: Buffer.from(JSON.stringify(event)).toString("base64"), p: "abc" }),
      ),
    ),
  );
}

export function exceptionFrame(type: string, message: string): Uint8Array {
  return encodeFrame(
    { ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" },
    JSON.stringify({ message }),
  );
}
