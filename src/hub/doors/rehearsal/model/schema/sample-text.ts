import type { JsonObject } from "../../../../../wire/index.ts";
import { samplePattern } from "./sample-pattern.ts";

export interface TextSampling {
  readonly name: string;
  readonly variant: number;
  readonly today: string;
}

/** Texts that a schema may allow, the likeliest first. */
export function* sampleText(schema: JsonObject, { name, variant, today }: TextSampling): Generator<string> {
  const { format, pattern, minLength, maxLength } = schema;
  const sampleOfFormat = typeof format === "string" && Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (sampleOfFormat) yield sampleOfFormat(variant, today);
  const least = typeof minLength === "number" ? minLength : 0;
  const most = typeof maxLength === "number" ? maxLength : Infinity;
  if (typeof pattern === "string") yield* samplePattern(pattern, { least, variant });
  if (least > longest) return;
  const text = `rehearsal ${name}${variant > 0 ? ` ${variant + 1}` : ""}`;
  const padded = text.padEnd(least, ".");
  // What tells texts apart stays when they are cut.
  yield padded.length > most && variant > 0
    ? String(variant + 1).padStart(least, "0")
    : Array.from(padded).slice(0, most).join("");
}

/** The longest text that is made because a schema demands it. */
const longest = 65_536;

const formats: Readonly<Record<string, (variant: number, today: string) => string>> = {
  date: (variant, today) => dayAfter(today, variant),
  "date-time": (variant, today) => `${dayAfter(today, variant)}T12:00:00Z`,
  time: (variant) => `12:${two(variant)}:00Z`,
  duration: (variant) => `P${variant + 1}D`,
  email: (variant) => `rehearsal${variant || ""}@example.com`,
  "idn-email": (variant) => `rehearsal${variant || ""}@example.com`,
  hostname: (variant) => `rehearsal${variant || ""}.example.com`,
  "idn-hostname": (variant) => `rehearsal${variant || ""}.example.com`,
  uri: (variant) => `https://example.com/rehearsal${variant || ""}`,
  url: (variant) => `https://example.com/rehearsal${variant || ""}`,
  iri: (variant) => `https://example.com/rehearsal${variant || ""}`,
  "uri-reference": (variant) => `/rehearsal${variant || ""}`,
  "uri-template": (variant) => `/rehearsal${variant || ""}`,
  "json-pointer": (variant) => `/rehearsal${variant || ""}`,
  "relative-json-pointer": (variant) => `${variant}`,
  regex: (variant) => `rehearsal${variant || ""}`,
  uuid: (variant) => `00000000-0000-4000-8000-${String(variant).padStart(12, "0")}`,
  ipv4: (variant) => `192.0.2.${(variant % 254) + 1}`,
  ipv6: (variant) => `2001:db8::${(variant + 1).toString(16)}`,
};

function dayAfter(today: string, count: number): string {
  return new Date(Date.parse(today) + count * 86_400_000).toISOString().slice(0, 10);
}

function two(number: number): string {
  return String(number % 60).padStart(2, "0");
}
