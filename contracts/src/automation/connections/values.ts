/** Constants of connections to automation servers. */

/** Whether launches through a connection always need approval, or only if the template says so. */
export const LAUNCH_APPROVALS = ["always", "by_template"] as const;
export const FREE_JOB_TEMPLATES_MAX = 500;

export const TEST_STATUSES = ["untested", "success", "failed"] as const;
