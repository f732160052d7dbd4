/**
 * Whether two definitions say the same to agents. Handlers do not count: the newest is called, whichever was registered.
 * A schema that is more than JSON is the same only as itself.
 */
export function describesSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other) || (isHandler(one) && isHandler(other))) return true;
  if (!isPlain(one) || !isPlain(other) || Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && describesSame(one[name], other[name]))
  );
}

/** A Standard Schema can be a function, too. */
function isHandler(value: unknown): boolean {
  return typeof value === "function" && !("~standard" in value);
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || "~standard" in value) return false;
  return Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value));
}
