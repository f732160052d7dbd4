import type { WcBindableDeclaration } from "./declaration.ts";

type Item = Readonly<Record<string, unknown>>;

/** Whether it is a list of items with names of their own, and the type of each item's other field is this. */
function isList(list: unknown, field: string, type: string): boolean {
  return (
    Array.isArray(list) &&
    new Set(list.map((item: Item) => item["name"])).size === list.length &&
    list.every(
      (item: Item) =>
        [item["name"], field === "getter" ? item["event"] : field].every(
          (text) => text !== "" && typeof text === "string",
        ) && [type, "undefined"].includes(typeof item[field]),
    )
  );
}

/** The declaration of an object's class; undefined when it is missing or malformed. Never throws. */
export function getWcBindableDeclaration(target: unknown): WcBindableDeclaration | undefined {
  try {
    const declaration = (target as { constructor: { wcBindable: Item } }).constructor.wcBindable;
    const { protocol, version, properties, inputs = [], commands = [] } = declaration;
    if (
      protocol === "wc-bindable" &&
      version === 1 &&
      isList(properties, "getter", "function") &&
      isList(inputs, "attribute", "string") &&
      isList(commands, "async", "boolean")
    ) {
      return declaration as unknown as WcBindableDeclaration;
    }
  } catch {
    // An unreadable declaration counts as none.
  }
  return undefined;
}

/** Whether an object can be bound to. Never throws. */
export function isWcBindable(target: unknown): boolean {
  return getWcBindableDeclaration(target) !== undefined;
}
