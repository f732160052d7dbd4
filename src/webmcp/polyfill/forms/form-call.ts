// A call to a form tool: the form is filled, submitted by itself or by the user, and answered by the page's submit
// listener. A form has one call at a time. Whether a listener prevented an event is known in the task after it.
import { messageOf } from "../../../wire/index.ts";
import type { RunningCall } from "../document-tools.ts";
import { failure } from "../failure.ts";
import { later } from "../../later.ts";
import { resultText } from "../result-text.ts";
import { fillForm } from "./fill-form.ts";
import { formElements } from "./form-parameters.ts";

/** The page's answer to a submit event. */
interface Submission {
  readonly event: Event;
  answer?: Promise<unknown>;
}

const submissions = new WeakMap<Event, Submission>();

/** Turns a submit event into one of an agent's call. */
function trackSubmission(event: Event): Submission {
  const submission = { event };
  submissions.set(event, submission);
  return submission;
}

/** Gives submit events the members that they have in browsers with tools. */
function extendSubmitEvents(): void {
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

interface FormCall {
  /** The outcome of the form's submission. */
  submission?: Submission;
  /** Whether the page submitted the form without an event. */
  isLeaving?: boolean;
  reset?: Event;
  resolve(answer: string | null): void;
  fail(reason: string, cause?: unknown): void;
}

const calls = new WeakMap<object, FormCall>();

/** Fills and submits a form, or leaves the submission to the user; returns the page's answer. */
export function callForm(form: HTMLFormElement, input: object, running: RunningCall): Promise<string | null> {
  endFormCall(form, "Another call of the form took the place of this one.");
  return new Promise<string | null>((resolve, reject) => {
    const fail = (reason: string, cause?: unknown) => reject(failure("UnknownError", reason, cause));
    try {
      begin(form, input, { resolve, fail, signal: running.signal });
    } catch (error) {
      reject(error);
    }
    running.activated();
  });
}

export function endFormCall(form: HTMLFormElement, reason: string): void {
  const call = calls.get(form);
  // An earlier answer wins.
  if (call) later(() => call.fail(reason));
}

interface Beginning extends FormCall {
  readonly signal: AbortSignal;
}

function begin(form: HTMLFormElement, input: object, { resolve, fail, signal }: Beginning): void {
  const button = submitButton(form);
  const submitsItself = form.hasAttribute("toolautosubmit");
  prepare(form, input, { button, submitsItself });
  const call: FormCall = {
    resolve: (answer) => end(() => resolve(answer)),
    fail: (...why) => end(() => fail(...why)),
  };
  const mark = (isActive: boolean) => {
    form.toggleAttribute("data-tool-form-active", isActive);
    button?.toggleAttribute("data-tool-submit-active", isActive);
  };
  const end = (how: () => void) => {
    if (calls.get(form) === call) {
      calls.delete(form);
      mark(false);
    }
    how();
  };
  calls.set(form, call);
  mark(true);
  signal.addEventListener("abort", () => end(() => {}), { once: true });
  if (!submitsItself) return button?.focus();
  // Called via the prototype: a field may be named "requestSubmit".
  HTMLFormElement.prototype.requestSubmit.call(form, button);
  if (!call.submission) return call.fail("The form could not be submitted.");
  // Not in a later task: a frame may be gone by then.
  settle(call, call.submission);
}

interface Submitting {
  readonly button: ReturnType<typeof submitButton>;
  readonly submitsItself: boolean;
}

/** Fills a form; throws if it could not be submitted. A form that the user submits need not be valid yet. */
function prepare(form: HTMLFormElement, input: object, { button, submitsItself }: Submitting): void {
  if (!submitsItself && !button) {
    const reason = "No submit button was found, but a form without toolautosubmit must have one for the user.";
    throw failure("UnknownError", reason);
  }
  fillForm(form, input);
  const problems = submitsItself ? validationProblems(form, button) : undefined;
  if (problems === undefined) return;
  form.reportValidity();
  throw failure("UnknownError", problems);
}

/** Watches the page's and the user's actions on forms, once there are calls. */
function followForms(): void {
  window.addEventListener("submit", onSubmit, true);
  window.addEventListener("reset", onReset, true);
  window.addEventListener("click", onClick, true);
  const { submit } = HTMLFormElement.prototype;
  HTMLFormElement.prototype.submit = function () {
    submit.call(this);
    const call = calls.get(this);
    if (!call) return;
    call.isLeaving = true;
    later(() => call.submission ?? call.resolve(null));
  };
}

function onSubmit(event: SubmitEvent): void {
  const call = calls.get(Object(event.target));
  // A click made by a script does not submit.
  if (!call || call.submission || !event.isTrusted) return;
  const submission = (call.submission = trackSubmission(event));
  later(() => settle(call, submission));
}

/** Ends a call according to its submit event. */
function settle(call: FormCall, { event, answer }: Submission): void {
  if (call.reset) failOnReset(call, call.reset);
  if (answer) {
    answer
      .then((given) => call.resolve(resultText(given)))
      .catch((error: unknown) => call.fail(`The promise of respondWith failed: ${messageOf(error)}`, error));
  } else if (call.isLeaving || !event.defaultPrevented) {
    call.resolve(null);
  } else {
    call.fail("The page called preventDefault() on the submit event, but not respondWith(): it gave no result.");
  }
}

function onReset(event: Event): void {
  const call = calls.get(Object(event.target));
  if (!call || !event.isTrusted) return;
  call.reset = event;
  later(() => failOnReset(call, event));
}

function failOnReset(call: FormCall, { defaultPrevented }: Event): void {
  if (!defaultPrevented) call.fail("The call was cancelled by a reset of the form.");
}

/** Submitting an invalid form dispatches no submit event, but the caller can correct its input. */
function onClick(event: MouseEvent): void {
  const button = event.target instanceof Element && event.target.closest("button, input");
  if (!button || !isSubmitButton(button) || !button.form) return;
  const { form } = button;
  const call = calls.get(form);
  if (!call) return;
  later(() => {
    const problems = validationProblems(form, button);
    if (!call.submission && !event.defaultPrevented && problems !== undefined) call.fail(problems);
  });
}

extendSubmitEvents();
followForms();

type SubmitButton = HTMLButtonElement | HTMLInputElement;

function isSubmitButton(element: Element): element is SubmitButton {
  const { type } = element as SubmitButton;
  return element.matches("button, input") && /^(submit|image)$/.test(type) && !element.matches(":disabled");
}

/** The button that submits a form: the first enabled one. */
function submitButton(form: HTMLFormElement): SubmitButton | undefined {
  // Image buttons are not among a form's elements.
  return [...document.querySelectorAll("button, input")].filter(isSubmitButton).find((button) => button.form === form);
}

/** The reason why a form cannot be submitted, if any. */
function validationProblems(form: HTMLFormElement, button: SubmitButton | undefined): string | undefined {
  if (form.noValidate || button?.formNoValidate) return undefined;
  const invalid = formElements(form).filter((element) => {
    const { willValidate, validity } = element as HTMLInputElement;
    return willValidate && !validity.valid;
  });
  const messages = (invalid as HTMLInputElement[]).map(
    ({ name, validationMessage }) => `${name}: ${validationMessage}`,
  );
  return messages.length > 0 ? `Form validation failed: ${messages.join(" ")}` : undefined;
}
