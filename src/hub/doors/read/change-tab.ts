// A user disconnects the page of a tab of their own, or lets it back.
import type { IncomingMessage } from "node:http";
import { PagewireError } from "../../../wire/index.ts";
import type { Admitted } from "../../identity/admitted.ts";
import { pathOf } from "../../http/exchange.ts";
import type { Door } from "../door.ts";
import { readFilters } from "./read-filters.ts";

type Parts = Pick<Door, "switchboard" | "disconnected" | "note">;

/** Serves `POST /api/tabs/<id>/disconnect` and `/reconnect`. */
export function changeTab(request: IncomingMessage, { principal }: Admitted, parts: Parts): void {
  const { switchboard, disconnected, note } = parts;
  readFilters(request, []);
  const [, , , tab = "", change, more] = pathOf(request).split("/");
  if (more !== undefined || (change !== "disconnect" && change !== "reconnect"))
    throw new PagewireError("route-not-found", "A tab can be disconnected and reconnected.");
  if (change === "disconnect") {
    const removed = switchboard.disconnect(principal, tab);
    if (!removed) throw new PagewireError("tab-not-found", "There is no tab with this id.");
    disconnected.add(principal, tab, removed);
  } else if (!disconnected.remove(principal, tab)) {
    throw new PagewireError("tab-not-found", "No tab with this id was disconnected.");
  }
  note("info", `tab-${change}ed`, { tab, principal });
}
