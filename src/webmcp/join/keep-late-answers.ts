// What a page answers to a call of its form when that call is over. Chromium 156 gives it to the next call.

/** A submission by an agent. */
interface AgentSubmission extends Event {
  readonly agentInvoked?: boolean;
  respondWith?(answer: unknown): void;
}

/** Keeps answers to what is submitted from now on from the browser, if they come after the signal aborts. */
export function keepLateAnswers(form: EventTarget | undefined, signal: AbortSignal): void {
  const onSubmit = (event: AgentSubmission) => {
    const { agentInvoked, respondWith } = event;
    if (!agentInvoked || !respondWith) return;
    const timely = (answer: unknown) =>
      new Promise((resolve, reject) => {
        const unlessLate = (settle: (value: unknown) => void) => (value: unknown) => {
          if (!signal.aborted) settle(value);
        };
        Promise.resolve(answer).then(unlessLate(resolve), unlessLate(reject));
      });
    event.respondWith = (answer) => respondWith.call(event, timely(answer));
  };
  // Before the page's own listeners.
  form?.addEventListener("submit", onSubmit, { capture: true, signal });
}
