import { createElement } from "react";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { below, createScreen, createTestPage, environment } from "./react.test-helper.ts";
import { usePrompt } from "./use-prompt.ts";
import { useResource, useResourceTemplate } from "./use-resource.ts";

interface OffersProps {
  readonly text: string;
  readonly enabled?: boolean;
}

function Offers({ text, enabled = true }: OffersProps): ReactNode {
  const complete = { id: () => [text] };
  useResource({ uri: "shop://basket", name: "Basket", enabled, read: () => text });
  useResourceTemplate({
    uriTemplate: "shop://orders/{id}",
    name: "An order",
    enabled,
    read: (_, { id }) => `${text} ${id}`,
    complete,
  });
  usePrompt({ name: "report", arguments: [{ name: "id" }], enabled, get: ({ id }) => `${text} ${id}`, complete });
  return null;
}

async function read(page: ReturnType<typeof createTestPage>): Promise<readonly unknown[]> {
  const { toolbox } = page;
  const argument = { name: "id", value: "" };
  const outcomes = await Promise.all([
    toolbox.readResource("shop://basket", environment),
    toolbox.readResource("shop://orders/7", environment),
    toolbox.getPrompt("report", { id: "7" }, environment),
    toolbox.complete({ ref: { type: "ref/resource", uri: "shop://orders/{id}" }, argument }, environment),
    toolbox.complete({ ref: { type: "ref/prompt", name: "report" }, argument }, environment),
  ]);
  return outcomes.map((outcome) => {
    if (outcome.kind !== "result") return outcome.kind;
    const { contents, messages, completion } = JSON.parse(outcome.payload);
    return contents?.[0].text ?? messages?.[0].content.text ?? completion.values;
  });
}

test("resources, templates and prompts are offered as tools are, with the handlers and completions of the newest render", async () => {
  const page = createTestPage();
  const screen = createScreen();
  for (const text of ["one", "two"]) {
    await screen.show(below(page, createElement(Offers, { text })));
    expect(await read(page)).toEqual([text, `${text} 7`, `${text} 7`, [text], [text]]);
  }
  expect(page.changes).toHaveLength(1);
  await screen.show(below(page, createElement(Offers, { text: "two", enabled: false })));
  expect(page.toolbox.offer()).toEqual({ tools: [], resources: [], resourceTemplates: [], prompts: [] });
  await screen.show(below(page, createElement(Offers, { text: "three" })));
  expect(await read(page)).toEqual(["three", "three 7", "three 7", ["three"], ["three"]]);
  await screen.clear();
  expect(page.toolbox.offer()).toEqual({ tools: [], resources: [], resourceTemplates: [], prompts: [] });
});
