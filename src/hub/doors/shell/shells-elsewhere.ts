// The terminals of other hubs. A view of one is served by the hub beside which its shell runs: its upgrade is passed on.
import type { IncomingMessage } from "node:http";
import { PagewireError, isJsonObject } from "../../../wire/index.ts";
import type { JsonObject } from "../../../wire/index.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import type { ListedElsewhere, ShellDoor, ShellsElsewhere } from "../../terminals/shell-door.ts";

/** Of the terminal server of this hub; undefined while terminals are off. */
type OwnShells = () => Pick<ShellDoor, "list" | "end" | "has"> | undefined;

export function createShellsElsewhere(cluster: ClusterParts, own: OwnShells): ShellsElsewhere {
  const { others } = cluster;
  others.answers("shells", async ({ principal }) => {
    const found = (await own()?.list(principal as string)) ?? [];
    return { terminals: found.map((each) => ({ ...each, hub: cluster.self.name }) as unknown as JsonObject) };
  });
  others.answers("shell-end", async ({ principal, id }) => {
    if (!(await own()?.has?.(id as string))) throw notFound(id as string);
    await own()?.end(principal as string, id as string);
    return {};
  });
  others.answers("shell-home", async ({ id }) => ({
    isOn: own() !== undefined,
    isHere: id !== undefined && (await own()?.has?.(id as string)) === true,
  }));
  return {
    async list(principal) {
      const answers = await others.askAll("shells", { principal });
      return answers.flatMap(({ value: { terminals } }) =>
        Array.isArray(terminals) ? (terminals.filter(isJsonObject) as unknown as ListedElsewhere[]) : [],
      );
    },
    async end(principal, id) {
      const ended = await others.askAll("shell-end", { principal, id });
      if (ended.length === 0) throw notFound(id);
    },
    onChange: (listener) => cluster.on("shells", ({ principal }) => listener(principal as string)),
    changed: (principal) => cluster.tell("shells", { principal }),
  };
}

type ClusterParts = Pick<Cluster, "on" | "others" | "self" | "tell">;

/**
 * The other hub that is to serve a view: the one beside which the shell of its terminal runs, else any with terminals where this
 * one has none. Undefined for this one.
 */
export async function hubOfView(
  { url = "/" }: IncomingMessage,
  { others }: Pick<Cluster, "others">,
  own: ReturnType<OwnShells>,
): Promise<string | undefined> {
  const id = new URL(url, "http://hub").searchParams.get("terminal") ?? undefined;
  if (own && (id === undefined || (await own.has?.(id)))) return undefined;
  const homes = await others.askAll("shell-home", id === undefined ? {} : { id });
  const home = homes.find(({ value }) => value["isHere"] === true) ?? (own ? undefined : homes.find(isOn));
  return home?.hub;
}

function isOn({ value }: { readonly value: JsonObject }): boolean {
  return value["isOn"] === true;
}

function notFound(id: string): PagewireError {
  return new PagewireError("terminal-not-found", `There is no terminal "${id.slice(0, 64)}".`);
}
