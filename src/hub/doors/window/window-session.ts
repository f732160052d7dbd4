// One conversation's window: its parent's tools, its socket, and the calls of the tools. A call has one outcome, whichever
// sockets come and go meanwhile. It knows neither models nor who may come in.
import { randomUUID } from "node:crypto";
import type { Clock, Link } from "../../../link/index.ts";
import { PagewireError, closeReason, textOf } from "../../../wire/index.ts";
import type { Json, Limits, Message } from "../../../wire/index.ts";
import type { Metrics } from "../../metrics.ts";
import { closeWith } from "../../closing.ts";
import {
  late,
  lost,
  notConnected,
  notOffered,
  originRemoved,
  stopped,
  tooLarge,
  tooMany,
  unreadable,
} from "./call-errors.ts";
import { readMessage } from "./read-message.ts";
import type { WindowOffer } from "./read-offer.ts";

export interface ParentCall {
  readonly name: string;
  /** The page whose tool it is. */
  readonly origin: string | undefined;
  readonly arguments: unknown;
  /** The model's own id of the call. */
  readonly callId: string;
  readonly signal: AbortSignal;
}

export interface WindowSession {
  offer: WindowOffer;
  /** What of the offer can be called now. */
  readonly tools: WindowOffer["tools"];
  /** Whether its socket is open. */
  readonly isOpen: boolean;
  /** Whether its socket is open, or was a moment ago. */
  readonly isExpected: boolean;
  /** Takes a socket in the place of the one that it has. */
  attach(link: Link): void;
  /** Calls a tool of the parent's; rejects with a named error. */
  call(call: ParentCall): Promise<Json>;
  /** Ends the calls, and closes the socket, of a page whose origin is not allowed any more. */
  review(): void;
  /** Ends every call and wait. */
  close(): void;
}

export interface WindowSessionOptions {
  readonly offer: WindowOffer;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly metrics: Pick<Metrics, "refused" | "unknownFrame" | "strayAnswer">;
  /** Why pages of this origin may not be called now; undefined where they may. */
  readonly refusalOf: (origin: string | undefined) => PagewireError | undefined;
  /** It has had no socket for longer than the limit windowTime. */
  readonly onLeft: () => void;
}

interface Pending extends Pick<ParentCall, "name" | "origin"> {
  readonly deadline: number;
  /** The message as JSON, without the brace that ends it: before that comes the time that is left. */
  readonly message: string;
  isSent: boolean;
  soFar: string;
  resolve(result: Json): void;
  reject(error: PagewireError): void;
  /** Rejects, and has the window stop it. */
  giveUp(error: PagewireError): void;
}

export function createWindowSession(options: WindowSessionOptions): WindowSession {
  const { clock, limits, metrics, refusalOf, onLeft } = options;
  const calls = new Map<string, Pending>();
  /** Calls to stop that ended while nobody could be told. */
  const withdrawn = new Set<string>();
  let link: Link | undefined;
  let isExpected = true;
  let stopWaiting = () => {};
  waitForSocket();

  function waitForSocket(): void {
    const stopGrace = clock.after(limits.graceTime, () => {
      isExpected = false;
      for (const call of calls.values()) call.reject(lost(call));
    });
    const stopKeeping = clock.after(limits.windowTime, onLeft);
    stopWaiting = () => {
      stopGrace();
      stopKeeping();
    };
  }

  /** Whether it is still there, and the same page's: to another's tool of this name nobody has agreed. */
  function isOffered({ name, origin }: Pick<ParentCall, "name" | "origin">): boolean {
    const { offer } = session;
    return origin === offer.origin && offer.tools.some((tool) => tool.name === name);
  }

  function send(call: Pending): void {
    if (!link) return;
    const left = Math.max(0, Math.round(call.deadline - clock.now()));
    // Another window may have it: a window that does not know it must not have it run once more.
    link.send(`${call.message},"left":${left}${call.isSent ? ',"again":true' : ""}}`);
    call.isSent = true;
  }

  function withdraw(id: string): void {
    if (link) link.send(JSON.stringify({ type: "tool_cancel", request_id: id }));
    else withdrawn.add(id);
  }

  function take(from: Link, message: Message): void {
    const read = readMessage(textOf(message), limits.jsonDepth);
    if (read.kind === "unknown") return metrics.unknownFrame();
    if (read.id === undefined) {
      metrics.refused("frame-malformed");
      return closeWith(from, new PagewireError("frame-malformed", "A message cannot be read, or nests too deep."));
    }
    const call = calls.get(read.id);
    // Whoever answers what is not asked, or once more, is not heard.
    if (!call?.isSent) return metrics.strayAnswer();
    if (read.kind === "progress") call.soFar = read.soFar;
    else if (read.kind === "unreadable") {
      // The parent may have written it: it costs this call, and not the socket of all of them.
      metrics.refused("frame-malformed");
      call.reject(unreadable(call, limits));
    } else if (read.answer.isDone) call.resolve(read.answer.result);
    else call.reject(new PagewireError(read.answer.code ?? "handler-failed", read.answer.error));
  }

  /** Starts a call that nothing refuses; what ends it first is its outcome. */
  function begin(asked: ParentCall): Promise<Json> {
    const { name, origin, signal } = asked;
    const id = randomUUID();
    const message = messageOf(id, asked, limits);
    if (Buffer.byteLength(message) > limits.frameBytes) throw tooLarge(asked, limits);
    return new Promise((resolve, reject) => {
      const end = () => {
        calls.delete(id);
        stopTimer();
        signal.removeEventListener("abort", stop);
      };
      const call: Pending = {
        name,
        origin,
        deadline: clock.now() + limits.parentCallTime,
        message,
        isSent: false,
        soFar: "",
        resolve(result) {
          end();
          resolve(result);
        },
        reject(error) {
          end();
          reject(error);
        },
        giveUp(error) {
          if (call.isSent) withdraw(id);
          call.reject(error);
        },
      };
      const stop = () => call.giveUp(stopped(call));
      const stopTimer = clock.after(limits.parentCallTime, () => call.giveUp(late(call, limits)));
      signal.addEventListener("abort", stop);
      calls.set(id, call);
      send(call);
    });
  }

  const session: WindowSession = {
    offer: options.offer,
    get tools() {
      return isExpected && !refusalOf(session.offer.origin) ? session.offer.tools : [];
    },
    get isOpen() {
      return link !== undefined;
    },
    get isExpected() {
      return isExpected;
    },
    attach(next) {
      const former = link;
      link = next;
      isExpected = true;
      stopWaiting();
      former?.close(closeReason("tab-replaced", "This conversation is open in another window now."));
      next.start({
        message(message) {
          if (link === next) take(next, message);
        },
        closed() {
          if (link !== next) return;
          link = undefined;
          waitForSocket();
        },
      });
      for (const id of withdrawn) withdraw(id);
      withdrawn.clear();
      for (const call of calls.values()) {
        if (call.isSent || isOffered(call)) send(call);
        else call.reject(notOffered(call));
      }
    },
    async call(call) {
      if (!isOffered(call)) throw notOffered(call);
      if (refusalOf(call.origin)) throw originRemoved({ ...call, isSent: false, soFar: "" });
      if (!isExpected) throw notConnected(call);
      if (calls.size >= limits.callsPerTab) throw tooMany(limits);
      if (call.signal.aborted) throw stopped(call);
      return begin(call);
    },
    review() {
      for (const call of calls.values()) if (refusalOf(call.origin)) call.giveUp(originRemoved(call));
      const refusal = refusalOf(session.offer.origin);
      if (refusal && link) closeWith(link, refusal);
    },
    close() {
      const last = link;
      link = undefined;
      isExpected = false;
      stopWaiting();
      last?.close(closeReason("going-away"));
      for (const call of calls.values()) call.reject(lost(call));
    },
  };
  return session;
}

/** What the window is told of a call: the seed's fields, then ours. */
function messageOf(id: string, call: ParentCall, { frameBytes }: Limits): string {
  const { name, origin, callId, arguments: given } = call;
  const own = { tool_call_id: callId, origin, answer_bytes: frameBytes };
  return JSON.stringify({ type: "tool_call", request_id: id, tool_name: name, arguments: given, ...own }).slice(0, -1);
}
