import { browserTab } from "../browser/browser-tab.ts";
import { createSession } from "../connection/create-session.ts";
import type { Session, SessionOptions } from "../connection/create-session.ts";

export { makeCalls } from "../../toolbox/index.ts";

export function startSession(options: SessionOptions): Promise<Session> {
  return createSession(options, browserTab());
}
