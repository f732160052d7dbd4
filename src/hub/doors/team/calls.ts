// The calls of one of the organisation's principals, from the audit.
import type { FindCalls } from "../read/find-calls.ts";
import type { Answers } from "./answers.ts";
import { inOrganisation } from "./in-organisation.ts";

export function callAnswers(calls: Pick<FindCalls, "page">): Answers {
  return {
    "GET calls/": ({ admitted, rest, request, response }) =>
      calls.page(inOrganisation(admitted, rest), request, () => !response.destroyed),
  };
}
