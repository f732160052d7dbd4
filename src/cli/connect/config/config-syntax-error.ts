/** A file that violates its own grammar; the message has the place and the mistake. */
export class ConfigSyntaxError extends Error {
  override readonly name = "ConfigSyntaxError";
}
