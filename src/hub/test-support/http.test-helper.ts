// An agent that calls over HTTP and can disconnect at any time.
import { once } from "node:events";
import { request } from "node:http";
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

export interface HttpCall {
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A hub's address and its agents' token. */
export interface HubDoor {
  readonly url: string;
  readonly token: string;
}

/** Starts a tool call, as a request that can be destroyed. */
export function beginCall(hub: HubDoor, tool: string, { body = "{}", headers = {} }: HttpCall = {}): ClientRequest {
  const sent = request(`${hub.url}/api/call/${tool}`, {
    method: "POST",
    agent: false,
    headers: { Authorization: `Bearer ${hub.token}`, "Content-Type": "application/json", ...headers },
  });
  // The caller sees the error when it awaits the answer.
  sent.on("error", () => {});
  sent.end(body);
  return sent;
}

export function callTool(hub: HubDoor, tool: string, call: HttpCall = {}): Promise<HttpAnswer> {
  return answerTo(beginCall(hub, tool, call));
}

/** The complete response to a request. */
export async function answerTo(sent: ClientRequest): Promise<HttpAnswer> {
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  return { status: response.statusCode ?? 0, headers: response.headers, body, text: body.toString() };
}
