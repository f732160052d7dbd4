import type { RehearsalRequest } from "./request.ts";

const mostNames = 12;
const longestAbout = 100;

/** Says which images came with the last message; it cannot see them. */
export function writeImages({ messages }: RehearsalRequest): string {
  const last = messages.findLast(({ role }) => role === "user");
  const images = last?.role === "user" ? last.images : [];
  if (images.length === 0) return "";
  const counts = [...new Set(images)].map((type) => {
    const count = images.filter((one) => one === type).length;
    return count === 1 ? type : `${count} × ${type}`;
  });
  return `I was given ${images.length === 1 ? "one image" : `${images.length} images`} (${counts.join(", ")}), and cannot see ${images.length === 1 ? "it" : "them"}.`;
}

/** Says why no tool is called. */
export function writeNoTool({ tools, toolChoice }: RehearsalRequest, sentence: string): string {
  const said =
    sentence.trim() === "" ? "You said nothing." : `You said: “${Array.from(sentence.trim()).slice(0, 300).join("")}”`;
  if (tools.length === 0) return `${said}\n\nThis request declares no tools, so there is nothing that I could call.`;
  if (toolChoice === "none") return `${said}\n\nThis request does not let me call tools.`;
  const lines = tools.slice(0, mostNames).map(({ name, description }) => `- \`${name}\`${writeAbout(description)}`);
  if (tools.length > mostNames) lines.push(`- … and ${tools.length - mostNames} more`);
  return `${said}\n\nNo tool fits that. Use the words of one that I could call:\n\n${lines.join("\n")}`;
}

/** The beginning of a description, as far as it says what the tool does. */
function writeAbout(description: string): string {
  const [first = ""] = description.slice(0, longestAbout).split(/[.:;,](?:\s|$)|\s\(|\n/, 1);
  return first && `: ${first}`;
}
