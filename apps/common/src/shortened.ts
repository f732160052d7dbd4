import { showInvisible } from "pagewire/wire";

/** A text of a page or an agent, on one line, without what cannot be seen. */
export function shortened(text: string, most: number): string {
  const characters = Array.from(showInvisible(text).replaceAll(/\s+/g, " ").trim());
  return characters.length > most ? `${characters.slice(0, most).join("")}…` : characters.join("");
}
