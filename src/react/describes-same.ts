import { useState } from "react";

/**
 * Whether two definitions look the same to agents. Handlers are ignored: the newest is called anyway. Undefined fields
 * are ignored; URLs and queries are compared as text, and other objects outside JSON, such as a library's schema, by
 * identity.
 */
export function describesSame(one: unknown, other: unknown, compared = new Map<object, Set<object>>()): boolean {
  if (Object.is(one, other) || (isHandler(one) && isHandler(other))) return true;
  if (isAddress(one) && isAddress(other))
    return one.constructor === other.constructor && one.toString() === other.toString();
  if (!isPlain(one) || !isPlain(other) || Array.isArray(one) !== Array.isArray(other)) return false;
  const others = compared.get(one) ?? new Set();
  // A circular reference is the same if all else is.
  if (others.has(other)) return true;
  compared.set(one, others.add(other));
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => describesSame(ownOf(one, name), ownOf(other, name), compared));
}

/** A Standard Schema can be a function, too. */
function isHandler(value: unknown): boolean {
  return typeof value === "function" && !("~standard" in value);
}

function isAddress(value: unknown): value is URL | URLSearchParams {
  return value instanceof URL || value instanceof URLSearchParams;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || "~standard" in value) return false;
  return Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

function ownOf(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The value of an earlier render, as long as newer ones are equal to it. */
export function useSame<Value>(value: Value): Value {
  const [same, setSame] = useState(value);
  if (describesSame(same, value)) return same;
  setSame(value);
  return value;
}
