import type { Answer } from "../history.ts";
import type { Exchange } from "./exchange.ts";

/** What is sent, in the words of no door. */
export interface Sent {
  readonly tool: string;
  readonly input: object;
  readonly key: string | undefined;
  /** By HTTP only. */
  readonly seconds: number | undefined;
}

/** A call that is on its way. */
export interface Sending {
  readonly exchange: Exchange;
  /** Tells the hub that the call is to be cancelled; where a door has no words for that its caller hangs up. */
  cancel(): void;
}

export type Told = Omit<Answer, "at">;

/** A way in, as one caller uses it. */
export interface CallerDoor {
  send(call: Sent): Promise<Sending>;
  /** What an answer says, in the words of no door. */
  read(answer: Awaited<Exchange["answer"]>): Told;
}

/** What every door needs. */
export interface DoorOptions {
  /** The hub's address, through whatever breaks the callers' network. */
  readonly url: string;
  readonly token: string;
  readonly name: string;
}
