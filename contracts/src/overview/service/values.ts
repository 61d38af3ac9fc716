/** Constants of the service's status and of its first setup. */

/** Steps of the first setup, in their order. */
export const SETUP_STEPS = ["fabric", "automation", "mail", "people"] as const;
export type SetupStep = (typeof SETUP_STEPS)[number];

export const SETUP_STATES = ["done", "open", "skipped"] as const;
export type SetupState = (typeof SETUP_STATES)[number];

/** Upper bound of the backups that the status lists. */
export const BACKUPS_LISTED = 10;
