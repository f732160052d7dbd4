// Schemas that several tools share. They are written out as constants so that handlers get their types from them.
import { channels, products, regions } from "../data/catalogue.ts";

const nullableNumber = { type: ["number", "null"] } as const;

export const filterProperties = {
  region: { enum: [...regions, null] },
  product: { enum: [...products, null] },
  channel: { enum: [...channels, null] },
} as const;

/** The filters that are set. */
export const filtersSchema = { type: "object", properties: filterProperties } as const;

export const rangeProperties = {
  from: { type: "string", description: "First day, YYYY-MM-DD." },
  to: { type: "string", description: "Last day, YYYY-MM-DD." },
} as const;

/** The key figures, as describeFigures gives them. */
export const figuresSchema = {
  type: "object",
  properties: {
    period: {
      type: "object",
      properties: { days: { type: "integer" }, ...rangeProperties },
      required: ["days", "from", "to"],
    },
    filters: filtersSchema,
    currency: { type: "string" },
    totalRevenue: { type: "number" },
    orders: { type: "integer" },
    averageOrderValue: { type: "number" },
    conversionRate: { type: "number", description: "Visits that became an order, in percent." },
    activeUsers: { type: "integer", description: "Customers with at least one order." },
    changeInPercent: {
      type: "object",
      description: "Against the days before; null where there was nothing.",
      properties: {
        totalRevenue: nullableNumber,
        orders: nullableNumber,
        averageOrderValue: nullableNumber,
        conversionRate: nullableNumber,
        activeUsers: nullableNumber,
      },
      required: ["totalRevenue", "orders", "averageOrderValue", "conversionRate", "activeUsers"],
    },
  },
  required: [
    "period",
    "filters",
    "currency",
    "totalRevenue",
    "orders",
    "averageOrderValue",
    "conversionRate",
    "activeUsers",
    "changeInPercent",
  ],
} as const;
