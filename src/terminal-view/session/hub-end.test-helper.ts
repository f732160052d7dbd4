// The hub's end of a view's link, controlled by the test.
import type { Link } from "../../link/index.ts";
import { closeReason, defaultLimits, encodeText, fromView, parseText } from "../../wire/index.ts";
import type { CloseName, FrameFromView, FrameToView } from "../../wire/index.ts";

export type SentFrame = FrameFromView & { readonly payload?: string };

/** The other end of one link of a view. */
export class HubEnd {
  readonly sent: SentFrame[] = [];
  isClosed = false;
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
    link.start({
      message: (message) => {
        const parsed = parseText(fromView, String(message), defaultLimits);
        if (parsed.kind !== "frame") throw new Error(`The view sent no frame: ${String(message)}`);
        this.sent.push({ ...parsed.frame, ...(parsed.payload === "" ? {} : { payload: parsed.payload }) });
      },
      closed: () => (this.isClosed = true),
    });
  }

  say(frame: FrameToView, payload?: string): void {
    this.#link.send(encodeText(frame, payload));
  }

  welcome(more: Partial<Extract<FrameToView, { type: "welcome" }>> = {}): void {
    this.say({ type: "welcome", version: 1, terminals: [], tmux: false, heartbeat: 15_000, ...more });
  }

  opened(more: Partial<Extract<FrameToView, { type: "opened" }>> = {}): void {
    const terminal = { terminal: "t1", name: "work", stream: "s1", at: 0, columns: 80, rows: 24, isNew: true };
    this.say({ type: "opened", ...terminal, ...more });
  }

  output(at: number, text: string): void {
    this.say({ type: "output", at }, text);
  }

  refuse(name: CloseName, reason: string = name): void {
    this.#link.close(closeReason(name, reason));
  }

  cut(): void {
    this.#link.close({ code: 1006, reason: "cut off" });
  }

  /** The input that the view sent. */
  get typed(): string {
    return this.sent.map((frame) => (frame.type === "input" ? (frame.payload ?? "") : "")).join("");
  }

  of<Type extends FrameFromView["type"]>(type: Type): readonly Extract<SentFrame, { type: Type }>[] {
    return this.sent.filter((frame): frame is Extract<SentFrame, { type: Type }> => frame.type === type);
  }
}
