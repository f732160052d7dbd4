// First messages on the sockets of pages and agents that no honest client sends, each with the name of its close.
import { encodeFrame, fromAgent, fromPage } from "pagewire/wire";
import { samplesFromAgent, samplesFromPage, samplesFromView } from "../../../src/wire/samples.test-helper.ts";
import { samplesToAgent, samplesToPage } from "../../../src/wire/samples.test-helper.ts";

/** Valid hellos of a page and an agent. */
export type Hellos = Readonly<Record<Side, Readonly<Record<string, unknown>>>>;
export type Side = "page" | "agent";
export type Data = string | Uint8Array;

export interface Attempt {
  readonly name: string;
  readonly messages: readonly Data[];
  readonly must: string;
}

type Tries = Readonly<Record<string, readonly [message: Data, must: string]>>;

const tables = { page: fromPage, agent: fromAgent };
const text = JSON.stringify;

/** No field of a hello accepts any of these. */
const wrongValues = { null: null, object: {}, list: [{}], half: 0.5, text: "x".repeat(10_000) };

/** All attempts for one side, derived from valid hellos. */
export function hostileFrames(side: Side, good: Hellos): readonly Attempt[] {
  const tries = { ...wrongFields(side, good), ...wrongWords(side, good), ...wrongTexts(good[side]), ...unknown(side) };
  const alone = Object.entries(tries).map(([name, [message, must]]) => ({ name, messages: [message], must }));
  return [...alone, ...tooEarly(side, text(good[side]))].map((one) => ({ ...one, name: `${side}: ${one.name}` }));
}

function wrongFields(side: Side, good: Hellos): Tries {
  const hello = good[side];
  const fields: Readonly<Record<string, (value: unknown) => boolean>> = tables[side].hello;
  const all = Object.entries(fields).flatMap(([field, takes]) => {
    const values = Object.entries({ ...wrongValues, ...(takes(undefined) ? {} : { missing: undefined }) });
    return values.map(([name, value]) => [`${field}: ${name}`, [text({ ...hello, [field]: value }), malformed]]);
  });
  return Object.fromEntries(all) as Tries;
}

const malformed = "frame-malformed";

function wrongWords(side: Side, good: Hellos): Tries {
  const other = good[side === "page" ? "agent" : "page"];
  const changed = (more: object) => text({ ...good[side], ...more });
  const versions = [[], [0], [2], [-1, 99], [1.5], [1e308]].map((given) => [
    `versions ${text(given)}`,
    [changed({ versions: given }), "version-unsupported"],
  ]);
  return {
    ...(Object.fromEntries(versions) as Tries),
    "17 versions": [changed({ versions: Array.from({ length: 17 }, () => 1) }), malformed],
    "versions as text": [changed({ versions: ["1"] }), malformed],
    "no type": [changed({ type: undefined }), malformed],
    "a type in a list": [changed({ type: ["hello"] }), malformed],
    "a type that may become a text": [changed({ type: { toString: "hello" } }), malformed],
    "a header of 20 KB": [changed({ more: "x".repeat(20_000) }), "frame-too-large"],
    "no token": [changed({ token: undefined }), "token-required"],
    "a token that is none": [changed({ token: "x" }), "token-invalid"],
    "the other side's token": [changed({ token: other["token"] }), "token-invalid"],
    "the other side's hello": [text(other), malformed],
    "a terminal's hello": [text(samplesFromView.hello), malformed],
  };
}

function wrongTexts({ versions, ...others }: Hellos[Side]): Tries {
  const hello = text({ versions, ...others });
  const second = (field: string) => `${hello.slice(0, -1)},${field}}`;
  const withPrototype = (fields: object, prototype: string) => `${text(fields).slice(0, -1)},"__proto__":${prototype}}`;
  const nested = (value: string) => `{"type":"hello","versions":${value}}`;
  return {
    "a second type": [second('"type":"heartbeat"'), "hello-expected"],
    "second versions": [second('"versions":[99]'), "version-unsupported"],
    "second versions that are none": [second('"versions":null'), malformed],
    "a second token": [second('"token":"x"'), "token-invalid"],
    "a second token that is none": [second('"token":{}'), malformed],
    "a token in a prototype": [withPrototype({ versions, ...others, token: undefined }, hello), "token-required"],
    "versions in a prototype": [withPrototype(others, hello), malformed],
    "all of it in a prototype": [withPrototype({ type: "hello" }, hello), malformed],
    "its type in a prototype": [`{"__proto__":${hello}}`, malformed],
    "all of it in a constructor": [`{"type":"hello","constructor":{"prototype":${hello}}}`, malformed],
    nothing: ["", malformed],
    "a zero byte": ["\0", malformed],
    "an empty line before it": [`\n${hello}`, malformed],
    "a byte order mark before it": [`\ufeff${hello}`, malformed],
    "half of it": [hello.slice(0, -1), malformed],
    "it twice": [hello + hello, malformed],
    "it in a list": [`[${hello}]`, malformed],
    "it as a text": [text(hello), malformed],
    "it behind a comment": [`/**/${hello}`, malformed],
    "it in a batch": [`\x1e${hello}`, malformed],
    "it in a channel": [`m+1:${hello}`, malformed],
    "a number": ["5", malformed],
    "no value": ["null", malformed],
    "an empty object": ["{}", malformed],
    "an empty list": ["[]", malformed],
    "nothing in binary": [Buffer.alloc(0), malformed],
    "half of it in binary": [Buffer.from(hello.slice(0, -1)), malformed],
    "it in UTF-16": [Buffer.from(hello, "utf16le"), malformed],
    "bytes that are no UTF-8": [Buffer.from([0xff, 0xfe, 0xc0, 0xaf, 0xed, 0xa0, 0x80]), malformed],
    "a WebSocket's own frame": [Buffer.from([0x81, 0xfe, 0, 0x7e, 0, 0, 0, 0]), malformed],
    "8,000 lists": [nested("[".repeat(8000) + "]".repeat(8000)), malformed],
    "2,500 objects": [nested(`${'{"a":'.repeat(2500)}1${"}".repeat(2500)}`), malformed],
    "100,000 lists that stay open": [nested("[".repeat(100_000)), "frame-too-large"],
    "20,000 objects that stay open": [nested('{"a":'.repeat(20_000)), "frame-too-large"],
  };
}

/** Types that this side never sends. A newer version might, so they are ignored until the hello is overdue. */
function unknown(side: Side): Tries {
  const prototypes = ["__proto__", "constructor", "toString", "valueOf", "hasOwnProperty"].map((type) => ({ type }));
  const ofWindows = ["tool_call", "tool_response", "tool_progress"].map((type) => ({ type, request_id: "1" }));
  const tablesOfOthers = [samplesToPage, samplesToAgent, samplesFromPage, samplesFromAgent, samplesFromView];
  const all = [
    ...tablesOfOthers.flatMap((table): { type: string }[] => Object.values(table)),
    ...prototypes,
    ...ofWindows,
  ];
  const strange = all.filter(({ type }) => !Object.hasOwn(tables[side], type));
  return Object.fromEntries(strange.map((frame) => [`of type ${frame.type}`, [text(frame), "hello-late"]]));
}

/** Each type that may follow a hello, sent before the hello. */
function tooEarly(side: Side, hello: string): readonly Attempt[] {
  const samples: { readonly type: string }[] = Object.values(side === "page" ? samplesFromPage : samplesFromAgent);
  return samples
    .filter(({ type }) => type !== "hello")
    .map((frame) => ({
      name: `${frame.type} before it`,
      messages: [encodeFrame(frame, "{}"), hello],
      must: "hello-expected",
    }));
}
