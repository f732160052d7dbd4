import { expect, test, vi } from "vitest";
import { mount, scriptSockets } from "./view.test-helper.ts";

test("if the page's policy blocks xterm's styles, the view names the directive", async () => {
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = "style-src 'self'";
  document.head.append(policy);
  scriptSockets();
  const onError = vi.fn<(error: unknown) => void>();
  const { find, view } = mount({ token: "jwt", onError });
  await vi.waitFor(() => expect(view.state.status).toBe("unavailable"));
  expect(view.state.message).toContain("Let its style-src have 'unsafe-inline'.");
  expect(getComputedStyle(find(".panel")).position).toBe("absolute");
  expect(onError).toHaveBeenCalledOnce();
});
