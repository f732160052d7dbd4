// The client's connection, and for a moment a second one: where another hub takes over from one that stops, the client
// connects there first, and leaves when its calls on the old connection have ended.
import { Connection } from "./connection.ts";
import type { ConnectionOptions } from "./connection.ts";
import type { FrameFromAgent, FrameToAgent, Payload, PagewireError } from "../wire/index.ts";

export interface LinesOptions extends Omit<ConnectionOptions, "onFrame" | "onLost" | "onWelcome" | "onElsewhere"> {
  /** Called with the line that new frames go to from now on. */
  onWelcome(): void;
  onFrame(frame: FrameToAgent, payload: Payload, line: Connection): void;
  onLost(line: Connection): void;
  /** Whether calls run on it. */
  isUsed(line: Connection): boolean;
}

export class Lines {
  readonly #options: LinesOptions;
  #current: Connection;
  /** Not welcome yet. */
  #next: Connection | undefined;
  readonly #leaving = new Set<Connection>();
  #stopTimer = () => {};

  constructor(options: LinesOptions) {
    this.#options = options;
    this.#current = this.#open();
  }

  /** The line that a frame was sent on; undefined if there is no connection. */
  send(frame: FrameFromAgent, payload?: string): Connection | undefined {
    return this.#current.send(frame, payload) ? this.#current : undefined;
  }

  drop(error: PagewireError): void {
    this.#current.drop(error);
  }

  close(): void {
    this.#stopTimer();
    for (const line of [this.#current, this.#next, ...this.#leaving]) line?.close();
  }

  #open(): Connection {
    const { onWelcome, onFrame, onLost, onEnd, onState, ...rest } = this.#options;
    const isCurrent = () => line === this.#current;
    const line: Connection = new Connection({
      ...rest,
      onWelcome: () => {
        if (line === this.#next) this.#move(line);
        onWelcome();
      },
      onFrame: (frame, payload) => {
        onFrame(frame, payload, line);
        if (this.#leaving.has(line)) this.#leave(line);
      },
      onLost: () => {
        onLost(line);
        if (this.#leaving.delete(line)) line.close();
      },
      onEnd: (error) => {
        if (line === this.#next) this.#next = undefined;
        else if (isCurrent()) onEnd(error);
      },
      onState: (state) => {
        if (isCurrent()) onState(state);
      },
      onElsewhere: (within) => isCurrent() && this.#moveWithin(within),
    });
    return line;
  }

  #moveWithin(milliseconds: number): void {
    const { clock, random } = this.#options;
    this.#stopTimer();
    this.#stopTimer = clock.after(random() * milliseconds, () => (this.#next ??= this.#open()));
  }

  #move(line: Connection): void {
    const old = this.#current;
    this.#current = line;
    this.#next = undefined;
    this.#leaving.add(old);
    old.send({ type: "watch", on: false });
    this.#leave(old);
  }

  #leave(line: Connection): void {
    if (this.#options.isUsed(line)) return;
    this.#leaving.delete(line);
    line.close();
  }
}
