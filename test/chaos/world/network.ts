// Faults of connections: those of pages, and those of callers.
import { setTimeout as pause } from "node:timers/promises";
import type { FaultProxy } from "pagewire/testing";
import type { NetworkFault, PlannedFault } from "../plan.ts";

export interface Networks {
  /** One for each route between the hub and some of the tabs. */
  readonly pages: readonly FaultProxy[];
  readonly callers: FaultProxy;
}

export async function breakNetwork({ pages, callers }: Networks, fault: PlannedFault<NetworkFault>): Promise<void> {
  const some = pages[Math.floor(fault.which * pages.length)] ?? callers;
  await acts[fault.kind](fault.kind.startsWith("callers") ? callers : some, fault.time);
}

const acts: Readonly<Record<NetworkFault, (proxy: FaultProxy, time: number) => Promise<void>>> = {
  "pages-reset": reset,
  /** Drops the frames from the hub. */
  "pages-deaf": (proxy, time) => lose(proxy, "toClient", time),
  /** Drops the frames from pages. */
  "pages-mute": (proxy, time) => lose(proxy, "toTarget", time),
  "pages-stall": stall,
  "callers-reset": reset,
  "callers-half-open": (proxy, time) => lose(proxy, "toClient", time),
  "callers-stall": stall,
};

async function reset(proxy: FaultProxy): Promise<void> {
  proxy.reset();
}

/** Ends with a reset: lost bytes never arrive. */
async function lose(proxy: FaultProxy, direction: "toTarget" | "toClient", time: number): Promise<void> {
  proxy.pause(direction, "drop");
  await pause(time);
  proxy.reset();
  proxy.resume();
}

async function stall(proxy: FaultProxy, time: number): Promise<void> {
  proxy.pause();
  await pause(time);
  proxy.resume();
}
