import type { Told } from "./door.ts";
import type { WholeAnswer } from "./exchange.ts";

interface Message {
  readonly id?: unknown;
  readonly result?: {
    readonly isError?: boolean;
    readonly structuredContent?: Told["result"];
    readonly content?: readonly { readonly text?: string }[];
    readonly _meta?: Marks;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Marks };
}

type Marks = Readonly<Record<string, unknown>>;

/** The code of an answer for an unknown session, which ended with its hub. */
export const sessionEnded = "session-ended";

/** Reads an MCP answer about a call: a result, an error, or only a status of HTTP. */
export function readMcpAnswer({ status, headers, text }: WholeAnswer): Told {
  const isStream = headers["content-type"]?.startsWith("text/event-stream") === true;
  const texts = isStream ? [...text.matchAll(/^data: ?(\{.*)$/gm)].map(([, data = ""]) => data) : [text];
  const messages = texts.map((each) => JSON.parse(each) as Message);
  const answer = messages.find(({ result, error }) => result ?? error);
  if (answer?.result) return readResult(answer.result);
  if (answer?.error === undefined) throw new Error(`No answer in ${status} ${text.slice(0, 500)}`);
  const { code, message, data = {} } = answer.error;
  const named = status === 404 ? sessionEnded : `rpc ${code}`;
  return { outcome: "rejected", ran: "no", code: named, ...marks(data), message };
}

function readResult({ isError = false, structuredContent, content, _meta = {} }: NonNullable<Message["result"]>): Told {
  return {
    outcome: isError ? "tool-error" : "ok",
    ran: "yes",
    ...marks(_meta),
    isReplay: _meta["pagewire/replay"] === true,
    ...(isError && { message: content?.[0]?.text }),
    result: structuredContent,
  };
}

function marks(given: Marks) {
  const { "pagewire/outcome": outcome, "pagewire/ran": ran, "pagewire/code": code } = given;
  return {
    isReplay: given["pagewire/replay"] === true,
    ...(typeof outcome === "string" && { outcome }),
    ...(typeof ran === "string" && { ran }),
    ...(typeof code === "string" && { code }),
  };
}
