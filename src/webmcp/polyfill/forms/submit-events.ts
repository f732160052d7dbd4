// `agentInvoked` and `respondWith` of the submit events of forms that agents fill.
import { failure } from "../failure.ts";

/** What a page answers for a submit event. */
export interface Submission {
  readonly event: Event;
  answer?: Promise<unknown>;
}

const submissions = new WeakMap<Event, Submission>();

/** Makes a submit event one of an agent's call. */
export function trackSubmission(event: Event): Submission {
  const submission = { event };
  submissions.set(event, submission);
  return submission;
}

/** Gives submit events what they have in browsers with tools. */
export function extendSubmitEvents(): void {
  Object.defineProperties(SubmitEvent.prototype, {
    agentInvoked: {
      configurable: true,
      enumerable: true,
      get(this: SubmitEvent) {
        return submissions.has(this);
      },
    },
    respondWith: { configurable: true, enumerable: true, writable: true, value: respondWith },
  });
}

function respondWith(this: SubmitEvent, answer: unknown): void {
  const submission = submissions.get(this);
  const why = !submission
    ? "it is only for a submit event with agentInvoked"
    : !this.defaultPrevented
      ? "call preventDefault first"
      : this.eventPhase === 0
        ? "the event is over, call it in the event's listener"
        : undefined;
  if (why !== undefined) throw failure("InvalidStateError", `respondWith: ${why}.`);
  if (submission) submission.answer = Promise.resolve(answer);
}
