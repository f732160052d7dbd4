import type { Outcome } from "../wire/index.ts";
import { Following } from "./calls.ts";
import type { RunningCall } from "./calls.ts";

/** A call whose page may ask the person in front of it. */
interface AskedInPage {
  readonly isAskedInPage: boolean;
}

/** A request whose answer waits for its client to read the changed list. */
export class ReadingFollowing<Call extends RunningCall & AskedInPage> extends Following<Call> {
  /** The place of the question: a program that cannot ask its user shows only this. */
  override beat(): void {
    super.beat(this.call.isAskedInPage ? waitsForUser : undefined);
  }

  override answer(outcome: Outcome): void {
    const { lists } = this.exchange.peer;
    if (lists?.isBehind(this.call.tabId)) lists.afterReading(() => super.answer(outcome));
    else super.answer(outcome);
  }
}

const waitsForUser = "The tab waits for its user: the question is in the page, and in `npx pagewire waits`.";
