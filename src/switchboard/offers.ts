// Keeps one copy of every offer and every tool definition for all tabs, within the budget of all principals.
import { PagewireError, isForTerminals, textOf } from "../wire/index.ts";
import type {
  Offer,
  OfferChange,
  Payload,
  Prompt,
  Resource,
  ResourceTemplate,
  SwitchboardLimits,
  Tool,
  OnOver,
} from "../wire/index.ts";
import { parseOffer, parseOfferChange } from "./parse-offer.ts";

/** An offer that tabs share. Equal items are the same object. */
export interface SharedOffer {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Tools for terminals only: kept apart, so that they are not listed or called by mistake. */
  readonly terminalTools: ReadonlyMap<string, Tool>;
  readonly resources: ReadonlyMap<string, Resource>;
  readonly resourceTemplates: ReadonlyMap<string, ResourceTemplate>;
  readonly prompts: ReadonlyMap<string, Prompt>;
  /** The names of the tools that are withheld until a person accepts them. */
  readonly withheld?: ReadonlySet<string>;
}

/** Throws for an offer of too many bytes, before it is parsed; `known` is the equal offer that is already stored. */
export type Admit = (bytes: number, known: SharedOffer | undefined) => void;

export interface OfferPool {
  /** Parses an offer; throws a named error if it cannot be shown to agents. */
  take(payload: Payload, admit?: Admit): SharedOffer;
  change(offer: SharedOffer, payload: Payload, admit?: Admit): SharedOffer;
  /** The memory that the text of a stored offer takes. */
  bytesOf(offer: SharedOffer): number;
  /** Call this once for every offer returned. */
  release(offer: SharedOffer): void;
  readonly size: number;
}

const kinds = ["tools", "resources", "resourceTemplates", "prompts"] as const;
type Kind = (typeof kinds)[number];
type Item = Offer[Kind][number];

/** `listed` returns a tool as agents see it. */
export function createOfferPool(
  limits: SwitchboardLimits,
  listed = (tool: Tool): Tool => tool,
  onOver?: OnOver,
): OfferPool {
  const offers = new Map<string, { readonly offer: SharedOffer; readonly bytes: number; users: number }>();
  const textOfOffer = new Map<SharedOffer, string>();
  let heldBytes = 0;
  const items = new Map<string, { readonly item: Item; users: number }>();

  const share = (item: Item): Item => {
    const text = JSON.stringify(item);
    const known = items.get(text) ?? { item, users: 0 };
    known.users++;
    items.set(text, known);
    return known.item;
  };
  const build = (offer: Offer): SharedOffer => {
    const count = kinds.reduce((sum, kind) => sum + offer[kind].length, 0);
    if (count > limits.offersPerPage) {
      throw new PagewireError(
        "offers-too-many",
        `The page offers ${count} things; the limit offersPerPage is ${limits.offersPerPage}.`,
      );
    }
    const shared = mapKinds((kind) => {
      const shown: readonly Item[] = kind === "tools" ? offer.tools.map(listed) : offer[kind];
      const byId = new Map(shown.map((item) => [idOf(kind, item), item]));
      for (const [id, item] of byId) byId.set(id, share(item));
      return byId;
    }) as Omit<SharedOffer, "terminalTools">;
    return { ...shared, ...apart(shared.tools) };
  };
  const enter = (text: string, offer: () => Offer, admit?: Admit): SharedOffer => {
    const known = offers.get(text);
    const bytes = known?.bytes ?? memoryOf(text);
    admit?.(bytes, known?.offer);
    if (known) {
      known.users++;
      return known.offer;
    }
    if (heldBytes + bytes > limits.offeredBytesInAll) {
      onOver?.("offeredBytesInAll");
      throw tooLarge(`All pages of this hub offer more than ${limits.offeredBytesInAll} bytes`, "offeredBytesInAll");
    }
    const made = build(offer());
    offers.set(text, { offer: made, bytes, users: 1 });
    textOfOffer.set(made, text);
    heldBytes += bytes;
    return made;
  };
  const release = (offer: SharedOffer) => {
    const text = textOfOffer.get(offer);
    const known = text === undefined ? undefined : offers.get(text);
    if (text === undefined || !known || --known.users > 0) return;
    offers.delete(text);
    textOfOffer.delete(offer);
    heldBytes -= known.bytes;
    for (const kind of [...kinds, "terminalTools"] as const) {
      for (const item of offer[kind].values()) {
        const key = JSON.stringify(item);
        const shared = items.get(key);
        if (shared && --shared.users === 0) items.delete(key);
      }
    }
  };

  return {
    take(payload, admit) {
      const text = textOf(payload);
      return enter(text, () => parseOffer(text, limits), admit);
    },
    change(offer, payload, admit) {
      const next = applyChange(offer, parseOfferChange(payload, limits));
      return enter(JSON.stringify(next), () => next, admit);
    },
    bytesOf: (offer) => offers.get(textOfOffer.get(offer) ?? "")?.bytes ?? 0,
    release,
    get size() {
      return offers.size;
    },
  };
}

/** Splits tools into those for all callers and those for terminals only. */
function apart(tools: ReadonlyMap<string, Tool>): Pick<SharedOffer, "tools" | "terminalTools"> {
  const those = [...tools];
  return {
    tools: new Map(those.filter(([, tool]) => !isForTerminals(tool))),
    terminalTools: new Map(those.filter(([, tool]) => isForTerminals(tool))),
  };
}

function applyChange(offer: SharedOffer, change: OfferChange): Offer {
  return mapKinds((kind) => {
    const next = new Map<string, Item>(kind === "tools" ? [...offer.tools, ...offer.terminalTools] : offer[kind]);
    for (const id of change.remove[kind] ?? []) next.delete(id);
    for (const item of change.add[kind] ?? []) next.set(idOf(kind, item), item);
    return [...next.values()];
  }) as Offer;
}

/** One value per kind of item. TypeScript cannot check that a kind's value has that kind's items: callers assert it. */
function mapKinds<Value>(make: (kind: Kind) => Value): object {
  return {
    tools: make("tools"),
    resources: make("resources"),
    resourceTemplates: make("resourceTemplates"),
    prompts: make("prompts"),
  };
}

function idOf(kind: Kind, item: Item): string {
  if (kind === "resources") return (item as Resource).uri;
  if (kind === "resourceTemplates") return (item as ResourceTemplate).uriTemplate;
  return item.name;
}

/** The error for an offer that would exceed a limit together with the stored ones. */
export function tooLarge(what: string, limit: string): PagewireError {
  return new PagewireError("offers-too-large", `${what} (limit ${limit}). Close some of them, or offer less.`);
}

/** One character beyond Latin-1 makes every character of a text take two bytes. */
function memoryOf(text: string): number {
  return text.length * (/[\u0100-\uffff]/.test(text) ? 2 : 1);
}

/** The offer of a page that has not sent one yet. */
export const nothingOffered: SharedOffer = {
  tools: new Map(),
  terminalTools: new Map(),
  resources: new Map(),
  resourceTemplates: new Map(),
  prompts: new Map(),
};

/** Whether an offer has every item of an earlier one. */
export function covers(offer: SharedOffer, earlier: SharedOffer | undefined): boolean {
  if (!earlier || offer === earlier) return true;
  const tools = [...earlier.tools.keys(), ...earlier.terminalTools.keys()];
  // A tool that moved to other callers is still there.
  if (!tools.every((name) => offer.tools.has(name) || offer.terminalTools.has(name))) return false;
  return (["resources", "resourceTemplates", "prompts"] as const).every((kind) =>
    [...earlier[kind].keys()].every((id) => offer[kind].has(id)),
  );
}
