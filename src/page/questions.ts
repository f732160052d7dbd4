import { PagewireError, parseJsonObject } from "../wire/index.ts";
import type { AskMethod, FrameToPage, JsonObject } from "../wire/index.ts";
import type { Dialog } from "./dialog/dialog.ts";

type AnswerFrame = Extract<FrameToPage, { type: "answer" }>;

/** The questions of one call: to its caller where that can answer, else to the person in front of the page. */
export interface Questions {
  ask(method: AskMethod, parameters: JsonObject): Promise<JsonObject>;
  /** Sends what has no answer yet once more, for a caller who may not have got it. */
  repeat(): void;
  answer(frame: AnswerFrame, payload: string): void;
}

export interface QuestionsOptions {
  /** What the caller can answer. */
  readonly callerTakes: readonly AskMethod[];
  readonly sendToCaller: (name: string, method: AskMethod, text: string) => void;
  readonly loadDialog: () => Promise<Dialog>;
  /** Ends the call, and with it a dialog. */
  readonly signal: AbortSignal;
  readonly jsonDepth: number;
}

interface OpenQuestion {
  send(): void;
  settle(frame: AnswerFrame, payload: string): void;
}

export function createQuestions(options: QuestionsOptions): Questions {
  const { callerTakes, sendToCaller, loadDialog, signal, jsonDepth } = options;
  const open = new Map<string, OpenQuestion>();
  let count = 0;

  async function askInPage(method: AskMethod, parameters: JsonObject): Promise<JsonObject> {
    const lacking = whyNotInPage(method, parameters);
    if (lacking) throw new PagewireError("ask-unsupported", lacking);
    return (await loadDialog()).askUser(parameters, signal);
  }

  function askCaller(method: AskMethod, parameters: JsonObject): Promise<JsonObject> {
    const name = String(++count);
    const text = JSON.stringify(parameters);
    return new Promise((resolve, reject) => {
      const question: OpenQuestion = {
        send: () => sendToCaller(name, method, text),
        settle({ code, message = "The caller's answer could not be read." }, payload) {
          open.delete(name);
          if (code === "ask-unsupported") return resolve(askInPage(method, parameters));
          const answer = code === undefined ? parseJsonObject(payload, jsonDepth) : undefined;
          if (answer) resolve(answer);
          else reject(new PagewireError("ask-failed", message));
        },
      };
      open.set(name, question);
      question.send();
    });
  }

  return {
    ask: (method, parameters) => (callerTakes.includes(method) ? askCaller : askInPage)(method, parameters),
    repeat() {
      for (const question of open.values()) question.send();
    },
    answer: (frame, payload) => open.get(frame.ask)?.settle(frame, payload),
  };
}

/** What keeps the page's own dialog from asking this. */
function whyNotInPage(method: AskMethod, { mode = "form" }: JsonObject): string | undefined {
  if (method === "sampling/createMessage") return "The calling agent has no model to ask.";
  if (method === "roots/list") return "The calling agent has no roots to list.";
  return mode === "form" ? undefined : "The calling agent cannot ask in this mode, and the page asks with forms only.";
}
