// An answer's use in words: the model, its tokens and their cost.
import type { AiUsage } from "../../element/index.ts";
import { showInvisible } from "../../wire/index.ts";

export interface Used {
  readonly model?: string | undefined;
  readonly usage?: AiUsage | undefined;
}

/** Messages that a page sets may have anything here: what has another form counts as absent. */
export function usageText({ model, usage }: Used): string {
  const name = typeof model === "string" ? showInvisible(model) : "";
  const parts = [name, ...(usage ? [tokensText(usage), costText(usage.cost), quotaText(usage.quota)] : [])];
  return parts.filter((part) => part !== "").join(" · ");
}

/** All tokens, and how many of them were read and written. */
function tokensText({ promptTokens, completionTokens, totalTokens, cachedTokens }: AiUsage): string {
  if (![totalTokens, promptTokens, completionTokens].every(Number.isFinite) || totalTokens <= 0) return "";
  const cached =
    cachedTokens && Number.isFinite(cachedTokens) ? `, ${cachedTokens.toLocaleString("en")} of them cached` : "";
  const [total, read, written] = [totalTokens, promptTokens, completionTokens].map((count) =>
    count.toLocaleString("en"),
  );
  return `${total} tokens: ${read} in${cached}, ${written} out`;
}

function costText(cost: number | undefined): string {
  if (typeof cost !== "number" || !Number.isFinite(cost)) return "";
  if (cost > 0 && cost < 0.0001) return "less than $0.0001";
  return `$${cost >= 1 ? cost.toFixed(2) : Number(cost.toPrecision(2))}`;
}

function quotaText(quota: AiUsage["quota"]): string {
  const left = quota?.left;
  if (!Number.isFinite(left)) return "";
  return `${left?.toLocaleString("en")} tokens left ${quota?.period === "day" ? "today" : "this month"}`;
}
