// Reads the hub's API again and again while the page is visible, and at once when something has changed.
import { batch, signal } from "@preact/signals";
import type { ReadonlySignal, Signal } from "@preact/signals";
import { messageOf } from "pagewire/wire";
import type { Session } from "../../../common/src/session/session.ts";
import { cursorIn, listIn, statusIn } from "./facts.ts";
import type { DisconnectedTab, HubAgent, HubStatus, HubTab } from "./facts.ts";

export interface Facts {
  readonly status: ReadonlySignal<HubStatus | undefined>;
  readonly tabs: ReadonlySignal<readonly HubTab[] | undefined>;
  readonly agents: ReadonlySignal<readonly HubAgent[] | undefined>;
  readonly disconnected: ReadonlySignal<readonly DisconnectedTab[]>;
  readonly problem: ReadonlySignal<string | undefined>;
}

export interface Reader {
  readonly facts: Facts;
  refresh(): void;
  close(): void;
}

export interface ReaderParts {
  readonly session: Pick<Session, "request">;
  isLive(): boolean;
}

/** Milliseconds between two readings; longer where a reading takes long, so that it is a tenth of the time at most. */
const pause = 2000;

/** Milliseconds in which changes are collected. */
const gathering = 100;

const mostPages = 8;

export function createReader({ session, isLive }: ReaderParts): Reader {
  const status = signal<HubStatus | undefined>(undefined);
  const tabs = signal<readonly HubTab[] | undefined>(undefined);
  const agents = signal<readonly HubAgent[] | undefined>(undefined);
  const disconnected = signal<readonly DisconnectedTab[]>([]);
  const problem = signal<string | undefined>(undefined);
  const seen = new Map<Signal<unknown>, string>();
  let timer: number | undefined;
  let isReading = false;
  let isAskedAgain = false;
  let isClosed = false;

  /** Views are drawn again only by what is not as it was. */
  function set<Value>(to: Signal<Value>, value: Value): void {
    const text = JSON.stringify(value) ?? "";
    if (seen.get(to) === text) return;
    seen.set(to, text);
    to.value = value;
  }

  async function readTabs() {
    const found: HubTab[] = [];
    let gone: readonly DisconnectedTab[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < mostPages; page += 1) {
      const query = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = await session.request("GET", `/api/tabs?limit=500${query}`);
      found.push(...listIn<HubTab>(answer, "tabs"));
      gone = listIn<DisconnectedTab>(answer, "disconnected");
      cursor = cursorIn(answer);
      if (cursor === undefined) break;
    }
    return { found, gone };
  }

  async function readAll(): Promise<void> {
    const [about, listed, callers] = await Promise.all([
      session.request("GET", "/api/status"),
      readTabs(),
      session.request("GET", "/api/agents"),
    ]);
    if (isClosed) return;
    batch(() => {
      set(status, statusIn(about));
      set(tabs, listed.found);
      set(disconnected, listed.gone);
      set(agents, listIn<HubAgent>(callers, "agents"));
      problem.value = undefined;
    });
  }

  async function read(): Promise<void> {
    if (isClosed || isReading || !isLive() || document.hidden) return;
    const began = performance.now();
    isReading = true;
    isAskedAgain = false;
    await readAll().catch((error: unknown) => {
      if (!isClosed) problem.value = messageOf(error);
    });
    isReading = false;
    plan(isAskedAgain ? gathering : Math.max(pause, 10 * (performance.now() - began)));
  }

  function plan(milliseconds: number): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(() => void read(), milliseconds) as unknown as number;
  }

  function refresh(): void {
    isAskedAgain = true;
    if (!isReading) plan(gathering);
  }

  document.addEventListener("visibilitychange", refresh);
  return {
    facts: { status, tabs, agents, disconnected, problem },
    refresh,
    close() {
      isClosed = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", refresh);
    },
  };
}
