import { PagewireError, isErrorCode } from "pagewire/wire";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

export interface HubQuestion {
  readonly method: Method;
  readonly path: string;
  /** A text is JSON from a user: it is sent as it is. */
  readonly body?: object | string | undefined;
  readonly token?: string | undefined;
}

/** Sends a request to the hub that serves this page; rejects with its refusal, or with `hub-unreachable`. */
export type AskHub = (question: HubQuestion) => Promise<unknown>;

export const askHub: AskHub = async ({ method, path, body, token }) => {
  const headers = {
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
  };
  const request = { method, headers, cache: "no-store", ...(body !== undefined && { body: textOf(body) }) } as const;
  let response: Response;
  let text: string;
  try {
    response = await fetch(path, request);
    text = await response.text();
  } catch (cause) {
    throw new PagewireError("hub-unreachable", "The hub does not answer. Start it with: npx pagewire", { cause });
  }
  const answer = parse(text);
  if (response.ok) return answer;
  const { code, message } = Object(Object(answer).error) as { code?: unknown; message?: unknown };
  throw new PagewireError(
    isErrorCode(code) ? code : "internal-error",
    typeof message === "string" ? message : `The hub answered ${path} with status ${response.status}.`,
  );
};

function parse(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // A proxy's page, for example: the status is all there is.
    return undefined;
  }
}

function textOf(body: object | string): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}
