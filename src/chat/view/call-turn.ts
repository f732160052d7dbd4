import type { ApprovalRequest } from "../../toolbox/index.ts";
import { html, icon, show } from "../dom/dom.ts";
import type { TalkParent } from "../talk-parent.ts";
import type { TalkClock } from "../dom/clock.ts";
import { readableText } from "../model/readable-text.ts";
import type { CallTurn } from "../model/turns.ts";
import type { ApprovalCard } from "./approval-card.ts";
import { icons } from "./icons.ts";
import type { TurnView } from "./turn-view.ts";
import { pageLimits, parseJsonObject, showInvisible } from "../../wire/index.ts";

interface StatusLook {
  readonly words: string;
  readonly icon: keyof typeof icons;
}

const looks: Readonly<Record<CallTurn["status"], StatusLook>> = {
  streaming: { words: "Being written", icon: "running" },
  waiting: { words: "Waits for you", icon: "waiting" },
  running: { words: "Running", icon: "running" },
  done: { words: "Done", icon: "done" },
  failed: { words: "Failed", icon: "failed" },
  refused: { words: "Not allowed", icon: "refused" },
  stopped: { words: "Stopped", icon: "stop" },
};

/** A call's status as text and as an icon; with where it was decided, if elsewhere, and its duration, if known. */
function callStatus({ status, decidedIn }: CallTurn, seconds: number | undefined): StatusLook {
  const { words: state, icon } = looks[status];
  const words = decidedIn === undefined ? state : `${state} · decided in the console`;
  if (seconds === undefined) return { words, icon };
  return { words: `${words} · ${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`, icon };
}

const longest = 400;

/** Why a call failed or was stopped, where that is one short text; else undefined: the whole result shows it. */
function problemOf({ status, result = "" }: Pick<CallTurn, "status" | "result">): string {
  if ((status !== "failed" && status !== "stopped") || result.length > longest) return "";
  const error = parseJsonObject(result, pageLimits.jsonDepth)?.["error"];
  return typeof error === "string" ? showInvisible(error) : "";
}

export interface CallTurnOptions {
  readonly parent: Pick<TalkParent, "onProgress">;
  readonly clock: TalkClock;
  /** Asks whether the call may run. */
  readonly ask: (turn: CallTurn, request: ApprovalRequest) => ApprovalCard;
  /** The question is over: the keyboard was in it. */
  readonly onLeft: () => void;
}

/** A tool call: its name, status, arguments and result. */
export function createCallTurn(first: CallTurn, options: CallTurnOptions): TurnView<CallTurn> {
  const { parent, clock, ask, onLeft } = options;
  let turn = first;
  let card: ApprovalCard | undefined;
  const mark = html("span", { class: "call-mark" });
  const title = html("span", { class: "call-title" });
  const status = html("span", { class: "call-status" });
  const progress = createCallProgress(parent, first.id);
  const given = createFoldable("Arguments", readableText);
  const result = createFoldable("Result", readableText);
  const problem = html("p", { class: "call-problem" });
  const head = html("p", { class: "call-head" }, mark, title, status);
  const element = html("article", { part: "call" }, head, problem, progress.element, given.element, result.element);
  const stopwatch = createStopwatch(clock, drawStatus);

  function drawStatus(): void {
    const look = callStatus(turn, stopwatch.seconds);
    status.textContent = look.words;
    show(mark, icon(icons[look.icon]));
  }

  function draw(): void {
    const { title: words, status: now } = turn;
    const why = problemOf(turn);
    const isOver = now !== "streaming" && now !== "waiting" && now !== "running";
    stopwatch.run(now === "running");
    progress.follow(now === "running");
    element.className = `turn call ${now}`;
    element.setAttribute("aria-label", `Tool ${words}`);
    title.textContent = words;
    drawStatus();
    problem.textContent = why;
    problem.hidden = why === "";
    given.element.hidden = now === "waiting" || /^(\{\s*\})?$/.test(turn.arguments.trim());
    given.update(turn.arguments);
    result.element.hidden = !isOver || turn.result === undefined || why !== "";
    result.update(turn.result ?? "");
    drawCard();
  }

  function drawCard(): void {
    const request = turn.status === "waiting" ? turn.approval : undefined;
    if (!request) return dropCard();
    if (card) return;
    card = ask(turn, request);
    element.append(card.element);
  }

  function dropCard(): void {
    const hadFocus = card?.element.contains((element.getRootNode() as Document | ShadowRoot).activeElement);
    card?.close();
    card?.element.remove();
    card = undefined;
    if (hadFocus) onLeft();
  }

  draw();
  return {
    element,
    update(next) {
      turn = next;
      draw();
    },
    close() {
      stopwatch.run(false);
      progress.follow(false);
      dropCard();
    },
  };
}

interface CallProgress {
  readonly element: HTMLElement;
  /** Whether the call still runs. */
  follow(isRunning: boolean): void;
}

/** A running call's progress, in its tool's words. */
function createCallProgress(parent: Pick<TalkParent, "onProgress">, callId: string): CallProgress {
  const bar = html("progress", { "aria-label": "Progress" });
  const words = html("p", { class: "progress-words" });
  const element = html("div", { class: "call-progress", hidden: true }, bar, words);
  let leave: (() => void) | undefined;

  return {
    element,
    follow(isRunning) {
      if (!isRunning) {
        leave?.();
        leave = undefined;
        element.hidden = true;
        return;
      }
      leave ??= parent.onProgress(({ toolCallId, progress, total, message }) => {
        if (toolCallId !== callId) return;
        element.hidden = false;
        bar.hidden = total === undefined || total <= 0;
        if (total !== undefined && total > 0) {
          bar.max = total;
          bar.value = Math.min(progress, total);
        }
        words.textContent = message === undefined ? "" : showInvisible(message.slice(0, 300));
      });
    },
  };
}

interface Foldable {
  readonly element: HTMLDetailsElement;
  update(text: string): void;
}

/** Text that is rendered only when it is unfolded. */
function createFoldable(name: string, write: (text: string) => string): Foldable {
  const hint = html("span", { class: "fold-hint" });
  const body = html("pre", { tabindex: "0", "aria-label": name });
  const element = html("details", { class: "fold" }, html("summary", {}, name, hint), body);
  let latest = "";
  let written: string | undefined;

  function draw(): void {
    if (!element.open || written === latest) return;
    written = latest;
    body.textContent = write(latest);
  }

  element.addEventListener("toggle", draw);
  return {
    element,
    update(text) {
      latest = text;
      hint.textContent = write(text.slice(0, 200)).replaceAll(/\s+/g, " ").slice(0, 80);
      draw();
    },
  };
}

interface Stopwatch {
  /** Since it was started, until it was stopped; undefined where it never ran. */
  readonly seconds: number | undefined;
  run(isRunning: boolean): void;
}

/** Ticks each second while it runs. */
function createStopwatch(clock: TalkClock, onTick: () => void): Stopwatch {
  let begun: number | undefined;
  let ended: number | undefined;
  let cancel = () => {};

  function tick(): void {
    cancel = clock.after(1000, tick);
    onTick();
  }

  return {
    get seconds() {
      return begun === undefined ? undefined : ((ended ?? clock.now()) - begun) / 1000;
    },
    run(isRunning) {
      if (isRunning && begun === undefined) {
        begun = clock.now();
        cancel = clock.after(1000, tick);
      } else if (!isRunning && begun !== undefined && ended === undefined) {
        ended = clock.now();
        cancel();
      }
    },
  };
}
