// Serializes the calls of each form, which has only one set of fields. In Chromium 156, a call whose form is called
// again never ends, its answer may go to the second call, and cancelling it crashes the browser.
import { unlessAborted } from "../../toolbox/index.ts";
import type { ListedTool } from "./read-model-context.ts";
import { reach } from "./windows.ts";

/** By window and name: resolves when all calls of a form have ended. */
const queues = new WeakMap<Window, Map<string, Promise<void>>>();

/** Runs a call of a form after the earlier ones have ended, with its own signal. */
export function callForm<Answer>(
  tool: ListedTool,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const { window, name } = tool;
  const queue = queues.get(window) ?? new Map<string, Promise<void>>();
  queues.set(window, queue);
  const before = queue.get(name) ?? Promise.resolve();
  const call = unlessAborted(before, signal).then(() => whileUndisturbed({ tool, signal, run }));
  // A call that stopped waiting does not free the form. The results are dropped, to free their memory.
  queue.set(
    name,
    Promise.allSettled([before, call]).then(() => {}),
  );
  return call;
}

interface FormCall<Answer> {
  readonly tool: ListedTool;
  readonly signal: AbortSignal;
  readonly run: (signal: AbortSignal) => Promise<Answer>;
}

/** Others, such as the browser's own agent, may call the form too: then this call is over and must not be cancelled. */
function whileUndisturbed<Answer>({ tool, signal, run }: FormCall<Answer>): Promise<Answer> {
  const { window, name } = tool;
  const cancelling = new AbortController();
  const ended = new AbortController();
  const context = reach(window, (there) => (there.document as { readonly modelContext?: EventTarget }).modelContext);
  keepLateAnswers(findForm(tool), ended.signal);
  return new Promise<Answer>((resolve, reject) => {
    let activations = 0;
    const onActivated = (event: Event) => {
      if ((event as { readonly toolName?: unknown }).toolName !== name || ++activations < 2) return;
      reject(new Error(`Another call of the form "${name}" took the place of this one, which has no answer.`));
      ended.abort();
    };
    const onAbort = () => {
      ended.abort();
      cancelling.abort(signal.reason);
    };
    context?.addEventListener("toolactivated", onActivated, { signal: ended.signal });
    signal.addEventListener("abort", onAbort, { signal: ended.signal });
    run(cancelling.signal)
      .then(resolve, reject)
      .finally(() => ended.abort());
  });
}

// A page's late answer to a form call that has ended: Chromium 156 would give it to the next call.

interface AgentSubmission extends Event {
  readonly agentInvoked?: boolean;
  respondWith?(answer: unknown): void;
}

/** Hides answers to submissions from the browser, from now on, if they arrive after the signal has aborted. */
function keepLateAnswers(form: EventTarget | undefined, signal: AbortSignal): void {
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

/** The form behind a tool, if it is one. Only forms of this origin are listed at all. */
export function findForm({ window, name, annotations }: ListedTool): HTMLFormElement | undefined {
  return reach(window, ({ document }) =>
    // The browser does not list a tool's kind, but forms have no hints.
    find(document, { selector: `form[toolname="${CSS.escape(name)}"]`, deep: !annotations }),
  );
}

function find(
  root: ParentNode,
  { selector, deep }: { readonly selector: string; readonly deep: boolean },
): HTMLFormElement | undefined {
  const found = root.querySelector<HTMLFormElement>(selector);
  if (found) return found;
  if (!deep) return undefined;
  for (const { shadowRoot } of root.querySelectorAll("*")) {
    const inside = shadowRoot && find(shadowRoot, { selector, deep });
    if (inside) return inside;
  }
  return undefined;
}
