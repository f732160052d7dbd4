import type { AiToolDecision } from "pagewire/ai-agent";
import { systemClock } from "pagewire/link";
import type { Clock } from "pagewire/link";
import type { ApprovalDecision } from "pagewire/toolbox";
import { html, show, createArming } from "pagewire/chat/dom";
import { choicesOf, titleText, createApprovalCard } from "pagewire/chat";
import type { Arming } from "pagewire/chat/dom";
import type { ApprovalCard } from "pagewire/chat";
import { decisionMessage, parseAsked, readyToAsk } from "./approval-messages.ts";
import type { AskedApproval } from "./approval-messages.ts";

/** The framed window that has the question. */
interface AskingFrame {
  readonly closed: boolean;
  postMessage(data: unknown, targetOrigin: string): void;
}

/** The browser, injected. */
export interface TopLevelPowers {
  readonly clock: Clock;
  readonly origin: string;
  /** Whether this is a top-level window, not a frame that the surrounding page could cover. */
  readonly isTopLevel: boolean;
  readonly asking: AskingFrame | null;
  closeWindow(): void;
}

const watchTime = 500;
const notHere = "Questions of the assistant are answered here only in a window that it opened.";

/** Shows the question of the window that opened this one, and sends it the decision. */
export function mountTopLevel(root: HTMLElement, powers: TopLevelPowers = browserPowers()): { close(): void } {
  const { clock, origin, isTopLevel, asking, closeWindow } = powers;
  document.title = "May a tool run? – Pagewire";
  if (!isTopLevel || !asking) {
    show(root, html("main", { class: "asked" }, html("p", {}, notHere)));
    return { close: () => {} };
  }
  const arming = createArming(clock);
  const leaving = new AbortController();
  const { signal } = leaving;
  let card: ApprovalCard | undefined;
  let stopWatching = watch();

  /** Drops a question whose sender has closed. */
  function watch(): () => void {
    return clock.after(watchTime, () => {
      if (asking?.closed) return leave();
      stopWatching = watch();
    });
  }

  function leave(): void {
    close();
    closeWindow();
  }

  function close(): void {
    leaving.abort();
    stopWatching();
    card?.close();
    arming.close();
  }

  function hear({ source, origin: from, data }: MessageEvent): void {
    if (source !== (asking as unknown) || from !== origin) return;
    const asked = parseAsked(data);
    if (!asked) return;
    card?.close();
    arming.disturb();
    card = cardOf(asked, arming, (decision) => {
      // A hidden question cannot be decided.
      if (document.visibilityState !== "visible") return;
      asking?.postMessage(decisionMessage(asked.nonce, decision), origin);
      leave();
    });
    show(root, html("main", { class: "asked" }, card.element));
    card.element.focus();
  }

  const disturb = () => arming.disturb();
  window.addEventListener("message", hear, { signal });
  for (const event of ["focus", "blur", "resize"]) window.addEventListener(event, disturb, { signal });
  document.addEventListener("visibilitychange", disturb, { signal });
  document.addEventListener("scroll", disturb, { signal, capture: true, passive: true });
  asking.postMessage(readyToAsk, origin);
  return { close };
}

function cardOf(
  { request }: AskedApproval,
  arming: Arming,
  decide: (decision: ApprovalDecision) => void,
): ApprovalCard {
  return createApprovalCard({
    request,
    title: titleText(request.title?.trim() || request.tool),
    origin: request.origin,
    choices: choicesOf(request),
    arming,
    onDecide: (decision) => decide(wordsOf(decision)),
    review: undefined,
  });
}

function wordsOf(decision: AiToolDecision): ApprovalDecision {
  return typeof decision === "boolean" ? { approved: decision, scope: "once" } : decision;
}

function browserPowers(): TopLevelPowers {
  return {
    clock: systemClock,
    origin: location.origin,
    isTopLevel: window.top === window,
    asking: window.opener as Window | null,
    closeWindow: () => window.close(),
  };
}
