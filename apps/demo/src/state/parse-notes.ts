import { isDay } from "../data/calendar.ts";
import type { Note } from "./dashboard.ts";

/** The notes of an earlier visit; what is not a note is left out. */
export function parseNotes(value: unknown): readonly Note[] {
  return Array.isArray(value) ? value.filter(isNote) : [];
}

function isNote(value: unknown): value is Note {
  if (typeof value !== "object" || value === null) return false;
  const { id, text, author, day } = value as Record<string, unknown>;
  const isText = [id, text, author].every((field) => typeof field === "string");
  return isText && (day === undefined || (typeof day === "string" && isDay(day)));
}
