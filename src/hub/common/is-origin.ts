/** Whether this is what a browser calls the origin of a page: not `null`, which is nobody's, and nothing that a program made up. */
export function isOrigin(value: unknown): value is string {
  return typeof value === "string" && URL.canParse(value) && new URL(value).origin === value;
}
