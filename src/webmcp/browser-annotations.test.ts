import { expect, test } from "vitest";
import type { ToolAnnotations } from "../wire/index.ts";
import { annotationsForBrowser, annotationsFromBrowser } from "./browser-annotations.ts";
import type { ModelContextAnnotations } from "./model-context.ts";

test("the browser gets the hints that it supports, by its names, and no missing ones", () => {
  const cases: [ToolAnnotations | undefined, ModelContextAnnotations | undefined][] = [
    [undefined, undefined],
    [{}, undefined],
    [{ title: "Sales", idempotentHint: true }, undefined],
    [{ readOnlyHint: true }, { readOnlyHint: true }],
    [{ readOnlyHint: false }, { readOnlyHint: false }],
    [{ destructiveHint: true }, { consequentialHint: true }],
    [{ destructiveHint: false, openWorldHint: false, untrustedContentHint: false }, undefined],
    [{ openWorldHint: true }, { untrustedContentHint: true }],
    [{ untrustedContentHint: true }, { untrustedContentHint: true }],
    [
      { readOnlyHint: true, destructiveHint: true, untrustedContentHint: true },
      { readOnlyHint: true, consequentialHint: true, untrustedContentHint: true },
    ],
  ];
  for (const [given, expected] of cases) expect(annotationsForBrowser(given)).toEqual(expected);
});

test("only a browser's true hints are passed on: it reports missing hints as false", () => {
  const none = { readOnlyHint: false, untrustedContentHint: false, consequentialHint: false, debugging: false };
  const cases: [ModelContextAnnotations | undefined, ToolAnnotations | undefined][] = [
    [undefined, undefined],
    [none, undefined],
    [{ ...none, debugging: true }, undefined],
    [{ ...none, readOnlyHint: true }, { readOnlyHint: true }],
    [{ ...none, consequentialHint: true }, { destructiveHint: true }],
    [
      { ...none, untrustedContentHint: true },
      { untrustedContentHint: true, openWorldHint: true },
    ],
  ];
  for (const [given, expected] of cases) expect(annotationsFromBrowser(given)).toEqual(expected);
});
