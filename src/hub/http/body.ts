import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { PagewireError } from "../../wire/index.ts";

/** Refuses a request whose body is not said to be JSON: a form of any page could send it. */
export function checkJson({ headers }: Pick<IncomingMessage, "headers">, what: string): void {
  const { "content-type": type = "" } = headers;
  if (type === "application/json" || /^application\/json\s*(;|$)/i.test(type)) return;
  throw new PagewireError("request-malformed", `${what} must be sent as application/json.`);
}

/** The whole body of a request; refuses one that is larger than a limit before it is read to its end, or not UTF-8. */
export function readBody(
  request: IncomingMessage,
  most: number,
  limit: "frameBytes" | "headerBytes" = "frameBytes",
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const refuse = () =>
      reject(new PagewireError("body-too-large", `The body is larger than the limit ${limit} of ${most} bytes.`));
    if (Number(request.headers["content-length"]) > most) return refuse();
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > most) return refuse();
      chunks.push(chunk);
    });
    request.on("end", () => {
      const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      if (isUtf8(body)) resolve(body);
      else reject(new PagewireError("request-malformed", "The body is not UTF-8."));
    });
    request.on("error", (cause) => reject(new PagewireError("request-malformed", "The body ended early.", { cause })));
  });
}
