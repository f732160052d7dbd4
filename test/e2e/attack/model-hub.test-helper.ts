// A besieged hub with a model, which is a test server that needs a key; and a server inside the hub's network, which it must
// never be made to request.
import { text } from "node:stream/consumers";
import { playModel } from "../../../src/hub/doors/core/model.test-helper.ts";
import type { ModelRequest, ModelTurn } from "../../../src/hub/doors/core/model.test-helper.ts";
import { shop } from "../../../src/hub/test-support/peer.test-helper.ts";
import { servePages } from "../support/page-server.ts";
import type { PageServer } from "../support/page-server.ts";
import { besiegeHub } from "./besieged-hub.test-helper.ts";
import type { BesiegedHub } from "./besieged-hub.test-helper.ts";

export const apiKey = "sk-that-only-the-hub-has";

export interface ModelHub extends BesiegedHub {
  /** The requests to the model, in order. */
  readonly asked: readonly ModelRequest[];
  /** The model's host. */
  readonly modelHost: string;
  readonly inside: PageServer;
}

export async function besiegeModelHub(): Promise<ModelHub> {
  const model = playModel(answerTo);
  const [server, inside] = await Promise.all([
    servePages(
      {},
      {
        listeners: {
          async "/v1/chat/completions"(request, response) {
            const headers = request.headers as Record<string, string>;
            const answer = await model.fetch("", { headers, body: await text(request) });
            response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
          },
        },
      },
    ),
    servePages({}),
  ]);
  const besieged = await besiegeHub(["--model", "openai/m", "--allow-origin", shop], {
    OPENAI_API_KEY: apiKey,
    OPENAI_BASE_URL: server.origin,
  });
  return {
    ...besieged,
    asked: model.requests,
    modelHost: new URL(server.origin).host,
    inside,
    async close() {
      await besieged.close();
      await Promise.all([server.close(), inside.close()]);
    },
  };
}

/** Calls the tool in the order; on "fail", fails with an error that reveals all that it knows; otherwise takes note. */
function answerTo({ headers, body }: ModelRequest): ModelTurn | Response {
  const said = String(body.messages.at(-1)?.content);
  const [, tool] = /^call (\S+)$/.exec(said) ?? [];
  if (tool !== undefined) return { calls: [{ name: tool }] };
  if (said !== "fail") return { text: "Noted." };
  const message = `Wrong key: ${headers["authorization"]}. I am ${headers["host"]}.`;
  return Response.json({ error: { message, type: "invalid_request_error" } }, { status: 401 });
}
