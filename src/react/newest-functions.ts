type Fields = Record<string, unknown>;

/**
 * A copy whose functions, however deep in plain objects and lists, are those that the newest value has in their places.
 * What is not plain, such as an instance of a class, is taken as it is.
 */
export function newestFunctions<Value>(
  value: Value,
  newest: () => unknown,
  copies = new Map<unknown, unknown>(),
): Value {
  if (!isFollowed(value)) return value;
  // What contains itself comes by again.
  if (copies.has(value)) return copies.get(value) as Value;
  const copy = (Array.isArray(value) ? [] : {}) as Fields;
  copies.set(value, copy);
  const partOf = (owner: unknown, name: string): unknown => Reflect.get(Object(owner) as object, name);

  function follow(given: Function, name: string): Function {
    return function (this: unknown, ...parameters: unknown[]): unknown {
      const owner = newest();
      const now = partOf(owner, name);
      // What it keeps in its object stays there, where that is the same in each render.
      const self = this === copy && owner === value ? owner : this;
      return Reflect.apply(typeof now === "function" ? now : given, self, parameters);
    };
  }

  for (const [name, part] of Object.entries(value)) {
    copy[name] =
      typeof part === "function" ? follow(part, name) : newestFunctions(part, () => partOf(newest(), name), copies);
  }
  return copy as Value;
}

function isFollowed(value: unknown): value is Fields {
  return Array.isArray(value) || (Object(value) === value && Object.getPrototypeOf(value) === Object.prototype);
}
