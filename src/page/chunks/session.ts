import { browserTab } from "../browser/browser-tab.ts";
import { createSession } from "../connection/create-session.ts";
import type { Session, SessionOptions } from "../connection/create-session.ts";

export { makeCalls } from "../../toolbox/index.ts";

const asked = "pagewire-host?";

/** Starts a session in this document, and tells the browser's extension, which would offer the tools again, of the hub. */
export function startSession(options: SessionOptions): Promise<Session> {
  const { hub } = options;
  const tell = (type: string, detail?: string) => document.dispatchEvent(new CustomEvent(type, { detail }));
  const answer = () => hub.link?.open && tell("pagewire-host", JSON.stringify({ hub: hub.hub, status: "connected" }));
  document.addEventListener(asked, answer);
  return createSession(options, browserTab(), (isOver) => {
    if (isOver) document.removeEventListener(asked, answer);
    tell("pagewire-host-changed");
  });
}
