// The audit's calls of the organisation, and of one of its principals.
import type { FindCalls } from "../read/find-calls.ts";
import type { Answers } from "./answers.ts";
import { inOrganisation } from "./in-organisation.ts";

export function callAnswers(calls: Pick<FindCalls, "ofAll" | "page">): Answers {
  return {
    "GET audit": ({ organisation, request, response }) => calls.ofAll(organisation, request, () => !response.destroyed),
    "GET calls/": ({ admitted, rest, request, response }) =>
      calls.page(inOrganisation(admitted, rest), request, () => !response.destroyed),
  };
}
