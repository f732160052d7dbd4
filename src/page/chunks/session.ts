import { browserTab } from "../browser/browser-tab.ts";
import { createSession } from "../connection/create-session.ts";
import type { Session, SessionOptions } from "../connection/create-session.ts";

export { makeCalls } from "../../toolbox/index.ts";

/** Starts the session of this document. */
export function startSession(options: SessionOptions): Promise<Session> {
  return createSession(options, browserTab());
}
