const longest = 4096;

/** A message as long as a frame's header may carry it. */
export function shorten(message: string): string {
  return message.length > longest ? `${message.slice(0, longest - 1)}…` : message;
}
