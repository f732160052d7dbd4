import { createHash, createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
}

export const secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

/** The signature as AWS makes it, over the request as it came: written here a second time, by Node's own functions. */
function isSigned({ method, url = "", headers }: IncomingMessage, body: Buffer): boolean {
  const proof = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
    headers.authorization ?? "",
  );
  const [, credential = "", signed = "", signature = ""] = proof ?? [];
  const [id, date = "", region = "", service = "", end = ""] = credential.split("/");
  const sha = (data: Buffer | string) => createHash("sha256").update(data).digest("hex");
  const [address = "", query = ""] = url.split("?");
  const path = address
    .split("/")
    .map((part) => encodeURIComponent(part))
    .join("/");
  const lines = signed.split(";").map((name) => `${name}:${headers[name] as string}\n`);
  const canonical = [method, path, query, lines.join(""), signed, sha(body)].join("\n");
  const time = headers["x-amz-date"] as string;
  const text = ["AWS4-HMAC-SHA256", time, [date, region, service, end].join("/"), sha(canonical)].join("\n");
  let key: Buffer | string = `AWS4${secret}`;
  for (const each of [date, region, service, end]) key = createHmac("sha256", key).update(each).digest();
  const needed = ["host", "x-amz-date", ...(headers["x-amz-security-token"] ? ["x-amz-security-token"] : [])];
  return (
    [id, service, end].join() === "AKIDEXAMPLE,bedrock,aws4_request" &&
    needed.every((name) => signed.split(";").includes(name)) &&
    signature === createHmac("sha256", key).update(text).digest("hex")
  );
}

export interface Answer {
  readonly stream?: Uint8Array;
  readonly json?: object;
}

/** Bedrock: takes only signed requests, or the key, and answers in its frames. */
export async function startBedrock(answer: (asked: Asked) => Answer) {
  const requests: Asked[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body = Buffer.concat(pieces);
      if (request.headers.authorization !== "Bearer ABSKkey" && !isSigned(request, body)) {
        response.writeHead(403, {
          "Content-Type": "application/json",
          "x-amzn-errortype": "InvalidSignatureException",
        });
        return response.end(JSON.stringify({ message: "The request signature we calculated does not match" }));
      }
      const asked = {
        path: request.url ?? "",
        headers: request.headers,
        body: JSON.parse(body.toString() || "{}") as Asked["body"],
      };
      requests.push(asked);
      const { stream, json } = answer(asked);
      response.setHeader("Content-Type", stream ? "application/vnd.amazon.eventstream" : "application/json");
      return response.end(stream ?? JSON.stringify(json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return { requests, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
