// Hubs that share a NATS server, with one page at the last of them and callers at all others: each call is one over two hubs.
import { startNats } from "../../test/support/start-nats.ts";
import type { SizeName } from "../pages/answers.ts";
import type { ClosingList } from "./closing-list.ts";
import type { Chain } from "./measure-chain.ts";
import { agentToken, prepareCallers } from "./prepare-callers.ts";
import { startRole } from "./role-process.ts";
import type { RoleProcess } from "./role-process.ts";

export interface ClusterOptions {
  readonly size: SizeName;
  /** One hub alone needs no NATS. */
  readonly hubs: number;
  readonly inFlight: number;
  readonly running: ClosingList;
  /** The folder for CPU profiles. */
  readonly profile?: string | undefined;
}

/** The CPU is that of all hubs together. */
export async function startClusterChain(options: ClusterOptions): Promise<Chain<number>> {
  const { size, hubs: count, inFlight, running, profile } = options;
  const nats = count > 1 ? running.add(await startNats()).url : undefined;
  const hubs: RoleProcess[] = [];
  for (let index = 0; index < count; index++)
    hubs.push(
      running.add(await startRole("pagewire", { agentToken, ...(nats && { nats }) }, profile && `${profile}/${index}`)),
    );
  const ports = hubs.map(({ started }) => started.port);
  running.add(await startRole("pages", { port: ports.at(-1) ?? 0, speaker: "wire" }));
  const calling = count > 1 ? ports.slice(0, -1) : ports;
  const share = Math.ceil(inFlight / calling.length);
  const opens = await Promise.all(calling.map((port) => prepareCallers({ port, size, inFlight: share })));
  return {
    // In turn, so that the first few callers are at different hubs.
    async connect() {
      const all = await Promise.all(opens.map((open) => open()));
      return Array.from({ length: share }, (_, index) => all.flatMap((callers) => callers[index] ?? [])).flat();
    },
    cpu: async () => (await Promise.all(hubs.map((hub) => hub.cpu()))).reduce((sum, cpu) => sum + cpu, 0),
  };
}
