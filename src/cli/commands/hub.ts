import { defineCommand } from "../common/command.ts";
import { hubRunOptions } from "../run-hub/hub-run-options.ts";
import { limitNote } from "../run-hub/read-limits.ts";
import { runInBackground } from "../run-hub/background-hub.ts";
import { runHub } from "../run-hub/run-hub.ts";

export const hub = defineCommand({
  name: "hub",
  summary: "Run the hub. This is what `pagewire` alone does.",
  usage: "",
  positionals: { min: 0, max: 0 },
  options: hubRunOptions,
  notes: [
    "For a model it looks for a key in OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, AZURE_OPENAI_API_KEY, OPENROUTER_API_KEY, MISTRAL_API_KEY, GROQ_API_KEY, DEEPSEEK_API_KEY, XAI_API_KEY or TOGETHER_API_KEY, then for an Ollama on this machine; with none of these, the model is the rehearsal, which only plays one (in jwt mode: no model). --model bedrock, vertex, azure or lmstudio are used if they are asked for.",
    "With --terminal, terminals can be opened in the browser: npx pagewire terminal. This needs the shell key of this machine, or in jwt mode a token for the audience pagewire:terminal. Agents, and the pages that offer tools, cannot do it. Shells run in tmux if it is installed, and then outlive the hub.",
    "With --team, people and agents sign in with your company's identity provider: docs/guide/a-hub-for-your-company.md has the file and the steps. When it runs, open its address with /console; others write: npx pagewire login https://hub.example.com",
    limitNote,
    "Ctrl-C lets running calls finish, for up to 30 seconds (the limit drainTime); a second one stops at once. With --json: what happens, as lines of JSON.",
  ],
  examples: [
    "pagewire",
    "pagewire --port 0 --allow-origin http://localhost:5173",
    "pagewire hub --terminal",
    "pagewire hub --background",
    "pagewire --model anthropic/claude-haiku-4-5",
    "pagewire --host 0.0.0.0 --public-host hub.example.com --tls-cert hub.pem --tls-key hub.key --jwks https://id.example.com/keys",
    "pagewire hub --team team.json --host 0.0.0.0 --public-host hub.example.com --tls-cert hub.pem --tls-key hub.key",
    "pagewire --jwks https://id.example.com/keys --limit tokenTime=12h --limit tabsPerPrincipal=50",
  ],
  run: (context) => (context.values.background ? runInBackground(context) : runHub(context)),
});
