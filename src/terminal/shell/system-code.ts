/** The system's error code, such as ENOENT. */
export function systemCode(error: unknown): string | undefined {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === "string" ? code : undefined;
}
