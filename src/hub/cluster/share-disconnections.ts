import type { JsonObject } from "../../wire/index.ts";
import type { Disconnections } from "../sockets/disconnected-tabs.ts";
import type { Cluster } from "./cluster.ts";

/** Pages that their user disconnected stay away from every hub. */
export function shareDisconnections(own: Disconnections, cluster: Pick<Cluster, "on" | "tell">): Disconnections {
  cluster.on("disconnected", ({ principal, tabId, epoch, ...about }) => {
    const { app, origin, title, url } = about;
    const texts = { app: textOf(app), origin: textOf(origin), title: textOf(title), url: textOf(url) };
    own.add(textOf(principal), textOf(tabId), { ...texts, epoch: typeof epoch === "string" ? epoch : undefined });
  });
  cluster.on("reconnected", ({ principal, tabId }) => void own.remove(textOf(principal), textOf(tabId)));
  return {
    add(principal, tabId, tab) {
      own.add(principal, tabId, tab);
      const { epoch, ...about } = tab;
      cluster.tell("disconnected", { principal, tabId, ...about, ...(epoch === undefined ? {} : { epoch }) });
    },
    remove(principal, tabId) {
      cluster.tell("reconnected", { principal, tabId });
      return own.remove(principal, tabId);
    },
    check: (principal, tabId, epochs) => own.check(principal, tabId, epochs),
    list: (principal) => own.list(principal),
  };
}

function textOf(value: JsonObject[string] | undefined): string {
  return typeof value === "string" ? value : "";
}
