// Converts the arguments of a model context's functions as Web IDL does: a wrong type is a TypeError, and every property
// is read once.
import type { ModelContextAnnotations } from "../model-context.ts";
import { failure } from "./failure.ts";

export type Execute = (input: object, options: { readonly signal: AbortSignal }) => unknown;

/** The arguments of a registration. */
export interface GivenTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly schema: object | undefined;
  readonly annotations: ModelContextAnnotations | undefined;
  readonly execute: Execute;
}

/** The tool to execute: its window and its name there. */
export interface ToolAddress {
  readonly name: string;
  readonly origin: string;
  readonly window: Window;
}

type Fields = Readonly<Record<string, unknown>>;

const hints = ["consequentialHint", "debugging", "readOnlyHint", "untrustedContentHint"];

export function readTool(value: unknown): GivenTool {
  const { annotations, description, execute, inputSchema, name, title } = fields(value, "tool");
  const tool = {
    annotations: annotations === undefined ? undefined : readAnnotations(annotations),
    description: text(description, "description"),
    schema: optionalObject(inputSchema, "inputSchema"),
    name: text(name, "name"),
    title: title === undefined ? "" : text(title, "title"),
  };
  if (typeof execute !== "function") throw new TypeError("A tool's execute must be a function.");
  return { ...tool, execute: execute as Execute };
}

export function readAddress(value: unknown): ToolAddress {
  const { annotations, description, inputSchema, name, origin, window } = fields(value, "tool");
  if (annotations !== undefined) readAnnotations(annotations);
  text(description, "description");
  optionalObject(inputSchema, "inputSchema");
  const address = { name: text(name, "name"), origin: text(origin, "origin"), window };
  if (!isWindow(window)) throw new TypeError("A tool's window must be a Window.");
  return { ...address, window };
}

/** The input of a call as JSON text, which makes it a copy. */
export function readInput(value: unknown): string {
  return toJson(value, "The input of a tool");
}

export function toJson(value: unknown, what: string): string {
  const json = Object(value) === value ? (JSON.stringify(value) as string | undefined) : undefined;
  if (!/^[[{]/.test(json ?? "")) throw new TypeError(`${what} must be an object.`);
  return json ?? "";
}

export function readSignal(options: unknown): AbortSignal | undefined {
  const { signal } = fields(options ?? {}, "options");
  // A frame's signal is not an instance of this window's class.
  if (signal !== undefined && !/AbortSignal/.test(Object.prototype.toString.call(signal))) {
    throw new TypeError("The option signal must be an AbortSignal.");
  }
  return signal as AbortSignal | undefined;
}

/** Checks an optional list of origins; the returned function throws if one of them is not secure. */
export function readOrigins(options: unknown, option: "exposedTo" | "fromOrigins"): () => void {
  const given = fields(options ?? {}, "options")[option];
  if (given === undefined) return () => {};
  if (Object(given) !== given) throw new TypeError(`The option ${option} must be a list of origins.`);
  const origins = [...(given as Iterable<unknown>)].map((origin) => text(origin, option));
  return () => {
    if (origins.every(isSecure)) return;
    throw failure("SecurityError", "Only secure origins are allowed.");
  };
}

export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function isSecure(origin: string): boolean {
  const url = parseUrl(origin);
  if (url?.protocol === "blob:") return isSecure(url.origin);
  if (/^(https|wss|file|.+-extension):$/.test(url?.protocol ?? "")) return true;
  return /^(http|ws):\/\/((.+\.)?localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(`${url?.protocol}//${url?.host}`);
}

function fields(value: unknown, what: string): Fields {
  if (Object(value) !== value) throw new TypeError(`The ${what} must be an object.`);
  return value as Fields;
}

function text(value: unknown, member: string): string {
  if (value === undefined) throw new TypeError(`A tool's ${member} is missing.`);
  // Not String(), which also accepts Symbols.
  return `${value as string}`;
}

function optionalObject(value: unknown, member: string): object | undefined {
  if (value !== undefined && Object(value) !== value) throw new TypeError(`A tool's ${member} must be an object.`);
  return value as object | undefined;
}

function readAnnotations(value: unknown): ModelContextAnnotations {
  const given = fields(value ?? {}, "annotations");
  return Object.fromEntries(hints.map((hint) => [hint, Boolean(given[hint])]));
}

function isWindow(value: unknown): value is Window {
  return Object(value) === value && (value as Window).window === value;
}
