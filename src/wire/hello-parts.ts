// What the hellos of pages and agents share; nobody who only reads a hub's frames needs it.
import { list, number, optional, text } from "./fields.ts";

export const token = optional(text(8192));
export const versions = list(number, 16);
