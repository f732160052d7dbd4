// Hubs of one cluster with different databases differ in keys, revocations and rules, and nothing else would show it.
import { createHash } from "node:crypto";
import type { Note } from "../common/log.ts";
import { hubsKeyName } from "../store/index.ts";
import type { Store } from "../store/index.ts";
import type { Cluster } from "./cluster.ts";

export interface CompareDatabasesOptions {
  readonly homes: Pick<Store["homes"], "find">;
  readonly cluster: Pick<Cluster, "onJoined" | "others" | "self">;
  readonly note: Note;
}

/** Notes each hub that is met and has another database; one whose database is away is compared when it is met again. */
export function compareDatabases({ homes, cluster, note }: CompareDatabasesOptions): void {
  const { others } = cluster;

  /** A digest of the key that the hubs of one database share; empty while that is not known. */
  async function mark(): Promise<string> {
    const key = await homes.find(hubsKeyName).catch(() => undefined);
    return key === undefined ? "" : createHash("sha256").update(`database of ${key}`).digest("base64url");
  }

  async function compare(hub: string): Promise<void> {
    const [own, { mark: theirs, name }] = await Promise.all([mark(), others.ask(hub, "database", {})]);
    if (own !== "" && theirs !== "" && own !== theirs)
      note("error", "other-database", { hub: typeof name === "string" ? name : hub });
  }

  others.answers("database", async () => ({ mark: await mark(), name: cluster.self.name }));
  cluster.onJoined((hub) => void compare(hub).catch(() => {}));
}
