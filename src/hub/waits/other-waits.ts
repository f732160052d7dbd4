// Waits besides calls: pages of origins that are not allowed yet, and tools of pinned origins that are new or have changed.
import type { PinChoice, PinList, WaitingTool } from "../approvals/pins.ts";
import type { OpenWait, WaitHandle, WaitSource, Waits } from "./wait.ts";

/** Max origins that wait, and max refused ones that are not listed again in this run. Anybody can make up origins. */
const maxOrigins = 20;
const maxRefused = 200;

export interface OriginWaits {
  /** A page of this origin was refused. */
  refused(origin: string): void;
  /** The allowed origins have changed. */
  review(): void;
}

export interface OriginWaitsOptions {
  readonly waits: Waits;
  readonly principal: string;
  readonly isAllowed: (origin: string) => boolean;
  readonly allow: (origin: string) => void;
}

export function createOriginWaits({ waits, principal, isAllowed, allow }: OriginWaitsOptions): OriginWaits {
  const open = new Map<string, WaitHandle>();
  const refusedForNow = new Set<string>();

  function end(origin: string): void {
    open.get(origin)?.close("nobody");
    open.delete(origin);
  }

  return {
    refused(origin) {
      if (open.has(origin) || refusedForNow.has(origin) || isAllowed(origin)) return;
      for (const oldest of open.keys()) if (open.size >= maxOrigins) end(oldest);
      const reason = "Pages of this address want to offer tools to your agents. Until you allow it, they are refused.";
      const id = waits.idOf("origin", origin);
      const handle = waits.add(principal, { id, kind: "origin", origin, reason }, (answer) => {
        if (answer.allow) allow(origin);
        else refusedForNow.add(origin);
        for (const oldest of refusedForNow) if (refusedForNow.size > maxRefused) refusedForNow.delete(oldest);
        open.delete(origin);
      });
      open.set(origin, handle);
    },
    review() {
      for (const origin of [...open.keys()]) if (isAllowed(origin)) end(origin);
    },
  };
}

/** The pins, as far as what waits of them. */
interface WaitingPins {
  list(principal: string): Promise<PinList>;
  accept(principal: string, choice: PinChoice): Promise<unknown>;
}

/** Max definitions that were refused, and are not listed again in this run, and max listed ones with a time. */
const maxKnown = 1000;

/** New and changed tools of pinned origins. A refused one stays hidden from agents and leaves the inbox. */
export function createPinWaits(
  pins: WaitingPins,
  waits: Pick<Waits, "idOf">,
  now = () => new Date().toISOString(),
): WaitSource {
  const refused = new Set<string>();
  const since = new Map<string, string>();

  function timeOf(id: string): string {
    const known = since.get(id) ?? now();
    since.set(id, known);
    for (const oldest of since.keys()) if (since.size > maxKnown) since.delete(oldest);
    return known;
  }

  const find = async (principal: string) =>
    (await pins.list(principal)).waiting
      .map((tool) => ({ id: idOf(waits, principal, tool), tool }))
      .filter(({ id }) => !refused.has(id));

  return {
    async list(principal) {
      const found = await find(principal).catch(() => []);
      return found.map(({ id, tool }) => shown(tool, { id, since: timeOf(id) }));
    },
    async answer(principal, id, { allow }) {
      const found = (await find(principal)).find((one) => one.id === id);
      if (!found) return false;
      const { origin, name, definition } = found.tool;
      if (allow) await pins.accept(principal, { origin, name, definition });
      else refused.add(id);
      for (const oldest of refused) if (refused.size > maxKnown) refused.delete(oldest);
      return true;
    },
  };
}

function shown(
  { origin, app, name, before, definition }: WaitingTool,
  place: Pick<OpenWait, "id" | "since">,
): OpenWait {
  const reason =
    before === undefined
      ? "This tool was not there when you first used this origin. Agents do not see it until you allow it."
      : "This tool has changed since it was accepted. Agents do not see it until you allow it as it is now.";
  return { ...place, kind: "tool-change", reason, origin, app, tool: name, before, definition };
}

/** Another definition is another wait: users allow only what they were shown. */
function idOf(waits: Pick<Waits, "idOf">, principal: string, tool: WaitingTool): string {
  const { origin, app, via, name, definition } = tool;
  return waits.idOf("tool", principal, origin, app, via, name, definition);
}
