// Disconnects a page, or lets it back, and says what came of it.
import { messageOf } from "pagewire/wire";
import type { Session } from "../../../common/src/session/session.ts";
import { toast } from "../../../common/src/ui/index.ts";
import type { Hub } from "../hub/hub.ts";

export interface ChangeTabParts {
  readonly hub: Pick<Hub, "refresh">;
  readonly session: Pick<Session, "request">;
}

/** Resolves with whether that worked. */
export async function changeTab(
  { hub, session }: ChangeTabParts,
  tabId: string,
  change: "disconnect" | "reconnect",
): Promise<boolean> {
  const path = `/api/tabs/${encodeURIComponent(tabId)}/${change}`;
  const problem = await session.request("POST", path).then(
    () => undefined,
    (error: unknown) => messageOf(error),
  );
  hub.refresh();
  if (problem !== undefined) toast({ text: problem, tone: "bad" });
  else if (change === "disconnect") toast("Disconnected. The page stays away until it is loaded again, or let back.");
  else toast("The page may come back: it does within 30 seconds, or at once when you turn to it.");
  return problem === undefined;
}
