import { unlessAborted } from "../../toolbox/index.ts";
import type { ApprovalRequest } from "../../toolbox/index.ts";
import { PagewireError, allowQuestion, parseJsonObject } from "../../wire/index.ts";
import type {
  AskMethod,
  ErrorCode,
  FrameFromPage,
  FrameToPage,
  JsonObject,
  PageLimits,
  Tool,
} from "../../wire/index.ts";
import { createAskInPage, dialogShown } from "../dialog/dialog.ts";
import type { Dialog } from "../dialog/dialog.ts";

type AnswerFrame = Extract<FrameToPage, { type: "answer" }>;

/** The questions of one call: to its caller if that can answer, else to the user of the page. */
export interface Questions {
  ask(method: AskMethod, parameters: JsonObject): Promise<JsonObject>;
  /** Sends open questions again, for a caller that may have missed them. */
  repeat(): void;
  answer(frame: AnswerFrame, payload: string): void;
}

interface AskingCall {
  readonly call: { readonly id: string };
  /** The methods that the caller can answer. */
  readonly asks: readonly AskMethod[];
  /** Aborts with the call, which closes its dialog. */
  readonly signal: AbortSignal;
}

interface OpenQuestion {
  send(): void;
  settle(frame: AnswerFrame, payload: string): void;
}

export interface QuestionsOptions {
  readonly send: (frame: FrameFromPage, payload?: string) => void;
  readonly loadDialog: () => Promise<Dialog>;
  readonly limits: PageLimits;
}

export interface AskToRunOptions extends QuestionsOptions {
  readonly toolbox: { get(name: string): Pick<Tool, "description" | "annotations"> | undefined };
}

interface RunToAllow extends AskingCall {
  readonly frame: Extract<FrameToPage, { type: "call" }>;
  questions?: Promise<Questions>;
}

/** Asks the user of the page whether a call may run, because the hub requires it; rejects if the dialog cannot be shown. */
export async function askToRun(run: RunToAllow, given: JsonObject, options: AskToRunOptions): Promise<boolean> {
  const { name, agent } = run.frame;
  const { approve } = await options.loadDialog();
  const shown = () => {
    const { description, annotations } = options.toolbox.get(name) ?? {};
    return { ...(description && { description }), ...(annotations?.destructiveHint && { destructive: true as const }) };
  };
  const before = shown();
  const request: ApprovalRequest = {
    callId: run.frame.id,
    tool: name,
    ...before,
    arguments: given,
    agent,
    reason: "The hub's policy wants each such call to be allowed.",
    once: true,
  };
  const questions = createQuestions(run, options);
  // The hub's answer finds them here.
  run.questions ??= Promise.resolve(questions);
  const { action } = await questions.askHere(allowQuestion, {}, async (signal) => {
    const { approved } = await approve(request, signal);
    return { action: approved ? "accept" : "decline" };
  });
  // A script of the page may have replaced the tool meanwhile: the answer was about another one.
  return action === "accept" && JSON.stringify(shown()) === JSON.stringify(before);
}

/** Shows a question in the page until the signal aborts, with the reason as text if it was answered elsewhere. */
type Show = (signal: AbortSignal) => Promise<JsonObject>;

interface PageQuestions extends Questions {
  /** Asks here, and takes the hub's answer if that comes first. */
  askHere(name: string, parameters: JsonObject, show: Show): Promise<JsonObject>;
}

export function createQuestions({ call, asks, signal }: AskingCall, options: QuestionsOptions): PageQuestions {
  const { send, loadDialog, limits } = options;
  const askInPage = createAskInPage(loadDialog);
  const open = new Map<string, OpenQuestion>();
  let count = 0;

  function askCaller(method: AskMethod, parameters: JsonObject): Promise<JsonObject> {
    const name = String(++count);
    const text = JSON.stringify(parameters);
    return new Promise((resolve, reject) => {
      const question: OpenQuestion = {
        send: () => send({ type: "ask", id: call.id, ask: name, method }, text),
        settle({ code, message = "The caller's answer could not be read." }, payload) {
          open.delete(name);
          if (code === "ask-unsupported") return resolve(askPerson(method, parameters));
          const answer = code === undefined ? parseJsonObject(payload, limits.jsonDepth) : undefined;
          if (answer) resolve(answer);
          else reject(new PagewireError("ask-failed", message));
        },
      };
      open.set(name, question);
      question.send();
    });
  }

  /** Only forms have an answer that the hub could give. */
  function askPerson(method: AskMethod, parameters: JsonObject): Promise<JsonObject> {
    const show: Show = (until) => askInPage(method, parameters, until);
    const isForm = method === "elicitation/create" && (parameters["mode"] ?? "form") === "form";
    return isForm ? askHere(String(++count), parameters, show) : show(signal);
  }

  function askHere(name: string, parameters: JsonObject, show: Show): Promise<JsonObject> {
    // The call ended while the dialog was loaded.
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const text = JSON.stringify(parameters);
    const shown = new AbortController();
    const stop = () => shown.abort();
    signal.addEventListener("abort", stop);
    // The call's signal announces dialogs. The hub knows this one already.
    shown.signal.addEventListener(dialogShown, (event) => {
      event.preventDefault();
      signal.dispatchEvent(new CustomEvent(dialogShown, { detail: (event as CustomEvent<string>).detail }));
    });
    return new Promise((resolve, reject) => {
      const close = (code?: ErrorCode) => {
        const isFirst = open.get(name) === question && open.delete(name);
        signal.removeEventListener("abort", stop);
        if (isFirst) send({ type: "answered", id: call.id, ask: name, code });
        return isFirst;
      };
      const question: OpenQuestion = {
        send: () => send({ type: "ask", id: call.id, ask: name, method: "elicitation/create", inPage: true }, text),
        settle({ code, message = "Answered elsewhere." }, payload) {
          const answer = code === undefined ? parseJsonObject(payload, limits.jsonDepth) : undefined;
          // A hub without an inbox cannot answer; the person in front of the page is asked all the same.
          if (!answer || !close()) return;
          resolve(answer);
          shown.abort(message);
        },
      };
      open.set(name, question);
      question.send();
      show(shown.signal).then(
        (answer) => close("cancelled") && resolve(answer),
        (error: unknown) => close("cancelled") && reject(error),
      );
    });
  }

  return {
    askHere,
    ask: (method, parameters) =>
      unlessAborted(asks.includes(method) ? askCaller(method, parameters) : askPerson(method, parameters), signal),
    repeat() {
      for (const question of open.values()) question.send();
    },
    answer: (frame, payload) => open.get(frame.ask)?.settle(frame, payload),
  };
}
