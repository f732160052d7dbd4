// The cost of an answer, by a table of prices. Loaded by requests that ask for it.

/** US dollars for a million tokens. Without a price for tokens that were used, the cost is not known. */
export interface AiPrice {
  readonly input: number;
  readonly output: number;
  /** Of prompt tokens that the provider had in its cache. */
  readonly cached?: number;
  /** Of prompt tokens that it put there, where that is charged. */
  readonly cacheWrite?: number;
  /** The max tokens of a prompt for which the prices hold. */
  readonly upTo?: number;
}

/** By the model's name. A name with a date behind it is the same model. */
export type AiPrices = Readonly<Record<string, AiPrice>>;

/** True for the built-in table; a table of your own replaces it, and a function makes one of it. */
export type AiPricing = boolean | AiPrices | ((builtIn: AiPrices) => AiPrices);

const opus = { input: 5, output: 25, cached: 0.5, cacheWrite: 6.25 };
const sonnet = { input: 3, output: 15, cached: 0.3, cacheWrite: 3.75, upTo: 200_000 };

/** The vendors' list prices for text at their standard tier, as of November 2026. */
const builtIn: AiPrices = {
  "gpt-4o": { input: 2.5, output: 10, cached: 1.25 },
  "gpt-4o-mini": { input: 0.15, output: 0.6, cached: 0.075 },
  "gpt-4.1": { input: 2, output: 8, cached: 0.5 },
  "gpt-4.1-mini": { input: 0.4, output: 1.6, cached: 0.1 },
  "gpt-4.1-nano": { input: 0.1, output: 0.4, cached: 0.025 },
  "gpt-5": { input: 1.25, output: 10, cached: 0.125 },
  "gpt-5-mini": { input: 0.25, output: 2, cached: 0.025 },
  "gpt-5-nano": { input: 0.05, output: 0.4, cached: 0.005 },
  "gpt-5.1": { input: 1.25, output: 10, cached: 0.125 },
  "gpt-5.2": { input: 1.75, output: 14, cached: 0.175 },
  "gpt-5.4": { input: 2.5, output: 15, cached: 0.25, upTo: 272_000 },
  "gpt-5.4-mini": { input: 0.75, output: 4.5, cached: 0.075 },
  "gpt-5.4-nano": { input: 0.2, output: 1.25, cached: 0.02 },
  "gpt-5.5": { input: 5, output: 30, cached: 0.5, upTo: 272_000 },
  "o4-mini": { input: 1.1, output: 4.4, cached: 0.275 },
  "claude-haiku-4-5": { input: 1, output: 5, cached: 0.1, cacheWrite: 1.25 },
  "claude-sonnet-4-5": sonnet,
  "claude-sonnet-4-6": sonnet,
  "claude-opus-4-5": opus,
  "claude-opus-4-6": opus,
  "claude-opus-4-7": opus,
  "claude-opus-4-8": opus,
  "gemini-2.5-pro": { input: 1.25, output: 10, cached: 0.125, upTo: 200_000 },
  "gemini-2.5-flash": { input: 0.3, output: 2.5, cached: 0.03 },
  "gemini-2.5-flash-lite": { input: 0.1, output: 0.4, cached: 0.01 },
  "gemini-3.1-pro-preview": { input: 2, output: 12, cached: 0.2, upTo: 200_000 },
  "gemini-3.5-flash": { input: 1.5, output: 9, cached: 0.15 },
};

/** The facts about an answer beside its text. */
export interface Billed {
  /** The model that answered, by its own account. */
  readonly model: string | undefined;
  readonly cacheWriteTokens: number;
  /** Whether it was another than the standard tier, which has other prices. */
  readonly isSpecial: boolean;
}

interface Tokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens?: number;
}

export type PriceOf = (asked: string, billed: Billed, tokens: Tokens) => number | undefined;

/** A function for the cost of an answer in US dollars; it returns undefined where that is not known. */
export function createPriceOf(pricing: AiPricing): PriceOf {
  const own = typeof pricing === "function" ? pricing(builtIn) : typeof pricing === "object" ? pricing : undefined;
  const table = own ?? (pricing ? builtIn : {});
  return (asked, { model, cacheWriteTokens, isSpecial }, tokens) => {
    // Another model than the one that was asked may have answered; a table of one's own may name what is asked for.
    const listed = own || !isRegional.test(asked) ? table : {};
    const price = (model && find(listed, model)) || (!model || own ? find(table, asked) : undefined);
    if (!price || isSpecial || tokens.promptTokens > (price.upTo ?? Infinity)) return undefined;
    const { cachedTokens = 0, promptTokens, completionTokens } = tokens;
    const charges = [
      [Math.max(0, promptTokens - cachedTokens - cacheWriteTokens), price.input],
      [cachedTokens, price.cached],
      [cacheWriteTokens, price.cacheWrite],
      [completionTokens, price.output],
    ] as const;
    if (charges.some(([count, each]) => count > 0 && each === undefined)) return undefined;
    const cost = charges.reduce((sum, [count, each = 0]) => sum + (count * each) / 1_000_000, 0);
    return Number(cost.toPrecision(12));
  };
}

/** Bedrock's names of Claude for a region, where another price holds than for `global.`, which is the vendor's. */
const isRegional = /^((?!global\.)[a-z-]+\.)?anthropic\./;

/** A date behind the name: -2026-03-05, -20260305, or @20260305. */
const dated = /[-@](\d{4}-\d\d-\d\d|\d{8})$/;

function find(table: AiPrices, model: string): AiPrice | undefined {
  for (const name of [model, model.replace(/^models\//, ""), model.replace(/^models\//, "").replace(dated, "")])
    if (Object.hasOwn(table, name)) return table[name];
  return undefined;
}
