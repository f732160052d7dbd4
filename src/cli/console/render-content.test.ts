import { expect, test } from "vitest";
import type { JsonObject } from "../../wire/index.ts";
import { renderContent } from "./render.ts";

const base64 = "A".repeat(4096);

test.each<[string, JsonObject, readonly string[]]>([
  [
    "texts",
    {
      content: [
        { type: "text", text: "a\nb" },
        { type: "text", text: "c" },
      ],
    },
    ["a\nb", "c"],
  ],
  ["images", { content: [{ type: "image", data: base64, mimeType: "image/png" }] }, ["[image image/png 3.0 KB]"]],
  ["sounds", { content: [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }] }, ["[audio audio/wav 3 B]"]],
  [
    "resources with text",
    { content: [{ type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "inside" } }] },
    ["[resource file:///a.txt text/plain]\ninside"],
  ],
  [
    "resources with bytes",
    { content: [{ type: "resource", resource: { uri: "file:///a.bin", blob: "A".repeat(4_000_000) } }] },
    ["[resource file:///a.bin 2.9 MB]"],
  ],
  ["links", { content: [{ type: "resource_link", uri: "file:///a", name: "A file" }] }, ["[link A file file:///a]"]],
  ["blocks of the future", { content: [{ type: "hologram", depth: 3 }] }, ['{"type":"hologram","depth":3}']],
  ["what is no block", { content: [7, null] }, ["7", "null"]],
  ["data without text", { content: [], structuredContent: { total: 3 } }, ['{\n  "total": 3\n}']],
  ["nothing", { content: [] }, []],
  ["contents of a resource", { contents: [{ uri: "file:///a", text: "read" }] }, ["read"]],
  [
    "other answers",
    { completion: { values: ["a"] } },
    ['{\n  "completion": {\n    "values": [\n      "a"\n    ]\n  }\n}'],
  ],
])("CL9: %s are shown as text", (...[, result, expected]) => {
  expect(renderContent(result)).toEqual(expected);
});
