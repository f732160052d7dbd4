import type { ApprovalRequest } from "pagewire/toolbox";
import { html, icon, show } from "../../../../common/src/dom.ts";
import type { Parent } from "../../parent/connect-parent.ts";
import type { TalkClock } from "../clock.ts";
import { problemOf } from "../state/problem-of.ts";
import { readableText } from "../state/readable-text.ts";
import type { CallTurn } from "../state/turns.ts";
import type { ApprovalCard } from "./approval-card.ts";
import { createCallProgress } from "./call-progress.ts";
import { callStatus } from "./call-status.ts";
import { createFoldable } from "./foldable.ts";
import { icons } from "./icons.ts";
import { createStopwatch } from "./stopwatch.ts";
import type { TurnView } from "./turn-view.ts";

export interface CallTurnOptions {
  readonly parent: Pick<Parent, "onProgress">;
  readonly clock: TalkClock;
  /** The question whether the call may run. */
  readonly ask: (turn: CallTurn, request: ApprovalRequest) => ApprovalCard;
  /** The question is over: the keyboard was in it. */
  readonly onLeft: () => void;
}

/** A tool call: what is called, how it is, and what went in and came out. */
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
  const element = html("article", {}, head, problem, progress.element, given.element, result.element);
  const stopwatch = createStopwatch(clock, drawStatus);

  function drawStatus(): void {
    const look = callStatus(turn.status, stopwatch.seconds);
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
    const hadFocus = card?.element.contains(document.activeElement);
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
