import type { IncomingMessage } from "node:http";
import { reasonWords } from "../store/index.ts";
import type { StoreHealth } from "../store/index.ts";
import type { TextAnswer } from "./respond.ts";

/**
 * Whether calls are taken. A hub that cannot save still takes them, and says so in a second line; who asks with `?store`
 * is not ready for that, and is answered accordingly.
 */
export function readiness(request: IncomingMessage, isStopping: boolean, { isOk, reason }: StoreHealth): TextAnswer {
  if (isStopping) return { text: "stopping\n", status: 503 };
  if (isOk) return { text: "ready\n" };
  const problem = `nothing can be saved${reasonWords(reason)}\n`;
  const needsStore = new URL(request.url ?? "/", "http://hub").searchParams.has("store");
  return needsStore ? { text: `not ready\n${problem}`, status: 503 } : { text: `ready\n${problem}` };
}
