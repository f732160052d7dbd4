// Chromium's debugging protocol over the two pipes it was started with (--remote-debugging-pipe).
// Owns request ids, sessions and their end: pending waits reject when their session or the browser is gone.
// Does not know about tabs.
import { EventEmitter } from "node:events";
import type { Readable, Writable } from "node:stream";

/** A session with Chromium: the browser itself, or one attached target. */
export interface CdpSession {
  send<Result = Record<string, unknown>>(method: string, params?: object): Promise<Result>;
  on<Params>(event: string, listener: (params: Params) => void): void;
  /** Resolves with the parameters of the first of these events that `accept` returns true for. */
  next<Params>(events: readonly string[], accept: (params: Params) => boolean): Promise<Params>;
}

/** The session is over: the target or the browser is gone, crashed or detached. */
export class SessionEndedError extends Error {
  override readonly name = "SessionEndedError";
}

/** The browser's own session, which creates those of its targets. */
export interface Cdp extends CdpSession {
  session(id: string): CdpSession;
  /** Rejects all pending and later requests with this reason. */
  close(reason: string): void;
}

interface Waiting {
  readonly session: string;
  readonly label: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Incoming {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: { sessionId?: string };
  result?: unknown;
  error?: { message: string };
}

const root = "";

/** Speaks the protocol over a pair of pipes. `lastWords` is the browser's own output, which may explain a crash. */
export function createCdp(toBrowser: Writable, fromBrowser: Readable, lastWords = () => ""): Cdp {
  const waiting = new Map<number, Waiting>();
  const emitters = new Map<string, EventEmitter>();
  let lastId = 0;
  let ended: string | undefined;

  function abandon(reason: string, session?: string): void {
    for (const [id, entry] of waiting) {
      if (session !== undefined && entry.session !== session) continue;
      waiting.delete(id);
      entry.reject(new SessionEndedError(`${entry.label} did not finish: ${reason}.`));
    }
  }

  function close(reason: string): void {
    ended ??= reason;
    abandon(ended);
  }

  function wait<Result>(session: string, label: string): { id: number; outcome: Promise<Result> } {
    const id = ++lastId;
    const outcome = new Promise<Result>((resolve, reject) => {
      if (ended !== undefined) return reject(new SessionEndedError(`${label} cannot start: ${ended}.`));
      waiting.set(id, { session, label, resolve: resolve as (result: unknown) => void, reject });
    });
    return { id, outcome };
  }

  function settle(id: number, finish: (entry: Waiting) => void): void {
    const entry = waiting.get(id);
    if (entry === undefined) return;
    waiting.delete(id);
    finish(entry);
  }

  function receive(message: Incoming): void {
    const { id, method, params, error } = message;
    if (id !== undefined) {
      return settle(id, (entry) =>
        error === undefined
          ? entry.resolve(message.result)
          : entry.reject(new Error(`${entry.label}: ${error.message}`)),
      );
    }
    if (method === undefined) return;
    const session = message.sessionId ?? root;
    emitters.get(session)?.emit(method, params);
    if (method === "Inspector.targetCrashed") abandon(`the page crashed\n${lastWords()}`, session);
    if (method === "Target.detachedFromTarget" && params?.sessionId !== undefined) {
      emitters.delete(params.sessionId);
      abandon("the tab is closed or was detached", params.sessionId);
    }
  }

  function createSession(session: string): CdpSession {
    const emitter = new EventEmitter().setMaxListeners(0);
    emitters.set(session, emitter);
    return {
      send<Result>(method: string, params: object = {}) {
        const { id, outcome } = wait<Result>(session, method);
        const address = session === root ? {} : { sessionId: session };
        if (waiting.has(id)) toBrowser.write(`${JSON.stringify({ id, method, params, ...address })}\0`);
        return outcome;
      },
      on(event, listener) {
        emitter.on(event, listener);
      },
      next<Params>(events: readonly string[], accept: (params: Params) => boolean) {
        const { id, outcome } = wait<Params>(session, `Waiting for ${events.join(" or ")}`);
        const listen = (params: Params): void => {
          if (waiting.has(id) && !accept(params)) return;
          for (const event of events) emitter.off(event, listen);
          settle(id, (entry) => entry.resolve(params));
        };
        for (const event of events) emitter.on(event, listen);
        return outcome;
      },
    };
  }

  let parts: string[] = [];
  fromBrowser.setEncoding("utf8").on("data", (text: string) => {
    const messages = text.split("\0");
    const rest = messages.pop() ?? "";
    for (const message of messages) {
      const whole = parts.join("") + message;
      parts = [];
      receive(JSON.parse(whole) as Incoming);
    }
    parts.push(rest);
  });
  for (const pipe of [toBrowser, fromBrowser]) {
    // The pipes of a killed browser are reset or ended, whichever the system notices first.
    pipe.on("error", (error: Error) => close(`the browser has ended (${error.message})`));
    pipe.on("close", () => close("the browser has ended"));
  }

  return { ...createSession(root), session: createSession, close };
}
