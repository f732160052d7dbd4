import { encodeFrame, sizeOf } from "../../wire/index.ts";
import type { FrameFromPage, FrameToPage, Limits, Message, Payload } from "../../wire/index.ts";

/** `onTooLarge` gets the outcome of a call that fits into no frame. */
export function createSend(
  link: { send(message: Message, frame: FrameToPage): void },
  { frameBytes }: Pick<Limits, "frameBytes">,
  onTooLarge: (failure: FrameFromPage) => void,
) {
  const send = (frame: FrameToPage, payload?: Payload): void => {
    const message = encodeFrame(frame, payload);
    if (sizeOf(message) <= frameBytes) return link.send(message, frame);
    // Arguments within the limit may exceed it together with this frame's header.
    if (frame.type === "call") queueMicrotask(() => onTooLarge(tooLarge(frame)));
    if (frame.type === "answer") {
      const { id, ask } = frame;
      send({ type: "answer", id, ask, code: "frame-too-large", message: "The answer is too large for a frame." });
    }
  };
  return send;
}

function tooLarge({ id, resume }: Extract<FrameToPage, { type: "call" }>): FrameFromPage {
  const message = "The arguments are too large: with its header the call exceeds the limit frameBytes.";
  const outcome = resume
    ? ({ outcome: "outcome-unknown", ran: "maybe" } as const)
    : ({ outcome: "rejected", ran: "no" } as const);
  return { type: "failure", id, ...outcome, code: "body-too-large", message };
}
