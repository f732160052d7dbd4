import { useTool } from "pagewire/react";
import type { Dispatch } from "react";
import { columns, reduce, shownTeas } from "./table-state.ts";
import type { Action, Table } from "./table-state.ts";
import { kinds } from "./teas.ts";

/** Offers what the user can do with the table to agents. */
export function useTableTools(table: Table, dispatch: Dispatch<Action>): void {
  /** Does it, and says what the user sees then. */
  function perform(action: Action) {
    dispatch(action);
    return overview(reduce(table, action));
  }

  useTool({
    name: "get_teas",
    title: "Get teas",
    description: "The rows that the user sees, in their order, with the filters, the sorting and the selected ids.",
    inputSchema: {
      type: "object",
      properties: {
        offset: { type: "integer", minimum: 0, description: "How many rows to leave out." },
        limit: { type: "integer", minimum: 1, maximum: 50, description: "10 where nothing is said." },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
    execute: ({ offset = 0, limit = 10 }) => ({
      ...overview(table),
      rows: shownTeas(table).slice(offset, offset + limit),
    }),
  });

  useTool({
    name: "filter_teas",
    title: "Filter teas",
    description: "Sets the filters of the table. A filter that is left out is off.",
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string", description: "Part of a name or an origin." },
        kind: { enum: kinds },
        maximumPrice: { type: "number", minimum: 0, description: "Euros for 100 g." },
        inStock: { type: "boolean", description: "Leaves out what is sold out." },
      },
      additionalProperties: false,
    },
    annotations: { idempotentHint: true, destructiveHint: false },
    execute: (filters) => perform({ type: "filter", filters }),
  });

  useTool({
    name: "sort_teas",
    title: "Sort teas",
    description: "Sorts the table by one column.",
    inputSchema: {
      type: "object",
      properties: { column: { enum: columns }, descending: { type: "boolean" } },
      required: ["column"],
      additionalProperties: false,
    },
    annotations: { idempotentHint: true, destructiveHint: false },
    execute: (sorting) => perform({ type: "sort", sorting }),
  });

  useTool({
    name: "select_teas",
    title: "Select teas",
    description: "Selects rows, in place of those that were selected. get_teas has the ids; none clears the selection.",
    inputSchema: {
      type: "object",
      properties: { ids: { type: "array", items: { type: "string" } } },
      required: ["ids"],
      additionalProperties: false,
    },
    annotations: { idempotentHint: true, destructiveHint: false },
    execute({ ids }) {
      const unknown = ids.filter((id) => !table.teas.some((tea) => tea.id === id));
      if (unknown.length > 0)
        throw new Error(`There is no tea with the id ${unknown.join(", ")}. get_teas has the ids.`);
      return perform({ type: "select", ids });
    },
  });

  useTool({
    name: "reorder_selected",
    title: "Reorder selected teas",
    description: `Adds to the stock of each of the selected teas (${[...table.selected].join(", ")}).`,
    inputSchema: {
      type: "object",
      properties: { kilograms: { type: "integer", minimum: 1, maximum: 100 } },
      required: ["kilograms"],
      additionalProperties: false,
    },
    annotations: { destructiveHint: false },
    // There is nothing to reorder without a selection, and no tool either.
    enabled: table.selected.size > 0,
    execute: ({ kilograms }) => perform({ type: "reorder", kilograms }),
  });
}

function overview(table: Table) {
  const { filters, sorting, selected, teas } = table;
  return { matching: shownTeas(table).length, of: teas.length, filters, sorting, selected: [...selected] };
}
