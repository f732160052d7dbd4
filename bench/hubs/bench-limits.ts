/** One user has here what many have elsewhere. What it costs to count is the same. */
export const benchLimits = {
  tabsPerPrincipal: 40_000,
  socketsPerPrincipal: 40_000,
  callRatePerPrincipal: 1e6,
  callBurstPerPrincipal: 1e6,
};
