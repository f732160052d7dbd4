// Streams of a hub that is gone. In the id of each event is what the stream answers, so that another hub can end it honestly.
import { RpcError, errorAnswer, givenKey, inOlderForm, lostOutcome, resultOf } from "../../../mcp/index.ts";
import type { ClientInSession, Request, RequestId } from "../../../mcp/index.ts";
import type { CallRequest } from "../../../switchboard/index.ts";
import { callMethods, isJsonObject, parseJson } from "../../../wire/index.ts";
import type { CallMethod, JsonObject, Outcome } from "../../../wire/index.ts";
import type { SessionStore } from "./session-homes.ts";

/** A request that a stream answers; calls have a method, and those with a key their tool. */
type Asked = readonly [id: RequestId, method?: CallMethod, key?: string, name?: string];

const maxLength = 1024;
/** The mark of a stream whose requests would make the ids of its events too long: it cannot be resumed elsewhere. */
const tooLong = "-";

/** The end of the ids of a stream's events. */
export function markOf(requests: readonly Request[]): string {
  const asked = requests.map((request): Asked => {
    const { id, method, params } = request;
    if (!isCallMethod(method)) return [id];
    const key = givenKey(params);
    const name = params["name"] ?? params["uri"];
    return typeof key !== "string" ? [id, method] : [id, method, key, typeof name === "string" ? name : ""];
  });
  const mark = Buffer.from(JSON.stringify(asked)).toString("base64url");
  return mark.length > maxLength ? tooLong : mark;
}

/** The requests that a mark names; undefined if it is none. */
export function readMark(mark: string): readonly Asked[] | undefined {
  if (mark.length > maxLength) return undefined;
  const asked = parseJson(Buffer.from(mark, "base64url").toString(), 2) as readonly unknown[] | undefined;
  return Array.isArray(asked) && asked.every(isAsked) ? asked : undefined;
}

function isAsked(value: unknown): value is Asked {
  if (!Array.isArray(value)) return false;
  const [id, method, key, name] = value as readonly unknown[];
  const isId = typeof id === "string" || Number.isSafeInteger(id);
  const isText = (text: unknown) => text === undefined || typeof text === "string";
  return isId && (method === undefined || isCallMethod(method)) && isText(key) && isText(name);
}

function isCallMethod(method: unknown): method is CallMethod {
  return callMethods.includes(method as CallMethod);
}

/** The answer to a request whose hub is gone: the outcome that is written down, or that it is unknown. */
export async function answerLost(
  [id, method, key, name = ""]: Asked,
  { peer, principal, keys }: { peer: ClientInSession; principal: string; keys: SessionStore["keys"] },
): Promise<JsonObject> {
  if (method === undefined) return errorAnswer(id, new RpcError("internal-error", again));
  const call: CallRequest = { method, name, arguments: "{}", key };
  const written = key === undefined ? undefined : await keys?.find(principal, key, "").catch(() => undefined);
  const outcome = isOutcome(written?.outcome) ? { ...written.outcome, replay: true as const } : lostOutcome(key);
  const result = resultOf(outcome, call, peer.limits.jsonDepth);
  if (result instanceof RpcError) return errorAnswer(id, result);
  return { jsonrpc: "2.0", id, result: inOlderForm(result, call, peer) };
}

const again = "The hub that was asked is gone, and another has taken the session over. Send the request again.";

function isOutcome(outcome: Outcome | "expired" | undefined): outcome is Outcome {
  return isJsonObject(outcome);
}
