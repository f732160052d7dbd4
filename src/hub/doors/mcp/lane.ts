import type { IncomingMessage, ServerResponse } from "node:http";
import type { Json } from "../../../wire/index.ts";
import type { Admitted } from "../../guard/admitted.ts";
import type { Door } from "../door.ts";
import type { Holds } from "./holds.ts";
import type { OpenAnswers } from "../open-answers.ts";

/** One request of a client, and what is known of it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly admitted: Admitted;
  /** The tab that the address names; undefined for all. */
  readonly tab: string | undefined;
}

export interface LaneOptions {
  readonly door: Door;
  readonly holds: Holds;
  readonly answers: OpenAnswers;
}

/** How the clients of some revisions are served. */
export interface Lane {
  /** Serves a plain call; says whether this was one. */
  serveFast(exchange: Exchange, body: Json): Promise<boolean>;
  serve(exchange: Exchange, body: Json | undefined): Promise<void>;
  /** Tells the clients of standing streams that there will be no more, and ends them. */
  close(): void;
}
