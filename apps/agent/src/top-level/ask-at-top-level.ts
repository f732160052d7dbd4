// Asks for an approval in a separate window, where the page around a framed window can cover nothing. Uses only
// messages, because a frame does not share a window's storage.
import { systemClock } from "pagewire/link";
import type { Clock } from "pagewire/link";
import type { ApprovalDecision, ApprovalRequest } from "pagewire/toolbox";
import { PagewireError } from "pagewire/wire";
import { askMessage, isReadyToAsk, parseDecision } from "./approval-messages.ts";

/** The window that shows the question. */
interface AskingWindow {
  readonly closed: boolean;
  postMessage(data: unknown, targetOrigin: string): void;
  close(): void;
}

/** The browser, injected. */
export interface AskPowers {
  readonly self: EventTarget;
  /** The origin of this window and of the one that is opened. */
  readonly origin: string;
  readonly clock: Clock;
  /** Null where the browser blocks it. */
  openWindow(): AskingWindow | null;
  newNonce(): string;
}

/** Call it in response to a click. Rejects if no decision was made; the question may be asked again. */
export type AskAtTopLevel = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalDecision>;

const watchTime = 300;

export function createAskAtTopLevel({ self, origin, clock, openWindow, newNonce }: AskPowers): AskAtTopLevel {
  return (request, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(undecided("The question is not open any more."));
      const asking = openWindow();
      if (!asking) {
        return reject(undecided("The browser blocked the window of the question. Allow pop-ups here, and try again."));
      }
      const nonce = newNonce();
      const end = () => {
        stopWatching();
        self.removeEventListener("message", hear);
        signal.removeEventListener("abort", abort);
        asking.close();
      };
      const abort = () => {
        end();
        reject(undecided("The question is not open any more."));
      };
      const watch = (): (() => void) =>
        clock.after(watchTime, () => {
          if (!asking.closed) return void (stopWatching = watch());
          end();
          reject(undecided("The window was closed without a decision."));
        });
      const hear = (event: Event) => {
        const { source, origin: from, data } = event as MessageEvent;
        if (source !== (asking as unknown) || from !== origin) return;
        if (isReadyToAsk(data)) return asking.postMessage(askMessage({ nonce, request }), origin);
        const decision = parseDecision(data, nonce);
        if (!decision) return;
        end();
        resolve(decision);
      };
      let stopWatching = watch();
      self.addEventListener("message", hear);
      signal.addEventListener("abort", abort);
    });
}

/** Asks in a window of the hub's own origin. */
export const askAtTopLevel: AskAtTopLevel = (request, signal) =>
  createAskAtTopLevel({
    self: window,
    origin: location.origin,
    clock: systemClock,
    openWindow: () => open("/#approve", "_blank", "popup,width=520,height=640"),
    newNonce: () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join("-"),
  })(request, signal);

function undecided(message: string): PagewireError {
  return new PagewireError("ask-failed", message);
}
