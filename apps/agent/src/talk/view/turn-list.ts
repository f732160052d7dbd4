import { isSame } from "../state/is-same.ts";
import type { Turn } from "../state/turns.ts";
import type { TurnView } from "./turn-view.ts";

interface Shown {
  turn: Turn;
  readonly view: TurnView<Turn>;
}

export interface TurnList {
  update(turns: readonly Turn[]): void;
  close(): void;
}

/** Keeps elements in step with turns: what has not changed is not touched. */
export function createTurnList(container: Element, create: (turn: Turn) => TurnView<Turn>): TurnList {
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

/** What streams in has no id yet; once it has one, it stays that. */
function isSameOne(before: Turn, turn: Turn): boolean {
  return before.kind === turn.kind && (before.id === undefined || before.id === turn.id);
}

function remove(view: TurnView<Turn>): void {
  view.close();
  view.element.remove();
}
