// What a run does that is more than to ask once: tries again, uses tools, reads structured answers, keeps what was said,
// tells whose words a turn is.
// Loaded by runs that need some of it.
import { keepSaid } from "./keep-said.ts";
import type { AssistantEntry } from "./messages.ts";
import { namingSpeakers } from "./naming-speakers.ts";
import { parsePartialJson } from "./partial-json.ts";
import { retrying } from "./retrying.ts";
import type { Ask, Run } from "./run.ts";
import { useTools } from "./use-tools.ts";
import type { ToolNeeds } from "./use-tools.ts";
import { validateElaborate } from "./validate-elaborate.ts";

/** Gives the message that ends it; throws where there is none. */
export async function elaborate(run: Run, { ask, ...needs }: ToolNeeds): Promise<AssistantEntry> {
  const { onFailure, responseSchema, retries } = run.options;
  validateElaborate(run.options);
  let asking = namingSpeakers(ask);
  if (onFailure === "keep") keepSaid(run);
  if (responseSchema) asking = showingObject(asking);
  if (retries) asking = retrying(run, asking);
  return await useTools(run, { ...needs, ask: asking });
}

function showingObject(ask: Ask): Ask {
  return ({ show, ...asked }) =>
    ask({ ...asked, show: (answer) => ({ ...show?.(answer), object: parsePartialJson(answer.content) ?? null }) });
}
