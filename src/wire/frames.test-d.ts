import { expectTypeOf, test } from "vitest";
import type { FrameFromPage, FrameToAgent, FrameToPage } from "./index.ts";
import { fromPage } from "./index.ts";
import { parseFrame } from "./codec.ts";

type FromPage<Type extends FrameFromPage["type"]> = Extract<FrameFromPage, { type: Type }>;
type Call = Extract<FrameToPage, { type: "call" }>;

test("a field that may be missing is optional in the type, and any other is not", () => {
  expectTypeOf<FromPage<"result">["isError"]>().toEqualTypeOf<boolean | undefined>();
  expectTypeOf<{ type: "result"; id: string }>().toExtend<FromPage<"result">>();
  expectTypeOf<{ type: "result"; id: string; isError: undefined }>().toExtend<FromPage<"result">>();
  expectTypeOf<{ type: "result"; isError: boolean }>().not.toExtend<FromPage<"result">>();
  expectTypeOf<{ type: "tab" }>().toExtend<FromPage<"tab">>();
});

test("the words of a closed list, lists and groups have their own types", () => {
  expectTypeOf<FromPage<"suspended">["reason"]>().toEqualTypeOf<"frozen" | "back-forward-cache">();
  expectTypeOf<FromPage<"hello">["running"]>().toEqualTypeOf<readonly string[]>();
  expectTypeOf<Call["agent"]["name"]>().toEqualTypeOf<string>();
  expectTypeOf<Call["agent"]["version"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Call["asks"]>().toEqualTypeOf<
    readonly ("elicitation/create" | "sampling/createMessage" | "roots/list")[] | undefined
  >();
  expectTypeOf<Extract<FrameToAgent, { type: "failure" }>["replay"]>().toEqualTypeOf<boolean | undefined>();
});

test("what is parsed is told apart by its type", () => {
  const parsed = parseFrame(fromPage, "", { frameBytes: 0, headerBytes: 0 });
  if (parsed.kind !== "frame") return;
  expectTypeOf(parsed.frame.type).toEqualTypeOf<FrameFromPage["type"]>();
  if (parsed.frame.type !== "ack") return;
  expectTypeOf(parsed.frame).toEqualTypeOf<FromPage<"ack">>();
});
