export interface WcBindableProperty {
  readonly name: string;
  /** The event of a change of the property. */
  readonly event: string;
  /** Reads the new value from the event; its `detail` when left out. */
  // oxlint-disable-next-line no-explicit-any -- the contract: a getter names the event that it reads
  readonly getter?: (event: any) => unknown;
}

export interface WcBindableInput {
  readonly name: string;
  readonly attribute?: string;
}

export interface WcBindableCommand {
  readonly name: string;
  readonly async?: boolean;
}

/** The declaration in a class's `static wcBindable`. */
export interface WcBindableDeclaration {
  readonly protocol: "wc-bindable";
  readonly version: 1;
  readonly properties: readonly WcBindableProperty[];
  readonly inputs?: readonly WcBindableInput[];
  readonly commands?: readonly WcBindableCommand[];
}

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
