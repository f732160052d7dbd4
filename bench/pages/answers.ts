// The answers of the bench's tool: MCP results of an exact size, the larger ones of many small fields.

/** The sizes of a result, and how many calls run at once in the parts that measure load, the most first. */
export const sizes = [
  { name: "200 B", bytes: 200, inFlight: [32, 4, 1] },
  { name: "10 KB", bytes: 10 * 1024, inFlight: [32, 4, 1] },
  { name: "1 MB", bytes: 1024 * 1024, inFlight: [8, 1] },
] as const;

export type Size = (typeof sizes)[number];

/** The sizes of results that pass from hub to hub. */
export const busSizes = [sizes[0], { name: "2 KB", bytes: 2 * 1024, inFlight: [32, 4, 1] }, sizes[1]] as const;

export type SizeName = Size["name"] | (typeof busSizes)[number]["name"];

/** The arguments of every call. */
export interface ToolArguments {
  readonly size: SizeName;
  readonly city: string;
  readonly days: number;
}

/** An MCP result. */
export interface ToolAnswer {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: { readonly orders: readonly object[] };
}

export function argumentsFor(size: SizeName): ToolArguments {
  return { size, city: "Utrecht", days: 30 };
}

const answers = new Map<string, ToolAnswer>([...sizes, ...busSizes].map(({ name, bytes }) => [name, answerOf(bytes)]));

/** The tool itself. */
export function answerTo({ size }: ToolArguments): ToolAnswer {
  const answer = answers.get(size);
  if (!answer) throw new Error(`There is no answer of the size "${size}".`);
  return answer;
}

function answerOf(bytes: number): ToolAnswer {
  const orders: object[] = [];
  let room = bytes - 200;
  while (room > 300) {
    const order = orderOf(orders.length);
    room -= JSON.stringify(order).length + 1;
    orders.push(order);
  }
  const structured = orders.length === 0 ? {} : { structuredContent: { orders } };
  const empty = JSON.stringify({ content: [{ type: "text", text: "" }], ...structured }).length;
  return { content: [{ type: "text", text: "All is well. ".repeat(bytes).slice(0, bytes - empty) }], ...structured };
}

function orderOf(index: number): object {
  return {
    id: 100_000 + index,
    customer: { name: `Customer ${index}`, email: `customer.${index}@example.com`, country: "NL" },
    items: [
      { sku: `A-${1000 + (index % 50)}`, quantity: 1 + (index % 4), price: 19.95 },
      { sku: `B-${2000 + (index % 70)}`, quantity: 1, price: 4.5 + (index % 10) },
    ],
    total: 24.45 + index,
    paid: index % 3 !== 0,
    note: null,
    placedAt: "2026-03-14T09:26:53Z",
  };
}
