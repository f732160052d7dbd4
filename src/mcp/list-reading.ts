import type { Outcome } from "../wire/index.ts";
import { Following } from "./calls.ts";
import type { RunningCall } from "./calls.ts";

/** A request whose answer waits for its client to read the changed list. */
export class ReadingFollowing<Call extends RunningCall> extends Following<Call> {
  override answer(outcome: Outcome): void {
    const { lists } = this.exchange.peer;
    if (lists?.isBehind(this.call.tabId)) lists.afterReading(() => super.answer(outcome));
    else super.answer(outcome);
  }
}
