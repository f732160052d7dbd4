import type { AgentSession } from "../switchboard/index.ts";
import type { Offer } from "../wire/index.ts";

/** A list that MCP clients are told of when it changes. */
export type ListKind = "tools" | "prompts" | "resources";

const kinds = ["tools", "prompts", "resources"] as const;

/** Tells which lists of what is read differ from before; returns a function that stops it. */
export function watchOffer(agent: AgentSession, read: () => Offer, onChanged: (list: ListKind) => void): () => void {
  let seen = read();
  let texts = textsOf(seen);
  return agent.onChange(() => {
    const offer = read();
    if (offer === seen) return;
    seen = offer;
    const before = texts;
    texts = textsOf(offer);
    for (const kind of kinds) if (texts[kind] !== before[kind]) onChanged(kind);
  });
}

const textsOfOffer = new WeakMap<Offer, Record<ListKind, string>>();

/** Every session of a principal looks at the same offer, which is written out once. */
function textsOf(offer: Offer): Record<ListKind, string> {
  const { tools, prompts, resources, resourceTemplates } = offer;
  const texts = textsOfOffer.get(offer) ?? {
    tools: JSON.stringify(tools),
    prompts: JSON.stringify(prompts),
    resources: JSON.stringify([resources, resourceTemplates]),
  };
  textsOfOffer.set(offer, texts);
  return texts;
}
