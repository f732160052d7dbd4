import { PagewireError, messageOf } from "../wire/index.ts";
import type { Json } from "../wire/index.ts";
import { reasonAgainst } from "./to-json.ts";
import type { Sending } from "./to-json.ts";

/**
 * The plain data that JSON makes of a value, as a copy for JSON.stringify. Throws what `toJson` throws. Each part is read
 * once: getters and toJSON run once, and the value that was checked is the one that is sent.
 */
export function toData(value: unknown, { what, code, deepest }: Sending): Json {
  const holders: unknown[] = [];
  const path: (string | number)[] = [];

  const copy = (given: unknown, name: string | number): Json | undefined => {
    const depth = holders.length;
    path[depth] = name;
    const isWritten = isPlain(given);
    const { toJSON } = (isWritten ? {} : given) as { readonly toJSON?: unknown };
    const part: unknown = typeof toJSON === "function" ? toJSON.call(given, String(name)) : given;
    if (depth < deepest && (isWritten || isPlain(part))) return part as Json | undefined;
    const reason = holders.includes(part)
      ? "contains itself"
      : depth >= deepest
        ? "is nested too deeply"
        : reasonAgainst(part);
    if (reason) {
      const steps = path.slice(1, depth + 1).map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`));
      throw new TypeError(`$${steps.join("")} ${reason}.`);
    }
    // Boxed, as by new Number(1): JSON writes its value.
    if (part instanceof String || part instanceof Number || part instanceof Boolean)
      return JSON.parse(JSON.stringify(part)) as Json;
    holders.push(part);
    let made: Json[] | Record<string, Json>;
    if (Array.isArray(part)) {
      made = [];
      // By index, because JSON serializes holes as null.
      for (let at = 0; at < part.length; at++) made.push(copy(part[at], at) ?? null);
    } else {
      made = {};
      for (const field of Object.keys(part as Fields)) {
        const copied = copy((part as Fields)[field], field);
        if (copied === undefined) continue;
        // Assigning `__proto__` would set the prototype.
        if (field === "__proto__") Object.defineProperty(made, field, { value: copied, enumerable: true });
        else made[field] = copied;
      }
    }
    holders.pop();
    return made;
  };

  try {
    return copy(value, "") ?? null;
  } catch (error) {
    throw new PagewireError(code, `${what} cannot be sent: ${messageOf(error)}`, { cause: error });
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Whether JSON represents a value as it is: the fast path. */
function isPlain(part: unknown): part is string | number | boolean | null | undefined {
  return typeof (part ?? "") === "string" || typeof part === "boolean" || Number.isFinite(part);
}
