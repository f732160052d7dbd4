import { approveInPage } from "pagewire/page";
import type { Page } from "pagewire/page";
import { defineTool } from "pagewire/toolbox";
import { isDay } from "../data/calendar.ts";
import type { Dashboard } from "../state/dashboard.ts";
import { refusal } from "./describe-view.ts";

/** Tools for the notes panel. */
export function offerNoteTools(page: Page, dashboard: Dashboard): void {
  page.registerTool(addNote(dashboard));
  page.registerTool(deleteNotes(dashboard));
}

function addNote(dashboard: Dashboard) {
  const { firstDay, lastDay } = dashboard.sales;
  return defineTool({
    name: "add_note",
    title: "Add a note",
    description: "Writes a note for the user; with a date it marks that day on the chart too.",
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string", minLength: 1, maxLength: 280 },
        date: { type: "string", format: "date" },
      },
      required: ["text"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false },
    execute({ text, date }, { agent }) {
      if (date !== undefined && !(isDay(date) && date >= firstDay && date <= lastDay)) {
        return refusal(`There are no sales on "${date}". Give a day from ${firstDay} to ${lastDay}, as YYYY-MM-DD.`);
      }
      dashboard.addNote({ text, author: agent.name, ...(date !== undefined && { day: date }) });
      return { added: true, notes: dashboard.get().notes.length };
    },
  });
}

function deleteNotes(dashboard: Dashboard) {
  const name = "delete_notes";
  const title = "Delete all notes";
  return defineTool({
    name,
    title,
    description: "Deletes all notes, the user's own too. The user is asked first.",
    inputSchema: { type: "object", properties: {} },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    async execute(_input, { agent, signal }) {
      const count = dashboard.get().notes.length;
      if (count === 0) return { deleted: 0 };
      const reason = `It deletes ${count === 1 ? "the note" : `all ${count} notes`}, and cannot be undone.`;
      const { approved } = await approveInPage({ tool: name, title, arguments: {}, agent, reason }, signal);
      if (!approved) return refusal("The user did not allow it. No note was deleted.");
      return { deleted: dashboard.clearNotes() };
    },
  });
}
