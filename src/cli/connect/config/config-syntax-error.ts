/** A file that does not follow its own grammar; the message says where and what is missing. */
export class ConfigSyntaxError extends Error {
  override readonly name = "ConfigSyntaxError";
}
