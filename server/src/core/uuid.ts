/** Bounds of identifiers. */

/** The UUID before all others: pages by id begin after it. */
export const LEAST_UUID = "00000000-0000-0000-0000-000000000000";
