// The fields of a form, for pages of the house that ask by themselves.
export { createFields } from "./field.ts";
