import { knows, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

const beginning = "Tools of web pages open in the user's browser";

export const instructions: Journey = {
  title: "a conversation without a call: what the model knows",
  async run({ agent: { program, talk } }) {
    const { requests, ms } = await talk(say("Hello."));
    const [first] = requests;
    const known = knows(first, program, "get_stock") ?? "not at all";
    const pair = knows(first, program, "call_tab_tool") ?? "not at all";
    const inTool = first?.tools.some(({ description }) => description.includes(beginning));
    const elsewhere = inTool ? "the hub's instructions, in a tool's description" : "no instructions of the hub";
    const told = first?.instructions.includes(beginning) ? "the hub's instructions" : elsewhere;
    return { result: `a page's tool ${known}, call_tab_tool ${pair}; ${told}`, ms };
  },
};
