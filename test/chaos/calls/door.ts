import type { Answer } from "../history.ts";
import type { Exchange } from "./exchange.ts";

/** A request, independent of its door. */
export interface Sent {
  readonly tool: string;
  readonly input: object;
  readonly key: string | undefined;
  /** By HTTP only. */
  readonly seconds: number | undefined;
}

/** A call in progress. */
export interface Sending {
  readonly exchange: Exchange;
  /** Asks the hub to cancel the call; at a door without such a message the caller hangs up. */
  cancel(): void;
}

export type Told = Omit<Answer, "at">;

/** An endpoint, as one caller uses it. */
export interface CallerDoor {
  send(call: Sent): Promise<Sending>;
  /** Reads an answer into the form that all doors share. */
  read(answer: Awaited<Exchange["answer"]>): Told;
}

/** The options of every door. */
export interface DoorOptions {
  /** The hub's address, through the proxy that breaks the callers' network. */
  readonly url: string;
  readonly token: string;
  readonly name: string;
}
