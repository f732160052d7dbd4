// The inboxes of all hubs as one. A wait lives at the hub where it was asked, whose name its id begins with, and is answered
// there. What several hubs came to know has the same id at each: the first of them lists it for all.
import type { OpenWait, WaitList, Waits } from "../waits/wait.ts";
import { shortened } from "../waits/shorten.ts";
import type { PageWaits, SignedOutPage } from "../waits/page-waits.ts";
import type { JsonObject } from "../../wire/index.ts";
import type { Cluster } from "./cluster.ts";

type Parts = Pick<Cluster, "id" | "on" | "onJoined" | "others" | "tell">;

/** Changes of this many milliseconds are sent together. */
const gatherTime = 50;
/** Max characters of a list that another hub asks for; the rest is counted. */
const maxText = 4 * 1024 * 1024;
/** Max remembered answers in a list, and refusals. */
const maxEnded = 20;
const maxRefused = 1000;

export function shareWaits(own: Waits, cluster: Parts): Waits {
  const watchers = new Map<string, Set<() => void>>();
  const changed = new Set<string>();
  /** Ids that were refused at one hub: none lists them, though others may have them. */
  const refused = new Set<string>();
  const refuse = (id: string) => {
    refused.add(id);
    for (const oldest of refused) if (refused.size > maxRefused) refused.delete(oldest);
  };
  const notify = (principal: string) => {
    for (const listener of watchers.get(principal) ?? []) listener();
  };

  own.onChange((principal) => {
    if (changed.size === 0)
      setTimeout(() => {
        const principals = [...changed];
        changed.clear();
        for (const each of principals) cluster.tell("waits", { principal: each });
      }, gatherTime).unref();
    changed.add(principal);
  });
  cluster.on("waits", ({ principal }) => notify(principal as string));
  cluster.onJoined(() => {
    for (const principal of watchers.keys()) notify(principal);
  });
  cluster.others.answers("waits", async ({ principal }) => within(await own.list(principal as string)));
  cluster.on("wait-refused", ({ id }) => refuse(id as string));

  return {
    add: own.add.bind(own),
    addSource: own.addSource.bind(own),
    idOf: own.idOf.bind(own),
    changed: own.changed.bind(own),
    onChange: own.onChange.bind(own),
    async list(principal) {
      const [mine, others] = await Promise.all([own.list(principal), cluster.others.askAll("waits", { principal })]);
      const lists = others.map(({ hub, value }) => ({ hub, list: value as unknown as WaitList }));
      const all = [{ hub: cluster.id, list: mine }, ...lists].sort((a, b) => (a.hub < b.hub ? -1 : 1));
      return merged(all, refused);
    },
    async find(principal, id) {
      const found = await own.find(principal, here(id, cluster.others));
      return found && { ...found, id };
    },
    async answer(principal, answered) {
      const id = here(answered.id, cluster.others);
      await own.answer(principal, { ...answered, id });
      if (answered.answer.allow) return;
      refuse(id);
      cluster.tell("wait-refused", { id });
    },
    watch(principal, listener) {
      const leave = own.watch(principal, listener);
      const known = watchers.get(principal) ?? new Set();
      watchers.set(principal, known.add(listener));
      return () => {
        leave();
        known.delete(listener);
        if (known.size === 0 && watchers.get(principal) === known) watchers.delete(principal);
      };
    },
  };
}

/** Sign-ins that have ended wait at every hub, so that they end with their page, whichever hub it comes to. */
export function sharePageWaits(own: PageWaits, cluster: Pick<Cluster, "on" | "tell">): PageWaits {
  const pageIn = ({ principal, origin, app }: JsonObject) => ({ principal, origin, app }) as unknown as SignedOutPage;
  cluster.on("signed-out", (page) => own.signedOut(pageIn(page)));
  cluster.on("signed-in", (page) => void own.signedIn(pageIn(page)));
  return {
    connected(page, description) {
      if (own.signedIn(page)) cluster.tell("signed-in", { ...page });
      return own.connected(page, description);
    },
    signedOut(page) {
      own.signedOut(page);
      cluster.tell("signed-out", { ...page });
    },
    signedIn: (page) => own.signedIn(page),
  };
}

function here(id: string, others: Cluster["others"]): string {
  const prefix = others.nameHere("");
  return id.startsWith(prefix) ? id.slice(prefix.length) : id;
}

/** The list for another hub, as much of it as is sent at once. */
function within({ waits, more, ended }: WaitList): JsonObject {
  let left = maxText;
  const listed = waits.map(shortened).filter((wait) => (left -= JSON.stringify(wait).length) > 0);
  return JSON.parse(JSON.stringify({ waits: listed, more: more + waits.length - listed.length, ended })) as JsonObject;
}

interface HubList {
  readonly hub: string;
  readonly list: WaitList;
}

function merged(lists: readonly HubList[], refused: ReadonlySet<string>): WaitList {
  const ids = new Set<string>();
  const waits = lists.flatMap(({ hub, list }) =>
    list.waits.flatMap((wait): OpenWait[] => {
      if (ids.has(wait.id) || refused.has(wait.id)) return [];
      ids.add(wait.id);
      return [{ ...wait, id: `${hub}.${wait.id}` }];
    }),
  );
  const ended = lists.flatMap(({ hub, list }) =>
    list.ended.filter(({ id }) => !ids.has(id)).map(({ id, said }) => ({ id: `${hub}.${id}`, said })),
  );
  return {
    waits: waits.sort((one, other) => Date.parse(one.since) - Date.parse(other.since)),
    more: lists.reduce((sum, { list }) => sum + list.more, 0),
    ended: ended.slice(-maxEnded),
  };
}
