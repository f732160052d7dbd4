import { expect, test } from "vitest";
import { acceptFiles, kindOf, typeOf } from "./attachments.ts";
import { bytesIn, contentOf, isEmptyPrompt, promptOf } from "./prompt.ts";
import type { Prompt } from "./prompt.ts";

const file = (name: string, type = "image/png", size = 3) => ({ name, type, size });
const names = (files: readonly { readonly name: string }[]) => files.map(({ name }) => name);
const none: Prompt = { text: "", images: [] };
const bytes = (count: number) => `data:image/png;base64,${"A".repeat((count * 4) / 3)}`;

test("eight files are taken, and 5 MB together with those that are there; each that is left out is named with the bound", () => {
  const mixed = acceptFiles([file("a.png"), file("b.tiff", "image/tiff"), file("c.pdf", "application/pdf")], none);
  expect([names(mixed.accepted), mixed.problems]).toEqual([
    ["a.png", "c.pdf"],
    ['"b.tiff" cannot be sent: choose a picture (PNG, JPEG, GIF, WebP), a PDF, audio, or a text of any kind.'],
  ]);
  const many = Array.from({ length: 9 }, (_, at) => file(`${at}.png`));
  const there = { text: "", images: [bytes(3)], files: [{ name: "a", url: bytes(3) }] };
  const most = acceptFiles(many, there);
  expect([most.accepted.length, most.problems[0]]).toEqual([6, '"6.png" was left out: a message takes 8 files.']);
  const large = acceptFiles([file("large.pdf", "application/pdf", 5_000_001), file("small.png")], none);
  expect([names(large.accepted), large.problems]).toEqual([
    ["small.png"],
    ['"large.pdf" was left out: the files of a message may have 5 MB together.'],
  ]);
  const full = { text: "", images: [bytes(3_000_000)], files: [{ name: "a", url: bytes(1_500_000) }] };
  expect(acceptFiles([file("more.png", "image/png", 501_000)], full).problems).toEqual([
    expect.stringContaining("5 MB together"),
  ]);
  expect(
    acceptFiles([file("log.txt", "text/plain", 1_200_000), file("no.pdf", "application/pdf", 0)], none).problems,
  ).toEqual([
    '"log.txt" was left out: it has 1.2 MB, and a text may have 1 MB.',
    '"no.pdf" was left out: it is empty.',
  ]);
});

test("what a file is follows from its type, or from its name where the system does not know it", () => {
  const found = [
    ["a.PDF", "", "pdf", "application/pdf"],
    ["a.m4a", "audio/x-m4a", "audio", "audio/mp4"],
    ["a.wav", "audio/vnd.wave", "audio", "audio/wav"],
    ["a.md", "", "text", "text/markdown"],
    ["a.csv", "application/vnd.ms-excel", "text", "text/csv"],
    ["a.ts", "video/mp2t", "text", "text/plain"],
    ["Makefile", "", "text", "text/plain"],
    ["a.json", "application/json", "text", "application/json"],
    ["a.svg", "image/svg+xml", "text", "image/svg+xml"],
    ["a.tiff", "image/tiff", undefined, "image/tiff"],
    ["a.mid", "audio/midi", undefined, "audio/midi"],
  ] as const;
  for (const [name, type, kind, sent] of found)
    expect([name, kindOf({ name, type }), typeOf({ name, type })]).toEqual([name, kind, sent]);
});

test("a prompt with files is content in parts, and back; files alone are no empty prompt", () => {
  const files = [{ name: "a.md", url: "data:text/markdown;base64,IyBUZWE=" }];
  const prompt = { text: "Read", images: ["data:image/png;base64,AQID"], files };
  expect(contentOf(prompt)).toEqual([
    { type: "text", text: "Read" },
    { type: "image", url: "data:image/png;base64,AQID" },
    { type: "file", ...files[0] },
  ]);
  expect(promptOf(contentOf(prompt))).toEqual(prompt);
  expect([isEmptyPrompt({ text: " ", images: [], files }), isEmptyPrompt({ text: "", images: [], files: [] })]).toEqual(
    [false, true],
  );
  expect([bytesIn(bytes(900)), bytesIn("data:text/plain;base64,IyBUZWE="), bytesIn("data:a;base64,AA==")]).toEqual([
    900, 5, 1,
  ]);
});
