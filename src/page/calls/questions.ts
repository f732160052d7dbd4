import { unlessAborted } from "../../toolbox/index.ts";
import { PagewireError, parseJsonObject } from "../../wire/index.ts";
import type { AskMethod, FrameFromPage, FrameToPage, JsonObject, PageLimits } from "../../wire/index.ts";
import { createAskInPage } from "../dialog/dialog.ts";
import type { Dialog } from "../dialog/dialog.ts";

type AnswerFrame = Extract<FrameToPage, { type: "answer" }>;

/** The questions of one call: to its caller where that can answer, else to the person in front of the page. */
export interface Questions {
  ask(method: AskMethod, parameters: JsonObject): Promise<JsonObject>;
  /** Sends what has no answer yet once more, for a caller who may not have got it. */
  repeat(): void;
  answer(frame: AnswerFrame, payload: string): void;
}

/** A call that asks. */
interface AskingCall {
  readonly call: { readonly id: string };
  /** What the caller can answer. */
  readonly asks: readonly AskMethod[];
  /** Ends the call, and with it a dialog. */
  readonly signal: AbortSignal;
}

interface OpenQuestion {
  send(): void;
  settle(frame: AnswerFrame, payload: string): void;
}

/** Asks the person in front of the page whether a call may run, as whoever sent it wants; rejects where that cannot be asked. */
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
