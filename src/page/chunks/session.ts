import { browserTab } from "../browser-tab.ts";
import { createSession } from "../create-session.ts";
import type { Session, SessionOptions } from "../create-session.ts";

export { makeCalls } from "../../toolbox/index.ts";

/** Starts the session of this document. */
export function startSession(options: SessionOptions): Promise<Session> {
  return createSession(options, browserTab());
}
