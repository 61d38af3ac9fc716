/** Constants of connections to automation servers. */

export const TEST_STATUSES = ["untested", "success", "failed"] as const;
