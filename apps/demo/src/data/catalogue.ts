/** The shop's products, regions and channels: the enums that every tool's schema lists. */
export const products = [
  "House Blend",
  "Single Origin",
  "Cold Brew Kit",
  "Pour-over Set",
  "Hand Grinder",
  "Gift Box",
] as const;
export const regions = ["Europe", "North America", "Asia Pacific", "Latin America", "Middle East"] as const;
export const channels = ["Web shop", "Mobile app", "Marketplace"] as const;
export const periods = [7, 30, 90, 180] as const;

export type Product = (typeof products)[number];
export type Region = (typeof regions)[number];
export type Channel = (typeof channels)[number];
export type Period = (typeof periods)[number];

/** Unit prices in cents: money is counted in whole cents, so that sums agree to the last digit. */
export const unitCents: Readonly<Record<Product, number>> = {
  "House Blend": 2600,
  "Single Origin": 3400,
  "Cold Brew Kit": 5900,
  "Pour-over Set": 7800,
  "Hand Grinder": 12900,
  "Gift Box": 9500,
};

/** One order of one product. */
export interface Order {
  readonly id: string;
  /** ISO day, as `2026-03-14`. */
  readonly date: string;
  readonly customer: string;
  readonly product: Product;
  readonly region: Region;
  readonly channel: Channel;
  readonly quantity: number;
  readonly cents: number;
}

/** How many visits one channel had in one region on one day. */
export interface VisitCount {
  readonly date: string;
  readonly region: Region;
  readonly channel: Channel;
  readonly visits: number;
}

/** The dashboard's data; every number on the page is computed from it. */
export interface Sales {
  readonly firstDay: string;
  readonly lastDay: string;
  /** Oldest first. */
  readonly orders: readonly Order[];
  readonly visits: readonly VisitCount[];
}
