import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { PagewireError } from "../../wire/index.ts";

/** The whole body of a request; refuses one that is larger than allowed before it is read to its end, or not UTF-8. */
export async function readBody(request: IncomingMessage, most: number): Promise<Buffer> {
  const body = await readBytes(request, most);
  if (isUtf8(body)) return body;
  throw new PagewireError("request-malformed", "The body is not UTF-8.");
}

function readBytes(request: IncomingMessage, most: number): Promise<Buffer> {
  const tooLarge = () =>
    new PagewireError("body-too-large", `The body is larger than the limit frameBytes of ${most} bytes.`);
  return new Promise((resolve, reject) => {
    if (Number(request.headers["content-length"]) > most) return reject(tooLarge());
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > most) return reject(tooLarge());
      chunks.push(chunk);
    });
    request.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on("error", reject);
    request.on("aborted", () => reject(new PagewireError("request-malformed", "The body ended early.")));
  });
}
