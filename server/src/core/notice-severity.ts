/** The severity of the notification of drift or of a failing check. */
export const NOTICE_SEVERITY = { info: "info", warning: "warning", critical: "error" } as const;
