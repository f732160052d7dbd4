import type { IncomingMessage } from "node:http";
import { reasonWords } from "../store/index.ts";
import type { StoreHealth } from "../store/index.ts";
import type { TextAnswer } from "./respond.ts";

export interface HubStanding {
  readonly isStopping: boolean;
  /** How the store stands. */
  readonly health: StoreHealth;
  readonly isPolicyRefused: boolean;
}

/**
 * Whether calls are taken. A hub that cannot save still takes them, and says so in a line of its own; who asks with `?store`
 * is not ready for that, and is answered accordingly. A hub whose policy file cannot be used goes on with the policy before.
 */
export function readiness(
  request: IncomingMessage,
  { isStopping, health: { isOk, reason }, isPolicyRefused }: HubStanding,
): TextAnswer {
  if (isStopping) return { text: "stopping\n", status: 503 };
  const unsaved = isOk ? "" : `nothing can be saved${reasonWords(reason)}\n`;
  const policy = isPolicyRefused ? "the policy file cannot be used: the policy before it holds\n" : "";
  const needsStore = !isOk && new URL(request.url ?? "/", "http://hub").searchParams.has("store");
  const answer = { text: `${needsStore ? "not ready" : "ready"}\n${unsaved}${policy}` };
  return needsStore ? { ...answer, status: 503 } : answer;
}
