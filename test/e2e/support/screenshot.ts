import type { CdpSession } from "./cdp.ts";

/** Options of a screenshot; omitted ones leave the tab as it is. */
export interface ScreenshotOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  readonly mobile?: boolean;
}

/** A PNG of the tab at this size and in this colour scheme; both are restored afterwards. */
export async function takeScreenshot(
  session: CdpSession,
  { width, height, dark, mobile }: ScreenshotOptions,
): Promise<Buffer> {
  const metrics = { width: width ?? 0, height: height ?? 0, deviceScaleFactor: 0, mobile: mobile ?? false };
  const scheme = dark === undefined ? [] : [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }];
  await session.send("Emulation.setDeviceMetricsOverride", metrics);
  await session.send("Emulation.setEmulatedMedia", { features: scheme });
  try {
    const { data } = await session.send<{ data: string }>("Page.captureScreenshot", { format: "png" });
    return Buffer.from(data, "base64");
  } finally {
    await session.send("Emulation.setEmulatedMedia", { features: [] });
    await session.send("Emulation.clearDeviceMetricsOverride");
  }
}
