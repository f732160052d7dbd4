// What pages ask users and models during calls, and what comes of it. Of an answer no more is kept than whether it was given.
import type { CallAnswer } from "../../switchboard/index.ts";
import { isJsonObject, parseJsonObject, sizeOf, textOf } from "../../wire/index.ts";
import type { AskMethod, JsonObject, Payload } from "../../wire/index.ts";

/** What is larger is not read for its sake. */
const mostRead = 256 * 1024;
const deepest = 64;
/** A page may ask many at once; so many are recorded. */
const mostAtOnce = 16;

const actions = ["accept", "decline", "cancel"];

/** How a question ended, and with which code where it failed. */
export function endOfQuestion(answer: CallAnswer | undefined): { readonly outcome: string; readonly code?: string } {
  if (!answer) return { outcome: "unanswered" };
  if ("code" in answer) return { outcome: "failed", code: answer.code };
  return { outcome: actionOf(objectIn(answer.payload)) };
}

/** The methods of the questions that a page has ended a call with. */
export function questionsIn(result: Payload): readonly (AskMethod | "")[] {
  const { inputRequests } = objectIn(result);
  const requests = isJsonObject(inputRequests) ? Object.values(inputRequests).slice(0, mostAtOnce) : [""];
  return requests.map((request) => (isJsonObject(request) ? methodOf(request) : ""));
}

/** How the questions were answered that a call brings the answers to. */
export function answersIn(input: string): readonly string[] {
  const { inputResponses } = objectIn(input);
  const responses = isJsonObject(inputResponses) ? Object.values(inputResponses).slice(0, mostAtOnce) : [];
  return responses.map((response) => actionOf(isJsonObject(response) ? response : {}));
}

function actionOf({ action }: JsonObject): string {
  return actions.find((each) => each === action) ?? "answered";
}

const methods: readonly unknown[] = [
  "elicitation/create",
  "sampling/createMessage",
  "roots/list",
] satisfies AskMethod[];

function methodOf({ method }: JsonObject): AskMethod | "" {
  return methods.includes(method) ? (method as AskMethod) : "";
}

function objectIn(payload: Payload): JsonObject {
  return (sizeOf(payload) <= mostRead && parseJsonObject(textOf(payload), deepest)) || {};
}
