// Questions to the person, in one window of the extension. They are in storage.session, because the worker may be stopped while
// the person thinks; a closed window is a refusal.
import type { ExtensionApi } from "../browser-api.ts";
import { shownAsk } from "../messages.ts";
import type { PersonAnswer, PersonQuestion, ShownAsk } from "../messages.ts";
import type { Stored } from "./stored.ts";
import { createAskWindow } from "./ask-window.ts";
import type { AskWindow } from "./ask-window.ts";
import { isSame } from "./grants.ts";
import type { Place } from "./grants.ts";
import { createRefusals } from "./refusals.ts";

/** The most questions of one tab that wait at once. */
const asksMost = 10;

/** A question of a page, until the page has its answer. */
interface Ask {
  readonly id: string;
  /** The page's own id of it. */
  readonly ask: string;
  readonly place: Place;
  /** Missing where a tool asks. */
  readonly agent?: string | undefined;
  /** Kept where the page's port is away for a moment. */
  readonly answer?: PersonAnswer;
}

export interface Asks {
  /** Asks; a question that is repeated is asked once, and answered again. */
  add(place: Place, ask: string, question: PersonQuestion): Promise<void>;
  /** The person's answer. False if the question is over. */
  answer(id: string, answer: PersonAnswer): Promise<boolean>;
  /** The page's call ended. */
  over(place: Place, ask: string): Promise<void>;
  /** Ends all questions of a tab, except for those of a document that is still there. */
  drop(tab: number, staying?: Place): Promise<void>;
  /** Ends all questions of a document but these. */
  only(place: Place, asks: readonly string[]): Promise<void>;
  windowClosed(window: number): Promise<void>;
  /** After a start of the worker: the window may have been closed meanwhile. Gives the documents whose questions are kept. */
  resume(): Promise<readonly Place[]>;
}

export interface AsksOptions {
  readonly session: Stored;
  readonly now: () => number;
  titleOf(tab: number): Promise<string>;
  /** Gives the page its answer; false if its port is away. */
  deliver(place: Place, ask: string, answer: PersonAnswer): boolean;
  changed(tab: number, waiting: number): void;
}

const name = "asks";

const isWaiting = ({ answer }: Ask) => answer === undefined;

/** The questions in storage.session. Steps follow each other, each with the questions as they are then. */
function createKept({ session, changed }: Pick<AsksOptions, "session" | "changed">, window: AskWindow) {
  let last: Promise<unknown> = Promise.resolve();
  const count = (asks: readonly Ask[], tab: number) =>
    changed(tab, asks.filter((ask) => ask.place.tab === tab && isWaiting(ask)).length);
  return {
    count,
    inTurn<Value>(step: (asks: readonly Ask[]) => Promise<Value>): Promise<Value> {
      const turn = last.then(async () => step(((await session.get(name)) ?? []) as readonly Ask[]));
      last = turn.catch(console.error);
      return turn;
    },
    async keep(asks: readonly Ask[], tab: number): Promise<void> {
      await session.change(name, () => (asks.length > 0 ? asks : undefined));
      count(asks, tab);
      if (!asks.some(isWaiting)) await window.close();
    },
    show: (id: string, shown: ShownAsk | undefined) => session.change(shownAsk(id), () => shown),
  };
}

export function createAsks(api: Pick<ExtensionApi, "windows" | "runtime">, options: AsksOptions): Asks {
  const { session, now, titleOf, deliver } = options;
  const refusals = createRefusals(session, now);
  const window = createAskWindow(api, session);
  const idOf = ({ tab }: Place, ask: string) => `${tab}:${ask}`;
  const { inTurn, count, keep, show } = createKept(options, window);

  async function settle(asks: readonly Ask[], settled: Ask, answer: PersonAnswer): Promise<readonly Ask[]> {
    await show(settled.id, undefined);
    const isDelivered = deliver(settled.place, settled.ask, answer);
    const rest = asks.filter(({ id }) => id !== settled.id);
    const next = isDelivered ? rest : [...rest, { ...settled, answer }];
    await keep(next, settled.place.tab);
    const { place, agent } = settled;
    if (agent !== undefined && isWaiting(settled)) {
      await refusals.answered(place.origin, agent, answer.action !== "allow");
    }
    return next;
  }

  async function refuseAll(asks: readonly Ask[]): Promise<void> {
    let left = asks;
    for (const ask of asks.filter(isWaiting)) left = await settle(left, ask, { action: "refuse" });
  }

  /** Ends questions of a tab without an answer. */
  const end = (tab: number, isOver: (ask: Ask) => boolean) =>
    inTurn(async (asks) => {
      const over = asks.filter((ask) => ask.place.tab === tab && isOver(ask));
      if (over.length === 0) return;
      for (const { id } of over) await show(id, undefined);
      await keep(
        asks.filter((ask) => !over.includes(ask)),
        tab,
      );
    });

  async function put(asks: readonly Ask[], asked: Ask, question: PersonQuestion): Promise<void> {
    const { id, place } = asked;
    const { tab, origin } = place;
    const shown: ShownAsk = {
      ...{ tab, origin, title: await titleOf(tab), askedAt: now() },
      question: JSON.stringify(question),
    };
    const next = [...asks, asked];
    await show(id, shown);
    try {
      await keep(next, tab);
    } catch (error) {
      await show(id, undefined);
      throw error;
    }
    try {
      await window.show();
    } catch (error) {
      console.error(error);
      await refuseAll(next);
    }
  }

  return {
    add: (place, ask, question) =>
      inTurn(async (asks) => {
        const id = idOf(place, ask);
        const known = asks.find((each) => each.id === id);
        if (known?.answer) return void (await settle(asks, known, known.answer));
        if (known) return;
        const isFull = asks.filter((each) => each.place.tab === place.tab).length >= asksMost;
        if (isFull) return void deliver(place, ask, { action: "refuse" });
        const agent = question.kind === "call" ? question.agent : undefined;
        if (agent !== undefined && (await refusals.areMany(place.origin, agent))) {
          return void deliver(place, ask, { action: "refuse", isUnasked: true });
        }
        await put(asks, { id, ask, place, agent }, question);
        // A question that cannot be asked, such as where the storage is full, is answered none the less.
      }).catch(() => void deliver(place, ask, { action: "refuse" })),
    answer: (id, answer) =>
      inTurn(async (asks) => {
        const ask = asks.find((each) => each.id === id && isWaiting(each));
        if (ask) await settle(asks, ask, answer);
        return ask !== undefined;
      }),
    over: (place, ask) => end(place.tab, ({ id }) => id === idOf(place, ask)),
    // Firefox does not tell documents apart: the site counts too.
    drop: (tab, staying) => end(tab, ({ place }) => !staying || !isSame(place, staying)),
    only: (place, staying) => end(place.tab, (ask) => isSame(ask.place, place) && !staying.includes(ask.ask)),
    windowClosed: (closed) =>
      inTurn(async (asks) => {
        if (await window.wasClosed(closed)) await refuseAll(asks);
      }),
    resume: () =>
      inTurn(async (asks) => {
        for (const { place } of asks) count(asks, place.tab);
        const state = asks.some(isWaiting) ? await window.state() : "open";
        if (state === "none") await window.show();
        if (state === "closed") await refuseAll(asks);
        return asks.map(({ place }) => place);
      }),
  };
}
