const properties = {
  size: { type: "string", description: "How large the answer is." },
  city: { type: "string", description: "Only orders from this city." },
  days: { type: "integer", minimum: 1, maximum: 365, description: "How many days back." },
} as const;

/** The tool that is called, and others beside it that fill a list as a real page's do; or others from a number on. */
export function offeredTools(count: number, from = 0): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({
    name: from + index === 0 ? "answer" : `answer_${from + index}`,
    description: "Lists the orders of the last days, newest first, with their customers and items.",
    inputSchema: { type: "object", properties, required: ["size"] },
    annotations: { readOnlyHint: true },
  }));
}

/** The tool that is called, as an app offers it to the agent's window. */
export function toolsForWindow() {
  return [
    {
      name: "answer",
      description: "Lists the orders of the last days, newest first, with their customers and items.",
      parameters: { type: "object", properties, required: ["size"] },
      annotations: { readOnlyHint: true },
    },
  ];
}
