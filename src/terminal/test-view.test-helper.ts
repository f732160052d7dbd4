// A view at the other end of a memory link: it reads what a terminal prints, and acks it.
import type { Link } from "../link/index.ts";
import { defaultLimits, encodeText, parseFrame, textOf, toView } from "../wire/index.ts";
import type { CloseReason, FrameFromView, FrameToView } from "../wire/index.ts";

type FrameTo<Type extends FrameToView["type"]> = Extract<FrameToView, { type: Type }>;

export interface TestView {
  readonly link: Link;
  readonly frames: readonly FrameToView[];
  /** All output since the last reset. */
  readonly text: string;
  readonly length: number;
  readonly tail: string;
  readonly opened: FrameTo<"opened">;
  readonly closed: Promise<CloseReason>;
  /** The position up to which it acks automatically; set it to a number to stop there. */
  seesUpTo: number;
  send(frame: FrameFromView, payload?: string): void;
  type(text: string): void;
  /** The next frame of this type that was not returned before. */
  next<Type extends FrameToView["type"]>(type: Type): Promise<FrameTo<Type>>;
  prints(text: string | RegExp): Promise<string>;
}

export function createTestView(link: Link): TestView {
  const frames: FrameToView[] = [];
  const asked = new Map<string, number>();
  let watchers: (() => boolean)[] = [];
  let parts: string[] = [];
  let length = 0;
  let tail = "";
  let ends = 0;
  let problem: Error | undefined;
  let close = (_reason: CloseReason): void => {};
  const closed = new Promise<CloseReason>((resolve) => {
    close = resolve;
  });

  function until<Value>(find: () => Value | undefined, what: string): Promise<Value> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = find();
        if (found !== undefined) resolve(found);
        if (problem) reject(new Error(`${problem.message} Waited for ${what}.`));
        return found === undefined && !problem;
      };
      if (check()) watchers.push(check);
    });
  }

  function notify(): void {
    watchers = watchers.filter((check) => check());
  }

  const view: TestView = {
    link,
    frames,
    closed,
    seesUpTo: Infinity,
    get text() {
      parts = [parts.join("")];
      return parts[0] ?? "";
    },
    get length() {
      return length;
    },
    get tail() {
      return tail;
    },
    get opened() {
      return frames.findLast((each) => each.type === "opened") as FrameTo<"opened">;
    },
    send: (frame, payload) => link.send(encodeText(frame, payload)),
    type: (typed) => view.send({ type: "input" }, typed),
    next(type) {
      const place = asked.get(type) ?? 0;
      asked.set(type, place + 1);
      return until(() => frames.filter((each) => each.type === type)[place], type) as never;
    },
    prints: (wanted) =>
      until(
        () => (typeof wanted === "string" ? view.text.includes(wanted) : wanted.test(view.text)) || undefined,
        `${wanted}`,
      ).then(() => view.text),
  };

  link.start({
    message(message) {
      const parsed = parseFrame(toView, message, defaultLimits);
      if (parsed.kind !== "frame") {
        problem = new Error(`A frame could not be read: ${textOf(message).slice(0, 200)}`);
        return notify();
      }
      const { frame, payload } = parsed;
      if (frame.type === "opened" && frame.at !== ends) [parts, length, tail] = [[], 0, ""];
      if (frame.type === "opened") ends = frame.at;
      if (frame.type === "output") {
        if (frame.at !== ends) problem = new Error(`Output came at ${frame.at}, and not at ${ends}.`);
        const printed = textOf(payload);
        parts.push(printed);
        length += printed.length;
        tail = `${tail}${printed}`.slice(-64);
        ends += printed.length;
        if (ends <= view.seesUpTo) view.send({ type: "seen", at: ends });
      }
      frames.push(frame);
      notify();
    },
    closed(reason) {
      close(reason);
      problem ??= new Error(`The hub closed: ${reason.reason}`);
      notify();
    },
  });
  return view;
}
