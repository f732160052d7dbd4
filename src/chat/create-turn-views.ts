import type { ApprovalRequest } from "../toolbox/index.ts";
import type { TalkParent } from "./talk-parent.ts";
import type { TalkClock } from "./dom/clock.ts";
import type { Prompt } from "./model/prompt.ts";
import type { CallTurn, Turn } from "./model/turns.ts";
import { createAnswerTurn } from "./view/answer-turn.ts";
import type { ApprovalCard } from "./view/approval-card.ts";
import { createCallTurn } from "./view/call-turn.ts";
import { createPromptTurn } from "./view/prompt-turn.ts";
import type { PromptTurnView } from "./view/prompt-turn.ts";
import type { TurnView } from "./view/turn-view.ts";
import { isSame } from "./model/prompt.ts";

export interface TurnViewsOptions {
  readonly log: Element;
  readonly parent: Pick<TalkParent, "onProgress">;
  readonly clock: TalkClock;
  readonly ask: (turn: CallTurn, request: ApprovalRequest) => ApprovalCard;
  readonly onEdit: (messageId: string, prompt: Prompt) => boolean;
  readonly onCopy: (text: string) => void;
  readonly onRegenerate: () => void;
  /** The focused element was removed. */
  readonly onLeft: () => void;
}

export interface TurnViews extends TurnList {
  /** Opens the field of a turn, with these words or its own; without an id that of the last turn. False without one. */
  edit(messageId?: string, text?: string): boolean;
}

/** The views of the turns, by kind. */
export function createTurnViews(options: TurnViewsOptions): TurnViews {
  const { log, parent, clock, ask, onEdit, onCopy, onRegenerate, onLeft } = options;
  /** In order of arrival. */
  const prompts = new Set<PromptTurnView>();

  function create(turn: Turn): TurnView<Turn> {
    switch (turn.kind) {
      case "prompt": {
        const view = createPromptTurn(turn, { onEdit, onLeave: onLeft });
        prompts.add(view);
        return only("prompt", { ...view, close: () => void prompts.delete(view) });
      }
      case "answer":
        return only("answer", createAnswerTurn(turn, { onCopy, onRegenerate }));
      case "call":
        return only("call", createCallTurn(turn, { parent, clock, ask, onLeft }));
    }
  }

  const list = createTurnList(log, create);
  return {
    ...list,
    edit(messageId, text) {
      const views = [...prompts].filter(({ id }) => id !== undefined && (messageId === undefined || id === messageId));
      const last = views.reduce<PromptTurnView | undefined>(later, undefined);
      last?.edit(text);
      return last !== undefined;
    },
  };
}

function later(one: PromptTurnView | undefined, other: PromptTurnView): PromptTurnView {
  const isLater = one && one.element.compareDocumentPosition(other.element) & Node.DOCUMENT_POSITION_PRECEDING;
  return isLater ? one : other;
}

/** A view of turns of one kind: the list never gives it another. */
function only<Kind extends Turn["kind"]>(
  kind: Kind,
  view: TurnView<Extract<Turn, { readonly kind: Kind }>>,
): TurnView<Turn> {
  return { ...view, update: (turn) => turn.kind === kind && view.update(turn as Extract<Turn, { kind: Kind }>) };
}

interface Shown {
  turn: Turn;
  readonly view: TurnView<Turn>;
}

interface TurnList {
  update(turns: readonly Turn[]): void;
  close(): void;
}

/** Updates elements to match the turns; unchanged ones are left alone. */
function createTurnList(container: Element, create: (turn: Turn) => TurnView<Turn>): TurnList {
  let shown = new Map<string, Shown>();

  function show(turn: Turn): Shown {
    const before = shown.get(turn.key);
    if (!before || !isSameOne(before.turn, turn)) return { turn, view: create(turn) };
    shown.delete(turn.key);
    if (!isSame(before.turn, turn)) before.view.update(turn);
    before.turn = turn;
    return before;
  }

  function update(turns: readonly Turn[]): void {
    const next = new Map(turns.map((turn) => [turn.key, show(turn)]));
    for (const { view } of shown.values()) remove(view);
    shown = next;
    let place = container.firstElementChild;
    for (const { view } of next.values()) {
      if (view.element === place) place = place.nextElementSibling;
      else container.insertBefore(view.element, place);
    }
  }

  return { update, close: () => update([]) };
}

/** A streaming turn has no id yet; once it has one, it keeps that. */
function isSameOne(before: Turn, turn: Turn): boolean {
  return before.kind === turn.kind && (before.id === undefined || before.id === turn.id);
}

function remove(view: TurnView<Turn>): void {
  view.close();
  view.element.remove();
}
