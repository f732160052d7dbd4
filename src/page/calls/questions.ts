import { unlessAborted } from "../../toolbox/index.ts";
import { PagewireError, parseJsonObject } from "../../wire/index.ts";
import type { AskMethod, FrameFromPage, FrameToPage, JsonObject, PageLimits } from "../../wire/index.ts";
import { createAskInPage } from "../dialog/dialog.ts";
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

/** Asks the user of the page whether a call may run, because the hub requires it; rejects if the dialog cannot be shown. */
export async function askToRun(
  {
    frame: { name, agent },
    signal,
  }: Pick<AskingCall, "signal"> & { readonly frame: Extract<FrameToPage, { type: "call" }> },
  given: JsonObject,
  { loadDialog }: Pick<QuestionsOptions, "loadDialog">,
): Promise<boolean> {
  const { approve } = await loadDialog();
  const reason = "The hub's policy wants each such call to be allowed.";
  return (await approve({ tool: name, arguments: given, agent, reason, once: true }, signal)).approved;
}

export interface QuestionsOptions {
  readonly send: (frame: FrameFromPage, payload?: string) => void;
  readonly loadDialog: () => Promise<Dialog>;
  readonly limits: PageLimits;
}

export function createQuestions({ call, asks, signal }: AskingCall, options: QuestionsOptions): Questions {
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
          if (code === "ask-unsupported") return resolve(askInPage(method, parameters, signal));
          const answer = code === undefined ? parseJsonObject(payload, limits.jsonDepth) : undefined;
          if (answer) resolve(answer);
          else reject(new PagewireError("ask-failed", message));
        },
      };
      open.set(name, question);
      question.send();
    });
  }

  return {
    ask: (method, parameters) =>
      unlessAborted(
        asks.includes(method) ? askCaller(method, parameters) : askInPage(method, parameters, signal),
        signal,
      ),
    repeat() {
      for (const question of open.values()) question.send();
    },
    answer: (frame, payload) => open.get(frame.ask)?.settle(frame, payload),
  };
}
