// Which model answered, with how many tokens, at what cost: kept with the answer.
import type { Answer } from "./answer.ts";
import type { AiMessage } from "./types.ts";
import type { Ask, Run } from "./run.ts";
import { createPriceOf } from "./prices.ts";
import type { AiPricing } from "./prices.ts";
import { countOf, loose, parse, textOf } from "./providers/read.ts";

export interface Account {
  /** Asks as before, and adds the cost to the answer's usage. */
  readonly ask: Ask;
  /** For the answer's message. */
  about(): Pick<AiMessage, "model" | "usage" | "chosenModel">;
}

const longestName = 200;

export function createAccount({ options, state }: Run, pricing: AiPricing, askBefore: Ask): Account {
  const priceOf = createPriceOf(pricing);
  const { model: asked, keepModel } = options;
  let answered: string | undefined;

  function price({ usage }: Answer, bill: Bill): void {
    answered = bill.model;
    const cost = usage ? priceOf(asked, bill, usage) : undefined;
    if (usage && cost !== undefined) usage.cost = cost;
    else delete usage?.cost;
  }

  const ask: Ask = async ({ show, ...more }) => {
    const bill = createBill();
    const showPriced = (answer: Answer) => {
      price(answer, bill);
      return { ...show?.(answer) };
    };
    const answer = await askBefore({ ...more, watch: bill.read, show: showPriced });
    // The shown text may still wait for the next frame.
    price(answer, bill);
    return answer;
  };

  return {
    ask,
    about() {
      // The text shown last may still wait for the next frame.
      state.update({});
      const { usage } = state.values;
      return {
        model: answered ?? asked,
        ...(usage && { usage: { ...usage } }),
        ...(keepModel && { chosenModel: asked }),
      };
    },
  };
}

interface Bill {
  readonly model: string | undefined;
  readonly cacheWriteTokens: number;
  readonly isSpecial: boolean;
  /** Reads an event of any provider; ignores what it does not know. */
  read(data: string): void;
}

/** Each API says it in another field. Strings in the answer cannot be taken for it: their quotes are escaped. */
function createBill(): Bill {
  let model: string | undefined;
  let cacheWriteTokens = 0;
  let isSpecial = false;
  return {
    get model() {
      return model;
    },
    get cacheWriteTokens() {
      return cacheWriteTokens;
    },
    get isSpecial() {
      return isSpecial;
    },
    read(data) {
      const isNew = model === undefined && /"model(Version)?"/.test(data);
      if (!isNew && !/"(cache_creation_input_tokens|service_tier)"/.test(data)) return;
      const event = loose(parse(data));
      const fields = event?.message ?? event?.response ?? event;
      const name = textOf(fields?.model) || textOf(fields?.modelVersion);
      if (name) model ??= name.slice(0, longestName);
      const usage = fields?.usage;
      cacheWriteTokens = countOf(usage?.cache_creation_input_tokens) || cacheWriteTokens;
      // An hour's cache has another price than five minutes'.
      isSpecial ||= countOf(usage?.cache_creation?.ephemeral_1h_input_tokens) > 0;
      isSpecial ||= /^(flex|priority|batch|scale)$/.test(textOf(fields?.service_tier) || textOf(usage?.service_tier));
    },
  };
}
