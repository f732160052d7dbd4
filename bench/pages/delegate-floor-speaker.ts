import { answerTo } from "./answers.ts";
import type { ToolArguments } from "./answers.ts";
import { floorSpeakerOf } from "./floor-speaker.ts";

/** The floor's page for a terminal's programs: it is given each request whole, and writes the whole response. */
export const createDelegateFloorSpeaker = floorSpeakerOf<ToolArguments>((given, id) => {
  const { content, structuredContent: structured } = answerTo(given);
  const result = content.map(({ text }) => text).join("\n");
  return { cmd: "browser_response", id, status: "ok", result, structured };
});
