// The console's connection to the hub, shared by all views: its state as signals, and calls of tools.
import { signal } from "@preact/signals";
import type { ReadonlySignal, Signal } from "@preact/signals";
import { connectHub } from "pagewire/hub-client";
import type { HubCall, HubClient, HubOutcome } from "pagewire/hub-client";
import { messageOf } from "pagewire/wire";
import type { CallEvent } from "pagewire/wire";
import type { Session } from "../../../common/src/session/session.ts";
import type { DisconnectedTab, HubAgent, HubStatus, HubTab } from "./facts.ts";
import { createQuestions } from "./questions.ts";
import type { Question } from "./questions.ts";
export type { Question } from "./questions.ts";
import { createReader } from "./reader.ts";

/** Whether the hub is there. `message` is a sentence for the user. */
export interface HubConnection {
  readonly state: "connecting" | "live" | "away";
  readonly message: string;
}

/** An event of a call, with when it arrived here, in milliseconds since 1970. */
export interface TimedCallEvent extends CallEvent {
  readonly at: number;
}

export interface Hub {
  readonly connection: ReadonlySignal<HubConnection>;
  /** Undefined until they were read; while the hub is away they are as they were. */
  readonly status: ReadonlySignal<HubStatus | undefined>;
  readonly tabs: ReadonlySignal<readonly HubTab[] | undefined>;
  readonly agents: ReadonlySignal<readonly HubAgent[] | undefined>;
  /** Pages that the user disconnected. */
  readonly disconnected: ReadonlySignal<readonly DisconnectedTab[]>;
  /** Why they could not be read, though the hub is there. */
  readonly problem: ReadonlySignal<string | undefined>;
  /** How much waits for this user: the badge at the inbox. The inbox sets it. */
  readonly waiting: Signal<number>;
  /** Questions of tools while one of this page's calls runs. */
  readonly questions: ReadonlySignal<readonly Question[]>;
  /** Listens for every event of every call of this user; `onMissed` gets the number of those that were dropped. */
  onCall(listener: (event: TimedCallEvent) => void, onMissed?: (count: number) => void): () => void;
  /** Makes a call as an agent, and resolves with its outcome. */
  call(request: HubCall): Promise<HubOutcome>;
  /** Reads everything again, now. */
  refresh(): void;
  /** Tries to reach a hub that is away, now. */
  reconnect(): void;
  close(): void;
}

export interface HubParts {
  readonly session: Pick<Session, "bearer" | "request" | "info">;
  readonly connect?: (options: Parameters<typeof connectHub>[0]) => Promise<HubClient>;
}

interface Listener {
  onCall(event: TimedCallEvent): void;
  onMissed?: ((count: number) => void) | undefined;
}

/** The wait before another attempt, in milliseconds: twice as long each time, up to the second. */
const pauses = { first: 500, most: 10_000 };

export function createHub({ session, connect = connectHub }: HubParts): Hub {
  const connection = signal<HubConnection>({ state: "connecting", message: "Connecting to the hub." });
  const listeners = new Set<Listener>();
  const reader = createReader({ session, isLive: () => connection.value.state === "live" });
  const { questions, onAsk } = createQuestions();
  let client: HubClient | undefined;
  let stopWatching: (() => void) | undefined;
  let timer: number | undefined;
  let pause = pauses.first;
  let isClosed = false;
  let round = 0;
  const id = newSession();

  async function open(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const mine = ++round;
    try {
      const agent = { name: "pagewire-console", version: session.info.version };
      const made = await connect({ url: location.origin, WebSocket, token: session.bearer, session: id, agent, onAsk });
      if (isClosed || mine !== round) return made.close();
      client = made;
      pause = pauses.first;
      made.onChange(() => reader.refresh());
      made.onState(({ status, message }) => {
        if (made !== client) return;
        if (status === "connected") isThere();
        else connection.value = { state: "away", message };
        if (status === "refused") again();
      });
      isThere();
      watch();
    } catch (error) {
      if (isClosed || mine !== round) return;
      connection.value = { state: "away", message: messageOf(error) };
      again();
    }
  }

  function isThere(): void {
    connection.value = { state: "live", message: "Connected to the hub." };
    reader.refresh();
  }

  function again(): void {
    // If the user was signed out, this request ends the session.
    session.request("GET", "/api/app").catch(() => {});
    timer = setTimeout(() => void open(), pause) as unknown as number;
    pause = Math.min(2 * pause, pauses.most);
  }

  function watch(): void {
    stopWatching?.();
    stopWatching = undefined;
    if (!client || listeners.size === 0) return;
    stopWatching = client.watch(
      (event) => {
        const timed = { at: Date.now(), ...event };
        for (const { onCall } of listeners) onCall(timed);
      },
      (count) => {
        for (const { onMissed } of listeners) onMissed?.(count);
      },
    );
  }

  void open();
  return {
    connection,
    ...reader.facts,
    waiting: signal(0),
    questions,
    onCall(onCall, onMissed) {
      const listener = { onCall, onMissed };
      listeners.add(listener);
      if (listeners.size === 1) watch();
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) watch();
      };
    },
    async call(request) {
      if (client) return client.call(request);
      const { message } = connection.value;
      return { outcome: "not-delivered", ran: "no", code: "hub-unreachable", message };
    },
    refresh: reader.refresh,
    reconnect() {
      client?.close();
      client = undefined;
      void open();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      reader.close();
      client?.close();
    },
  };
}

/** On a page that did not come by https or from this machine there is no crypto.randomUUID. */
function newSession(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
