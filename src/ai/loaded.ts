/** Waits for a part that is loaded when a send first needs it. */
export function loaded<Part>(part: Promise<Part>): Promise<Part> {
  return part.catch((cause: unknown) => {
    const advice = "see that all of Pagewire's files are served, and reload the page";
    throw new Error(`A part that this send needs could not be loaded (${String(cause)}): ${advice}.`, { cause });
  });
}
