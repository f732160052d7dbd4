import type { Group, Tab } from "./model.ts";
import type { SharedOffer } from "./offer-pool.ts";
import { isBetter } from "./tab.ts";

export function createGroup(origin: string, app: string, offer: SharedOffer): Group {
  const tabs = new Set<Tab>();
  let favourite: Tab | undefined;

  return {
    origin,
    app,
    offer,
    get size() {
      return tabs.size;
    },
    add(tab) {
      tabs.add(tab);
      if (favourite && isBetter(tab, favourite)) favourite = tab;
    },
    remove(tab) {
      tabs.delete(tab);
      if (favourite === tab) favourite = undefined;
    },
    update(tab) {
      if (favourite === tab) favourite = undefined;
      else if (favourite && isBetter(tab, favourite)) favourite = tab;
    },
    has: (tab) => tabs.has(tab),
    best() {
      if (!favourite) for (const tab of tabs) if (isBetter(tab, favourite)) favourite = tab;
      return favourite;
    },
  };
}
