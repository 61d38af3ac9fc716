/** Constants of signing in and the caller's own profile. */

export const DATE_FORMATS = ["YYYY-MM-DD", "DD/MM/YYYY", "MM/DD/YYYY"] as const;
export const TIME_FORMATS = ["24h", "12h"] as const;
export const THEMES = ["system", "light", "dark"] as const;
export const SESSION_TIMEOUTS = [0, 15, 30, 60, 120, 240, 480] as const;
