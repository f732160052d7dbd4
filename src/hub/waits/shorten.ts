import type { OpenWait } from "./wait.ts";

/** Max characters of each large part of a wait in a list; its own address has all. */
const maxListed = 20_000;

/** Large parts are cut, and marked: a user should not allow what was not shown. */
export function shortened(wait: OpenWait): OpenWait & { readonly isCut?: true } {
  const { arguments: given, before, definition, message, schema } = wait;
  const isLargeSchema = schema !== undefined && JSON.stringify(schema).length > maxListed;
  const isLong = [given, before, definition, message].some((text) => (text?.length ?? 0) > maxListed);
  if (!isLong && !isLargeSchema) return wait;
  const cut = (text: string | undefined) => text?.slice(0, maxListed);
  return {
    ...wait,
    ...{ arguments: cut(given), before: cut(before), definition: cut(definition), message: cut(message) },
    schema: isLargeSchema ? undefined : schema,
    isCut: true,
  };
}
