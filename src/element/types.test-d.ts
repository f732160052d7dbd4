import type { ComponentProps, JSX } from "react";
import { expectTypeOf, test } from "vitest";
import type { GlobalComponents } from "vue";
import type { SvelteHTMLElements } from "svelte/elements";
import type { AiAgent, AiMessage, AiMessageElement, AiToolCallState } from "./index.ts";
import type {} from "./types/react.ts";
import type {} from "./types/svelte.ts";
import type {} from "./types/vue.ts";

test("the document knows the elements by their tags, and their events by their names", () => {
  expectTypeOf(document.createElement("ai-message")).toEqualTypeOf<AiMessageElement>();
  const agent = document.createElement("ai-agent");
  expectTypeOf(agent).toEqualTypeOf<AiAgent>();
  expectTypeOf(agent.messages).toEqualTypeOf<AiMessage[]>();
  agent.addEventListener("ai-agent:tool-calls-changed", ({ detail }) =>
    expectTypeOf(detail).toEqualTypeOf<AiToolCallState[]>(),
  );
  document.addEventListener("ai-agent:content-changed", ({ detail }) => expectTypeOf(detail).toEqualTypeOf<string>());
  // @ts-expect-error -- the page cannot set the model's answer
  agent.content = "";
});

test("JSX takes the elements, with attributes by both names and the types of the properties", () => {
  const props: JSX.IntrinsicElements["ai-agent"] = {
    provider: "openai",
    model: "m",
    "base-url": "/api/ai",
    "max-tokens": "100",
    temperature: 0.5,
    className: "chat",
    tools: [{ name: "look", description: "Looks.", parameters: {}, handler: () => 1 }],
    ref: (agent: AiAgent | null) => void agent,
  };
  expectTypeOf<ComponentProps<"ai-message">["kind"]>().toEqualTypeOf<"system" | "user" | "assistant" | undefined>();
  // @ts-expect-error -- a model is named by a text
  props.model = 5;
});

test("the templates of Vue and Svelte take them too", () => {
  type VueProps = InstanceType<GlobalComponents["ai-agent"]>["$props"];
  expectTypeOf<VueProps["max-tokens"]>().toEqualTypeOf<string | number | undefined>();
  expectTypeOf<VueProps["maxTokens"]>().toEqualTypeOf<number | undefined>();
  type SvelteProps = SvelteHTMLElements["ai-agent"];
  expectTypeOf<SvelteProps["base-url"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<SvelteHTMLElements["ai-message"]["kind"]>().toEqualTypeOf<VueKind>();
});

type VueKind = InstanceType<GlobalComponents["ai-message"]>["$props"]["kind"];
